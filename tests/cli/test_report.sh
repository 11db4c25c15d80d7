#!/bin/sh
# SPDX-License-Identifier: MIT
# report: all commands in one document, in every format, also without measuring; a command that cannot run is a section
# that says why. Asserts shapes, never values or times.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"
base=$(cd "$(dirname "$0")" && pwd)/../data/results/report.json

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# has TEXT FILE
has() {
    grep -qF -- "$1" "$2" || fail "no '$1' in $2"
}

# drawn FORMAT: the recorded report in that format, into $work/out.FORMAT.
drawn() {
    "$program" report --from "$base" -f "$1" >"$work/out.$1" 2>"$work/err" || fail "-f $1: $(cat "$work/err")"
    [ -s "$work/out.$1" ] || fail "-f $1 is empty"
}

for format in human tsv csv json jsonl markdown svg html; do
    drawn "$format"
done
cmp -s "$base" "$work/out.json" || fail "a report that was read is not the one that is written"
has "store buffer: " "$work/out.human"
has "GiB/s" "$work/out.human"
has "-o FILE.html" "$work/out.human"
has "## ram" "$work/out.markdown"
has "<details>" "$work/out.markdown"
has "buffer size" "$work/out.tsv"
for part in '<!DOCTYPE html>' '<section id="summary">' '<section id="machine">' '<figure><svg ' 'type="application/json"'; do
    has "$part" "$work/out.html"
done
grep -qE '(src|href)="(http|//)' "$work/out.html" && fail "the page loads something"
if command -v xmllint >/dev/null 2>&1; then
    xmllint --noout "$work/out.svg" || fail "the drawing is not well formed"
fi
if command -v rsvg-convert >/dev/null 2>&1; then
    rsvg-convert -o "$work/out.png" "$work/out.svg" || fail "rsvg does not draw it"
    [ -s "$work/out.png" ] || fail "rsvg draws nothing"
fi
for extension in html svg md json; do
    "$program" report -q --from "$base" -o "$work/named.$extension" || fail "-o named.$extension"
done
cmp -s "$work/out.svg" "$work/named.svg" || fail "the extension .svg does not mean the format"
cmp -s "$work/out.html" "$work/named.html" || fail "the extension .html does not mean the format"
"$program" report -q --from "$work/named.html" -f json | cmp -s - "$base" || fail "a page is not read back whole"

"$program" report -q --from "$base" -f json --pictures "$work/pictures" | cmp -s - "$base" || fail "--pictures changes the result"
for picture in sheet ram-bandwidth core-latency-cas; do
    has "</svg>" "$work/pictures/$picture.svg"
done

# Faults are one line and leave no file behind.
for file in "$work/absent" "$work" /dev/null; do
    "$program" report --from "$file" -o "$work/none.html" 2>"$work/err"
    [ $? -eq 2 ] || fail "--from $file does not exit with 2"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "--from $file does not print one line: $(cat "$work/err")"
    [ -e "$work/none.html" ] && fail "--from $file leaves a page behind"
done
"$program" report -q "$base" -f json | cmp -s - "$base" || fail "report FILE is not report --from FILE"
sed 's/"trust": "[a-z]*"/"trust": "low"/' "$base" >"$work/low.json"
"$program" report -q --from "$work/low.json" --strict >"$work/out"
[ $? -eq 5 ] || fail "what was read is not asked whether it is to be trusted"
for option in --quick --full --samples=1 --dry-run --repeat=1 --time-budget=1; do
    "$program" report --from "$base" $option >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] && grep -q -- "${option%=*} says how to measure" "$work/err" || fail "--from $option is not refused"
done
for words in "--from $base --from $base" "--from $base $base" "$base $base"; do
    # shellcheck disable=SC2086 # words of a command line
    "$program" report $words >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] && [ ! -s "$work/out" ] || fail "report $words is taken"
    has "compare A B" "$work/err"
done
"$program" report --quick --full 2>"$work/err"
[ $? -eq 2 ] || fail "--quick --full is taken"

