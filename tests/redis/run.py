#!/usr/bin/env python3
"""run.py MODULE SCRATCH JOBS [NAME...]: runs the tests of this folder, or NAME_test.py of each name, several at a time, with the
module, in folders below SCRATCH. Ends with the line "N passed, M failed"; status 1 if one failed, 77 if all were skipped."""

import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent


def python():
    """A Python that has redis-py. Debian's package is for Debian's Python, which need not be the first in the path."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([candidate, "-c", "from redis import Redis"], capture_output=True).returncode == 0:
            return candidate
    return sys.executable


def main():
    module, scratch, jobs, *names = sys.argv[1:]
    environment = dict(os.environ, HORTUS_REDIS_MODULE=os.path.abspath(module), HORTUS_REDIS_SCRATCH=os.path.abspath(scratch))
    files = [HERE / f"{name}_test.py" for name in names] or sorted(HERE.glob("*_test.py"))
    interpreter = python()
    running, stopping = set(), threading.Event()
    begin = time.monotonic()

    def run(file):
        if stopping.is_set():
            return file, 0, ""
        process = subprocess.Popen([interpreter, file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        running.add(process)
        output = process.communicate()[0]
        running.discard(process)
        return file, process.returncode, output

    def stop(*_):
        stopping.set()
        # A test that ends takes its servers along.
        for process in list(running):
            process.terminate()
        sys.exit(130)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    passed = failed = 0
    # The slowest first, so that none of them starts last.
    files.sort(key=lambda file: -file.stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run, file) for file in files]):
            file, status, output = done.result()
            print(output, end="", flush=True)
            passed += len(re.findall(r"^passed ", output, re.MULTILINE))
            failures = len(re.findall(r"^FAILED ", output, re.MULTILINE))
            if status not in (0, 77) and failures == 0:
                print(f"FAILED {file.name}: ended with status {status}")
                failures = 1
            failed += failures
    print(f"in {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0 if passed else 77)


if __name__ == "__main__":
    main()
