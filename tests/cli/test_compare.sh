# SPDX-License-Identifier: MIT
# compare on a recorded report and on what is made from it: equal, faster, slower, noisy, of low trust, of another CPU,
# with a part missing, of an older schema, cut off. Measures nothing.
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
recorded=$(cd "$(dirname "$0")" && pwd)/../data/results/report.json
# Versions of jq write numbers otherwise, so all files have them from the same one.
base=$work/recorded.json
jq . "$recorded" >"$base"

# made NAME FILTER: applies the filter to the recorded report.
made() {
    jq 'def of(key): .commands[].answers[] | select(.key == key);
        def around(value; spread): value as $value | .value = $value | .interval = [$value * (1 - spread), $value * (1 + spread)];
        def scaled(key; factor; spread): of(key) |= around(.value * factor; spread);
        def rates(change): .commands[].answers[] |= if .unit == "Byte/s" or .unit == "ns" then change else . end;
        '"$2" "${from:-$base}" >"$work/$1"
}

# compares CODE VERDICT AFTER ARGUMENT...: the recorded report, or $before, against AFTER.
compares() {
    wanted=$1 sought=$2 after=$3
    shift 3
    run compare -f json "$@" "${before:-$base}" "$work/$after"
    [ "$code" -eq "$wanted" ] && jq -e --arg sought "$sought" 'any(.answers[]; .key == "compare.verdict" and .value == $sought)' "$work/out" >/dev/null
    verdict $? "$after${*:+ $*}: $wanted, $sought"
    jq -c "$by_row | .tables[].rows[]" "$work/out" >"$work/rows"
}

# judged KEY VERDICT: in the last comparison.
judged() {
    check "$after: $1 is $2" sh -c 'grep "\"what\":\"$1\"" "$3" | grep -q "\"verdict\":\"$2\""' - "$1" "$2" "$work/rows"
}

# names TEXT: a message of the last comparison has it.
names() {
    check "$after: a message has $1" grep -q -- "$1" "$work/err"
}

# Filter, exit code, verdict, key and its verdict, options.
while IFS=@ read -r name filter wanted sought key is options; do
    [ -z "$filter" ] || made "$name" "$filter"
    compares "$wanted" "$sought" "$name" $options
    [ -z "$key" ] || judged "$key" "$is"
done <<'END'
equal@.@0@same@ram.L1.latency@same
nearly@scaled("ram.L1.latency"; 1.004; 0.01)@0@same
slower@scaled("ram.L2.read"; 0.7; 0.01)@1@worse@ram.L2.read@worse
slower@@0@same@@@--threshold 50
slower@@1@worse@@@--threshold 10
slower@@1@worse@@@--only ram.*.read
slower@@0@same@@@--only stlf.*,store_buffer.entries
slower@@2@nothing to compare@@@--only no.such
faster@scaled("ram.L2.read"; 1.4; 0.01) | scaled("ram.L2.latency"; 0.5; 0.01)@0@better@ram.L2.latency@better
mixed@scaled("ram.L2.latency"; 1.8; 0.01) | scaled("ram.L2.read"; 1.4; 0.01)@1@mixed
noisy@scaled("ram.L2.read"; 0.85; 0.15)@0@same@ram.L2.read@cannot tell
noisy@@0@same@@@--strict --only store_buffer.entries
untrusted@scaled("ram.L2.read"; 0.91; 0.08) | of("ram.L2.read").trust = "low"@0@same@ram.L2.read@cannot tell
hidden@scaled("ram.L2.read"; 0.89; 0.08) | of("ram.L2.read").trust = "low"@5@cannot tell@ram.L2.read@cannot tell
active@of("ram.L2.read").state = "sibling active"@0@same@ram.L2.read@cannot tell
without@del(of("ram.L2.read"))@0@same@ram.L2.read@not judged
halved@scaled("store_buffer.entries"; 0.5; 0)@1@changed@store_buffer.entries@changed
one_less@of("store_buffer.entries").value -= 1@0@same
unknown@.commands[].answers[] |= (.trust = "low" | .limited_by = "plausibility")@5@cannot tell
third@.commands |= map(select(.run.command == "sb-capacity"))@5@cannot tell
threads@.run.settings = {"threads": "4"}@2@none
threads@@0@same@@@--force
metal@.host.hypervisor = "none"@2@none
metal@.host.hypervisor = null@2@none
other@scaled("ram.L2.read"; 0.5; 0.01) | .host.cpu.brand = "Another <&> CPU"@0@side by side@ram.L2.read@differs
other@@1@worse@@@--force
node@scaled("ram.L2.read"; 0.5; 0.01) | .run.node = "n2"@0@side by side@ram.L2.read@differs
slower@@0@side by side@ram.L2.read@differs@--label old,new
emulated@.run.conditions.emulated = true@2@none@ram.L2.read@not judged@--threshold=20
emulated@@2@none@ram.L2.read@not judged@--force
emulated@@2@none@ram.L2.read@not judged@--label=old,new
END
# A file and itself, whatever its trust.
before=$work/unknown compares 0 same unknown
before=$work/active compares 0 same active
compares 5 same noisy --strict
names 'cannot be told apart: L2 read'
compares 2 none threads
names 'differ in --threads'
for option in --threshold=20 --force --label=old,new; do
    expect 2 "nothing is held against an emulator's ($option)" "$program" compare $option "$work/emulated" "$base"
