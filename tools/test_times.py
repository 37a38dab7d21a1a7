#!/usr/bin/env python3
"""Where the time of the tests goes: test_times.py [BUILD]. Reads the log that the last `make test`, or a part of it, left in this
build tree (release.log, some_tests.log), and how long Ninja compiled what is there now (.ninja_log; with ccache, what it did not
find).

Seconds are added up over tests, and over objects: on two cores with nothing else on them, a run takes half of the sum.
"""
import argparse
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


def last_log(build):
    """Of ctest --output-log; or None."""
    logs = [log for log in (build / "release.log", build / "some_tests.log") if log.is_file()]
    return max(logs, key=lambda log: log.stat().st_mtime, default=None)


def times_of_tests(log):
    """name: seconds, of every test in the log."""
    ended = re.compile(r" *\d+/\d+ Test +#\d+: (.*?) \.+ *(?:Passed|\*\*\*.*?) +([0-9.]+) sec")
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return {end[1]: float(end[2]) for end in map(ended.match, lines) if end}


def group_of_test(name):
    """The folder of a test's file, or what stands before the first dot: cli, io, laws, source, fuzz."""
    return re.match(r"[\w-]*", name)[0]


def program_of_test(name):
    if law := re.match(r"laws:laws_of_(\w+)\.", name):
        return "laws of " + law[1]
    return name.split(":")[0]


def group_of_object(output):
    """The same groups for what is compiled, or None for what is no object of a target."""
    found = re.search(r"(?:^|/)CMakeFiles/([\w-]+)\.dir/.*\.(?:o|gch)$", output)
    if not found:
        return None
    target = found[1]
    if target.startswith(("test_laws_", "hortus_laws_")):
        return "laws"
    if room := re.match(r"test_([a-z]+)_", target):
        return room[1]
    if target.startswith("hortus_headers_alone"):
        return "headers alone"
    if target.startswith(("hortus_test_", "planner_alone", "hortus_planner")):
        return "what tests share"
    if target.startswith("hortus_cli"):
        return "the command"
    if target.startswith("hortus_redis") and target != "hortus_redis_client":
        return "the Redis module"
    if target.startswith("hortus"):
        return "the library"
    return target.split("_")[0]  # example_NAME, fuzz_NAME


def times_of_objects(log):
    """output: seconds, of every object when it was compiled last."""
    times = {}
    if log.is_file():
        for line in log.read_text(encoding="utf-8").splitlines()[1:]:
            start, end, _, output, _ = line.split("\t")
            times[output] = (int(end) - int(start)) / 1000
    return {output: seconds for output, seconds in times.items() if group_of_object(output)}


def sums(times, group_of):
    """group: (how many, seconds), the longest first."""
    found = collections.defaultdict(lambda: (0, 0.0))
    for name, seconds in times.items():
        group = group_of(name)
        found[group] = (found[group][0] + 1, found[group][1] + seconds)
    return sorted(found.items(), key=lambda pair: -pair[1][1])


def print_sums(title, times, group_of, unit, most=None):
    print(f"\n{title}")
    for group, (number, seconds) in sums(times, group_of)[:most]:
        print(f"{seconds:9.1f} s  {number:5} {unit:8} {group}")


def print_longest(title, times, most):
    print(f"\n{title}")
    for name, seconds in sorted(times.items(), key=lambda pair: -pair[1])[:most]:
        print(f"{seconds:9.1f} s  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build", help="a build tree (default: build)")
    parser.add_argument("--longest", type=int, default=20, metavar="N", help="how many of the longest to name (default 20)")
    given = parser.parse_args()

    log = last_log(given.build)
    tests = times_of_tests(log) if log else {}
    objects = times_of_objects(given.build / ".ninja_log")
    if tests:
        print(f"{len(tests)} tests ran for {sum(tests.values()):.0f} s, says {log}")
        print_sums("by folder", tests, group_of_test, "tests")
        print_sums("the longest programs and scripts", tests, program_of_test, "tests", given.longest)
        print_longest("the longest tests", tests, given.longest)
    else:
        print(f"no test ran in {given.build} yet: `make test` or `make quick`")
    if objects:
        print(f"\n{len(objects)} objects were compiled for {sum(objects.values()):.0f} s")
        print_sums("by folder", objects, group_of_object, "objects")
        print_longest("the longest objects", objects, given.longest)


if __name__ == "__main__":
    main()
