#!/usr/bin/env python3
"""Work on large filters in the background: others read meanwhile, what would change the filter waits, and whatever happens in
between, master and replica agree."""

import random
import threading
import time

import harness
from harness import equal, seed, size
from hortus_specimens import pairs
from resp import Refused
from server import Server, digest, follow, in_step, info, wait_until

LARGE = 128 << 20  # bytes: work on it takes long enough for a few commands of others
BATCH = b"\n".join(b"item%d" % i for i in range(4000))


def large(connection, *keys, bytes=LARGE, family="bloom"):
    for key in keys:
        connection("HORTUS.CREATE", key, family, "BYTES", bytes, "FPR", "0.01")
        connection("HORTUS.MADD", key, "LINES", BATCH)


def inserted(connection, key):
    return pairs(connection("HORTUS.INFO", key))["items_inserted"]


def test_others_are_served_and_changes_wait(folder):
    with Server(folder) as server:
        working, reading, writing = (server.connect() for _ in range(3))
        large(working, "a", "b")
        working.send("HORTUS.MERGE", "a", 1, "b")
        writing.send("HORTUS.ADD", "a", "late")
        equal("reading meanwhile", [1, 0], reading("HORTUS.EXISTS", "a", "item7", "late"))
        equal("both clients are blocked", b"2", dict(line.split(b":") for line in reading("INFO", "clients").split(b"\r\n") if b":" in line)[b"blocked_clients"])
        equal("MERGE", "OK", working.read())
        equal("ADD", 1, writing.read())
        equal("what waited is not lost", 1, reading("HORTUS.EXISTS", "a", "late"))
        equal("inserts", 8001, inserted(reading, "a"))


def test_changes_in_transactions_and_scripts_do_not_wait(folder):
    with Server(folder) as server:
        working, other = server.connect(), server.connect()
        large(working, "a", "b")
        for round in range(3):
            working.send("HORTUS.MERGE", "a", 1, "b")
            other("PING")
            other("MULTI")
            other("HORTUS.ADD", "a", f"in a transaction {round}")
            other("HORTUS.ESTIMATE", "a")
            equal("EXEC", 1, other("EXEC")[0])
            equal("MERGE", "OK", working.read())
            working.send("HORTUS.FOLD", "a", "BY", 1)
            other("PING")
            equal("a script", 1, other("EVAL", "return redis.call('HORTUS.ADD', KEYS[1], ARGV[1])", 1, "a", f"in a script {round}"))
            equal("FOLD", "OK", working.read())
        found = other("HORTUS.EXISTS", "a", *(f"in a {what} {round}" for what in ("transaction", "script") for round in range(3)))
        equal("all changes are there", [1] * 6, found)


def test_a_key_that_goes_away(folder):
    with Server(folder) as server:
        working, other = server.connect(), server.connect()
        for remove in (("DEL", "a"), ("UNLINK", "a"), ("FLUSHALL",), ("SET", "a", "text"), ("RENAME", "a", "c"), ("SWAPDB", 0, 1)):
            other("FLUSHALL")
            large(working, "a", "b")
            working.send("HORTUS.MERGE", "a", 1, "b")
            other("PING")
            other(*remove)
            reply = working.read()
            assert isinstance(reply, Refused) and "deleted or replaced" in str(reply), f"{remove}: {reply!r}"
            equal(f"is a there after {remove}", 1 if remove[0] == "SET" else 0, other("EXISTS", "a"))
        # A key that comes: CREATE must not replace it.
        other("FLUSHALL")
        working.send("HORTUS.CREATE", "a", "bloom", "BYTES", LARGE, "FPR", "0.01")
        other("SET", "a", "text")
        reply = working.read()
        assert isinstance(reply, Refused) and "there already" in str(reply), f"CREATE: {reply!r}"
        equal("the key that came", b"text", other("GET", "a"))


def test_a_client_that_goes_away(folder):
    """Its command is done all the same."""
    with Server(folder) as server:
        other = server.connect()
        large(other, "a", "b")
        for _ in range(3):
            before = inserted(other, "a")
            with server.connect() as leaving:
                leaving.send("HORTUS.MERGE", "a", 1, "b")
                other("PING")
            with server.connect() as leaving:  # while it waits
                leaving.send("HORTUS.ADD", "a", "x")
                other("PING")
            wait_until(lambda: inserted(other, "a") > before + 4000, "both commands are done")
            equal("inserts", before + inserted(other, "b") + 1, inserted(other, "a"))


