#!/usr/bin/env python3
"""Every allocation of every command fails once: the reply is an error or right, the value is as it was, the server lives. Needs a
module compiled with HORTUS_REDIS_FAULTS, whose command HORTUS.FAULT makes an allocation fail."""

import harness
from harness import equal
from resp import Refused
from server import Server, follow, in_step, wait_until
from specimens import SPECIMENS, plant

MOST_ALLOCATIONS = 3000  # of one command; more would be a fault of the command

COMMANDS = [
    ("BF.RESERVE", "new", "0.01", 1000),
    ("BF.RESERVE", "new", "0.01", 1000, "NONSCALING"),
    ("BF.ADD", "new", "x"),
    ("BF.INSERT", "new", "NONSCALING", "ITEMS", "x"),
    ("BF.MADD", "new", *map(str, range(300))),
    ("BF.INSERT", "new", "CAPACITY", 10, "ITEMS", *map(str, range(100))),
    ("BF.MADD", "bloom:grown", *map(str, range(3000))),
    ("BF.MEXISTS", "bloom:grown", *map(str, range(300))),
    ("BF.INFO", "bloom:grown"),
    ("BF.DEBUG", "bloom:grown"),
    ("BF.SCANDUMP", "bloom:grown", 0),
    ("BF.SCANDUMP", "bloom:grown", 1),
    ("CF.RESERVE", "new", 1000),
    ("CF.ADD", "new", "x"),
    ("CF.INSERT", "new", "CAPACITY", 16, "ITEMS", *map(str, range(200))),
    ("CF.INSERTNX", "cuckoo:grown", "ITEMS", *map(str, range(3000))),
    ("CF.DEL", "cuckoo:grown", "c300"),
    ("CF.COMPACT", "cuckoo:grown"),
    ("CF.MEXISTS", "cuckoo:grown", *map(str, range(300))),
    ("CF.INFO", "cuckoo:grown"),
    ("CF.SCANDUMP", "cuckoo:grown", 0),
    ("CMS.INITBYDIM", "new", 100, 5),
    ("CMS.INITBYPROB", "new", "0.01", "0.01"),
    ("CMS.INCRBY", "sketch:counts", *(word for i in range(100) for word in (i, 1))),
    ("CMS.QUERY", "sketch:counts", *map(str, range(100))),
    ("CMS.MERGE", "sketch:counts", 2, "sketch:counts", "sketch:other", "WEIGHTS", 1, 3),
    ("CMS.INFO", "sketch:counts"),
    ("TOPK.RESERVE", "new", 10, 10, 5, "0.9"),
    ("TOPK.ADD", "top:words", *map(str, range(200))),
    ("TOPK.INCRBY", "top:words", *(word for i in range(100) for word in (f"often{i}", 90000 + i))),
    ("TOPK.QUERY", "top:words", *map(str, range(100))),
    ("TOPK.LIST", "top:words", "WITHCOUNT"),
    ("TOPK.INFO", "top:words"),
    ("HORTUS.CREATE", "new", "bloom", "ITEMS", 1000, "FPR", "0.01"),
    ("HORTUS.ADD", "family:bloom", *map(str, range(300))),
    ("HORTUS.ADD", "family:growing", *map(str, range(3000))),
    ("HORTUS.DEL", "family:cuckoo", "f5", "f6"),
    ("HORTUS.ADD", "family:top", *map(str, range(300))),
    ("HORTUS.EXISTS", "family:growing", *map(str, range(300))),
    ("HORTUS.TOP", "family:top", 10),
    ("HORTUS.INFO", "family:bloom"),
    ("HORTUS.CLEAR", "family:bloom"),
    ("HORTUS.EXPORT", "family:bloom"),
    ("HORTUS.MADD", "family:bloom", "LINES", "a\nb\nc\n"),
    ("HORTUS.MDEL", "family:count_min", "LINES", "a\nb\nc\n"),
    ("HORTUS.INFO", "family:bloom", "HASH"),
    ("HORTUS.MEXISTS", "family:bloom", "LINES", "a\nb\nc\n"),
    *(("COPY", key, "new") for key in SPECIMENS),
    *(("DUMP", key) for key in SPECIMENS),
    *(("MEMORY", "USAGE", key) for key in SPECIMENS),
]


