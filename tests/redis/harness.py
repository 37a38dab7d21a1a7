"""Runs the tests of a file: every function test_NAME(folder), in an empty folder of its own below the build tree. A file ends
with harness.main(). The module is in $HORTUS_REDIS_MODULE. Status 1: a test failed; 77: all were skipped."""

import os
import pathlib
import shutil
import signal
import sys
import time
import traceback

import server

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
os.environ.setdefault("HORTUS_REDIS_MODULE", str(ROOT / "build" / "hortus_redis.so"))


class Skipped(Exception):
    """The test needs something that this machine does not have."""


def size(name, standard):
    """How much of a thing to do: $HORTUS_REDIS_NAME, in the nightly form more than in the short one."""
    return int(os.environ.get("HORTUS_REDIS_" + name, standard))


def seed():
    """For random tests. A failure prints it; $HORTUS_REDIS_SEED repeats it."""
    return size("SEED", int.from_bytes(os.urandom(4), "little"))


def equal(what, expected, got):
    if expected == got:
        return
    if isinstance(expected, dict) and isinstance(got, dict):  # of two dictionaries only what differs
        differ = [key for key in {**expected, **got} if expected.get(key) != got.get(key)]
        expected, got = {key: expected.get(key) for key in differ}, {key: got.get(key) for key in differ}
    raise AssertionError(f"{what}\n  expected: {expected!r:.1500}\n  got:      {got!r:.1500}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    file = pathlib.Path(sys.argv[0])
    scratch = pathlib.Path(os.environ.get("HORTUS_REDIS_SCRATCH", ROOT / "build" / "redis-test")) / file.stem
    shutil.rmtree(scratch, ignore_errors=True)
    tests = {name[5:]: test for name, test in sys.modules["__main__"].__dict__.items() if name.startswith("test_")}
    chosen = {name: test for name, test in tests.items() if len(sys.argv) < 2 or name in sys.argv[1:]}
    assert chosen, f"{file.name} has no such test; it has {' '.join(tests)}"
    counts = {"passed": 0, "FAILED": 0, "skipped": 0}
    for name, test in chosen.items():
        result = run(f"{file.stem.removesuffix('_test')}.{name}", test, scratch / name)
        counts[result] += 1
    sys.exit(1 if counts["FAILED"] else 0 if counts["passed"] else 77)


def run(name, test, folder):
    folder.mkdir(parents=True)
    begin = time.monotonic()
    result, why = "passed", ""
    try:
        test(str(folder))
    except Skipped as reason:
        result, why = "skipped", f": {reason}"
    except Exception:
        result, why = "FAILED", "\n" + traceback.format_exc() + server.logs()
    finally:
        server.stop_all()
    print(f"{result} {name} ({time.monotonic() - begin:.1f} s){why}", flush=True)
    if result != "FAILED":
        shutil.rmtree(folder)
    return result
