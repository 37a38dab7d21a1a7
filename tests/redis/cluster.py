#!/usr/bin/env python3
"""A Redis Cluster on loopback, of servers with the module: three masters and a replica of each, unless told otherwise.

    with Cluster(folder) as cluster:
        cluster.client().execute_command("BF.ADD", "key", "item")
        cluster.kill_master_of("key")
        cluster.wait_until_ok()

From the shell: cluster.py MODULE FOLDER [MASTERS REPLICAS] starts one in a new folder, prints its URL, and runs until it is
interrupted. Its servers end with it."""

import binascii
import collections
import logging
import os
import random
import signal
import subprocess
import sys
import time

import harness
from harness import equal
from resp import Refused
from server import Server, client_command, in_step, info, is_free, stop_all, wait_until

SLOTS = 16384
BUS = 10000  # a node talks to the others at its port plus this
# How long a node may be silent before the others take it for dead. A failover takes twice as long. Nodes also tell each other
# news the faster, the shorter this is.
NODE_TIMEOUT_MS = 1500


def slot_of(key):
    """Keys with the same text in braces, a hash tag, are in the same slot."""
    data = key if isinstance(key, bytes) else str(key).encode()
    begin = data.find(b"{")
    end = data.find(b"}", begin + 1)
    tagged = begin >= 0 and end > begin + 1
    return binascii.crc_hqx(data[begin + 1 : end] if tagged else data, 0) % SLOTS


def free_pair():
    """A port such that the port of the bus is free, too. Both are below those of outgoing connections."""
    first, last = map(int, os.environ.get("HORTUS_REDIS_PORTS", "20000-22767").split("-"))
    last = min(last, 65535 - BUS)
    for _ in range(10000):
        port = random.SystemRandom().randint(first, last)
        if is_free(port) and is_free(port + BUS):
            return port
    raise AssertionError(f"no free port from {first} to {last} with a free port {BUS} above it")


class Node(Server):
    """A server of a cluster. When it is started again it has its port again, by which the others know it."""

    known = None
    promoted = float("-inf")  # when it was

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.known = self.port
        self.id = self.connect()("CLUSTER", "MYID").decode()

    def choose_port(self):
        return self.known or free_pair()

    def __repr__(self):
        return f"127.0.0.1:{self.port}"


class Member(collections.namedtuple("Member", "id port flags master slots")):
    """What a node says about a node. `master` is the id of a replica's master, `slots` is a tuple of ranges."""

    @staticmethod
    def read(line):
        id, address, flags, master, _, _, _, _, *slots = line.split()
        # In brackets are slots that are being moved: they are not this node's, or still are, and then stand there as well.
        ends = [[int(end) for end in part.split("-")] for part in slots if not part.startswith("[")]
        ranges = tuple(range(part[0], part[-1] + 1) for part in ends)
        return Member(id, int(address.split("@")[0].rsplit(":", 1)[1]), set(flags.split(",")), master, ranges)

    def serves(self, slot):
        return any(slot in part for part in self.slots)


