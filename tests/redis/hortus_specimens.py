"""A filter of every family in the list: created and filled by commands, or built at the shell and imported. Tests of saving,
copying, replicating and freeing use all of them."""

import os
import pathlib
import subprocess

COMMAND = os.environ.get("HORTUS", str(pathlib.Path(__file__).resolve().parent.parent.parent / "build" / "hortus"))
ITEMS = 300


def items(count=ITEMS, prefix="item"):
    return [f"{prefix}{i}".encode() for i in range(count)]


def pairs(reply):
    """A map, as RESP2 has it."""
    return {name.decode(): value for name, value in zip(reply[::2], reply[1::2])}


def families(connection):
    """Their names, with the set of verbs of each."""
    described = [pairs(each) for each in connection("HORTUS.LIST")]
    return {each["family"].decode(): {verb.decode() for verb in each["verbs"]} for each in described}


def built(folder, family, verbs):
    """The bytes of a file that the command builds."""
    keys, path = os.path.join(folder, "keys"), os.path.join(folder, family + ".hortus")
    with open(keys, "wb") as file:
        for i, item in enumerate(items()):
            file.write(item + (b"\t%d" % (i % 100) if "find" in verbs else b"") + b"\n")
    with open(keys + ".absent", "wb") as file:
        file.write(b"\n".join(items(100, "absent")))
    extra = ["--absent", keys + ".absent"] if family == "exact_set" else []
    subprocess.run([COMMAND, "build", family, "-o", path, "-n", str(ITEMS), *extra, keys], check=True, capture_output=True)
    with open(path, "rb") as file:
        return file.read()


def plant(connection, folder, family, verbs, key=None):
    """Makes a filter of the family with all items at a key."""
    key = key or family
    if "insert" not in verbs and "put" not in verbs:
        connection("HORTUS.IMPORT", key, built(folder, family, verbs))
        return
    settings = ["SET", "value_bits", 8] if "find" in verbs else []
    connection("HORTUS.CREATE", key, family, "ITEMS", 2 * ITEMS, "FPR", "0.01", "SEED", 7, *settings)
    if "put" in verbs:
        connection("HORTUS.PUT", key, *(word for i, item in enumerate(items()) for word in (item, i % 100 + 1)))
    else:
        connection("HORTUS.ADD", key, *items())


def plant_all(connection, folder):
    known = families(connection)
    for family, verbs in known.items():
        plant(connection, folder, family, verbs)
    return known


def change(connection, family, verbs, round):
    """Uses every verb that changes a filter, with other items every round."""
    more = items(20, f"round{round}.")
    if "put" in verbs:
        connection("HORTUS.PUT", family, *(word for item in more for word in (item, 7)))
    elif "insert" in verbs:
        connection("HORTUS.ADD", family, *more, *more[:3])
        connection("HORTUS.MADD", family, "U32LEN", b"".join(len(item).to_bytes(4, "little") + item for item in more))
    if "insert_times" in verbs:
        connection("HORTUS.ADDCOUNT", family, more[0], 5, more[1], 3)
    if "assign" in verbs:
        connection("HORTUS.ASSIGN", family, items()[0], 9)
    if "erase" in verbs:
        connection("HORTUS.DEL", family, items()[round], more[2], "never there")
    if "grow" in verbs and round == 1:
        connection("HORTUS.GROW", family)


def answers(connection, family, verbs):
    """What it says about items in it and others."""
    asked = items()[::7] + items(50, "other")
    replies = {"info": pairs(connection("HORTUS.INFO", family))}
    for name in ("memory_bytes", "size_bytes", "bits_per_item"):  # tables that grow by doubling are as small as can be when loaded
        replies["info"].pop(name)
    if "may_contain" in verbs:
        replies["exists"] = connection("HORTUS.EXISTS", family, *asked)
    if "count" in verbs:
        replies["count"] = connection("HORTUS.COUNT", family, *asked)
    if "find" in verbs:
        replies["get"] = connection("HORTUS.GET", family, *asked)
    if "top" in verbs:
        replies["top"] = connection("HORTUS.TOP", family, 10)
    if "estimate" in verbs:
        replies["estimate"] = connection("HORTUS.ESTIMATE", family)
    return replies


def all_answers(connection, known):
    return {family: answers(connection, family, verbs) for family, verbs in known.items()}


def exports(connection, known):
    return {family: connection("HORTUS.EXPORT", family) for family in known}
