#!/usr/bin/env python3
"""growth.py [HORTUS | --draw]: how cost grows with the number of keys: docs/growth.svg, and the table of docs/performance.md.

With HORTUS it is measured anew, which takes ten minutes and 24 GB, and written to docs/growth.json; picture and table are then
made of that. With --draw they are made of what is there. Without, they are compared with it: status 1 if they differ.
"""
import json
import math
import pathlib
import subprocess
import sys

DOCS = pathlib.Path(__file__).parent.parent / "docs"
BEGIN, END = "<!-- growth.py writes this table -->\n", "<!-- end of the table -->\n"
# Room, name, colour on white, colour on black.
FAMILIES = [
    ("bloom", "blocked", "#0a5fc2", "#58a6ff"),
    ("counting", "blocked_counting", "#5e4db2", "#a79bf0"),
    ("fingerprint", "cuckoo", "#c2255c", "#ff7b9c"),
    ("frozen", "ribbon", "#116329", "#7ee787"),
    ("map", "perfect_hash_map", "#bc4c00", "#ff9e64"),
    ("aging", "active_active", "#9a6700", "#e3b341"),
    ("growing", "scalable", "#0b7285", "#66d9e8"),
    ("sketch", "hyperloglog", "#59636e", "#9198a1"),
]
SIZES = [10**n for n in range(3, 10)]
TOO_LARGE = [("ribbon", 10**9), ("perfect_hash_map", 10**9)]  # all digests are sorted in memory, beside the keys
KEPT = ["family", "items", "bits_per_item", "peak_bits_per_item", "build_ns", "miss_ns", "batch_miss_ns", "limit_ns", "single_limit_ns",
        "batch_ratio", "single_ratio", "fpr_measured", "huge_pages"]
PANELS = [("batch_miss_ns", "Batch lookup of an absent key, ns"), ("build_ns", "Build, ns a key")]
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 720, 56, 590, 44, 244