def with_faults(folder):
    server = Server(folder)
    if server.connect()("COMMAND", "INFO", "HORTUS.FAULT") == [None]:
        raise harness.Skipped("this module was compiled without HORTUS_REDIS_FAULTS")
    return server


def in_all(commands, body):
    """body(command) for each; fails with what went wrong first in each of them."""
    wrong = []
    for command in commands:
        try:
            body(command)
        except AssertionError as why:
            wrong.append(str(why)[:700])
    assert not wrong, f"{len(wrong)} of {len(commands)} commands:\n" + "\n".join(wrong)


def fail_everywhere(connection, prepare, command, key, after=lambda what: None):
    """Runs it with each allocation failing in turn. Returns the number of allocations."""
    prepare()
    before = connection("DUMP", key)
    connection("HORTUS.FAULT", 0)
    right = connection.reply_or_error(*command)
    needed = connection("HORTUS.FAULT", 0)
    assert needed < MOST_ALLOCATIONS, f"{command[:3]} allocates {needed} times"
    for which in range(1, needed + 1):
        prepare()
        connection("HORTUS.FAULT", which)
        reply = connection.reply_or_error(*command)
        connection("HORTUS.FAULT", 0)
        if isinstance(reply, Refused):
            equal(f"{key} after the refusal {reply} of {command[:3]}, allocation {which}", before, connection("DUMP", key))
        elif not partly_done(reply) and command[0] != "MEMORY":
            equal(f"{command[:3]} with allocation {which} failing", right, reply)
        after(f"{command[:3]} with allocation {which} failing")
    return needed


def partly_done(reply):
    """Several items, of which one was refused: with an error, or in CF.INSERT with -1."""
    return isinstance(reply, list) and any(isinstance(element, Refused) or element == -1 for element in reply)


def key_of(command):
    return command[2] if command[0] in ("COPY", "MEMORY") else command[1]


def prepare(connection, command, key):
    connection("FLUSHALL", "SYNC")
    plant(connection, [key] if key in SPECIMENS else [command[1]] if command[0] == "COPY" else ["top:empty"])
    if command[0] == "CMS.MERGE":
        connection("CMS.INITBYDIM", "sketch:other", 500, 6)


def test_commands(folder):
    with with_faults(folder) as server:
        connection = server.connect()
        allocations = []

        def body(command):
            key = key_of(command)
            allocations.append(fail_everywhere(connection, lambda: prepare(connection, command, key), command, key))

        in_all(COMMANDS, body)
        assert sum(allocations) > len(COMMANDS), f"only {allocations} allocations: is HORTUS.FAULT counting?"


def test_restore_and_loadchunk(folder):
    with with_faults(folder) as server:
        connection = server.connect()
        plant(connection)
        dumps = {key: connection("DUMP", key) for key in SPECIMENS}
        chunks = {}
        for kind, key in (("BF", "bloom:grown"), ("CF", "cuckoo:grown")):
            chunks[kind, key], iterator = [], 0
            while (reply := connection(f"{kind}.SCANDUMP", key, iterator))[0]:
                chunks[kind, key].append(reply)
                iterator = reply[0]

        def empty():
            connection("FLUSHALL", "SYNC")

        for key, dump in dumps.items():
            fail_everywhere(connection, empty, ("RESTORE", "new", 0, dump), "new")
        for (kind, key), parts in chunks.items():
            for count in range(len(parts)):

                def load():
                    empty()
                    for iterator, data in parts[:count]:
                        connection(f"{kind}.LOADCHUNK", "new", iterator, data)

                fail_everywhere(connection, load, (f"{kind}.LOADCHUNK", "new", *parts[count]), "new")


def test_a_replica_has_what_the_master_has(folder):
    """Where memory of the master was short it is not short on the replica, which must not do more than the master did."""
    with with_faults(folder) as master, Server(folder) as replica:
        follow(replica, master)
        connection, there = master.connect(), replica.connect()

        def body(command):
            key = key_of(command)

            def compare(what):
                wait_until(lambda: in_step(master, replica), "the replica has everything")
                equal(f"{key} on the replica after {what}", connection("DUMP", key), there("DUMP", key))

            fail_everywhere(connection, lambda: prepare(connection, command, key), command, key, compare)

        in_all([command for command in COMMANDS if "write" in connection("COMMAND", "INFO", command[0])[0][2]], body)


harness.main()
