#!/usr/bin/env python3
"""Damaged payloads of RESTORE and of LOADCHUNK, with right checksums, so that the module has to judge them. It refuses each, or
accepts a value that works, can be saved, and is loaded again. Run with a module compiled with AddressSanitizer, any wrong access
ends the server. $HORTUS_REDIS_SECONDS says for how long."""

import json
import random
import struct
import time

import harness
from harness import equal, seed, size
from payload import signed, value_of
from resp import Refused
from server import Server, configure
from specimens import SPECIMENS, dumps, plant

SECONDS = size("SECONDS", 4)
INTERESTING = (0, 1, 2, 3, 7, 8, 63, 64, 127, 128, 255, 256, 2**16 - 1, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**62, 2**63, 2**64 - 1)
# What may be asked of whatever was accepted.
USES = {
    "MBbloom--": (("BF.ADD", "x"), ("BF.MEXISTS", "x", "y"), ("BF.INFO",), ("BF.DEBUG",), ("BF.CARD",), ("BF.SCANDUMP", 0), ("BF.SCANDUMP", 1)),
    "MBbloomCF": (("CF.ADD", "x"), ("CF.MEXISTS", "x", "y"), ("CF.DEL", "x"), ("CF.COUNT", "x"), ("CF.INFO",), ("CF.DEBUG",), ("CF.COMPACT",), ("CF.SCANDUMP", 0)),
    "CMSk-TYPE": (("CMS.INCRBY", "x", 5), ("CMS.QUERY", "x", "y"), ("CMS.INFO",)),
    "TopK-TYPE": (("TOPK.ADD", "x", "y"), ("TOPK.INCRBY", "x", 99), ("TOPK.QUERY", "x", "y"), ("TOPK.COUNT", "x"), ("TOPK.LIST", "WITHCOUNT"), ("TOPK.INFO",)),
    "hortus-fl": (("HORTUS.ADD", "x"), ("HORTUS.EXISTS", "x", "y"), ("HORTUS.COUNT", "x"), ("HORTUS.DEL", "x"), ("HORTUS.INFO",), ("HORTUS.ESTIMATE",), ("HORTUS.TOP", 5), ("HORTUS.EXPORT",)),
}  # fmt: skip


def length(value):
    """As RDB writes a length or an unsigned number."""
    if value < 64:
        return bytes([value])
    if value < 16384:
        return struct.pack(">H", 0x4000 | value)
    return b"\x80" + struct.pack(">I", value) if value < 2**32 else b"\x81" + struct.pack(">Q", value)


def read_length(data, at):
    first = data[at]
    if first >> 6 == 0:
        return first, at + 1
    if first >> 6 == 1:
        return struct.unpack_from(">H", data, at)[0] & 0x3FFF, at + 2
    return (struct.unpack_from(">I", data, at + 1)[0], at + 5) if first == 0x80 else (struct.unpack_from(">Q", data, at + 1)[0], at + 9)


def fields(value):
    """The numbers, doubles and strings of a module's value, as (opcode, content), with what stands before them."""
    _, at = read_length(value, 1)
    head, found = value[:at], []
    while True:
        opcode, at = read_length(value, at)
        if opcode == 0:  # the end
            return head, found
        start = at
        if opcode == 2:
            number, at = read_length(value, at)
            found.append((2, number))
        elif opcode == 4:
            at += 8
            found.append((4, value[start:at]))
        else:
            if value[at] == 0xC3:  # compressed
                packed, at = read_length(value, at + 1)
                _, at = read_length(value, at)
                at += packed
            else:
                bytes_, at = read_length(value, at)
                at += bytes_
            found.append((5, value[start:at]))


def assembled(head, found):
    return head + b"".join(length(opcode) + (length(content) if opcode == 2 else content) for opcode, content in found) + b"\0"


