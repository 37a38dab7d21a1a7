#!/usr/bin/env python3
"""read_near.py ROOT [HORTUS]: what docs/file-format.md says of `distance_sensitive` is enough. A reader written from that page
(reader.py) reads the golden files and gives every key the score that `hortus query --scores` prints. Both agree which files are
valid when a scalar is another."""
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from hashes import mix64
from read_golden import resigned
from reader import M64, File, Invalid

ROOT = pathlib.Path(sys.argv[1])
HORTUS = sys.argv[2] if len(sys.argv) > 2 else None
FOLDER = ROOT / "tests" / "golden" / "near" / "v1"
SECRET = bytes(range(16))
failures = 0


def check(true, what):
    global failures
    if not true:
        failures += 1
        print("FAILED:", what)


def key_and_line(metric, i):
    """Key number i as near_golden_test.cpp makes it, and the line that the command takes for it."""
    if metric == 1:
        data = struct.pack("<Q", mix64(i))
        return (data, 64), data.hex()
    if metric == 2:
        text = f"text number {mix64(i)} of many"
        return text.encode(), text
    numbers = [float(mix64(i * 5 + j) >> 12) - 2.0**51 for j in range(5)]
    return numbers, ", ".join(repr(x) for x in numbers)


def check_file(path, key_file):
    file = File(path.read_bytes())
    of = file.digest_function(SECRET if file.hash_id >= 3 else None)
    filter_ = file.filter()
    members = file.items_inserted
    keys = [*range(min(members, 10)), *range(100_000, 100_030)]
    mine = [filter_.score(key_and_line(filter_.metric, i)[0], of) for i in keys]
    check(all(score == filter_.arrays for score in mine[:min(members, 10)]), f"{path.stem}: a member is missed")
    if not HORTUS:
        return
    lines = [key_and_line(filter_.metric, i)[1] for i in keys]
    options = ["--key-file", key_file] if file.hash_id >= 3 else []
    ran = subprocess.run([HORTUS, "query", path, "--scores", "--min-score", "0", *options], input="".join(x + "\n" for x in lines),
                         capture_output=True, text=True, check=False)
    check(ran.stdout == "".join(f"{score}\t{line}\n" for score, line in zip(mine, lines)), f"{path.stem}: scores differ {ran.stderr}")


def check_validity(path, scratch):
    data = path.read_bytes()
    mutant = scratch / "mutant.hortus"
    for i, old in enumerate(File(data).scalars):
        for value in {0, 1, 2, 3, 4, old + 1, max(old, 1) - 1, 2 * old, 65, 1025, 1 << 20, (1 << 32) + 1, M64} - {old}:
            mutant.write_bytes(resigned(data, i, value & M64))
            try:
                File(mutant.read_bytes()).filter()
                refused = ""
            except Invalid as reason:
                refused = str(reason)
            ran = subprocess.run([HORTUS, "verify", mutant], capture_output=True, check=False)
            check(ran.returncode == (2 if refused else 0), f"{path.stem}: scalar {i} = {value} instead of {old}: "
                  f"{'refused: ' + refused if refused else 'accepted'}, but the command says {ran.stdout + ran.stderr}")


def main():
    files = sorted(FOLDER.glob("*.hortus"))
    check(len(files) >= 6, "golden files")
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / "secret.key").write_bytes(SECRET)
        for path in files:
            check_file(path, scratch / "secret.key")
            if HORTUS:
                check_validity(path, scratch)
    print(f"{len(files)} files: {'ok' if failures == 0 else str(failures) + ' failures'}")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
