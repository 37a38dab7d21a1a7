#!/usr/bin/env python3
"""What a master or an append-only file says: it is carried out as it was there, whatever clients are refused here, and without
errors. The commands are written by hand, as RedisBloom 2.2 to 8.10 replicates them and writes them to its files."""

import pathlib
import socket
import struct
import threading

import harness
from harness import equal
from resp import Refused, request
from server import Server, digest, follow, in_step, info, wait_until

PANIC = ("--propagation-error-behavior", "panic")

# commands that RedisBloom took; questions and the answers that it gave (RESP2)
CARRIED_OUT = {
    "an unknown word": (
        [("BF.RESERVE", "k", "0.001", 5000, "FOO"), ("BF.ADD", "k", "z")],
        [(("BF.INFO", "k", "CAPACITY"), [5000]), (("BF.EXISTS", "k", "z"), 1)],
    ),
    "first letters": (
        [("BF.INSERT", "a", "CAP", 7, "ITEMS", "x"), ("BF.INSERT", "b", "EXPAN", 3, "I", "x"), ("BF.INSERT", "c", "NON", "CAPACITY", 5, "items", "x"), ("BF.INSERT", "d", "err", "0.2", "NOC", "ITEMS", "x")],
        [(("BF.INFO", "a", "CAPACITY"), [7]), (("BF.INFO", "b", "EXPANSION"), [3]), (("BF.INFO", "c", "EXPANSION"), [None]), (("BF.INFO", "c", "CAPACITY"), [5]), (("EXISTS", "d"), 0)],
    ),
    "first letters of CF": (
        [("CF.INSERT", "a", "CAP", 64, "ITEMS", "x"), ("CF.INSERTNX", "b", "c", 128, "i", "x"), ("CF.RESERVE", "c", 100, "FOO", 5), ("CF.INSERT", "d", "NO", "ITEMS", "x")],
        [(("CF.INFO", "a"), {"Number of buckets": 32}), (("CF.INFO", "b"), {"Number of buckets": 64}), (("CF.INFO", "c"), {"Number of buckets": 64, "Expansion rate": 1}), (("EXISTS", "d"), 0)],
    ),
    "EXPANSION of 2.6": (
        [("BF.RESERVE", "k", "0.01", 100, "EXPANSION", 40000), ("BF.MADD", "k", *range(150))],
        [(("BF.INFO", "k", "CAPACITY"), [4000100]), (("BF.INFO", "k", "EXPANSION"), [40000]), (("BF.INFO", "k", "ITEMS"), [150])],
    ),
    "EXPANSION of BF.INSERT of 2.6": (
        [("BF.INSERT", "k", "CAPACITY", 2, "EXPANSION", 100000, "ITEMS", 1, 2, 3)],
        [(("BF.INFO", "k", "CAPACITY"), [200002])],
    ),
    "capacities of 2.6": (
        [("BF.RESERVE", "a", "0.2", (1 << 30) + 1), ("BF.INSERT", "b", "CAPACITY", 1500000000, "ERROR", "0.2", "ITEMS", "y")],
        [(("BF.INFO", "a", "CAPACITY"), [(1 << 30) + 1]), (("BF.INFO", "b", "CAPACITY"), [1500000000]), (("BF.EXISTS", "b", "y"), 1)],
    ),
    "capacities of CF of 2.6": (
        [("CF.RESERVE", "a", 2000000000), ("CF.INSERT", "b", "CAPACITY", 2000000000, "ITEMS", "y")],
        [(("CF.INFO", "a"), {"Number of buckets": 1 << 30}), (("CF.INFO", "b"), {"Number of buckets": 1 << 30}), (("CF.EXISTS", "b", "y"), 1)],
    ),
    "numbers of CF that 2.6 cut off at 16 bits": (
        [("CF.RESERVE", "a", 100, "MAXITERATIONS", 65540), ("CF.RESERVE", "b", 100, "EXPANSION", 40000), ("CF.RESERVE", "c", 100, "EXPANSION", 65539)],
        [(("CF.INFO", "a"), {"Max iterations": 4}), (("CF.INFO", "b"), {"Expansion rate": 0}), (("CF.INFO", "c"), {"Expansion rate": 4})],
    ),
    "an option twice": (
        [("CF.RESERVE", "a", 100, "BUCKETSIZE", 2, "BUCKETSIZE", 4), ("BF.RESERVE", "b", "0.01", 100, "EXPANSION", 4, "EXPANSION"), ("BF.INSERT", "c", "CAPACITY", 5, "CAPACITY", 6, "ITEMS", "x")],
        [(("CF.INFO", "a"), {"Bucket size": 2}), (("BF.INFO", "b", "EXPANSION"), [4]), (("BF.INFO", "c", "CAPACITY"), [6])],
    ),
    "NONSCALING with EXPANSION, as in 2.2": (
        [("BF.RESERVE", "k", "0.01", 100, "NONSCALING", "EXPANSION", 4)],
        [(("BF.INFO", "k", "EXPANSION"), [None]), (("BF.DEBUG", "k"), [b"size:0", b"bytes:120 bits:960 hashes:7 hashwidth:64 capacity:100 size:0 ratio:0.01"])],
    ),
    "a key whose name is an option": (
        [("BF.RESERVE", "nonscaling", "0.01", 100)],
        [(("BF.INFO", "nonscaling", "EXPANSION"), [None])],
    ),
    "the increments before a wrong one": (
        [("TOPK.RESERVE", "k", 5, 50, 5, "1"), ("TOPK.INCRBY", "k", "a", 5, "b", 200000, "c", 3)],
        [(("TOPK.COUNT", "k", "a", "b", "c"), [5, 0, 0])],
    ),
    "sums of 2.6 that are above 2^32": (
        [("CMS.INITBYDIM", "a", 10, 2), ("CMS.INITBYDIM", "b", 10, 2), ("CMS.INCRBY", "a", "x", 4000000000), ("CMS.MERGE", "b", 1, "a", "WEIGHTS", 2)],
        [(("CMS.QUERY", "b", "x"), [8000000000 - (1 << 32)]), (("CMS.INFO", "b"), {"count": 8000000000})],
    ),
    "items after the last that a filter takes": (
        [("BF.RESERVE", "k", "0.001", 3, "NONSCALING"), ("BF.MADD", "k", 0, 1, 2, 3, 4), ("BF.ADD", "k", 5)],
        [(("BF.INFO", "k", "ITEMS"), [3])],
    ),
    "an overflow": (
        [("CMS.INITBYDIM", "k", 10, 2), ("CMS.INCRBY", "k", "a", 4294967290), ("CMS.INCRBY", "k", "a", 10, "b", 2)],
        [(("CMS.INFO", "k"), {"count": 4294967302})],
    ),
    "what was refused there too": (
        [("BF.RESERVE", "k", "0.01", 100), ("BF.RESERVE", "k", "0.01", 100), ("BF.RESERVE", "l", "0", "0"), ("CF.DEL", "k", "x"), ("SET", "s", "v"), ("BF.ADD", "s", "x"), ("TOPK.ADD", "t", "x")],
        [(("BF.INFO", "k", "CAPACITY"), [100]), (("EXISTS", "l", "t"), 0), (("GET", "s"), b"v")],
    ),
    "items that families refuse": (
        [("HORTUS.CREATE", "k", "cuckoo", "ITEMS", 4), ("HORTUS.ADD", "k", *range(400)), ("HORTUS.MADD", "k", "LINES", "a\nb\nc\n")],
        [(("EXISTS", "k"), 1)],
    ),
}  # fmt: skip


