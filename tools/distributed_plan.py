#!/usr/bin/env python3
"""distributed_plan.py [--check FILE]: prints the table of docs/distributed.md, what a filter in shards takes and how long things
take, by arithmetic from figures that were measured. With --check: is that the table of the page?"""

import math
import sys

# Measured: docs/distributed.md says how.
BITS_A_KEY = 9.92  # blocked, at a rate of 1 %
SERVER_KEYS_A_SECOND = 20e6  # digests that one server looks up in a filter larger than its caches, or inserts
CLIENT_LINES_A_SECOND = 20e6  # lines that one client reads, hashes and asks about
COPY_BYTES_A_SECOND = 300e6  # push, pull and reshard, of one client
LARGEST_SHARD = 512 << 20  # what MIGRATE moves, by Redis' limit of a string
MOST_SHARDS = 4096
MOST_BITS = 2**42  # of a filter
BLOCK_BYTES = 64
# The number of blocks is a multiple of the greatest of these that is at most a 512th of it: include/hortus/maths/divisors.hpp.
RICH = (2, 4, 12, 64, 192, 960, 6720, 20160, 221760, 2882880, 147026880, 2793510720)


def size(value):
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} PB"


def time(seconds):
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.2g} s"


def rows():
    for keys, nodes in ((10**9, 3), (10**10, 10), (10**11, 30), (10**12, 100)):
        bytes = keys * BITS_A_KEY / 8
        filters = math.ceil(8 * bytes / MOST_BITS)
        # At least four shards a node, so that nodes have even shares; and none larger than what can be moved.
        least = max(math.ceil(4 * nodes / filters), math.ceil(bytes / filters / LARGEST_SHARD))
        rich = max(each for each in RICH if each <= bytes / filters / BLOCK_BYTES / 512)
        shards = next(number for number in range(least, MOST_SHARDS + 1) if rich % number == 0)
        yield (
            f"10^{round(math.log10(keys))}",
            f"{nodes}",
            size(bytes),
            f"{shards}" if filters == 1 else f"{filters} filters of {shards}",
            size(bytes / filters / shards),
            size(2 * bytes / nodes),
            f"{nodes * SERVER_KEYS_A_SECOND:.2g}",
            f"{math.ceil(nodes * SERVER_KEYS_A_SECOND / CLIENT_LINES_A_SECOND)}",
            time(keys / (nodes * SERVER_KEYS_A_SECOND)),
            time(bytes / COPY_BYTES_A_SECOND),
            time(bytes / COPY_BYTES_A_SECOND / nodes),
        )


def table():
    heads = (
        "keys", "masters", "filter", "shards", "a shard", "memory of a node, with its replicas' share", "keys/s, all servers",
        "clients for that", "time to add all keys", "pull by one client", "pull by as many clients as masters",
    )  # fmt: skip
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows()]) + "\n"


def main():
    if sys.argv[1:2] != ["--check"]:
        print(table(), end="")
        return
    with open(sys.argv[2], encoding="utf-8") as page:
        if table() not in page.read():
            sys.exit(f"{sys.argv[2]} should have this table:\n{table()}")


if __name__ == "__main__":
    main()
