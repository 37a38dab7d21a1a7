#!/usr/bin/env python3
"""Work on large filters in the background of a Redis Cluster, while the slot of the filter goes to another master, or the
master becomes a replica. A key is changed by the server that serves it, and by no other."""

import concurrent.futures
import time

import harness
from cluster import Cluster, slot_of
from harness import equal, size
from resp import Refused
from server import info

LARGE = 96 << 20  # bytes: work on it takes a while
BATCH = b"\n".join(b"item%d" % i for i in range(1000))
TRIES = 20  # of something that depends on which of two threads is first
ROUNDS = max(1, size("ROUNDS", 2) // 2)


def large(connection, *keys, bytes=LARGE):
    for key in keys:
        connection("HORTUS.CREATE", key, "bloom", "BYTES", bytes, "FPR", "0.01")
        connection("HORTUS.MADD", key, "LINES", BATCH)


def begun(server, *commands):
    """Connections whose commands have begun and cannot end before CLIENT UNPAUSE. The server sleeps until it has got all of
    them, so it pauses before another thread has its turn."""
    sleeping, pausing, *connections = (server.connect() for _ in range(2 + len(commands)))
    sleeping.send("DEBUG", "SLEEP", "0.1")
    for connection, words in zip(connections, commands):
        connection.send(*words)
    pausing.send("CLIENT", "PAUSE", 60000, "WRITE")
    equal("DEBUG SLEEP and CLIENT PAUSE", ["OK", "OK"], [sleeping.read(), pausing.read()])
    return connections


def test_a_slot_goes_away(folder):
    with Cluster(folder, replicas=0, failover=False) as cluster:
        no_filter_is_made_in_it(cluster)
        filters_go_with_it(cluster)


def no_filter_is_made_in_it(cluster):
    """No pause holds the command here: a slot of Valkey does not move while writes are paused."""
    source, target, _ = cluster.masters()
    for tag in cluster.tags_of(source, TRIES):
        key = f"{{{tag}}}filter"
        working = source.connect()
        working.send("HORTUS.CREATE", key, "bloom", "BYTES", LARGE, "FPR", "0.01")
        cluster.move_slot(slot_of(key), target)
        reply = working.read()
        cluster.check_replicas()
        if str(reply).startswith("TRYAGAIN"):  # else the one or the other was too early
            break
        target.connect()("DEL", key)
    assert isinstance(reply, Refused) and str(reply).startswith("TRYAGAIN"), f"HORTUS.CREATE replied {reply!r}"
    assert working.refused("HORTUS.CREATE", key, "bloom", "ITEMS", 100).startswith("MOVED")


def filters_go_with_it(cluster):
    """Work on them, and what waits for it, is either done before that or refused with TRYAGAIN."""
    source, target, _ = cluster.masters()
    refused = 0
    for tag in cluster.tags_of(source, TRIES):
        a, b = f"{{{tag}}}a", f"{{{tag}}}b"
        large(source.connect(), a, b, bytes=2 << 20)
        source.connect()("HORTUS.ADD", b, "only b")
        connections = begun(source, ("HORTUS.MERGE", a, 1, b), ("HORTUS.ADD", a, "late"))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            moving = pool.submit(cluster.move_slot, slot_of(tag), target)  # it waits for the end of the pause as well
            time.sleep(0.05)
            source.connect()("CLIENT", "UNPAUSE")
            moving.result()
        found = target.connect()("HORTUS.EXISTS", a, "only b", "late")
        for connection, done, is_there in zip(connections, ("OK", 1), found):
            reply = connection.read()
            assert reply == done or str(reply).split()[0] in ("TRYAGAIN", "MOVED"), repr(reply)
            refused += str(reply).startswith("TRYAGAIN")
            equal(f"is it done after the reply {reply!r}", reply == done, bool(is_there))
        cluster.check_replicas()
        if refused > 2:
            return
    raise AssertionError(f"in {TRIES} tries the slot went away only {refused} times before the work was done")


def test_a_client_does_not_notice_that_slots_move(folder):
    with Cluster(folder, failover=False) as cluster:
        work_follows_its_slot(cluster)
        filters_are_made_in_a_slot_that_is_open(cluster)


def work_follows_its_slot(cluster):
    """What works, and what waits for it, is done where the filters went. redis-py sends it there."""
    source, target, _ = cluster.masters()
    tag = cluster.tags_of(source)[0]
    a, b, made = (f"{{{tag}}}{name}" for name in ("a", "b", "made"))
    clients = [cluster.client() for _ in range(3)]
    for _ in range(ROUNDS):
        large(source.connect(), a, b, bytes=LARGE // 4)
        source.connect()("HORTUS.ADD", b, "only b")
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            replies = [
                pool.submit(clients[0].execute_command, "HORTUS.MERGE", a, 1, b),
                pool.submit(clients[1].execute_command, "HORTUS.ADD", a, "late"),
                pool.submit(clients[2].execute_command, "HORTUS.CREATE", made, "bloom", "BYTES", LARGE // 4, "FPR", "0.01"),
            ]
            time.sleep(0.01)
            cluster.move_slot(slot_of(tag), target)
        equal("replies", [b"OK", 1, b"OK"], [reply.result() for reply in replies])
        found = clients[0].execute_command("HORTUS.EXISTS", a, "item7", "only b", "late")
        equal("all of it is in the filter", [1, 1, 1], found)
        cluster.check_replicas()
        equal("all keys are at the target", 3, target.connect()("DEL", a, b, made))
        source, target = target, source


def filters_are_made_in_a_slot_that_is_open(cluster):
    """A slot is open for long when it has many keys. Its new keys are made at the target meanwhile."""
    source, target, _ = cluster.masters()
    tag = cluster.tags_of(source)[0]
    a, b, client = f"{{{tag}}}a", f"{{{tag}}}b", cluster.client()

    def meanwhile():
        for key in (a, b):
            made = client.execute_command("HORTUS.CREATE", key, "bloom", "BYTES", 2 << 20, "FPR", "0.01")
            equal("HORTUS.CREATE", b"OK", made)
            equal("HORTUS.ADD", 1, client.execute_command("HORTUS.ADD", key, key))
        equal("keys at the source", 0, source.connect()("DBSIZE"))
        asking = target.connect()
        asking("ASKING")
        equal("HORTUS.MERGE", "OK", asking("HORTUS.MERGE", a, 1, b))

    cluster.move_slot(slot_of(tag), target, meanwhile)
    equal("items", [1, 1], client.execute_command("HORTUS.EXISTS", a, a, b))
    cluster.check_replicas()


def test_a_master_becomes_a_replica(folder):
    """Work that is done too late changes nothing: the replica stays what its master is. It does not disturb the failover
    either, in which a master must be silent until its replica has everything."""
    with Cluster(folder, failover=False) as cluster:
        tag = cluster.tags_of(cluster.masters()[0])[0]
        a, b = f"{{{tag}}}a", f"{{{tag}}}b"
        large(cluster.master_of(a).connect(), a, b)
        for round in range(2 * ROUNDS):
            cluster.wait_until_in_step()
            master = cluster.master_of(a)
            replica = cluster.replicas_of(master)[0]
            cluster.wait_until_promotable(replica)
            clients = working, writing, making = [master.connect() for _ in range(3)]
            working.send("HORTUS.MERGE", a, 1, b)
            writing.send("HORTUS.ADD", a, f"late{round}")
            making.send("HORTUS.CREATE", f"{{{tag}}}made{round}", "bloom", "BYTES", LARGE // 4, "FPR", "0.01")
            for _ in range(round % 2):
                master.connect()("PING")
            begin = time.monotonic()
            cluster.promote(replica)
            took = time.monotonic() - begin
            assert took < 4, f"the failover took {took:.1f} s: it was begun again"
            done = []
            for client in clients:
                try:
                    done.append(client.read())
                except OSError:  # the server closes connections whose commands it gave up
                    done.append(None)
            cluster.check_replicas()
            equal("master and replica", [master], cluster.replicas_of(replica))
            now = replica.connect()
            if done[1] == 1:
                equal("an item that was acknowledged", 1, now("HORTUS.EXISTS", a, f"late{round}"))
            if done[2] == "OK":
                equal("a filter that was acknowledged", 1, now("EXISTS", f"{{{tag}}}made{round}"))
            equal("a write afterwards", 1, now("HORTUS.ADD", a, f"afterwards{round}"))


harness.main()
