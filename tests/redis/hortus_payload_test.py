#!/usr/bin/env python3
"""Damaged filters of every family, to IMPORT and to RESTORE, with right checksums, so that the module has to judge them. It refuses
each, or accepts a filter that works, can be saved, and is loaded again. Run with a module compiled with AddressSanitizer, any wrong
access ends the server. $HORTUS_REDIS_SECONDS says for how long."""

import pathlib
import random
import struct
import sys
import time

import harness
from harness import equal, seed, size
from hortus_specimens import items, plant_all
from payload import signed, value_of
from resp import Refused
from server import Server, configure

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
from hashes import xxh3  # noqa: E402

SECONDS = size("SECONDS", 4)
INTERESTING = (0, 1, 2, 3, 7, 8, 63, 64, 65, 127, 255, 256, 2**16, 2**31, 2**32 - 1, 2**32, 2**40, 2**42, 2**62, 2**63, 2**64 - 1)
CHUNK = 1 << 20
# What may be asked of whatever was accepted.
USES = (
    ("HORTUS.INFO",), ("HORTUS.EXISTS", "x", "item1"), ("HORTUS.ADD", "x", "y", "x"), ("HORTUS.COUNT", "x", "item1"), ("HORTUS.GET", "item1", "x"),
    ("HORTUS.PUT", "z", 1), ("HORTUS.ASSIGN", "item1", 1), ("HORTUS.DEL", "x", "item1"), ("HORTUS.TOP", 5), ("HORTUS.ESTIMATE",), ("HORTUS.ADDCOUNT", "x", 3),
    ("HORTUS.ADVANCE",), ("HORTUS.FOLD", "FPR", "0.9"), ("HORTUS.MADD", "LINES", b"\n".join(items(100, "more"))), ("HORTUS.EXPORT",), ("HORTUS.CLEAR",),
)  # fmt: skip


def with_checksums(file):
    """The file with its checksums computed anew, where its header allows to find what they are about."""
    file = bytearray(file)
    head, scalars, sections = struct.unpack_from("<I", file, 12)[0], *struct.unpack_from("<2I", file, 104)
    if head > len(file) or head < 136 or 128 + 8 * scalars + 16 * sections + 8 > head:
        return bytes(file)
    places = [struct.unpack_from("<2Q", file, 128 + 8 * scalars + 16 * i) for i in range(sections)]
    if all(offset + length <= len(file) for offset, length in places):
        table, number = b"", 0
        for offset, length in places:
            for at in range(offset, offset + length, CHUNK):
                table += struct.pack("<Q", xxh3(bytes(file[at : min(at + CHUNK, offset + length)]), number))
                number += 1
        if head + len(table) <= len(file):
            file[head : head + len(table)] = table
            struct.pack_into("<Q", file, 112, xxh3(table, 0))
    struct.pack_into("<Q", file, head - 8, xxh3(bytes(file[: head - 8]), 0))
    return bytes(file)