def check(connection, questions):
    for question, expected in questions:
        answer = connection(*question)
        if isinstance(expected, dict):
            answer = {name: value for name, value in zip(answer[::2], answer[1::2]) if name in expected}
        equal(" ".join(map(str, question)), expected, answer)


def load(server, commands):
    """Starts the server again with an append-only file of these commands."""
    server.stop()
    pathlib.Path(server.folder, "appendonly.aof").write_bytes(b"".join(request(*words) for words in [("SELECT", 0), *commands]))
    server.start("--appendonly", "yes", *PANIC)


class Master:
    """A server without keys, as far as one replica can tell, that sends it commands."""

    ID = b"7" * 40
    EMPTY = b"REDIS0009\xff" + bytes(8)

    def __init__(self):
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.link = None
        self.ready = threading.Event()
        self.acknowledged = self.sent = self.commands = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def words(self, file):
        count = file.readline()
        if not count:
            raise EOFError
        return [file.read(int(file.readline()[1:]) + 2)[:-2] for _ in range(int(count[1:]))]

    def serve(self):
        self.link, _ = self.listening.accept()
        file = self.link.makefile("rb")
        try:
            while words := self.words(file):
                name = words[0].upper()
                if name == b"PSYNC":
                    self.link.sendall(b"+FULLRESYNC %s 0\r\n$%d\r\n%s" % (self.ID, len(self.EMPTY), self.EMPTY))
                    self.ready.set()
                elif name == b"REPLCONF" and words[1].upper() == b"ACK":
                    self.acknowledged = int(words[2])
                else:
                    self.link.sendall(b"+PONG\r\n" if name == b"PING" else b"+OK\r\n")
        except (EOFError, OSError):
            pass

    def send(self, *words):
        self.link.sendall(request(*words))
        self.sent += len(request(*words))

    def is_followed(self):
        """Has the replica carried out all that was sent?"""
        self.send("REPLCONF", "GETACK", "*")
        return self.acknowledged >= self.commands

    def close(self):
        self.listening.close()
        if self.link:
            self.link.close()


