#!/usr/bin/env python3
"""Beside a module that has RedisBloom's names, or some of them: HORTUS.* works, and the groups of commands of which a name is
taken are left out as a whole."""

import os
import re

import harness
from harness import equal
from server import Server, info

COMMANDS = """bf.reserve bf.add bf.madd bf.insert bf.loadchunk bf.exists bf.mexists bf.info bf.card bf.debug bf.scandump cf.reserve cf.add
    cf.addnx cf.insert cf.insertnx cf.del cf.compact cf.loadchunk cf.exists cf.mexists cf.count cf.info cf.debug cf.scandump
    cms.initbydim cms.initbyprob cms.incrby cms.merge cms.query cms.info topk.reserve topk.add topk.incrby topk.query topk.count
    topk.list topk.info""".split()
GROUPS = {"BF": "MBbloom--", "CF": "MBbloomCF", "CMS": "CMSk-TYPE", "TOPK": "TopK-TYPE"}
HORTUS = os.environ["HORTUS_REDIS_MODULE"]
TAKER = os.path.join(os.path.dirname(HORTUS), "taken_names.so")


def beside(folder, names, *options):
    """A server whose first module has these names."""
    return Server(folder, "--loadmodule", HORTUS, *options, module=TAKER, arguments=names)


def commands_of(group):
    return [name for name in COMMANDS if name.startswith(group.lower() + ".")]


def check(server, left_out, taken=()):
    """Exactly these groups are left out, each as a whole; all else works."""
    connection = server.connect()
    for group in GROUPS:
        for name, described in zip(commands_of(group), connection("COMMAND", "INFO", *commands_of(group))):
            expected = group not in left_out or name in taken
            equal(f"{name} beside {left_out}", expected, described is not None)
    about = info(server, "everything")
    equal("groups that INFO says are left out", ",".join(left_out) or None, about.get("hortus_left_out"))
    lines = re.findall(r"without the commands of RedisBloom in these groups: ([A-Z,]+)\.", server.log_text())
    equal("groups that the log says are left out", [",".join(left_out)] if left_out else [], lines)
    for group in GROUPS:
        counted = f"hortus_objects_{group.lower()}" in about
        equal(f"INFO counts values of {group}", group not in left_out, counted)
    names = {name.decode().removeprefix("hortus.") for name in connection("CONFIG", "GET", "*")[::2]}
    for prefix, group in (("bf-", "BF"), ("cf-", "CF")):
        equal(f"settings of {group}", group not in left_out, any(name.startswith(prefix) for name in names))
    assert "max-object-bytes" in names
    connection("HORTUS.CREATE", "f", "bloom", "ITEMS", 100)
    connection("HORTUS.ADD", "f", "x")
    equal("a family", 1, connection("HORTUS.EXISTS", "f", "x"))
    for group, command, reply in (
        ("BF", ("BF.ADD", "b", "x"), 1), ("CF", ("CF.ADD", "c", "x"), 1), ("CMS", ("CMS.INITBYDIM", "s", 5, 5), "OK"),
        ("TOPK", ("TOPK.RESERVE", "t", 3), "OK"),
    ):  # fmt: skip
        if group not in left_out:
            equal(command[0], reply, connection(*command))


def test_alone(folder):
    with Server(folder) as server:
        check(server, [])


def test_all_names_are_taken(folder):
    """As by RedisBloom, which Redis 8 brings along."""
    names = [word for name in COMMANDS for word in ("COMMAND", name)]
    names += [word for name in GROUPS.values() for word in ("TYPE", name)]
    with beside(folder, names) as server:
        connection = server.connect()
        equal("a command of the other module", "taken BF.ADD", connection("BF.ADD", "theirs", "x"))
        check(server, list(GROUPS), COMMANDS)


def test_one_name_is_taken(folder):
    """A command or a type: the whole group is left out, and no other."""
    for group, type_name in GROUPS.items():
        mine = commands_of(group)
        for kind, name in [("TYPE", type_name)] + [("COMMAND", name) for name in (mine[0], mine[1], mine[-1], group.lower() + ".other")]:
            with beside(folder, (kind, name)) as server:
                check(server, [group], (name,))


def test_several_groups(folder):
    with beside(folder, ("COMMAND", "bf.add", "TYPE", "bloomfltr", "TYPE", "TopK-TYPE")) as server:
        check(server, ["BF", "TOPK"], ("bf.add",))
        connection = server.connect()
        connection("CF.RESERVE", "cuckoo", 100)
        before = connection("DUMP", "cuckoo")
        connection("DEL", "cuckoo")
        connection("RESTORE", "cuckoo", 0, before)
        equal("a value of a group that is there", before, connection("DUMP", "cuckoo"))


