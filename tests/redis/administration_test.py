#!/usr/bin/env python3
"""What an administrator sees and sets: COMMAND, access control, CONFIG, INFO, maxmemory, clusters, loading."""

import os

import harness
from harness import equal
from server import Server, configure, info, wait_until
from specimens import plant

WRITES = """bf.reserve bf.add bf.madd bf.insert bf.loadchunk cf.reserve cf.add cf.addnx cf.insert cf.insertnx cf.del cf.compact
    cf.loadchunk cms.initbydim cms.initbyprob cms.incrby cms.merge topk.reserve topk.add topk.incrby""".split()
READS = """bf.exists bf.mexists bf.info bf.card bf.debug bf.scandump cf.exists cf.mexists cf.count cf.info cf.debug cf.scandump
    cms.query cms.info topk.query topk.count topk.list topk.info""".split()
SETTINGS = """bf-error-rate bf-initial-size bf-expansion-factor cf-bucket-size cf-initial-size cf-max-iterations cf-expansion-factor
    cf-max-expansions redisbloom-faults max-object-bytes""".split()
NO_MEMORY_NEEDED = ("cf.del", "cf.compact")  # of the writes: all others are refused when memory is short


def test_commands_and_their_flags(folder):
    with Server(folder) as server:
        connection = server.connect()
        for name in WRITES + READS:
            described = connection("COMMAND", "INFO", name)[0]
            assert described, f"there is no {name}"
            flags = described[2]
            equal(f"{name} writes", name in WRITES, "write" in flags)
            equal(f"{name} is read-only", name in READS, "readonly" in flags)
            if name in WRITES and name not in NO_MEMORY_NEEDED:
                assert "denyoom" in flags, f"{name} should be refused when memory is short"
            equal(f"first key, last key and step of {name}", [1, 1, 1], described[3:6])


def test_documentation(folder):
    with Server(folder) as server:
        connection = server.connect()
        for name in WRITES + READS:
            documented = connection("COMMAND", "DOCS", name)
            assert b"summary" in documented[1], f"{name} has no summary: {documented}"


def keys_of(connection, *command):
    return [key.decode() for key in connection("COMMAND", "GETKEYS", *command)]


def test_getkeys(folder):
    with Server(folder) as server:
        connection = server.connect()
        equal("keys of BF.ADD", ["k"], keys_of(connection, "BF.ADD", "k", "x"))
        equal("keys of CF.INSERT", ["k"], keys_of(connection, "CF.INSERT", "k", "NOCREATE", "ITEMS", "x", "y"))
        equal("keys of TOPK.INCRBY", ["k"], keys_of(connection, "TOPK.INCRBY", "k", "x", 3))
        merge = keys_of(connection, "CMS.MERGE", "to", 2, "a", "b", "WEIGHTS", 1, 2)
        equal("keys of CMS.MERGE", ["a", "b", "to"], sorted(merge))
        equal("keys of HORTUS.MERGE", ["a", "b", "to"], sorted(keys_of(connection, "HORTUS.MERGE", "to", 2, "a", "b")))


