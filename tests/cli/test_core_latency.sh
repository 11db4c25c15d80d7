# SPDX-License-Identifier: MIT
# core-latency: refusals, the shape of its results, an interrupted run.
. "$(dirname "$0")/../common.sh"

cpus=$(nproc)
first=$(taskset -pc $$ 2>/dev/null | sed 's/.*: //; s/[-,].*//')

refused() { # CODE WORDS ARGUMENT...
    wanted=$1 words=$2
    shift 2
    run core-latency "$@"
    [ "$code" -eq "$wanted" ] && grep -q -- "$words" "$work/err"
    verdict $? "core-latency $* exits with $wanted and says \"$words\""
    check "core-latency $* prints no result" [ ! -s "$work/out" ]
}

refused 2 "none of" -b nonsense
refused 2 "samples" -s 0
refused 2 "iterations" -i 0
refused 2 "not a whole number" -s 99999999999999999999999
refused 2 "named twice" -c 0,0
refused 2 "none of" --pairs sideways
refused 2 "lines" --lines 17
refused 2 "duration" --duration 0
refused 2 "repeat" -r 1000001
if [ -n "$first" ]; then
    refused 3 "two CPUs" -c "$first"
fi
[ "$cpus" -ge 2 ] || { echo "skip core-latency: needs two CPUs"; finish; exit; }
refused 2 "give one of them" --duration 1 -r 3
refused 4 "nothing is measured with it" --kernel 'copy*'
refused 2 "lower --samples" -s 1000000000 -i 1000000000
command -v jq >/dev/null || skip "jq is not installed"

run core-latency --dry-run -f json
check "a dry run plans" jq -e '.plan.pairs > 0 and .plan.seconds > 0 and .tables == []' "$work/out"

# The same, in $work/out by row.
run_by_row() {
    run core-latency "$@" -q -f json
    cp "$work/out" "$work/first.json"
    jq "$by_row" "$work/first.json" >"$work/out"
}

run_by_row -b all --quick
check "all benchmarks succeed" [ "$code" -eq 0 ]
check "a table for every series" jq -e '[.tables[].name] == ["cas", "readwrite", "transfer", "transfer_rmw"]' "$work/out"
check "every pair once" jq -e '.plan.pairs as $n | [.tables[:4][].rows | length] | all(. == $n)' "$work/out"
check "values are positive or null" jq -e '[.tables[:4][].rows[].latency_ns] | all(. == null or . > 0)' "$work/out"
check "a value has rounds" jq -e '[.tables[:4][].rows[] | select(.latency_ns != null) | .rounds] | all(. >= 1)' "$work/out"
# It is measured once a round and found in no round in which another process had the CPU, as in most under an emulator.
if ! emulated; then
    run_until 'cas\.own_line' core-latency -b cas -r 3 -q -f json
    check "the own-line cost of the CAS is a finding" jq -e '[.findings[].key] | index("cas.own_line") != null' "$work/out"
fi

run core-latency -b cas -r 1 -q -f json
check "one round is never trusted highly" jq -e '[.findings[] | select(.key | endswith("own_line") | not) | .trust] | all(. != "high")' "$work/out"

run_by_row -b cas --quick --pairs all
check "all: each CPU with itself, too" jq -e '[.tables[0].rows[] | select(.from == .to)] | length > 0 and all(.relation == "same CPU")' "$work/out"
run core-latency -b cas --quick -q --pairs ordered -f tsv_matrix
check "a matrix of both directions is square" awk -F'\t' 'NR == 1 { n = NF } END { exit !(NR == n) }' "$work/out"

# A CPU with itself always has a value: the run does not end before its time, however busy the machine is.
ended core-latency -b all -r 255 -s 2000 --pairs all -f json
check "an interrupted run exits with 143" [ "$code" -eq 143 ]
check "and writes what it has" jq -e '.run.complete == false and (.tables | length) == 4' "$work/out"
finish
