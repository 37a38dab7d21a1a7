#!/usr/bin/env python3
"""Faults of the machine and of the network: a server that is killed under load, and many clients at once."""

import random
import threading

import harness
from harness import equal, size
from server import Server

ROUNDS = size("ROUNDS", 3)
CLIENTS = 200


class Writer(threading.Thread):
    """Adds items of its own until the server dies, and remembers which were acknowledged, and how much was counted."""

    def __init__(self, server, name, enough):
        super().__init__(daemon=True)
        self.connection = server.connect()
        self.name, self.enough = name, enough
        self.bloom, self.cuckoo, self.counted, self.topped = [], [], 0, 0

    def run(self):
        try:
            for i in range(10**9):
                item = f"{self.name}:{i}"
                self.connection("BF.ADD", "bloom", item)
                self.bloom.append(item)
                self.connection("CF.ADD", "cuckoo", item)
                self.cuckoo.append(item)
                self.connection("CMS.INCRBY", "sketch", "all", 1)
                self.counted += 1
                self.connection("TOPK.ADD", "top", "all")
                self.topped += 1
                if i == 30:
                    self.enough.release()
        except (OSError, ValueError):
            pass  # the server was killed
        finally:
            self.enough.release()


def test_every_acknowledged_write_survives_kill_9(folder):
    with Server(folder, "--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0") as server:
        connection = server.connect()
        connection("BF.RESERVE", "bloom", "0.0001", 100)
        connection("CF.RESERVE", "cuckoo", 100000)
        connection("CMS.INITBYDIM", "sketch", 1000, 4)
        connection("TOPK.RESERVE", "top", 5)
        bloom, cuckoo, counted, topped = [], [], 0, 0
        for round in range(ROUNDS):
            enough = threading.Semaphore(0)
            writers = [Writer(server, f"{round}.{i}", enough) for i in range(4)]
            for writer in writers:
                writer.start()
            if round % 2:
                server.connect()("BGREWRITEAOF")  # the kill comes during or after a rewrite
            for _ in writers:
                enough.acquire()
            server.kill()
            for writer in writers:
                writer.join(30)
                bloom += writer.bloom
                cuckoo += writer.cuckoo
                counted += writer.counted
                topped += writer.topped
            assert bloom and cuckoo and counted and topped
            server.start()
            connection = server.connect()
            for command, key, written in (("BF.MEXISTS", "bloom", bloom), ("CF.MEXISTS", "cuckoo", cuckoo)):
                lost = [item for item, found in zip(written, connection(command, key, *written)) if not found]
                equal(f"acknowledged items that {key} lost in round {round}", [], lost)
            assert connection("CMS.QUERY", "sketch", "all")[0] >= counted
            assert dict(zip(*[iter(connection("TOPK.LIST", "top", "WITHCOUNT"))] * 2))[b"all"] >= topped


def test_a_killed_server_that_saved_has_what_it_saved(folder):
    with Server(folder) as server:
        connection = server.connect()
        connection("BF.MADD", "bloom", *map(str, range(1000)))
        connection("SAVE")
        before = connection("DUMP", "bloom")
        connection("BF.MADD", "bloom", *map(str, range(1000, 2000)))
        server.kill()
        server.start()
        equal("the filter", before, server.connect()("DUMP", "bloom"))


def test_200_clients_at_once(folder):
    with Server(folder) as server:
        setup = server.connect()
        setup("BF.RESERVE", "bloom", "0.00001", 1000)
        setup("CF.RESERVE", "cuckoo", 65536)
        setup("CMS.INITBYDIM", "sketch", 10000, 5)
        failures, each = [], size("EACH", 30)

        def client(number):
            try:
                with server.connect(2 + number % 2) as connection:
                    draw = random.Random(number)
                    for i in range(each):
                        item = f"{number}:{i}"
                        replies = connection.pipeline([
                            ("BF.ADD", "bloom", item), ("BF.EXISTS", "bloom", item), ("CF.ADD", "cuckoo", item),
                            ("CF.EXISTS", "cuckoo", item), ("CMS.INCRBY", "sketch", "all", 1), ("BF.MEXISTS", "bloom", item, item),
                        ])  # fmt: skip
                        if not (replies[1] and replies[2] == 1 and replies[3] and replies[4][0] >= i and all(replies[5])):
                            failures.append((number, i, replies))
                        if draw.random() < 0.02:
                            connection("SET", f"other{number}", item)
            except Exception as why:
                failures.append((number, repr(why)))

        threads = [threading.Thread(target=client, args=(number,), daemon=True) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        equal("what went wrong", [], failures)
        equal("the sum of all", [CLIENTS * each], setup("CMS.QUERY", "sketch", "all"))
        equal("items in the cuckoo filter", CLIENTS * each, setup("CF.INFO", "cuckoo")[7])


def test_a_client_that_disappears_leaves_nothing_behind(folder):
    """Half a command is no command."""
    with Server(folder) as server:
        before = server.connect()("DBSIZE")
        for cut in (b"*3\r\n$6\r\nBF.ADD\r\n$1\r\nk\r\n$10\r\nhalf", b"*3\r\n$6\r\nBF.ADD\r\n$1\r\nk\r\n", b"*3\r\n$12\r\nBF.LOADCHU"):
            connection = server.connect()
            connection.socket.sendall(cut)
            connection.close()
        equal("keys", before, server.connect()("DBSIZE"))
        assert server.alive()


harness.main()
