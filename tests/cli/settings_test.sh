#!/usr/bin/env bash
# hortus list FAMILY, --settings and --markdown: what they say of a family is true of it.
set -euo pipefail
. "$(dirname "$0")/check.sh"
widest() { awk '{print length}' "$1" | sort -n | tail -1; }

section "every setting has a meaning, a default, values that are the ones accepted, and an example"
hortus list --json >list.json
cat >settings.py <<'EOP'
import json, os, re, subprocess, sys

ITEMS = 640
def accepted(family, name, value):
    also = ["--set", "metric=jaccard"] if name == "gram" else []
    ran = subprocess.run([os.environ["HORTUS"], "build", family, "-o", "f", "-n", str(ITEMS), "--set", f"{name}={value}", *also, "/dev/null"],
                         capture_output=True, text=True)
    assert ran.returncode in (0, 2), ran
    return ran.returncode == 0

def number(text):
    text = text.replace("2^64 - 1", str(2**64 - 1)).replace("items / 64", str(ITEMS // 64))
    return float(text) if "." in text else int(text)

def beside(values):
    """Values that the text allows, and some that it does not."""
    number_of = r"(2\^64 - 1|items / 64|[\d.]+)"
    if m := re.fullmatch(number_of, values):
        n = number(m[1])
        return [n], [n - 1, n + 1]
    if m := re.fullmatch(f"{number_of} or {number_of}", values):
        a, b = number(m[1]), number(m[2])
        return [a, b], [b + 1, -1]
    if m := re.fullmatch(f"{number_of} to {number_of}(, even)?(?: in each place)?", values):
        a, b = number(m[1]), number(m[2])
        step = 0.001 if isinstance(b, float) else 1
        return [a, b], [a - step if a > 1 else -1, b + step] + ([a + 1] if m[3] else [])
    if m := re.fullmatch(f"above {number_of}, below {number_of}", values):
        a, b = number(m[1]), number(m[2])
        return [(a + b) / 2, a + 0.01, b - 0.01], [b, -0.1, "nan"]
    if m := re.fullmatch(f"more than {number_of}", values):
        return [number(m[1]) + 1], [number(m[1])]
    if m := re.fullmatch(r"up to ([\d.]+)", values):  # which of them work depends on the rest of the goal
        return [], [number(m[1]) + 1, -1]
    if values == "0 or more, below far":
        return [0, 0.01], [0.4, -0.1, "nan"]
    if values == "above near, at most 1":
        return [0.5, 1], [0.02, 1.1, "nan"]
    if m := re.fullmatch(r"(\w+), (\w+) or (\w+)", values):
        return list(m.groups()), ["some", 1]
    sys.exit(f"what does '{values}' allow?")

for family in json.load(open("list.json")):
    for s in family["settings"]:
        what = family["family"], s["name"]
        assert all(type(s[x]) is str and s[x] for x in ("name", "values", "meaning", "example")), what
        unset = s["default"] is None  # then 0 is no value
        assert unset or type(s["default"]) in (int, float), what
        good, bad = beside(s["values"])
        some = good + [s["example"]] * (what != ("dynamic", "layer_items")) + [s["default"]] * (not unset)
        for value in some:
            assert accepted(*what, value), (what, value, "is one of", s["values"])
        for value in bad + [0] * unset:
            assert not accepted(*what, value), (what, value, "is none of", s["values"])
    # The program names the same when a wrong one is given.
    ran = subprocess.run([os.environ["HORTUS"], "build", family["family"], "-o", "f", "--set", "no=1", "/dev/null"],
                         capture_output=True, text=True)
    assert ran.stderr.rstrip().endswith("this family has: " + (", ".join(s["name"] for s in family["settings"]) or "none")), ran.stderr
EOP
python3 settings.py || fail "a setting is not as the list says, see above"

section "a family's card, and its example works"
seq 100 >keys.txt
seq 100 | sed 's/.*/&\t&/' >pairs.tsv
for family in $(python3 -c 'import json; print(*(f["family"] for f in json.load(open("list.json"))))'); do
  run 0 hortus list $family
  cp "$out" card
  [ "$(widest card)" -le 100 ] || fail "a line is wider than 100 columns" "$(cat card)"
  printed_line "family    $family"
  hortus list $family --json >one.json
  json "d['family'] == '$family' and d == next(f for f in json.load(open('list.json')) if f['family'] == '$family')" one.json
  python3 - <<'EOP' || fail "the card should have what the JSON has" "$(cat card)"
import json, re
card, d = re.sub(r"\s+", " ", open("card").read()), json.load(open("one.json"))
space = "of the stream" if "top" in d["verbs"] else "for any keys" if d["bits_per_item"] is None else f'{d["bits_per_item"]:.1f} bits a key'
for text in [d["summary"], " ".join(d["verbs"]), d["example"], space]:
    assert text in card, text
for s in d["settings"]:
    assert f'{s["name"]}: {s["values"]}; {"not set" if s["default"] is None else format(s["default"], "g")} by default {s["meaning"]}' in card, s
assert d["settings"] or "settings none" in card
EOP
  example=$(python3 -c 'import json; print(json.load(open("one.json"))["example"])')
  [[ $example == "hortus build $family "* ]] || fail "an example of another family: $example"
  run 0 bash -c "PATH=$(dirname "$HORTUS"):\$PATH; $example"
  run 0 hortus verify keys.hortus
done

section "all settings in one list"
run 0 hortus list --settings
cp "$out" all
[ "$(widest all)" -le 100 ] || fail "a line is wider than 100 columns" "$(cat all)"
run 0 hortus list --settings --markdown
cp "$out" table
for name in $(python3 -c 'import json; print(*{s["name"] for f in json.load(open("list.json")) for s in f["settings"]})'); do
  grep -q "^$name  *" all || fail "$name is not in the list" "$(cat all)"
  grep -q "^| \`$name\` | \`" table || fail "$name is not in the table" "$(cat table)"
done

section "the table of families"
run 0 hortus list --markdown
equal "a row each, a header and a line below it" "$(python3 -c 'import json; print(2 + len(json.load(open("list.json"))))')" "$(wc -l <"$out")"
equal "columns in every row" 1 "$(tr -dc '|\n' <"$out" | sort -u | wc -l)"
grep -q '^| `bitwise` .*| by chance |$' "$out" || fail "bitwise may count a member 0 by chance" "$(cat "$out")"
grep -q '^| `space_saving` .* top, count, never too low | .* KiB in all | .* never |$' "$out" || fail "the most frequent keys" "$(cat "$out")"
grep -q '^| `counting` .*| yes | yes | yes | after wrong erases |$' "$out" || fail "counting erases" "$(cat "$out")"

section "what does not go together is refused"
refused "there is no family 'blom'; did you mean bloom\? there are: bloom" hortus list blom
refused 'about all families, not one' hortus list bloom --markdown
refused 'about all families, not one' hortus list bloom --settings
refused 'json has everything' hortus list --json --markdown
refused 'not expected: partitioned' hortus list bloom partitioned