def test_a_copy_shares_the_filter_until_one_changes(folder):
    with Server(folder) as server:
        connection = server.connect()
        large(connection, "a")
        connection("COPY", "a", "b")
        equal("a new item", 1, connection("HORTUS.ADD", "b", "only b"))
        equal("in the copy and not in the other", [1, 0], [connection("HORTUS.EXISTS", key, "only b") for key in "ba"])
        connection("HORTUS.ADD", "a", "only a")
        equal("in the other and not in the copy", [0, 1], [connection("HORTUS.EXISTS", key, "only a") for key in "ba"])
        connection("COPY", "a", "c")
        connection("DEL", "a")
        equal("what is left", 1, connection("HORTUS.EXISTS", "c", "only a"))


def test_import_in_pieces_is_interrupted(folder):
    with Server(folder) as server:
        connection, other = server.connect(), server.connect()
        large(connection, "a", bytes=8 << 20)
        pieces, next = [], 0
        while not pieces or next:
            next, stamp, piece = connection("HORTUS.EXPORT", "a", "FROM", next)
            pieces.append(piece)
        equal("the pieces", connection("HORTUS.EXPORT", "a"), b"".join(pieces))

        def send(some, offset=0):
            missing = None
            for piece in some:
                missing = connection("HORTUS.IMPORT", "b", "FROM", offset, piece)
                offset += len(piece)
            return missing

        equal("missing", len(pieces[-1]), send(pieces[:-1]))
        assert "WRONGTYPE" in other.refused("HORTUS.EXISTS", "b", "x")
        assert f"FROM {len(b''.join(pieces[:-1]))}" in other.refused("HORTUS.IMPORT", "b", "FROM", 5, b"x"), "it says where to go on"
        connection("DEBUG", "RELOAD")
        damaged = pieces[-1][:-100] + b"\1" + pieces[-1][-99:]
        assert "damaged" in connection.refused("HORTUS.IMPORT", "b", "FROM", len(b"".join(pieces[:-1])), damaged)
        connection("COPY", "b", "c")
        for key in "bc":
            equal("complete", 0, connection("HORTUS.IMPORT", key, "FROM", len(b"".join(pieces[:-1])), pieces[-1]))
            equal("the same filter", connection("DEBUG", "DIGEST-VALUE", "a"), connection("DEBUG", "DIGEST-VALUE", key))
        assert "no import was begun" in connection.refused("HORTUS.IMPORT", "a", "FROM", 5, b"x")


def test_stamps_tell_changes(folder):
    with Server(folder) as server:
        connection = server.connect()
        connection("HORTUS.CREATE", "a", "bloom", "ITEMS", 100)
        stamps = [connection("HORTUS.EXPORT", "a", "FROM", 0)[1]]
        for change in (("HORTUS.ADD", "a", "x"), ("HORTUS.CLEAR", "a"), ("HORTUS.FOLD", "a", "BY", 1)):
            connection(*change)
            stamps.append(connection("HORTUS.EXPORT", "a", "FROM", 0)[1])
        connection("HORTUS.EXISTS", "a", "x")
        equal("only changes are told", stamps[-1], connection("HORTUS.EXPORT", "a", "FROM", 0)[1])
        equal("every change is told", 4, len(set(stamps)))


def test_a_server_that_becomes_a_replica(folder):
    master, other = Server(folder), Server(folder)
    working, connection = other.connect(), other.connect()
    large(working, "a", "b")
    working.send("HORTUS.MERGE", "a", 1, "b")
    connection("PING")
    follow(other, master)
    wait_until(lambda: in_step(master, other), "the replica has everything")
    equal("keys", 0, connection("DBSIZE"))


def test_a_master_that_was_a_replica_meanwhile(folder):
    """Another server may have been the master meanwhile, and the client was told that its command failed."""
    server = Server(folder)
    working, writing, connection = server.connect(), server.connect(), server.connect()
    large(connection, "a", "b")
    for round in range(3):
        working.send("HORTUS.MERGE", "a", 1, "b")
        writing.send("HORTUS.ADD", "a", "late")
        wait_until(lambda: info(server, "clients")["blocked_clients"] == "2", "both clients are blocked")
        connection("REPLICAOF", "127.0.0.1", 1)  # nobody is there, so the values stay
        connection("REPLICAOF", "NO", "ONE")
        equal("a write, after the work", 1, connection("HORTUS.ADD", "a", f"after{round}"))
        equal("inserts", 4001 + round, inserted(connection, "a"))
        equal("what waited", 0, connection("HORTUS.EXISTS", "a", "late"))
        working, writing = server.connect(), server.connect()


