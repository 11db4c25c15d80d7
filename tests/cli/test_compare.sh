#!/bin/sh
# SPDX-License-Identifier: MIT
# compare on a recorded report and on what is made from it: equal, faster, slower, noisy, of low trust, of another CPU,
# with a part missing, of an older schema, cut off. Measures nothing.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
base=$(cd "$(dirname "$0")" && pwd)/../data/results/report.json

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# scaled KEY FACTOR SPREAD <document: multiplies the value of a finding; SPREAD is half its new spread, as a share.
scaled() {
    awk -v key="\"key\": \"$1\"" -v factor="$2" -v spread="$3" '
        index($0, key) {
            match($0, /"value": [-+0-9.e]+/)
            value = substr($0, RSTART + 9, RLENGTH - 9) * factor
            sub(/"value": [-+0-9.e]+/, sprintf("\"value\": %.10g", value))
            sub(/"interval": [[][^]]*/, sprintf("\"interval\": [%.10g, %.10g", value * (1 - spread), value * (1 + spread)))
        }
        { print }'
}

# compares CODE VERDICT AFTER ARGUMENT...: the recorded report against AFTER.
compares() {
    wanted=$1
    verdict=$2
    after=$3
    shift 3
    rm -f "$work/out.json"
    "$program" compare -f json -o "$work/out.json" "$@" "$base" "$work/$after" 2>"$work/err"
    code=$?
    [ "$code" -eq "$wanted" ] || fail "$after exits with $code, not $wanted: $(cat "$work/err")"
    jq -c "$by_row | .tables[].rows[]" "$work/out.json" >"$work/rows"
    grep -q "\"key\": \"compare.verdict\", \"value\": \"$verdict\"" "$work/out.json" ||
        fail "$after is not said to be '$verdict': $(grep compare.verdict "$work/out.json")"
}

# judged KEY VERDICT: in the last comparison.
judged() {
    grep "\"what\":\"$1\"" "$work/rows" | grep -q "\"verdict\":\"$2\"" ||
        fail "$1 is not '$2': $(grep "\"what\":\"$1\"" "$work/rows")"
}

# refused TEXT ARGUMENT...: exit code 2 and one line that holds TEXT.
refused() {
    text=$1
    shift
    "$program" compare "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq 2 ] || fail "'compare $*' exits with $code"
    [ -s "$work/out" ] && fail "'compare $*' prints a result"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "'compare $*' does not print one line: $(cat "$work/err")"
    grep -qF -- "$text" "$work/err" || fail "no \"$text\" in: $(cat "$work/err")"
}

cp "$base" "$work/equal"
compares 0 same equal
judged ram.L1.latency same

scaled ram.L1.latency 1.004 0.01 <"$base" >"$work/nearly"
compares 0 same nearly
scaled ram.L2.read 0.7 0.01 <"$base" >"$work/slower"
compares 1 worse slower
judged ram.L2.read worse
compares 0 same slower --threshold 50
compares 1 worse slower --threshold 10
compares 1 worse slower --only 'ram.*.read'
compares 0 same slower --only 'stlf.*,store_buffer.entries'
compares 2 "nothing to compare" slower --only 'no.such'
"$program" compare -q "$base" "$work/slower" >"$work/out"
head -n 1 "$work/out" | grep -q '^FAIL ram.L2.read [0-9.]* -> [0-9.]* GiB/s (-30.0 %' ||
    fail "the verdict is not the first line: $(head -n 1 "$work/out")"
[ "$(grep -c '^FAIL ram.L2.read' "$work/out")" -eq 1 ] || fail "what is worse is said twice: $(cat "$work/out")"
"$program" compare -q -v "$base" "$work/slower" | tail -n 2 | grep -q '^FAIL ram.L2.read.*:' ||
    fail "behind tables the verdict is not the last line"
jq '(.commands[] | select(.run.command == "ram").findings) |= ((.[] | select(.key == "ram.L2.read")) as $one |
        . + [range(40) as $i | $one | .key = "ram.\($i).read"])' "$base" >"$work/forty"
jq '(.commands[] | select(.run.command == "ram").findings[] | select(.key | test("[.][0-9]*[.]read"))) |=
        (.value /= 2 | .interval = [.value * 0.99, .value * 1.01])' "$work/forty" >"$work/forty_slower"
