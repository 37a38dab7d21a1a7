#!/usr/bin/env python3
"""A server tells others what commands change: subscribers, clients that cache keys, MONITOR, clients that wait for a key, replicas,
the append-only file. Beside each of these every command that writes is run, small and large, alone, in transactions, scripts and
functions. The server must live, and whoever listens must hear. Servers from Redis 8 on end themselves if a thread of the module
reaches a client (redis/main_thread.hpp)."""

import os
import random
import select
import signal
import threading
import time

import harness
import listeners
from harness import equal, seed, size
from listeners import LARGE, SMALL, WAYS, keys_of, recorded, writes
from resp import Refused
from server import Server, configure, digest, follow, in_step, info, wait_until


def no_change(*_):
    pass


def drive(server, before=no_change, after=no_change):
    """Runs every command in every way, in small and large. before(keys) and after(what, key, words) surround each."""
    connection, reader = server.connect(), server.connect()
    for bytes in (SMALL, LARGE):
        for number, (way, run) in enumerate(WAYS.items()):
            prefix = f"{bytes}:{number}:"
            for key, words in writes(lambda *asked: reader(*asked), prefix, bytes):
                before(keys_of(prefix))
                reply = run(connection, words)
                what = f"{words[:3]!r:.100} {way}, {bytes} bytes"
                equal(f"refusals of {what}", [], refusals(reply))
                assert server.alive(), f"the server died of {what}"
                after(what, key, words)


def refusals(reply):
    return [each for each in (reply if isinstance(reply, list) else [reply]) if isinstance(each, Refused)]


def test_every_command_that_writes_is_here(folder):
    with Server(folder) as server:
        connection = server.connect()
        known = {name.decode() for name in connection("COMMAND", "LIST", "FILTERBY", "MODULE", "hortus")}
        writing = {name for name in known if "write" in connection("COMMAND", "INFO", name)[0][2]}
        run = {words[0].lower() for _, words in recorded(server, "only:", SMALL)}
        equal("commands that write", [], sorted(name for name in writing if name.lower() not in run))


def test_subscribers_to_events(folder):
    """They hear each event once, before the client has its reply, and no other."""
    with Server(folder, "--notify-keyspace-events", "KEAmn") as server:
        by_key, by_event = listeners.events(server)
        marking, marks = server.connect(), []

        def mark(*_):
            marks.append(f"mark {len(marks)}")
            assert marking("PUBLISH", "mark", marks[-1]) == 2, "both have subscribed"

        def hears(what, key, words):
            mark()
            first, last = map(listeners.mark, marks[-2:])
            for listener, order in ((by_key, 1), (by_event, -1)):
                wait_until(lambda: last in listener.heard, f"the mark after {what} comes")
                heard = [event_of(message)[::order] for message in listener.between(first, last)]
                prefix = key[: key.rindex(":") + 1]  # other keys are those of the test
                heard = [(name, event) for name, event in heard if name.startswith(prefix) and event not in ("new", "keymiss")]
                equal(f"events of {what}", listeners.told_events(words), heard)
                listener.heard.clear()

        wait_until(lambda: all(len(each.heard) == 2 for each in (by_key, by_event)), "both have subscribed")
        drive(server, before=mark, after=hears)


def event_of(message):
    """What the channel of an event names, and what the message says."""
    _, _, channel, text = message
    return channel.decode().split("__:", 1)[1], text.decode()


def test_clients_that_cache(folder):
    with Server(folder) as server:
        clients = listeners.caching(server)

        def read(keys):
            for client in clients:
                client.read(keys)
                client.invalidated()

        def hears(what, key, _):
            for client in clients:
                # The reply of a blocked command may come before the message to another client; both are on their way.
                told = set()
                wait_until(lambda: key.encode() in told or told.update(client.invalidated()) or key.encode() in told, f"{key} is invalid after {what}")

        drive(server, before=read, after=hears)


def test_a_client_that_caches_and_writes(folder):
    """With NOLOOP it is told of what others changed, and not of what it changed, also when a thread computed that."""
    with Server(folder) as server:
        own, loop, other = listeners.Caching(server, "NOLOOP"), listeners.Caching(server), server.connect()
        for bytes in (SMALL, LARGE):
            for key in "ab":
                other("HORTUS.CREATE", key, "bloom", "BYTES", bytes, "FPR", "0.01")
            for writing, expected in ((other, [{b"a"}, {b"a"}]), (own.connection, [set(), {b"a"}])):
                for each in (own, loop):
                    each.read("ab")
                    each.invalidated()
                writing("HORTUS.MERGE", "a", 1, "b")
                equal(f"with NOLOOP and without, {bytes} bytes, {'own' if writing == own.connection else 'of another'}", expected, [own.invalidated(), loop.invalidated()])
            other("DEL", "a", "b")


