#!/usr/bin/env python3
"""bits_a_key.py HORTUS [FILE]: the picture of the README, docs/bits-a-key.svg: planned bits a key against the rate.

With FILE it is written there, without it is compared with docs/bits-a-key.svg: status 1 if they differ.
"""
import json
import math
import pathlib
import subprocess
import sys

# Name, colour on white, colour on black. Families of one kind have colours of one kind: built at once, insert only, erase.
FAMILIES = [
    ("ribbon", "#116329", "#7ee787"),
    ("binary_fuse", "#1a7f37", "#56d364"),
    ("golomb_set", "#4d7c0f", "#a3d977"),
    ("bloom", "#0a5fc2", "#58a6ff"),
    ("blocked", "#5e4db2", "#a79bf0"),
    ("cuckoo", "#c2255c", "#ff7b9c"),
    ("quotient", "#bc4c00", "#ff9e64"),
    ("d_left", "#9a6700", "#e3b341"),
]
DASHED = {"binary_fuse": "8 3", "golomb_set": "2 3", "blocked": "8 3", "quotient": "8 3"}
LEFT, RIGHT, TOP, BOTTOM = 64, 600, 56, 346
RATES = [10 ** -(1 + i / 8) for i in range(25)]


def planned(hortus):
    """Bits a key of each family at each rate."""
    bits = {name: [] for name, _, _ in FAMILIES}
    for rate in RATES:
        answer = subprocess.run([hortus, "plan", "-n", "1M", "-p", repr(rate), "--json"], check=True, capture_output=True)
        found = {c["family"]: c["bits_per_item"] for c in json.loads(answer.stdout)["candidates"]}
        for name in bits:
            bits[name].append(found[name])
    return bits


def x_of(rate):
    return LEFT + (RIGHT - LEFT) * (-math.log10(rate) - 1) / 3


def y_of(bits, most=29):
    return BOTTOM - (BOTTOM - TOP) * bits / most


def spread(places, apart=15):
    """The same places in ascending order, moved so that no two are nearer than `apart`."""
    places = sorted(places, key=lambda p: p[0])
    groups = []
    for y, name in places:
        groups.append([[y, name]])
        while len(groups) > 1 and middle(groups[-1]) - middle(groups[-2]) < apart * (len(groups[-1]) + len(groups[-2])) / 2:
            groups[-2:] = [groups[-2] + groups[-1]]
    return [(middle(g) + apart * (i - (len(g) - 1) / 2), name) for g in groups for i, (_, name) in enumerate(g)]


def middle(group):
    return sum(y for y, _ in group) / len(group)


def picture(bits):
    at_one_percent = {name: values[8] for name, values in bits.items()}
    told = ", ".join(f"{name} {at_one_percent[name]:.1f}" for name, _, _ in FAMILIES)
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 400" width="720" height="400" role="img"'
        ' aria-labelledby="title desc">',
        '<title id="title">Bits a key against false-positive rate</title>',
        f'<desc id="desc">Planned size of {len(FAMILIES)} filters for one million keys, from a rate of 10 % to 0.01 %. Bits'
        f" a key at 1 %: the limit is {-math.log2(0.01):.1f}, {told}. Values: hortus plan -n 1M -p RATE --json.</desc>",
        "<style>",
        ".paper { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e } .grid { stroke: #d1d9e0; stroke-width: 1 }",
        "text { font: 13px system-ui, sans-serif; fill: currentColor } .head { font-size: 15px; font-weight: 600 }",
        "path { fill: none; stroke: currentColor; stroke-width: 2.2; stroke-linejoin: round }",
        ".limit { color: #59636e } path.limit { stroke-dasharray: 6 5; stroke-width: 1.5 }",
        " ".join(f"path.{name} {{ stroke-dasharray: {dashes} }}" for name, dashes in DASHED.items()),
        " ".join(f".{name} {{ color: {light} }}" for name, light, _ in FAMILIES),
        "@media (prefers-color-scheme: dark) {",
        ".paper { fill: #0d1117 } .ink { fill: #f0f6fc } .soft { fill: #9198a1 } .grid { stroke: #3d444d }",
        ".limit { color: #9198a1 } " + " ".join(f".{name} {{ color: {dark} }}" for name, _, dark in FAMILIES),
        "}",
        "</style>",
        '<rect class="paper" width="720" height="400" rx="6"/>',
        '<text class="ink head" x="20" y="28">Bits a key, for one million keys</text>',
    ]
    for value in (0, 4, 8, 12, 16, 20, 24, 28):
        y = y_of(value)
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text class="soft" x="56" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
    for rate, text in ((0.1, "10 %"), (0.01, "1 %"), (0.001, "0.1 %"), (0.0001, "0.01 %")):
        x = x_of(rate)
        lines.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{BOTTOM}"/>'
                     f'<text class="soft" x="{x:.1f}" y="364" text-anchor="middle">{text}</text>')
    lines.append('<text class="soft" x="332" y="384" text-anchor="middle">false-positive rate</text>')
    curves = {"limit": [-math.log2(rate) for rate in RATES], **bits}
    for name, values in curves.items():
        points = " ".join(f"{x_of(rate):.1f},{y_of(value):.1f}" for rate, value in zip(RATES, values))
        lines.append(f'<path class="{name}" d="M{points}"/>')
    for y, name in spread([(y_of(values[-1]), name) for name, values in curves.items()]):
        text = "log2(1 / rate)" if name == "limit" else name
        lines.append(f'<text class="{name}" x="608" y="{y + 4:.1f}">{text}</text>')
    return "\n".join(lines + ["</svg>", ""])


def main():
    made = picture(planned(sys.argv[1]))
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text(made, encoding="utf-8")
        return 0
    page = pathlib.Path(__file__).parent.parent / "docs" / "bits-a-key.svg"
    if page.read_text(encoding="utf-8") == made:
        return 0
    print(f"{page}: not what hortus plan says; {sys.argv[0]} {sys.argv[1]} {page} writes it anew", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
