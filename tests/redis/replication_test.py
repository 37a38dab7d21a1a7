#!/usr/bin/env python3
"""A replica has the bytes of its master: after a full resynchronization, command by command, and after its link was cut."""

import random

import harness
from harness import equal
from server import Server, configure, digest, follow, in_step, info, wait_until
from specimens import answers, dumps, plant, skewed


def pair(folder):
    return Server(folder), Server(folder)


def same(master, replica):
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    here, there = master.connect(), replica.connect()
    equal("replies of the replica", answers(here), answers(there))
    equal("dumps of the replica", dumps(here), dumps(there))
    equal("digest of the replica", digest(master), digest(replica))


def test_full_resynchronization(folder):
    master, replica = pair(folder)
    plant(master.connect())
    follow(replica, master)
    same(master, replica)


def test_command_by_command(folder):
    master, replica = pair(folder)
    follow(replica, master)
    plant(master.connect())
    same(master, replica)
    equal("full resynchronizations", "1", info(master, "stats")["sync_full"])


def test_a_cut_link_resumes(folder):
    master, replica = pair(folder)
    follow(replica, master)
    connection = master.connect()
    plant(connection)
    for _ in range(5):
        connection("CLIENT", "KILL", "TYPE", "replica")
        # Written while nobody listens: the replica gets it from the backlog.
        connection("BF.MADD", "bloom:grown", *(f"cut{random.random()}" for _ in range(100)))
        connection("TOPK.ADD", "top:words", *skewed(200, random.random()))
        connection("CMS.INCRBY", "sketch:counts", "a", 1)
        connection("CF.ADD", "cuckoo:grown", "cut")
        same(master, replica)
    stats = info(master, "stats")
    equal("full resynchronizations", "1", stats["sync_full"])
    assert int(stats["sync_partial_ok"]) >= 5, "a replica whose link was cut was sent everything anew"


def test_random_choices_of_top_k_are_the_same(folder):
    master, replica = pair(folder)
    follow(replica, master)
    connection = master.connect()
    connection("TOPK.RESERVE", "top:words", 10, 8, 4, "0.8")
    for round in range(20):
        connection("TOPK.ADD", "top:words", *skewed(1000, round))
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    list_of = ("TOPK.LIST", "top:words", "WITHCOUNT")
    equal("the list of the replica", connection(*list_of), replica.connect()(*list_of))
    equal("digest of the replica", digest(master), digest(replica))


def test_settings_of_the_replica_do_not_matter(folder):
    """A key that a command creates has the master's settings on the replica too."""
    master, replica = pair(folder)
    for name, value in (("bf-error-rate", "0.2"), ("bf-initial-size", 7), ("bf-expansion-factor", 4), ("cf-bucket-size", 16), ("cf-initial-size", 64)):
        configure(replica, name, value)
    follow(replica, master)
    connection = master.connect()
    connection("BF.ADD", "one", "a")
    connection("BF.MADD", "several", *map(str, range(300)))
    connection("BF.INSERT", "inserted", "ITEMS", "a")
    connection("CF.ADD", "cone", "a")
    connection("CF.ADDNX", "cnew", "a")
    connection("CF.INSERT", "cinserted", "ITEMS", "a", "b")
    connection("CF.INSERTNX", "cinsertednew", "ITEMS", "a", "b")
    connection("CF.INSERT", "csmall", "CAPACITY", 8, "ITEMS", "a", "b")
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    for key in ("one", "several", "inserted", "cone", "cnew", "cinserted", "cinsertednew", "csmall"):
        equal(f"{key} on the replica", connection("DUMP", key), replica.connect()("DUMP", key))
    equal("digest of the replica", digest(master), digest(replica))


def test_keys_that_are_named_as_options(folder):
    """RedisBloom looks for options among all arguments, and what it says is read so. What hortus says is read as it was meant."""
    master, replica = Server(folder, "--appendonly", "yes"), Server(folder)
    follow(replica, master)
    connection = master.connect()
    for name in ("expansion", "NONSCALING", "Capacity", "error"):
        connection("BF.RESERVE", name, "0.001", 5000)
        connection("BF.ADD", name, "a")
        connection("BF.INSERT", name + "2", "NONSCALING", "ITEMS", "a")
    for name in ("maxiterations", "BUCKETSIZE", "Expansion2"):
        connection("CF.RESERVE", name, 512)
        connection("CF.ADD", name, "a")
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    equal("digest of the replica", digest(master), digest(replica))
    equal("commands refused by the replica", "0", info(replica, "everything")["hortus_repeated_commands_refused"])
    before = digest(master)
    master.restart()
    equal("digest after a restart", before, digest(master))


def test_times_without_a_sign(folder):
    master, replica = pair(folder)
    follow(replica, master)
    connection = master.connect()
    connection("HORTUS.CREATE", "w", "age_partitioned", "ITEMS", 100, "WINDOW", 1000)
    connection("HORTUS.ADD", "w", "x")
    connection("HORTUS.ADVANCE", "w", (1 << 64) - 1)
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    equal("digest of the replica", digest(master), digest(replica))


def test_a_command_that_only_the_replica_refuses_is_warned_of(folder):
    master, replica = pair(folder)
    replica.connect()("SET", "other", "text")
    follow(replica, master)
    connection, other = master.connect(), replica.connect()
    connection("BF.ADD", "k", "a")
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    other("CONFIG", "SET", "replica-read-only", "no")
    other("SET", "k", "text")
    connection("BF.ADD", "k", "b")
    wait_until(lambda: info(replica, "everything")["hortus_repeated_commands_refused"] == "1", "the refusal is counted")
    assert "says what is refused here: WRONGTYPE" in replica.log_text(), "the log says nothing"
    equal("errors for the master", "0", info(replica, "stats")["unexpected_error_replies"])


def test_a_refused_write_is_not_sent(folder):
    master, replica = pair(folder)
    follow(replica, master)
    connection = master.connect()
    connection("BF.RESERVE", "full", "0.01", 2, "NONSCALING")
    connection("BF.MADD", "full", "a", "b")
    connection("CF.RESERVE", "cfull", 4, "EXPANSION", 0)
    connection("CF.INSERT", "cfull", "ITEMS", *"1234")
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    offset = info(master, "replication")["master_repl_offset"]
    for refused in (("BF.ADD", "full", "c"), ("CF.ADD", "cfull", "5"), ("BF.RESERVE", "full", "0.01", 2), ("CMS.INCRBY", "absent", "a", 1)):
        connection.refused(*refused)
    equal("offset after commands that changed nothing", offset, info(master, "replication")["master_repl_offset"])


def test_a_lost_replica_catches_up(folder):
    master, replica = pair(folder)
    follow(replica, master)
    connection = master.connect()
    plant(connection)
    replica.kill()
    connection("BF.MADD", "bloom:grown", *(f"alone{i}" for i in range(1000)))
    replica.start("--replicaof", "127.0.0.1", master.port)
    wait_until(lambda: info(replica, "replication").get("master_link_status") == "up", "the replica is back")
    same(master, replica)


def test_a_promoted_replica_goes_on(folder):
    master, replica = pair(folder)
    follow(replica, master)
    before = plant(master.connect())
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    master.kill()
    connection = replica.connect()
    connection("REPLICAOF", "NO", "ONE")
    equal("replies of the promoted replica", before, answers(connection))
    equal("a write", 1, connection("BF.ADD", "bloom:grown", "after the failover"))


harness.main()