def damaged(file, draw):
    """One or two changes: a number of the header, a bit of the payload, a piece less or more."""
    file = bytearray(file)
    for _ in range(draw.choice((1, 1, 2))):
        what = draw.random()
        head = max(128, min(struct.unpack_from("<I", file, 12)[0], len(file)))
        if what < 0.45:  # a number in the header
            at = draw.randrange(1, head // 8) * 8
            value = draw.choice(INTERESTING) if draw.random() < 0.7 else struct.unpack_from("<Q", file, at)[0] + draw.choice((-1, 1, 8, -8, 64))
            struct.pack_into("<Q", file, at, value % 2**64)
        elif what < 0.75 and len(file) > head:
            at = draw.randrange(head, len(file))
            file[at] = draw.choice((file[at] ^ 1 << draw.randrange(8), 0, 255))
        elif what < 0.85:
            del file[draw.randrange(16, len(file)) :]
            file += bytes(max(0, 200 - len(file)))
        else:
            file += draw.randbytes(draw.choice((1, 8, 64)))
    return with_checksums(file)


def length(value):
    """As RDB writes a length."""
    if value < 64:
        return bytes([value])
    return struct.pack(">H", 0x4000 | value) if value < 16384 else b"\x80" + struct.pack(">I", value)


def in_pieces(head, file, draw):
    """A value of a dump: strings of any lengths, as many as there are."""
    value, at = head, 0
    while at < len(file):
        count = draw.choice((1, 64, 130, 1000, len(file)) if at else (500, len(file), len(file)))  # the first holds the header
        value += b"\x05" + length(len(file[at : at + count])) + file[at : at + count]
        at += count
    return value + draw.choice((b"", b"", b"\x05\x00", b"\x02\x05")) + b"\x00"


def use(connection, server, key):
    for name, *words in USES:
        reply = connection.reply_or_error(name, key, *words)
        assert not isinstance(reply, Refused) or str(reply).startswith(("ERR", "OOM", "WRONGTYPE")), f"{name}: {reply}"
    assert server.alive(), "the server ended"


def test_damaged_filters(folder):
    start = seed()
    draw = random.Random(start)
    with Server(folder) as server:
        connection = server.connect()
        configure(server, "max-object-bytes", 64 << 20)
        known = list(plant_all(connection, folder))
        files = {family: connection("HORTUS.EXPORT", family) for family in known}
        for family in known:
            equal(f"{family} signed again", files[family], with_checksums(files[family]))
        dump = value_of(connection("DUMP", "bloom"))
        head = dump[: dump.index(b"\x89HORTUS") - 1]
        head = head[: head.rindex(b"\x05")]
        connection("FLUSHALL")
        tried = accepted = 0
        end = time.monotonic() + SECONDS
        try:
            while time.monotonic() < end:
                file = damaged(files[draw.choice(known)], draw)
                if draw.random() < 0.5:
                    reply = connection.reply_or_error("HORTUS.IMPORT", "k", file)
                else:
                    reply = connection.reply_or_error("RESTORE", "k", 0, signed(in_pieces(head, file, draw)))
                tried += 1
                if not isinstance(reply, Refused):
                    accepted += 1
                    before = connection("DUMP", "k")
                    connection("RESTORE", "again", 0, before, "REPLACE")
                    equal("what was accepted is loaded again", value_of(before), value_of(connection("DUMP", "again")))
                    use(connection, server, "k")
                    connection("RESTORE", "again", 0, connection("DUMP", "k"), "REPLACE")
                    connection("DEL", "k")
        except Exception:
            print(f"seed {start}")
            raise
        assert tried > 20 and server.alive(), f"{tried} tried"
        assert accepted > 0, "some damage cannot be told from another filter: a bit of the cells"


def test_damaged_imports_in_pieces(folder):
    start = seed()
    draw = random.Random(start)
    with Server(folder) as server:
        connection = server.connect()
        configure(server, "max-object-bytes", 64 << 20)
        connection("HORTUS.CREATE", "b", "bloom", "ITEMS", 20000)
        whole = connection("HORTUS.EXPORT", "b")
        end = time.monotonic() + SECONDS / 2
        while time.monotonic() < end:
            file = damaged(whole, draw) if draw.random() < 0.7 else whole
            at = 0
            while at < len(file):
                count = draw.choice((100, 5000, len(file) // 2 + 1, len(file)))
                reply = connection.reply_or_error("HORTUS.IMPORT", "k", "FROM", at, file[at : at + count])
                if isinstance(reply, Refused):
                    break
                at += count
            if connection("EXISTS", "k"):
                if connection("TYPE", "k") == "hortus-in" or draw.random() < 0.3:  # a part, too, is saved and loaded
                    connection("RESTORE", "again", 0, connection("DUMP", "k"), "REPLACE")
                    value = bytearray(value_of(connection("DUMP", "k")))
                    value[draw.randrange(10, min(len(value), 60))] ^= 1 << draw.randrange(8)
                    connection.reply_or_error("RESTORE", "damaged", 0, signed(bytes(value)), "REPLACE")
                    if connection("EXISTS", "damaged"):
                        connection("RESTORE", "again", 0, connection("DUMP", "damaged"), "REPLACE")
                        use(connection, server, "damaged")
                else:
                    use(connection, server, "k")
            connection("DEL", "k", "damaged")
        assert server.alive(), f"the server ended (seed {start})"


def test_a_false_size_takes_no_memory(folder):
    with Server(folder) as server:
        connection = server.connect()
        connection("HORTUS.CREATE", "b", "bloom", "ITEMS", 100)
        file = bytearray(connection("HORTUS.EXPORT", "b"))
        dump = value_of(connection("DUMP", "b"))
        head = dump[: dump.index(b"\x89HORTUS") - 1]
        head = head[: head.rindex(b"\x05")]
        # Its only section says 16 GiB, and so does the file.
        bits = 8 << 34
        header, scalars = struct.unpack_from("<I", file, 12)[0], struct.unpack_from("<I", file, 104)[0]
        struct.pack_into("<Q", file, 128 + 8 * scalars + 8, bits // 8)
        chunks = bits // 8 // CHUNK
        struct.pack_into("<Q", file, 128 + 8 * scalars, header + 8 * chunks)
        struct.pack_into("<Q", file, 16, header + 8 * chunks + bits // 8)
        table = bytes(8 * chunks)
        struct.pack_into("<Q", file, 112, xxh3(table, 0))
        struct.pack_into("<Q", file, header - 8, xxh3(bytes(file[: header - 8]), 0))
        false = bytes(file[:header]) + table + bytes(100)
        before = int(connection("INFO", "memory").split(b"used_memory_peak:")[1].split(b"\r\n")[0])
        connection.refused("RESTORE", "k", 0, signed(in_pieces(head, false, random.Random(1))))
        connection.refused("HORTUS.IMPORT", "k", false)
        after = int(connection("INFO", "memory").split(b"used_memory_peak:")[1].split(b"\r\n")[0])
        assert after - before < 100 << 20, f"{after - before} bytes were taken"


harness.main()