def test_monitors(folder):
    with Server(folder) as server:
        (monitor,) = listeners.monitors(server)
        wait_until(lambda: monitor.has_heard("OK"), "MONITOR has begun")
        drive(server)
        wait_until(lambda: monitor.has_heard("HORTUS.MERGE") and monitor.has_heard("TOPK.INCRBY"), "the monitor has seen the commands")


def test_clients_that_wait_for_keys(folder):
    with Server(folder) as server:
        blocked = listeners.waiting(server, [key for bytes in (SMALL, LARGE) for number in range(len(WAYS)) for key in keys_of(f"{bytes}:{number}:")])
        drive(server)
        equal("what blocked clients were given", [[], [], []], [each.heard for each in blocked])


def stop(server):
    """It does nothing until it is sent SIGCONT."""
    os.kill(server.process.pid, signal.SIGSTOP)
    wait_until(lambda: os.waitid(os.P_PID, server.process.pid, os.WSTOPPED | os.WNOHANG), "the server is stopped")


def goes_on(server):
    os.kill(server.process.pid, signal.SIGCONT)


def is_answered(connection, seconds=0):
    return bool(select.select([connection.socket], [], [], seconds)[0])


def test_clients_that_wait_for_replicas(folder):
    """They wait while the command runs: the replica stands still from before it until after."""
    with Server(folder) as master, Server(folder) as replica:
        follow(replica, master)
        waiting = [master.connect() for _ in range(3)]

        def wait(*_):
            stop(replica)
            for each in waiting:
                each("SET", "own", "write")
                each.send("WAIT", 1, 20000)

        def are_served(what, *_):
            equal(f"WAIT before the replica has the write, beside {what}", [False] * 3, [is_answered(each) for each in waiting])
            goes_on(replica)
            equal(f"WAIT beside {what}", [1] * 3, [each.read() for each in waiting])

        drive(master, before=wait, after=are_served)


def test_a_client_that_writes_and_waits_for_replicas(folder):
    """WAIT after a command counts the replicas that have it, also when a thread computed it."""
    with Server(folder) as master, Server(folder) as replica:
        connection = master.connect()
        follow(replica, master)
        for bytes in (SMALL, LARGE):
            connection("DEL", "a", "b")
            for key in "ab":
                connection("HORTUS.CREATE", key, "bloom", "BYTES", bytes, "FPR", "0.01")
            for _ in range(3):
                wait_until(lambda: in_step(master, replica), "the replica has everything")
                stop(replica)
                connection("HORTUS.MERGE", "a", 1, "b")
                connection.send("WAIT", 1, 60000)
                assert not is_answered(connection, 0.1), f"WAIT after MERGE of {bytes} bytes: {connection.read()} replicas, and none has it"
                goes_on(replica)
                equal("replicas that have it", 1, connection.read())


def test_replicas(folder):
    with Server(folder) as master, Server(folder) as replica:
        follow(replica, master)
        drive(master)
        wait_until(lambda: in_step(master, replica), "the replica has everything")
        equal("digest of the replica", digest(master), digest(replica))


def test_an_append_only_file_that_is_always_synced(folder):
    with Server(folder, "--appendonly", "yes", "--appendfsync", "always") as server:
        drive(server)
        before = digest(server)
        server.restart()
        equal("digest after a restart", before, digest(server))


def test_threads_of_the_server(folder):
    with Server(folder, "--io-threads", 2, "--notify-keyspace-events", "KEAmn") as server:
        kept = listeners.events(server), listeners.caching(server)
        drive(server, before=lambda keys: [client.read(keys) for client in kept[1]])


# What commands of a group say if the server has evicted the key.
EVICTED = {
    "HORTUS": ("no filter", "deleted or replaced", "no import was begun"), "BF": ("not found",), "CF": ("Not found", "not found"),
    "CMS": ("key does not exist",), "TOPK": ("key does not exist",), "RENAME": ("no such key",),
}  # fmt: skip


