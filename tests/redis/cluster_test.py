#!/usr/bin/env python3
"""The module in a Redis Cluster of three masters and three replicas: every command through a client for clusters; slots that
are moved, and masters that are killed, while clients write. $HORTUS_REDIS_ROUNDS says how often: 50 times in
`make nightly-redis`."""

import itertools
import threading
import time

import harness
from cluster import Cluster, slot_of, tags
from harness import equal, size
from resp import Refused, pairs
from server import Server, wait_until

ROUNDS = size("ROUNDS", 2)
CLIENTS = 4


# -- every command --------------------------------------------------------------------------------------------------------


def every_command(run, key):
    """Every command of the module. run(words) sends one; key(name) is a key, all of one slot."""
    b, c, s, t = key("bf"), key("cf"), key("cms"), key("topk")
    run("BF.RESERVE", b, "0.001", 100)
    run("BF.ADD", b, "x")
    run("BF.MADD", b, "x", "y")
    run("BF.INSERT", key("bf inserted"), "CAPACITY", 50, "ITEMS", "x", "y")
    run("BF.EXISTS", b, "x")
    run("BF.MEXISTS", b, "x", "absent")
    run("BF.CARD", b)
    run("BF.INFO", b)
    run("BF.DEBUG", b)
    moved(run, "BF", b, key("bf moved"))
    run("BF.MEXISTS", key("bf moved"), "x", "y", "absent")

    run("CF.RESERVE", c, 1000)
    run("CF.ADD", c, "x")
    run("CF.ADDNX", c, "x")
    run("CF.INSERT", c, "ITEMS", "y", "z")
    run("CF.INSERTNX", c, "ITEMS", "y", "w")
    run("CF.EXISTS", c, "x")
    run("CF.MEXISTS", c, "x", "absent")
    run("CF.COUNT", c, "x")
    run("CF.DEL", c, "x")
    run("CF.COMPACT", c)
    run("CF.INFO", c)
    run("CF.DEBUG", c)
    moved(run, "CF", c, key("cf moved"))
    run("CF.MEXISTS", key("cf moved"), "y", "z", "w", "absent")

    run("CMS.INITBYDIM", s, 100, 4)
    run("CMS.INITBYPROB", key("cms likely"), "0.01", "0.01")
    run("CMS.INCRBY", s, "x", 5, "y", 7)
    run("CMS.INITBYDIM", key("cms merged"), 100, 4)
    run("CMS.MERGE", key("cms merged"), 2, s, s, "WEIGHTS", 1, 2)
    run("CMS.QUERY", key("cms merged"), "x", "y", "absent")
    run("CMS.INFO", s)

    run("TOPK.RESERVE", t, 3, 50, 4, "0.9")
    run("TOPK.ADD", t, "x", "y")
    run("TOPK.INCRBY", t, "x", 5)
    run("TOPK.QUERY", t, "x", "absent")
    run("TOPK.COUNT", t, "x")
    run("TOPK.LIST", t, "WITHCOUNT")
    run("TOPK.INFO", t)

    one, two, counts, values = key("one"), key("two"), key("counts"), key("values")
    for each in (one, two):
        run("HORTUS.CREATE", each, "bloom", "ITEMS", 1000, "FPR", "0.001")
        run("HORTUS.ADD", each, "both", each[-3:])
    run("HORTUS.MADD", one, "LINES", "p\nq")
    run("HORTUS.EXISTS", one, "both", "q", "absent")
    run("HORTUS.MEXISTS", one, "LINES", "both\nq\nabsent")
    run("HORTUS.ESTIMATE", one)
    run("HORTUS.COMPARE", one, two)
    run("HORTUS.MERGE", key("merged"), 2, one, two)
    run("HORTUS.INTERSECT", key("shared"), 2, one, two)
    run("HORTUS.EXISTS", key("merged"), "both", "one", "two", "absent")
    run("HORTUS.EXISTS", key("shared"), "both", "one", "two", "absent")
    run("HORTUS.INFO", one)
    run("HORTUS.IMPORT", key("imported"), run("HORTUS.EXPORT", one))
    next, _, piece = run("HORTUS.EXPORT", one, "FROM", 0)
    equal("pieces of a small filter", 0, next)
    run("HORTUS.IMPORT", key("in pieces"), "FROM", 0, piece[:500])
    run("HORTUS.IMPORT", key("in pieces"), "FROM", 500, piece[500:])
    run("HORTUS.EXISTS", key("in pieces"), "both", "one", "absent")
    run("HORTUS.FOLD", two, "BY", 2)
    run("HORTUS.CLEAR", two)
    run("HORTUS.CREATE", key("grows"), "quotient", "ITEMS", 100)
    run("HORTUS.GROW", key("grows"))
    run("HORTUS.CREATE", counts, "count_min", "ITEMS", 100)
    run("HORTUS.ADDCOUNT", counts, "x", 5)
    run("HORTUS.DEL", counts, "x")
    run("HORTUS.COUNT", counts, "x")
    run("HORTUS.MCOUNT", counts, "LINES", "x\nabsent")
    run("HORTUS.MDEL", counts, "LINES", "x\nabsent")
    run("HORTUS.CREATE", values, "dynamic_bloomier_map", "ITEMS", 100, "SET", "value_bits", 8)
    run("HORTUS.PUT", values, "x", 7)
    run("HORTUS.ASSIGN", values, "x", 8)
    run("HORTUS.GET", values, "x", "absent")
    run("HORTUS.MGET", values, "LINES", "x\nabsent")
    run("HORTUS.CREATE", key("frequent"), "space_saving", "ITEMS", 30)
    run("HORTUS.ADD", key("frequent"), "x", "x", "y")
    run("HORTUS.TOP", key("frequent"), 2)
    run("HORTUS.CREATE", key("window"), "age_partitioned", "ITEMS", 100, "WINDOW", 60000)
    run("HORTUS.ADVANCE", key("window"))
    run("HORTUS.LIST", "bloom")
    run("HORTUS.PLAN", "ITEMS", 1000)
    run("COPY", one, key("copy"))
    run("RENAME", key("copy"), key("renamed"))
    run("HORTUS.EXISTS", key("renamed"), "both", "absent")