def test_access_control_covers_sources_of_merges(folder):
    with Server(folder) as server:
        connection = server.connect()
        for key in ("mine:to", "mine:from", "secret"):
            connection("CMS.INITBYDIM", key, 100, 3)
        connection("CMS.INCRBY", "secret", "a", 42)
        connection("ACL", "SETUSER", "alice", "on", "nopass", "~mine:*", "+@all")
        connection("ACL", "SETUSER", "reader", "on", "nopass", "~*", "+cms.query", "+cms.info", "+bf.exists")
        alice = server.connect()
        alice("AUTH", "alice", "any")
        equal("a merge of her own", "OK", alice("CMS.MERGE", "mine:to", 1, "mine:from"))
        assert alice.refused("CMS.MERGE", "mine:to", 1, "secret").startswith("NOPERM")
        assert alice.refused("CMS.MERGE", "mine:to", 2, "mine:from", "secret").startswith("NOPERM")
        assert alice.refused("CMS.MERGE", "secret", 1, "mine:to").startswith("NOPERM")
        for key in ("mine:filter", "secret:filter"):
            connection("HORTUS.CREATE", key, "bloom", "ITEMS", 100, "FPR", "0.01")
        assert alice.refused("HORTUS.MERGE", "mine:filter", 1, "secret:filter").startswith("NOPERM")
        assert alice.refused("HORTUS.COMPARE", "mine:filter", "secret:filter").startswith("NOPERM")
        reader = server.connect()
        reader("AUTH", "reader", "any")
        equal("a query of the reader", [42], reader("CMS.QUERY", "secret", "a"))
        assert reader.refused("CMS.INCRBY", "secret", "a", 1).startswith("NOPERM")