# Measures from here on, which an emulator is too slow for.
# An emulator's clock may leave stlf without a value: a screen is not empty then.
echo '{"schema":"uarchprobe/2","tool":{"version":"0.2.0"},"run":{"command":"stlf","complete":true},"tables":[],"findings":[],"warnings":[]}' >"$work/none.json"
"$program" report --from "$work/none.json" | grep -q '^Nothing found' || fail "a result without findings says nothing"

"$program" list kernels -f json -o "$work/list.json" && "$program" list kernels >"$work/list" || fail "no list of kernels"
"$program" report -q --from "$work/list.json" | tail -n +2 | sed '/^$/d' >"$work/out"
tail -n +2 "$work/list" | sed '/^$/d' | cmp -s - "$work/out" || fail "a list is shown differently from its file"

emulated && { echo "skip report: measuring under an emulator"; exit $((failures > 0)); }
"$program" report --dry-run >"$work/plan" 2>&1 || fail "--dry-run: $(cat "$work/plan")"
has "time of all commands" "$work/plan"
"$program" report --dry-run -q -f json -o "$work/plan.json" || fail "no plan in JSON"
for format in tsv csv tsv_matrix csv_matrix markdown html; do
    "$program" report -q --from "$work/plan.json" -f $format >"$work/plan" || fail "no plan as $format"
    [ "$(grep -c 'plan.rounds' "$work/plan")" -ge 3 ] || fail "no plan of each command as $format"
done
"$program" ram --dry-run >"$work/plan" 2>&1 || fail "ram --dry-run: $(cat "$work/plan")"
[ "$(head -n 1 "$work/plan")" = "Plan of ram" ] || fail "a plan begins with $(head -n 1 "$work/plan")"
"$program" report --quick --time-budget 2 -f json -o "$work/quick.json" 2>"$work/err" || fail "--quick: $(cat "$work/err")"
# parts FILE: the commands of a report in their order.
parts() {
    "$program" report -q --from "$1" -f jsonl | grep -o '"run":{"command":"[a-z-]*"' | sed '1d;s/.*:"//;s/"//'
}
[ "$(parts "$work/plan.json" | wc -l)" -ge 4 ] || fail "the plan has $(parts "$work/plan.json")"
for command in $(parts "$work/plan.json"); do
    has "\"command\": \"$command\"" "$work/quick.json"
done

# The parts stand in the order of the list, whichever ran first.
"$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' >"$work/listed"
parts "$work/quick.json" >"$work/parts"
[ -s "$work/parts" ] || fail "no parts"
grep -xF -f "$work/parts" "$work/listed" | cmp -s - "$work/parts" || fail "parts in the order $(tr '\n' ' ' <"$work/parts")"

# A report that is ended early keeps what it has, and says which of its parts is not whole.
ended report -q --full --time-budget 600 -f json -o "$work/cut.json"
[ "$code" -eq 143 ] || fail "a report that is ended exits with $code, not 143: $(cat "$work/err")"
parts "$work/cut.json" | cmp -s - "$work/parts" || fail "a report that is ended lacks parts"
"$program" report -q --from "$work/cut.json" | grep -q '  Incomplete: ' || fail "what is not whole is not reported"

# Next to other work too little of a short report may be trusted to be judged.
"$program" compare -q "$work/quick.json" "$work/quick.json" >"$work/out"
case $? in
0 | 5) ;;
*) fail "a report differs from itself: $(tail -1 "$work/out")" ;;
esac

# On one CPU there are no pairs: that part says so, and the rest is there, measured or left out for want of time.
if command -v taskset >/dev/null 2>&1; then
    taskset -c "$(last_cpu)" "$program" report --quick --time-budget 1 -f json -o "$work/one.json" 2>"$work/err"
    [ $? -eq 1 ] || fail "on one CPU: $(cat "$work/err")"
    has '"complete": false' "$work/one.json"
    has '"fault": ' "$work/one.json"
    has '"command": "ram"' "$work/one.json"
    "$program" report -q --from "$work/one.json" -f html >"$work/one.html"
    has 'class="warn"' "$work/one.html"
fi

[ "$failures" -eq 0 ] || echo "$failures failures" >&2
[ "$failures" -eq 0 ]
