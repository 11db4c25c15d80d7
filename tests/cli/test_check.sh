# SPDX-License-Identifier: MIT
# check on a recorded report: one line and an exit code, against an earlier result and against limits; Prometheus takes what it
# writes. Measures for a moment.
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
base=$(cd "$(dirname "$0")" && pwd)/../data/results/report.json
limits=$work/limits

# made NAME FILTER: applies the filter to the recorded report, or to $from.
made() {
    jq 'def of(key): .commands[].answers[] | select(.key == key); '"$2" "${from:-$base}" >"$work/$1"
}

# checks CODE TEXT ARGUMENT...: exit code, and one line, which has the text.
checks() {
    wanted=$1 sought=$2
    shift 2
    gives "$wanted" "$sought" check "$@"
    # In an emulator each answer comes with a warning, the verdict on a result of another machine as well.
    check "... in one line" [ "$(cat "$work/out" "$work/err" | grep -vc 'an emulator runs')" -eq 1 ]
}

# limited CODE TEXT LINE...: by limits of those lines, [FILE] in $of.
limited() {
    wanted=$1 sought=$2
    shift 2
    printf '%s\n' "$@" >"$limits"
    checks "$wanted" "$sought" --limits "$limits" "${of:-$base}"
}

# Filters that make other results. low_from: low trust for all but the first COUNT answers.
low_from='[.commands[].answers[] | select(.key | endswith(".published") | not) | .key][$count:] as $rest |
    .commands[].answers[] |= if .key | IN($rest[]) then .trust = "low" else . end'
count=$(jq '[.commands[].answers[] | select(.key | endswith(".published") | not)] | length' "$base")
made better 'of("ram.L2.read") |= (.value = 400e9 | .interval = [399e9, 401e9])'
made other '.host.cpu.brand = "Another CPU"'
made low "0 as \$count | $low_from"
made half "$(((count + 1) / 2)) as \$count | $low_from"
made less_than_half "$(((count - 1) / 2)) as \$count | $low_from"
made halved 'of("store_buffer.entries").value = 56'
made emulated '.run.conditions.emulated = true'
made incomplete '(.. | .complete? | select(. == true)) = false'
made both '.commands[].answers |= [.[] | ., (select(.key == "store_buffer.entries") | .value = 56 | .state = "sibling active")]'
from=$work/both made less '(of("store_buffer.entries") | select(.state == "sibling active")).value = 40'
made unfit '.answers = [.commands[0].answers[0] + {key: "got.fit", value: false, remark: "half cores"}]'
made reasons '.answers = [.commands[0].answers[0] + {key: "got.fit", value: false, remark: "first"}] |
    .got.reasons = ["half cores, sibling busy 43 %", "moved 19 times in 15 s", "a reason for which there is no room in the line"]'
made updated '.host.kernel = "2.4.1-other"'
made no_ram 'del(.commands[] | select(.run.command == "ram"))'

jq '.got = {where: "as shown", reasons: ["half cores", "moved"]}' "$base" >"$work/got.json"
run report --from "$work/got.json" -o "$work/got.html"
check "a page shows where CPUs are" grep -q ">as shown<" "$work/got.html"
check "a page names no fact by its path" sh -c '! grep -q ">got[.]" "$1"' - "$work/got.html"

cd "$work" || exit 99
while IFS=';' read -r wanted sought words; do
    checks "$wanted" "$sought" $words
done <<END
0;FIT [0-9]* of [0-9]* answers can be trusted;$base
0;OK [0-9]* same, [0-9]* not judged;--against $base $base
1;WORSE L2 read: 16[0-9], was 373 GiB/s (.*noise [0-9]* %). [0-9]* same, [0-9]* not judged;--against better $base
0;OK ;--against better --only ram.L1.*,stlf.* $base
2;differ in CPU;--against other $base
2;cannot read;--against absent $base
5;UNFIT 0 of [0-9]* answers can be trusted;low
0;FIT ;half
0;OK ;--against $base half
5;UNFIT;less_than_half
5;UNFIT;--against $base less_than_half
1;WORSE store buffer: 56, was 112;--against $base halved
2;emulated;--against emulated $base
5;UNFIT;incomplete
5;UNFIT half cores. [0-9]* of [0-9]* answers can be trusted;unfit
5;UNFIT half cores, sibling busy 43 %, moved 19 times in 15 s. .* can be trusted;reasons
0;OK ;--against $base unfit
5;UNFIT half cores. .* same;--strict --against $base unfit
0;OK ;--against both --only store_buffer.entries both
1;WORSE store buffer (busy): 40, was 56;--against both less
5;UNFIT;--only no.such.key $base
2;cannot read;--limits absent $base
2;cannot read.*directory;--limits . $base
0;;-q --against updated $base
5;;-q --against $base no_ram
0;;-q --against $base --only store_buffer.* no_ram
0;FIT ;--only store_buffer.* $base
END
check "--only alone counts no others" [ "$(sed 's/.* of \([0-9]*\) answers.*/\1/' out)" -lt 10 ]

