"""Clients that a server writes to on its own account: subscribers to events, clients that cache keys, MONITOR, clients that wait
for a key or a replica. And commands of every kind that write, to be run beside them."""

import threading

from hortus_specimens import pairs
from resp import Refused, parse

SMALL, LARGE = 1 << 12, 3 << 19  # bytes: work on what has 2^20 runs on a thread of the module (redis/background.hpp)
LINES = b"\n".join(b"item%d" % i for i in range(300))


class Listener(threading.Thread):
    """Sends commands to a connection, and collects in the background what comes: of much, the last of it."""

    def __init__(self, connection, *commands):
        super().__init__(daemon=True)
        self.connection, self.heard = connection, []
        for words in commands:
            connection.send(*words)
        self.start()

    def run(self):
        try:
            while True:
                self.heard.append(parse(self.connection.read_raw())[1])
                if len(self.heard) > 2000:
                    del self.heard[:1000]
        except (OSError, ValueError):  # the server or the test closed it
            pass

    def between(self, first, last):
        """The messages between two others, of which it hears the first now or later; None: it has not heard both yet."""
        heard = list(self.heard)
        return heard[heard.index(first) + 1 : heard.index(last)] if first in heard and last in heard else None

    def has_heard(self, *words):
        """Was there a message with all of these in it?"""
        return any(all(word in repr(message) for word in words) for message in list(self.heard))


def events(server):
    """With notify-keyspace-events. All classes, once by the name of the key and once by that of the event. Both hear marks, too."""
    return [
        Listener(server.connect(), ("PSUBSCRIBE", "__keyspace@*__:*"), ("SUBSCRIBE", "mark")),
        Listener(server.connect(resp=3), ("PSUBSCRIBE", "__keyevent@*__:*"), ("SUBSCRIBE", "mark")),
    ]


def mark(text):
    """The message that a subscriber gets of PUBLISH mark text."""
    return [b"message", b"mark", text.encode()]


# The events of each command; of those that change two keys, by its argument.
EVENTS = {
    "COPY": {2: "copy_to"}, "RENAME": {1: "rename_from", 2: "rename_to"}, "DEL": {1: "del"}, "UNLINK": {1: "del"},
    **{f"HORTUS.{verb}": {1: f"hortus.{verb.lower()}"} for verb in
       ("CREATE", "IMPORT", "MERGE", "INTERSECT", "FOLD", "GROW", "CLEAR", "ADD", "ADDCOUNT", "DEL", "PUT", "ASSIGN", "ADVANCE")},
    "HORTUS.MADD": {1: "hortus.add"}, "HORTUS.MDEL": {1: "hortus.del"},
    "BF.RESERVE": {1: "bloom.reserve"}, "BF.ADD": {1: "bloom.add"}, "BF.MADD": {1: "bloom.add"}, "BF.INSERT": {1: "bloom.add"},
    "BF.LOADCHUNK": {1: "bloom.load"},
    "CF.RESERVE": {1: "cuckoo.reserve"}, "CF.ADD": {1: "cuckoo.add"}, "CF.ADDNX": {1: "cuckoo.add"}, "CF.INSERT": {1: "cuckoo.add"},
    "CF.INSERTNX": {1: "cuckoo.add"}, "CF.DEL": {1: "cuckoo.del"}, "CF.COMPACT": {1: "cuckoo.compact"}, "CF.LOADCHUNK": {1: "cuckoo.load"},
    "CMS.INITBYDIM": {1: "cms.reserve"}, "CMS.INITBYPROB": {1: "cms.reserve"}, "CMS.INCRBY": {1: "cms.add"}, "CMS.MERGE": {1: "cms.merge"},
    "TOPK.RESERVE": {1: "topk.reserve"}, "TOPK.ADD": {1: "topk.add"}, "TOPK.INCRBY": {1: "topk.add"},
}  # fmt: skip


def told_events(words):
    """(key, event) for each event of a command."""
    return [(words[place], event) for place, event in EVENTS[words[0]].items()]


def monitors(server):
    return [Listener(server.connect(), ("MONITOR",))]


