"""XXH3, XXH64 and SipHash of 64 bits, as docs/file-format.md uses them; written from their public descriptions."""
import struct

M64 = (1 << 64) - 1
M32 = (1 << 32) - 1


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def rotated(x, by):
    return (x << by | x >> (64 - by)) & M64


def swapped(x, size):
    return int.from_bytes(x.to_bytes(size, "little"), "big")


def mix64(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
    return x ^ x >> 31


# XXH64

P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)


def xxh64_avalanche(h):
    h = (h ^ h >> 33) * P64[1] & M64
    h = (h ^ h >> 29) * P64[2] & M64
    return h ^ h >> 32


def xxh64(data, seed=0):
    def round_of(accumulator, lane):
        return rotated((accumulator + lane * P64[1]) & M64, 31) * P64[0] & M64

    at = 0
    if len(data) >= 32:
        lanes = [(seed + P64[0] + P64[1]) & M64, (seed + P64[1]) & M64, seed, (seed - P64[0]) & M64]
        while at + 32 <= len(data):
            lanes = [round_of(lane, u64(data, at + 8 * i)) for i, lane in enumerate(lanes)]
            at += 32
        h = sum(rotated(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18))) & M64
        for lane in lanes:
            h = ((h ^ round_of(0, lane)) * P64[0] + P64[3]) & M64
    else:
        h = (seed + P64[4]) & M64
    h = (h + len(data)) & M64
    for at in range(at, len(data) - 7, 8):
        h = (rotated(h ^ round_of(0, u64(data, at)), 27) * P64[0] + P64[3]) & M64
    at = len(data) & ~7
    if at + 4 <= len(data):
        h = (rotated(h ^ u32(data, at) * P64[0] & M64, 23) * P64[1] + P64[2]) & M64
        at += 4
    for byte in data[at:]:
        h = rotated(h ^ byte * P64[4] & M64, 11) * P64[0] & M64
    return xxh64_avalanche(h)


# XXH3

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248e"
    "e03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d"
    "8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc"
    "8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
STRIPE, SECRET_STEP = 64, 8


def folded_product(a, b):
    product = a * b
    return product & M64 ^ product >> 64


def xxh3_avalanche(h):
    h = (h ^ h >> 37) * 0x165667919E3779F9 & M64
    return h ^ h >> 32


def xxh3_short(data, seed):
    n = len(data)
    if n == 0:
        return xxh64_avalanche(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        mixed = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return xxh64_avalanche(mixed ^ ((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed & M64))
    if n <= 8:
        seed ^= swapped(seed & M32, 4) << 32
        both = u32(data, n - 4) + (u32(data, 0) << 32)
        h = both ^ ((u64(SECRET, 8) ^ u64(SECRET, 16)) - seed & M64)
        h ^= rotated(h, 49) ^ rotated(h, 24)
        h = h * 0x9FB21C651E98DF25 & M64
        h = (h ^ (h >> 35) + n) * 0x9FB21C651E98DF25 & M64
        return h ^ h >> 28
    low = ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & M64) ^ u64(data, 0)
    high = ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & M64) ^ u64(data, n - 8)
    return xxh3_avalanche(n + swapped(low, 8) + high + folded_product(low, high) & M64)


def xxh3_medium(data, seed):
    n = len(data)

    def pair(at, secret):
        return folded_product(u64(data, at) ^ (u64(SECRET, secret) + seed & M64),
                              u64(data, at + 8) ^ (u64(SECRET, secret + 8) - seed & M64))

    h = n * P64[0]
    if n <= 128:
        for i in reversed(range((n + 31) // 32)):
            h += pair(16 * i, 32 * i) + pair(n - 16 * (i + 1), 32 * i + 16)
        return xxh3_avalanche(h & M64)
    for i in range(8):
        h += pair(16 * i, 16 * i)
    h = xxh3_avalanche(h & M64)
    for i in range(8, n // 16):
        h += pair(16 * i, 16 * (i - 8) + 3)
    h += pair(n - 16, 136 - 17)
    return xxh3_avalanche(h & M64)


def xxh3_long(data, seed):
    secret = SECRET
    if seed:
        secret = b"".join(struct.pack("<QQ", u64(SECRET, i) + seed & M64, u64(SECRET, i + 8) - seed & M64)
                          for i in range(0, len(SECRET), 16))
    lanes = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]

    def accumulate(at, words_of_secret):
        words = struct.unpack_from("<8Q", data, at)
        keyed = [word ^ key for word, key in zip(words, words_of_secret)]
        for i, k in enumerate(keyed):
            lanes[i ^ 1] += words[i]
            lanes[i] += (k & M32) * (k >> 32)
        for i in range(8):
            lanes[i] &= M64

    a_block = (len(secret) - STRIPE) // SECRET_STEP
    keys = [struct.unpack_from("<8Q", secret, SECRET_STEP * i) for i in range(a_block)]
    scramble = struct.unpack_from("<8Q", secret, len(secret) - STRIPE)
    stripes = (len(data) - 1) // STRIPE
    for stripe in range(stripes):
        accumulate(STRIPE * stripe, keys[stripe % a_block])
        if stripe % a_block == a_block - 1:
            lanes = [(lane ^ lane >> 47 ^ key) * P32[0] & M64 for lane, key in zip(lanes, scramble)]
    accumulate(len(data) - STRIPE, struct.unpack_from("<8Q", secret, len(secret) - STRIPE - 7))

    h = len(data) * P64[0]
    for i in range(4):
        h += folded_product(lanes[2 * i] ^ u64(secret, 11 + 16 * i), lanes[2 * i + 1] ^ u64(secret, 19 + 16 * i))
    return xxh3_avalanche(h & M64)


def xxh3(data, seed=0):
    if len(data) <= 16:
        return xxh3_short(data, seed)
    return xxh3_medium(data, seed) if len(data) <= 240 else xxh3_long(data, seed)


# SipHash-c-d

def siphash(data, key, rounds, last_rounds):
    k0, k1 = struct.unpack("<QQ", key)
    v0, v1, v2, v3 = (k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573)

    def stirred(v0, v1, v2, v3, times):
        for _ in range(times):
            v0 = v0 + v1 & M64
            v2 = v2 + v3 & M64
            v1 = rotated(v1, 13) ^ v0
            v3 = rotated(v3, 16) ^ v2
            v0 = rotated(v0, 32) + v3 & M64
            v2 = v2 + v1 & M64
            v3 = rotated(v3, 21) ^ v0
            v1 = rotated(v1, 17) ^ v2
            v2 = rotated(v2, 32)
        return v0, v1, v2, v3

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        v0, v1, v2, v3 = stirred(v0, v1, v2, v3 ^ word, rounds)
        v0 ^= word
    v0, v1, v2, v3 = stirred(v0, v1, v2 ^ 0xFF, v3, last_rounds)
    return v0 ^ v1 ^ v2 ^ v3
