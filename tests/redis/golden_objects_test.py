#!/usr/bin/env python3
"""Objects of RedisBloom 8.10, in golden/objects-8.10.json: RESTORE takes their dumps, the module says of them what RedisBloom
said, gives the same bytes back, and makes the same bytes from the same commands."""

import json

import harness
from harness import equal
from payload import signed, value_of
from server import Server

ABSENT = [f"neg{i}" for i in range(20000)]
QUERIES = {"BF": "BF.MEXISTS", "CF": "CF.MEXISTS"}
# TopK's dump has pointers of RedisBloom's process in it, and it draws random numbers.
DUMPED_EQUALLY = ("BF", "CF", "CMS")


def objects():
    with open(harness.ROOT / "tests" / "redis" / "golden" / "objects-8.10.json") as file:
        return json.load(file)


def group(each):
    return each["create"][0].split(".")[0]


def plain(reply):
    """As the file has it: texts."""
    if isinstance(reply, list):
        return [plain(part) for part in reply]
    return reply.decode("latin-1") if isinstance(reply, bytes) else reply


def check_answers(connection, each, name):
    kind = group(each)
    for command in ("info", "debug"):
        if command in each:
            reply = plain(connection(f"{kind}.{command}", name))
            equal(f"{kind}.{command} of {each['name']}", each[command], reply if isinstance(reply, list) else [reply])
    if kind in QUERIES:
        found = connection(QUERIES[kind], name, *ABSENT)
        equal(
            f"false positives of {each['name']}",
            each["false_positives_among_neg0_to_neg19999"],
            [i for i, hit in enumerate(found) if hit],
        )
        added = [word for command in each["commands"] for word in command[2:]]
        if kind == "BF":
            assert all(connection(QUERIES[kind], name, *added)), f"an item of {each['name']} is absent"


def scan(connection, kind, name):
    chunks, iterator = [], 0
    while True:
        iterator, data = connection(f"{kind}.SCANDUMP", name, iterator)
        if iterator == 0:
            return chunks
        chunks.append([iterator, data.hex()])


def test_restored(folder):
    with Server(folder) as server:
        connection = server.connect()
        for each in objects():
            name, dump = each["name"], bytes.fromhex(each["dump"])
            connection("RESTORE", name, 0, signed(value_of(dump)))
            check_answers(connection, each, name)
            if group(each) in DUMPED_EQUALLY:
                equal(f"DUMP of {name}", value_of(dump).hex(), value_of(connection("DUMP", name)).hex())


def test_created_from_the_recorded_commands(folder):
    with Server(folder) as server:
        connection = server.connect()
        for each in objects():
            connection(*each["create"])
            for command in each["commands"]:
                connection(*command)
            check_answers(connection, each, each["name"])
            if group(each) in DUMPED_EQUALLY:
                dump = connection("DUMP", each["name"])
                equal(f"DUMP of {each['name']}", value_of(bytes.fromhex(each["dump"])).hex(), value_of(dump).hex())


def test_scanned_and_loaded(folder):
    with Server(folder) as server:
        connection = server.connect()
        for each in objects():
            if "scandump" not in each:
                continue
            name, kind = each["name"], group(each)
            connection("RESTORE", name, 0, signed(value_of(bytes.fromhex(each["dump"]))))
            equal(f"SCANDUMP of {name}", each["scandump"], scan(connection, kind, name))
            for iterator, data in each["scandump"]:
                connection(f"{kind}.LOADCHUNK", name + "-loaded", iterator, bytes.fromhex(data))
            check_answers(connection, each, name + "-loaded")
            loaded = connection("DUMP", name + "-loaded")
            equal(f"DUMP of {name} after LOADCHUNK", value_of(bytes.fromhex(each["dump"])).hex(), value_of(loaded).hex())


def test_the_file_has_objects_of_all_types(_):
    kinds = [group(each) for each in objects()]
    equal("objects", {"BF": 5, "CF": 3, "CMS": 2, "TOPK": 1}, {kind: kinds.count(kind) for kind in kinds})


harness.main()
