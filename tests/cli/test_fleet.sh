# SPDX-License-Identifier: MIT
# compare --fleet on simulated machines: planted outliers are found, none else is named; other machines are other groups.
# Measures nothing.
. "$(dirname "$0")/../common.sh"

# machines AWK: a result a line, of what that prints by begin(NODE, BRAND, COMMAND), finding(KEY, VALUE, UNIT, WITHIN) and finish().
machines() {
    awk '
    function begin(node, brand, command) {
        printf "{\"schema\":\"uarchprobe/3\",\"tool\":{},\"host\":{\"arch\":\"x86_64\",\"cpu\":{\"brand\":\"%s\",\"family\":25}},\"run\":{\"command\":\"%s\",\"node\":\"%s\"},\"clock\":{},\"tables\":[],\"findings\":[", brand, command, node
        comma = ""
    }
    function finding(key, value, unit, within) {
        printf "%s{\"key\":\"%s\",\"value\":%.8g,\"unit\":\"%s\",\"interval\":null,\"state\":null,\"samples\":9,\"parts\":null,\"ghz\":null,\"within\":%s,\"trust\":\"high\",\"leg\":null,\"text\":null}", comma, key, value, unit, within
        comma = ","
    }
    function finish() { print "],\"warnings\":[]}" }
    function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
    '"$1"
}

# nodes COUNT SEED PLANTED BRAND: machines that differ by 1 % and findings by 2 %; the first PLANTED ones have 10 % less memory bandwidth.
nodes() {
    machines '
    BEGIN {
        srand('"$2"')
        planted = '"$3"'
        split("L1 L2 L3 DRAM", level, " ")
        split("read write copy compare agg-or latency", task, " ")
        for (node = 1; node <= '"$1"'; node++) {
            begin("node" node (node <= planted ? "-slow" : ""), "'"$4"'", "ram")
            own = 0.01 * normal()
            for (i = 1; i <= 4; i++)
                for (k = 1; k <= 6; k++) {
                    rate = task[k] != "latency"
                    value = exp((rate ? -1 : 1) * (own + 0.02 * normal())) * (rate ? 4e10 : 1) * i
                    if (node <= planted && level[i] == "DRAM" && rate)
                        value *= 0.9
                    finding("ram." level[i] "." task[k], value, rate ? "Byte/s" : "ns", 0.05)
                }
            finish()
        }
    }'
}

# counts NODES VALUE: a thousand store buffers of 64 entries, the first NODES of another VALUE, in $work/counts.
counts() {
    machines 'BEGIN {
        for (i = 1; i <= 1000; i++) {
            begin("m" i, "C", "sb-capacity")
            finding("store_buffer.entries", i <= '"$1"' ? '"$2"' : 64, "entries", "null")
            finish()
        }
    }' >"$work/counts"
}

# judged CODE TEXT FILE...: exit code, and a text in the first line.
judged() {
    wanted=$1 text=$2
    shift 2
    gives "$wanted" "$text" compare --fleet -v "$@"
}

cd "$work" || exit 99
nodes 200 1 0 "Simulated CPU" >equal
nodes 200 2 5 "Simulated CPU" >planted
sed 's/"run":{/"run":{"conditions":{"emulated":true},/' equal >emulated
nodes 20 3 0 "Other CPU" | sed 's/"value":/"value":9/g' >other
nodes 3 4 0 "Rare CPU" >few
# Three values in ten late, by 15 % in the mean and some by much more, on any machine: no outlier.
awk 'BEGIN { srand(5) } {
    out = ""
    while (match($0, /"value":[-+0-9.e]+/)) {
        value = substr($0, RSTART + 8, RLENGTH - 8) * (rand() < 0.3 ? 1 - 0.15 * log(1 - rand()) : 1)
        out = out substr($0, 1, RSTART + 7) sprintf("%.8g", value)
        $0 = substr($0, RSTART + RLENGTH)
    }
    print out $0 }' equal >tailed
# Low trust of each machine, as beyond the core of all guests: a loss of a whole family is seen, one finding alone is not judged.
sed 's/"trust":"high"/"trust":"low"/g' equal >low
sed 's/"trust":"high"/"trust":"low"/g' planted >low_planted
sed -E '1s/("key":"ram.L1.read","value":)[^,]*/\110000000000/' low >low_one
sed -E '1s/("key":"ram.L1.read","value":)[^,]*/\110000000000/' equal >one
# Impossible values are not held against others, and a machine with few other values is not judged.
sed '1s/"trust":"high","leg":null/"trust":"low","leg":"plausibility"/g' equal >untrue
sed 's/"trust":"high","leg":null/"trust":"low","leg":"plausibility"/g' equal >all_untrue
{ head -n 10 equal; nodes 4 6 0 "Rare CPU"; nodes 4 7 0 "Odd CPU"; } >most
{ cat most; nodes 3 8 0 "Lone CPU"; } >least
head -c 3000 equal >cut_off

while IFS=@ read -r wanted text words; do
    judged "$wanted" "$text" $words
done <<'END'
0@^0 outliers@equal
2@^NO VERDICT@emulated
1@^5 outliers.* node1-slow ram.*DRAM.* node5-slow ram.*DRAM@planted
0@^0 outliers@--only ram.L1.* planted
0@^0 outliers@tailed
0@in 2 groups@equal other
2@^NO VERDICT@few
0@^0 outliers.* family all of them by .*ram.DRAM@low
1@^5 outliers@low_planted
0@^0 outliers@low_one
1@^1 outlier @one
0@^0 outliers.*; not judged: 1,@untrue
2@^NO VERDICT@all_untrue
0@^0 outliers.*; not judged: 8,@most
5@^UNDECIDED.*; not judged: 11,@least
2@line [0-9]*: @cut_off
END

# One finding alone, judged by the other machines; a pipe gets every name; a group has the names of its fields.
counts 4 56
judged 1 '^4 outliers.*x86_64, C, family 25' counts
counts 4 58
judged 0 '^0 outliers.* store_buffer.\* 13 ' counts
counts 20 32
run compare --fleet counts
check "a pipe gets every name" [ "$(grep -c '^m[0-9]* .*store_buffer' out)" -eq 20 ]
for format in tsv markdown svg html json; do
    expect 1 "$format" "$program" compare --fleet -q -f $format planted
    check "... and something to read" [ -s out ]
done

# The constants of src/compare/fleet_judge.c, each with a case on either side: exit code; findings of one family on 20 machines that
# lie evenly, with that deviation; the loss of one more machine (logarithm) in each; in the last one its rank among the others
# instead.
while read -r wanted findings wide loss seat; do
    machines 'BEGIN {
        findings = '"$findings"'; wide = '"$wide"' / 0.7413; loss = '"$loss"'; seat = "'"$seat"'"
        for (node = 0; node <= 20; node++) {
            begin("n" node, "C", "ram")
            for (i = 1; i <= findings; i++)
                finding("ram.L1.task" i, 100 * exp(node < 20 ? wide * (2 * node / 19 - 1) : \
                    i == findings && seat != "" ? wide * (2 * seat - 1) : loss), "ns", 0.02)
            finish()
        }
    }' >evenly
    judged "$wanted" '^[01] outlier' evenly
done <<'END'
0 3 0.005 0.1
1 4 0.005 0.1
0 4 0.005 0.033
1 4 0.005 0.05
0 4 0.02 0.09
1 4 0.02 0.125
0 1 0.01 0.293
1 1 0.01 0.392
0 1 0.05 0.5
1 1 0.05 0.725
0 4 0.005 0.1 0.24
1 4 0.005 0.1 0.41
END
finish
