#!/usr/bin/env python3
"""What a master or an append-only file says: it is carried out as it was there, whatever clients are refused here, and without
errors. The commands are written by hand, as RedisBloom 2.2 to 8.10 replicates them and writes them to its files."""

import pathlib
import socket
import struct
import threading

import harness
from harness import equal
from hortus_specimens import families, pairs
from resp import Refused, request
from server import Server, configure, digest, follow, in_step, info, wait_until

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
        except (AssertionError, Refused) as why:
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
        except (AssertionError, Refused) as why:
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


def items_replicated(commands, key, *names):
    """The words after the key, and after ITEMS, of commands of these names."""
    found = [words[2:] for words in commands if words[0].decode().upper() in names and words[1].decode() == key]
    return [word for words in found for word in (words[words.index(b"ITEMS") + 1 :] if b"ITEMS" in words else words)]


ITEMS = 200  # for filters with room for a few
PACKED = {
    ("LINES",): lambda n: b"%d\n" % n,
    ("FIXED", 3): lambda n: b"%03d" % n,
    ("U32LEN",): lambda n: struct.pack("<I", len(b"%d" % n)) + b"%d" % n,
    ("VARINT",): lambda n: bytes([len(b"%d" % n)]) + b"%d" % n,
    ("INTEGERS",): lambda n: struct.pack("<Q", n),
    ("DIGESTS",): lambda n: struct.pack("<Q", n * 0x9E3779B97F4A7C15 % 2**64),
}


def families_that_refuse(connection):
    """Those that are full some time, and those that refuse what was erased: here each is asked."""
    full, erasing = [], []
    for family, verbs in families(connection).items():
        if "insert" not in verbs:
            continue
        connection("HORTUS.CREATE", "asked", family, "ITEMS", 4, *(["SET", "value_bits", 8] if "find" in verbs else []))
        if "erase" in verbs:
            connection("HORTUS.ADD", "asked", "x")
            connection("HORTUS.DEL", "asked", "x")
            if isinstance(connection.reply_or_error("HORTUS.ADD", "asked", "x"), Refused):
                erasing.append(family)
        if any(isinstance(answer, Refused) for answer in connection("HORTUS.ADD", "asked", *range(2000))):
            full.append(family)
        connection("DEL", "asked")
    full = [family for family in full if family not in erasing]
    assert len(full) >= 4 and erasing, f"families that refuse: {full}, {erasing}"
    return full, erasing


