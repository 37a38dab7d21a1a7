#!/usr/bin/env python3
"""responder.py FILE: the other side of `hortus reconcile --remote`, written from docs/reconciliation.md alone."""
import math
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
from hashes import M64, mix64, siphash, u64, xxh3  # noqa: E402

HELLO, SUMMARY, MORE, SYMBOLS, WANT, KEYS, DONE, FAILED, BUSY = range(1, 10)
START = b"\x89HORREC\n\x01"


def taken(size):
    data = sys.stdin.buffer.read(size)
    if len(data) != size:
        sys.exit("responder.py: the initiator ended early")
    return data


def send(kind, payload=b""):
    frame = struct.pack("<BI", kind, len(payload)) + payload
    sys.stdout.buffer.write(frame + struct.pack("<I", xxh3(frame) & 0xFFFFFFFF))
    sys.stdout.buffer.flush()


def received():
    while True:
        head = taken(5)
        kind, size = struct.unpack("<BI", head)
        payload = taken(size)
        if struct.unpack("<I", taken(4))[0] != xxh3(head + payload) & 0xFFFFFFFF:
            sys.exit("responder.py: a checksum is wrong")
        if kind != BUSY:
            return kind, payload


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number_in(data):
    return sum((byte & 0x7F) << 7 * i for i, byte in enumerate(data))


def word(x):
    return x.to_bytes(8, "little")


def positions(checksum, end):
    at = 0
    while at < end:
        yield at
        share = (mix64(checksum + (at + 1) * 0x9E3779B97F4A7C15 & M64) >> 32) + 1
        at = math.isqrt(((at + 2) ** 2 << 32) // share) - 1  # the least x with (x+2)^2 share > (at+2)^2 2^32


def symbols_of(checksums, first, count):
    cells = [[0, 0, 0] for _ in range(first + count)]
    for digest, checksum in checksums.items():
        for at in positions(checksum, first + count):
            cell = cells[at]
            cell[0] ^= int.from_bytes(digest, "little")
            cell[1] ^= checksum
            cell[2] += 1
    out = varint(first) + varint(count)
    for i in range(first, first + count):
        bytes_of, checks, held = cells[i]
        off = held - (len(checksums) if i == 0 else len(checksums) * (2 * i + 3) // (i + 2) ** 2)
        out += bytes_of.to_bytes(16, "little") + word(checks) + varint(2 * off if off >= 0 else -2 * off - 1)
    return out


def main():
    keys = set(pathlib.Path(sys.argv[1]).read_bytes().removesuffix(b"\n").split(b"\n"))
    sys.stdout.buffer.write(START)
    sys.stdout.buffer.flush()
    if taken(len(START)) != START:
        sys.exit("responder.py: another version")
    kind, session = received()
    if kind != HELLO:
        sys.exit("responder.py: no hello")
    secrets = {p: b"".join(word(siphash(word(2 * p + i), session, 2, 4)) for i in (0, 1)) for p in (1, 2, 3)}
    by_digest = {word(siphash(key, secrets[1], 2, 4)) + word(siphash(key, secrets[2], 2, 4)): key for key in keys}
    checksums = {digest: siphash(digest, secrets[3], 1, 3) for digest in by_digest}
    send(SUMMARY, varint(len(keys)) + word(sum(u64(d, 0) for d in by_digest) & M64) + word(sum(u64(d, 8) for d in by_digest) & M64))
    sent, wanted = 0, []
    while True:
        kind, payload = received()
        if kind == MORE:
            send(SYMBOLS, symbols_of(checksums, sent, number_in(payload)))
            sent += number_in(payload)
        elif kind == WANT and payload:
            wanted += [payload[i:i + 16] for i in range(0, len(payload), 16)]
        elif kind == WANT:
            send(KEYS, b"".join(varint(len(by_digest[d])) + by_digest[d] for d in wanted))
        elif kind == DONE:
            return
        else:
            sys.exit(f"responder.py: frame {kind} is out of turn")


main()
