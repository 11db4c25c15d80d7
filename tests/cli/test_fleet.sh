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

# nodes COUNT SEED PLANTED BRAND: machines that differ by 1 % and findings by 2 %; the first PLANTED ones have 15 % less memory bandwidth.
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
                        value *= 0.85
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
nodes 600 2 5 "Simulated CPU" >planted
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
# Low trust of each machine, as beyond the core of all guests, is judged by how the machines scatter.
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
# Runs of a node are one machine: its median counts, so one bad run of three is none, two are one.
{ cat equal equal equal; } | sed -E '1s/("key":"ram.L1.read","value":)[^,]*/\110000000000/' >runs
sed -E '201s/("key":"ram.L1.read","value":)[^,]*/\110000000000/' runs >bad_runs
sed 's/"family":25}/"family":25,"codename":"Genoa (Zen 4)"},"topology":{"cpus":2},"hypervisor":"KVM"/' equal >words
sed 's/"family":25/"family":26/' words >other_family

while IFS=@ read -r wanted text words; do
    judged "$wanted" "$text" $words
done <<'END'
0@^0 outliers@equal
2@^NO VERDICT@emulated
1@^5 outliers.* node1-slow ram.*DRAM@planted
0@^0 outliers@--only ram.L1.* planted
0@^0 outliers@tailed
0@in 2 groups@equal other
2@^NO VERDICT@few
0@^0 outliers.* family .*ram.DRAM@low
1@^5 outliers@low_planted
1@^1 outlier @low_one
1@^1 outlier @one
0@^0 outliers among 200 machines@runs
1@^1 outlier among 200 machines@bad_runs
0@ Simulated CPU, Genoa (Zen 4), 2 CPUs, KVM guest @words
0@in 2 groups.*family 25, .*family 26, @words other_family
0@^0 outliers.*; not judged: 1,@untrue
2@^NO VERDICT@all_untrue
0@^0 outliers.*; not judged: 8,@most
5@^UNDECIDED.*; not judged: 11,@least
2@line [0-9]*: @cut_off
END

# One finding alone, judged by the other machines; a pipe gets every name; a family stands for its findings.
counts 4 56
judged 1 '^4 outliers' counts
counts 4 61
judged 0 '^0 outliers.* store_buffer.\* 7 ' counts
run compare --fleet planted
check "a family stands for its findings" [ "$(grep -c '^node[0-9]*-slow' out)" -eq 5 ]
counts 20 32
run compare --fleet counts
check "a pipe gets every name" [ "$(grep -c '^m[0-9]* .*store_buffer' out)" -eq 20 ]
for format in tsv markdown svg html json; do
    expect 1 "$format" "$program" compare --fleet -q -f $format planted
    check "... and something to read" [ -s out ]
done

# The constants of src/compare/fleet_judge.c, each with a case on either side: exit code; findings of one family on machines that lie
# evenly, with that deviation; the loss of one more machine (logarithm) in each, in the last one `last` instead.
while read -r wanted machines findings wide loss last; do
    machines 'BEGIN {
        findings = '"$findings"'; wide = '"$wide"' * 1.461; loss = '"$loss"'; last = "'"$last"'"; count = '"$machines"' - 1
        for (node = 0; node <= count; node++) {
            begin("n" node, "C", "ram")
            for (i = 1; i <= findings; i++)
                finding("ram.L1.task" i, 100 * exp(node < count ? wide * (2 * node / (count - 1) - 1) : \
                    i == findings && last != "" ? last : loss), "ns", 0.02)
            finish()
        }
    }' >evenly
    if [ "$last" ]; then
        run compare --fleet evenly
        check "$wanted rows: $findings findings off by $loss, one by $last" [ "$(grep -c "^n$((machines - 1)) " out)" -eq "$wanted" ]
    else
        judged "$wanted" '[01] outlier' evenly
    fi
done <<'END'
2 4 4 0.001 0.5
1 5 4 0.001 0.5
0 21 3 0.005 0.2
1 21 4 0.005 0.2
0 21 4 0.005 0.14
1 21 4 0.005 0.16
0 21 4 0.02 0.22
1 21 4 0.02 0.26
0 21 3 0.011 0.66
1 21 3 0.011 0.72
0 21 3 0.015 0.9
1 21 3 0.015 1
0 300 1 0.001 0.047
1 300 1 0.001 0.053
0 300 4 0.001 0.028
1 300 4 0.001 0.032
1 300 5 0.001 0.2 0.38
2 300 5 0.001 0.2 0.42
END
finish
