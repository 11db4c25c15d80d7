#!/bin/sh
# SPDX-License-Identifier: MIT
# check on a recorded report: one line and an exit code, against an earlier result and against limits; Prometheus takes what it
# writes. Measures once, for a moment.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"
base=$(cd "$(dirname "$0")" && pwd)/../data/results/report.json

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# checks CODE TEXT ARGUMENT...: exit code, one line, which begins with TEXT.
checks() {
    wanted=$1
    text=$2
    shift 2
    "$program" check "$@" >"$work/out" 2>"$work/err"
    code=$?
    [ "$code" -eq "$wanted" ] || fail "'$*' exits with $code, not $wanted: $(cat "$work/out" "$work/err")"
    # In an emulator each finding comes with a warning, the verdict on a result of another machine as well.
    [ "$(grep -hvc 'an emulator runs' "$work/out" "$work/err" | awk '{ n += $1 } END { print n }')" -eq 1 ] || fail "'$*' does not print one line: $(cat "$work/out" "$work/err")"
    grep -q -- "$text" "$work/out" "$work/err" || fail "no '$text' in: $(cat "$work/out" "$work/err")"
}

limit() {
    printf '%s\n' "$@" >"$work/limits"
}

checks 0 'OK: [0-9]* findings can be trusted, [0-9]* cannot' "$base"
checks 0 'OK: [0-9]* good, 0 worse, [0-9]* unknown' --against "$base" "$base"
sed '/"key": "ram.L2.read"/{s/"value": [0-9.]*/"value": 400e9/;s/"interval": [^]]*/"interval": [399e9, 401e9/;}' "$base" >"$work/better"
checks 1 'FAIL ram.L2.read' --against "$work/better" "$base"
checks 0 'OK: ' --against "$work/better" --only 'ram.L1.*,stlf.*' "$base"
sed 's/"brand": "[^"]*"/"brand": "Another CPU"/' "$base" >"$work/other"
checks 2 'differ in CPU' --against "$work/other" "$base"
checks 2 'cannot read' --against "$work/absent" "$base"
sed 's/"trust": "[a-z]*"/"trust": "low"/' "$base" >"$work/low"
checks 5 'NOT FIT TO JUDGE: 0 findings can be trusted' "$work/low"

# low COUNT [FILE]: all but the first COUNT findings are not to be trusted.
low() {
    awk -v rest="$1" '/"trust": "/ && !/\.published"/ && rest-- <= 0 { sub(/"trust": "[a-z]*"/, "\"trust\": \"low\"") } { print }' "${2:-$base}"
}
count=$(low 0 | grep '"trust": "low"' -c)
low $(((count + 1) / 2)) >"$work/half"
checks 0 'OK: ' "$work/half"
checks 0 'OK: ' --against "$base" "$work/half"
low $(((count - 1) / 2)) >"$work/half"
checks 5 'NOT FIT TO JUDGE' "$work/half"
checks 5 'NOT FIT TO JUDGE' --against "$base" "$work/half"
sed '/"key": "store_buffer.entries"/s/"value": [0-9]*/"value": 56/' "$base" >"$work/halved"
checks 1 'FAIL store_buffer.entries 112 -> 56' --against "$base" "$work/halved"
sed '0,/"run": {/s//"run": {"conditions": {"emulated": true},/' "$base" >"$work/emulated"
checks 2 'emulated' --against "$work/emulated" "$base"
sed 's/"complete": true/"complete": false/' "$base" >"$work/incomplete"
checks 5 'NOT FIT TO JUDGE' "$work/incomplete"
# both FILE: the store buffer of a busy sibling as well, in a finding of its own.
both() {
    sed '/"key": "store_buffer.entries"/{p;s/"value": [0-9]*/"value": 56/;s/"state": [^,]*/"state": "sibling active"/;}' "$1"
}
both "$base" >"$work/both"
limit 'store_buffer.entries = 112 entries'
checks 0 'OK: 1 good, 0 worse, 0 unknown' --limits "$work/limits" "$work/both"
checks 0 'OK: ' --against "$work/both" --only store_buffer.entries "$work/both"
sed '/"sibling active"/s/"value": 56/"value": 40/' "$work/both" >"$work/less"
checks 1 'FAIL store_buffer.entries (busy) 56 -> 40' --against "$work/both" "$work/less"
limit 'ram.L1.read >= 1 GiB/s'
checks 5 'NOT FIT TO JUDGE' --limits "$work/limits" "$work/incomplete"
sed 's/"kernel": "[0-9][^"]*"/"kernel": "2.4.1-other"/' "$base" >"$work/updated"
"$program" check -q --against "$work/updated" "$base" >"$work/out" 2>&1
[ $? -eq 0 ] || fail "an update of the kernel ends judgement: $(cat "$work/out")"

checks 0 'OK: ' --only 'store_buffer.*' "$base"
[ "$(sed 's/.*OK: \([0-9]*\) .* \([0-9]*\) cannot.*/\1 \2/' "$work/out" | awk '{ print $1 + $2 }')" -lt 10 ] || fail "--only alone counts all: $(cat "$work/out")"
checks 5 'NOT FIT TO JUDGE' --only 'no.such.key' "$base"

