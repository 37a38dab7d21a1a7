#!/usr/bin/env python3
"""read_golden.py ROOT [HORTUS]: what docs/file-format.md says is enough. A reader in another language, written from that page
(reader.py), reads every golden file of every family and gives the answers that were recorded when the files were made. With the
command HORTUS it is also asked key by key beside `hortus query` and `hortus count`, on golden files and on new ones with wide,
crowded and grown cells; and both must agree which files are valid when a scalar is another."""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from hashes import mix64, siphash, xxh3, xxh64
from reader import FAMILIES, GOLDEN, M64, File, Invalid, name_id

ROOT = pathlib.Path(sys.argv[1])
HORTUS = sys.argv[2] if len(sys.argv) > 2 else None
FOLDER = ROOT / "tests" / "golden" / "v1"
PAGE = (ROOT / "docs" / "file-format.md").read_text()
SECRET = bytes(range(16))
ABSENT = range(1_000_000, 1_010_000)  # golden_probes of cases.hpp
MAPS = ("bloomier_map", "perfect_hash_map", "dynamic_bloomier_map", "cascade_map")  # that are built of keys and values
SETTINGS = {"bloomier_map": (["value_bits=64"], ["arity=3"], ["unchecked=1"], ["arity=4", "unchecked=1"]),
            "perfect_hash_map": (["value_bits=64"], ["unchecked=1"], []), "dynamic_bloomier_map": (["value_bits=64"], ["capacity=5000"], []),
            "compact_approximator": (["lattice=1"], ["probes=3"], []), "cascade_map": (["value_bits=40"], ["filter_fpr=0.2"], [])}
DISTINCT = ("hyperloglog", "exaloglog")  # that are not asked for a key
failures = 0


def check(true, what):
    global failures
    if not true:
        failures += 1
        print("FAILED:", what)


def names_of_families():
    text = (ROOT / "include/hortus/any/families.def").read_text()
    return re.findall(r"^HORTUS_FAMILY\((\w+),", text, re.M)


def recorded_answers():
    """From answers.hpp: of the absent keys how many are found, and the first five."""
    text = (ROOT / "tests/golden/answers.hpp").read_text()
    return {name: (int(hits), [int(i) for i in first.split(",") if i.strip()])
            for name, hits, first in re.findall(r'\{"([a-z0-9_]+/[a-z0-9_]+)", \{(\d+), \{([\d, ]*)\}\}\}', text)}


def golden_key(case, i):
    """Key number i as cases.hpp makes it; what is handed in as a digest comes as one."""
    if "integers" in case:
        return i + (1 << 33)
    return ("digest", mix64(i + GOLDEN & M64)) if case == "digests" else b"key %d" % i


digests = {}  # of golden keys: the same in the files of all families


def golden_digests(case, file, numbers):
    known = digests.setdefault((file.hash_id, file.seed, "integers" in case, case == "digests", numbers), [])
    if not known:
        known += [key[1] if isinstance(key, tuple) else file.of(key) for key in (golden_key(case, i) for i in numbers)]
    return known


def read(path):
    file = File(path.read_bytes())
    file.of = file.digest_function(SECRET if file.hash_id >= 3 else None)
    return file, file.filter()


def golden_files(families):
    return [path for family in families for path in sorted((FOLDER / family).glob("*.hortus"))]


def check_hashes_of_page():
    rows = {"no bytes": b"", "`key 0`": b"key 0", "integer 0": 0, "integer 2^33": 1 << 33}
    for title, key in rows.items():
        printed = re.search(rf"^\| {re.escape(title)} \|(.*)\|$", PAGE, re.M).group(1)
        raw = struct.pack("<Q", key) if isinstance(key, int) else key
        seeded = mix64(key ^ mix64(0x5EED + GOLDEN)) if isinstance(key, int) else xxh3(key, mix64(0x5EED))
        unseeded = mix64(key ^ mix64(GOLDEN)) if isinstance(key, int) else xxh3(key)
        got = [unseeded, seeded, xxh64(raw), siphash(raw, SECRET, 1, 3), siphash(raw, SECRET, 2, 4)]
        check([f"{x:016x}" for x in got] == re.findall(r"`([0-9a-f]{16})`", printed), f"digests of {title}")


def check_layer_ids_of_page():
    for layer in ("bloom", "blocked", "blocked_counting"):
        check(f"`{layer}` is 0x{name_id(layer):016x}" in PAGE.replace("\n", " "), f"layer id of {layer}")


