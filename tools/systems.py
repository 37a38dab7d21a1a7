#!/usr/bin/env python3
"""systems.py: prints tools/systems.txt, the systems that hortus is tested on, as the table that pages show."""
import pathlib


def row(name, suite, compiler, *servers):
    system = name.replace("-", " ").capitalize()
    if not name.endswith(suite):
        system += f" ({suite})"
    return f"| {system} | {compiler} | {', '.join(servers)} |".replace("=", " ")


print("| system | compiler | servers |", "|---|---|---|", sep="\n")
for line in pathlib.Path(__file__).with_name("systems.txt").read_text(encoding="utf-8").splitlines():
    if line.strip() and not line.startswith("#"):
        print(row(*line.split()))