class Cluster:
    """Further options are those of the server's command line. `nodes` has all of them, also those that were killed.

    With failover=False no replica takes over by itself. A node that is busy, or works on a large value, is soon taken for dead,
    and a test that kills no master wants no failover then."""

    def __init__(self, folder, *options, module=None, masters=3, replicas=1, failover=True):
        settings = ("--cluster-enabled", "yes", "--cluster-node-timeout", NODE_TIMEOUT_MS)
        if not failover:
            settings += ("--cluster-replica-no-failover", "yes", "--cluster-require-full-coverage", "no")
        # Nodes have other roles only after a failover, and not because they have no slots any more.
        settings += ("--cluster-allow-replica-migration", "no")
        self.nodes = [Node(folder, *settings, *options, module=module) for _ in range(masters * (1 + replicas))]
        self._manage("create", *self.nodes, "--cluster-replicas", replicas)
        self.wait_until_ok()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        for node in self.nodes:
            node.kill()

    # -- clients ----------------------------------------------------------------------------------------------------------

    def url(self):
        """Of a node that lives. A client asks it for the others."""
        return f"redis://127.0.0.1:{self.live()[0].port}"

    def client(self, **options):
        """redis-py's client for clusters. It sends a command again where it is told MOVED, ASK or TRYAGAIN."""
        try:
            from redis.cluster import RedisCluster
        except ImportError:
            raise harness.Skipped("no Python with redis-py (Debian's package python3-redis) is here") from None
        logging.getLogger("redis.cluster").disabled = True  # it would print every redirection as an error
        return RedisCluster("127.0.0.1", self.live()[0].port, **options)

    # -- who is who -------------------------------------------------------------------------------------------------------

    def live(self):
        return [node for node in self.nodes if node.alive()]

    def members(self, asked=None):
        """What one node says about all."""
        return [Member.read(line) for line in (asked or self.live()[0]).connect()("CLUSTER", "NODES").decode().splitlines()]

    def node(self, port):
        return next(node for node in self.nodes if node.port == port)

    def masters(self):
        """In the order of their first slots."""
        serving = [member for member in self.members() if member.slots]
        return [self.node(member.port) for member in sorted(serving, key=lambda member: member.slots[0].start)]

    def master_of(self, key):
        return self.master_of_slot(slot_of(key))

    def master_of_slot(self, slot):
        return self.node(next(member.port for member in self.members() if member.serves(slot)))

    def replicas_of(self, master):
        """Those that live."""
        about = {node: info(node, "replication") for node in self.live()}
        return [node for node, says in about.items() if says["role"] == "slave" and says["master_port"] == str(master.port)]

    def tags_of(self, master, count=1):
        """Hash tags of different slots of this master: keys with them are its keys."""
        slots = next(member for member in self.members() if member.port == master.port)
        return tags(slots.serves, count)

    # -- what is done to it -----------------------------------------------------------------------------------------------

    def move_slots(self, count, source, target):
        """The first slots of the source, with the server's command-line client: one after the other, with their keys."""
        self.wait_until_ok()
        self._manage("reshard", target, "--cluster-from", source.id, "--cluster-to", target.id, "--cluster-slots", count)

    def move_slot(self, slot, target, meanwhile=lambda: None):
        """One slot. meanwhile() runs when the slot is open, before its keys are moved: a client that asks the source for a key
        that is not there is told ASK, and to ask the target."""
        source = self.master_of_slot(slot)
        giving, taking = source.connect(), target.connect()
        taking("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        giving("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        meanwhile()
        while keys := giving("CLUSTER", "GETKEYSINSLOT", slot, 10):
            giving("MIGRATE", "127.0.0.1", target.port, "", 0, 60000, "KEYS", *keys)
        # The target first: from then on the slot has an owner, whatever happens to the others.
        others = [node for node in self.masters() if node not in (source, target)]
        for node in (target, source, *others):
            node.connect()("CLUSTER", "SETSLOT", slot, "NODE", target.id)

    def kill_master_of(self, key):
        """With kill -9. Returns the node, whose start() brings it back, as a replica."""
        master = self.master_of(key)
        master.kill()
        return master

    def promote(self, replica):
        """It takes the place of its master without the loss of a write: a failover by hand."""
        self.wait_until_promotable(replica)
        replica.connect()("CLUSTER", "FAILOVER")
        wait_until(lambda: info(replica, "replication")["role"] == "master", "the replica is a master")
        replica.promoted = time.monotonic()

    def wait_until_promotable(self, replica):
        """Redis 7.0 takes the votes of a node's last election for votes of the new one, if that was less than four timeouts
        ago. The node then is a master that no other believes in."""
        time.sleep(max(0, replica.promoted + (4 * NODE_TIMEOUT_MS + 500) / 1000 - time.monotonic()))

    def wait_until_ok(self, seconds=60):
        """Every node that lives says that the cluster is up, all agree about who serves what, those who serve live, and every
        replica that lives gets what its master does."""
        deadline = time.monotonic() + seconds
        while trouble := self._trouble():
            assert time.monotonic() < deadline, f"the cluster is not up after {seconds} s: {trouble}"
            time.sleep(0.02)

    def wait_until_in_step(self):
        """Every replica has everything. Nobody may write meanwhile."""
        self.wait_until_ok()
        for master in self.masters():
            for replica in self.replicas_of(master):
                wait_until(lambda: in_step(master, replica), f"the replica {replica} has everything")

    def check_replicas(self):
        """Every value has the digest that it has on the replicas of its master, and no master has keys that are not its own.
        Nobody may write meanwhile."""
        self.wait_until_in_step()
        for master in self.masters():
            serves = next(member for member in self.members() if member.port == master.port).serves
            here = master.connect()
            keys = sorted(here("KEYS", "*"))
            equal(f"keys of {master} that are not its own", [], [key for key in keys if not serves(slot_of(key))])
            for replica in self.replicas_of(master):
                there = replica.connect()
                equal(f"keys of the replica {replica}", keys, sorted(there("KEYS", "*")))
                digests = [dict(zip(keys, node("DEBUG", "DIGEST-VALUE", *keys))) for node in (here, there) if keys]
                equal(f"digests on the replica {replica}", *(digests or ({}, {})))

    def _trouble(self):
        """What is not as it should be, or nothing."""
        try:
            return self._difference()
        except Refused as why:  # a replica that loads what its master sent
            return str(why)

    def _difference(self):
        live, views = {node.port for node in self.live()}, set()
        for node in self.live():
            with node.connect() as connection:
                state = connection("CLUSTER", "INFO").decode().split()[0]
            if state != "cluster_state:ok":
                return f"{node} says {state}"
            members = self.members(node)
            seen = {member.port for member in members if not member.flags & {"handshake", "noaddr", "fail", "fail?"}}
            if not live <= seen:
                return f"{node} does not know {live - seen}, or takes them for dead"
            # A master does not obey a replica of which it has not heard that it is its replica.
            concerned = [member for member in members if member.slots or member.port in live]
            views.add(frozenset((member.port, member.master, member.slots) for member in concerned))
        if len(views) > 1:
            return f"they disagree about who is who: {views}"
        serving = {port for port, _, slots in views.pop() if slots}
        if not serving <= live:
            return f"{serving - live} serve slots and are dead"
        roles = {node.port: info(node, "replication") for node in self.live()}
        for port, about in roles.items():
            if about["role"] == "slave" and about["master_link_status"] != "up":
                return f"the replica {port} has no link to its master"
        for port in serving:
            if roles[port]["role"] != "master":
                return f"{port} serves slots and says that it is no master"
            listening = [value for name, value in roles[port].items() if name.startswith("slave") and "state=online" in value]
            following = [about for about in roles.values() if about["role"] == "slave" and about["master_port"] == str(port)]
            if len(listening) != len(following):
                return f"{len(following)} replicas follow {port}, and {len(listening)} are in its list"
        return None

    def _manage(self, *words):
        command = [client_command(), "--cluster", *map(str, words), "--cluster-yes"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{' '.join(command)}: {(done.stdout + done.stderr)[-2000:]}"


def tags(is_wanted, count):
    """Texts of different slots for which is_wanted(slot)."""
    found = {}
    for number in range(100 * SLOTS):
        slot = slot_of(str(number))
        if slot not in found and is_wanted(slot):
            found[slot] = str(number)
            if len(found) == count:
                return list(found.values())
    raise AssertionError(f"there are only {len(found)} such slots")


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit("usage: cluster.py MODULE FOLDER [MASTERS REPLICAS]")
    module, folder, masters, replicas = (sys.argv[1:] + ["3", "1"])[:4]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.makedirs(folder)
    folder, module = os.path.abspath(folder), os.path.abspath(module)
    try:
        with Cluster(folder, module=module, masters=int(masters), replicas=int(replicas)) as cluster:
            print(cluster.url())
            for master in cluster.masters():
                print(f"master {master}, replicas {' '.join(map(str, cluster.replicas_of(master)))}", flush=True)
            signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        stop_all()


if __name__ == "__main__":
    main()
