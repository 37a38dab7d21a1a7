#!/usr/bin/env python3
"""The commands of golden/replies-8.10.jsonl, in their order, are answered with the bytes that RedisBloom 8.10 answered with, in
RESP2 and in RESP3, but for how the server writes numbers with a fraction. golden/differences.json names the deliberate
exceptions. Each entry is an index from 0 and
  ours         our reply; ours3 where RESP3 has another; matches in place of ours: a regular expression
  recorded_on  compare only on such servers, because the server has a part in the reply
  always       differs even with the setting redisbloom-faults, which undoes the others
  why          for docs/redis.md"""

import json
import re

import harness
from server import Server, configure, info

GOLDEN = harness.ROOT / "tests" / "redis" / "golden"


def recorded():
    with open(GOLDEN / "replies-8.10.jsonl") as file:
        return [json.loads(line) for line in file]


def differences():
    with open(GOLDEN / "differences.json") as file:
        return {entry["index"]: entry for entry in json.load(file)}


def with_plain_numbers(reply):
    """The server writes numbers with a fraction, and not each one alike: 0.90000000000000002 and 0.9 are one number."""
    return re.sub(r"(,|\$\d+\r\n)([0-9.e+-]+)\r\n", lambda found: f"{found[1][0]}{float(found[2])!r}\r\n", reply)


def replay(folder, resp, deliberate, faults="no"):
    """Fails with all replies that are neither RedisBloom's nor deliberate, and all that are listed without need."""
    wrong = []
    with Server(folder) as server:
        version = info(server, "server")["redis_version"]
        configure(server, "redisbloom-faults", faults)
        connection = server.connect(resp)
        for index, entry in enumerate(recorded()):
            theirs = entry["resp2"] if resp == 2 else entry.get("resp3", entry["resp2"])
            got = connection.raw(*entry["cmd"]).decode("latin-1")
            if re.search("^,", entry.get("resp3", ""), re.MULTILINE):
                theirs, got = with_plain_numbers(theirs), with_plain_numbers(got)
            listed = deliberate.get(index, {})
            if "recorded_on" in listed and not version.startswith(listed["recorded_on"]):
                continue
            if listed:
                ours = listed.get("ours", "") if resp == 2 else listed.get("ours3", listed.get("ours", ""))
                right = re.fullmatch(listed["matches"], got, re.DOTALL) if "matches" in listed else got == ours
                if got == theirs:
                    wrong.append(f"{index}: {entry['cmd']}\n  is listed as a difference, and is none: {got!r}")
            else:
                ours, right = theirs, got == theirs
            if not right:
                wrong.append(f"{index}: {entry['cmd']}\n  expected {ours!r}\n  got      {got!r}")
    assert not wrong, f"{len(wrong)} of {len(recorded())} replies in RESP{resp}:\n" + "\n".join(wrong)


def test_in_resp2(folder):
    replay(folder, 2, differences())


def test_in_resp3(folder):
    replay(folder, 3, differences())


def only_always():
    return {index: entry for index, entry in differences().items() if entry.get("always")}


def test_with_the_faults_of_redisbloom_in_resp2(folder):
    replay(folder, 2, only_always(), faults="yes")


def test_with_the_faults_of_redisbloom_in_resp3(folder):
    replay(folder, 3, only_always(), faults="yes")


def test_the_table_of_differences_is_complete(folder):
    """Every entry says why, says its reply in one way, and is on the page."""
    page = (harness.ROOT / "docs" / "redis.md").read_text()
    for index, entry in differences().items():
        assert ("ours" in entry) != ("matches" in entry), f"{index}: either ours or matches"
        assert entry["why"], f"{index}: no reason"
        command = recorded()[index]["cmd"][0]
        assert command in page, f"docs/redis.md does not mention {command}, which differs: {entry['why']}"


harness.main()