def moved(run, kind, key, to):
    iterator, chunk = run(kind + ".SCANDUMP", key, 0)
    while iterator:
        run(kind + ".LOADCHUNK", to, iterator, chunk)
        iterator, chunk = run(kind + ".SCANDUMP", key, iterator)


KEYLESS = ("HORTUS.LIST", "HORTUS.PLAN")  # redis-py has to be told where to send them

# Commands with several keys, which the cluster must look for in all their places.
SEVERAL = {
    "CMS.MERGE": lambda a, b, c: ("CMS.MERGE", a, 2, b, c),
    "HORTUS.MERGE": lambda a, b, c: ("HORTUS.MERGE", a, 2, b, c),
    "HORTUS.INTERSECT": lambda a, b, c: ("HORTUS.INTERSECT", a, 2, b, c),
    "HORTUS.COMPARE": lambda a, b, c: ("HORTUS.COMPARE", a, b),
}


def comparable(words, reply):
    """What the reply has in common on all servers. Simple strings are bytes with redis-py, and the OK of RENAME is True."""
    if words[0] == "HORTUS.ADVANCE":  # the time
        return type(reply)
    if words[0] == "RENAME":
        return reply in ("OK", True)
    if words[0] == "HORTUS.EXPORT" and isinstance(reply, list):  # the stamp
        reply = [reply[0], reply[2]]
    if isinstance(reply, list):
        return [comparable(("",), each) for each in reply]
    return reply.encode() if isinstance(reply, str) else reply


def commands_of_the_module(connection):
    return {name.decode().upper() for name in connection("COMMAND", "LIST", "FILTERBY", "MODULE", "hortus")}


def test_every_command(folder):
    """The replies of a cluster, with keys of each master, are those of a single server. A command without a case is an
    error."""
    with Server(folder) as single, Cluster(folder, failover=False) as cluster:
        client, alone = cluster.client(), single.connect()
        used = set()

        def through_the_cluster(*words):
            used.add(words[0])
            return client.execute_command(*words, **({"target_nodes": client.RANDOM} if words[0] in KEYLESS else {}))

        for master in cluster.masters():
            tag = cluster.tags_of(master)[0]
            logs = [], []
            for run, log in zip((alone, through_the_cluster), logs):

                def logged(*words):
                    reply = run(*words)
                    log.append((words, comparable(words, reply)))
                    return reply

                every_command(logged, lambda name: f"{{{tag}}}{name}")
            for (words, expected), (_, got) in zip(*logs):
                equal(f"reply to {words!r:.200}", expected, got)
            equal("keys on their master", {slot_of(tag)}, {slot_of(key) for key in master.connect()("KEYS", "*")})
        equal("commands of the module without a case", set(), commands_of_the_module(alone) - used)
        cluster.check_replicas()