done
made conditions '.host.topology.cpus = 64 | .host.governor = "powersave" | .host.cpu.microcode = "0x2" | .host.kernel = "2.4.1-other"'
compares 0 same conditions
for word in CPUs governor microcode kernel; do
    names "differ in.* $word ("
done
# Runs that had nearly all of a CPU had the same; of older results it is unknown.
made nearly_all '.run.conditions.cpu_share = 0.951'
made a_half '.run.conditions.cpu_share = 0.499'
made a_bit_less '.run.conditions.cpu_share = 0.949'
for pair in nearly_all:a_half nearly_all:a_bit_less; do
    before=$work/${pair%:*} compares 0 same "${pair#*:}"
    names 'differ in share of a CPU ('
    check "... and a row has both shares" grep -q '"what":"share of a CPU"' "$work/rows"
done
made all_of_it '.run.conditions.cpu_share = 1'
for pair in nearly_all:all_of_it nearly_all:equal; do
    before=$work/${pair%:*} compares 0 same "${pair#*:}"
    check "... and no share differs" sh -c '! grep -q "share of a CPU" "$1/rows" "$1/err"' - "$work"
done
made lines '.commands[] as $part | del(.commands) + $part'
made isa '(.commands[] | select(.run.command == "core-latency").run.settings) = {"isa": "sse2"}'
compares 2 none isa
names 'differ in --isa'

# Less than half of the values is no verdict; half is.
few() {
    made half '[.commands[].answers[] | select(.key | endswith(".published") | not) | .key]['"$1"':] as $rest |
        .commands[].answers[] |= if .key | IN($rest[]) then .trust = "low" | .limited_by = "plausibility" else . end'
}
few 7
compares 0 same half
few 6
compares 5 "cannot tell" half

# L1 at half speed while the neighbour was busy in both runs: seen within the core, beyond it the ranges are named.
busy='rates(.value as $value | .trust = "low" | .limited_by = "repetition" | .samples = 24 | .parts = [range(12) | $value * (1 + . / 500)] |
    .interval = [$value * 0.98, $value * 1.03] | .within = $within)'
slow='.commands[].answers[] |= if .key | startswith("ram.L1.") then
    (if .unit == "ns" then 2 else 0.5 end) as $factor | .value *= $factor | .parts[] *= $factor | .interval[] *= $factor else . end'
for within in 0.02 0.05; do
    made busy "$within as \$within | $busy"
    made busy_slower "$within as \$within | $busy | $slow"
    if [ $within = 0.02 ]; then
        before=$work/busy compares 1 worse busy_slower
        judged ram.L1.read worse
    else
        before=$work/busy compares 5 "cannot tell" busy_slower
    fi
done
check "ranges that lie apart are said" sh -c 'grep "\"what\":\"ram.L1.read\"" "$1" | grep -q "may not repeat"' - "$work/rows"
run compare -q --label old,new "$work/busy" "$work/busy_slower"
check "... and shown, of both" grep -Eq "^L1 read.* [0-9.]+-[0-9.]+[?] +[0-9.]+-[0-9.]+[?] " "$work/out"

# A table on one screen, from the largest difference on, of what is undecided too, then the verdict, which counts; a pipe gets all rows.
made two 'scaled("ram.L1.read"; 0.8; 0.01) | scaled("ram.L2.read"; 0.3; 0.01)'
compares 1 worse two
check "the largest difference is first" [ "$(grep '"allowed".*"verdict":"worse"' "$work/rows" | grep -v together | head -n 1 | jq -r .what)" = ram.L2.read ]
made lacks.json '.commands[1].answers = [] | .commands[].answers[] |= del(.label)'
run compare -f json "$work/lacks.json" "$base"
check "a label of either result names a row, and single ones come last" sh -c 'jq -e "$1" "$2" >/dev/null' - '
    [.tables[] | select(.name == "rows").rows | [.before, .after] | transpose[] | (.[0] == "") == (.[1] == "")]
    | index(false) as $first | length > 4 and any(.[:$first][]; .) and (any(.[$first:][]; .) | not)' "$work/out"
