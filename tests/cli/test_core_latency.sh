# SPDX-License-Identifier: MIT
# core-latency: the shape of its results, an interrupted run.
. "$(dirname "$0")/../common.sh"

[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
command -v jq >/dev/null || skip "jq is not installed"

run core-latency --dry-run -f json
check "a dry run plans" jq -e '.plan.pairs > 0 and .plan.seconds > 0 and .tables == []' "$work/out"

run core-latency -b all --quick -q -f json
cp "$work/out" "$work/all.json"
jq "$by_row" "$work/out" >"$work/rows" && mv "$work/rows" "$work/out"
check "all benchmarks succeed" [ "$code" -eq 0 ]
check "a table for every series" jq -e '[.tables[].name] == ["cas", "compiled", "readwrite", "transfer", "transfer_rmw", "sharing"]' "$work/out"
check "every pair once" jq -e '.plan.pairs as $n | [.tables[:4][].rows | length] | all(. == $n)' "$work/out"
check "values are positive or null" jq -e '[.tables[:4][].rows[].latency_ns] | all(. == null or . > 0)' "$work/out"
check "a value has rounds" jq -e '[.tables[:4][].rows[] | select(.latency_ns != null) | .rounds] | all(. >= 1)' "$work/out"
# It is measured once a round, in vain where another process had the CPU, as in most rounds under an emulator.
if ! emulated; then
    run_until 'cas\.own_line' core-latency -b cas -r 3 -q -f json
    check "the own-line cost of the CAS is an answer" jq -e '[.answers[].key] | index("cas.own_line") != null' "$work/out"
fi

run core-latency -b cas -r 1 -q -f json
check "one round is never trusted highly" jq -e '[.answers[] | select(.key | endswith("own_line") | not) | .trust] | all(. != "high")' "$work/out"

run core-latency -b cas --quick -q -f tsv_matrix
check "the matrix is square" awk -F'\t' 'NR == 1 { n = NF } END { exit !(NR == n) }' "$work/out"
check "and has nothing above its diagonal" awk -F'\t' 'NR > 1 { for (i = NR; i <= NF; i++) full += $i != "" } END { exit full > 0 }' "$work/out"
run core-latency -b cas --quick -q --cpus "$(first_cpu),$(last_cpu)"
check "the screen begins with it, without the row that has nothing" [ "$(awk '$1 == "CPU" { getline; print $1; exit }' "$work/out")" = "$(last_cpu)" ]
run core-latency -b cas --both-ways --quick -q -f json
check "both ways are pairs of their own" jq -e "$by_row"' | [.tables[0].rows[] | [.from, .to]] | (length == (unique | length)) and ([.[] | [.[1], .[0]]] - . == [])' "$work/out"

ended core-latency -b all -r 255 -s 200 -f json
check "an interrupted run exits with 143" [ "$code" -eq 143 ]
check "and writes what it has" jq -e '.run.complete == false and (.tables | length) == 6' "$work/out"
finish
