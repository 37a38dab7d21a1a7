#!/usr/bin/env python3
"""What Redis does with keys works on values of the module: COPY, RENAME, DUMP, MEMORY USAGE, UNLINK, expiry, keyspace events,
OBJECT, TYPE, SCAN, transactions, defragmentation."""

import harness
from harness import equal
from server import Server, digest, info, wait_until
from specimens import SPECIMENS, answers, dumps, plant

TYPES = {"bloom": "MBbloom--", "cuckoo": "MBbloomCF", "sketch": "CMSk-TYPE", "top": "TopK-TYPE", "family": "hortus-fl"}


def test_types(folder):
    with Server(folder) as server:
        connection = server.connect()
        plant(connection)
        for key in SPECIMENS:
            equal(f"TYPE of {key}", TYPES[key.split(":")[0]], connection("TYPE", key))
        equal("SCAN by type", b"bloom", sorted(connection("SCAN", 0, "COUNT", 1000, "TYPE", "MBbloom--")[1])[0][:5])


def test_copy(folder):
    with Server(folder) as server:
        connection = server.connect()
        plant(connection)
        before = dumps(connection)
        for key in SPECIMENS:
            equal(f"COPY of {key}", 1, connection("COPY", key, "copy:" + key))
            equal(f"bytes of the copy of {key}", before[key], connection("DUMP", "copy:" + key)[:-10])
        # A copy is a value of its own.
        connection("BF.MADD", "copy:bloom:grown", *map(str, range(1000)))
        connection("CF.INSERT", "copy:cuckoo:grown", "ITEMS", *map(str, range(1000)))
        connection("CMS.INCRBY", "copy:sketch:counts", "a", 99)
        connection("TOPK.INCRBY", "copy:top:words", "new", 99999)
        connection("HORTUS.ADD", "copy:family:bloom", *map(str, range(1000)))
        connection("HORTUS.ADD", "copy:family:growing", *map(str, range(1000)))
        equal("values after their copies were changed", before, dumps(connection))
        equal("a copy into another database", 1, connection("COPY", "top:words", "top:words", "DB", 1))


def test_rename_and_expire(folder):
    with Server(folder) as server:
        connection = server.connect()
        plant(connection)
        before = dumps(connection)
        for key in SPECIMENS:
            connection("RENAME", key, "moved")
            equal(f"bytes of {key} under another name", before[key], connection("DUMP", "moved")[:-10])
            connection("PEXPIRE", "moved", 1)
            wait_until(lambda: connection("EXISTS", "moved") == 0, f"{key} has expired")


def test_memory_usage(folder):
    """What the server's allocator says that it gave, within a fiftieth and what connections take."""
    with Server(folder) as server:
        connection = server.connect()
        for name, *command in (
            ("bf", "BF.RESERVE", "0.0001", 10000000),
            ("cf", "CF.RESERVE", 20000000),
            ("cms", "CMS.INITBYDIM", 1000000, 8),
            ("topk", "TOPK.RESERVE", 1000, 500000, 7, "0.9"),
            ("hortus", "HORTUS.CREATE", "bloom", "ITEMS", 20000000, "FPR", "0.01"),
        ):
            before = int(info(server, "memory")["used_memory"])
            connection(command[0], name, *command[1:])
            grown = int(info(server, "memory")["used_memory"]) - before
            usage = connection("MEMORY", "USAGE", name)
            assert abs(grown - usage) <= 0.02 * usage + 300000, f"{name}: MEMORY USAGE {usage}, used_memory grew by {grown}"
        for key in plant(connection):
            usage = connection("MEMORY", "USAGE", key)
            assert usage >= len(connection("DUMP", key)) * 0.3, f"{key}: {usage} bytes are implausibly few"


