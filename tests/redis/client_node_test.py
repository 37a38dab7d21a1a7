#!/usr/bin/env python3
"""The client of Node.js (npm's redis and @redis/bloom), in RESP2 and RESP3: client_node.mjs says what it does."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import harness
from server import Server

def packages():
    """The newest that this Node.js can run."""
    node = int(subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout[1:].split(".")[0])
    major = 6 if node >= 20 else 5
    return f"redis@{major}", f"@redis/bloom@{major}"


def installed():
    """The folder with the packages. It stays in the build tree, beside the tests' own folders."""
    if not shutil.which("npm") or not shutil.which("node"):
        raise harness.Skipped("no npm and Node.js here")
    folder = pathlib.Path(os.environ.get("HORTUS_REDIS_SCRATCH", harness.ROOT / "build" / "redis-test")).parent / "redis-npm"
    if not (folder / "node_modules").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = tempfile.mkdtemp(dir=folder.parent)
        command = ["npm", "install", "--prefix", fresh, "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error", *packages()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            shutil.rmtree(fresh)
            raise harness.Skipped(f"npm could not install {' and '.join(packages())}: {done.stderr.strip()[:300]}")
        if folder.exists():  # another test was quicker
            shutil.rmtree(fresh)
        else:
            os.rename(fresh, folder)
    return folder


def run(folder, resp):
    beside = installed()
    with Server(folder) as server:
        # Modules are looked for beside the script.
        script = shutil.copy(harness.ROOT / "tests" / "redis" / "client_node.mjs", beside)
        done = subprocess.run(["node", script, str(server.port), str(resp)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr


def test_resp2(folder):
    run(folder, 2)


def test_resp3(folder):
    run(folder, 3)


harness.main()
