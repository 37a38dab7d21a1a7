#!/usr/bin/env python3
"""syntax_check.py BUILD JOBS TARGET...: has the compiler of a CMake tree read every unit of the targets without making code of it
(-fsyntax-only), which takes a fraction of the time of a build. Precompiled headers are made: they save more than they cost. Templates
are instantiated. Not noticed is what shows later: warnings of the optimizer, what the linker misses."""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def command(unit):
    words = shlex.split(unit["command"])
    compiler = next(at for at, word in enumerate(words) if not ("=" in word or os.path.basename(word) in ("env", "ccache")))
    return words[compiler:]


def is_precompiled_header(unit):
    return unit["output"].endswith((".gch", ".pch"))


def read(unit):
    """Of g++ and clang: what stands behind -o and -MF is not written."""
    words = command(unit)
    if not is_precompiled_header(unit):
        written = [at for option in ("-o", "-MF", "-MT") if option in words for at in (words.index(option), words.index(option) + 1)]
        words = [word for at, word in enumerate(words) if at not in written and word != "-MD"] + ["-fsyntax-only"]
    done = subprocess.run(words, cwd=unit["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return unit["file"], done.returncode, done.stdout


def main(build, jobs, *targets):
    units = json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8"))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        for target in targets:
            if not any(f"{target}.dir/" in unit["output"] for unit in units):
                sys.exit(f"{build} has no unit of the target {target}")
        chosen = [unit for unit in units if any(f"CMakeFiles/{target}.dir/" in unit["output"] for target in targets)]
        headers = [unit for unit in chosen if is_precompiled_header(unit)]
        others = [unit for unit in chosen if not is_precompiled_header(unit)]
        for part in (headers, others):
            for file, status, output in pool.map(read, part):
                print(output, end="")
                if status != 0:
                    print(f"FAILED {file}", flush=True)
                    failed += 1
    print(f"{len(others)} units read, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