def waiting(server, keys):
    """Clients blocked by keys that others make and change; none of them ever gets what it waits for."""
    return [
        Listener(server.connect(), ("BLPOP", *keys, 0)),
        Listener(server.connect(), ("XREAD", "BLOCK", 0, "STREAMS", *keys, *["0"] * len(keys))),
        Listener(server.connect(), ("BZPOPMIN", *keys, 0)),
    ]


class Caching:
    """A client that caches keys: before each write it reads them, so that the server has to tell it."""

    def __init__(self, server, *mode):
        self.connection, self.optional = server.connect(resp=3), "OPTIN" in mode
        self.connection("CLIENT", "TRACKING", "ON", *mode)

    def read(self, keys):
        for key in keys:
            if self.optional:
                self.connection("CLIENT", "CACHING", "YES")
            self.connection("EXISTS", key)

    def invalidated(self):
        """The keys of which it was told since the last time."""
        self.connection("PING")
        told = {key for push in self.connection.pushed if push[0] == b"invalidate" for key in push[1] or ()}
        self.connection.pushed.clear()
        return told


def caching(server):
    return [Caching(server), Caching(server, "BCAST"), Caching(server, "OPTIN"), Caching(server, "NOLOOP"), Caching(server, "BCAST", "NOLOOP")]


def keys_of(prefix):
    return [prefix + name for name in ("a", "b", "c", "d", "erasing", "growing", "map", "window", "top", "file", "pieces", "bf", "bf2", "cf", "cf2", "cms", "cms2", "topk")]