def test_memory_that_is_short(folder):
    """Whatever the server evicts, or refuses, it lives, and so does its replica."""
    options = ["--maxmemory", "24mb", "--maxmemory-policy", "allkeys-lru", "--notify-keyspace-events", "KEAmn"]
    with Server(folder, *options) as master, Server(folder) as replica, Server(folder) as roomy:
        follow(replica, master)
        kept = listeners.events(master), listeners.caching(master)
        connection = master.connect()
        for number in range(40):
            connection("SET", f"ballast{number}", bytes(1 << 19))
        done = refused = 0
        for size in (SMALL, LARGE):
            for number, (way, run) in enumerate(WAYS.items()):
                for key, words in recorded(roomy, f"{size}:{number}:", size):
                    for client in kept[1]:
                        client.read([key])
                    reply = run(connection, words)
                    assert master.alive(), f"the server died of {words[:3]!r:.100} {way}"
                    allowed = ("OOM", *EVICTED.get(words[0].split(".")[0], ()))
                    unexpected = [each for each in refusals(reply) if not any(text in str(each) for text in allowed)]
                    equal(f"{words[:3]!r:.100} {way}, {size} bytes", [], unexpected)
                    refused += bool(refusals(reply))
                    done += not refusals(reply)
        assert int(info(master, "stats")["evicted_keys"]) > 0, "nothing was evicted, so nothing was tested"
        assert done > 300, f"{done} commands were done and {refused} refused"
        wait_until(lambda: in_step(master, replica), "the replica has everything")
        equal("digest of the replica", digest(master), digest(replica))


