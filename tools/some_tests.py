#!/usr/bin/env python3
"""Builds and runs some of the tests: `some_tests.py quick`, three minutes of all kinds, or `some_tests.py FAMILY`, what belongs to
one family. `make quick` and `make test FAMILY=...` configure the build tree and call it.

The rule which tests are in `quick` is QUICK_LAWS and LEFT_OUT below, and stands nowhere else. Tests are named by their files, as
tests/CMakeLists.txt does it.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"

# The laws of a family or two of each room: those that notice the most seeded bugs.
QUICK_LAWS = ("bloom", "blocked_counting", "cuckoo", "ribbon", "bloomier_map", "active_active", "age_partitioned", "scalable",
              "expandable", "hyperloglog")

# Every other program, script and replay is in, but these, each with its seconds on one core. A name with a colon leaves out some
# tests of a program.
LEFT_OUT = {
    "cli/info_verify_list_plan": 12,
    "cli/settings": 12,
    "cli/threads": 21,
    "io/lying_headers:lying_headers.every_field_alone": 64,
    "io/lying_headers:lying_headers.shapes_that_no_family_has": 27,
}

# Programs called slow are out, but for these, which take a few seconds.
QUICK_SLOW = ("cells/large_slow",)

# Of what is tested otherwise, what takes a second or two.
QUICK_CHECKS = ("source.include_arrows", "source.families_are_complete", "source.golden", "source.seeded_bugs_apply",
                "source.snippets_are_compiled", "source.readme_shows_its_example", "consumer.wrong_version",
                "consumer.wrong_families")

# Belong to every family: files of released versions, files as hostile as fuzzers made them.
OF_EVERY_FAMILY = ("golden/golden", "fuzz.load_bytes", "fuzz.load_resigned", "fuzz.operations")


@dataclasses.dataclass(frozen=True)
class Tests:
    """What one source file becomes: its tests for ctest, and the target to build before."""
    name: str
    pattern: str
    target: str
    path: pathlib.Path


def programs():
    for path in sorted(TESTS.rglob("*_test.cpp")):
        name = str(path.relative_to(TESTS))[: -len("_test.cpp")]
        yield Tests(name, f"{re.escape(name)}:", "test_" + name.replace("/", "_"), path)


def scripts():
    for path in sorted(TESTS.glob("cli/*_test.sh")):
        name = str(path.relative_to(TESTS))[: -len("_test.sh")]
        yield Tests(name, f"{re.escape(name)}$", "hortus_cli", path)


def replays():
    for path in sorted(ROOT.glob("fuzz/*.cpp")):
        yield Tests(f"fuzz.{path.stem}", rf"fuzz\.{path.stem}$", f"fuzz_{path.stem}", path)


def examples():
    for path in sorted(ROOT.glob("examples/*.cpp")):
        yield Tests(f"example.{path.stem}", rf"example\.{path.stem}$", f"example_{path.stem}", path)


def rooms():
    """The room of each family."""
    text = (ROOT / "include/hortus/any/families.def").read_text(encoding="utf-8")
    return dict(re.findall(r"^HORTUS_FAMILY\((\w+), (\w+),", text, re.M))


def laws(family):
    path = ROOT / f"include/hortus/{rooms()[family]}/{family}.hpp"
    return Tests(f"laws of {family}", rf"laws:laws_of_{family}\.", f"test_laws_of_{family}", path)


def checks(names):
    return [Tests(name, re.escape(name) + "$", "", ROOT) for name in names]


def takes_long(tests):
    return re.search("_(slow|nightly)$", tests.name) is not None


def quick():
    for room in set(rooms().values()) - {rooms()[family] for family in QUICK_LAWS}:
        sys.exit(f"some_tests.py: QUICK_LAWS names no family of the room {room}")
    known = [*programs(), *scripts(), *replays(), *examples()]
    for name in (*LEFT_OUT, *QUICK_SLOW):
        if name.split(":")[0] not in {tests.name for tests in known}:
            sys.exit(f"some_tests.py: no program, script or replay is called {name}")
    some = [tests for tests in known if tests.name not in LEFT_OUT and (not takes_long(tests) or tests.name in QUICK_SLOW)]
    return [*map(laws, QUICK_LAWS), *some] + checks(QUICK_CHECKS)


def of_family(family):
    """Its laws, every program and example that includes its header or its plan's, and every script that names it."""
    header = re.compile(rf"hortus/(plan|{rooms()[family]})/{family}\.hpp")
    word = re.compile(rf"(?<!\w){family}(?!\w)")
    found = [laws(family)]
    for tests in (*programs(), *examples(), *replays(), *scripts()):
        says = word if tests.path.suffix == ".sh" else header
        named = tests.name.split("/")[-1] == family
        if not takes_long(tests) and (tests.name in OF_EVERY_FAMILY or named or says.search(tests.path.read_text(encoding="utf-8"))):
            found.append(tests)
    return found + checks(("source.families_are_complete", "source.golden"))


def selected(what):
    if what == "quick":
        return quick()
    if what not in rooms():
        sys.exit(f"some_tests.py: there is no family '{what}'; there are: " + " ".join(rooms()))
    return of_family(what)


def pattern_of(some):
    """For ctest -R."""
    return "^(" + "|".join(tests.pattern for tests in some) + ")"


def left_out_of(what):
    """For ctest -E. No test has an empty name."""
    names = [name for name in LEFT_OUT if ":" in name and what == "quick"]
    return "^(" + "|".join(re.escape(name) for name in names) + ")" if names else "^$"


def names_in(build):
    """Of all tests that ctest knows. Those of a program are known once it is built."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [test["name"] for test in json.loads(shown[shown.index("{"):])["tests"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", help="quick, or the name of a family")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", metavar="FOLDER", help="a configured build tree")
    parser.add_argument("--jobs", default=str(os.cpu_count()), help="how many compilers and tests at the same time")
    parser.add_argument("--list", action="store_true", help="only name the files that are tested")
    given = parser.parse_args()

    some = selected(given.what)
    build = given.build.resolve()
    if given.list:
        print("\n".join(tests.name for tests in some))
        return
    targets = sorted({tests.target for tests in some if tests.target})
    built = subprocess.run(["cmake", "--build", build, "-j", given.jobs, "--target", *targets], check=False)
    if built.returncode != 0:
        sys.exit(built.returncode)
    names = names_in(build)
    for tests in some:
        if not any(re.match(tests.pattern, name) for name in names):
            sys.exit(f"some_tests.py: ctest knows no test of {tests.name}")
    for left_out in LEFT_OUT:
        if ":" in left_out and given.what == "quick" and left_out not in names:
            sys.exit(f"some_tests.py: LEFT_OUT names {left_out}, and ctest knows no such test")
    ran = subprocess.run(["ctest", "--test-dir", build, "-j", given.jobs, "-R", pattern_of(some),
                          "-E", left_out_of(given.what), "--output-on-failure", "--no-tests=error", "--output-log",
                          build / "some_tests.log"], check=False)
    sys.exit(ran.returncode)


if __name__ == "__main__":
    main()
