#!/usr/bin/env python3
"""read_messages.py ROOT COMMAND: packs golden files of every family and reads the messages as docs/messages.md says.

A second decoder, made from that page: what it finds must be what is in the files."""
import glob
import os
import struct
import subprocess
import sys
import tempfile


class Input:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        assert self.at + size <= len(self.data), "too short"
        self.at += size
        return self.data[self.at - size : self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value


def decode_symbol(states, lane, words, bits, slots):
    """slots: of each slot, symbol, first slot and frequency."""
    slot = states[lane] % 2**bits
    symbol, first, frequency = slots[slot]
    state = frequency * (states[lane] >> bits) + slot - first
    if state < 2**15:
        state = state << 16 | words.pop()
    states[lane] = state
    return symbol


def slots_of(frequencies):
    slots = []
    for symbol, frequency in frequencies:
        slots += [(symbol, len(slots), frequency)] * frequency
    return slots


def words_of(data):
    assert len(data) % 2 == 0
    return list(struct.unpack("<%dH" % (len(data) // 2), data))


def in_steps(code, size, bits, contexts):
    packed = int.from_bytes(code.take(124), "little")
    states = [packed >> 31 * i & 2**31 - 1 for i in range(32)]
    words = words_of(code.take(len(code.data) - code.at))
    out = bytearray((size + 31) // 32 * 32)
    for step in range(0, len(out), 32):
        for lane in reversed(range(32)):
            out[step + lane] = decode_symbol(states, lane, words, bits, contexts[lane % len(contexts)])
    assert not words and states == [2**15] * 32
    return bytes(out[:size])


def gaps(code, size):
    bits, ones = 8 * size, code.varint()
    states = list(struct.unpack("<%dI" % (1 if ones < 4096 else 4), code.take(4 if ones < 4096 else 16)))
    z, s = 2**32 - max(1, ones * 2**32 // bits), 0
    while 2**32 - z <= 2**28:
        z, s = z * z >> 32, s + 1
    escape, left, first = min(63, 8 * 2**32 // (2**32 - z)), 2**32, []
    for i in range(escape + 1):
        first.append(((2**32 - left) * (2**14 - escape - 1) >> 32) + i)
        left = left * z >> 32
    first.append(2**14)
    slots = slots_of((i, first[i + 1] - first[i]) for i in range(escape + 1))
    remainder_bytes = (ones * s + 7) // 8
    words = words_of(code.take(len(code.data) - code.at - remainder_bytes))
    remainders = int.from_bytes(code.take(remainder_bytes), "little")
    out, place, turn = bytearray(size), -1, 0
    for i in range(ones):
        quotient = 0
        while True:
            symbol = decode_symbol(states, turn % len(states), words, 14, slots)
            turn += 1
            quotient += symbol
            if symbol != escape:
                break
        place += 1 + (quotient << s) + (remainders >> i * s & 2**s - 1)
        out[place // 8] |= 1 << place % 8
    assert not words and set(states) == {2**15}
    return bytes(out)


def piece(message, size):
    kind = message.take(1)[0]
    kinds.add(kind)
    if kind < 2:
        return bytes([255 * kind]) * size
    if kind == 2:
        return message.take(size)
    code = Input(message.take(message.varint()))
    if kind == 3:
        sizes = [1, 8, 28, 56, 70, 56, 28, 8, 1]
        f = [0] + [code.varint() for _ in range(8)]
        f[0] = 2**15 - sum(a * b for a, b in zip(sizes, f))
        order = sorted(range(256), key=lambda x: (bin(x).count("1"), x))
        return in_steps(code, size, 15, [slots_of((x, f[bin(x).count("1")]) for x in order)])
    if kind in (4, 5):
        found = gaps(code, size)
        return found if kind == 4 else bytes(255 - x for x in found)
    if kind == 6:
        contexts = []
        for _ in range(code.take(1)[0]):
            present = int.from_bytes(code.take(32), "little")
            contexts.append(slots_of([(x, code.varint()) for x in range(256) if present >> x & 1]))
        return in_steps(code, size, 12, contexts)
    assert kind == 7
    which = piece(code, (size + 7) // 8)
    places = [i for i in range(size) if which[i // 8] >> i % 8 & 1]
    out = bytearray(size)
    for i, value in zip(places, piece(code, len(places))):
        out[i] = value
    return bytes(out)


def check(file, message_bytes, before=None):
    """The message has what the file has."""
    message = Input(message_bytes)
    magic, version, is_change, size, identity, since = struct.unpack("<8sIIQQQ", message.take(40))
    (header_bytes,), (scalars, sections) = struct.unpack_from("<I", file, 12), struct.unpack_from("<II", file, 104)
    assert (magic, version, is_change, size) == (b"\x89HORMSG\n", 1, int(before is not None), len(message_bytes))
    assert identity == struct.unpack_from("<Q", file, header_bytes - 8)[0]
    family = message.take(message.varint())
    assert file[24:48] == family + bytes(24 - len(family))
    hash_id, seed, key_check, kinds_of_keys, planned = (message.varint() for _ in range(5))
    assert (hash_id, seed, key_check, kinds_of_keys) == struct.unpack_from("<IQQI", file, 52)
    assert struct.pack("<Q", planned) + message.take(8) + struct.pack("<Q", message.varint()) == file[80:104]
    assert [message.varint() for _ in range(message.varint())] == list(struct.unpack_from("<%dQ" % scalars, file, 128))
    sizes = [message.varint() for _ in range(message.varint())]
    entries = [struct.unpack_from("<QQ", file, 128 + 8 * scalars + 16 * i) for i in range(sections)]
    assert sizes == [bytes_ for _, bytes_ in entries]
    for i, (offset, bytes_) in enumerate(entries):
        found = b"".join(piece(message, min(2**18, bytes_ - at)) for at in range(0, bytes_, 2**18))
        if before is not None:
            old_offset, old_bytes = struct.unpack_from("<QQ", before, 128 + 8 * scalars + 16 * i)
            old = before[old_offset : old_offset + old_bytes][:bytes_].ljust(bytes_, b"\0")
            found = bytes(a ^ b for a, b in zip(found, old))
        assert found == file[offset : offset + bytes_], "section %d" % i
    assert message.at == len(message_bytes) - 8


def contents(path):
    with open(path, "rb") as file:
        return file.read()


kinds = set()
root, command = sys.argv[1:]
files = [f for f in sorted(glob.glob(root + "/tests/golden/v1/*/*.hortus")) if os.path.getsize(f) < 20000]
with tempfile.TemporaryDirectory() as folder:
    out = folder + "/message"
    for file in files:
        subprocess.run([command, "pack", "-o", out, file], check=True)
        check(contents(file), contents(out))
    keys = "\n".join(map(str, range(60000))).encode()  # larger ones, of which bits and bytes are coded in lanes
    for family, items in (("bloom", 100000), ("counting", 60000)):
        old, new = folder + "/old", folder + "/new"
        for path, some in ((old, keys), (new, keys + b"\nmore\nand more")):
            subprocess.run([command, "build", family, "-n", str(items), "-o", path], input=some, check=True)
        subprocess.run([command, "pack", "-o", out, new], check=True)
        check(contents(new), contents(out))
        subprocess.run([command, "pack", "-o", out, new, "--since", old], check=True)
        check(contents(new), contents(out), contents(old))
assert {0, 2, 3, 4, 6} <= kinds, kinds
print(len(files), "files, kinds of pieces:", *sorted(kinds))
