#!/usr/bin/env python3
"""Random commands beside exact models, with a replica that listens; at the end everything is compared once more, also after a
reload and on the replica. $HORTUS_REDIS_COMMANDS says how many: a million in `make nightly-redis`."""

import random

import harness
from harness import equal, size
from models import MODELS, no_error
from server import Server, digest, follow, in_step, wait_until

COMMANDS = size("COMMANDS", 30000)
BATCH = 200
KEYS_OF_A_KIND = 3


def fresh(models, number, draw, connection):
    """Puts a new, empty value in the place of one, or makes it."""
    models[number] = MODELS[number % len(MODELS)](f"key{number}", draw)
    connection("DEL", models[number].key)
    connection(*models[number].create())


def test_random_commands(folder):
    seed = harness.seed()
    draw = random.Random(seed)
    try:
        with Server(folder) as master, Server(folder) as replica:
            follow(replica, master)
            connection = master.connect()
            models = {}
            for number in range(KEYS_OF_A_KIND * len(MODELS)):
                fresh(models, number, draw, connection)
            for done in range(0, COMMANDS, BATCH):
                chosen = [draw.choice(models).command() for _ in range(BATCH)]
                for (words, check), reply in zip(chosen, connection.pipeline([words for words, _ in chosen])):
                    try:
                        check(no_error(words, reply))
                    except AssertionError as why:
                        raise AssertionError(f"{words[:6]} after {done} commands: {why}") from None
                if draw.random() < 0.05:
                    number = draw.randrange(len(models))
                    models[number].check_whole(connection)
                    fresh(models, number, draw, connection)
                if draw.random() < 0.02:
                    connection("DEBUG", "RELOAD")
            wait_until(lambda: in_step(master, replica), "the replica has everything")
            equal("digest of the replica", digest(master), digest(replica))
            connection("DEBUG", "RELOAD")
            equal("digest after a reload", digest(replica), digest(master))
            for model in models.values():
                model.check_whole(connection)
                model.check_whole(replica.connect())
    except AssertionError as why:
        raise AssertionError(f"HORTUS_REDIS_SEED={seed} repeats it: {why}") from why


harness.main()
