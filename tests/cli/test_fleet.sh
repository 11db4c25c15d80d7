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
            printf "{\"schema\":\"uarchprobe/2\",\"tool\":{},\"host\":{\"arch\":\"x86_64\",\"cpu\":{\"brand\":\"%s\"}},", brand
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
    head -n 1 "$work/out" | grep -q -- "$text" || fail "'$*' does not begin with $text: $(head -n 1 "$work/out")"
}

count=1000
[ "$(head -c 2 "$program")" != '#!' ] || count=100 # an emulator
nodes "$count" 1 0 "Simulated CPU" >"$work/equal"
judged 0 '^PASS: 0 outliers' "$work/equal"
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
sed 's/"trust":"high"/"trust":"low"/g' "$work/equal" >"$work/low"
judged 2 '^NO VERDICT' "$work/low"
judged 0 '^PASS' --only 'ram.L1.*' "$work/planted"
for format in tsv markdown svg html json; do
    "$program" compare --fleet -q -f $format "$work/planted" >"$work/out"
    [ $? -eq 1 ] || fail "format $format changes the exit code"
    [ -s "$work/out" ] || fail "format $format is empty"
done
head -c 3000 "$work/equal" >"$work/cut"
"$program" compare --fleet "$work/cut" >"$work/out" 2>"$work/err"
code=$?
[ "$code" -eq 2 ] || fail "a file that is cut off is taken"
grep -q 'line [0-9]*, column' "$work/err" || fail "the place of the cut is not named"

[ "$failures" -eq 0 ] || echo "$failures failures" >&2
[ "$failures" -eq 0 ]
