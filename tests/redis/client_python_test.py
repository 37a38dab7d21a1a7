#!/usr/bin/env python3
"""redis-py, the client of Python: its bf(), cf(), cms() and topk() work as with RedisBloom."""

import harness
from harness import equal
from server import Server

try:
    import redis
    from redis import Redis
except ImportError:
    Redis = None


def client(server):
    if Redis is None:
        raise harness.Skipped("no Python with redis-py (Debian's package python3-redis) is here")
    return Redis("127.0.0.1", server.port)


def test_bloom(folder):
    with Server(folder) as server:
        bf = client(server).bf()
        assert bf.create("b", 0.01, 1000, expansion=4)
        assert bf.create("n", 0.01, 10, noScale=True)
        equal("add", 1, bf.add("b", "x"))
        equal("add", 0, bf.add("b", "x"))
        equal("madd", [0, 1, 1], bf.madd("b", "x", "y", "z"))
        equal("insert", [1], bf.insert("i", ["x"], capacity=50, error=0.001))
        equal("exists", 1, bf.exists("b", "x"))
        equal("mexists", [1, 0], bf.mexists("b", "x", "absent"))
        about = bf.info("b")
        equal("info", (1000, 1, 3, 4), (about.capacity, about.filterNum, about.insertedNum, about.expansionRate))
        iterator, chunks = 0, []
        while True:
            iterator, data = bf.scandump("b", iterator)
            if iterator == 0:
                break
            chunks.append((iterator, data))
        for iterator, data in chunks:
            bf.loadchunk("b2", iterator, data)
        equal("mexists of what was loaded", [1, 1, 1, 0], bf.mexists("b2", "x", "y", "z", "absent"))
        try:
            bf.create("b", 0.01, 1000)
            raise AssertionError("created twice")
        except redis.ResponseError as why:
            equal("the error", "item exists", str(why))


def test_cuckoo(folder):
    with Server(folder) as server:
        cf = client(server).cf()
        assert cf.create("c", 1000, expansion=2, bucket_size=4, max_iterations=30)
        equal("add", 1, cf.add("c", "x"))
        equal("addnx", 0, cf.addnx("c", "x"))
        equal("insert", [1, 1], cf.insert("c", ["y", "z"]))
        equal("insertnx", [0, 1], cf.insertnx("c", ["y", "w"]))
        equal("insert with a capacity", [1], cf.insert("i", ["a"], capacity=64))
        equal("exists", 1, cf.exists("c", "x"))
        equal("mexists", [1, 0], cf.mexists("c", "x", "absent"))
        equal("count", 1, cf.count("c", "x"))
        equal("delete", 1, cf.delete("c", "x"))
        equal("count", 0, cf.count("c", "x"))
        about = cf.info("c")
        equal("info", (3, 1, 4, 2, 30), (about.insertedNum, about.deletedNum, about.bucketSize, about.expansionRate, about.maxIteration))
        iterator, chunks = 0, []
        while True:
            iterator, data = cf.scandump("c", iterator)
            if iterator == 0:
                break
            chunks.append((iterator, data))
        for iterator, data in chunks:
            cf.loadchunk("c2", iterator, data)
        equal("exists in what was loaded", [1, 1, 1, 0], [cf.exists("c2", item) for item in ("w", "y", "z", "absent")])


def test_count_min(folder):
    with Server(folder) as server:
        cms = client(server).cms()
        assert cms.initbydim("a", 1000, 5)
        assert cms.initbyprob("p", 0.01, 0.01)
        equal("incrby", [5, 7], cms.incrby("a", ["x", "y"], [5, 7]))
        equal("query", [5, 7, 0], cms.query("a", "x", "y", "absent"))
        assert cms.initbydim("b", 1000, 5)
        assert cms.merge("b", 1, ["a"], weights=[3])
        equal("query of the merged", [15, 21], cms.query("b", "x", "y"))
        about = cms.info("b")
        equal("info", (1000, 5, 36), (about.width, about.depth, about.count))


def test_top(folder):
    with Server(folder) as server:
        topk = client(server).topk()
        assert topk.reserve("t", 3, 50, 4, 0.9)
        equal("add", [None] * 3, topk.add("t", "a", "b", "c"))
        equal("incrby", [None, None], topk.incrby("t", ["a", "b"], [30, 20]))
        equal("query", [1, 0], topk.query("t", "a", "absent"))
        equal("list", ["a", "b", "c"], topk.list("t"))
        equal("list with counts", ["a", 31, "b", 21, "c", 1], topk.list("t", withcount=True))
        about = topk.info("t")
        equal("info", (3, 50, 4, 0.9), (about.k, about.width, about.depth, float(about.decay)))


def test_pipelines(folder):
    with Server(folder) as server:
        pipe = client(server).pipeline()
        for i in range(100):
            pipe.execute_command("BF.ADD", "b", i)
            pipe.execute_command("BF.EXISTS", "b", i)
        equal("replies of a pipeline that ask whether it is there", [1] * 100, pipe.execute()[1::2])


harness.main()
