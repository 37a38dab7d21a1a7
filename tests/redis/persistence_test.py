#!/usr/bin/env python3
"""Values survive a restart, from an RDB file and from an append-only file of either kind, and DEBUG RELOAD."""

import harness
from harness import equal
from server import Server, digest, info, wait_until
from specimens import answers, dumps, plant


def rewritten(server):
    connection = server.connect()
    connection("BGREWRITEAOF")
    wait_until(lambda: info(server, "persistence")["aof_rewrite_in_progress"] == "0", "the append-only file is rewritten")
    equal("status of the rewrite", "ok", info(server, "persistence")["aof_last_bgrewrite_status"])


def survives(server, change=lambda server: None):
    connection = server.connect()
    before = plant(connection), dumps(connection), digest(server)
    change(server)
    server.restart()
    connection = server.connect()
    equal("replies after a restart", before[0], answers(connection))
    equal("dumps after a restart", before[1], dumps(connection))
    equal("digest after a restart", before[2], digest(server))
    # What was loaded is not only to be read.
    equal("an addition after a restart", [1], connection("BF.MADD", "bloom:grown", "one more"))
    equal("a deletion after a restart", 1, connection("CF.DEL", "cuckoo:grown", "c100"))


def test_rdb(folder):
    with Server(folder) as server:
        survives(server, lambda server: server.connect()("SAVE"))


def test_rdb_saved_in_the_background(folder):
    with Server(folder) as server:

        def save(server):
            server.connect()("BGSAVE")
            wait_until(lambda: info(server, "persistence")["rdb_bgsave_in_progress"] == "0", "BGSAVE is done")
            equal("status of BGSAVE", "ok", info(server, "persistence")["rdb_last_bgsave_status"])

        survives(server, save)


def test_append_only_file_as_written(folder):
    with Server(folder, "--appendonly", "yes") as server:
        survives(server)


def test_append_only_file_rewritten_with_preamble(folder):
    with Server(folder, "--appendonly", "yes", "--aof-use-rdb-preamble", "yes") as server:
        survives(server, rewritten)


def test_append_only_file_rewritten_as_commands(folder):
    with Server(folder, "--appendonly", "yes", "--aof-use-rdb-preamble", "no") as server:
        survives(server, rewritten)


def test_keys_of_other_databases_are_rewritten(folder):
    with Server(folder, "--appendonly", "yes", "--aof-use-rdb-preamble", "no") as server:
        connection = server.connect()
        for database in (3, 0, 7):
            connection("SELECT", database)
            plant(connection)
            connection("BF.ADD", "bloom:grown", f"only in {database}")
            connection("CMS.INCRBY", "sketch:counts", "a", database)
        before = digest(server)
        rewritten(server)
        server.restart()
        equal("digest after a restart", before, digest(server))
        connection = server.connect()
        for database in (3, 0, 7):
            connection("SELECT", database)
            equal(f"a count in database {database}", [5 + database], connection("CMS.QUERY", "sketch:counts", "a"))


def test_debug_reload(folder):
    with Server(folder) as server:
        connection = server.connect()
        before = plant(connection), dumps(connection)
        connection("DEBUG", "RELOAD")
        equal("after DEBUG RELOAD", before, (answers(connection), dumps(connection)))


def test_expiry_survives_a_rewrite(folder):
    with Server(folder, "--appendonly", "yes", "--aof-use-rdb-preamble", "no") as server:
        connection = server.connect()
        plant(connection)
        for key in answers(connection):
            connection("EXPIRE", key, 1000)
        rewritten(server)
        server.restart()
        connection = server.connect()
        for key in answers(connection):
            assert 900 < connection("TTL", key) <= 1000, f"time to live of {key}"


harness.main()
