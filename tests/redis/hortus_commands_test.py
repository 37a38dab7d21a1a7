#!/usr/bin/env python3
"""HORTUS.*: replies, errors, packed items, windows of time, events, and what Redis knows about the commands."""

import struct
import time

import harness
from harness import equal
from hortus_specimens import items, pairs
from resp import Refused
from server import Server, configure, digest, follow, in_step, wait_until


def bits(reply, count):
    return [reply[i // 8] >> i % 8 & 1 for i in range(count)]


def varint(number):
    groups = b""
    while number > 127:
        groups, number = groups + bytes([number & 127 | 128]), number >> 7
    return groups + bytes([number])


# How each format packs a list of items.
FORMATS = {
    ("LINES",): lambda some: b"\n".join(some),
    ("U32LEN",): lambda some: b"".join(struct.pack("<I", len(item)) + item for item in some),
    ("VARINT",): lambda some: b"".join(varint(len(item)) + item for item in some),
}


def test_replies(folder):
    with Server(folder) as server:
        two, three = server.connect(), server.connect(resp=3)
        equal("CREATE", "OK", two("HORTUS.CREATE", "b", "bloom", "ITEMS", 1000, "FPR", "0.001"))
        equal("ADD of one", 1, two("HORTUS.ADD", "b", "x"))
        equal("ADD of several", [0, 1, 0], two("HORTUS.ADD", "b", "x", "y", "y"))
        equal("EXISTS of one", 1, two("HORTUS.EXISTS", "b", "x"))
        equal("EXISTS of several", [1, 0], two("HORTUS.EXISTS", "b", "x", "z"))
        equal("EXISTS in RESP3", [True, False], three("HORTUS.EXISTS", "b", "x", "z"))
        equal("INFO in RESP3", b"bloom", three("HORTUS.INFO", "b")[b"family"])
        equal("empty items, and items with zeros", [1, 1, 0], two("HORTUS.ADD", "b", "", b"a\0b", ""))
        two("HORTUS.CREATE", "c", "count_min", "ITEMS", 100)
        equal("ADDCOUNT", [1, 1], two("HORTUS.ADDCOUNT", "c", "x", 5, "y", 2))
        equal("COUNT", [5, 2, 0], two("HORTUS.COUNT", "c", "x", "y", "z"))
        equal("DEL", [1, 0], two("HORTUS.DEL", "c", "x", "absent"))
        equal("COUNT of one", 4, two("HORTUS.COUNT", "c", "x"))
        two("HORTUS.CREATE", "t", "space_saving", "FPR", "0.01")
        two("HORTUS.ADD", "t", *"aaabbc")
        equal("TOP", [[b"a", 3, 3], [b"b", 2, 2]], two("HORTUS.TOP", "t", 2))
        two("HORTUS.CREATE", "m", "dynamic_bloomier_map", "ITEMS", 100, "SET", "value_bits", 8)
        equal("PUT", [1, 1], two("HORTUS.PUT", "m", "x", 7, "y", 255))
        equal("GET", [7, None, 255], two("HORTUS.GET", "m", "x", "absent", "y"))
        equal("ASSIGN", [1, 0], two("HORTUS.ASSIGN", "m", "x", 8, "absent", 1))
        equal("GET of one", 8, two("HORTUS.GET", "m", "x"))
        equal("ESTIMATE", ["estimate", "low", "high"], list(pairs(two("HORTUS.ESTIMATE", "b"))))
        equal("FOLD", "OK", two("HORTUS.FOLD", "b", "BY", 2))
        equal("CLEAR", "OK", two("HORTUS.CLEAR", "b"))
        equal("after CLEAR", 0, two("HORTUS.EXISTS", "b", "x"))


def test_a_full_filter_says_what_did_not_go_in(folder):
    with Server(folder) as server:
        connection = server.connect()
        connection("HORTUS.CREATE", "f", "cuckoo", "ITEMS", 20)
        replies = connection("HORTUS.ADD", "f", *items(300))
        refused = [item for item, reply in zip(items(300), replies) if isinstance(reply, Refused)]
        assert refused and "full" in str(replies[-1]), f"{len(refused)} were refused: {replies[-1]!r}"
        went_in = [item for item in items(300) if item not in refused]
        equal("what went in", [1] * len(went_in), connection("HORTUS.EXISTS", "f", *went_in))
        connection("HORTUS.CLEAR", "f")
        count, which = connection("HORTUS.MADD", "f", "LINES", b"\n".join(items(300)))
        equal("MADD says the same", ([1] * 300).count(1) - len(refused), count)
        equal("and which", [0 if item in refused else 1 for item in items(300)], bits(which, 300))


def test_packed_items(folder):
    with Server(folder) as server:
        connection = server.connect()
        some = [b"", b"a", b"b\0c", b"x" * 300, b"a"]
        for (name, *arguments), pack in FORMATS.items():
            connection("DEL", "p", "c")
            connection("HORTUS.CREATE", "p", "bloom", "ITEMS", 100, "FPR", "0.0001")
            equal(f"MADD {name}", [5, [1, 1, 1, 1, 0]], [(reply := connection("HORTUS.MADD", "p", name, *arguments, pack(some)))[0], bits(reply[1], 5)])
            equal(f"{name} are the same items", [1] * 5, connection("HORTUS.EXISTS", "p", *some))
            equal(f"MEXISTS {name}", [1, 0, 1], bits(connection("HORTUS.MEXISTS", "p", name, *arguments, pack([b"a", b"q", b"b\0c"])), 3))
            connection("HORTUS.CREATE", "c", "count_min", "ITEMS", 100)
            connection("HORTUS.MADD", "c", name, *arguments, pack(some))
            equal(f"MCOUNT {name}", (1, 2, 0), struct.unpack("<3q", connection("HORTUS.MCOUNT", "c", name, *arguments, pack([b"", b"a", b"q"]))))
        connection("DEL", "p")
        connection("HORTUS.CREATE", "p", "bloom", "ITEMS", 10000, "FPR", "0.0001")
        equal("FIXED", [3, [1, 1, 0]], [(reply := connection("HORTUS.MADD", "p", "FIXED", 2, b"abcdab"))[0], bits(reply[1], 3)])
        equal("FIXED are the same items", [1, 1, 0], connection("HORTUS.EXISTS", "p", "ab", "cd", "abcd"))
        many = [b"item%05d" % i for i in range(3000)]  # several blocks
        connection("HORTUS.MADD", "p", "FIXED", 9, b"".join(many[::2]))
        found = bits(connection("HORTUS.MEXISTS", "p", "LINES", b"\n".join(many) + b"\n"), 3000)
        equal("members of a large batch", [1] * 1500, found[::2])
        assert sum(found[1::2]) < 10, "others"
        connection("HORTUS.CREATE", "i", "bloom", "ITEMS", 100)
        connection("HORTUS.MADD", "i", "INTEGERS", struct.pack("<3Q", 1, 2, 2**64 - 1))
        equal("INTEGERS", [1, 1, 0], bits(connection("HORTUS.MEXISTS", "i", "INTEGERS", struct.pack("<3Q", 2, 2**64 - 1, 3)), 3))
        assert "integers" in connection.refused("HORTUS.EXISTS", "i", "1"), "text is not looked up among integers"
        connection("HORTUS.CREATE", "d", "bloom", "ITEMS", 100)
        connection("HORTUS.MADD", "d", "DIGESTS", struct.pack("<2Q", 0x123456789ABCDEF0, 5))
        equal("kinds of DIGESTS", b"digests", pairs(connection("HORTUS.INFO", "d"))["key_kind"])
        for name, kind in (("TEXT_DIGESTS", b"bytes"), ("INTEGER_DIGESTS", b"integers")):
            connection("HORTUS.CREATE", name, "bloom", "ITEMS", 100)
            connection("HORTUS.MADD", name, name, struct.pack("<2Q", 0x123456789ABCDEF0, 5))
            equal(name, [1, 0], bits(connection("HORTUS.MEXISTS", name, name, struct.pack("<2Q", 5, 0xFEDCBA9876543210)), 2))
            equal(f"kinds of {name}", kind, pairs(connection("HORTUS.INFO", name))["key_kind"])
        # The filter's own hash of the text, XXH3 with seed 0, gives what the text itself gives.
        connection("HORTUS.ADD", "TEXT_DIGESTS", "")
        empty = struct.pack("<Q", 0x2D06800538D394C2)  # XXH3 of no bytes
        equal("text and its digest", [1], bits(connection("HORTUS.MEXISTS", "TEXT_DIGESTS", "TEXT_DIGESTS", empty), 1))
        connection.refused("HORTUS.EXISTS", "INTEGER_DIGESTS", "text")
        connection("HORTUS.CREATE", "erased", "count_min", "ITEMS", 100)
        connection("HORTUS.ADD", "erased", "a", "a", "b")
        reply = connection("HORTUS.MDEL", "erased", "LINES", b"a\nabsent\nb\n")
        equal("MDEL", [2, [1, 0, 1]], [reply[0], bits(reply[1], 3)])
        equal("COUNT after MDEL", [1, 0], connection("HORTUS.COUNT", "erased", "a", "b"))
        connection.refused("HORTUS.MDEL", "d", "DIGESTS", empty)
        brief = pairs(connection("HORTUS.INFO", "erased", "HASH"))
        equal("INFO HASH", (b"count_min", 1, 0, 0, 1, 3), tuple(brief[name] for name in ("family", "hash_id", "seed", "key_check", "kinds", "items_inserted")))
        stamp = brief["stamp"]
        equal("the stamp without a change", stamp, pairs(connection("HORTUS.INFO", "erased", "HASH"))["stamp"])
        connection("HORTUS.ADD", "erased", "c")
        assert stamp != pairs(connection("HORTUS.INFO", "erased", "HASH"))["stamp"], "a change gives another stamp"
        connection.refused("HORTUS.INFO", "erased", "OTHER")
        for into, number, *rest in (("absent", 1, "erased", "XX"), ("erased", 1, "erased", "YY"), ("erased", 2, "erased", "XX")):
            connection.refused("HORTUS.MERGE", into, number, *rest)
        equal("a merge that was refused made nothing", 0, connection("EXISTS", "absent"))
        equal("MERGE with XX", "OK", connection("HORTUS.MERGE", "erased", 1, "erased", "XX"))
        equal("DIGESTS", [1, 0], bits(connection("HORTUS.MEXISTS", "d", "DIGESTS", struct.pack("<2Q", 5, 0xFEDCBA9876543210)), 2))
        connection("HORTUS.CREATE", "m", "dynamic_bloomier_map", "ITEMS", 100, "SET", "value_bits", 8)
        connection("HORTUS.PUT", "m", "x", 7, "y", 9)
        which, values = connection("HORTUS.MGET", "m", "LINES", b"y\nabsent\nx")
        equal("MGET", ([1, 0, 1], (9, 0, 7)), (bits(which, 3), struct.unpack("<3Q", values)))
        equal("no items", b"", connection("HORTUS.MEXISTS", "p", "LINES", b""))
        for wrong in (("FIXED", 3, b"abcd"), ("FIXED", 0, b"abcd"), ("DIGESTS", b"1234567"), ("U32LEN", b"\5\0\0\0abc"), ("U32LEN", b"\5"),
                      ("VARINT", b"\x80"), ("VARINT", b"\xff" * 12), ("VARINT", b"\5abc"), ("OTHER", b""), ("FIXED", b"abcd"), ("LINES", 1, b"a")):  # fmt: skip
            before = connection("HORTUS.EXPORT", "p")
            connection.refused("HORTUS.MADD", "p", *wrong)
            equal(f"{wrong}: nothing changed", before, connection("HORTUS.EXPORT", "p"))


def test_errors(folder):
    with Server(folder) as server:
        connection = server.connect()
        connection("HORTUS.CREATE", "b", "bloom", "ITEMS", 100)
        connection("HORTUS.CREATE", "other", "bloom", "ITEMS", 200)
        connection("SET", "text", "x")
        for words, part in {
            ("HORTUS.CREATE", "b", "bloom", "ITEMS", 5): "there already",
            ("HORTUS.CREATE", "text", "bloom", "ITEMS", 5): "there already",
            ("HORTUS.CREATE", "n", "bloom"): "ITEMS n",
            ("HORTUS.CREATE", "n", "blom", "ITEMS", 5): "did you mean bloom",
            ("HORTUS.CREATE", "n", "bloom", "ITEMS", -5): "ITEMS should be",
            ("HORTUS.CREATE", "n", "bloom", "ITEMS", 5, "FPR", 0): "FPR should be",
            ("HORTUS.CREATE", "n", "bloom", "ITEMS", 5, "FPR", "nan"): "FPR should be",
            ("HORTUS.CREATE", "n", "bloom", "ITEMS"): "needs a value",
            ("HORTUS.CREATE", "n", "bloom", "SIZE", 5): "no option",
            ("HORTUS.CREATE", "n", "bloom", "ITEMS", 10**15): "2^42",
            ("HORTUS.CREATE", "n", "bloom", "ITEMS", 5, "SET", "colour", 1): "colour",
            ("HORTUS.CREATE", "n", "bloom", "ITEMS", 5, "WINDOW", 1000): "ticks",
            ("HORTUS.CREATE", "n", "ribbon", "ITEMS", 5): "HORTUS.IMPORT",
            ("HORTUS.ADD", "absent", "x"): "no filter at this key",
            ("HORTUS.EXISTS", "absent", "x"): "no filter at this key",
            ("HORTUS.ADD", "text", "x"): "WRONGTYPE",
            ("HORTUS.DEL", "b", "x"): "has no erase",
            ("HORTUS.COUNT", "b", "x"): "has no count",
            ("HORTUS.GET", "b", "x"): "has no find",
            ("HORTUS.TOP", "b", 1): "has no top",
            ("HORTUS.GROW", "b"): "has no grow",
            ("HORTUS.ADVANCE", "b"): "has no advance",
            ("HORTUS.FOLD", "b", "BY", 0): "divisors",
            ("HORTUS.FOLD", "b", "BY", 977): "divisors",
            ("HORTUS.FOLD", "b", "TO", 2): "BY n or FPR p",
            ("HORTUS.MERGE", "b", 1, "other"): "made alike",
            ("HORTUS.MERGE", "b", 2, "other"): "number of keys",
            ("HORTUS.MERGE", "b", 0, "other"): "number of keys",
            ("HORTUS.MERGE", "b", "x", "other"): "number of keys",
            ("HORTUS.MERGE", "new", 1, "absent"): "no filter",
            ("HORTUS.COMPARE", "b", "other"): "ERR",
            ("HORTUS.IMPORT", "n", "rubbish"): "too short",
            ("HORTUS.IMPORT", "n", b"rubbish" * 50): "not a hortus file",
            ("HORTUS.IMPORT", "b", b"rubbish" * 50): "there already",
            ("HORTUS.EXPORT", "b", "FROM", 10**9): "bytes",
            ("HORTUS.EXPORT", "b", "AT", 0): "FROM offset",
            ("HORTUS.LIST", "nothing"): "no family",
            ("HORTUS.PLAN", "NEED", "fly"): "NEED names verbs",
        }.items():
            text = connection.refused(*words)
            assert part in text, f"{words}: {text}"
        for arity in (("HORTUS.ADD", "b"), ("HORTUS.CREATE", "b"), ("HORTUS.ADDCOUNT", "b", "x"), ("HORTUS.INFO",), ("HORTUS.FOLD", "b"), ("HORTUS.GROW", "b", "BY")):
            assert "wrong number of arguments" in connection.refused(*arity), arity
        equal("no key was made", 3, connection("DBSIZE"))


def test_the_size_of_objects_is_limited(folder):
    with Server(folder) as server:
        connection = server.connect()
        connection("HORTUS.CREATE", "large", "bloom", "BYTES", 2 << 20, "FPR", "0.01")
        dump, file = connection("DUMP", "large"), connection("HORTUS.EXPORT", "large")
        configure(server, "max-object-bytes", 1 << 20)
        assert "max-object-bytes" in connection.refused("HORTUS.CREATE", "n", "bloom", "BYTES", 2 << 20, "FPR", "0.01")
        assert "max-object-bytes" in connection.refused("HORTUS.IMPORT", "n", file)
        assert "max-object-bytes" in connection.refused("HORTUS.IMPORT", "n", "FROM", 0, file[: 1 << 20])
        assert "Bad data format" in connection.refused("RESTORE", "n", 0, dump)


def test_windows_of_time(folder):
    master, replica = Server(folder, "--appendonly", "yes"), Server(folder)
    follow(replica, master)
    connection, reader = master.connect(), replica.connect()
    connection("HORTUS.CREATE", "w", "age_partitioned", "ITEMS", 1000, "WINDOW", 3000)
    equal("a new item", 1, connection("HORTUS.ADD", "w", "first"))
    equal("it is remembered", 0, connection("HORTUS.ADD", "w", "first"))
    time.sleep(1.4)
    connection("HORTUS.ADD", "w", "second")
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    equal("both, on the replica", [1, 1], reader("HORTUS.EXISTS", "w", "first", "second"))
    time.sleep(2.4)  # items are kept for the window, and for up to a generation more
    equal("the window is over for the first, and reading changed nothing", ([0, 1], [0, 1]),
          (connection("HORTUS.EXISTS", "w", "first", "second"), reader("HORTUS.EXISTS", "w", "first", "second")))  # fmt: skip
    equal("it is new again", 1, connection("HORTUS.ADD", "w", "first"))
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    equal("digest of the replica", digest(master), digest(replica))
    before = digest(master)
    time.sleep(0.3)
    master.restart()
    equal("digest after a restart from the append-only file", before, digest(master))
    connection = master.connect()
    time.sleep(4)
    equal("nothing is left", [0, 0], connection("HORTUS.EXISTS", "w", "first", "second"))
    told = connection("HORTUS.ADVANCE", "w")
    equal("an earlier time changes nothing", told, connection("HORTUS.ADVANCE", "w", 5))
    assert told / 1000 == float(told) / 1000 and abs(told / 1000 - time.time()) < 5, f"time of the filter: {told}"


def test_a_replica_does_not_look_at_its_clock(folder):
    master, replica = Server(folder), Server(folder)
    follow(replica, master)
    connection = master.connect()
    connection("HORTUS.CREATE", "w", "age_partitioned", "ITEMS", 1000, "WINDOW", 300)
    for round in range(40):
        connection("HORTUS.ADD", "w", f"item{round}", f"item{round // 2}")
        connection("HORTUS.MADD", "w", "LINES", b"packed%d" % round)
        time.sleep(0.02)
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    equal("digest of the replica", digest(master), digest(replica))


def test_only_changes_are_replicated(folder):
    with Server(folder) as server:
        connection = server.connect()
        connection("HORTUS.CREATE", "b", "bloom", "ITEMS", 100)
        connection("HORTUS.CREATE", "c", "counting", "ITEMS", 100)
        connection("CONFIG", "SET", "repl-backlog-size", 1 << 20)

        def offset():
            return connection("INFO", "persistence").split(b"rdb_changes_since_last_save:")[1].split(b"\r\n")[0]

        before = offset()
        for words in (("HORTUS.EXISTS", "b", "x"), ("HORTUS.DEL", "c", "absent"), ("HORTUS.INFO", "b"), ("HORTUS.ESTIMATE", "b"), ("HORTUS.EXPORT", "b")):
            connection(*words)
        connection.refused("HORTUS.MERGE", "b", 1, "c")
        equal("changes", before, offset())
        connection("HORTUS.ADD", "b", "x")
        assert offset() != before, "ADD is a change"


def test_events(folder):
    with Server(folder, "--notify-keyspace-events", "Ed") as server:
        connection, listener = server.connect(), server.connect()
        listener("PSUBSCRIBE", "__keyevent@0__:*")
        connection("HORTUS.CREATE", "b", "bloom", "ITEMS", 100)
        connection("HORTUS.ADD", "b", "x")
        connection("HORTUS.EXISTS", "b", "x")
        connection("HORTUS.MERGE", "c", 1, "b")
        connection("HORTUS.FOLD", "c", "BY", 2)
        connection("HORTUS.CLEAR", "c")
        got = [listener.read()[2:] for _ in range(5)]
        expected = [("create", b"b"), ("add", b"b"), ("merge", b"c"), ("fold", b"c"), ("clear", b"c")]
        equal("events", [[f"__keyevent@0__:hortus.{event}".encode(), key] for event, key in expected], got)


def test_what_redis_knows(folder):
    with Server(folder) as server:
        connection = server.connect()
        equal("keys of MERGE", [b"d", b"a", b"b"], connection("COMMAND", "GETKEYS", "HORTUS.MERGE", "d", 2, "a", "b"))
        equal("keys of COMPARE", [b"a", b"b"], connection("COMMAND", "GETKEYS", "HORTUS.COMPARE", "a", "b"))
        connection("HORTUS.CREATE", "s", "bloom", "ITEMS", 100)
        connection("HORTUS.CREATE", "mine:a", "bloom", "ITEMS", 100)
        connection("ACL", "SETUSER", "u", "on", "nopass", "~mine:*", "+@all")
        limited = server.connect()
        limited("AUTH", "u", "x")
        for words in (("HORTUS.MERGE", "mine:b", 1, "s"), ("HORTUS.MERGE", "s", 1, "mine:a"), ("HORTUS.COMPARE", "mine:a", "s"), ("HORTUS.EXISTS", "s", "x")):
            assert "NOPERM" in limited.refused(*words), words
        equal("own keys", "OK", limited("HORTUS.MERGE", "mine:b", 1, "mine:a"))
        for name, flag in (("HORTUS.ADD", "write"), ("HORTUS.EXISTS", "readonly"), ("HORTUS.LIST", "readonly"), ("HORTUS.MERGE", "denyoom")):
            assert flag in connection("COMMAND", "INFO", name)[0][2], f"{name} is {flag}"


def test_memory_runs_out(folder):
    with Server(folder, "--maxmemory", "20mb") as server:
        connection = server.connect()
        connection("HORTUS.CREATE", "b", "bloom", "BYTES", 10 << 20, "FPR", "0.01")
        used = int(connection("INFO", "memory").split(b"used_memory:")[1].split(b"\r\n")[0])
        assert used > 10 << 20, "Redis counts the memory of filters"
        connection("HORTUS.CREATE", "c", "bloom", "BYTES", 10 << 20, "FPR", "0.01")
        assert "OOM" in connection.refused("HORTUS.CREATE", "d", "bloom", "ITEMS", 100)
        assert "OOM" in connection.refused("HORTUS.ADD", "b", "x")
        connection("DEL", "c")  # which some servers free on another thread
        wait_until(lambda: connection.reply_or_error("HORTUS.ADD", "b", "x") == 1, "there is memory again", 10)


def test_plan_and_list(folder):
    with Server(folder) as server:
        connection = server.connect()
        assert len(connection("HORTUS.LIST")) > 40, "all families"
        described = pairs(connection("HORTUS.LIST", "age_partitioned"))
        equal("settings", [b"distinct", b"ticks", b"generations"], [pairs(each)["name"] for each in described["settings"]])
        plan = pairs(connection("HORTUS.PLAN", "ITEMS", 1000000, "FPR", "0.01", "NEED", "merge,fold"))
        best = pairs(plan["candidates"][0])
        connection("HORTUS.CREATE", "p", best["family"], "ITEMS", 1000000, "FPR", "0.01")
        equal("the size that was planned", best["size_bytes"], pairs(connection("HORTUS.INFO", "p"))["size_bytes"])
        assert all({"merge", "fold"} <= {v.decode() for v in pairs(connection("HORTUS.LIST", pairs(c)["family"]))["verbs"]} for c in plan["candidates"])
        assert any(pairs(each)["reason"].startswith(b"it lacks") for each in plan["rejected"])
        equal("any number of items", b"expandable", pairs(pairs(connection("HORTUS.PLAN"))["candidates"][0])["family"])
        in_space = pairs(pairs(connection("HORTUS.PLAN", "ITEMS", 1000, "BYTES", 2000))["candidates"][0])
        assert in_space["size_bytes"] <= 2000, in_space


harness.main()
