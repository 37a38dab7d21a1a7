#!/usr/bin/env python3
"""applications.py BUILD [PAGE]: runs the applications of docs/applications.md on more data than the tests do, and writes their
output and their pictures into the page.

A line `<!-- run NAME ARGUMENT... -->` in the page is followed by the output of BUILD/tests/example_NAME, which is replaced. A line
`<!-- bars NAME: TITLE | LABEL=REGEX | ... -->` draws docs/applications/NAME.svg: a bar for each label, of the number that the
expression finds in the output of the last run (a plain number is taken as it is).
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLOURS = ["#57606a", "#0a5fc2", "#1a7f37", "#bc4c00"]
WIDTH, LABELS, ROW = 640, 250, 26


def run(build, words):
    """The output of an example, with the words after its name as arguments."""
    program = (build / "tests" / f"example_{words[0]}").resolve()
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run([program, *words[1:]], cwd=scratch, capture_output=True, text=True, check=True)
    return done.stdout


def number_of(pattern, output):
    if pattern.isdigit():
        return float(pattern)
    found = re.search(pattern, output)
    if not found:
        sys.exit(f"applications.py: nothing like /{pattern}/ in the output")
    return float(found.group(1))


def readable(value):
    if value >= 1e6:
        return f"{value / 1e6:.3g} million"
    return f"{value:,.0f}".replace(",", " ") if value >= 100 or value == int(value) else f"{value:.3g}"


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def bars(title, rows):
    """A bar for each (label, number), as long as the number says. Text takes the colour of the page."""
    most = max(value for _, value in rows) or 1
    height = 34 + ROW * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13" role="img">',
        f"<title>{escaped(title)}</title>",
        "<style>text{fill:#1f2328}@media(prefers-color-scheme:dark){text{fill:#e6edf3}}</style>",
        f'<text x="0" y="16" font-weight="bold">{escaped(title)}</text>',
    ]
    for i, (label, value) in enumerate(rows):
        y = 30 + ROW * i
        length = max(2, (WIDTH - LABELS - 90) * value / most)
        lines.append(f'<text x="{LABELS - 8}" y="{y + 14}" text-anchor="end">{escaped(label)}</text>')
        lines.append(f'<rect x="{LABELS}" y="{y + 2}" width="{length:.1f}" height="{ROW - 10}" fill="{COLOURS[min(i, 3)]}"/>')
        lines.append(f'<text x="{LABELS + length + 6:.1f}" y="{y + 14}">{readable(value)}</text>')
    return "\n".join(lines + ["</svg>", ""])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1])
    page = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT / "docs" / "applications.md"
    out, output, skipping = [], "", False
    for line in page.read_text().splitlines():
        if skipping and (not line or line.startswith("    ")):
            continue  # the output of the last time
        skipping = False
        out.append(line)
        if line.startswith("<!-- run "):
            output = run(build, line.removeprefix("<!-- run ").removesuffix("-->").split())
            out += [""] + ["    " + text for text in output.splitlines()]
            skipping = True
        elif line.startswith("<!-- bars "):
            head, *rows = [part.strip() for part in line.removeprefix("<!-- bars ").removesuffix("-->").split(" | ")]
            name, title = head.split(": ", 1)
            found = [(label, number_of(pattern, output)) for label, pattern in (row.split("=", 1) for row in rows)]
            folder = page.parent / "applications"
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.svg").write_text(bars(title, found))
        if skipping:
            out.append("")
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(out) + "\n")
    page.write_text(text)


if __name__ == "__main__":
    main()
