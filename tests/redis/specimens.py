"""One or more values of every type of the module, made by commands, with what must be true of them afterwards. Tests of saving,
copying, replicating and freeing use all of them."""

import random


def items(prefix, count):
    return [f"{prefix}{i}" for i in range(count)]


def skewed(count, seed):
    """Items of which a few are frequent."""
    draw = random.Random(seed)
    return [f"word{int(draw.paretovariate(0.9))}" for _ in range(count)]


# key: (commands that make it, a command about it)
SPECIMENS = {
    "bloom:empty": ([("BF.RESERVE", "bloom:empty", "0.01", 100)], ("BF.INFO", "bloom:empty")),
    "bloom:grown": ([("BF.RESERVE", "bloom:grown", "0.001", 10), ("BF.MADD", "bloom:grown", *items("b", 500))], ("BF.DEBUG", "bloom:grown")),
    "bloom:fixed": ([("BF.INSERT", "bloom:fixed", "CAPACITY", 50, "NONSCALING", "ITEMS", "a", "b\0c", "")], ("BF.INFO", "bloom:fixed")),
    "bloom:large": ([("BF.RESERVE", "bloom:large", "0.0001", 200000), ("BF.MADD", "bloom:large", *items("l", 1000))], ("BF.INFO", "bloom:large")),
    "cuckoo:empty": ([("CF.RESERVE", "cuckoo:empty", 100)], ("CF.INFO", "cuckoo:empty")),
    "cuckoo:grown": (
        [("CF.RESERVE", "cuckoo:grown", 64, "BUCKETSIZE", 4, "EXPANSION", 2), ("CF.INSERT", "cuckoo:grown", "ITEMS", *items("c", 700))]
        + [("CF.DEL", "cuckoo:grown", f"c{i}") for i in range(20)],
        ("CF.INFO", "cuckoo:grown"),
    ),
    "sketch:counts": (
        [("CMS.INITBYDIM", "sketch:counts", 500, 6), ("CMS.INCRBY", "sketch:counts", "a", 5, "b", 4000000000, "c\0d", 7)],
        ("CMS.QUERY", "sketch:counts", "a", "b", "c\0d", "absent"),
    ),
    "sketch:likely": ([("CMS.INITBYPROB", "sketch:likely", "0.01", "0.01"), ("CMS.INCRBY", "sketch:likely", "x", 1)], ("CMS.INFO", "sketch:likely")),
    "top:words": (
        [("TOPK.RESERVE", "top:words", 20, 30, 5, "0.9"), ("TOPK.ADD", "top:words", *skewed(3000, 1)), ("TOPK.INCRBY", "top:words", "n\0l", 5000)],
        ("TOPK.LIST", "top:words", "WITHCOUNT"),
    ),
    "top:empty": ([("TOPK.RESERVE", "top:empty", 3)], ("TOPK.INFO", "top:empty")),
    "family:bloom": (
        [("HORTUS.CREATE", "family:bloom", "bloom", "ITEMS", 5000, "FPR", "0.001"), ("HORTUS.ADD", "family:bloom", *items("f", 1000))],
        ("HORTUS.EXISTS", "family:bloom", "f0", "f999", "absent"),
    ),
    "family:cuckoo": (
        [("HORTUS.CREATE", "family:cuckoo", "cuckoo", "ITEMS", 3000, "FPR", "0.01"), ("HORTUS.ADD", "family:cuckoo", *items("f", 1000)), ("HORTUS.DEL", "family:cuckoo", "f1", "f2")],
        ("HORTUS.EXISTS", "family:cuckoo", "f0", "f1", "f999", "absent"),
    ),
    "family:growing": (
        [("HORTUS.CREATE", "family:growing", "scalable", "ITEMS", 100, "FPR", "0.01"), ("HORTUS.ADD", "family:growing", *items("f", 2000))],
        ("HORTUS.EXISTS", "family:growing", "f0", "f1999", "absent"),
    ),
    "family:top": (
        [("HORTUS.CREATE", "family:top", "space_saving", "ITEMS", 30), ("HORTUS.ADD", "family:top", *skewed(2000, 2))],
        ("HORTUS.TOP", "family:top", 10),
    ),
    "family:distinct": (
        [("HORTUS.CREATE", "family:distinct", "hyperloglog"), ("HORTUS.ADD", "family:distinct", *items("f", 3000))],
        ("HORTUS.ESTIMATE", "family:distinct"),
    ),
}  # fmt: skip


def plant(connection, keys=None):
    """Makes them, and returns what each one's command replies."""
    for key in keys or SPECIMENS:
        for command in SPECIMENS[key][0]:
            connection(*command)
    return answers(connection, keys)


def answers(connection, keys=None):
    return {key: connection(*SPECIMENS[key][1]) for key in keys or SPECIMENS}


def dumps(connection, keys=None):
    """The bytes of each, by which two values are compared."""
    return {key: connection("DUMP", key)[:-10] for key in keys or SPECIMENS}
