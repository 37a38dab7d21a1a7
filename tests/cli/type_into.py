#!/usr/bin/env python3
"""type_into.py KEYS SHELL...: starts an interactive shell in a terminal of its own, types KEYS (a TAB completes) and a newline
when it has printed its prompt "READY> ", and prints the line after "GOT" that the shell answers."""
import os
import pty
import re
import select
import sys
import time

LIMIT = 60  # seconds; for a machine that has much else to do

keys, shell = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execvpe(shell[0], shell, {**os.environ, "TERM": "dumb"})

seen = ""
end = time.monotonic() + LIMIT


def read_until(pattern, start):
    global seen
    while True:
        found = re.search(pattern, seen[start:])
        if found:
            return found
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            sys.exit(f"no {pattern!r} within {LIMIT} s; on the screen: {seen!r}")
        try:
            seen += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            sys.exit(f"the shell ended; on the screen: {seen!r}")


read_until("READY> ", 0)
# One piece of the line at a time, as a person types: a shell may drop what comes while it completes.
for piece in re.findall(r"[^\t]+|\t", keys):
    before = len(seen)
    os.write(terminal, piece.encode())
    if piece != "\t":
        read_until(re.escape(piece[-1]), before)
    else:
        time.sleep(0.2)
before = len(seen)
os.write(terminal, b"\n")
print(read_until(r"GOT([^\r\n]*)\r?\n", before).group(1))
os.close(terminal)
os.waitpid(child, 0)
