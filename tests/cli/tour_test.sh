#!/usr/bin/env bash
# hortus tour: the comparison for people and for programs, and the page; speed itself is for people to look at.
set -euo pipefail
. "$(dirname "$0")/check.sh"
seq 3000 >keys

section "the comparison as JSON"
hortus tour --json -o page.html keys >tour.json
hortus list --json >list.json
json '[r["family"] for r in d] == [f["family"] for f in json.load(open("list.json")) if {"may_contain", "count", "estimate"} & set(f["verbs"])]' \
  'all({"items", "keys_refused", "bits_per_item", "fpr_target", "fpr_measured", "hit_ns", "miss_ns", "past_the_plan", "verbs"} <= set(r) for r in d)' \
  'all(r["items"] == 3000 and r["keys_refused"] == 0 for r in d)' \
  'all((r["past_the_plan"] is not None) == ("insert" in r["verbs"] and bool({"may_contain", "count"} & set(r["verbs"])) and "top" not in r["verbs"]) for r in d)' \
  tour.json

section "how cost grows, for one family of each room"
json '(sorted(f["room"] for f in json.load(open("list.json")) for r in d if r["family"] == f["family"] and r["cost_growth"]) ==
  sorted({f["room"] for f in json.load(open("list.json"))} - {"near"}))' \
  'all([g["items"] for g in r["cost_growth"]] == [1000, 10000, 100000] for r in d if r["cost_growth"])' \
  'all(g["build_ns"] > 0 and g["bits_per_item"] > 0 and g["insert_ns"] is None and g["keys_refused"] == 0 for r in d for g in r["cost_growth"] or [])' \
  'all(g["batch_miss_ns"] > 0 and g["limit_ns"] > 0 for r in d if "may_contain" in r["verbs"] for g in r["cost_growth"] or [])' \
  tour.json

section "keys that do not fit are counted, and only where a family can be full"
json 'all(r["past_the_plan"]["items_planned"] == 1500 and r["past_the_plan"]["keys_given"] == 3000 for r in d if r["past_the_plan"])' \
  '([r["family"] for r in d if r["past_the_plan"] and r["past_the_plan"]["keys_refused"] > 0] ==
  [f["family"] for f in json.load(open("list.json")) if f["can_be_full"]])' \
  'all(0 < r["past_the_plan"]["keys_not_found"] <= r["past_the_plan"]["keys_refused"] for r in d
  if r["past_the_plan"] and r["past_the_plan"]["keys_refused"] > 0)' \
  'all(r["past_the_plan"]["keys_not_found"] == 0 for r in d for f in json.load(open("list.json"))
  if r["past_the_plan"] and f["family"] == r["family"] and f["false_negatives"] == "never" and not f["can_be_full"])' \
  'all((r["past_the_plan"]["growth"] > 1.2) == (r["family"] in ("scalable", "dynamic")) for r in d
  if r["family"] in ("bloom", "blocked", "counting", "d_left", "stable", "scalable", "dynamic", "count_min"))' \
  tour.json
refused_keys=$(python3 -c '
import json
print(*(r["past_the_plan"]["keys_refused"] for r in json.load(open("tour.json")) if r["family"] == "d_left"))')

section "the same for people"
run 0 hortus tour -o page.html keys
[ ! -s "$err" ] || fail "nothing to say" "$(cat "$err")"
printed_line "d_left +$(sed ':a;s/\B[0-9]\{3\}\>/ &/;ta' <<<"$refused_keys") .* refuses"
printed_line 'bloom +- +- .* takes all'
printed_line 'stable +- .* forgets'
printed_line 'dynamic +- .* grows'
printed_line 'family +1000 +10 k +100 k'
printed_line 'blocked( +[0-9.]+){3}'
printed_line 'The charts are in page.html'

section "in as many columns as there are"
for columns in 80 100; do
  COLUMNS=$columns hortus tour -o page.html keys >"$out"
  width=$(wc -L <"$out")
  [ "$width" -le $columns ] || fail "$width columns in a terminal of $columns" "$(cat "$out")"
  printed_line 'bloom .*'
done

section "the page"
grep -q "d_left refused $(sed ':a;s/\B[0-9]\{3\}\>/ &/;ta' <<<"$refused_keys") of 3 000 keys" page.html || fail "the page should tell the refused keys"
grep -q 'How cost grows' page.html && grep -q 'Memory while building' page.html || fail "the page should show how cost grows"
grep -q 'Is the key near a member?' page.html || fail "the page should show what is near"
! grep -Eqi 'planted|nothing is lost' page.html || fail "words that are wrong or that nobody knows"
python3 - <<'EOF2' || fail "every chart has a title and a description, and the page is well-formed"
import html.parser
class page(html.parser.HTMLParser):
    void = {"meta"}
    def __init__(self):
        super().__init__()
        self.open, self.charts, self.described = [], 0, 0
    def handle_starttag(self, tag, attributes):
        self.charts += tag == "svg" and ("role", "img") in attributes
        self.described += tag == "desc"
        if tag not in self.void:
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        pass
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
p = page()
p.feed(open("page.html", encoding="utf-8").read())
assert not p.open and p.charts > 20 and p.charts == p.described, (p.open, p.charts, p.described)
EOF2

section "the page replaces an older page, an empty file, and nothing else"
touch empty.html
run 0 hortus tour -o empty.html keys
grep -q '</html>' empty.html || fail "a page"
echo 'my notes' >tour.html
refused "'tour.html' is there and is no page of hortus tour, so it is not replaced; -o names another file" hortus tour keys
equal "the file" 'my notes' "$(cat tour.html)"
cat page.html tour.html >other.html
refused 'no page of hortus tour' hortus tour -o other.html keys
refused "'keys' is an input" hortus tour -o keys keys
refused 'name a file' hortus tour -o - keys
refused 'No such file' hortus tour -o nowhere/page.html keys
mkdir folder.html
refused 'not a regular file' hortus tour -o folder.html keys
rm tour.html
run 0 hortus tour keys
run 0 hortus tour keys
no_debris keys page.html empty.html other.html folder.html tour.html tour.json list.json

section "hostile keys"
printf 'one' | run 0 hortus tour -o page.html -
printf '\xff\xfe\0\x1b[2J\n<b>\n' >'<b>'
run 0 hortus tour -o page.html '<b>'
! grep -q '<b>' page.html || fail "a name is not markup"
refused 'at least one line' hortus tour -o page.html /dev/null
refused 'between 0 and 1' hortus tour -p 0 keys