def test_memory_is_given_back(folder):
    with Server(folder) as server:
        connection = server.connect()

        def all_freed():
            return int(info(server, "memory")["lazyfree_pending_objects"]) == 0

        plant(connection)
        connection("FLUSHALL", "SYNC")
        before = int(info(server, "memory")["used_memory"])
        for _ in range(20):
            plant(connection)
            for key in SPECIMENS:
                connection("COPY", key, "copy:" + key)
                connection("UNLINK", key)
                connection("DEL", "copy:" + key)
        wait_until(all_freed, "lazily freed values are gone")
        grown = int(info(server, "memory")["used_memory"]) - before
        assert grown < 300000, f"{grown} bytes are lost after 20 rounds"


def test_large_values_are_freed_in_the_background(folder):
    with Server(folder) as server:
        connection = server.connect()
        connection("BF.RESERVE", "bf", "0.0001", 20000000)
        connection("CF.RESERVE", "cf", 20000000)
        connection("CMS.INITBYDIM", "cms", 1000000, 10)
        connection("TOPK.RESERVE", "topk", 1000, 100000, 7, "0.9")
        connection("HORTUS.CREATE", "hortus", "bloom", "ITEMS", 20000000, "FPR", "0.01")
        before = int(info(server, "memory")["lazyfreed_objects"])
        for key in ("bf", "cf", "cms", "topk", "hortus"):
            connection("UNLINK", key)
        wait_until(lambda: int(info(server, "memory")["lazyfreed_objects"]) >= before + 5, "five values are freed lazily")


def events(folder, *commands):
    with Server(folder, "--notify-keyspace-events", "KEA") as server:
        listener = server.connect(3)
        listener.send("PSUBSCRIBE", "__keyevent@0__:*")  # the server confirms it with a push
        connection = server.connect()
        for command in commands:
            connection(*command)
        listener("PING")
        return [(push[2].decode().split(":")[1], push[3].decode()) for push in listener.pushed if push[0] == b"pmessage"]


def test_keyspace_events(folder):
    seen = events(
        folder,
        ("BF.RESERVE", "b", "0.01", 10), ("BF.ADD", "b", "x"), ("BF.MADD", "b", "y", "z"),
        ("CF.RESERVE", "c", 10), ("CF.ADD", "c", "x"), ("CF.DEL", "c", "x"),
        ("CMS.INITBYDIM", "s", 10, 2), ("CMS.INCRBY", "s", "x", 1),
        ("TOPK.RESERVE", "t", 3), ("TOPK.ADD", "t", "x"),
    )  # fmt: skip
    for event in (
        ("bloom.reserve", "b"), ("bloom.add", "b"), ("cuckoo.reserve", "c"), ("cuckoo.add", "c"), ("cuckoo.del", "c"),
        ("cms.reserve", "s"), ("cms.add", "s"), ("topk.reserve", "t"), ("topk.add", "t"),
    ):  # fmt: skip
        assert event in seen, f"no event {event}; seen: {seen}"


def test_watched_keys(folder):
    """A transaction notices that a watched value was changed."""
    with Server(folder) as server:
        mine, other = server.connect(), server.connect()
        plant(mine)
        for change in (
            ("BF.ADD", "bloom:grown", "new"),
            ("CF.ADD", "cuckoo:grown", "new"),
            ("CF.DEL", "cuckoo:grown", "new"),
            ("CMS.INCRBY", "sketch:counts", "new", 1),
            ("TOPK.ADD", "top:words", "new"),
            ("HORTUS.ADD", "family:bloom", "new"),
            ("HORTUS.DEL", "family:cuckoo", "f3"),
        ):
            mine("WATCH", change[1])
            other(*change)
            mine("MULTI")
            mine("SET", "x", "y")
            equal(f"EXEC after {change[0]} of another client", None, mine("EXEC"))


def test_in_transactions_and_scripts(folder):
    with Server(folder) as server:
        connection = server.connect()
        connection("MULTI")
        for key in SPECIMENS:
            for command in SPECIMENS[key][0]:
                connection(*command)
        replies = connection("EXEC")
        assert all(not isinstance(reply, Exception) for reply in replies), replies
        equal("a script", 1, connection("EVAL", "return redis.call('BF.ADD', KEYS[1], ARGV[1])", 1, "scripted", "a"))
        equal("a script again", 0, connection("EVAL", "return redis.call('BF.ADD', KEYS[1], ARGV[1])", 1, "scripted", "a"))