# A machine of which a whole command is missing is not judged by the others, unless nothing of that command is asked.
if command -v jq >/dev/null; then
    jq 'del(.commands[] | select(.run.command == "ram"))' "$base" >"$work/absent.json"
    "$program" check -q --against "$base" "$work/absent.json" >"$work/out" 2>"$work/err"
    [ $? -eq 5 ] || fail "without ram: $(cat "$work/out" "$work/err")"
    "$program" check -q --against "$base" --only 'store_buffer.*' "$work/absent.json" >"$work/out" 2>"$work/err"
    [ $? -eq 0 ] || fail "without ram, of which nothing is asked: $(cat "$work/out" "$work/err")"
fi

limit '# a node' 'ram.L1.read >= 1 GiB/s' 'store_buffer.entries >= 1 entries'
checks 0 'OK: 2 good' --limits "$work/limits" "$base"
limit "#$(printf '%300s' 'ram.L1.read >= 1e6 GiB/s')" 'ram.L1.read >= 1 GiB/s'
checks 0 'OK: 1 good' --limits "$work/limits" "$base"
limit 'ram.L1.read >= 1e6 GiB/s'
checks 1 'FAIL ram.L1.read .* GiB/s, not >= 1e+06 GiB/s' --limits "$work/limits" "$base"
limit 'ram.L1.read >= 1 GiB/s' 'no.such.key >= 1 ns' 'ram.*.latency >= 1e-3 ns'
checks 0 'OK: 2 good, 0 worse, 1 unknown (nothing was found for no.such.key' --limits "$work/limits" "$base"
limit 'ram.L1.read >= 1 GiB/s' 'no.such.key >= 1 ns' 'no.other.key >= 1 ns'
checks 5 'NOT FIT TO JUDGE nothing was found for no.such.key' --limits "$work/limits" "$base"
limit 'no.such.key >= 1 ns'
checks 5 'nothing was found for no.such.key' --limits "$work/limits" "$base"
limit 'ram.L1.read >= 1 GiB/s' 'ram.L1.read is fast'
checks 2 'line 2 is no limit' --limits "$work/limits" "$base"
checks 2 'cannot read' --limits "$work/absent" "$base"
checks 2 'cannot read.*directory' --limits "$work" "$base"

# A disk that is full is no verdict, on which a node would be drained.
if [ -w /dev/full ]; then
    "$program" check "$base" -o /dev/full 2>/dev/null
    [ $? -eq 2 ] || fail "a full disk is no trouble to check"
    "$program" compare "$base" "$base" -o /dev/full 2>/dev/null
    [ $? -eq 2 ] || fail "a full disk is no trouble to compare"
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
"$program" report -q --from "$base" -f prometheus >"$work/report.prom"
prom "$work/report.prom" || fail "the report is not in Prometheus' format: $(cat "$work/report.prom")"
grep -q '^uarchprobe_finding{command="ram",key="ram.L2.read",unit="Byte/s"} [0-9]' "$work/report.prom" ||
    fail "ram.L2.read is not in $(cat "$work/report.prom")"
"$program" check --against "$work/better" -o "$work/check.prom" "$base"
[ $? -eq 1 ] || fail "-o changes the exit code"
prom "$work/check.prom" || fail "check is not in Prometheus' format: $(cat "$work/check.prom")"
grep -q '^uarchprobe_finding{command="check",key="check.exit_code",unit=""} 1$' "$work/check.prom" ||
    fail "the exit code is not in $(cat "$work/check.prom")"
"$program" check --against "$work/other" -o "$work/check.prom" "$base" 2>"$work/err"
[ $? -eq 2 ] || fail "another machine is no trouble to check"
prom "$work/check.prom" || fail "a failed check is not in Prometheus' format: $(cat "$work/check.prom")"
grep -q '^uarchprobe_finding{command="check",key="check.exit_code",unit=""} 2$' "$work/check.prom" ||
    fail "a check that failed leaves the earlier verdict: $(cat "$work/check.prom")"
if command -v promtool >/dev/null; then
    promtool check metrics <"$work/report.prom" >"$work/out" 2>&1 || fail "promtool: $(cat "$work/out")"
fi

if ! emulated; then
    # Next to other work the time may be over before all is measured.
    for _ in 1 2 3; do
        "$program" check >"$work/out" 2>"$work/err"
        case $? in
        0 | 1 | 5) ;;
        *) fail "check does not measure: $(cat "$work/out" "$work/err")" ;;
        esac
        grep -q incomplete "$work/out" || break
    done
    ! grep -q incomplete "$work/out" || fail "each of three checks is incomplete: $(cat "$work/out")"
    limit 'store_buffer.entries >= 1 entries'
    "$program" check --limits "$work/limits" >"$work/out" 2>"$work/err"
    grep -Eq ': (1 good, 0 worse, 0|0 good, 0 worse, 1) unknown$' "$work/out" ||
        fail "each command is not measured once: $(cat "$work/out" "$work/err")"
fi

[ "$failures" -eq 0 ] || echo "$failures failures" >&2
[ "$failures" -eq 0 ]
