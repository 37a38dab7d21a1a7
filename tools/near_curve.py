#!/usr/bin/env python3
"""near_curve.py HORTUS [FILE]: the picture of docs/near.md, docs/near-curve.svg: the probability that a key is accepted against
its distance from the nearest member, as planned (lines) and as measured with the command (dots).

With FILE it is written there, without it is compared with docs/near-curve.svg: status 1 if they differ.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

# Near, far, colour on white, colour on black.
PLANS = [(0.02, 0.2, "#116329", "#7ee787"), (0.05, 0.4, "#0a5fc2", "#58a6ff"), (0.1, 0.5, "#c2255c", "#ff7b9c")]
ITEMS, BITS, ASKED = 1000, 256, 500
LEFT, RIGHT, TOP, BOTTOM = 64, 600, 40, 320


def run(hortus, *words, lines=None):
    text = None if lines is None else "".join(f"{x:0{BITS // 4}x}\n" for x in lines)
    return subprocess.run([hortus, *map(str, words)], input=text, capture_output=True, text=True, check=False).stdout


def settings(near, far):
    return "--set", "metric=hamming", "--set", f"near={near}", "--set", f"far={far}"


def flipped(x, flips):
    for bit in random.sample(range(BITS), flips):
        x ^= 1 << bit
    return x


def measured(hortus, near, far, scratch):
    """Pairs of a distance and the share of keys at that distance from a member that are accepted."""
    members = [random.getrandbits(BITS) for _ in range(ITEMS)]
    run(hortus, "build", "distance_sensitive", "-o", scratch / "filter", "-n", ITEMS, *settings(near, far), lines=members)
    points = []
    for flips in range(0, 129, 8):
        asked = [flipped(random.choice(members), flips) for _ in range(ASKED)]
        points.append((flips / BITS, int(run(hortus, "query", scratch / "filter", "-c", lines=asked)) / ASKED))
    return points


def x_of(distance):
    return LEFT + (RIGHT - LEFT) * distance / 0.5


def y_of(chance):
    return BOTTOM - (BOTTOM - TOP) * chance


def picture(hortus):
    random.seed(2006)
    shapes, labels, styles = [], [], []
    for tick in range(6):
        x, y = x_of(tick / 10), y_of(tick / 5)
        shapes.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>')
        labels.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{20 * tick} %</text>')
        labels.append(f'<text x="{x:.1f}" y="{BOTTOM + 18}" text-anchor="middle">{tick / 10:g}</text>')
    with tempfile.TemporaryDirectory() as folder:
        for i, (near, far, light, dark) in enumerate(PLANS):
            plan = json.loads(run(hortus, "plan", "-n", ITEMS, *settings(near, far), "--json"))
            line = " ".join(f"{x_of(p['distance']):.1f},{y_of(p['accepted']):.1f}" for p in plan["answers"] if p["distance"] <= 0.5)
            shapes.append(f'<polyline class="line c{i}" points="{line}"/>')
            shapes += [f'<circle class="dot c{i}" cx="{x_of(d):.1f}" cy="{y_of(share):.1f}" r="3.2"/>'
                       for d, share in measured(hortus, near, far, pathlib.Path(folder))]
            labels.append(f'<text class="name c{i}" x="{RIGHT - 200}" y="{TOP + 20 + 20 * i}">near {near:g}, far {far:g}: '
                          f'{plan["bits_per_item"]:.0f} bits</text>')
            styles.append((f".c{i}{{stroke:{light}}}.name.c{i}{{fill:{light};stroke:none}}.dot.c{i}{{fill:{light}}}",
                           f".c{i}{{stroke:{dark}}}.name.c{i}{{fill:{dark};stroke:none}}.dot.c{i}{{fill:{dark}}}"))
    light = "".join(style[0] for style in styles)
    dark = "".join(style[1] for style in styles)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 372" role="img" aria-label="Share of keys that are accepted against their distance from a member, planned and measured, for three pairs of near and far">
<style>text{{font:12px sans-serif;fill:#333}}.grid{{stroke:#ccc;fill:none}}.line{{fill:none;stroke-width:1.8}}{light}
@media(prefers-color-scheme:dark){{text{{fill:#ccc}}.grid{{stroke:#444}}{dark}}}</style>
<text x="{LEFT}" y="22">accepted as near, of keys at this distance from one of {ITEMS} members; dots are measured</text>
{chr(10).join(shapes + labels)}
<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 40}" text-anchor="middle">Hamming distance, as a share of {BITS} bits</text>
</svg>
"""


def main():
    made = picture(sys.argv[1])
    page = pathlib.Path(__file__).parent.parent / "docs" / "near-curve.svg"
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text(made)
        return 0
    if made == page.read_text():
        return 0
    print(f"{page} is not what the command answers: run tools/near_curve.py HORTUS {page}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
