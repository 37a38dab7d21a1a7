"""Reads hortus files by the rules of docs/file-format.md and nothing else. A family is a class: its constructor takes the
scalars and sections in the page's order and refuses what the page calls invalid; has(digest) and count(digest) answer."""
import math
import struct
from hashes import M64, mix64, siphash, u64, xxh3, xxh64

GOLDEN = 0x9E3779B97F4A7C15
MAX_BITS = 1 << 42
CHUNK = 1 << 20


class Invalid(Exception):
    """A file that a reader must refuse."""


def demand(true, what):
    if not true:
        raise Invalid(what)


def aligned(size):
    return (size + 63) // 64 * 64


# Header, sections, checksums

class File:
    def __init__(self, data):
        demand(len(data) >= 128 and data[:8] == b"\x89HORTUS\n", "not a hortus file")
        (self.version, header_bytes, file_bytes, family, features, self.hash_id, self.seed, self.key_check, self.key_kinds,
         chunk_bytes, self.items_planned, self.fpr_planned, self.items_inserted, scalars, sections, table_checksum,
         reserved) = struct.unpack_from("<IIQ24sIIQQIIQdQIIQQ", data, 8)
        demand(self.version == 1, "another version")
        demand(header_bytes <= min(65536, len(data)) and sections <= 256, "header too large")
        demand(header_bytes == aligned(128 + 8 * scalars + 16 * sections + 8), "header_bytes is not the header's size")
        demand(u64(data, header_bytes - 8) == xxh3(data[:header_bytes - 8]), "checksum of the header")
        demand(features == 0, "a feature of a later release")
        demand(file_bytes == len(data), "file_bytes is not the file's size")
        self.family = family.rstrip(b"\0").decode("latin-1")
        demand(self.family and len(self.family) <= 23 and all(c in "abcdefghijklmnopqrstuvwxyz0123456789_" for c in self.family),
               "family name")
        demand(chunk_bytes == CHUNK and reserved == 0 and self.key_kinds <= 7 and 0 <= self.fpr_planned <= 1, "header fields")
        self.scalars = struct.unpack_from(f"<{scalars}Q", data, 128)
        entries = list(struct.iter_unpack("<QQ", data[128 + 8 * scalars:128 + 8 * scalars + 16 * sections]))
        demand(not any(data[128 + 8 * scalars + 16 * sections:header_bytes - 8]), "padding of the header")

        demand(all(size <= file_bytes for _, size in entries), "section larger than the file")
        chunks = sum((size + CHUNK - 1) // CHUNK for _, size in entries)
        at = header_bytes + aligned(8 * chunks)
        for offset, size in entries:
            demand(offset == at, "section not where the one before it ends")
            at += aligned(size)
        demand(at == file_bytes, "sections do not end where the file does")
        table = data[header_bytes:header_bytes + 8 * chunks]
        demand(xxh3(table) == table_checksum, "checksum of the chunk table")
        demand(not any(data[header_bytes + 8 * chunks:header_bytes + aligned(8 * chunks)]), "padding of the chunk table")
        chunk = 0
        self.sections = []
        for offset, size in entries:
            for start in range(offset, offset + size, CHUNK):
                demand(xxh3(data[start:min(start + CHUNK, offset + size)], chunk) == u64(table, 8 * chunk), f"chunk {chunk}")
                chunk += 1
            demand(not any(data[offset + size:offset + aligned(size)]), "padding of a section")
            self.sections.append(data[offset:offset + size])

        demand(self.hash_id in (1, 2, 3, 4), "an unknown hash")
        demand((self.key_check != 0) == (self.hash_id >= 3), "key_check does not go with the hash")
        demand(self.seed == 0 or self.hash_id < 3, "a keyed hash has no seed")

    def filter(self):
        demand(self.family in FAMILIES, "an unknown family")
        fields = Fields(self.scalars, self.sections)
        made = FAMILIES[self.family](fields)
        demand(fields.done(), "more scalars or sections than the family has")
        return made

    def digest_function(self, secret=None):
        """What makes digests of keys, bytes or int. A secret key must be the file's."""
        if self.hash_id >= 3:
            demand(secret and (siphash(b"hortus: check of a secret key", secret, 4, 8) or 1) == self.key_check, "secret key")
            rounds = (1, 3) if self.hash_id == 3 else (2, 4)
            of_bytes = lambda b: siphash(b, secret, *rounds)
        elif self.hash_id == 2:
            of_bytes = lambda b: xxh64(b, self.seed)
        else:
            seed, salt = mix64(self.seed), mix64(self.seed + GOLDEN & M64)
            return lambda key: mix64(key ^ salt) if isinstance(key, int) else xxh3(key, seed)
        return lambda key: of_bytes(struct.pack("<Q", key & M64) if isinstance(key, int) else key)


def name_id(name):
    value = 0xCBF29CE484222325
    for c in name.encode():
        value = (value ^ c) * 0x100000001B3 & M64
    return value


class Fields:
    """Hands out scalars and sections in order."""

    def __init__(self, scalars, sections):
        self.scalars, self.sections = list(scalars), list(sections)

    def number(self, what, least=0, most=M64):
        demand(self.scalars, f"no scalar for {what}")
        value = self.scalars.pop(0)
        demand(least <= value <= most, f"{what} is {value}, not {least} to {most}")
        return value

    def real(self, what):
        return struct.unpack("<d", struct.pack("<Q", self.number(what)))[0]

    def section(self, what, size):
        demand(self.sections, f"no section for {what}")
        section = self.sections.pop(0)
        demand(len(section) == size, f"{what} has {len(section)} bytes, not {size}")
        return section

    def rest(self, what):
        """A section of any size."""
        demand(self.sections, f"no section for {what}")
        return self.sections.pop(0)

    def index_id(self):
        self.number("index id", 1, 1)

    def layer_id(self, name):
        self.number("layer id", name_id(name), name_id(name))

    def done(self):
        return not self.scalars and not self.sections


# From a digest to positions

def chain(d, span):
    state = d | 1
    while True:
        state = state * 0xF1357AEA2E62A9C5 & M64
        yield state * span >> 64


def remixed(d, salt):
    return mix64(d ^ mix64(salt + GOLDEN & M64))


def spread(x):
    x = x * GOLDEN & M64
    return x ^ x >> 32


def following(pattern):
    return spread(pattern + GOLDEN & M64)


def pattern_positions(pattern, width, probes):
    in_a_word = 64 // width
    mask = (1 << width) - 1
    for i in range(probes):
        if i and i % in_a_word == 0:
            pattern = following(pattern)
        yield pattern >> i % in_a_word * width & mask


# What families are made of

def words_of_bits(f, what, bits):
    """A section of whole 64-bit words; what is past the last bit is zero."""
    data = f.section(what, (bits + 63) // 64 * 8)
    demand(bits % 64 == 0 or u64(data, bits // 64 * 8) >> bits % 64 == 0, f"{what}: bits past the end")
    return data


class Bits:
    def __init__(self, f):
        self.bits = f.number("bits", 1, MAX_BITS)
        self.data = words_of_bits(f, "array of bits", self.bits)

    def __getitem__(self, i):
        return self.data[i >> 3] >> (i & 7) & 1


class Counters:
    """Counters of one width."""

    def __init__(self, f, most_bits=64):
        self.width = f.number("cell_bits", 1, most_bits)
        self.cells = f.number("cells", 1, MAX_BITS // self.width)
        self.data = words_of_bits(f, "cells", self.cells * self.width)
        self.most = (1 << self.width) - 1

    def __getitem__(self, i):
        bit = i * self.width
        return int.from_bytes(self.data[bit >> 3:(bit + self.width + 7) >> 3], "little") >> (bit & 7) & self.most


class CompactCounters:
    """Counters of 2, 4 ... 64 bits, and a list for those that hold more."""

    def __init__(self, f):
        self.cells = f.number("cells", 1, 1 << 40)
        width = f.number("width", 1, 6)
        large = f.number("large", 0, self.cells)
        self.width = 1 << width
        self.most = (1 << self.width) - 1
        self.data = words_of_bits(f, "cells", self.cells * self.width)
        demand(f.sections, "no section for the list")
        entries = f.sections.pop(0)
        demand(len(entries) % 16 == 0 and len(entries) // 16 <= len(self.data) // 16, "list too long")
        demand(width < 6 or not entries, "cells of 64 bits need no list")
        if width == 1:
            demand(large == 0, "large with cells of 2 bits")
        else:
            narrower = (self.cells * (self.width // 2) + 63) // 64 * 8
            demand(large > narrower // 16, "cells wider than needed")
            half = (1 << self.width // 2) - 1
            demand(large == sum(self.low(i) > half for i in range(self.cells)), "number of large counters")
        self.beyond = {}
        last = -1
        for cell, excess in struct.iter_unpack("<QQ", entries):
            demand(last < cell < self.cells and self.low(cell) == self.most, "list: not a full cell, or not in order")
            demand(1 <= excess <= M64 - self.most, "list: excess")
            self.beyond[cell] = excess
            last = cell

    def low(self, i):
        bit = i * self.width
        return int.from_bytes(self.data[bit >> 3:(bit + self.width + 7) >> 3], "little") >> (bit & 7) & self.most

    def __getitem__(self, i):
        return self.low(i) + self.beyond.get(i, 0)


def numbers_in(section):
    return [int.from_bytes(section[i:i + 8], "little") for i in range(0, len(section), 8)]


def least(cells, positions, most):
    """The least of some cells, or `most`; a 0 ends it."""
    for at in positions:
        most = min(most, cells[at])
        if most == 0:
            break
    return most


class Membership:
    def answer(self, d):
        return self.has(d)


class Counting:
    def answer(self, d):
        return self.count(d)

    def has(self, d):
        return self.count(d) != 0


# The families

class Bloom(Membership):
    def __init__(self, f):
        f.index_id()
        self.probes = f.number("probes", 1, 64)
        self.array = Bits(f)

    def has(self, d):
        state, bits, data = d | 1, self.array.bits, self.array.data
        for _ in range(self.probes):
            state = state * 0xF1357AEA2E62A9C5 & M64
            at = state * bits >> 64
            if not data[at >> 3] >> (at & 7) & 1:
                return False
        return True


class Partitioned(Membership):
    def __init__(self, f):
        f.index_id()
        self.slice_bits = f.number("slice_bits", 1, MAX_BITS)
        self.probes = f.number("probes", 1, 64)
        self.array = Bits(f)
        demand(self.array.bits == self.slice_bits * self.probes, "bits are not slices")

    def has(self, d):
        return all(self.array[i * self.slice_bits + at] for i, at in zip(range(self.probes), chain(d, self.slice_bits)))


class InBlock(Membership):
    """Families that keep the bits of a key in one block."""
    block_bytes, most_blocks, most_probes, parts = 64, MAX_BITS // 512, 64, 1

    def __init__(self, f):
        self.probes = f.number("probes", 1, self.most_probes)
        demand(self.probes % self.parts == 0, "probes")
        self.blocks = f.number("blocks", 1, self.most_blocks)
        self.data = f.section("blocks", self.blocks * self.block_bytes)

    def block_of(self, d):
        return d * self.blocks >> 64

    def has(self, d):
        start = self.block_of(d) * self.block_bytes * 8
        for bit in self.bits_of(d):
            at = start + bit
            if not self.data[at >> 3] >> (at & 7) & 1:
                return False
        return True


class Blocked(InBlock):
    def bits_of(self, d):
        return pattern_positions(spread(d), 9, self.probes)


class BlockedPair(InBlock):
    block_bytes, most_blocks = 128, MAX_BITS // 1024

    def bits_of(self, d):
        return pattern_positions(following(spread(d)), 10, self.probes)


class Sectorized(InBlock):
    most_probes, parts = 32, 2

    def bits_of(self, d):
        first = spread(d)
        second = following(first)
        for word, pattern in ((first >> 62, first), (4 + (second >> 62), second)):
            for bit in pattern_positions(pattern, 6, self.probes // 2):
                yield 64 * word + bit


class SplitBlock(InBlock):
    block_bytes, most_blocks, most_probes, parts = 32, 1 << 32, 8, 8
    salts = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)

    def block_of(self, d):
        return (d >> 32) * self.blocks >> 32

    def bits_of(self, d):
        for lane, salt in enumerate(self.salts):
            yield 32 * lane + ((d & 0xFFFFFFFF) * salt >> 27 & 31)


class RegisterBlocked(InBlock):
    block_bytes, most_blocks, most_probes = 8, MAX_BITS // 64, 32

    def bits_of(self, d):
        return pattern_positions(spread(d), 6, self.probes)


class CountingFilter(Counting):
    def __init__(self, f):
        f.index_id()
        self.probes = f.number("probes", 1, 64)
        self.cells = Counters(f)

    def count(self, d):
        return least(self.cells, (at for _, at in zip(range(self.probes), chain(d, self.cells.cells))), self.cells.most)


class BlockedCounting(Counting):
    def __init__(self, f):
        self.probes = f.number("probes", 1, 64)
        self.cells = CompactCounters(f)
        demand(self.cells.cells % 256 == 0, "cells are not whole blocks")

    def count(self, d):
        start = (d * (self.cells.cells // 256) >> 64) * 256
        return least(self.cells, (start + at for at in pattern_positions(spread(d), 8, self.probes)), M64)


def digits_of(widths):
    """(offset, width) of each digit of a count."""
    places = [int(c) for c in str(widths)]
    demand(0 not in places, "widths: a digit without bits")
    digits, offset = [], 0
    while offset < 64:
        width = places[min(len(digits), len(places) - 1)]
        digits.append((offset, min(width, 64 - offset)))
        offset += width
    return digits


class Bitwise(Counting):
    def __init__(self, f):
        f.index_id()
        cells = f.number("cells", 1, 1 << 36)
        probes = f.number("probes", 1, 64)
        digits = digits_of(f.number("widths", 1, (1 << 32) - 1))
        taper = f.number("taper", 0, 1 << 16)
        share = lambda offset: min(1.0, taper * 2.0 ** -offset)
        levels = f.number("levels", 1, len(digits))
        needed = 1
        while taper and needed < len(digits) and cells * math.log(2) / probes * share(digits[needed][0]) > 16:
            needed += 1
        demand(levels >= needed, "too few levels")
        self.levels = []
        for offset, width in digits[:levels]:
            f.number("offset", offset, offset)
            f.number("digit's width", width, width)
            its_probes, its_cells = probes, cells
            if taper:
                its_probes = min(probes + offset, 64)
                most = min(16 * its_probes / math.log(2), cells)
                its_cells = math.ceil(max(cells * (its_probes / probes * share(offset)), most))
            f.number("level's probes", its_probes, its_probes)
            counters = Counters(f)
            demand((counters.width, counters.cells) == (width + 3, its_cells), "shape of a level")
            self.levels.append((offset, (1 << width) - 1, its_probes, counters))

    def count(self, d):
        total = 0
        for i, (offset, most, probes, cells) in enumerate(self.levels):
            positions = chain(remixed(d, i) if i else d, cells.cells)
            total += least(cells, (at for _, at in zip(range(probes), positions)), most) << offset
        return total


class BitwiseFrozen(Counting):
    def __init__(self, f):
        self.levels = [Bloom(f) for _ in range(f.number("levels", 0, 64))]

    def count(self, d):
        return sum(level.has(remixed(d, i) if i else d) << i for i, level in enumerate(self.levels))


class SpectralCells:
    def __init__(self, f):
        f.index_id()
        self.probes = f.number("probes", 1, 64)
        self.cells = CompactCounters(f)

    def positions(self, d):
        return (at for _, at in zip(range(self.probes), chain(d, self.cells.cells)))

    def least(self, d):
        return least(self.cells, self.positions(d), M64)


class Spectral(Counting):
    def __init__(self, f):
        self.primary = SpectralCells(f)

    def count(self, d):
        return self.primary.least(d)


class SpectralRecurring(Counting):
    def __init__(self, f):
        self.primary, self.secondary, self.marks = SpectralCells(f), SpectralCells(f), Bits(f)
        demand(self.primary.probes == self.secondary.probes, "probes of the two parts differ")
        demand(self.marks.bits == self.primary.cells.cells, "marks are not as many as cells")

    def has(self, d):
        return self.primary.least(d) != 0

    def count(self, d):
        first = self.primary.least(d)
        if first == 0 or not all(self.marks[at] for at in self.primary.positions(d)):
            return first
        again = self.secondary.least(remixed(d, 1))
        return min(first, again) if again else first


class DLeft(Counting):
    def __init__(self, f):
        f.index_id()
        all_buckets = f.number("buckets", 4)
        self.tag_bits = f.number("remainder_bits", 1, 62)
        self.bytes = self.tag_bits + 2
        demand(all_buckets % 4 == 0 and all_buckets <= MAX_BITS // 8 // self.bytes, "buckets")
        self.buckets = all_buckets // 4
        self.data = f.section("buckets", all_buckets * self.bytes + 8)
        demand(not any(self.data[-8:]), "the last 8 bytes")

    def count(self, d):
        product = (d * GOLDEN & M64) * self.buckets
        bucket, tag = product >> 64, 1 + ((product & M64) * ((1 << self.tag_bits) - 1) >> 64)
        shifts = chain(mix64(tag + GOLDEN & M64), self.buckets)
        for table in range(4):
            shift = next(shifts) if table else 0
            at = (table * self.buckets + (bucket + shift) % self.buckets) * self.bytes
            planes = self.data[at:at + self.bytes]
            same = 255
            for i in range(self.tag_bits):
                same &= planes[i] if tag >> i & 1 else ~planes[i]
            if same:
                cell = (same & -same).bit_length() - 1
                return 1 + (planes[-2] >> cell & 1) + 2 * (planes[-1] >> cell & 1)
        return 0


def extra_copies(f):
    entries = f.rest("extra copies")
    demand(len(entries) % 16 == 0, "extra copies")
    entries = list(struct.iter_unpack("<QQ", entries))
    demand(all(copies > 0 for _, copies in entries), "an extra copy of 0")
    demand(all(a[0] < b[0] for a, b in zip(entries, entries[1:])), "order of extra copies")
    return dict(entries)


class Cuckoo(Counting):
    def __init__(self, f):
        used = f.number("used", 0)
        doubled = f.number("doubled", 0, used)
        self.windows = f.number("windows", 1)
        self.width = f.number("slot_bits", 7, 57)
        slots = f.number("slots", 1, MAX_BITS // self.width)
        self.tags = (1 << self.width - 2) - 1
        demand(self.windows * self.tags <= 1 << 63, "fingerprints")
        reach = 4
        while reach < 12 and 1 << 2 * reach < 16 * self.windows:
            reach += 1
        self.shift = 64 - reach
        demand(slots == self.windows + (1 << reach) + 2, "slots")
        data = f.section("slots", (slots * self.width + 7) // 8 + 8)
        bits = int.from_bytes(data, "little")
        demand(bits >> slots * self.width == 0, "bits past the slots")
        mask = (1 << self.width) - 1
        self.slots = [bits >> i * self.width & mask for i in range(slots)]
        self.extra = extra_copies(f)
        found = [(i, v) for i, v in enumerate(self.slots) if v]
        prints = [self.stored(i, v) for i, v in found]
        demand(len(found) == used and len(found) - len(set(prints)) == doubled, "used and doubled")
        demand(set(self.extra) <= {window * self.tags + tag - 1 for window, tag in prints}, "extra copies of absent tags")

    def distance(self, tag):
        return 2 + ((tag * GOLDEN & M64) >> self.shift)

    def stored(self, slot, value):
        tag = value >> 2
        return slot - (value & 1) - (self.distance(tag) if value & 2 else 0), tag

    def count(self, d):
        product = (d * GOLDEN & M64) * self.windows
        window, tag = product >> 64, 1 + ((product & M64) * self.tags >> 64)
        here = sum(self.slots[window + (self.distance(tag) if way & 2 else 0) + (way & 1)] == tag << 2 | way for way in range(4))
        return here and here + self.extra.get(window * self.tags + tag - 1, 0)


class HashCompaction(Membership):
    def __init__(self, f):
        f.layer_id("signature_table")
        self.bits = f.number("signature_bits", 4, 57)
        self.lines = f.number("lines", 1, MAX_BITS // 512)
        self.slots = 512 // self.bits
        used = f.number("used", 0, self.lines * self.slots - self.lines * self.slots // 32)
        self.data = f.section("lines", 64 * self.lines)
        demand(used == sum(self.at(line, slot) != 0 for line in range(self.lines) for slot in range(self.slots)), "used")

    def at(self, line, slot):
        whole = int.from_bytes(self.data[64 * line:64 * line + 64], "little")
        return whole >> slot * self.bits & (1 << self.bits) - 1

    def next_slot(self, slot, step):
        divisor = math.gcd(step, self.slots)
        slot = (slot + step) % self.slots
        return slot if slot >= divisor else (slot + 1) % divisor

    def line_step(self, number):
        step = 1 + (mix64(number + 1) * (self.lines - 1) >> 64)
        while math.gcd(step, self.lines) != 1:
            step = step + 1 if step < self.lines else 1
        return step

    def has(self, d):
        mixed = mix64(d)
        line = (d * GOLDEN & M64) * self.lines >> 64
        slot = (mixed * GOLDEN & M64) * self.slots >> 64
        signature = 1 + (mixed * ((1 << self.bits) - 1) >> 64)
        spread = signature * GOLDEN & M64
        step = 1 + (spread * (self.slots - 1) >> 64)
        for _ in range(min(self.lines, 1024)):
            for _ in range(self.slots):
                if self.at(line, slot) <= signature:
                    return self.at(line, slot) == signature
                slot = self.next_slot(slot, step)
            line = (line + self.line_step(spread >> 48 & 63)) % self.lines
            slot = (spread << 16 & M64) * self.slots >> 64
        return False
class QuotientTable:
    """Runs of remainders, each with a value of value_bits bits."""

    def __init__(self, f, slots, bits, value_bits=0):
        self.slots, self.bits, self.value_bits = slots, bits, value_bits
        self.remainder_bits = bits + 1 - slots.bit_length()
        self.blocks = (slots + min(slots, 72 + slots // 6, 288) + 63) // 64
        planes = self.remainder_bits + value_bits
        size = 18 + 8 * planes
        demand(self.blocks * size <= 1 << 39, "blocks")
        data = f.section("blocks", self.blocks * size)
        word = lambda at: sum(u64(data, block * size + at) << 64 * block for block in range(self.blocks))
        self.occupied, self.end = word(0), word(8)
        self.offsets = [struct.unpack_from("<H", data, block * size + 16)[0] for block in range(self.blocks)]
        self.planes = [word(18 + 8 * i) for i in range(planes)]

    def number(self, slot, first, end):
        return sum((self.planes[i] >> slot & 1) << end - 1 - i for i in range(first, end))

    def remainder(self, slot):
        return self.number(slot, 0, self.remainder_bits)

    def value(self, slot):
        return self.number(slot, self.remainder_bits, len(self.planes))

    def pairs(self):
        """Rebuilds the runs from `occupied` and `end`, one after the other."""
        next_slot, taken, pairs, ends = 0, 0, [], 0
        offsets = [0] * self.blocks
        for q in range(64 * self.blocks):
            if not self.occupied >> q & 1:
                continue
            slot = begin = max(q, next_slot)
            while slot < 64 * self.blocks and not self.end >> slot & 1:
                slot += 1
            demand(slot < 64 * self.blocks, "a run does not end")
            run = [self.remainder(i) for i in range(begin, slot + 1)]
            demand(run == sorted(run), "order of a run")
            pairs += [(q, remainder) for remainder in run]
            ends |= 1 << slot
            taken |= ((1 << slot + 1) - 1) ^ ((1 << begin) - 1)
            next_slot = slot + 1
            for block in range(q // 64 + 1, slot // 64 + 1):
                offsets[block] = slot + 1 - 64 * block
        demand(ends == self.end and offsets == self.offsets, "ends and offsets")
        demand(not any(plane & ~taken for plane in self.planes), "a free slot that is not empty")
        return pairs

    def fingerprint(self, d):
        return (d * GOLDEN & M64) >> 64 - self.bits

    def slots_with(self, fingerprint):
        """The slots with this fingerprint."""
        product = (fingerprint << 64 - self.bits) * self.slots
        q, remainder = product >> 64, (product & M64) >> 64 - self.remainder_bits
        if not self.occupied >> q & 1:
            return
        first = q // 64 * 64
        slot = first + self.offsets[q // 64]
        for _ in range(bin(self.occupied >> first & (1 << q - first) - 1).count("1")):
            while not self.end >> slot & 1:
                slot += 1
            slot += 1
        slot = max(slot, q)
        while True:
            if self.remainder(slot) == remainder:
                yield slot
            if self.end >> slot & 1:
                return
            slot += 1


class Quotient(Counting):
    def __init__(self, f):
        slots = f.number("slots", 1)
        bits = f.number("fingerprint_bits", 1, 64)
        used = f.number("used", 0, slots - slots // 20)
        distinct = f.number("distinct", 0, used)
        demand((used == 0) == (distinct == 0), "distinct")
        in_slots = f.number("in_slots", 1, 3)
        demand(in_slots == 3 or (in_slots == 1 and used == distinct), "in_slots")
        demand(1 <= bits + 1 - slots.bit_length() <= 56, "remainder bits")
        self.table = QuotientTable(f, slots, bits)
        self.extra = extra_copies(f)
        pairs = self.table.pairs()
        demand(len(pairs) == used and len(set(pairs)) == distinct, "used and distinct")

    def count(self, d):
        fingerprint = self.table.fingerprint(d)
        copies = len(list(self.table.slots_with(fingerprint)))
        return min(copies + self.extra.get(fingerprint, 0), M64) if copies else 0


class Ribbon(Membership):
    def __init__(self, f):
        columns = f.number("columns", 0, 128 + 64)
        self.rows = 1 + columns // 128  # blocks
        self.columns = columns % 128
        demand(self.columns <= 64, "columns")
        self.bucket = (128, 512)[self.rows - 1]
        self.codes = ((0, 19, 38, 128), (0, 40, 96, 512))[self.rows - 1]
        self.before, self.after = ((14, 16), (36, 40))[self.rows - 1]
        self.wide = f.number("wide_blocks", 0, 2**32 - 1)
        self.strips = 1 << f.number("strips_log2", 0, 32)
        self.layers = f.number("layers", 0, 16)
        blocks = f.number("blocks", 0, 2**32 - 1)
        kept = f.number("kept", 0, M64)
        demand(self.wide <= blocks and (self.columns < 64 or self.wide == 0), "wide_blocks")
        words = f.section("columns", 8 * (blocks * self.columns + self.wide))
        self.words = struct.unpack(f"<{len(words) // 8}Q", words)
        in_a_byte = self.bucket // 64 * 4
        self.thresholds = f.section("thresholds", (blocks + in_a_byte - 1) // in_a_byte)
        count = self.strips + self.layers if self.layers else 0
        self.ends = struct.unpack(f"<{count}I", f.section("boundaries", 4 * count))
        self.kept = struct.unpack(f"<{kept}Q", f.section("kept words", 8 * kept))
        demand(all(a < b for a, b in zip(self.kept, self.kept[1:])), "kept words")
        if self.layers == 0:
            demand(blocks == 0 and self.strips == 1 and self.rows == 1, "no layers")
        else:
            demand(self.ends[0] == 0 and self.ends[-1] == blocks, "boundaries")
            demand(all(a + self.rows <= b for a, b in zip(self.ends, self.ends[1:])), "boundaries")

    def first_word(self, block):
        return block * self.columns + min(block, self.wide)

    def start(self, layer, word):
        at = word * self.strips >> 64 if layer == 0 else self.strips + layer - 1
        h = word * self.strips & M64 if layer == 0 else word
        last = 64 * (self.ends[at + 1] - self.ends[at] - self.rows)
        place = h * (last + 1 + self.before + self.after) >> 64
        return 64 * self.ends[at] + min(max(place, self.before) - self.before, last)

    def sums(self, start, word, bits):
        """The exclusive or of the fingerprint and of what the row adds up to, in the columns that the row has. The columns from
        `bits` on come first: one of them that is not 0 ends it."""
        product = word * GOLDEN
        fingerprint = product >> 64
        row = (product & M64 ^ fingerprint) | 1
        if self.rows == 2:
            row |= mix64(word) << 64
        block, end = start // 64, (start + 64 * self.rows - 1) // 64
        row <<= start % 64
        words, firsts = self.words, [(self.first_word(b), 64 * (b - block)) for b in range(block, end + 1)]
        value = 0
        for column in reversed(range(self.columns + (end < self.wide))):
            cells = 0
            for first, place in firsts:
                cells |= words[first + column] << place
            value |= (bin(row & cells).count("1") % 2 ^ fingerprint >> column & 1) << column
            if value >> bits:
                break
        return value

    def look_up(self, d, bits):
        """sums() of the layer that has the key, or None; and the place among the kept words, or None."""
        word, value = d, None
        for layer in range(self.layers):
            if layer:
                word = mix64(word + GOLDEN & M64)
            start = self.start(layer, word)
            bucket = start // self.bucket
            last = layer == self.layers - 1
            if start % self.bucket >= self.codes[self.thresholds[bucket // 4] >> bucket % 4 * 2 & 3]:
                value = self.sums(start, word, bits)
                if not last:
                    return value, None
                break
        return value, self.kept.index(word) if word in self.kept else None

    def has(self, d):
        value, kept = self.look_up(d, 0)
        return value == 0 or kept is not None


class HomogeneousRibbon(Membership):
    def __init__(self, f):
        items = f.number("items")
        self.layers = f.number("layers", 0, 7)
        self.columns = f.number("columns", 0, 11)
        self.strips_log2 = f.number("strips_log2", 0, 32)
        self.starts = f.number("starts", 0, 2**42)
        demand(self.starts % (64 << self.strips_log2) == 0, "starts")
        blocks = self.starts // 64 + (1 << self.strips_log2) if self.layers else 0
        self.narrow = f.number("narrow_blocks", 0, blocks)
        self.layer_words = blocks * self.columns + blocks - self.narrow
        words = f.section("columns", 8 * self.layers * self.layer_words)
        self.words = struct.unpack(f"<{len(words) // 8}Q", words)
        chances = struct.unpack(f"<{self.layers}Q", f.section("chances", 8 * self.layers))
        demand(all(chance <= self.starts << 16 for chance in chances), "chances")
        if self.layers:
            demand(items and self.starts, "no items or no starts")
        else:
            demand(not (items or self.columns or self.strips_log2 or self.starts), "no layers")

    def word(self, layer, d):
        if layer == 0:
            return d
        low = M64 >> self.strips_log2
        return d & ~low | mix64(d + layer * GOLDEN & M64) >> self.strips_log2

    def adds_up(self, layer, word):
        start = word * self.starts >> 64
        block = start // 64 + (word >> 64 - self.strips_log2)
        folded = word * GOLDEN & M64 ^ word * GOLDEN >> 64
        low = folded << start % 64 & M64
        high = folded * 0x6659FD93 & M64 ^ word

        def begin(b):
            return layer * self.layer_words + b * self.columns + max(b, self.narrow) - self.narrow

        for column in range(self.columns + (block >= self.narrow)):
            here, there = self.words[begin(block) + column], self.words[begin(block + 1) + column]
            if (bin(here & low).count("1") + bin(there & high).count("1")) % 2:
                return False
        return True

    def has(self, d):
        return self.layers != 0 and all(self.adds_up(layer, self.word(layer, d)) for layer in range(self.layers))


class BinaryFuse(Membership):
    def __init__(self, f):
        self.items = f.number("items")
        self.arity = f.number("arity", 3, 4)
        self.part_bits = f.number("part_bits", 0, 32)
        self.segment_bits = f.number("segment_bits", 0, 10)
        parts = f.section("parts", 16 << self.part_bits)
        self.width = f.number("slot_bits", 1, 57)
        slots = f.number("slots", 0, MAX_BITS // self.width)
        numbers = [int.from_bytes(parts[i:i + 8], "little") for i in range(0, len(parts), 8)]
        self.parts = list(zip(numbers[::2], numbers[1::2]))
        segments = (1 << self.segment_bits) + self.arity - 1
        for first, length in self.parts:
            demand(1 <= length <= 1 << 21 and first % 8 == 0, "part")
            demand(first + (segments * length + 7) // 8 * 8 <= slots, "a part past the slots")
        data = f.section("slots", (slots * self.width + 7) // 8 + 8)
        self.bits = int.from_bytes(data, "little")
        demand(self.bits >> slots * self.width == 0, "bits past the slots")
        count = f.number("bumped", 0, MAX_BITS // 64)
        f.section("marks", 8 * (1 if count < 2 else (1 << (count - 1).bit_length()) // 2))
        words = f.section("bumped words", 8 * count)
        self.bumped = [int.from_bytes(words[i:i + 8], "little") for i in range(0, len(words), 8)]

    def sums(self, d):
        first, length = self.parts[d >> 64 - self.part_bits]
        within = d << self.part_bits & M64
        rest = within << self.segment_bits & M64 & ~0xff
        product = rest * GOLDEN
        mixed = product >> 64 ^ product & M64
        value = (mixed * 0xbf58476d1ce4e5b9 & M64) >> 64 - self.width
        offsets = [rest * length >> 64] + [(mixed >> shift & (1 << 21) - 1) * length >> 21 for shift in (43, 22, 1)]
        for j in range(self.arity):
            slot = first + ((within >> 64 - self.segment_bits) + j) * length + offsets[j]
            value ^= self.bits >> slot * self.width & (1 << self.width) - 1
        return value

    def has(self, d):
        return self.items != 0 and (self.sums(d) == 0 or d in self.bumped)


class GolombSet(Membership):
    def __init__(self, f):
        self.lines = f.number("lines", 1, 1 << 33)
        self.line_blocks = f.number("line_blocks", 1, 112)
        self.block_range = f.number("block_range", 1, (1 << 63) // (self.lines * self.line_blocks))
        self.divisor = f.number("divisor", 1, 1 << 63)
        bits = f.number("field_bits", 4, 48)
        words = f.number("code_words", 0, MAX_BITS // 64)
        mean = f.number("mean_bits", 0)
        used = f.number("used_bits", 0, 64 * words)
        demand(mean <= used, "mean_bits")
        values = f.number("values", 0, min(used, self.lines * self.line_blocks * self.block_range))
        line_bytes = (64 + self.line_blocks * bits + 63) // 64 * 8
        index = f.section("index", self.lines * line_bytes)
        codes = int.from_bytes(f.section("codes", 8 * (words + 2)), "little")
        demand(codes & M64 == 0 and codes >> 64 + used == 0, "bits beside the codes")
        codes >>= 64
        self.values, at = set(), 0
        for line in range(self.lines):
            whole = int.from_bytes(index[line * line_bytes:(line + 1) * line_bytes], "little")
            demand(whole >> 64 + self.line_blocks * bits == 0, "bits after the fields")
            demand(whole & M64 == at, "position of a line")
            first = at
            for i in range(self.line_blocks):
                field = whole >> 64 + i * bits & (1 << bits) - 1
                end = first + (i + 1) * mean + field - (field >> bits - 1 << bits)
                demand(at <= end <= used, "end of a block")
                block = line * self.line_blocks + i
                self.values |= {block * self.block_range + v for v in self.decoded(codes >> at & (1 << end - at) - 1, end - at)}
                at = end
        demand(at == used and len(self.values) == values, "values")

    def decoded(self, codes, bits):
        """The values of a block: quotients from the lowest bit up, remainders from the highest down."""
        k = self.divisor.bit_length() - 1
        cutoff = (2 << k) - self.divisor
        low, high, value, values = 0, bits, -1, []
        while low < high:
            quotient = 0
            while codes >> low & 1:
                quotient, low = quotient + 1, low + 1
            low += 1
            demand(low + k <= high, "a code that does not fit")
            high -= k
            remainder = codes >> high & (1 << k) - 1
            if remainder >= cutoff:
                high -= 1
                demand(low <= high, "a code that does not fit")
                remainder = 2 * remainder + (codes >> high & 1) - cutoff
            value += quotient * self.divisor + remainder + 1
            demand(value < self.block_range, "a value outside its block")
            values.append(value)
        return values

    def has(self, d):
        product = d * self.lines
        inner = (product & M64) * self.line_blocks
        block = (product >> 64) * self.line_blocks + (inner >> 64)
        return block * self.block_range + ((inner & M64) * self.block_range >> 64) in self.values


class RibbonValues:
    def __init__(self, f):
        self.bits = f.number("value bits", 0, 64)
        self.ribbon = Ribbon(f)
        demand(self.ribbon.rows == 1, "columns")
        self.kept = numbers_in(f.section("kept values", 8 * len(self.ribbon.kept)))
        demand(self.ribbon.layers == 0 or self.bits <= self.ribbon.columns, "value bits")

    def find(self, d):
        value, kept = self.ribbon.look_up(d, self.bits)
        if kept is not None:
            return self.kept[kept]
        return None if value is None or value >> self.bits else value


class FuseValues:
    def __init__(self, f):
        self.bits = f.number("value bits", 0, 57)
        self.fuse = BinaryFuse(f)
        self.bumped = numbers_in(f.section("bumped values", 8 * len(self.fuse.bumped)))
        demand(self.bits <= self.fuse.width, "value bits")

    def find(self, d):
        if self.fuse.items == 0:
            return None
        if d in self.fuse.bumped:
            return self.bumped[self.fuse.bumped.index(d)]
        value = self.fuse.sums(d)
        return None if value >> self.bits else value


class Retrieval:
    def __init__(self, f):
        self.items = f.number("items")
        self.bits = f.number("value_bits", 0, 64)
        checks = f.number("check_bits", 0, 64)
        wide = f.number("wide_blocks")
        demand(checks + (wide != 0) <= 64, "check_bits")
        arity = f.number("arity", 0, 2**32 - 1)
        self.lower_bits = min(self.bits, 64 - checks - (wide != 0))
        self.upper = None
        if arity:
            self.lower = FuseValues(f)
            demand(self.lower.bits == self.bits and self.lower.fuse.arity == arity, "arity")
            demand(self.lower.fuse.width == max(1, self.bits + checks), "slot_bits")
            return
        upper_bits = self.bits - self.lower_bits
        self.lower, self.upper = RibbonValues(f), RibbonValues(f)
        for part, bits, columns, blocks in ((self.lower, self.lower_bits, self.lower_bits + checks, wide), (self.upper, upper_bits, upper_bits, 0)):
            if part.ribbon.layers:
                demand((part.bits, part.ribbon.columns, part.ribbon.wide) == (bits, columns, blocks), "columns")

    def find(self, d):
        value = self.lower.find(d)
        if value is not None and self.upper and self.bits > self.lower_bits:
            value |= (self.upper.find(d) or 0) << self.lower_bits
        return value


class Labels:
    def __init__(self, f):
        count = f.number("texts")
        ends = numbers_in(f.section("ends of texts", 8 * count))
        texts = f.rest("texts")
        demand(all(a <= b for a, b in zip([0, *ends], ends)) and (ends[-1] if ends else 0) == len(texts), "ends of texts")
        self.texts = [texts[a:b] for a, b in zip([0, *ends], ends)]


class BloomierMap(Membership):
    def __init__(self, f):
        self.values = Retrieval(f)
        self.labels = Labels(f)

    def find(self, d):
        value = self.values.find(d)
        return value if not self.labels.texts or (value is not None and value < len(self.labels.texts)) else None

    def has(self, d):
        return self.find(d) is not None


def packed_slots(f, least=1, most=57):
    """The width of slots, and slots of that many bits each, packed."""
    width = f.number("width of slots", least, most)
    count = f.number("slots", 0, MAX_BITS // width)
    bits = int.from_bytes(f.section("slots", (count * width + 7) // 8 + 8), "little")
    demand(bits >> count * width == 0, "bits past the slots")
    return width, [bits >> i * width & (1 << width) - 1 for i in range(count)]


def wide_slots(f, width):
    """Slots of 0 to 64 bits; those above 57 bits are two halves."""
    f.number("width", width, width)
    if width <= 57:
        return packed_slots(f, max(width, 1), max(width, 1))[1]
    _, halves = packed_slots(f, 32, 32)
    demand(len(halves) % 2 == 0, "halves")
    return [low | high << 32 for low, high in zip(halves[::2], halves[1::2])]


class AscendingList:
    def __init__(self, f):
        self.high = f.rest("high bits")
        _, self.firsts = packed_slots(f)
        self.low_bits, self.low = packed_slots(f)
        demand(len(self.firsts) == (len(self.low) + 31) // 32 and len(self.high) == 8 * len(self.firsts), "ascending list")

    def __getitem__(self, i):
        high = u64(self.high, i // 32 * 8)
        ones = [bit for bit in range(64) if high >> bit & 1]
        return self.firsts[i // 32] + (ones[i % 32] - i % 32 << self.low_bits | self.low[i])


class PerfectLevel:
    def __init__(self, f):
        self.part_bits = f.number("part_bits", 0, 40)
        self.window_bits = f.number("window_bits", 1, 11)
        self.starts = numbers_in(f.section("starts", 8 * ((1 << self.part_bits) + 1)))
        self.reach = (1 << self.window_bits) + 15
        demand(self.starts[0] == 0 and self.starts[-1] <= MAX_BITS, "starts")
        demand(all(b - a >= self.reach for a, b in zip(self.starts, self.starts[1:])), "slots of a part")
        self.slots = self.starts[-1]
        self.seeds = f.section("seeds", (self.slots * 15421 >> 16) + (1 << self.part_bits))

    def slot(self, word):
        part = word >> 64 - self.part_bits
        within = word << self.part_bits & M64
        base = self.starts[part] + (within * (self.starts[part + 1] - self.starts[part] - self.reach + 1) >> 64)
        seed = self.seeds[(base * 15421 >> 16) + part]
        if seed == 0:
            return None
        spread = (within * GOLDEN & M64) >> 32
        return base + ((spread * (seed >> 3 | 1) & 0xffffffff) >> 32 - self.window_bits) + (seed & 15)


class PerfectHash:
    def __init__(self, f):
        self.items = f.number("items")
        self.levels = [PerfectLevel(f)]
        self.levels += [PerfectLevel(f) for _ in range(f.number("levels", 0, 11))]
        kept = f.rest("kept words")
        demand(len(kept) % 8 == 0 and self.items <= self.levels[0].slots, "kept words")
        self.kept = numbers_in(kept)
        self.numbers = AscendingList(f)
        slots = sum(level.slots for level in self.levels) + len(self.kept)
        demand(not self.kept if self.items == 0 else len(self.numbers.low) == slots - self.items, "numbers")

    def rank(self, word):
        first = 0
        for level in self.levels:
            slot = level.slot(word)
            if slot is not None:
                slot += first
                return slot if slot < self.items else min(self.numbers[slot - self.items], self.items - 1)
            first += level.slots
            word = mix64(word + GOLDEN & M64)
        if word not in self.kept:
            return 0
        return min(self.numbers[first + self.kept.index(word) - self.items], self.items - 1)


class PerfectHashMap(Membership):
    def __init__(self, f):
        self.hash = PerfectHash(f)
        self.signature_bits = f.number("signature_bits", 0, 64)
        self.value_bits = f.number("value_bits", 0, 64)
        self.together = self.signature_bits + self.value_bits <= 64
        self.first = wide_slots(f, self.signature_bits + self.value_bits if self.together else self.signature_bits)
        self.second = wide_slots(f, 0 if self.together else self.value_bits)
        self.labels = Labels(f)
        if self.hash.items:
            for slots, width in (self.first, self.signature_bits + self.value_bits if self.together else 1), (self.second, not self.together):
                demand(len(slots) == (self.hash.items if width else 0), "slots of a map")

    def find(self, d):
        if self.hash.items == 0:
            return None
        rank = self.hash.rank(d)
        stored = self.first[rank] if self.first else 0
        mixed = ((d ^ d >> 32) * 0xbf58476d1ce4e5b9 & M64) >> 64 - self.signature_bits
        if stored & (1 << self.signature_bits) - 1 != mixed:
            return None
        if self.value_bits == 0:
            value = rank
        else:
            value = stored >> self.signature_bits if self.together else self.second[rank]
        return value if not self.labels.texts or value < len(self.labels.texts) else None

    def has(self, d):
        return self.find(d) is not None


class PrintMap:
    def __init__(self, f):
        self.slots = f.number("slots", 0, MAX_BITS // 8)
        self.bits = f.number("fingerprint_bits", 1, 64)
        self.value_bits = f.number("value_bits", 0, 64)
        demand(self.bits >= self.slots.bit_length(), "fingerprint_bits")
        used = f.number("used", 0, self.slots - self.slots // 20)
        self.table = QuotientTable(f, self.slots, self.bits, self.value_bits) if self.slots else None
        if not self.table:
            f.section("blocks", 0)
            return
        pairs = self.table.pairs()
        demand(len(pairs) == used == len(set(pairs)), "used")
        scale = 1 << self.bits - self.table.remainder_bits
        for q, remainder in pairs:
            scaled = (q << self.table.remainder_bits | remainder) * scale
            fingerprint = -(-scaled // self.slots)
            demand(fingerprint >> self.bits == 0 and fingerprint * self.slots // scale * scale == scaled, "a pair of no fingerprint")

    def find(self, d):
        if self.table:
            for slot in self.table.slots_with(self.table.fingerprint(d)):
                return self.table.value(slot)
        return None


class DynamicBloomierMap(Membership):
    def __init__(self, f):
        self.signatures, self.collisions = PrintMap(f), PrintMap(f)
        self.labels = Labels(f)
        demand(self.signatures.slots >= max(1, self.collisions.slots), "slots")
        demand(self.collisions.bits == 64 and self.collisions.value_bits == self.signatures.value_bits, "collisions")
        if self.collisions.table:
            wholes, table = self.collisions.table, self.signatures.table
            shorter = 64 - self.signatures.bits
            # A whole digest is the only one with its quotient and remainder.
            for q, remainder in wholes.pairs():
                low = -((-(q << 64 | remainder << 64 - wholes.remainder_bits)) // wholes.slots)
                demand(any(True for _ in table.slots_with(low >> shorter)), "a collision without its signature")

    def find(self, d):
        value = self.signatures.find(d)
        if value is None:
            return None
        whole = self.collisions.find(d)
        value = value if whole is None else whole
        return value if not self.labels.texts or value < len(self.labels.texts) else None

    def has(self, d):
        return self.find(d) is not None


class CompactApproximator(Membership):
    labels = type("", (), {"texts": []})

    def __init__(self, f):
        f.index_id()
        self.kind = f.number("lattice", 0, 1)
        width = f.number("value_bits", 1, 64)
        self.probes = f.number("probes", 1, 64)
        self.cells = Counters(f)
        demand(self.cells.width == width, "width of cells")

    def find(self, d):
        at = chain(d, self.cells.cells)
        values = [self.cells[next(at)] for _ in range(self.probes)]
        value = min(values)
        if self.kind:
            value = -1
            for each in values:
                value &= each
        return value or None

    def has(self, d):
        return self.find(d) is not None


class Cascade:
    def __init__(self, f):
        f.index_id()
        count = f.number("filters", 0, 40)
        demand(count % 2 == 0, "filters come in pairs")
        shapes = [(f.number("bits", 1, MAX_BITS), f.number("probes", 1, 64)) for _ in range(count)]
        kept = [f.number("kept digests") for _ in range(2)]
        firsts = [0]
        for bits, _ in shapes:
            firsts.append(firsts[-1] + (bits + 63) // 64 * 64)
        self.bits = f.section("filters", firsts[-1] // 8)
        self.filters = [(first, *shape) for first, shape in zip(firsts, shapes)]
        self.rest = []
        for side in range(2):
            self.rest.append(numbers_in(f.section("kept digests", 8 * kept[side])))

    def reports(self, number, d):
        first, width, probes = self.filters[number]
        at = chain(d, width)
        return all(self.bits[first + i >> 3] >> (i & 7) & 1 for i in (next(at) for _ in range(probes)))

    def find(self, d, bit):
        for level in range(0, len(self.filters), 2):
            zero, one = (self.reports(level + side, remixed(d, bit << 8 | level // 2 << 1 | side)) for side in range(2))
            if zero != one:
                return int(one)
            if not zero:
                return None
        for side in range(2):
            if d in self.rest[side]:
                return side
        return None


class CascadeMap(Membership):
    def __init__(self, f):
        items = f.number("items")
        bits = f.number("value_bits", 0, 64)
        rate = f.real("filter_fpr")
        demand(2.0 ** -64 <= rate < 1, "filter_fpr")
        self.cascades = [Cascade(f) for _ in range(f.number("cascades", max(bits, 1), max(bits, 1)))]
        self.labels = Labels(f)
        demand(all(sum(map(len, one.rest)) <= items for one in self.cascades), "items")

    def find(self, d):
        value = 0
        for bit, one in enumerate(self.cascades):
            found = one.find(d, bit)
            if found is None:
                return None
            value |= found << bit
        return value if not self.labels.texts or value < len(self.labels.texts) else None

    def has(self, d):
        return self.find(d) is not None


class ExactSet(Membership):
    def __init__(self, f):
        self.items, self.absent = f.number("items"), f.number("absent")
        self.rate = f.real("filter_fpr")
        self.inverted = f.number("inverted", 0, 1)
        demand(0 <= self.rate <= 1, "filter_fpr")
        self.filter = Ribbon(f)
        self.bits = Retrieval(f)
        demand(self.bits.items == 0 or self.bits.bits == 1, "bits")

    def has(self, d):
        stored = (self.absent if self.inverted else self.items) != 0 and (self.rate >= 1 or self.filter.has(d))
        if stored and self.bits.items:
            stored = self.bits.find(d) == 1
        return stored != bool(self.inverted)


class Stable(Membership):
    def __init__(self, f):
        f.index_id()
        self.probes = f.number("probes", 1, 64)
        decrements = f.number("decrements", 1)
        f.number("seed")
        f.number("inserts")
        self.cells = Counters(f, 8)
        demand(self.cells.cells > self.probes and decrements <= self.cells.cells, "too few cells")

    def has(self, d):
        return all(self.cells[at] for _, at in zip(range(self.probes), chain(d, self.cells.cells)))


class ActiveActive(Membership):
    def __init__(self, f):
        f.layer_id("blocked")
        items = f.number("items", 1)
        f.number("count", 0, items)
        f.number("swaps", 0, 2)
        self.halves = [Blocked(f), Blocked(f)]
        demand(len({(half.probes, half.blocks) for half in self.halves}) == 1, "halves of different shapes")

    def has(self, d):
        return any(half.has(d) for half in self.halves)


def check_generations(f, generations):
    """How keys age; not needed to look one up."""
    f.number("young", 1, generations)
    items = f.number("generation_items", 1)
    f.number("generation_ticks")
    f.number("count", 0, items)
    f.number("ended", 0, 64)
    f.number("since")


class AgePartitioned(Membership):
    def __init__(self, f):
        f.index_id()
        self.slice_bits = f.number("slice_bits", 1)
        self.probes = f.number("probes", 1, 63)
        self.generations = f.number("generations", 1, 64 - self.probes)
        self.slices = self.probes + self.generations
        demand(self.slice_bits <= MAX_BITS // self.slices, "slice_bits")
        self.first = f.number("first", 0, self.slices - 1)
        self.array = Bits(f)
        demand(self.array.bits == self.slice_bits * self.slices, "bits are not slices")
        check_generations(f, self.generations)

    def has(self, d):
        places = [at for _, at in zip(range(self.slices), chain(d, self.slice_bits))]
        row = 0
        for i in range(self.slices):
            place = (self.first + i) % self.slices
            row = row + 1 if self.array[place * self.slice_bits + places[place]] else 0
            if row == self.probes:
                return True
        return False


class BlockedAging(InBlock):
    most_probes = 15

    def __init__(self, f):
        self.probes = f.number("probes", 1, self.most_probes)
        self.first = f.number("first", 0, 15)
        self.blocks = f.number("blocks", 1, self.most_blocks)
        self.data = f.section("blocks", self.blocks * self.block_bytes)
        check_generations(f, 16 - self.probes)

    def has(self, d):
        pattern = spread(d)
        halves = (pattern & 0xFFFFFFFF, pattern >> 32)
        row = 0
        for i in range(16):
            lane = (self.first + i) % 16
            bit = self.block_of(d) * 512 + 32 * lane + (halves[lane % 2] * SplitBlock.salts[lane // 2] >> 27 & 31)
            row = row + 1 if self.data[bit >> 3] >> (bit & 7) & 1 else 0
            if row == self.probes:
                return True
        return False


def growing_stages(f):
    items = f.number("items", 1)
    fpr = f.real("fpr")
    growth = f.number("growth", 2, 16)
    tightening = f.real("tightening")
    demand(2.0 ** -64 <= fpr < 1 and 0.1 <= tightening <= 0.99, "fpr or tightening")
    return items, fpr, growth, tightening, f.number("stages", 1, 64)


class Scalable(Membership):
    def __init__(self, f):
        f.layer_id("blocked")
        items, _, growth, _, stages = growing_stages(f)
        self.stages = []
        for i in range(stages):
            capacity = f.number("capacity", items * growth ** i, min(items * growth ** i, M64 - 1))
            newest = i == stages - 1
            f.number("keys", capacity if not newest else 0 if stages == 1 else 1, M64 >> 1 if stages == 64 and newest else capacity)
            self.stages.append(Blocked(f))

    def has(self, d):
        return any(stage.has(d) for stage in reversed(self.stages))


class Dynamic(Counting):
    def __init__(self, f):
        f.layer_id("blocked_counting")
        items = f.number("layer_items", 1)
        demand(2.0 ** -64 <= f.real("layer_fpr") < 1, "layer_fpr")
        stages = f.number("stages", 1, 64)
        self.stages = []
        for _ in range(stages):
            f.number("capacity", items, items)
            keys = f.number("keys", 0, M64 >> 1)
            f.number("copies", max(keys, 0 if stages == 1 else 1), M64 >> 1)
            self.stages.append(BlockedCounting(f))
        demand(len({(stage.probes, stage.cells.cells) for stage in self.stages}) == 1, "stages of different shapes")

    def count(self, d):
        return next((count for count in (stage.count(d) for stage in self.stages) if count), 0)


class Expandable(Counting):
    def __init__(self, f):
        f.layer_id("cuckoo")
        items, fpr, growth, tightening, stages = growing_stages(f)
        possible = places = [items * growth ** i for i in range(64)]
        self.stages = []
        for _ in range(stages):
            capacity = f.number("capacity", items, M64 - 1)
            demand(capacity in possible, "capacity")
            possible = [larger for larger in possible if larger > capacity]
            keys = f.number("keys", 0, M64 >> 1)
            f.number("copies", max(keys, 0 if stages == 1 else 1), M64 >> 1)
            stage = Cuckoo(f)
            rate = -math.expm1(capacity * math.log1p(-1 / (stage.windows * stage.tags)))
            planned = max(fpr * (1 - tightening) * tightening ** places.index(capacity), 2.0 ** -64)
            demand(rate <= 1.01 * planned, "a stage is too small for its capacity")
            self.stages.append(stage)

    def count(self, d):
        return next((count for count in (stage.count(d) for stage in self.stages) if count), 0)


class WithRemovals(Membership):
    def __init__(self, f):
        f.layer_id("bloom")
        self.came = Bloom(f)
        self.went = Bloom(f)

    def has(self, d):
        return self.came.has(d) and not self.went.has(remixed(d, 1))


class Sketch(Counting):
    def __init__(self, f, bits):
        f.index_id()
        f.number("width of counters", bits, bits)
        self.width = f.number("width", 1, MAX_BITS)
        self.depth = f.number("depth", 1, 64)
        demand(self.width <= MAX_BITS // self.depth, "width")
        self.bytes = bits // 8
        self.data = f.section("counters", self.width * self.depth * self.bytes)

    def rows(self, d):
        """Counter and sign of the key in each row."""
        for row, place in zip(range(self.depth), chain(d, 2 * self.width)):
            at = (row * self.width + place // 2) * self.bytes
            yield int.from_bytes(self.data[at:at + self.bytes], "little"), place % 2


class CountMin(Sketch):
    def __init__(self, f):
        super().__init__(f, 32)

    def count(self, d):
        return min(counter for counter, _ in self.rows(d))


class FastAms(Sketch):
    def __init__(self, f):
        super().__init__(f, 64)

    def count(self, d):
        says = sorted((((-c if minus else c) + (1 << 63) & M64) - (1 << 63)) for c, minus in self.rows(d))
        middle = self.depth // 2
        return says[middle] if self.depth % 2 else (says[middle - 1] + says[middle]) // 2


class SpaceSaving:
    def __init__(self, f):
        cost = lambda size: 64 + 10 * (1 + (size + 7) // 8)
        room = f.number("room", 1, 1 << 38)
        key_bytes = f.number("key_bytes", 8, 1 << 20)
        demand(room >= cost(key_bytes), "no room for a counter")
        self.pushed_out = f.number("pushed_out")
        inserted = f.number("inserted")
        counters = f.rest("counters")
        demand(len(counters) % 32 == 0, "half a counter")
        self.counts, self.keys, used, above, sizes = {}, {}, 0, 0, []
        for digest, count, error, about in struct.iter_unpack("<QQQQ", counters):
            length, kind = about >> 2, about & 3
            demand(digest not in self.counts, "a digest twice")
            demand(count >= max(1, self.pushed_out) and error <= self.pushed_out, "count or error")
            demand(error < count or count == M64, "an error as large as its count")
            demand(kind == 0 or (kind, length) in ((1, 8), (2, 0)), "kind of a key")
            demand(length < 1 << 41, "length of a key")
            self.counts[digest] = count
            sizes.append((digest, min(length, key_bytes)))
            used += cost(min(length, key_bytes))
            above += count - self.pushed_out
        keys = f.section("keys", sum(size for _, size in sizes))
        for digest, size in sizes:
            self.keys[digest], keys = keys[:size], keys[size:]
        demand(used <= room, "more than fits")
        demand(inserted == M64 or above + room // cost(key_bytes) * self.pushed_out <= inserted, "counts of no stream")

    def count(self, d):
        return self.counts.get(d, self.pushed_out)

    def has(self, d):
        return self.count(d) != 0


class DistinctCounter:
    """has(d): would an insert of the digest change nothing?"""
    def __init__(self, f):
        precision = self.precision = f.number("precision", 4, self.MOST)
        registers = self.REGISTER_BITS * (1 << precision) // 8
        size = f.number("tokens")
        table, cells = f.rest("token table"), f.rest("registers")
        self.tokens = None
        if cells:
            demand(len(cells) == registers and not table and size == 0, "registers and tokens at once, or other registers")
            self.cells = int.from_bytes(cells, "little")
            return
        demand(len(table) % 4 == 0, "half a token")
        slots = [token for (token,) in struct.iter_unpack("<I", table)]
        times, rest = divmod(len(slots), self.LEAST_SLOTS)
        demand(rest == 0 and times and times & (times - 1) == 0 and len(table) <= registers, "number of slots")
        self.tokens, before, after, homes = set(), 0, 0, len(slots) - len(slots) // 8
        for at, token in enumerate(slots):
            if token:
                demand(at == max(token * homes >> 32, after) and token > before, "place of a token")
                demand(1 <= token % (1 << self.VALUE_BITS) <= self.largest(self.MOST), "a token of no digest")
                self.tokens.add(token)
                before, after = token, at + 1
        demand(len(self.tokens) == size <= len(slots) * 5 // 8, "number of tokens")

    def has(self, d):
        if self.tokens is not None:
            return (d >> 64 - self.MOST) << self.VALUE_BITS | self.value(d, self.MOST) in self.tokens
        at = self.REGISTER_BITS * (d >> 64 - self.precision)
        return self.knows(self.cells >> at & (1 << self.REGISTER_BITS) - 1, self.value(d, self.precision))


def zeros_below(x, most):
    return min(most, (x & -x).bit_length() - 1) if x else most


class HyperLogLog(DistinctCounter):
    MOST, REGISTER_BITS, LEAST_SLOTS, VALUE_BITS = 26, 6, 12, 6

    def largest(self, precision):
        return 65 - precision

    def value(self, d, precision):
        return 1 + zeros_below(d, 64 - precision)

    def knows(self, register, value):
        return register >= value


class ExaLogLog(DistinctCounter):
    MOST, REGISTER_BITS, LEAST_SLOTS, VALUE_BITS = 24, 28, 14, 8

    def largest(self, precision):
        return 4 * (63 - precision)

    def value(self, d, precision):
        return 4 * zeros_below(d >> 2, 62 - precision) + d % 4 + 1

    def knows(self, register, value):
        below = (register >> 20) - value
        return below >= 0 and (below == 0 or below > 20 or register >> 20 - below & 1 == 1)


class DistanceSensitive:
    """Its keys are not digests: score(key, of) takes (bytes, bits), a text or a list of numbers, and the hash of the file."""

    def __init__(self, io):
        self.metric = io.number("metric", 1, 3)
        self.gram = io.number("gram", 1, 64) if self.metric == 2 else io.number("gram", 0, 0)
        self.slice_bits = io.number("slice_bits", 1, MAX_BITS)
        self.arrays = io.number("arrays", 1, 1024)
        self.samples = io.number("samples", 1, 1024)
        self.threshold = io.number("threshold", 1, self.arrays)
        near, far = io.real("near"), io.real("far")
        demand(0 <= near < far <= 1, "near and far")
        self.dimension = io.number("dimension", 0, (1 << 32, 0, 1 << 20)[self.metric - 1])
        self.bits = Bits(io)
        demand(self.bits.bits == self.slice_bits * self.arrays, "bits is not slice_bits * arrays")

    def sampler(self, key, of):
        if self.metric == 1:
            data, size = key
            demand(self.dimension in (0, size), "dimension of the key")
            return lambda draw: data[(at := draw * size >> 64) // 8] >> at % 8 & 1
        if self.metric == 2:
            pieces = {of(key)} if len(key) <= self.gram else {of(key[i:i + self.gram]) for i in range(len(key) - self.gram + 1)}
            return lambda draw: min(mix64(e ^ draw) for e in pieces)
        demand(self.dimension in (0, len(key)), "dimension of the key")
        largest = max(abs(x) for x in key)
        demand(largest > 0, "a vector of zeros")
        scaled = [self.rounded(x / largest * 2**28) for x in key]

        def side(draw):
            total = 0
            for i, x in enumerate(scaled):
                word = mix64(draw ^ (i + 1) * GOLDEN & M64)
                total += x * (2 * (sum(word.to_bytes(8, "little")) - 1020) + (1 if word >> 63 else -1))
            return 1 if total >= 0 else 0
        return side

    @staticmethod
    def rounded(x):
        whole = math.floor(abs(x))
        return (whole + (abs(x) - whole >= 0.5)) * (1 if x >= 0 else -1)

    def score(self, key, of):
        sample = self.sampler(key, of)
        found = 0
        for a in range(self.arrays):
            words = [a] + [sample(of(a * self.samples + i)) for i in range(self.samples)]
            found += self.bits[a * self.slice_bits + (of(struct.pack(f"<{len(words)}Q", *words)) * self.slice_bits >> 64)]
        return found


FAMILIES = {
    "bloom": Bloom, "partitioned": Partitioned, "blocked": Blocked, "blocked_pair": BlockedPair, "sectorized": Sectorized,
    "split_block": SplitBlock, "register_blocked": RegisterBlocked, "counting": CountingFilter,
    "blocked_counting": BlockedCounting, "bitwise": Bitwise, "bitwise_frozen": BitwiseFrozen,
    "spectral_selection": Spectral, "spectral_increase": Spectral, "spectral_recurring": SpectralRecurring, "d_left": DLeft,
    "cuckoo": Cuckoo, "hash_compaction": HashCompaction, "quotient": Quotient, "ribbon": Ribbon,
    "homogeneous_ribbon": HomogeneousRibbon, "binary_fuse": BinaryFuse, "golomb_set": GolombSet,
    "bloomier_map": BloomierMap, "perfect_hash_map": PerfectHashMap, "dynamic_bloomier_map": DynamicBloomierMap,
    "compact_approximator": CompactApproximator, "cascade_map": CascadeMap, "exact_set": ExactSet,
    "stable": Stable, "active_active": ActiveActive, "age_partitioned": AgePartitioned, "blocked_aging": BlockedAging, "scalable": Scalable,
    "dynamic": Dynamic, "expandable": Expandable, "with_removals": WithRemovals, "count_min": CountMin, "count_min_conservative": CountMin,
    "fast_ams": FastAms, "space_saving": SpaceSaving, "hyperloglog": HyperLogLog, "exaloglog": ExaLogLog,
    "distance_sensitive": DistanceSensitive,
}
