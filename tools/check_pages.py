#!/usr/bin/env python3
"""check_pages.py [--update] HORTUS PAGE...: what pages show of the command, and of scripts in tools/, is what these print.

  - Examples, indented by four blanks: after a line "    $ COMMAND" come the lines that it prints, on both of its outputs. In
    them "…" stands for any text, and on a line of its own for any lines. All commands of a page run in one empty folder, in turn.
  - The lines after <!-- printed by: COMMAND -->, up to an empty one, are what COMMAND prints.
  - <!-- before: COMMAND --> runs COMMAND, whatever it prints.

--update rewrites what differs: python3 tools/check_pages.py --update build/hortus README.md docs/command.md
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def printed(command, folder):
    """What a shell shows of it. It is a bash, for <(...)."""
    path = f"{folder}/bin:{pathlib.Path(__file__).resolve().parent}:{os.environ['PATH']}"
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PATH": path, "TMPDIR": str(folder)}
    ran = subprocess.run(["bash", "-c", command], cwd=folder / "here", env=environment, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return ran.stdout.decode().splitlines()


def pattern_of(line):
    if line == "…":
        return r"(?:[^\n]*\n)*"
    return r"[^\n]*".join(re.escape(part) for part in line.split("…")) + r"\n"


def shows(expected, got):
    return re.fullmatch("".join(map(pattern_of, expected)), "".join(line + "\n" for line in got)) is not None


def end_of_paragraph(lines, at):
    return next((i for i in range(at, len(lines)) if not lines[i].strip()), len(lines))


def end_of_output(lines, at):
    """Up to the next command or unindented text; empty lines are inside if more of the output comes after them."""
    end = at
    for i in range(at, len(lines)):
        if re.match(r"    \$ |\S", lines[i]):
            break
        if lines[i].strip():
            end = i + 1
    return end


def checked(page, lines, hortus):
    """The page as it should be, and a report of what differs."""
    result, differing = [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "here").mkdir()
        (folder / "bin").mkdir()
        (folder / "bin" / "hortus").symlink_to(pathlib.Path(hortus).resolve())
        at = 0
        while at < len(lines):
            line = lines[at]
            result.append(line)
            at += 1
            example = re.fullmatch(r"    \$ (.*)", line)
            block = re.fullmatch(r"<!-- printed by: (.*) -->", line)
            before = re.fullmatch(r"<!-- before: (.*) -->", line)
            if before:
                printed(before[1], folder)
            if not example and not block:
                continue
            margin = "    " if example else ""
            expected = lines[at:end_of_output(lines, at) if example else end_of_paragraph(lines, at)]
            at += len(expected)
            expected = [text[len(margin):] for text in expected]
            got = printed((example or block)[1], folder)
            if not shows(expected, got):
                differing.append(f"{page}: {(example or block)[1]}\n" +
                                 "\n".join(difflib.unified_diff(expected, got, "the page", "the command", lineterm="", n=1)))
                expected = got
            result += [(margin + text).rstrip() for text in expected]
    return result, differing


def main(arguments):
    update = arguments[:1] == ["--update"]
    hortus, *pages = arguments[1 if update else 0:]
    failed = False
    for page in map(pathlib.Path, pages):
        lines = page.read_text(encoding="utf-8").split("\n")
        result, differing = checked(page, lines, hortus)
        for difference in differing:
            print(difference)
        if update:
            page.write_text("\n".join(result), encoding="utf-8")
        else:
            failed = failed or bool(differing)
    if failed:
        print(f"to update them: python3 tools/check_pages.py --update {' '.join(arguments)}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