def test_where_keys_are(folder):
    with Cluster(folder, failover=False) as cluster:
        keys_of_several_slots_are_refused(cluster)
        other_nodes_say_where_a_key_is(cluster)


def keys_of_several_slots_are_refused(cluster):
    client, master = cluster.client(), cluster.masters()[0]
    connection = master.connect()
    here, there = cluster.tags_of(master, 2)  # of one master: it is the slot that counts
    known = {name: connection("COMMAND", "INFO", name)[0][2] for name in commands_of_the_module(connection)}
    equal("commands with several keys", set(SEVERAL), {name for name, flags in known.items() if "movablekeys" in flags})
    for name, words in SEVERAL.items():
        create = ("CMS.INITBYDIM", 10, 2) if name.startswith("CMS") else ("HORTUS.CREATE", "bloom", "ITEMS", 100)
        keys = [f"{{{here}}}{name}{i}" for i in range(3)]
        for key in keys:
            connection(create[0], key, *create[1:])
        connection(*words(*keys))
        for i in range(len([word for word in words(*keys) if word in keys])):
            others = [*keys]
            others[i] = f"{{{there}}}{name}"
            refused = connection.refused(*words(*others))
            assert refused.startswith("CROSSSLOT"), f"{words(*others)}: {refused}"
            try:
                client.execute_command(*words(*others))
            except Exception as why:
                assert "same key slot" in str(why), why
            else:
                raise AssertionError(f"redis-py sent {words(*others)}")
        for redis_own in ("COPY", "RENAME"):
            assert connection.refused(redis_own, keys[0], f"{{{there}}}{name}").startswith("CROSSSLOT"), redis_own


def other_nodes_say_where_a_key_is(cluster):
    master, other, _ = cluster.masters()
    key = f"{{{cluster.tags_of(master)[0]}}}filter"
    master.connect()("BF.ADD", key, "x")
    cluster.wait_until_in_step()
    there = f"MOVED {slot_of(key)} {master}"
    equal("another master", there, other.connect().refused("BF.ADD", key, "y"))
    replica = cluster.replicas_of(master)[0].connect()
    equal("a replica", there, replica.refused("BF.EXISTS", key, "x"))
    replica("READONLY")
    equal("a replica of which reading is allowed", [1, 0], replica("BF.MEXISTS", key, "x", "y"))
    equal("a write there", there, replica.refused("BF.ADD", key, "y"))
    equal("HORTUS.CREATE there", there, replica.refused("HORTUS.CREATE", key, "bloom", "ITEMS", 100))


# -- slots that are moved -------------------------------------------------------------------------------------------------


def names(tag):
    return {kind: f"{{{tag}}}{kind}" for kind in ("bf", "hortus", "cf", "cms", "topk")}


def create(client, tag):
    key = names(tag)
    client.execute_command("BF.RESERVE", key["bf"], "0.0001", 100)
    client.execute_command("HORTUS.CREATE", key["hortus"], "bloom", "ITEMS", 20000, "FPR", "0.0001")
    client.execute_command("CF.RESERVE", key["cf"], 4096, "EXPANSION", 2)
    client.execute_command("CMS.INITBYDIM", key["cms"], 500, 4)
    client.execute_command("TOPK.RESERVE", key["topk"], 5)


def writes(tag, item, new_key):
    """A write to a value of each type, and if asked a new key, which is made on another thread of the server."""
    key = names(tag)
    made = {"made": ("HORTUS.CREATE", f"{{{tag}}}{item}", "bloom", "ITEMS", 100)} if new_key else {}
    return made | {
        "bf": ("BF.ADD", key["bf"], item),
        "hortus": ("HORTUS.MADD", key["hortus"], "LINES", item),
        "cf": ("CF.ADD", key["cf"], item),
        "cms": ("CMS.INCRBY", key["cms"], "all", 1),
        "topk": ("TOPK.ADD", key["topk"], "all"),
    }


