#!/bin/sh
# SPDX-License-Identifier: MIT
# compare --fleet on simulated machines: planted outliers are found, none else is named; other machines are other groups.
# Measures nothing.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# nodes COUNT SEED PLANTED BRAND: a result a line, of machines that differ by 1 % and findings by 2 %; the first PLANTED ones have 10 %
# less memory bandwidth.
nodes() {
    awk -v count="$1" -v seed="$2" -v planted="$3" -v brand="$4" '
    function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
    BEGIN {
        srand(seed)
        split("L1 L2 L3 DRAM", level, " ")
        split("read write copy compare agg-or latency", task, " ")
        for (node = 1; node <= count; node++) {
            printf "{\"schema\":\"uarchprobe/3\",\"tool\":{},\"host\":{\"arch\":\"x86_64\",\"cpu\":{\"brand\":\"%s\"}},", brand
            printf "\"run\":{\"command\":\"ram\",\"node\":\"node%d%s\"},\"clock\":{},\"tables\":[],\"findings\":[", node, (node <= planted) ? "-slow" : ""
            own = 0.01 * normal()
            for (i = 1; i <= 4; i++)
                for (k = 1; k <= 6; k++) {
                    rate = task[k] != "latency"
                    value = exp((rate ? -1 : 1) * (own + 0.02 * normal())) * (rate ? 4e10 : 1) * i
                    if (node <= planted && level[i] == "DRAM" && rate)
                        value *= 0.9
                    printf "%s{\"key\":\"ram.%s.%s\",\"value\":%.8g,\"unit\":\"%s\",\"interval\":null,\"state\":\"sibling idle\",", \
                        (i + k > 2 ? "," : ""), level[i], task[k], value, rate ? "Byte/s" : "ns"
                    printf "\"samples\":9,\"parts\":null,\"ghz\":null,\"within\":0.05,\"trust\":\"high\",\"leg\":null,\"text\":null}"
                }
            print "],\"warnings\":[]}"
        }
    }'
}

# judged CODE TEXT ARGUMENT...: exit code, and a text in what is printed first.
judged() {
    wanted=$1
    text=$2
    shift 2
    "$program" compare --fleet -v "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq "$wanted" ] || fail "'$*' exits with $code, not $wanted: $(cat "$work/err")"
    tr '\n' ' ' <"$work/out" | sed 's/  */ /g' | grep -q -- "$text" || fail "'$*' does not begin with $text: $(head -n 5 "$work/out")"
}

count=1000
[ "$(head -c 2 "$program")" != '#!' ] || count=100 # an emulator
nodes "$count" 1 0 "Simulated CPU" >"$work/equal"
judged 0 '^PASS: 0 outliers' "$work/equal"
sed 's/"run":{/"run":{"conditions":{"emulated":true},/' "$work/equal" >"$work/emulated"
judged 2 '^NO VERDICT' "$work/emulated"
nodes "$count" 2 5 "Simulated CPU" >"$work/planted"
judged 1 '^FAIL: 5 outliers' "$work/planted"
for node in 1 2 3 4 5; do
    grep -q "^OUTLIER node$node-slow: ram.*DRAM" "$work/out" || fail "node$node is not named by its memory: $(cat "$work/out")"
done

# Three values in ten late, by 15 % in the mean and some by much more, whoever's: nobody is an outlier.
awk 'BEGIN { srand(5) } {
    out = ""
    while (match($0, /"value":[-+0-9.e]+/)) {
        value = substr($0, RSTART + 8, RLENGTH - 8) * (rand() < 0.3 ? 1 - 0.15 * log(1 - rand()) : 1)
        out = out substr($0, 1, RSTART + 7) sprintf("%.8g", value)
        $0 = substr($0, RSTART + RLENGTH)
    }
    print out $0 }' "$work/equal" >"$work/tailed"
judged 0 '^PASS: 0 outliers' "$work/tailed"

# Another CPU is another group; files and lines are machines alike.
nodes 20 3 0 "Other CPU" | sed 's/"value":/"value":9/g' >"$work/other"
judged 0 'in 2 groups' "$work/equal" "$work/other"
nodes 3 4 0 "Rare CPU" >"$work/few"
judged 2 '^NO VERDICT' "$work/few"

# Low trust of each machine, as beyond the core of all guests: what all of a family lose is seen in how the values of all machines lie; of
# one finding alone nothing is said to have been judged.
sed 's/"trust":"high"/"trust":"low"/g' "$work/equal" >"$work/low"
judged 0 '^PASS: 0 outliers.* one finding off by nothing in ram.DRAM.* family off by .* in .*ram.DRAM' "$work/low"
sed 's/"trust":"high"/"trust":"low"/g' "$work/planted" >"$work/low_planted"
judged 1 '^FAIL: 5 outliers' "$work/low_planted"
sed -E '1s/("key":"ram.L1.read","value":)[^,]*/\110000000000/' "$work/low" >"$work/low_one"
judged 0 '^PASS: 0 outliers' "$work/low_one"
sed -E '1s/("key":"ram.L1.read","value":)[^,]*/\110000000000/' "$work/equal" >"$work/one"
judged 1 '^FAIL: 1 outlier ' "$work/one"