COLUMNS=80 "$program" compare -q "$work/forty" "$work/forty_slower" >"$work/out"
[ "$(wc -l <"$work/out")" -le 24 ] || fail "forty that are worse take $(wc -l <"$work/out") lines"
"$program" compare -q "$work/forty" "$work/forty_slower" >"$work/out"
[ "$(grep -c '^FAIL ram[.]' "$work/out")" -ge 40 ] || fail "a pipe does not get all that are worse"
[ "$(grep -c '^FAIL ram.*: ' "$work/out")" -eq 1 ] || fail "the verdict is not said once on a screen: $(cat "$work/out")"
scaled ram.L2.read 1.4 0.01 <"$base" | scaled ram.L2.latency 0.5 0.01 >"$work/faster"
compares 0 better faster
judged ram.L2.latency better
scaled ram.L2.latency 1.8 0.01 <"$base" | scaled ram.L2.read 1.4 0.01 >"$work/mixed"
compares 1 mixed mixed
scaled ram.L2.read 0.85 0.15 <"$base" >"$work/noisy"
compares 0 same noisy
judged ram.L2.read "cannot tell"
compares 5 same noisy --strict --only ram.L2.read,store_buffer.entries
grep -q 'cannot be decided: ram.L2.read' "$work/err" || fail "what cannot be decided is not named: $(cat "$work/err")"
compares 0 same noisy --strict --only store_buffer.entries
scaled ram.L2.read 0.5 0.01 <"$base" | sed '/"key": "ram.L2.read"/s/"trust": "[a-z]*"/"trust": "low"/' >"$work/untrusted"
compares 0 same untrusted
judged ram.L2.read "not judged"
sed '/"key": "ram.L2.read"/s/"state": [^,]*/"state": "sibling active"/' "$base" >"$work/active"
compares 0 same active
judged ram.L2.read "not judged"
sed '/"key": "ram.L2.read"/d' "$base" >"$work/without"
compares 0 same without
judged ram.L2.read "not judged"
scaled store_buffer.entries 0.5 0 <"$base" >"$work/halved"
compares 1 changed halved
judged store_buffer.entries changed
"$program" compare -q "$base" "$work/halved" | head -n 1 | grep -q '^FAIL store_buffer.entries 112 -> 56 entries' ||
    fail "a count that is halved is not named"
scaled store_buffer.entries 0.992 0 <"$base" | sed '/"key": "store_buffer.entries"/s/111.104/111/' >"$work/one_less"
compares 0 same one_less

# The largest difference comes first, of what is undecided too.
scaled ram.L1.read 0.8 0.01 <"$base" | scaled ram.L2.read 0.3 0.01 | scaled stlf.none 1 0 >"$work/two"
compares 1 worse two
grep '"verdict":"worse"' "$work/rows" | grep -v together | head -n 1 | grep -q '"what":"ram.L2.read"' || fail "the largest difference is not first"
scaled ram.L1.read 0.9 0.3 <"$base" | scaled ram.L2.read 0.7 0.4 >"$work/two"
"$program" compare -q "$base" "$work/two" | tr '\n' ' ' | grep -q 'undecided: *ram.L2.read' || fail "the largest undecided difference is not named"

# Less than half of what the first result knew is no verdict of the machine; half is.
jq '.commands[].findings[] |= (.trust = "low" | .leg = "plausibility")' "$base" >"$work/unknown"
compares 2 "nothing to compare" unknown
few() {
    jq --argjson least "$1" '[.commands[].findings[] | select(.key | endswith(".published") | not) | .key][$least:] as $rest |
        .commands[].findings[] |= if .key | IN($rest[]) then .trust = "low" | .leg = "plausibility" else . end' "$base"
}
few 7 >"$work/half"
compares 0 same half
few 6 >"$work/half"
compares 5 "cannot tell" half
jq '.commands |= map(select(.run.command == "sb-capacity"))' "$base" >"$work/third"
compares 5 "cannot tell" third