def test_by_an_argument(folder):
    with Server(folder, arguments=("REDISBLOOM", "no")) as server:
        check(server, list(GROUPS))
    with Server(folder, arguments=("redisbloom", "yes")) as server:
        check(server, [])
    # So another module can be loaded later than this one.
    with Server(folder, "--loadmodule", TAKER, "COMMAND", "bf.add", "TYPE", "MBbloom--", arguments=("redisbloom", "no")) as server:
        check(server, list(GROUPS), ("bf.add",))
        equal("a command of the other module", "taken BF.ADD", server.connect()("BF.ADD", "theirs", "x"))
    # Arguments for what is left out have no effect.
    with Server(folder, arguments=("redisbloom", "no", "bf-error-rate", "0.02", "INITIAL_SIZE", 7)) as server:
        check(server, list(GROUPS))
    try:
        Server(folder, arguments=("redisbloom", "perhaps"))
    except AssertionError as why:
        assert "Unrecognized option or value: redisbloom perhaps" in str(why), why
    else:
        raise AssertionError("the module was loaded with redisbloom perhaps")


def test_settings_of_the_other_module_stay(folder):
    """Redis 8 lets modules have settings without a prefix, and RedisBloom has them there. What is taken gets the prefix."""
    names = ("COMMAND", "bf.add", "SETTING", "bf-error-rate", "SETTING", "bf-initial-size", "SETTING", "cf-bucket-size")
    with beside(folder, names) as server:
        connection = server.connect()
        plain = bool(connection("CONFIG", "GET", "max-object-bytes"))
        theirs, ours = ("", "") if plain else ("taker.", "hortus.")
        expected = {
            theirs + "bf-error-rate": "1", theirs + "bf-initial-size": "1", theirs + "cf-bucket-size": "1",
            "hortus.cf-bucket-size": "2", ours + "cf-initial-size": "1024",
        }  # fmt: skip
        found = [word.decode() for pattern in ("*bf-*", "*cf-bucket-size", "*cf-initial-size") for word in connection("CONFIG", "GET", pattern)]
        equal("settings", expected, dict(zip(found[::2], found[1::2])))
        connection("CONFIG", "SET", "hortus.cf-bucket-size", 4)
        connection("CF.ADD", "c", "x")
        equal("CF.INFO", 4, connection("CF.INFO", "c")[11])


def test_a_server_that_cannot_list_its_commands(folder):
    """The module is loaded as a whole or not at all."""
    without = ("--rename-command", "COMMAND", "")
    with Server(folder, *without) as server:
        equal("BF.ADD", 1, server.connect()("BF.ADD", "b", "x"))
    try:
        beside(folder, ("COMMAND", "bf.reserve"), *without)
    except AssertionError as why:
        assert "Redis refused the command bf.reserve" in str(why), why
    else:
        raise AssertionError("a group was loaded in part")


def test_other_filters_are_told_apart(folder):
    """HORTUS.* cannot read values of BF.*, and says what can be done."""
    with Server(folder) as server:
        connection = server.connect()
        connection("BF.ADD", "bf", "x")
        connection("CF.ADD", "cf", "x")
        connection("CMS.INITBYDIM", "cms", 5, 5)
        connection("TOPK.RESERVE", "topk", 3)
        connection("SET", "text", "x")
        file = connection("HORTUS.EXPORT", "f") if connection("HORTUS.CREATE", "f", "bloom", "ITEMS", 9) else None
        for key, what in (("bf", "a Bloom filter of BF.*"), ("cf", "a cuckoo filter of CF.*"), ("cms", "a sketch of CMS.*"), ("topk", "a list of TOPK.*")):
            for command in (("ADD", key, "x"), ("EXISTS", key, "x"), ("INFO", key), ("EXPORT", key), ("MERGE", "g", 1, key)):
                why = connection.refused("HORTUS." + command[0], *command[1:])
                assert why.startswith("WRONGTYPE ") and what in why and "HORTUS.CREATE" in why, f"{command}: {why}"
            for command in (("IMPORT", key, file), ("CREATE", key, "bloom", "ITEMS", 9)):
                why = connection.refused("HORTUS." + command[0], *command[1:])
                assert why.startswith("ERR the key is there already") and what in why, f"{command}: {why}"
        equal("another type", "WRONGTYPE Operation against a key holding the wrong kind of value", connection.refused("HORTUS.INFO", "text"))
        equal("a filter", "ERR the key is there already: DEL it first, or use another name", connection.refused("HORTUS.IMPORT", "f", file))
    with beside(folder, ("TYPE", "MBbloom--", "COMMAND", "bf.add")) as server:
        connection = server.connect()
        connection("BF.ADD", "theirs", "x")
        assert "a Bloom filter of BF.*" in connection.refused("HORTUS.EXISTS", "theirs", "x")


harness.main()