def damaged(value, draw):
    """In one of several ways: a field has another value, is missing, is there twice; or any byte is another."""
    head, found = fields(value)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        if not found:
            break
        at = draw.randrange(min(len(found), draw.choice((8, 1000))))
        opcode, content = found[at]
        way = draw.randrange(6)
        if way == 0:
            del found[at]
        elif way == 1:
            found.insert(at, found[draw.randrange(len(found))])
        elif way == 2:
            found[at] = found[draw.randrange(len(found))]
        elif opcode == 2:
            found[at] = (2, draw.choice((draw.choice(INTERESTING), content + draw.choice((-1, 1)), content * 2, content // 2)) % 2**64)
        elif opcode == 4:
            number = draw.choice((0.0, -1.0, 1.0, 1e-320, 1e308, float("nan"), float("inf"), -float("inf"), 0.5, draw.random()))
            found[at] = (4, struct.pack("<d", number))
        else:
            text = bytes(draw.randrange(256) for _ in range(draw.choice((0, 1, 7, 8, 16, 24, 64))))
            found[at] = (5, length(len(text)) + text)
    data = bytearray(assembled(head, found))
    if draw.random() < 0.3:
        for _ in range(draw.choice((1, 2, 8))):
            data[draw.randrange(len(head), len(data))] = draw.randrange(256)
    return bytes(data)


def use(server, connection, key):
    """Whatever was accepted is a value like any other."""
    kind = connection("TYPE", key)
    for name, *words in USES[kind]:
        connection.reply_or_error(name, key, *words)
    saved = connection("DUMP", key)
    equal(f"{kind} saved and loaded again", "OK", connection("RESTORE", "again", 0, saved, "REPLACE"))
    equal(f"bytes of {kind} saved and loaded again", value_of(saved), value_of(connection("DUMP", "again")))
    connection("COPY", key, "copy", "REPLACE")
    connection("MEMORY", "USAGE", key)


def within_time(folder, body):
    number = seed()
    draw = random.Random(number)
    deadline = time.monotonic() + SECONDS
    tried = accepted = 0
    with Server(folder) as server:
        configure(server, "max-object-bytes", 1 << 26)  # a large value that is accepted takes time and shows nothing
        connection = server.connect()
        plant(connection)
        last = None
        try:
            while time.monotonic() < deadline:
                last = body(connection, draw)
                tried += 1
                if last:
                    accepted += 1
                    use(server, connection, "victim")
                    connection("DEL", "victim")
        except (OSError, AssertionError, Refused) as why:
            server.process.wait(20) if isinstance(why, OSError) else None
            raise AssertionError(f"HORTUS_REDIS_SEED={number}, try {tried}: {why!r}; status {server.process.poll()}") from why
    assert tried > 100, f"only {tried} tries in {SECONDS} s"
    return tried, accepted


def test_restore(folder):
    with Server(folder) as server:
        connection = server.connect()
        plant(connection)
        values = list(dumps(connection).values())
    with open(harness.ROOT / "tests" / "redis" / "golden" / "objects-8.10.json") as file:
        values += [value_of(bytes.fromhex(each["dump"])) for each in json.load(file)]
    for value in values:
        equal("a payload taken apart and put together", value, assembled(*fields(value)))

    def once(connection, draw):
        reply = connection.reply_or_error("RESTORE", "victim", 0, signed(damaged(draw.choice(values), draw)))
        assert reply == "OK" or str(reply) == "ERR Bad data format", reply
        return reply == "OK"

    within_time(folder, once)


def test_other_versions_of_the_encoding(folder):
    """The version of a type's encoding is the low ten bits of the type's number."""

    def once(connection, draw):
        value = bytearray(value_of(connection("DUMP", draw.choice(list(SPECIMENS)))))
        (number,) = struct.unpack_from(">Q", value, 2)
        struct.pack_into(">Q", value, 2, number & ~1023 | draw.choice((0, 1, 2, 3, 4, 5, 6, 1023)))
        reply = connection.reply_or_error("RESTORE", "victim", 0, signed(bytes(value)))
        assert reply == "OK" or str(reply) == "ERR Bad data format", reply
        return reply == "OK"

    within_time(folder, once)


def chunks_of(connection, kind, key):
    parts, iterator = [], 0
    while (reply := connection(f"{kind}.SCANDUMP", key, iterator))[0]:
        parts.append(reply)
        iterator = reply[0]
    return parts


def test_loadchunk(folder):
    cache = {}

    def once(connection, draw):
        kind, key = draw.choice((("BF", "bloom:grown"), ("BF", "bloom:fixed"), ("CF", "cuckoo:grown")))
        if (kind, key) not in cache:
            cache[kind, key] = chunks_of(connection, kind, key)
        parts = [list(part) for part in cache[kind, key]]
        for _ in range(draw.choice((0, 1, 1, 2))):
            part = draw.choice(parts[:1] if draw.random() < 0.6 else parts)
            data = bytearray(part[1])
            way = draw.randrange(5)
            if way == 0:
                part[0] = draw.choice(INTERESTING) - draw.choice((0, 2**63))
            elif way == 1:
                data = data[: draw.randrange(len(data) + 1)]
            elif way == 2:
                data += bytes(draw.randrange(1, 100))
            elif way == 3 and len(data) >= 8:
                struct.pack_into("<Q", data, draw.randrange(len(data) - 7), draw.choice(INTERESTING))
            elif data:
                data[draw.randrange(len(data))] = draw.randrange(256)
            part[1] = bytes(data)
        if draw.random() < 0.3:
            draw.shuffle(parts)
        for iterator, data in parts[: draw.randrange(1, len(parts) + 1)]:
            connection.reply_or_error(f"{kind}.LOADCHUNK", "victim", iterator, data)
        # Half a value: it may be there or not, and whatever is there can be saved.
        return connection("EXISTS", "victim") == 1

    within_time(folder, once)


harness.main()
