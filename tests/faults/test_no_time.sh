# SPDX-License-Identifier: MIT
# No time: each way to measure ends at its budget, a result without a value is no success, with --strict an incomplete one is
# none either, and what was not measured has no reason of its own.
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
value='[.. | .answers? // empty | .[] | select(.value != null and (.samples != null or .interval != null))],
    [.. | .tables? // empty | .[] | .rows as $rows | .columns[] | select(.role == "measure" and .type != "integer") |
        $rows[.key] | if type == "object" then .median else . end | .[]? | values] | length'

for command in ram "ram --task latency --size 1gi" "ram --curve" "ram --loaded" "ram --scale" "ram --share 2" "ram --nodes" \
    "ram --crossover" sb-capacity "sb-capacity -m nops" "sb-capacity -m litmus" stlf core-latency "core-latency -b sharing" capacity \
    cost report; do
    case $command in core* | *litmus | *loaded | *scale | *sharing) [ "$(nproc)" -gt 1 ] || continue ;; esac
    run $command --time-budget 0.1 -q -f json
    has=$(jq -s "[.[] | $value] | add" "$work/out")
    expected=1
    [ "${has:-0}" -eq 0 ] || expected=0
    check "$command: $code with ${has:-0} values" [ "$code" -eq $expected -o "$code" -eq 3 ]
    jq -se '[.[] | .. | .answers? // empty | .[] | select(.value == null and .samples == null) | .remark // "" |
        select(test("no more than|drifts|within noise|not reached|threads add"))] == []' "$work/out" >"$work/remarks"
    verdict $? "and no reason where there was no sample"
    # What ends a run is the same in both; whether the time was over is the engine's word, so a few commands show it.
    case $command in ram | stlf | core-latency | cost | report) ;; *) [ "${NIGHTLY-}" ] || continue ;; esac
    run $command --time-budget 0.1 -q -f json --strict
    check "$command --strict" [ "$code" -eq 5 -o "$code" -eq 3 -o "$(jq .run.complete "$work/out")" = true ]
done
finish
