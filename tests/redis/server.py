"""A server with the module, on loopback, with a folder of its own. It ends with the test that started it. $REDIS_SERVER is the
command that starts it, for example valkey-server or a path; else it is redis-server."""

import ctypes
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time

from resp import Connection

_DEATH_OF_PARENT = 1  # PR_SET_PDEATHSIG
_LIBC = ctypes.CDLL(None)


def server_command():
    return shlex.split(os.environ.get("REDIS_SERVER", "redis-server"))


def client_command():
    """The command-line client that came with the server: redis-cli, valkey-cli, or that beside the server's path."""
    beside = server_command()[0].removesuffix("-server") + "-cli"
    return beside if shutil.which(beside) else "redis-cli"


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


def free_port():
    """Below the range from which Linux takes ports of outgoing connections. Another process may take it first: see Server."""
    first, last = map(int, os.environ.get("HORTUS_REDIS_PORTS", "20000-31999").split("-"))
    while True:
        if is_free(port := random.SystemRandom().randint(first, last)):
            return port


def sanitizer_runtime(module):
    """The library that a server has to load first if the module was compiled with AddressSanitizer; else none."""
    needed = subprocess.run(["readelf", "-d", module], capture_output=True, text=True, check=True).stdout
    found = re.search(r"\[(lib(?:clang_rt\.)?asan[^\]]*)\]", needed)
    if not found:
        return None
    compiler = "clang" if "clang" in found[1] else "gcc"
    return subprocess.run([compiler, f"-print-file-name={found[1]}"], capture_output=True, text=True, check=True).stdout.strip()


class Server:
    """Options are those of the server's command line: Server(folder, "--appendonly", "yes"). Nothing is saved unless asked."""

    def __init__(self, folder, *options, module=None, arguments=(), loaded=True):
        self.folder = os.path.join(folder, f"server{len(_servers)}")
        os.makedirs(self.folder)
        self.module = module or os.environ["HORTUS_REDIS_MODULE"]
        load = ["--loadmodule", self.module, *map(str, arguments)] if loaded else []
        self.options = ["--save", "", *load, *map(str, options)]
        self.log = os.path.join(self.folder, "log")
        self.process = self.port = None
        _servers.append(self)
        self.start()

    def start(self, *options):
        """Starts it, or starts it again with the data it left; further options go to this run alone."""
        for _ in range(20):
            if self._start(options):
                return
        raise AssertionError("no free port in 20 tries")

    def choose_port(self):
        return free_port()

    def _start(self, options):
        self.port = self.choose_port()
        environment = dict(os.environ)
        if runtime := sanitizer_runtime(self.module):
            environment["LD_PRELOAD"] = runtime
            # The server itself was compiled without: its leaks and its order of libraries are not what is tested.
            environment["ASAN_OPTIONS"] = (
                "detect_leaks=0:verify_asan_link_order=0:alloc_dealloc_mismatch=0:allocator_may_return_null=1:"
                "max_allocation_size_mb=2048:" + environment.get("ASAN_OPTIONS", "")
            )
            environment["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
        command = [*server_command(), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder]
        command += ["--enable-debug-command", "yes", "--repl-diskless-sync-delay", "0", "--logfile", ""]
        with open(self.log, "ab") as log:
            begin = log.tell()
            self.process = subprocess.Popen(
                command + self.options + list(map(str, options)),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                preexec_fn=lambda: _LIBC.prctl(_DEATH_OF_PARENT, signal.SIGKILL),
            )  # fmt: skip
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                if "Address already in use" in self.log_text(begin):
                    return False
                raise AssertionError(f"the server did not start:\n{self.log_text()[-3000:]}")
            try:
                if self._is_ready():
                    return True
            except OSError:
                pass
            time.sleep(0.005)
        raise AssertionError(f"the server was not ready in time:\n{self.log_text()[-3000:]}")

    def _is_ready(self):
        with Connection(self.port) as connection:
            if connection.raw("PING") != b"+PONG\r\n":  # it is still loading
                return False
            # A server of another test may have taken the port.
            return f"process_id:{self.process.pid}\r\n".encode() in connection("INFO", "server")

    def connect(self, resp=2, **options):
        return Connection(self.port, resp, **options)

    def log_text(self, begin=0):
        with open(self.log, "rb") as file:
            file.seek(begin)
            return file.read().decode(errors="replace")

    def alive(self):
        return self.process.poll() is None

    def kill(self):
        """As if the machine lost power, as far as the server can tell."""
        if self.process:
            self.process.kill()
            self.process.wait()

    def stop(self):
        if self.process and self.alive():
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def restart(self):
        """Orderly, with what is saved."""
        self.stop()
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


_servers = []


def stop_all():
    for server in _servers:
        server.kill()
    _servers.clear()


def logs():
    """What servers said: the end of it, or from where a server or a sanitizer began to report a crash."""
    parts = []
    for each in _servers:
        text = each.log_text()
        crash = re.search(r"=+ \w+ BUG REPORT START|ERROR: AddressSanitizer|runtime error:", text)
        parts.append(f"--- log of {each.folder}\n{text[crash.start():][:6000] if crash else text[-2000:]}")
    return "".join(parts)


def configure(server, name, value):
    """CONFIG SET of a setting of the module: before Redis 8 its name has the module's name in front."""
    connection = server.connect()
    full = next(found for found in connection("CONFIG", "GET", "*" + name)[::2] if found.decode().split(".")[-1] == name)
    connection("CONFIG", "SET", full, value)


def follow(replica, master):
    """Makes it a replica, and waits until it has everything."""
    replica.connect()("REPLICAOF", "127.0.0.1", master.port)
    wait_until(lambda: in_step(master, replica), "the replica has everything")


def info(server, section):
    text = server.connect()("INFO", section).decode()
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)


def in_step(master, replica):
    here, there = info(master, "replication"), info(replica, "replication")
    return there.get("master_link_status") == "up" and here["master_repl_offset"] == there["slave_repl_offset"]


def digest(server):
    """A checksum of all keys and values."""
    return server.connect()("DEBUG", "DIGEST")


def wait_until(holds, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain until {what}"
        time.sleep(0.01)