class Acknowledged:
    """Per tag: the items of each kind of value whose writes were acknowledged."""

    def __init__(self, tags):
        self.items = {tag: {kind: [] for kind in (*names(tag), "made")} for tag in tags}

    def add(self, other):
        for tag, kinds in other.items.items():
            for kind, items in kinds.items():
                self.items[tag][kind] += items

    def check(self, client, exactly):
        """Everything is there. `exactly`: and nothing else, so that no write was done twice."""
        for tag, items in self.items.items():
            key = names(tag)
            assert all(items.values()), f"{tag}: nothing was written to a value"
            packed = client.execute_command("HORTUS.MEXISTS", key["hortus"], "LINES", "\n".join(items["hortus"]))
            found = {
                "bf": client.execute_command("BF.MEXISTS", key["bf"], *items["bf"]),
                "cf": client.execute_command("CF.MEXISTS", key["cf"], *items["cf"]),
                "hortus": [packed[i // 8] >> i % 8 & 1 for i in range(len(items["hortus"]))],
            }
            for kind, replies in found.items():
                lost = [item for item, is_there in zip(items[kind], replies) if not is_there]
                equal(f"acknowledged items that {key[kind]} lost, of {len(items[kind])}", [], lost)
            counted = {
                "made": client.execute_command("EXISTS", *(f"{{{tag}}}{item}" for item in items["made"])),
                "cms": client.execute_command("CMS.QUERY", key["cms"], "all")[0],
                "topk": dict(pairs(client.execute_command("TOPK.LIST", key["topk"], "WITHCOUNT")))[b"all"],
                "cf": client.execute_command("CF.INFO", key["cf"])[7],
            }
            for kind, count in counted.items():
                written = len(items[kind])
                assert count == written if exactly else count >= written, f"{tag}: {kind} counts {count} of {written} writes"


class Writer(threading.Thread):
    """Writes items of its own until it is told to stop. write() is the subclass's."""

    def __init__(self, name, tags):
        super().__init__(daemon=True)
        self.name, self.tags = name, tags
        self.done = Acknowledged(tags)
        self.rounds, self.stopping, self.failure = 0, False, None

    def run(self):
        try:
            for self.rounds in itertools.count():
                if self.stopping:
                    return
                for tag in self.tags:
                    item = f"{self.name}.{self.rounds}"
                    self.write(tag, item, writes(tag, item, self.rounds % 10 == 0))
        except Exception as why:
            self.failure = f"{type(why).__name__}: {why}"


def progress(writers, rounds):
    """Waits until each has written so much more."""
    until = {writer: writer.rounds + rounds for writer in writers}

    def reached():
        equal("what clients failed with", [], [writer.failure for writer in writers if writer.failure])
        return all(writer.rounds >= rounds for writer, rounds in until.items())

    wait_until(reached, f"every client has written {rounds} more rounds")


def stop(writers):
    for writer in writers:
        writer.stopping = True
    for writer in writers:
        writer.join(60)
        assert not writer.is_alive(), "a client hangs"
    equal("what clients failed with", [], [writer.failure for writer in writers if writer.failure])
    total = Acknowledged(writers[0].tags)
    for writer in writers:
        total.add(writer.done)
    return total


class ClusterWriter(Writer):
    """Through redis-py. It must not fail: it sends again what a node redirects."""

    def __init__(self, cluster, name, tags):
        super().__init__(name, tags)
        self.client = cluster.client()

    def write(self, tag, item, words_of):
        for kind, words in words_of.items():
            try:
                self.client.execute_command(*words)
                self.done.items[tag][kind].append(item)
            except Exception as why:
                # A master that becomes a replica disconnects clients whose commands are on another thread.
                if kind != "made" or not str(why).startswith("UNBLOCKED"):
                    raise


def test_slots_are_moved_while_clients_write(folder):
    """No write is lost, none is done twice, and no client sees an error: neither when slots are moved, nor when a replica takes
    the place of its master by hand."""
    moving = 60
    with Cluster(folder, failover=False) as cluster:
        client = cluster.client()
        chosen = tags(range(moving).__contains__, 5)
        for tag in chosen:
            create(client, tag)
        writers = [ClusterWriter(cluster, f"w{i}", chosen) for i in range(CLIENTS)]
        for writer in writers:
            writer.start()
        progress(writers, 2)
        for round in range(ROUNDS):
            # The first slots go round: from the first master to the second, from there to the third, and back.
            for source, target in zip(circle := cluster.masters(), circle[1:] + circle[:1]):
                cluster.move_slots(moving, source, target)
                progress(writers, 2)
            slot = slot_of(chosen[round % len(chosen)])
            here = cluster.master_of_slot(slot)
            there = next(master for master in cluster.masters() if master is not here)
            for target in (there, here):
                cluster.move_slot(slot, target, lambda: progress(writers, 2))
            cluster.wait_until_ok()
            # Of the master that has most of what is written, and in long tests of the others in turn.
            cluster.promote(cluster.replicas_of((cluster.master_of_slot(slot), *circle)[round % 4])[0])
            progress(writers, 2)
            cluster.wait_until_ok()
        stop(writers).check(client, exactly=True)
        cluster.check_replicas()


# -- masters that are killed ----------------------------------------------------------------------------------------------


class WaitingWriter(Writer):
    """Sends WAIT after every write, on the same connection, and counts a write only if the replica has it. It goes on with
    another node when its own dies."""

    def __init__(self, cluster, name, tag):
        super().__init__(name, [tag])
        self.cluster, self.connection, self.unheard = cluster, None, []

    def write(self, tag, item, words_of):
        try:
            if self.connection is None:
                self.connection = self.cluster.master_of(f"{{{tag}}}").connect(timeout=10)
            replies = self.connection.pipeline([each for words in words_of.values() for each in (words, ("WAIT", 1, 50))])
        except (OSError, ValueError):
            # The node is dead, or not everything came back. What of it was done is not known.
            self.connection = None
            time.sleep(0.02)
            return
        for kind, reply, replicas in zip(words_of, replies[::2], replies[1::2]):
            if isinstance(reply, Refused):
                assert str(reply).split()[0] in ("MOVED", "CLUSTERDOWN"), reply
                self.connection = None
            elif replicas >= 1:
                self.done.items[tag][kind].append(item)
            elif kind == "bf":
                self.unheard.append(item)
        if self.connection is None:
            time.sleep(0.02)


def test_what_a_replica_has_survives_kill_9_of_its_master(folder):
    """The promise: a write after which WAIT 1 on the same connection answered 1 or more is there after its master was killed
    and its replica has taken over.

    It holds because a master has one replica here: WAIT answers 1 when that replica has the write in memory, and no other can
    take over. Redis Cluster promises no more than that. With two replicas, WAIT 1 may be about the one that is not elected. If
    the replica is killed too, before it takes over, the write is gone unless it was saved. A write without WAIT, or whose WAIT
    answered 0, may be lost.

    In every other round the replica is shut out before the kill. What is written then is lost for certain: so the test sees
    that it would notice a loss, and that the answer of WAIT is what matters."""
    with Cluster(folder) as cluster:
        client = cluster.client()
        victims = [cluster.tags_of(master)[0] for master in cluster.masters()]
        for tag in victims:
            create(client, tag)
        total = Acknowledged(victims)
        for round in range(ROUNDS):
            writers = [WaitingWriter(cluster, f"{round}.{i}", tag) for i, tag in enumerate(victims)]
            for writer in writers:
                writer.start()
            progress(writers, 20)
            attacked = writers[round % len(writers)]
            tag = attacked.tags[0]
            if shut_out := round % 2 == 1:
                connection = cluster.master_of(f"{{{tag}}}").connect()
                connection("ACL", "SETUSER", "default", "-psync", "-sync")
                connection("CLIENT", "KILL", "TYPE", "replica")
                wait_until(lambda: len(attacked.unheard) >= 3, "writes are made of which the replica does not hear")
            killed = cluster.kill_master_of(f"{{{tag}}}")
            unheard = [*attacked.unheard]
            cluster.wait_until_ok()
            progress(writers, 2)  # the cluster goes on
            for writer in writers:
                total.add(stop([writer]))
            client = cluster.client()
            total.check(client, exactly=False)
            if shut_out:
                found = client.execute_command("BF.MEXISTS", names(tag)["bf"], *unheard)
                assert not all(found), "a replica that was shut out has what it was not told"
            killed.start()
            cluster.wait_until_ok()
            cluster.check_replicas()


harness.main()
