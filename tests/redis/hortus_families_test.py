#!/usr/bin/env python3
"""Every family works in Redis as at the shell: it is created or imported, used, saved, copied, replicated and exported."""

import os
import subprocess

import harness
from harness import equal
from hortus_specimens import COMMAND, all_answers, change, exports, families, items, pairs, plant_all
from server import Server, digest, follow, in_step, info, wait_until


def rewritten(server):
    server.connect()("BGREWRITEAOF")
    wait_until(lambda: info(server, "persistence")["aof_rewrite_in_progress"] == "0", "the append-only file is rewritten")
    equal("status of the rewrite", "ok", info(server, "persistence")["aof_last_bgrewrite_status"])


def test_members_are_found(folder):
    with Server(folder) as server:
        connection = server.connect()
        for family, verbs in plant_all(connection, folder).items():
            if "may_contain" in verbs and family != "stable":  # which misses some, by design
                equal(f"members of {family}", [1] * len(items()), connection("HORTUS.EXISTS", family, *items()))
            if "count" in verbs and family not in ("fast_ams", "bitwise"):  # whose counts err to both sides
                counts = connection("HORTUS.COUNT", family, *items())
                assert min(counts) >= 1, f"counts of {family}: {counts}"
            if "estimate" in verbs and family != "count_min_conservative":
                found = pairs(connection("HORTUS.ESTIMATE", family))
                assert abs(float(found["estimate"]) - len(items())) < 40, f"estimate of {family}: {found}"


def survives(server, folder, save=lambda server: None):
    connection = server.connect()
    known = plant_all(connection, folder)
    for round in range(2):
        for family, verbs in known.items():
            change(connection, family, verbs, round)
    before = all_answers(connection, known), exports(connection, known), digest(server)
    save(server)
    server.restart()
    connection = server.connect()
    equal("answers after a restart", before[0], all_answers(connection, known))
    equal("files after a restart", before[1], exports(connection, known))
    equal("digest after a restart", before[2], digest(server))


def test_rdb(folder):
    with Server(folder) as server:
        survives(server, folder, lambda server: server.connect()("SAVE"))


def test_append_only_file_as_written(folder):
    with Server(folder, "--appendonly", "yes") as server:
        survives(server, folder)


def test_append_only_file_rewritten_with_preamble(folder):
    with Server(folder, "--appendonly", "yes", "--aof-use-rdb-preamble", "yes") as server:
        survives(server, folder, rewritten)


def test_append_only_file_rewritten_as_commands(folder):
    with Server(folder, "--appendonly", "yes", "--aof-use-rdb-preamble", "no") as server:
        survives(server, folder, rewritten)


def test_replicas_have_the_same_bytes(folder):
    master, replica, late = Server(folder), Server(folder), Server(folder)
    follow(replica, master)
    connection = master.connect()
    known = plant_all(connection, folder)
    for round in range(3):
        for family, verbs in known.items():
            change(connection, family, verbs, round)
        if round == 1:  # this one continues from a loaded filter
            follow(late, master)
    for each in (replica, late):
        wait_until(lambda: in_step(master, each), "the replica has everything")
        equal("digest of a replica", digest(master), digest(each))
        equal("files of a replica", exports(connection, known), exports(each.connect(), known))


def test_a_failed_command_is_not_replicated(folder):
    master, replica = Server(folder), Server(folder)
    follow(replica, master)
    connection = master.connect()
    connection("HORTUS.CREATE", "full", "cuckoo", "ITEMS", 50)
    for first in range(0, 400, 40):
        connection("HORTUS.ADD", "full", *items(40, f"x{first}."))
    wait_until(lambda: in_step(master, replica), "the replica has everything")
    equal("digest of the replica", digest(master), digest(replica))


def test_copy_dump_and_restore(folder):
    with Server(folder) as server:
        connection = server.connect()
        for family in plant_all(connection, folder):
            equal(f"COPY of {family}", 1, connection("COPY", family, "copy"))
            connection("RESTORE", "restored", 0, connection("DUMP", family))
            expected = connection("HORTUS.EXPORT", family)
            equal(f"the copy of {family}", expected, connection("HORTUS.EXPORT", "copy"))
            equal(f"the restored {family}", expected, connection("HORTUS.EXPORT", "restored"))
            connection("DEL", "copy", "restored")


def test_memory_is_counted_and_given_back(folder):
    with Server(folder) as server:
        connection = server.connect()
        for family, verbs in plant_all(connection, folder).items():
            used, size = connection("MEMORY", "USAGE", family), pairs(connection("HORTUS.INFO", family))["size_bytes"]
            assert used >= size or "top" in verbs, f"{family} takes {size} bytes, and MEMORY USAGE says {used}"  # there the most
            connection("COPY", family, "copy")
            copied = connection("MEMORY", "USAGE", "copy")
            assert 0.5 * used - 2000 <= copied <= used + 2000, f"{family}: {used} bytes, its copy {copied}"
            connection("DEL", "copy")


def test_files_go_to_the_shell_and_back(folder):
    with Server(folder) as server:
        connection = server.connect()
        for family in plant_all(connection, folder):
            path = os.path.join(folder, "exported")
            file = connection("HORTUS.EXPORT", family)
            with open(path, "wb") as out:
                out.write(file)
            subprocess.run([COMMAND, "verify", path], check=True, capture_output=True)
            connection("HORTUS.IMPORT", family, file, "REPLACE")
            equal(f"{family} after an import", file, connection("HORTUS.EXPORT", family))


def test_merge_intersect_fold_and_compare(folder):
    with Server(folder) as server:
        connection = server.connect()
        for family, verbs in families(connection).items():
            if "insert" not in verbs or "find" in verbs:
                continue
            for key, added in (("a", items(200)), ("b", items(300)[100:]), ("all", items(300))):
                connection("DEL", key)
                connection("HORTUS.CREATE", key, family, "ITEMS", 600, "FPR", "0.01")
                connection("HORTUS.ADD", key, *added)
            if "compare" in verbs and family != "count_min_conservative":
                both = pairs(pairs(connection("HORTUS.COMPARE", "a", "b"))["intersection"])
                assert abs(float(both["estimate"]) - 100) < 30, f"{family}: {both}"
            connection("DEL", "joined")
            if "merge" in verbs:
                connection("HORTUS.MERGE", "joined", 2, "a", "b")
                if "may_contain" in verbs:
                    equal(f"{family}: members after a merge", [1] * 300, connection("HORTUS.EXISTS", "joined", *items(300)))
                connection("HORTUS.MERGE", "a", 1, "b")
                equal(f"{family}: into an existing key", connection("HORTUS.EXPORT", "joined"), connection("HORTUS.EXPORT", "a"))
            if "intersect" in verbs:
                connection("HORTUS.INTERSECT", "b", 1, "all")
                equal(f"{family}: members of both", [1] * 200, connection("HORTUS.EXISTS", "b", *items(300)[100:]))
            if "fold" in verbs:
                connection("HORTUS.FOLD", "all", "FPR", "0.2")
                if "may_contain" in verbs:
                    equal(f"{family}: members after folding", [1] * 300, connection("HORTUS.EXISTS", "all", *items(300)))
            connection("HORTUS.CLEAR", "all")
            equal(f"{family}: inserts after CLEAR", 0, pairs(connection("HORTUS.INFO", "all"))["items_inserted"])


harness.main()