def test_random_commands_beside_all_of_them(folder):
    """$HORTUS_REDIS_LISTENED says how many commands: 100,000 in `make nightly-redis`."""
    start, rounds, clients = seed(), size("LISTENED", 800), 4
    options = ["--appendonly", "yes", "--appendfsync", "always", "--io-threads", 2, "--notify-keyspace-events", "KEAmn"]
    with Server(folder) as plain:
        pool = pooled(plain)
    with Server(folder, *options) as master, Server(folder) as replica:
        configure(master, "max-object-bytes", 8 << 20)  # else GROW would make large ones
        follow(replica, master)
        keys = [f"{name}{number}" for name in pool for number in range(COPIES)]
        kept = [listeners.events(master), listeners.monitors(master), listeners.waiting(master, [*keys, "another"])]
        failures, done = [], set()

        def run(number):
            try:
                draw, connection, caching = random.Random(f"{start} {number}"), master.connect(), listeners.caching(master)
                for count in range(rounds // clients):
                    if count % 10 == 0:
                        draw.choice(caching).read(draw.sample(keys, 20))
                    command = random_command(draw, pool, f"{number}.{count}")
                    reply = draw.choice(list(WAYS.values()))(connection, command)
                    refused = refusals(reply)
                    if not refused:
                        done.add(command[0])
                    failures.extend((command[:3], str(each)) for each in refused if not is_expected(command, each))
                    if draw.random() < 0.02:
                        connection("WAIT", 1, 20000)
                    if draw.random() < 0.02:  # leaves without waiting for the reply
                        connection.send(*random_command(draw, pool, f"{number}.{count}'"))
                        connection.close()
                        connection = master.connect()
            except Exception as why:
                failures.append(repr(why))

        threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(3000)
            assert not thread.is_alive(), f"a client hangs (HORTUS_REDIS_SEED={start})"
        assert master.alive() and replica.alive(), f"a server died (HORTUS_REDIS_SEED={start})"
        equal(f"unexpected errors (HORTUS_REDIS_SEED={start})", [], failures[:5])
        assert len(done) >= min(25, rounds // 40), f"of few commands one was done (HORTUS_REDIS_SEED={start}): {sorted(done)}"
        wait_until(lambda: in_step(master, replica), "the replica has everything")
        wait_until(lambda: digest(master) == digest(replica), f"digests are equal (HORTUS_REDIS_SEED={start})", 5)
        before = digest_at_rest(master)
        assert "CRITICAL" not in replica.log_text(), f"the replica could not do what the master did (HORTUS_REDIS_SEED={start})"
        master.restart()
        equal(f"digest after a restart (HORTUS_REDIS_SEED={start})", before, digest(master))
        del kept


def digest_at_rest(server):
    """When no key is about to expire, and the commands of clients that have left are done: nobody is told of that."""
    wait_until(lambda: b"expires=" not in server.connect()("INFO", "keyspace").replace(b"expires=0,", b""), "no key expires")
    seen = []
    wait_until(lambda: seen.append(digest(server)) or time.sleep(0.1) or len(seen) > 5 and len(set(seen[-5:])) == 1, "all work is done")
    return seen[-1]


COPIES = 2  # of each key

# What any command of a group may be told, because of what others did before it or while it ran; and single commands more.
EXPECTED = {
    "HORTUS": ("no filter", "WRONGTYPE", "deleted or replaced"),
    "BF": ("not found", "WRONGTYPE"), "CF": ("not found", "Not found", "WRONGTYPE"),
    "CMS": ("key does not exist", "WRONGTYPE"), "TOPK": ("key does not exist", "WRONGTYPE"),
    "RENAME": ("no such key",),
    "HORTUS.CREATE": ("there already",), "HORTUS.MERGE": ("made alike", "there already"), "HORTUS.INTERSECT": ("made alike", "there already"),
    "HORTUS.COMPARE": ("only filters of the same",), "HORTUS.FOLD": ("cannot be folded",),
    "HORTUS.GROW": ("max-object-bytes", "cannot grow"), "HORTUS.ADD": ("filter is full",), "HORTUS.MADD": ("filter is full",),
    "HORTUS.IMPORT": ("there already", "no import was begun", "the next piece is FROM"),
    "BF.RESERVE": ("item exists",), "CF.RESERVE": ("item exists",), "CF.LOADCHUNK": ("item exists",), "BF.LOADCHUNK": ("bad data",),
    "CMS.INITBYDIM": ("already exists",), "CMS.INITBYPROB": ("already exists",), "CMS.MERGE": ("overflow",), "CMS.INCRBY": ("overflow",),
    "TOPK.RESERVE": ("already exists",),
}  # fmt: skip


def is_expected(command, refusal):
    return any(text in str(refusal) for name in {command[0].split(".")[0], command[0]} for text in EXPECTED.get(name, ()))


def pooled(server):
    """Commands of every kind, small and large, by the name of the key that they change. The keys are names without a number."""
    pool = {}
    for prefix, bytes in (("small:", SMALL), ("large:", LARGE)):
        for key, words in recorded(server, prefix, bytes):
            if words[0] == "COPY":  # of a key to itself is refused: see random_command()
                continue
            name = prefix + alike(key.removeprefix(prefix))
            words = [Name(prefix + alike(word.removeprefix(prefix))) if str(word).startswith(prefix) else word for word in words]
            pool.setdefault(name, []).append(words)
    for family in ("cuckoo", "quotient"):  # that are soon full
        name = Name(f"small:{family}")
        create, numbers = ("HORTUS.CREATE", name, family, "ITEMS", 40), b"".join(b"%04d" % i for i in range(100))
        pool[name] = [create, ("HORTUS.ADD", name), ("HORTUS.ADD", name), ("HORTUS.MADD", name, "FIXED", 4, numbers), ("HORTUS.CLEAR", name)]
    return pool


class Name(str):
    """Of a key, to which a number is appended."""


def alike(name):
    """Those of writes() whose values can be merged have one name."""
    return "a" if name in "abcd" else name


def random_command(draw, pool, item):
    """One of the pool, on any of the keys of its name, with items of its own; or one that frees or replaces a key."""
    name = draw.choice([name for name in pool for _ in range(1 if name in ("large:file", "large:pieces") else 8)])  # those take long
    prefix, key, some = name[: name.index(":") + 1], numbered(draw, name), [f"{item}.{i}" for i in range(draw.randrange(1, 30))]
    if draw.random() < 0.1:
        return draw.choice([
            ("DEL", key), ("UNLINK", key), ("SET", key, "text"), ("PEXPIRE", key, 5), ("RENAME", key, numbered(draw, name)),
            ("COPY", f"{name}0", f"{name}1", "REPLACE"), ("COPY", f"{name}1", f"{name}0", "REPLACE"),
        ])  # fmt: skip
    reads = [("HORTUS.EXISTS", key, *some), ("HORTUS.ESTIMATE", key), ("HORTUS.COMPARE", key, numbered(draw, name)), ("HORTUS.EXPORT", key, "FROM", 0), ("HORTUS.INFO", key)]
    if name.endswith(":a") and draw.random() < 0.2:
        return draw.choice(reads)
    if name.endswith(":window") and draw.random() < 0.2:
        return draw.choice([("HORTUS.ADVANCE", key), ("HORTUS.ADVANCE", key, int(time.time() * 1000) + draw.randrange(100000))])
    command = draw.choice(pool[name])
    words = [numbered(draw, word) if isinstance(word, Name) else word for word in command]
    if words[0] in ("HORTUS.ADD", "BF.MADD", "TOPK.ADD"):
        words[2:] = some
    elif words[0] in ("BF.INSERT", "CF.INSERT", "CF.INSERTNX"):
        words[3:] = some
    elif words[0] in ("HORTUS.DEL", "BF.ADD", "CF.ADD", "CF.ADDNX", "CF.DEL") and draw.random() < 0.5:
        words[2:] = some[:1]
    elif words[0] in ("HORTUS.ADDCOUNT", "HORTUS.PUT", "HORTUS.ASSIGN", "CMS.INCRBY", "TOPK.INCRBY") and draw.random() < 0.5:
        words[2] = draw.choice("wxyz")
    return tuple(words)


def numbered(draw, name):
    return f"{name}{draw.randrange(COPIES)}"


harness.main()