def writes(ask, prefix, bytes):
    """Commands of every kind that write, in an order in which they all succeed, on keys with the prefix, each with the key that
    it changes. ask(*words) runs a command that only reads."""
    key = {name.removeprefix(prefix): name for name in keys_of(prefix)}
    small = bytes <= SMALL

    def create(name, family, *options):
        return key[name], ("HORTUS.CREATE", key[name], family, "BYTES", bytes, "FPR", "0.01", *options)

    for name in "ab":
        yield create(name, "bloom")
        yield key[name], ("HORTUS.MADD", key[name], "LINES", LINES)
        yield key[name], ("HORTUS.ADD", key[name], name, "x", "y")
    yield key["a"], ("HORTUS.MERGE", key["a"], 1, key["b"])
    yield key["c"], ("HORTUS.MERGE", key["c"], 2, key["a"], key["b"])
    yield key["a"], ("HORTUS.INTERSECT", key["a"], 1, key["b"])
    yield key["d"], ("COPY", key["a"], key["d"])
    yield key["d"], ("HORTUS.ADD", key["d"], "only in d")  # the copy gets cells of its own
    yield key["a"], ("HORTUS.FOLD", key["a"], "BY", 2)
    yield key["b"], ("HORTUS.CLEAR", key["b"])
    yield create("erasing", "blocked_counting")
    yield key["erasing"], ("HORTUS.ADDCOUNT", key["erasing"], "x", 5, "y", 2)
    yield key["erasing"], ("HORTUS.DEL", key["erasing"], "x")
    yield key["erasing"], ("HORTUS.MDEL", key["erasing"], "LINES", b"x\ny")
    yield create("growing", "quotient")
    yield key["growing"], ("HORTUS.ADD", key["growing"], *range(20))
    yield key["growing"], ("HORTUS.GROW", key["growing"], "BY", 2)
    yield key["map"], ("HORTUS.CREATE", key["map"], "dynamic_bloomier_map", "ITEMS", bytes // 2, "SET", "value_bits", 8)
    yield key["map"], ("HORTUS.PUT", key["map"], "x", 7)
    yield key["map"], ("HORTUS.ASSIGN", key["map"], "x", 8)
    yield key["window"], ("HORTUS.CREATE", key["window"], "blocked_aging", "ITEMS", bytes // 4, "WINDOW", 60000)
    yield key["window"], ("HORTUS.ADD", key["window"], "x")
    later = 10000 + dict(pairs(ask("HORTUS.INFO", key["window"])))["time"] * 2  # so that all of it is cleared
    yield key["window"], ("HORTUS.ADVANCE", key["window"], later)
    yield key["top"], ("HORTUS.CREATE", key["top"], "space_saving", "FPR", "0.01")
    yield key["top"], ("HORTUS.ADD", key["top"], *"aab")
    file = ask("HORTUS.EXPORT", key["c"])
    yield key["file"], ("HORTUS.IMPORT", key["file"], file)
    yield key["file"], ("HORTUS.IMPORT", key["file"], file, "REPLACE")
    half = len(file) // 2
    yield key["pieces"], ("HORTUS.IMPORT", key["pieces"], "FROM", 0, file[:half])
    yield key["pieces"], ("HORTUS.IMPORT", key["pieces"], "FROM", half, file[half:])

    yield key["bf"], ("BF.RESERVE", key["bf"], "0.01", 50 if small else 4 * bytes // 5)
    yield key["bf"], ("BF.ADD", key["bf"], "x")
    yield key["bf"], ("BF.MADD", key["bf"], *range(300))
    yield key["bf"], ("BF.INSERT", key["bf"], "ITEMS", *range(300, 400))
    header = ask("BF.SCANDUMP", key["bf"], 0)
    yield key["bf2"], ("BF.LOADCHUNK", key["bf2"], header[0], header[1])
    yield key["cf"], ("CF.RESERVE", key["cf"], 64 if small else bytes)
    yield key["cf"], ("CF.ADD", key["cf"], "x")
    yield key["cf"], ("CF.ADDNX", key["cf"], "y")
    yield key["cf"], ("CF.INSERT", key["cf"], "ITEMS", *range(300))
    yield key["cf"], ("CF.INSERTNX", key["cf"], "ITEMS", *range(300, 400))
    yield key["cf"], ("CF.DEL", key["cf"], "x")
    yield key["cf"], ("CF.COMPACT", key["cf"])
    header = ask("CF.SCANDUMP", key["cf"], 0)
    yield key["cf2"], ("CF.LOADCHUNK", key["cf2"], header[0], header[1])
    yield key["cms"], ("CMS.INITBYDIM", key["cms"], bytes // 16, 4)
    yield key["cms"], ("CMS.INCRBY", key["cms"], "x", 5, "y", 2)
    yield key["cms2"], ("CMS.INITBYPROB", key["cms2"], "0.01", "0.01")
    yield key["cms"], ("CMS.MERGE", key["cms"], 1, key["cms"], "WEIGHTS", 2)
    yield key["topk"], ("TOPK.RESERVE", key["topk"], 3, bytes // 64, 3, "0.9")
    yield key["topk"], ("TOPK.ADD", key["topk"], *"aab")
    yield key["topk"], ("TOPK.INCRBY", key["topk"], "c", 5)
    # Freed: at once, on a thread of the server, and in place of another value.
    yield key["a"], ("DEL", key["a"])
    yield key["b"], ("UNLINK", key["b"])
    yield key["c"], ("RENAME", key["d"], key["c"])


def recorded(server, prefix, bytes):
    """The same as a list. It runs them on a server that refuses none."""
    connection, commands = server.connect(), []
    for key, words in writes(connection, prefix, bytes):
        connection(*words)
        commands.append((key, words))
    return commands


def alone(connection, words):
    return connection.reply_or_error(*words)


def in_transaction(connection, words):
    connection("MULTI")
    queued = [connection.reply_or_error(*each) for each in (("INCR", "counter"), words)]
    done = connection.reply_or_error("EXEC")
    return next((each for each in (*queued, done) if isinstance(each, Refused)), None) or done[1]


def in_script(connection, words):
    return connection.reply_or_error("EVAL", "return redis.call(unpack(ARGV))", 1, words[1], *words)


def in_function(connection, words):
    library = "#!lua name=listened\nredis.register_function('run', function(keys, words) return redis.call(unpack(words)) end)"
    loaded = connection.reply_or_error("FUNCTION", "LOAD", "REPLACE", library)
    return loaded if isinstance(loaded, Refused) else connection.reply_or_error("FCALL", "run", 1, words[1], *words)


WAYS = {"alone": alone, "in a transaction": in_transaction, "in a script": in_script, "in a function": in_function}