def check_recorded(families):
    recorded = recorded_answers()
    check(len(list(FOLDER.glob("*/*.hortus"))) == len(recorded), "as many golden files as answers")
    for path in golden_files(families):
        name = f"{path.parent.name}/{path.stem}"
        try:
            file, filter_ = read(path)
        except Invalid as reason:
            check(False, f"{name}: refused: {reason}")
            continue
        check(file.family == path.parent.name, f"{name}: family")
        found = [i for i, d in zip(ABSENT, golden_digests(path.stem, file, ABSENT)) if filter_.has(d)]
        check((len(found), found[:5]) == recorded.get(name), f"{name}: {len(found)} of the absent keys are found, from {found[:5]} on")
        forgets = file.family in ("stable", "active_active", "age_partitioned", "blocked_aging", "fast_ams", "bitwise")  # no member is promised
        members = golden_digests(path.stem, file, range(0 if path.stem == "empty" else 1 if path.stem == "one_key" else 1000))
        if file.family in MAPS:
            check(all(filter_.find(d) == mix64(i) % 1000 for i, d in enumerate(members)), f"{name}: a value is wrong")
        if not forgets:
            check(all(filter_.has(d) for d in members), f"{name}: a member is missed")


# Beside the command

def asked(options, keys):
    """What the command prints for these keys; status 1 means that none was found."""
    ran = subprocess.run([HORTUS, *options], input=b"".join(key + b"\n" for key in keys), capture_output=True, check=False)
    check(ran.returncode in (0, 1) and not ran.stderr, f"hortus {' '.join(options)}: {ran.stderr.decode()}")
    return ran.stdout.splitlines()


def check_beside(path, keys, key_file=None):
    file, filter_ = read(path)
    options = [str(path)] + (["--key-file", str(key_file)] if file.hash_id >= 3 else [])
    counts = hasattr(filter_, "count")
    if file.family == "space_saving":  # its keys are the golden ones, whole or their beginning
        texts = {file.of(key): key for key in keys}
        check(all(texts[d].startswith(kept) for d, kept in filter_.keys.items() if d in texts), f"{path}: bytes of keys")
    if counts:
        mine = [b"%d\t%s" % (min(filter_.count(file.of(key)), (1 << 63) - 1), key) for key in keys]
        check(asked(["count", *options], keys) == mine, f"{path}: counts differ from the command's")
    if hasattr(filter_, "find"):
        texts = filter_.labels.texts
        found = [(key, filter_.find(file.of(key))) for key in keys]
        mine = [key + b"\t" + (texts[value] if texts else b"%d" % value) for key, value in found if value is not None]
        check(asked(["get", *options], keys) == mine, f"{path}: values differ from the command's")
    if file.family not in ("bitwise", "count_min", "count_min_conservative", "fast_ams", "space_saving", *DISTINCT):
        mine = [key for key in keys if filter_.has(file.of(key))]
        check(asked(["query", *options], keys) == mine, f"{path}: answers differ from the command's")


def check_golden_beside(scratch, families):
    key_file = scratch / "secret.key"
    key_file.write_bytes(SECRET)
    keys = [b"key %d" % i for i in [*range(1000), *ABSENT[:1000]]]
    for path in golden_files(families):
        if path.stem in ("text", "siphash24_text", "repeated", "grown"):
            check_beside(path, keys, key_file)


