#!/usr/bin/env python3
"""snippets_compiled.py PAGE SOURCE: every C++ snippet of PAGE stands in SOURCE, line for line but for indentation."""
import re
import sys

page, source = (open(name, encoding="utf-8").read() for name in sys.argv[1:3])


def lines(text):
    return "\n".join(line.strip() for line in text.strip().splitlines())


snippets = re.findall(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
if not snippets:
    sys.exit(f"{sys.argv[1]}: no snippets")
wrong = [snippet for snippet in snippets if lines(snippet) not in lines(source)]
for snippet in wrong:
    print(f"{sys.argv[1]}: not in {sys.argv[2]}:\n{snippet}")
sys.exit(1 if wrong else 0)