of=both limited 0 'OK 1 hold, 0 not judged' 'store_buffer.entries = 112 entries'
of=incomplete limited 0 'OK 1 hold' 'ram.L1.read >= 1 GiB/s'
of=incomplete limited 5 'UNFIT' 'ram.L1.read >= 1 GiB/s' 'ram.L9.read >= 1 GiB/s'
of=$base
limited 0 'OK 2 hold' '# a node' 'ram.L1.read >= 1 GiB/s' 'store_buffer.entries >= 1 entries'
limited 0 'OK 1 hold' "#$(printf '%300s' 'ram.L1.read >= 1e6 GiB/s')" 'ram.L1.read >= 1 GiB/s'
limited 1 'WORSE L1 read.* GiB/s, not >= 1e+06 GiB/s' 'ram.L1.read >= 1e6 GiB/s'
limited 0 'OK nothing was found for no.such.key .*; 2 hold, 1 not judged' 'ram.L1.read >= 1 GiB/s' 'no.such.key >= 1 ns' 'ram.*.latency >= 1e-3 ns'
limited 5 'UNFIT nothing was found for no.such.key' 'ram.L1.read >= 1 GiB/s' 'no.such.key >= 1 ns' 'no.other.key >= 1 ns'
limited 5 'nothing was found for no.such.key' 'no.such.key >= 1 ns'
# A unit that is none is the fault of the file, and no machine's; what is printed is one.
limited 2 "line 2: 'GiB/sec' is no unit" 'store_buffer.entries >= 1 entries' 'ram.L1.read >= 1 GiB/sec'
limited 2 "'cycle' is no unit" 'no.such.key >= 1 cycle'
of=$base
units=$(jq -r '[.. | objects | .unit? // empty | strings] | unique[]' "$base")
check "each unit of a result may limit it" [ "$(printf '%s\n' "$units" | while read -r unit; do
    echo "no.such.key >= 1 $unit" >"$limits"
    "$program" check --limits "$limits" "$base" >/dev/null 2>&1
    echo $?
done | sort -u)" = 5 ]
# Both options together count.
echo 'ram.L1.read >= 1e6 GiB/s' >"$limits"
checks 1 'WORSE L1 read.* not >= 1e+06 GiB/s; [0-9]* hold' --limits "$limits" --against "$base" "$base"
checks 1 'WORSE L1 read.*; 1 more worse, [0-9]* hold' --limits "$limits" --against "$base" halved

# A full disk is no verdict: a scheduler would drain the node.
if [ -w /dev/full ]; then
    expect 2 "check on a full disk" "$program" check "$base" -o /dev/full
    expect 2 "compare on a full disk" "$program" compare "$base" "$base" -o /dev/full
fi

# The line protocol of Prometheus: comments, and name{label="value",...} number; a metric in one piece, no series twice.
prom() {
    awk '
    /^# TYPE / { if ($3 in seen) bad = 1; seen[$3] = 1; current = $3; next }
    /^# HELP / { next }
    /^[a-z_]+\{([a-z]+="([^"\\]|\\.)*",?)+\} [-+0-9.e]+$/ {
        name = $0; sub(/\{.*/, "", name)
        series = $0; sub(/\} [^ ]*$/, "", series)
        if (name != current || series in series_seen) bad = 1
        series_seen[series] = 1; next
    }
    /^[a-z_]+ [-+0-9.e]+$/ { if ($1 != current) bad = 1; next }
    { bad = 1 }
    END { exit bad }' "$1"
}
# metric LINE FILE: it is in the format, and has that line.
metric() {
    prom "$2" && grep -q "^uarchprobe_answer{$1" "$2"
}
run report -q --from "$base" -f prometheus
check "the report is in Prometheus' format" metric 'command="ram",key="ram.L2.read",unit="Byte/s"} [0-9]' out
if command -v promtool >/dev/null; then
    check "promtool takes it" sh -c 'promtool check metrics <out'
fi
expect 1 "a check that fails" "$program" check --against better -o check.prom "$base"
check "... has its exit code in a metric" metric 'command="check",key="check.exit_code",unit=""} 1$' check.prom
expect 2 "a check against another machine" "$program" check --against other -o check.prom "$base"
check "... does not leave the earlier verdict" metric 'command="check",key="check.exit_code",unit=""} 2$' check.prom

if ! emulated; then
    echo 'store_buffer.entries >= 1 entries' >"$limits"
    run check --limits "$limits"
    check "each command is measured once" grep -Eq '(1 hold, 0|0 hold, 1) not judged' out
    run check -q -o fit.json -- true # standard output is that of the command
    check "check asks whether the machine is fit" [ "$(jq '[.answers[] | select(.key == "got.fit").value] | length' fit.json)" = 1 ]
fi
finish