made two 'scaled("ram.L1.read"; 0.9; 0.3) | scaled("ram.L2.read"; 0.7; 0.4)'
run compare -q "$base" "$work/two"
check "the largest undecided difference is the first row" sh -c 'sed -n 2p "$1" | grep -q "^L2 read .* 0.70 "' - "$work/out"
run compare -q "$base" "$work/slower"
check "a row has both values, their ratio and the noise" sh -c 'sed -n 2p "$1" | grep -Eq "^L2 read +165 +115 +0.70 +6 % +GiB/s +worse$"' - "$work/out"
check "the verdict names one and its value, and counts" grep -q '^WORSE .*L2 read.* 115, .* 165 .*; 1 ' "$work/out"
COLUMNS=80 run compare -q "$base" "$work/slower" "$base"
check "of several files each has a verdict" [ "$(grep -Ec '^[a-z]+: [A-Z]+  ' "$work/out")" -eq 2 ]
made labelled 'of("ram.L2.read").label = "Second cache" | of("ram.L1.read").state = "sibling active" | of("store_buffer.entries").value = 56.0'
run compare -q "$work/labelled" "$work/labelled"
check "a row has its label" grep -q '^Second cache  ' "$work/out"
check "... and its state" grep -q '^L1 read.* (busy)  ' "$work/out"
made forty '(.commands[] | select(.run.command == "ram").answers) |= ((.[] | select(.key == "ram.L2.read")) as $one |
    . + [range(40) as $i | $one | .key = "ram.\($i).read"])'
from=$work/forty made forty_slower '(.commands[].answers[] | select(.key | test("^ram[.][0-9]*[.]read"))) |= around(.value / 2; 0.01)'
COLUMNS=80 run compare -q "$work/forty" "$work/forty_slower"
check "forty that are worse fit a screen" [ "$(wc -l <"$work/out")" -le 24 ]
run compare -q "$work/forty" "$work/forty_slower"
check "a pipe gets all" [ "$(grep -c ' worse$' "$work/out")" -ge 40 ]

# Every format has the same exit code, and names an emulator.
for format in human tsv csv markdown svg html jsonl; do
    expect 1 "$format" "$program" compare --force -q -f $format "$base" "$work/other"
    check "... and something to read" [ -s "$work/out" ]
    case $format in tsv | csv | jsonl) continue ;; esac
    run report -q --from "$work/emulated" -f $format
    check "... and an emulator's times are" sh -c 'tr -s " \n" " " <"$1" | grep -q "emulated: no CPU.*s times"' - "$work/out"
done

# Side by side no machine is before, after or worse; the page has the verdict once, the differences, then pictures of both; Markdown
# the verdict first.
run compare -q -v --label old,new "$base" "$work/other"
check "side by side, nothing is before, after or worse" sh -c '! grep -q -w -e before -e after -e worse "$1"' - "$work/out"
run compare -q -f html --label old,new "$base" "$work/other"
check "the page is named after both" grep -q '<h1>old and new</h1>' "$work/out"
check "... has one verdict" [ "$(grep -c '<p class="verdict">[0-9]* differs*, ' "$work/out")" -eq 1 ]
check "... and is in its order" awk '/class="verdict"/ { verdict = NR } />ratio</ { rows = rows ? rows : NR }
    />old<.text>/ { old = old ? old : NR } />new<.text>/ { new = new ? new : NR } /Differences between/ { settings = NR }
    END { exit !(verdict && verdict < rows && rows < old && old < new && new < settings) }' "$work/out"
run compare -q "$base" "$work/slower" -f markdown
check "Markdown begins with the verdict" [ "$(grep -m 1 -n '^### WORSE  L2 read' "$work/out" | cut -d: -f1)" -le 5 ]

# Files of single commands and pages are taken as well.
run report -q --from "$base" -f html && cp "$work/out" "$work/page.html"
run report -q --from "$base" -f jsonl && cp "$work/out" "$work/line"
cat "$work/line" "$work/line" >"$work/several"
{ printf '['; cat "$work/line"; printf ','; cat "$work/line"; printf ']'; } >"$work/array"
for file in page.html line; do
    compares 0 same $file
done
# Which of several results is meant nobody knows.
for file in several array lines; do
    refuses 2 "results; give a file that holds one" compare "$base" "$work/$file"
    refuses 2 "results; give a file that holds one" compare "$work/$file" "$base"
done
"$program" info -q -f json | sed 's/"emulated": true/"emulated": false/' >"$work/info"
compares 2 "nothing to compare" info --force
names 'has no ram'

# A file that is no result is refused with its place.
refuses 2 "--label" compare --label one "$base" "$base"
refuses 2 "2 to" compare "$base"
printf '[]' >"$work/empty"
printf '{"schema": "uarchprobe/4", "commands": 5}' >"$work/odd"
: >"$work/nothing"
sed 's/"schema": "[^"]*"/"schema": "uarchprobe\/2"/' "$base" >"$work/older"
sed 's/"rows": {/"rows": 5, "were": {/' "$base" >"$work/no_rows"
while IFS=';' read -r file why; do
    refuses 2 "$why" compare "$base" "$file"
done <<END
$work/absent;cannot read
$work;cannot read
$work/older;schema is "uarchprobe/2"
$work/empty;no result
$work/odd;commands
$work/nothing;line 1
/dev/null;line 1
$work/no_rows;commands.0.tables.0
END
refuses 2 "schema" compare "$work/older" "$base"
finish