def measure(hortus):
    """A process for each row: a filter of 10^9 keys needs all memory."""
    rows = []
    for size in SIZES:
        for _, family, _, _ in FAMILIES:
            if (family, size) in TOO_LARGE:
                continue
            words = [hortus, "bench", "--families", family, "-n", str(size), "--lookups-only", "--repetitions", "5", "--json"]
            answer = subprocess.run(words, check=True, capture_output=True).stdout
            rows.append({name: json.loads(answer)[0][name] for name in KEPT})
            print(size, family, "done", file=sys.stderr)
    lines = ",\n".join(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}) for row in rows)
    (DOCS / "growth.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def values(rows, family, name):
    return {row["items"]: row[name] for row in rows if row["family"] == family and row[name] is not None}


def digits(value):
    return "" if value is None else f"{value:.0f}" if value >= 20 else f"{value:.1f}"


def table(rows):
    """For each family the times, and the most memory while building, at every size."""
    heads = [f"10^{round(math.log10(size))}" for size in SIZES]
    lines = ["| family | bits a key | | " + " | ".join(heads) + " |", "|---|---|---|" + "---|" * len(SIZES)]
    limits = values(rows, FAMILIES[0][1], "limit_ns")
    lines.append("| one prefetched cache line (b) | | ns | " + " | ".join(digits(limits.get(size)) for size in SIZES) + " |")
    for _, family, _, _ in FAMILIES:
        bits = values(rows, family, "bits_per_item")
        ranks = [("batch_miss_ns", "batch lookup"), ("miss_ns", "single lookup"), ("build_ns", "build"), ("peak_bits_per_item", "build memory")]
        name = f"| `{family}` | {digits(bits[10**6])} |"
        for value, words in ranks:
            found = values(rows, family, value)
            if found:
                lines.append(f"{name} {words} | " + " | ".join(digits(found.get(size)) for size in SIZES) + " |")
                name = "| | |"
    return "\n".join(lines) + "\n"


def spread(places, apart=14):
    """The same places from top to bottom, moved down so that no two are nearer than `apart`."""
    moved = []
    for y, name in sorted(places):
        moved.append((max(y, moved[-1][0] + apart) if moved else y, name))
    return moved


def panel(rows, name, title, down):
    most = max(row[name] for row in rows if row[name] is not None)
    top = 1.2 * most

    def x_of(size):
        return LEFT + (RIGHT - LEFT) * (math.log10(size) - 3) / 6

    def y_of(value):
        return down + BOTTOM - (BOTTOM - TOP) * math.log(value) / math.log(top)

    lines = [f'<text class="ink head" x="20" y="{down + 26}">{title}</text>']
    for value in (1, 3, 10, 30, 100, 300):
        if value < top:
            y = y_of(value)
            lines.append(f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                         f'<text class="soft" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
    for power in range(3, 10):
        x = x_of(10**power)
        lines.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{down + TOP}" y2="{down + BOTTOM}"/>'
                     f'<text class="soft" x="{x:.1f}" y="{down + BOTTOM + 18}" text-anchor="middle">10'
                     f'<tspan dy="-5" font-size="9">{power}</tspan></text>')
    curves = {family: values(rows, family, name) for _, family, _, _ in FAMILIES}
    if name == "batch_miss_ns":
        curves["limit"] = values(rows, FAMILIES[0][1], "limit_ns")
    ends = []
    for family, points in curves.items():
        if points:
            path = " ".join(f"{x_of(size):.1f},{y_of(value):.1f}" for size, value in sorted(points.items()))
            lines.append(f'<path class="{family}" d="M{path}"/>')
            ends.append((y_of(points[max(points)]), family))
    for y, family in spread(ends):
        text = "one cache line" if family == "limit" else family
        lines.append(f'<text class="{family}" x="{RIGHT + 8}" y="{y + 4:.1f}">{text}</text>')
    return lines


def picture(rows):
    height = 290 * len(PANELS) + 20
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img"'
        ' aria-labelledby="title desc">',
        '<title id="title">How cost grows with the number of keys</title>',
        '<desc id="desc">Time of a batch lookup and of a build, a key, from a thousand to 10^9 keys, for one family of each room.'
        " The values are in the table of docs/performance.md.</desc>",
        "<style>",
        ".paper { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e } .grid { stroke: #d1d9e0; stroke-width: 1 }",
        "text { font: 13px system-ui, sans-serif; fill: currentColor } .head { font-size: 15px; font-weight: 600 }",
        "path { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linejoin: round }",
        ".limit { color: #59636e } path.limit { stroke-dasharray: 6 5; stroke-width: 1.5 }",
        " ".join(f".{name} {{ color: {light} }}" for _, name, light, _ in FAMILIES),
        "@media (prefers-color-scheme: dark) {",
        ".paper { fill: #0d1117 } .ink { fill: #f0f6fc } .soft { fill: #9198a1 } .grid { stroke: #3d444d }",
        ".limit { color: #9198a1 } " + " ".join(f".{name} {{ color: {dark} }}" for _, name, _, dark in FAMILIES),
        "}",
        "</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}" rx="6"/>',
    ]
    for i, (name, title) in enumerate(PANELS):
        lines += panel(rows, name, title, 290 * i)
    lines.append(f'<text class="soft" x="{(LEFT + RIGHT) / 2}" y="{height - 8}" text-anchor="middle">keys</text>')
    return "\n".join(lines + ["</svg>", ""])


def main():
    if len(sys.argv) > 1 and sys.argv[1] != "--draw":
        measure(sys.argv[1])
    rows = json.loads((DOCS / "growth.json").read_text(encoding="utf-8"))
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    made = {"growth.svg": picture(rows), "performance.md": before + BEGIN + table(rows) + END + rest.split(END)[1]}
    wrong = [name for name, text in made.items() if not (DOCS / name).exists() or (DOCS / name).read_text(encoding="utf-8") != text]
    if len(sys.argv) > 1:
        for name in wrong:
            (DOCS / name).write_text(made[name], encoding="utf-8")
        return 0
    for name in wrong:
        print(f"docs/{name}: not what docs/growth.json says; tools/growth.py --draw writes it anew", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