def test_what_an_append_only_file_says_is_carried_out(folder):
    server = Server(folder)
    for name, (commands, questions) in CARRIED_OUT.items():
        load(server, commands)
        try:
            check(server.connect(), questions)
        except AssertionError as why:
            raise AssertionError(f"{name}: {why}") from why
        server.connect()("FLUSHALL")
        server.connect()("CONFIG", "SET", "appendonly", "no")
        server.stop()
        for each in pathlib.Path(server.folder, "appendonlydir").iterdir():
            each.unlink()
        pathlib.Path(server.folder, "appendonlydir").rmdir()


def test_what_a_master_says_is_carried_out(folder):
    """And no answer to it is an error: the replica would end."""
    replica = Server(folder, *PANIC)
    for name, (commands, questions) in CARRIED_OUT.items():
        master = Master()
        connection = replica.connect()
        connection("REPLICAOF", "127.0.0.1", master.port)
        assert master.ready.wait(30), "the replica did not come"
        master.send("SELECT", 0)
        for words in commands:
            master.send(*words)
        master.commands = master.sent
        wait_until(lambda: not replica.alive() or master.is_followed(), f"the replica has done all of: {name}")
        assert replica.alive(), f"{name}:\n{replica.log_text()[-2000:]}"
        try:
            check(connection, questions)
        except AssertionError as why:
            raise AssertionError(f"{name}: {why}") from why
        equal("errors for the master", "0", info(replica, "stats")["unexpected_error_replies"])
        connection("REPLICAOF", "NO", "ONE")
        connection("FLUSHALL")
        master.close()


def test_clients_are_refused_as_before(folder):
    with Server(folder) as server:
        connection = server.connect()
        for refused in (
            ("BF.RESERVE", "k", "0.001", 5000, "FOO"),
            ("BF.INSERT", "k", "CAP", 7, "ITEMS", "a"),
            ("BF.RESERVE", "k", "0.01", 100, "EXPANSION", 40000),
            ("BF.RESERVE", "k", "0.1", (1 << 30) + 1),
            ("BF.RESERVE", "k", "0.1", 100, "NONSCALING", "EXPANSION", 4),
            ("BF.INSERT", "k", "CAPACITY", (1 << 30) + 1, "ITEMS", "a"),
            ("CF.RESERVE", "k", 2000000000),
            ("CF.RESERVE", "k", 100, "FOO", 5),
            ("CF.RESERVE", "k", 100, "MAXITERATIONS", 65536),
            ("CF.INSERT", "k", "CAP", 64, "ITEMS", "x"),
        ):
            connection.refused(*refused)
        equal("keys", 0, connection("DBSIZE"))
        connection("BF.RESERVE", "nonscaling", "0.01", 100)
        equal("a key whose name is an option", [2], connection("BF.INFO", "nonscaling", "EXPANSION"))
        connection("CF.RESERVE", "twice", 100, "BUCKETSIZE", 2, "BUCKETSIZE", 4)
        equal("of an option that comes twice, the first", 2, connection("CF.INFO", "twice")[11])
        equal("refusals that were repeated", "0", info(server, "everything")["hortus_repeated_refusals"])


def replicated(server):
    """The commands in the server's append-only file since it was last rewritten."""
    commands = []
    for path in sorted(pathlib.Path(server.folder, "appendonlydir").glob("*.incr.aof")):
        with open(path, "rb") as file:
            while count := file.readline():
                commands.append([file.read(int(file.readline()[1:]) + 2)[:-2] for _ in range(int(count[1:]))])
    return commands


def items_replicated(server, name):
    return [word for words in replicated(server) if words[0].upper() == name for word in words[2:]]