class Refusing:
    """Runs commands of which a part is refused, of every type whose commands can be refused in part. It knows the items that
    went in: `taken` by key and names of commands; of packed commands, whose answer does not tell, the keys with their FORMAT."""

    def __init__(self, server):
        self.connection, self.taken, self.packed = server.connect(), {}, {}
        configure(server, "max-object-bytes", 1 << 20)
        self.of_redisbloom()
        full, erasing = families_that_refuse(self.connection)
        for family in full:
            self.of_full(family)
        for family in erasing:
            self.of_erasing(family)

    def add(self, name, key, *items, before=()):
        """The answers, in a way that all of these commands have: an error for each item that was refused."""
        answers = self.connection(name, key, *before, *items)
        went_in = [str(item).encode() for item, answer in zip(items, answers) if not isinstance(answer, Refused)]
        changed = went_in if name == "HORTUS.ADD" else 1 in answers  # it counts an item again
        self.taken.setdefault(key, []).extend(went_in if changed else [])
        return len(went_in)

    def of_redisbloom(self):
        connection = self.connection
        connection("BF.RESERVE", "ns", "0.001", 3, "NONSCALING")
        equal("went in before it was full", 3, self.add("BF.MADD", "ns", 0, 1, 2, 3, 4))
        self.add("BF.INSERT", "ns", 0, 7, 8, before=["ITEMS"])
        connection("BF.RESERVE", "bf", "0.001", 100, "EXPANSION", 32768)  # a second part would take more than max-object-bytes
        for name, before in (("BF.MADD", []), ("BF.INSERT", ["ITEMS"])):
            some = self.add(name, "bf", *(f"{n}" for first in (0, 50) for n in range(first, first + 60)), before=before)
            assert 0 < some < 121, some
            some = self.add(name, "bf", *range(90, 300), before=before)
            assert 0 < some < 210, f"{some} of 210 items went in"
        connection.refused("BF.ADD", "bf", "another")
        connection("CF.RESERVE", "cf", 4, "EXPANSION", 0)
        connection("CF.INSERT", "cf", "ITEMS", *range(50))
        connection("CF.INSERTNX", "cf", "ITEMS", *range(50, 90))
        connection("CMS.INITBYDIM", "cm", 10, 2)
        connection("CMS.INCRBY", "cm", "a", 4294967290)
        connection("CMS.INCRBY", "cm", "a", 10, "b", 2)
        connection("TOPK.RESERVE", "tk", 3)
        connection("TOPK.INCRBY", "tk", "a", 3)

    def of_full(self, family):
        key = family
        self.connection("HORTUS.CREATE", key, family, "ITEMS", 4)
        went_in = sum(self.add("HORTUS.ADD", key, *range(first, first + 500)) for first in (0, 500))
        assert 0 < went_in < 1000, f"{family}: {went_in} of 1000 items went in"
        for words, encode in PACKED.items():
            key = f"{family} {words[0]}"
            self.connection("HORTUS.CREATE", key, family, "ITEMS", 4)
            for first in (0, ITEMS // 2):
                self.connection("HORTUS.MADD", key, *words, b"".join(encode(n) for n in range(first, first + ITEMS)))
            self.packed[key] = words

    def of_erasing(self, family):
        self.connection("HORTUS.CREATE", family, family, "ITEMS", 100)
        self.add("HORTUS.ADD", family, *range(50))
        self.connection("HORTUS.DEL", family, *range(0, 50, 7))
        went_in = self.add("HORTUS.ADD", family, *range(40, 60))
        assert 10 <= went_in < 20, f"{family}: {went_in} of 20 items went in"
        for words, encode in PACKED.items():
            key = f"{family} {words[0]}"
            self.connection("HORTUS.CREATE", key, family, "ITEMS", 100)
            self.connection("HORTUS.MADD", key, *words, b"".join(map(encode, range(50))))
            self.connection("HORTUS.MDEL", key, *words, b"".join(map(encode, range(0, 50, 7))))
            self.connection("HORTUS.MADD", key, *words, b"".join(map(encode, range(40, 60))))
            self.taken[key] = [encode(n) for n in range(50)] + [encode(n) for n in range(40, 60) if n % 7 or n >= 50]
            self.packed[key] = words


def test_only_what_was_accepted_is_replicated(folder):
    with Server(folder, "--appendonly", "yes", "--appendfsync", "always") as server:
        done = Refusing(server)
        connection, commands = done.connection, replicated(server)
        for key, items in done.taken.items():
            if key not in done.packed:
                equal(f"items for {key}", items, items_replicated(commands, key, "BF.MADD", "BF.INSERT", "HORTUS.ADD"))
        inserted = connection("CF.INFO", "cf")[7]
        equal("items of CF", inserted, len(items_replicated(commands, "cf", "CF.INSERT", "CF.INSERTNX")))
        for key, words in done.packed.items():
            packed = items_replicated(commands, key, "HORTUS.MADD")[len(words) :: len(words) + 1]
            if key in done.taken:  # what LINES says may end without a newline
                equal(f"items for {key}", b"".join(done.taken[key]), b"".join(packed))
                continue
            bitmaps = [connection("HORTUS.MEXISTS", key, *words, each) for each in packed]
            count = pairs(connection("HORTUS.INFO", key, "HASH"))["items_inserted"]
            equal(f"items for {key}, all of which are in", count, sum(byte.bit_count() for bitmap in bitmaps for byte in bitmap))
            assert count < 2 * ITEMS, f"{key} refused nothing"
            equal(f"number of items for {key}", count, counted(words, b"".join(packed)))
        before = digest(server)
        server.stop()
        server.start(*PANIC)
        equal("digest after the file was loaded", before, digest(server))
        equal("refusals that were repeated", "0", info(server, "everything")["hortus_repeated_refusals"])


def counted(words, packed):
    """How many items are in the text of a packed command."""
    name, total, at = words[0], 0, 0
    if name == "LINES":
        return packed.count(b"\n")
    while at < len(packed):
        length = {"U32LEN": lambda: 4 + packed[at], "VARINT": lambda: 1 + packed[at], "FIXED": lambda: words[1]}.get(name, lambda: 8)()
        total, at = total + 1, at + length
    return total


def test_a_replica_sends_its_master_no_errors(folder):
    master, replica = Server(folder), Server(folder, *PANIC)
    follow(replica, master)
    Refusing(master)
    wait_until(lambda: not replica.alive() or in_step(master, replica), "the replica has everything")
    assert replica.alive(), replica.log_text()[-2000:]
    equal("digest of the replica", digest(master), digest(replica))
    equal("refusals that were repeated", "0", info(replica, "everything")["hortus_repeated_refusals"])
    equal("errors for the master", "0", info(replica, "stats")["unexpected_error_replies"])


harness.main()