# What cannot be true is not held against the others', and a machine of which little was is not judged.
sed '1s/"trust":"high","leg":null/"trust":"low","leg":"plausibility"/g' "$work/equal" >"$work/untrue"
judged 0 '^PASS: 0 outliers.*; not judged: 1,' "$work/untrue"
sed 's/"trust":"high","leg":null/"trust":"low","leg":"plausibility"/g' "$work/equal" >"$work/untrue"
judged 2 '^NO VERDICT' "$work/untrue"
{ head -n 10 "$work/equal"; nodes 4 6 0 "Rare CPU"; nodes 4 7 0 "Odd CPU"; } >"$work/most"
judged 0 '^PASS.*; not judged: 8,' "$work/most"
{ cat "$work/most"; nodes 3 8 0 "Lone CPU"; } >"$work/least"
judged 5 '^UNDECIDED.*; not judged: 11,' "$work/least"

# One finding alone by what the others say of it, far below half; a pipe gets every name; a group has the names of its fields.
counts() {
    awk 'BEGIN { for (i = 1; i <= 1000; i++)
        printf "{\"schema\":\"uarchprobe/3\",\"tool\":{},\"host\":{\"arch\":\"x86_64\",\"cpu\":{\"brand\":\"C\",\"family\":25}},\"run\":{\"command\":\"sb-capacity\",\"node\":\"m%d\"},\"clock\":{},\"tables\":[],\"findings\":[{\"key\":\"store_buffer.entries\",\"value\":%d,\"unit\":\"entries\",\"interval\":null,\"state\":null,\"samples\":9,\"parts\":null,\"ghz\":null,\"within\":null,\"trust\":\"high\",\"leg\":null,\"text\":null}],\"warnings\":[]}\n", i, 64 }'
}
counts | sed '1,4s/:64,/:56,/' >"$work/counts"
judged 1 '^FAIL: 4 outliers' "$work/counts"
grep -q 'x86_64, C, family 25' "$work/out" || fail "a group does not name its fields"
counts | sed '1,4s/:64,/:58,/' >"$work/counts"
judged 0 '^PASS: 0 outliers.* 13 % in store_buffer' "$work/counts"
counts | sed '1,20s/:64,/:32,/' >"$work/counts"
"$program" compare --fleet "$work/counts" >"$work/out"
[ "$(grep -c '^OUTLIER m[0-9]*: store_buffer' "$work/out")" -eq 20 ] || fail "a pipe does not get every name: $(cat "$work/out")"
judged 0 '^PASS' --only 'ram.L1.*' "$work/planted"
for format in tsv markdown svg html json; do
    "$program" compare --fleet -q -f $format "$work/planted" >"$work/out"
    [ $? -eq 1 ] || fail "format $format changes the exit code"
    [ -s "$work/out" ] || fail "format $format is empty"
done

# The constants of src/compare/fleet_judge.c, each with a case on either side.
# planted CODE FINDINGS DEVIATION LOSS [SEAT]: 20 machines that lie evenly, with that deviation, and one more that loses LOSS (logarithm)
# in each of its findings of one family; in the last one it lies at that share of the others instead.
planted() {
    awk -v findings="$2" -v wide="$3" -v loss="$4" -v seat="${5-}" 'BEGIN {
        wide /= 0.7413
        for (node = 0; node <= 20; node++) {
            printf "{\"schema\":\"uarchprobe/3\",\"tool\":{},\"host\":{\"arch\":\"x86_64\",\"cpu\":{\"brand\":\"C\"}},\"run\":{\"command\":\"ram\",\"node\":\"n%d\"},\"clock\":{},\"tables\":[],\"findings\":[", node
            for (i = 1; i <= findings; i++) {
                off = node < 20 ? wide * (2 * node / 19 - 1) : i == findings && seat != "" ? wide * (2 * seat - 1) : loss
                printf "%s{\"key\":\"ram.L1.task%d\",\"value\":%.8g,\"unit\":\"ns\",\"interval\":null,\"state\":null,\"samples\":9,\"parts\":null,\"ghz\":null,\"within\":0.02,\"trust\":\"high\",\"leg\":null,\"text\":null}", (i > 1 ? "," : ""), i, 100 * exp(off)
            }
            print "],\"warnings\":[]}"
        }
    }' >"$work/few"
    judged "$1" '^[PF]A' "$work/few"
}
planted 0 3 0.005 0.1
planted 1 4 0.005 0.1
planted 0 4 0.005 0.033
planted 1 4 0.005 0.05
planted 0 4 0.02 0.09
planted 1 4 0.02 0.125
planted 0 1 0.01 0.293
planted 1 1 0.01 0.392
planted 0 1 0.05 0.5
planted 1 1 0.05 0.725
planted 0 4 0.005 0.1 0.24
planted 1 4 0.005 0.1 0.41

head -c 3000 "$work/equal" >"$work/cut"
"$program" compare --fleet "$work/cut" >"$work/out" 2>"$work/err"
code=$?
[ "$code" -eq 2 ] || fail "a file that is cut off is taken"
grep -q 'line [0-9]*: ' "$work/err" || fail "the place of the cut is not named"

[ "$failures" -eq 0 ] || echo "$failures failures" >&2
[ "$failures" -eq 0 ]