def test_clusters_see_sources_of_merges(folder):
    with Server(folder, "--cluster-enabled", "yes") as server:
        connection = server.connect()
        connection("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        wait_until(lambda: b"cluster_state:ok" in connection("CLUSTER", "INFO"), "the cluster is up")
        for key in ("{a}to", "{a}from", "{b}from"):
            connection("CMS.INITBYDIM", key, 10, 2)
        equal("a merge inside a slot", "OK", connection("CMS.MERGE", "{a}to", 1, "{a}from"))
        assert connection.refused("CMS.MERGE", "{a}to", 1, "{b}from").startswith("CROSSSLOT")
        for key in ("{a}filter", "{b}filter"):
            connection("HORTUS.CREATE", key, "bloom", "ITEMS", 100, "FPR", "0.01")
        assert connection.refused("HORTUS.MERGE", "{a}filter", 1, "{b}filter").startswith("CROSSSLOT")


def test_settings(folder):
    with Server(folder) as server:
        connection = server.connect()

        def read(name):
            return connection("CONFIG", "GET", "*" + name)[1].decode()

        for name, standard, other, wrong in (
            ("bf-error-rate", "0.01", "0.05", "1.5"),
            ("bf-initial-size", "100", "1000", "0"),
            ("bf-expansion-factor", "2", "4", "32769"),
            ("cf-bucket-size", "2", "4", "256"),
            ("cf-initial-size", "1024", "4096", "1"),
            ("cf-max-iterations", "20", "50", "65536"),
            ("cf-expansion-factor", "1", "2", "-1"),
            ("cf-max-expansions", "32", "64", "0"),
            ("redisbloom-faults", "no", "yes", "perhaps"),
        ):
            equal(name, standard, read(name))
            configure(server, name, other)
            equal(name, other, read(name))
            try:
                configure(server, name, wrong)
                raise AssertionError(f"{name} was set to {wrong}")
            except Exception as why:
                assert "CONFIG SET failed" in str(why), why
            equal(f"{name} after a refusal", other, read(name))
        connection("BF.ADD", "b", "x")
        equal("BF.INFO", [1000], connection("BF.INFO", "b", "CAPACITY"))
        equal("BF.INFO", [4], connection("BF.INFO", "b", "EXPANSION"))
        connection("CF.ADD", "c", "x")
        equal("CF.INFO", ["Bucket size", 4, "Expansion rate", 2, "Max iterations", 50], connection("CF.INFO", "c")[10:])


def test_names_of_settings(folder):
    """Redis 8 takes them as they are; Redis 7 and Valkey put the name of the module in front. Never is the half of them so."""
    with Server(folder) as server:
        about = info(server, "server")
        plain = "valkey_version" not in about and int(about["redis_version"].split(".")[0]) >= 8
        names = {name.decode() for name in server.connect()("CONFIG", "GET", "*")[::2]}
        for name in SETTINGS:
            equal(f"{name} is a name", plain, name in names)
            equal(f"hortus.{name} is a name", not plain, f"hortus.{name}" in names)


def test_rates_above_a_quarter_are_a_quarter(folder):
    with Server(folder) as server:
        configure(server, "bf-error-rate", "0.9")
        connection = server.connect()
        equal("bf-error-rate", b"0.25", connection("CONFIG", "GET", "*bf-error-rate")[1])


def test_arguments_of_the_module(folder):
    with Server(folder, arguments=("INITIAL_SIZE", 400, "ERROR_RATE", "0.004", "CF_MAX_EXPANSIONS", 3)) as server:
        connection = server.connect()
        connection("BF.ADD", "b", "x")
        equal("BF.INFO", [400], connection("BF.INFO", "b", "CAPACITY"))
        assert b"ratio:0.002" in connection("BF.DEBUG", "b")[1]
        equal("cf-max-expansions", b"3", connection("CONFIG", "GET", "*cf-max-expansions")[1])
    for wrong in (
        ("INITIAL_SIZE",), ("NO_SUCH", 1), ("INITIAL_SIZE", 0), ("ERROR_RATE", 2), ("bf-error-rate", 0), ("cf-bucket-size", 256),
        ("cf-initial-size", 3), ("redisbloom-faults", "perhaps"), ("bf-initial-size", 400, "cf-max-expansions"),
    ):  # fmt: skip
        try:
            Server(folder, arguments=wrong)
        except AssertionError as why:
            assert "did not start" in str(why), why
        else:
            raise AssertionError(f"the module was loaded with {wrong}")


def test_names_of_settings_are_arguments_of_the_module(folder):
    """As in RedisBloom 8, in any case of letters; beside the older names."""
    values = {
        "bf-error-rate": "0.02", "bf-initial-size": "200", "bf-expansion-factor": "4", "cf-bucket-size": "4",
        "cf-initial-size": "4096", "cf-max-iterations": "30", "cf-expansion-factor": "2", "cf-max-expansions": "3",
        "redisbloom-faults": "yes", "max-object-bytes": "1048576",
    }  # fmt: skip
    equal("settings of this test", sorted(SETTINGS), sorted(values))
    for spelled in (str.lower, str.upper, str.title):
        words = [word for name, value in values.items() for word in (spelled(name), value)]
        with Server(folder, arguments=words) as server:
            connection = server.connect()
            for name, value in values.items():
                equal(name, value.encode(), connection("CONFIG", "GET", "*" + name)[1])
    with Server(folder, arguments=("bf-initial-size", 300, "ERROR_RATE", "0.004", "CF-Max-Expansions", 5)) as server:
        connection = server.connect()
        connection("BF.ADD", "b", "x")
        equal("BF.INFO", [300], connection("BF.INFO", "b", "CAPACITY"))
        assert b"ratio:0.002" in connection("BF.DEBUG", "b")[1]


def test_a_load_that_failed_leaves_nothing(folder):
    """Redis 7.0 keeps the listeners of a module whose load failed, and would call them."""
    with Server(folder, "--enable-module-command", "yes", loaded=False) as server:
        connection = server.connect()
        module = os.environ["HORTUS_REDIS_MODULE"]
        for arguments in (("ARGS", "bf-initial-size", 0), ("ARGS", "unknown", 1), ("CONFIG", "hortus.bf-initial-size", 0, "ARGS")):
            connection.refused("MODULE", "LOADEX", module, *arguments)
            connection("REPLICAOF", "127.0.0.1", 1)
            connection("REPLICAOF", "NO", "ONE")
            equal("modules", 0, sum(b"hortus" in (each if isinstance(each, list) else []) for each in connection("MODULE", "LIST")))
        equal("a load that is right", "OK", connection("MODULE", "LOADEX", module))
        equal("a command", 1, connection("BF.ADD", "k", "x"))


def test_info_section(folder):
    with Server(folder) as server:
        connection = server.connect()
        plant(connection)
        everything = info(server, "everything")
        mine = {name: value for name, value in everything.items() if name.startswith("hortus_")}
        assert mine, "INFO has no section of the module"
        listed = connection("INFO", "modules").decode().splitlines()  # a server may have modules of its own
        equal("lines of MODULE about it", 1, sum(line.startswith("module:name=hortus,") for line in listed))
        assert any(value.isdigit() and int(value) > 0 for value in mine.values()), mine


def refuse_writes_when_memory_is_short(folder, lazily):
    with Server(folder, "--maxmemory", "5mb", "--lazyfree-lazy-user-del", lazily) as server:
        connection = server.connect()
        connection("BF.RESERVE", "b", "0.01", 100)
        connection("CF.RESERVE", "c", 100)
        connection("CF.ADD", "c", "x")
        connection("BF.RESERVE", "big", "0.000001", 2000000)  # takes the server over its limit
        for name, *words in (
            ("BF.ADD", "b", "x"), ("BF.RESERVE", "b2", "0.01", 100), ("CF.ADD", "c", "y"), ("CMS.INITBYDIM", "s", 10, 10),
            ("TOPK.RESERVE", "t", 3),
        ):  # fmt: skip
            assert connection.refused(name, *words).startswith("OOM"), name
        equal("a read", 1, connection("CF.EXISTS", "c", "x"))
        equal("a deletion", 1, connection("CF.DEL", "c", "x"))
        connection("DEL", "big")
        if lazily == "yes":
            wait_until(lambda: info(server, "memory")["lazyfree_pending_objects"] == "0", "the memory was given back")
        equal("a write after memory was given back", 1, connection("BF.ADD", "b", "x"))


def test_memory_limit(folder):
    """Writes are refused when memory is short; reads and deletions are not; nothing breaks."""
    refuse_writes_when_memory_is_short(folder, lazily="no")


def test_memory_limit_where_a_thread_gives_memory_back(folder):
    """Which is what servers of some kinds do unless told otherwise."""
    refuse_writes_when_memory_is_short(folder, lazily="yes")


def test_absurd_sizes(folder):
    """Refused before or at the allocation; the server lives on."""
    with Server(folder) as server:
        connection = server.connect()
        for command in (
            ("BF.RESERVE", "k", "1e-300", 1 << 30),
            ("BF.RESERVE", "k", "5e-324", 1 << 30),
            ("BF.INSERT", "k", "CAPACITY", 1 << 30, "ERROR", "1e-307", "ITEMS", "x"),
            ("CMS.INITBYDIM", "k", 1 << 62, 4),
            ("CMS.INITBYDIM", "k", (1 << 63) - 1, 2),
            ("CMS.INITBYDIM", "k", 1 << 40, 1 << 10),
            ("CMS.INITBYPROB", "k", "1e-18", "1e-300"),
            ("TOPK.RESERVE", "k", (1 << 32) - 1, (1 << 32) - 1, (1 << 32) - 1, "0.9"),
            ("TOPK.RESERVE", "k", 1, (1 << 32) - 1, (1 << 32) - 1, "0.9"),
            ("CMS.MERGE", "k", 1 << 62, "k"),
        ):
            connection.refused(*command)
            equal(f"keys after {command}", 0, connection("DBSIZE"))
        assert server.alive()


def test_settings_limit_the_size_of_a_value(folder):
    with Server(folder) as server:
        configure(server, "max-object-bytes", 1 << 20)
        connection = server.connect()
        for command in (
            ("BF.RESERVE", "k", "0.01", 1 << 30),
            ("CF.RESERVE", "k", 1 << 22),
            ("CMS.INITBYDIM", "k", 1 << 20, 4),
            ("TOPK.RESERVE", "k", 10, 1 << 20, 4, "0.9"),
        ):
            connection.refused(*command)
            equal(f"keys after {command}", 0, connection("DBSIZE"))
        connection("BF.RESERVE", "small", "0.01", 1000)


harness.main()