# L1 at half speed while the neighbour was busy in both runs.
jq '.commands[].findings[] |= if .unit == "Byte/s" or .unit == "ns" then .value as $value | .trust = "low" | .leg = "repetition" | .within = 0.02 |
        .samples = 24 | .parts = [range(12) | $value * (1 + . / 500)] | .interval = [$value * 0.98, $value * 1.03] else . end' "$base" >"$work/busy"
jq '.commands[].findings[] |= if .key | startswith("ram.L1.") then
        (if .unit == "ns" then 2 else 0.5 end) as $factor | .value *= $factor | .parts[] *= $factor | .interval[] *= $factor else . end' \
    "$work/busy" >"$work/busy_slower"
compares_of() {
    recorded=$base
    base=$1
    shift
    compares "$@"
    base=$recorded
}
compares_of "$work/busy" 1 worse busy_slower
judged ram.L1.read worse
jq '.commands[].findings[] |= if .parts then .within = 0.05 else . end' "$work/busy" >"$work/beyond"
jq '.commands[].findings[] |= if .parts then .within = 0.05 else . end' "$work/busy_slower" >"$work/beyond_slower"
compares_of "$work/beyond" 5 "cannot tell" beyond_slower
grep '"what":"ram.L1.read"' "$work/rows" | grep -q 'may not repeat' || fail "ranges that lie apart are not said"
"$program" compare -q --label old,new "$work/beyond" "$work/beyond_slower" | tr '\n' ' ' |
    grep -q 'DIFFERS ram.L1.read: old [0-9.]* to [0-9.]*, new [0-9.]* to [0-9.]* GiB/s' || fail "the ranges of both are not shown"

# Cells are counted and decide nothing; --cells names them.
jq '(.commands[].tables[] | select(.name == "bandwidth")) |= (
        (.columns | map({(.key): .names}) | add) as $names | .rows as $rows |
        .rows.speed_gib[] |= [range(length) as $i | .[$i] / if $names.kernel[$rows.kernel[$i]] == "copy_memcpy" and
            ($names.set[$rows.set[$i]] | contains("L1")) then 3 else 1 end])' \
    "$base" >"$work/cell"
compares 0 same cell
grep -q '"table":"bandwidth","cells":[0-9]*,"worse":1' "$work/rows" || fail "the slower cell is not counted"
compares 0 same cell --cells
grep '"table":"bandwidth"' "$work/rows" | grep '"verdict":"worse"' | grep -q 'method libc' ||
    fail "the slower cell is not named"

# Another machine, other settings: named, and nothing is judged without --force.
scaled ram.L2.read 0.5 0.01 <"$base" | sed 's/"brand": "[^"]*"/"brand": "Another <\&> CPU"/' >"$work/other"
compares 2 none other
judged ram.L2.read "not judged"
grep -q 'differ in CPU' "$work/err" || fail "another CPU is not named: $(cat "$work/err")"
compares 1 worse other --force
jq '.run.settings = {"threads": "4"}' "$base" >"$work/threads"
compares 2 none threads
grep -q 'differ in --threads' "$work/err" || fail "another --threads is not named: $(cat "$work/err")"
compares 0 same threads --force
jq -c '.commands[] as $part | del(.commands) + $part' "$base" >"$work/lines"
jq -c 'if .run.command == "core-latency" then .run.settings = {"isa": "sse2"} else . end' "$work/lines" >"$work/lines_isa"
compares_of "$work/lines" 0 same lines
compares_of "$work/lines" 2 none lines_isa
grep -q 'differ in --isa' "$work/err" || fail "the settings of a later result are not compared: $(cat "$work/err")"

# What decides nothing is named.
jq '.host.topology.cpus = 64 | .host.governor = "powersave" | .host.cpu.microcode = "0x2" | .host.kernel = "2.4.1-other"' \
    "$base" >"$work/conditions"
compares 0 same conditions
for word in CPUs governor microcode kernel; do
    grep -q "differ in.* $word (" "$work/err" || fail "another $word is not named: $(cat "$work/err")"
done
for hypervisor in '"none"' null; do
    jq ".host.hypervisor = $hypervisor" "$base" >"$work/metal"
    compares 2 none metal
