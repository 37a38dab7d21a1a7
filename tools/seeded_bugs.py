#!/usr/bin/env python3
"""Puts each bug of tests/seeded/*.bug into a copy of the source tree, one at a time, and demands that a test goes red.

A bug is a file NAME.bug:

    what: one sentence about what goes wrong
    kind: durability
    file: src/file.cpp
    build: test_io_faults
    test: ^io/faults:
    --- old
    exact text, which occurs once in the file
    --- new
    what stands there instead

`build` names CMake targets, `test` is a regular expression for ctest -R. The text may begin and end within a line. A line
`cpu: avx2` before the texts says that only processors with that flag run the code; elsewhere the bug is left out.
The named tests must be green without the bug, and one of them red with it; a bug that does not apply, does not compile or
survives is an error. Tests that take three times as long as without it, and half a minute more, are ended, and count as red.
The source tree itself is never changed.
"""
import argparse
import dataclasses
import fnmatch
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import some_tests

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIELDS = ("what", "kind", "file", "build", "test")


class Unfit(Exception):
    """Why a bug cannot be used."""


@dataclasses.dataclass
class Bug:
    name: str
    what: str
    kind: str
    file: str
    build: str
    test: str
    old: str
    new: str
    cpu: str = ""

    def applied(self, text):
        times = text.count(self.old)
        if times != 1:
            raise Unfit(f"the old text occurs {times} times in {self.file}, not once")
        return text.replace(self.old, self.new)


def read_bug(path):
    head, mark, texts = path.read_text(encoding="utf-8").partition("\n--- old\n")
    old, second_mark, new = texts.partition("\n--- new\n")
    if not mark or not second_mark:
        raise Unfit("it needs a line '--- old' and a line '--- new'")
    fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
    if tuple(f for f in fields if f != "cpu") != FIELDS or len(fields) != len(head.splitlines()):
        raise Unfit("its first lines should be " + ", ".join(f + ": ..." for f in FIELDS))
    return Bug(path.stem, **fields, old=old, new=new.removesuffix("\n"))


def targets():
    """Names of all test programs, as tests/CMakeLists.txt makes them, of the command and of the Redis module with that of its
    tests."""
    laws = (some_tests.laws(family) for family in some_tests.rooms())
    programs = {tests.target for tests in (*some_tests.programs(), *laws)}
    return programs | {"hortus_cli", "hortus_redis", "hortus_redis_taken_names"}


def check(bug, known_targets):
    source = ROOT / bug.file
    if not source.is_file():
        raise Unfit(f"there is no file {bug.file}")
    if bug.old == bug.new:
        raise Unfit("the new text is the old one")
    bug.applied(source.read_text(encoding="utf-8"))
    re.compile(bug.test)
    for target in bug.build.split():
        if target not in known_targets:
            raise Unfit(f"no test program is called {target}")


def selected(patterns, folders):
    """The bugs in these folders whose names match, those of one file together: that compiles the least. And what is wrong with
    the others."""
    bugs, unfit = [], {}
    known_targets = targets()
    for path in sorted((ROOT / "tests/seeded").glob("*.bug")):
        if patterns and not any(fnmatch.fnmatch(path.stem, p) for p in patterns):
            continue
        try:
            bug = read_bug(path)
            if folders and bug.file.split("/")[0] not in folders:
                continue
            check(bug, known_targets)
            bugs.append(bug)
        except (Unfit, re.error) as why:
            unfit[path.stem] = str(why)
    return sorted(bugs, key=lambda b: (b.file, b.name)), unfit


class Copy:
    """The source tree and a build tree, elsewhere. What did not change keeps its time: it is not compiled again."""

    def __init__(self, folder, jobs, cmake_options):
        self.source = folder / "source"
        self.build_tree = self.source / "build"
        self.jobs = str(jobs)
        self.seconds = {}  # that tests take without a bug
        self.take_over()
        if not (self.build_tree / "CMakeCache.txt").exists():
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            run = self.run("cmake", "-S", self.source, "-B", self.build_tree, *generator, "-DCMAKE_BUILD_TYPE=Release",
                           "-DHORTUS_TESTS=ON", "-DHORTUS_REDIS=ON", *cmake_options)
            if run.returncode != 0:
                sys.exit("cmake fails:\n" + run.stdout)

    def take_over(self):
        skip = shutil.ignore_patterns(".git", "build", "build-*", "__pycache__")
        fresh = set()
        for folder, folders, files in os.walk(ROOT):
            ignored = skip(folder, folders + files)
            folders[:] = [f for f in folders if f not in ignored]
            for name in files:
                if name in ignored:
                    continue
                path = pathlib.Path(folder, name)
                target = self.source / path.relative_to(ROOT)
                fresh.add(target)
                if not target.is_file() or target.read_bytes() != path.read_bytes():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, target)
        stale = [p for p in self.source.rglob("*") if p.is_file() and p not in fresh and self.build_tree not in p.parents]
        for path in stale:
            path.unlink()

    @staticmethod
    def run(*command, limit=None):
        """Ends the command and all that it started after so many seconds; then there is no returncode."""
        with subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", start_new_session=True) as process:
            try:
                out, _ = process.communicate(timeout=limit)
                return subprocess.CompletedProcess(command, process.returncode, out)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return subprocess.CompletedProcess(command, None, process.communicate()[0])
            except BaseException:  # an interrupt: in a session of their own they would go on
                os.killpg(process.pid, signal.SIGKILL)
                raise

    def compile(self, names):
        return self.run("cmake", "--build", self.build_tree, "-j", self.jobs, "--target", *names)

    def tests(self, pattern, *options, limit=None):
        return self.run("ctest", "--test-dir", self.build_tree, "-j", self.jobs, "--no-tests=error", "-R", pattern, *options,
                        limit=limit)

    def green_without_a_bug(self, pattern):
        """Notes how long it takes: with a bug a test may take for ever."""
        start = time.monotonic()
        run = self.tests(pattern, "--output-on-failure")
        self.seconds[pattern] = time.monotonic() - start
        if run.returncode != 0:
            sys.exit(f"the tests {pattern} are not green without a bug:\n" + last_lines(run.stdout))

    def verdict(self, bug):
        """'red' and the first test that is, or what went wrong."""
        path = self.source / bug.file
        original = path.read_text(encoding="utf-8")
        try:
            path.write_text(bug.applied(original), encoding="utf-8")
            built = self.compile(bug.build.split())
            if built.returncode != 0:
                return "does not compile", last_lines(built.stdout)
            limit = 30 + 3 * self.seconds[bug.test]
            run = self.tests(bug.test, "--stop-on-failure", limit=limit)
        finally:
            path.write_text(original, encoding="utf-8")
        if run.returncode is None:
            return "red", f"its tests do not end: they were ended after {limit:.0f} s"
        if run.returncode == 0:
            return "survived", bug.what
        failed = re.findall(r"^\s*\d+ - (.*) \((?:.*)\)$", run.stdout, re.M)
        return ("red", failed[0]) if failed else ("no test ran", last_lines(run.stdout))


