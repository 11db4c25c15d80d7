# SPDX-License-Identifier: MIT
# report: all commands in one document, in every format, also without measuring; a command that cannot run is a section
# that says why. Asserts shapes, never values or times.
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
base=$here/../data/results/report.json
cd "$work" || exit 99

# whole ARGUMENT...: the report in JSON is the recorded one.
whole() {
    run report -q -f json "$@"
    check "$* is the recorded report" cmp -s "$base" out
}

# Format, and what is in it.
while IFS=';' read -r format text; do
    gives 0 "$text" report --from "$base" -f "$format"
    cp out "drawn.$format"
done <<'END'
human;GiB/s.* store buffer .*-o FILE.html
tsv;buffer size
csv;.
json;.
jsonl;.
markdown;## ram.*<details>
svg;</svg>
html;<!DOCTYPE html>.*<section id="summary">.*<figure class="[a-z]*"><svg .*<section id="machine">.*type="application/json"
END
check "the page loads nothing" sh -c '! grep -qE "(src|href)=\"(http|//)" drawn.html'
if command -v xmllint >/dev/null 2>&1; then
    check "the drawing is well formed" xmllint --noout drawn.svg
fi
if command -v rsvg-convert >/dev/null 2>&1; then
    check "rsvg draws it" sh -c 'rsvg-convert -o drawn.png drawn.svg && [ -s drawn.png ]'
fi
for extension in html svg; do
    expect 0 "-o named.$extension" "$program" report -q --from "$base" -o "named.$extension"
    check "... has that format" cmp -s "drawn.$extension" "named.$extension"
done
whole --from "$base"
whole "$base"
whole --from named.html

# Faults are one line and leave no file behind.
for file in absent . /dev/null; do
    refused 2 report --from $file -o none.html
    check "... and leaves no page" [ ! -e none.html ]
done
for option in --quick --full --samples=1 --dry-run --repeat=1 --time-budget=1; do
    refuses 2 "${option%=*} says how to measure" report --from "$base" $option
done
for words in "--from $base $base" "$base $base"; do
    refuses 2 "compare A B" report $words
done
sed 's/"trust": "[a-z]*"/"trust": "low"/' "$base" >low.json
expect 5 "what was read is asked whether it is to be trusted" "$program" report -q --from low.json --strict
echo '{"schema":"uarchprobe/4","tool":{"version":"0.2.0"},"run":{"command":"stlf","complete":true},"tables":[],"answers":[],"warnings":[]}' >none.json
gives 0 "Nothing found" report --from none.json
"$program" list kernels -f json -o list.json && "$program" list kernels | tail -n +2 | grep -v '^and [0-9]* more$' >list
run report -v -q --from list.json
check "a list is shown as from its file" sh -c '! grep -vxFf out list'

# Measures from here on, which an emulator is too slow for.
if emulated; then
    echo "skip report: measuring under an emulator"
    finish
fi

# parts FILE: the commands of a report in their order.
parts() {
    "$program" report -q --from "$1" -f jsonl | grep -o '"run":{"command":"[a-z-]*"' | sed '1d;s/.*:"//;s/"//'
}
gives 0 "time of all commands" report --dry-run
gives 0 "^Plan of ram" ram --dry-run
expect 0 "a plan in JSON" "$program" report --dry-run -q -f json -o plan.json
for format in tsv csv tsv_matrix markdown html; do
    run report -q --from plan.json -f $format
    check "a plan of each command as $format" [ "$(grep -c 'plan.rounds' out)" -ge 3 ]
done
expect 0 "a quick report" "$program" report --quick --time-budget 1 -f json -o quick.json
parts plan.json >planned
parts quick.json >measured
check "the plan has the commands" [ "$(wc -l <planned)" -ge 4 ]
check "... which are measured" cmp -s planned measured
"$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' | grep -xF -f measured >listed
check "... and stand in the order of the list" cmp -s listed measured
# Next to other work a short report may have too few trusted answers for a verdict.
run compare -q quick.json quick.json
check "a report does not differ from itself" [ "$code" -eq 0 -o "$code" -eq 5 ]
grep -o '"key": *"[^"]*"' quick.json | sed 's/.*: *"//;s/"$//' | grep '[.]' | sort -u >keys
while read -r key; do
    "$program" explain "$key" >out 2>&1 || fail "explain $key"
done <keys
check "its answers are explained" [ -s keys ]

# A report that ends early keeps its results, and names the incomplete part.
ended report -q --full --time-budget 600 -f json -o cut.json
check "a report that is ended exits with 143" [ "$code" -eq 143 ]
check "... and has all parts" [ "$(parts cut.json)" = "$(cat measured)" ]
gives 0 " Incomplete: " report -q --from cut.json

# On one CPU there are no pairs: that part says so, the others are there, measured or left out for want of time.
if command -v taskset >/dev/null 2>&1; then
    expect 0 "one CPU" taskset -c "$(last_cpu)" "$program" report --quick --time-budget 0.5 -f json -o one.json
    for text in '"core-latency.not_here"' '"command": "ram"'; do
        check "one CPU: $text" grep -q "$text" one.json
    done
    gives 0 'class="warn"' report -q --from one.json -f html
fi
if python3 -c 'import jsonschema' 2>/dev/null; then
    expect 0 "they fit the schema" python3 "$here/validate.py" "$here/../../docs/schema.json" quick.json one.json
fi
finish