def refusing_writes(connection):
    """Commands of which a part is refused, of every type whose commands can be refused in part. Returns the items that went
    in, by command."""
    connection("BF.RESERVE", "ns", "0.001", 3, "NONSCALING")
    connection("BF.MADD", "ns", 0, 1, 2, 3, 4)
    connection("BF.INSERT", "ns", "ITEMS", 0, 7, 8)
    connection("CF.RESERVE", "cf", 4, "EXPANSION", 0)
    connection("CF.INSERT", "cf", "ITEMS", *range(50))
    connection("CF.INSERTNX", "cf", "ITEMS", *range(50, 90))
    connection("CMS.INITBYDIM", "cm", 10, 2)
    connection("CMS.INCRBY", "cm", "a", 4294967290)
    connection("CMS.INCRBY", "cm", "a", 10, "b", 2)
    connection("TOPK.RESERVE", "tk", 3)
    connection("TOPK.INCRBY", "tk", "a", 3)
    taken = {b"HORTUS.ADD": [], b"HORTUS.MADD": b"", b"HORTUS.ADDCOUNT": []}
    connection("HORTUS.CREATE", "q", "cuckoo", "ITEMS", 4)
    for first in (0, 200):
        answers = connection("HORTUS.ADD", "q", *range(first, first + 200))
        taken[b"HORTUS.ADD"] += [str(first + i).encode() for i, answer in enumerate(answers) if not isinstance(answer, Refused)]
    assert 0 < len(taken[b"HORTUS.ADD"]) < 400, "the filter should be full in the middle"
    for words, encode in (
        (("LINES",), lambda n: b"%d\n" % n),
        (("FIXED", 3), lambda n: b"%03d" % n),
        (("U32LEN",), lambda n: struct.pack("<I", len(b"%d" % n)) + b"%d" % n),
        (("VARINT",), lambda n: bytes([len(b"%d" % n)]) + b"%d" % n),
        (("DIGESTS",), lambda n: struct.pack("<Q", n * 0x9E3779B97F4A7C15 % 2**64)),
    ):
        key = "q" + words[0]
        connection("HORTUS.CREATE", key, "cuckoo", "ITEMS", 4)
        packed = [encode(n) for n in range(100)]
        before = {item for item in packed if connection("HORTUS.MEXISTS", key, *words, item) != b"\0"}
        equal("items of an empty filter", set(), before)
        connection("HORTUS.MADD", key, *words, b"".join(packed))
    return taken


def test_only_what_was_accepted_is_replicated(folder):
    with Server(folder, "--appendonly", "yes", "--appendfsync", "always") as server:
        connection = server.connect()
        taken = refusing_writes(connection)
        equal("items of BF.MADD", [b"0", b"1", b"2"], items_replicated(server, b"BF.MADD"))
        equal("items of BF.INSERT", [], items_replicated(server, b"BF.INSERT"))
        inserted = connection("CF.INFO", "cf")[7]
        words = items_replicated(server, b"CF.INSERT") + items_replicated(server, b"CF.INSERTNX")
        equal("items of CF", inserted, len([word for word in words if word != b"ITEMS"]))
        equal("items of HORTUS.ADD", taken[b"HORTUS.ADD"], items_replicated(server, b"HORTUS.ADD"))
        for words in replicated(server):
            if words[0].upper() == b"HORTUS.MADD":
                fixed = [int(words[3])] if words[2] == b"FIXED" else []
                bitmap = connection("HORTUS.MEXISTS", words[1], words[2], *fixed, words[-1])
                count = connection("HORTUS.INFO", words[1], "HASH")
                count = dict(zip(count[::2], count[1::2]))[b"items_inserted"]
                equal(f"all items of {words[1]} that were replicated are in", count, sum(byte.bit_count() for byte in bitmap))
        before = digest(server)
        server.stop()
        server.start(*PANIC)
        equal("digest after the file was loaded", before, digest(server))
        equal("refusals that were repeated", "0", info(server, "everything")["hortus_repeated_refusals"])


def test_a_replica_sends_its_master_no_errors(folder):
    master, replica = Server(folder), Server(folder, *PANIC)
    follow(replica, master)
    refusing_writes(master.connect())
    wait_until(lambda: not replica.alive() or in_step(master, replica), "the replica has everything")
    assert replica.alive(), replica.log_text()[-2000:]
    equal("digest of the replica", digest(master), digest(replica))
    equal("refusals that were repeated", "0", info(replica, "everything")["hortus_repeated_refusals"])
    equal("errors for the master", "0", info(replica, "stats")["unexpected_error_replies"])


harness.main()