def test_active_defragmentation(folder):
    """Values stay what they were while the server moves them. Servers without that ability say so."""
    with Server(folder) as server:
        connection = server.connect()
        if connection.raw("CONFIG", "SET", "activedefrag", "yes").startswith(b"-"):
            raise harness.Skipped("this server cannot defragment: its allocator is not its own jemalloc")
        for name, value in (("threshold-lower", 0), ("ignore-bytes", 1), ("cycle-min", 50), ("cycle-max", 75)):
            connection("CONFIG", "SET", "active-defrag-" + name, value)
        for i in range(400):
            connection("BF.RESERVE", f"filler{i}", "0.01", 500 + i)
        plant(connection)
        before = digest(server), answers(connection)
        connection("DEL", *(f"filler{i}" for i in range(0, 400, 2)))
        remaining = digest(server)
        wait_until(lambda: int(info(server, "stats")["active_defrag_hits"]) > 0, "something was moved")
        equal("replies after defragmentation", before[1], answers(connection))
        equal("digest after defragmentation", remaining, digest(server))


def test_a_refused_command_does_not_copy_a_shared_filter(folder):
    """COPY shares a filter until one of the keys is changed. A command that is refused changes nothing."""
    with Server(folder) as server:
        connection = server.connect()

        def used():
            return int(info(server, "memory")["used_memory"])

        for size, items in (("small", 400_000), ("large", 8_000_000)):  # of which one is copied on another thread
            connection("HORTUS.CREATE", size, "bloom", "ITEMS", items)
            connection("HORTUS.MADD", size, "DIGESTS", b"8 bytes!")
            connection("HORTUS.CREATE", size + " map", "dynamic_bloomier_map", "ITEMS", items, "SET", "value_bits", 8)
            connection("HORTUS.PUT", size + " map", "a", 1)
            connection("HORTUS.CREATE", size + " window", "age_partitioned", "ITEMS", items, "WINDOW", 1 << 40)
            for key, commands in (
                (size, [("ADD", "x"), ("ADD", "x", "y"), ("DEL", "x"), ("ADDCOUNT", "x", 1), ("PUT", "x", 1), ("ASSIGN", "x", 1), ("ADVANCE",), ("MADD", "LINES", "x\n"), ("MADD", "FIXED", 2, "xyz"), ("MADD", "NONE", "x"), ("MDEL", "DIGESTS", b"8 bytes!"), ("GROW",)]),
                (size + " map", [("ADD", "x"), ("PUT", "x", 256), ("PUT", "x", "text"), ("PUT", "x"), ("MADD", "INTEGERS", b"8 bytes!"), ("FOLD", "BY", 2)]),
                (size + " window", [("DEL", "x"), ("ADVANCE", "soon"), ("ADVANCE", 1, 2)]),
            ):  # fmt: skip
                before_copy = used()
                connection("COPY", key, "copy")
                before = used()
                least = connection("MEMORY", "USAGE", key) // 2
                assert before - before_copy < least, "COPY does not share"
                for name, *words in commands:
                    connection.refused("HORTUS." + name, "copy", *words)
                    assert used() - before < least, f"HORTUS.{name} {words} copied {key}"
                if key.endswith("window"):  # nothing to do is nothing to copy either
                    connection("HORTUS.ADVANCE", "copy", 1)
                    assert used() - before < least, "HORTUS.ADVANCE copied the filter"
                connection("DEL", "copy")
            connection("COPY", size, "copy")
            before = used()
            connection("HORTUS.MADD", "copy", "DIGESTS", b"8 digits")
            assert used() - before > connection("MEMORY", "USAGE", size) // 2, "a change should have copied the filter"
            equal("the other key", b"\0", connection("HORTUS.MEXISTS", size, "DIGESTS", b"8 digits"))
            connection("DEL", "copy", size, size + " map", size + " window")


harness.main()