def print_noticed_by(what, build, bugs):
    """Which bugs these tests would notice, by their names. Of a bug's tests one goes red, nobody knows which: so a bug is noticed
    for certain if they are all among these."""
    names = some_tests.names_in(build)
    pattern = re.compile(some_tests.pattern_of(some_tests.selected(what)))
    left_out = re.compile(some_tests.left_out_of(what))
    verdicts = {}
    for bug in bugs:
        of_bug = [name for name in names if re.search(bug.test, name)]
        among = [name for name in of_bug if pattern.search(name) and not left_out.search(name)]
        verdicts[bug.name] = "not noticed" if not among else "noticed" if among == of_bug else "perhaps"
    for bug in bugs:
        if verdicts[bug.name] != "noticed":
            print(f"{verdicts[bug.name]:12} {bug.name}: {bug.test}")
    count = list(verdicts.values()).count
    print(f"{what} notices {count('noticed')} of {len(bugs)} bugs, and perhaps {count('perhaps')} more")


def processor_has(flag):
    try:
        return flag in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return False


def last_lines(text):
    return "\n      ".join(text.strip().splitlines()[-15:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="which bugs, * and ? allowed (default: all)")
    parser.add_argument("--under", action="append", default=[], metavar="FOLDER",
                        help="only bugs in files under this folder of the project, or in this file at its top; several may be named (default: all)")
    parser.add_argument("--check", action="store_true", help="only see whether every bug still applies, exactly once")
    parser.add_argument("--noticed-by", metavar="TESTS",
                        help="run nothing, but say which bugs `some_tests.py TESTS` would notice: quick, or a family. Test programs "
                             "in build/ tell their names, so `make test` comes first")
    parser.add_argument("--jobs", type=int, default=2, help="how many compilers and tests at the same time (default 2)")
    parser.add_argument("--work", type=pathlib.Path,
                        help="keep the copy and its build tree in this folder, and use what is there (default: a new one)")
    parser.add_argument("--cmake", action="append", default=[], metavar="OPTION",
                        help="handed on to cmake when the copy is configured")
    given = parser.parse_args()

    bugs, unfit = selected(given.names, given.under)
    for name, why in unfit.items():
        print(f"{name}: does not apply: {why}")
    if not bugs and not unfit:
        sys.exit("no bug has such a name, or is in such a folder")
    if given.check:
        print(f"{len(bugs)} bugs apply, {len(unfit)} do not")
        sys.exit(bool(unfit))
    if given.noticed_by:
        print_noticed_by(given.noticed_by, ROOT / "build", bugs)
        sys.exit(bool(unfit))
    if given.work and given.work.resolve().is_relative_to(ROOT):
        sys.exit(f"--work {given.work} is in the source tree, which is never changed: choose a folder elsewhere")

    for bug in [b for b in bugs if b.cpu and not processor_has(b.cpu)]:
        print(f"{bug.name}: left out, this processor has no {bug.cpu}")
        bugs.remove(bug)
    with tempfile.TemporaryDirectory(prefix="hortus-seeded-") as fresh:
        copy = Copy((given.work or pathlib.Path(fresh)).resolve(), given.jobs, given.cmake)
        all_targets = sorted({target for bug in bugs for target in bug.build.split()})
        print(f"building {len(all_targets)} targets without a bug", flush=True)
        built = copy.compile(all_targets)
        if built.returncode != 0:
            sys.exit("the source does not compile:\n" + last_lines(built.stdout))
        for pattern in sorted({bug.test for bug in bugs}):
            copy.green_without_a_bug(pattern)
        print("all named tests are green without a bug", flush=True)

        wrong = list(unfit)
        for bug in bugs:
            start = time.monotonic()
            result, about = copy.verdict(bug)
            print(f"{result:16} {time.monotonic() - start:4.0f} s  {bug.name}: {about}", flush=True)
            if result != "red":
                wrong.append(bug.name)
    print(f"{len(bugs) + len(unfit) - len(wrong)} of {len(bugs) + len(unfit)} bugs were noticed")
    if wrong:
        sys.exit("not noticed: " + " ".join(wrong))


if __name__ == "__main__":
    main()