def check_new_beside(scratch, families):
    """What golden files do not have: cells that cross words, wide ones, lists of large counts, ages, many levels and stages."""
    keys = scratch / "keys"
    times = [1 + 20_000 // (i + 1) for i in range(700)]  # by Zipf's law: up to 20 000 times
    keys.write_bytes(b"".join(b"%d\n" % i * n for i, n in enumerate(times)) + b"".join(b"%d\n" % i for i in range(700, 2000)))
    other = {"counting": ["cell_bits=5", "cell_bits=64"], "stable": ["cell_bits=3"], "bitwise": ["widths=231", "taper=0"],
             "age_partitioned": ["generations=7"], "blocked_aging": ["generations=6", "distinct=0"], "dynamic": ["layer_items=100"], "scalable": ["growth=4"],
             "with_removals": ["removed_share=0.5", "miss_rate=0.2"], "space_saving": ["key_bytes=8"],
             "count_min": ["error=0.01"], "fast_ams": ["error=0.1"], "blocked": ["probes=20"], "blocked_pair": ["probes=33"],
             "sectorized": ["probes=30"], "register_blocked": ["probes=31"], "blocked_counting": ["probes=11"]}
    pairs = scratch / "pairs"
    pairs.write_bytes(b"".join(b"%d\t%d\n" % (i, i * i + 1) for i in range(2000)))
    texts = scratch / "texts"
    texts.write_bytes(b"".join(b"%d\ttext %d\n" % (i, i % 7) for i in range(2000)))
    for family in families:
        if family in SETTINGS:
            for source in (pairs, texts) if family in MAPS else (pairs,):
                for settings in SETTINGS[family]:
                    path = scratch / f"{family}.hortus"
                    options = [word for setting in settings for word in ("--set", setting)]
                    subprocess.run([HORTUS, "build", family, "-o", path, *options, source], capture_output=True, check=True)
                    check_beside(path, [b"%d" % i for i in range(0, 4000, 7)])
            continue
        for setting in [None, *other.get(family, [])]:
            path = scratch / f"{family}.hortus"
            few = [] if family in ("d_left", "hash_compaction", "quotient", "cuckoo") else ["-n", "1500" if setting else "300"]
            subprocess.run([HORTUS, "build", family, "-o", path, *few, *(["--set", setting] if setting else []), keys],
                           capture_output=True, check=True)
            if family == "with_removals":
                gone = b"".join(b"%d\n" % i for i in range(0, 2000, 3))
                subprocess.run([HORTUS, "remove", path], input=gone, capture_output=True, check=True)
            check_beside(path, [b"%d" % i for i in range(0, 4000, 7)])
        if family == "exact_set":
            some, others = scratch / "some", scratch / "others"
            for members in (100, 1000, 1900):  # a filter and bits; bits alone; inverted
                some.write_bytes(b"".join(b"%d\n" % i for i in range(members)))
                others.write_bytes(b"".join(b"%d\n" % i for i in range(members, 2000)))
                subprocess.run([HORTUS, "build", family, "-o", path, "--absent", others, some], capture_output=True, check=True)
                check_beside(path, [b"%d" % i for i in range(0, 4000, 7)])


def resigned(data, scalar, value):
    """The file with another scalar and the right checksum."""
    header_bytes = struct.unpack_from("<I", data, 12)[0]
    changed = bytearray(data)
    struct.pack_into("<Q", changed, 128 + 8 * scalar, value)
    struct.pack_into("<Q", changed, header_bytes - 8, xxh3(bytes(changed[:header_bytes - 8])))
    return bytes(changed)


def check_validity(scratch, families):
    """Both refuse the same. Only one rule of the page is not the reader's: how large the stages of scalable must be."""
    for family in families:
        data = (FOLDER / family / ("grown.hortus" if family in ("scalable", "dynamic") else "text.hortus")).read_bytes()
        scalars = File(data).scalars
        check(scalars, f"{family}: no scalars")
        mutants = []  # path, what was changed, why it is refused
        for i, old in enumerate(scalars[:40]):
            for value in {0, 1, old + 1, max(old, 1) - 1, 2 * old, 65, M64} - {old}:
                path = scratch / f"mutant{len(mutants)}.hortus"
                path.write_bytes(resigned(data, i, value & M64))
                try:
                    File(path.read_bytes()).filter()
                    refused = ""
                except Invalid as reason:
                    refused = str(reason)
                mutants.append((path, f"scalar {i} = {value} instead of {old}", refused))
        ran = subprocess.run([HORTUS, "verify", "--json", *(path for path, _, _ in mutants)], capture_output=True, check=False)
        said = json.loads(ran.stdout)
        check(ran.returncode == 2 and [one["file"] for one in said] == [str(path) for path, _, _ in mutants], f"{family}: verify")
        for (_, changed, refused), one in zip(mutants, said):
            planned = family == "scalable" and not one["ok"] and not refused
            check(planned or one["ok"] == (not refused), f"{family}: {changed}: "
                  f"{'refused: ' + refused if refused else 'accepted'}, but the command says {one}")


def check_damage():
    """A flipped bit is noticed wherever it is."""
    data = (FOLDER / "counting" / "one_key.hortus").read_bytes()
    for byte in range(len(data)):
        damaged = bytearray(data)
        damaged[byte] ^= 16
        try:
            File(bytes(damaged))
            check(False, f"a flipped bit in byte {byte} is not noticed")
        except Invalid:
            pass


def main():
    families = names_of_families()
    for family in families:
        check(family in FAMILIES, f"reader.py does not know the family '{family}': describe it in docs/file-format.md, then add it there")
        check(f"\n### `{family}`\n" in PAGE, f"docs/file-format.md has no heading '### `{family}`'")
    check(set(families) == {path.name for path in FOLDER.iterdir()}, "the families and the folders of golden files")
    families = [family for family in families if family in FAMILIES]
    check_hashes_of_page()
    check_layer_ids_of_page()
    check_damage()
    check_recorded(families)
    if HORTUS:
        with tempfile.TemporaryDirectory() as scratch:
            check_golden_beside(pathlib.Path(scratch), families)
            check_new_beside(pathlib.Path(scratch), families)
            check_validity(pathlib.Path(scratch), families)
    print(f"{len(families)} families: {'ok' if failures == 0 else str(failures) + ' failures'}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