done
# An emulator's times say nothing of a CPU, whatever is asked for.
jq '.run.conditions.emulated = true' "$base" >"$work/emulated"
for option in --threshold=20 --force --label=old,new; do
    compares 2 none emulated $option
    judged ram.L2.read 'not judged'
    "$program" compare $option "$work/emulated" "$base" >/dev/null 2>&1
    [ $? -eq 2 ] || fail "a result is held against an emulator's ($option)"
done
for format in human markdown svg html; do
    "$program" report -q --from "$work/emulated" -f $format | tr -s ' \n' ' ' | grep -q 'emulated: no CPU.*s times' ||
        fail "$format does not say that its times are an emulator's"
done
for format in human tsv csv markdown svg html jsonl; do
    "$program" compare --force -q -f $format "$base" "$work/other" >"$work/out"
    [ $? -eq 1 ] || fail "format $format changes the exit code"
    [ -s "$work/out" ] || fail "format $format is empty"
done

# Two machines side by side: no before, no after, nothing worse.
compares 0 "side by side" other --label 'old,new'
judged ram.L2.read differs
"$program" compare -q -v --label old,new "$base" "$work/other" | grep -q -w -e before -e after -e worse &&
    fail "side by side, something is before, after or worse"
refused "--label" --label one "$base" "$base"

# The page has the names, what differs, the verdict once, and pictures of both; Markdown the verdict first and tables folded.
"$program" compare -q --label old,new "$base" "$work/other" -o "$work/both.html"
grep -q '<h1>old and new</h1>' "$work/both.html" || fail "the page is not named after both"
[ "$(grep -c '<p class="verdict">old and new: ' "$work/both.html")" -eq 1 ] || fail "the page has no verdict"
awk '/What differs/ && !differs { differs = NR } /class="verdict"/ { verdict = NR } /class="pairs"/ { pairs = NR }
    /machine = old/ { old = NR } /machine = new/ { new = NR }
    END { exit !(differs && differs < verdict && verdict < pairs && pairs < old && old < new) }' "$work/both.html" ||
    fail "the page is not in its order"
"$program" compare -q "$base" "$work/slower" -f markdown >"$work/out"
[ "$(grep -c 'FAIL ram.L2.read' "$work/out")" -eq 1 ] || fail "Markdown does not say once what is worse: $(cat "$work/out")"
[ "$(grep -m 1 -n '^### FAIL ram.L2.read' "$work/out" | cut -d: -f1)" -le 5 ] || fail "Markdown does not begin with the verdict"
grep -q '^<details>' "$work/out" || fail "tables are not folded in Markdown"

# Files of single commands, of several results, and pages are taken as well.
"$program" report -q --from "$base" -o "$work/page.html"
compares 0 same page.html
"$program" report -q --from "$base" -f jsonl >"$work/line"
compares 0 same line
cat "$work/line" "$work/line" >"$work/two"
compares 0 same two
{ printf '['; cat "$work/line"; printf ','; cat "$work/line"; printf ']'; } >"$work/array"
compares 0 same array
"$program" info -q -f json | sed 's/"emulated": true/"emulated": false/' >"$work/info"
compares 2 "nothing to compare" info --force
grep -q 'ram is in .* but not in' "$work/err" || fail "a missing part is not named: $(cat "$work/err")"

# What is no result is refused with its place.
refused "2 to" "$base"
refused "cannot read" "$base" "$work/absent"
refused "cannot read" "$base" "$work"
sed 's/"schema": "[^"]*"/"schema": "uarchprobe\/1"/' "$base" >"$work/older"
refused 'schema is "uarchprobe/1"' "$base" "$work/older"
refused "schema" "$work/older" "$base"
printf '[]' >"$work/empty"
refused "no result" "$base" "$work/empty"
printf '{"schema": "uarchprobe/2", "commands": 5}' >"$work/odd"
refused "commands" "$base" "$work/odd"
: >"$work/nothing"
refused "line 1" "$base" "$work/nothing"
refused "line 1" "$base" /dev/null
sed 's/"rows": {/"rows": 5, "were": {/' "$base" >"$work/rows"
refused "commands.0.tables.0" "$base" "$work/rows"

[ "$failures" -eq 0 ] || echo "$failures failures" >&2
[ "$failures" -eq 0 ]