def test_a_master_that_changes_places_with_its_replica(folder):
    """It keeps its values, and what waited does not change them any more."""
    first, second = Server(folder), Server(folder)
    follow(second, first)
    large(first.connect(), "a", "b", bytes=LARGE // 2)
    for round in range(4):
        wait_until(lambda: in_step(first, second), "the replica has everything")
        working, writing = first.connect(), first.connect()
        working.send("HORTUS.MERGE", "a", 1, "b")
        writing.send("HORTUS.ADD", "a", f"late{round}")
        first.connect()("PING")
        second.connect()("REPLICAOF", "NO", "ONE")
        follow(first, second)
        equal("digest of the replica", digest(second), digest(first))
        equal("a write", 1, second.connect()("HORTUS.ADD", "a", f"after{round}"))
        first, second = second, first
    assert int(info(second, "stats")["sync_partial_ok"]) > 0, "values were sent anew, so nothing was tested"


def test_work_that_ends_while_writes_are_paused(folder):
    """A server that is paused must not write: one that has replicas would crash. What only reads is answered."""
    master, replica = Server(folder), Server(folder)
    follow(replica, master)
    working, writing, other = (master.connect() for _ in range(3))
    large(other, "a", "b", "c")
    working.send("HORTUS.MERGE", "a", 1, "b")
    writing.send("HORTUS.ADD", "a", "late")
    wait_until(lambda: info(master, "clients")["blocked_clients"] == "2", "both have begun")
    other("CLIENT", "PAUSE", 60000, "WRITE")
    for _ in range(10):  # more than there are threads
        equal("a reader", 4000, inserted(other, "c"))
    time.sleep(0.5)  # the work is computed
    equal("what waits is not done", 0, other("HORTUS.EXISTS", "a", "late"))
    other("CLIENT", "UNPAUSE")
    equal("MERGE", "OK", working.read())
    equal("ADD", 1, writing.read())
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    equal("digest of the replica", digest(master), digest(replica))


# Looks at a key, goes on for a second, and looks again. The server serves others as far as it does so beside a long script.
LONG_SCRIPT = """
redis.call('INCR', KEYS[2])
local function seen()
  local info = redis.call('HORTUS.INFO', KEYS[1], 'HASH')
  info[#info + 1] = redis.call('HORTUS.EXISTS', KEYS[1], ARGV[1])
  return info
end
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + time[2] / 1000
end
local before, until_when = seen(), now() + 1000
while now() < until_when do end
redis.call('INCR', KEYS[2])
return {before, seen()}
"""


def run_scripts_beside_work(server):
    """Two that see a key while a MERGE of it is computed. Leaves the result."""
    working, scripting, other = (server.connect() for _ in range(3))
    large(other, "b")
    beside = 0
    for _ in range(20):
        other("DEL", "a")
        other("HORTUS.CREATE", "a", "bloom", "BYTES", LARGE, "FPR", "0.01")
        working.send("HORTUS.MERGE", "a", 1, "b")
        wait_until(lambda: info(server, "clients")["blocked_clients"] == "1" or inserted(other, "a") != 0, "the work is begun")
        before, after = scripting("EVAL", LONG_SCRIPT, 2, "a", "counter", "item7")
        equal("at the end of the script", before, after)
        equal("MERGE", "OK", working.read())
        equal("after the script", [4000, 1], [inserted(other, "a"), other("HORTUS.EXISTS", "a", "item7")])
        beside += before[-1] == 0  # else the work was done before the script began
        if beside == 2:
            return
    raise AssertionError(f"of 20 scripts, {beside} began while there was work")


def test_work_that_ends_during_a_long_script(folder):
    """The script sees no change, and what it replicates is one unit: the result of the work comes after it."""
    with Server(folder, "--busy-reply-threshold", 1) as server:
        run_scripts_beside_work(server)
    with Server(folder, "--appendonly", "yes", "--busy-reply-threshold", 1) as master, Server(folder) as replica:
        follow(replica, master)
        run_scripts_beside_work(master)
        wait_until(lambda: in_step(master, replica), "the replica has everything")
        before = digest(master)
        equal("digest of the replica", before, digest(replica))
        master.restart()
        equal("digest after a restart", before, digest(master))


def test_work_while_the_server_ends(folder):
    """It ends, and what it acknowledged is there when it has started again."""
    with Server(folder, "--appendonly", "yes", "--appendfsync", "always") as server:
        for round, end in enumerate((("SHUTDOWN", "NOSAVE"), "SIGTERM") * 2):
            working, writing, other = (server.connect() for _ in range(3))
            other("FLUSHALL")
            large(other, "a", "b")
            other("HORTUS.ADD", "b", "only b")
            working.send("HORTUS.MERGE", "a", 1, "b")
            wait_until(lambda: info(server, "clients")["blocked_clients"] != "0" or other("HORTUS.EXISTS", "a", "only b"), "the work is begun")
            if round >= 2:  # what waits for the work
                writing.send("HORTUS.ADD", "a", "late")
            if end == "SIGTERM":
                server.process.terminate()
            else:
                other.send(*end)
            try:
                merged = working.read() == "OK"
            except OSError:  # the server is gone
                merged = False
            server.process.wait(60)
            equal(f"status after {end}", 0, server.process.returncode)
            server.start()
            other = server.connect()
            equal(f"acknowledged before {end}", [1, 1, 1], other("HORTUS.EXISTS", "b", "item7", "item3999", "only b"))
            there = other("HORTUS.EXISTS", "a", "item7", "item3999", "only b")
            assert there[:2] == [1, 1] and there[2] >= merged, f"MERGE {'was' if merged else 'was not'} acknowledged before {end}: {there}"
            assert inserted(other, "a") in (8001, 8002, *(() if merged else (4000, 4001))), inserted(other, "a")


def test_many_clients_at_once(folder):
    """Random commands of several clients on few keys: nothing hangs, nothing crashes, and the replica has the same."""
    start = seed()
    master, replica = Server(folder), Server(folder)
    follow(replica, master)
    keys, clients, rounds = ["a", "b", "c"], 6, size("CLIENT_ROUNDS", 60)
    large(master.connect(), *keys, bytes=4 << 20)
    failures = []

    def run(number):
        draw, connection = random.Random(f"{start} {number}"), master.connect()
        for round in range(rounds):
            a, b, c = draw.sample(keys, 3)
            item = f"{number}.{round}"
            choices = [
                ("HORTUS.ADD", a, item), ("HORTUS.MADD", a, "FIXED", 8, draw.randbytes(800)), ("HORTUS.EXISTS", a, item),
                ("HORTUS.MERGE", a, 2, b, c), ("HORTUS.INTERSECT", a, 1, b), ("HORTUS.CLEAR", a), ("HORTUS.ESTIMATE", a),
                ("HORTUS.COMPARE", a, b), ("HORTUS.INFO", a), ("HORTUS.EXPORT", a, "FROM", 0), ("COPY", a, b, "REPLACE"),
                ("DEL", a), ("HORTUS.MERGE", a, 1, b), *[("HORTUS.CREATE", a, "bloom", "BYTES", 4 << 20, "FPR", "0.01")] * 3,
                ("RENAME", a, b), ("EVAL", "return redis.call('HORTUS.ADD', KEYS[1], 'script')", 1, a),
            ]  # fmt: skip
            command = draw.choice(choices)
            if draw.random() < 0.1:
                connection("MULTI")
                connection(*command)
                command = ("EXEC",)
            if draw.random() < 0.05:  # leaves without waiting for the reply
                connection.send(*command)
                connection.close()
                connection = master.connect()
                continue
            reply = connection.reply_or_error(*command)
            expected = ("no filter", "there already", "no such key", "deleted or replaced")
            if isinstance(reply, Refused) and not any(text in str(reply) for text in expected):
                failures.append((command[:2], str(reply)))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), f"a client hangs (seed {start})"
    equal(f"unexpected errors (seed {start})", [], failures[:5])
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    wait_until(lambda: digest(master) == digest(replica), f"digests are equal (seed {start})", 5)
    assert "CRITICAL" not in replica.log_text(), f"the replica could not do what the master did (seed {start})"


harness.main()
