# SPDX-License-Identifier: MIT
# scripts/smoke on results that are legal on some machine, and on those that are on none.
. "$(dirname "$0")/common.sh"
command -v jq >/dev/null || { echo "skip smoke: jq is not here" && exit 77; }

# result FINDING ROWS TRUST [COMPLETE [WARNINGS]]
result() {
    cat >"$work/result.json" <<LINES
{"schema": "uarchprobe/2", "host": {"arch": "x86_64"}, "run": {"complete": ${4:-true}, "seconds": 0.5},
 "tables": [{"columns": [{"key": "n"}], "rows": $2}],
 "findings": [{"key": "store_buffer.entries", "value": null, "trust": "$3", "text": "$1"}], "warnings": [${5:-}]}
LINES
    attempt "$root/scripts/smoke" "$work/result.json"
}

result "store buffer: 64 entries" '{"n": [1]}' high
check "a result with rows" [ "$code" -eq 0 ]
result "store buffer: not resolved, because no number of stores stands out" '{"n": []}' low
check "a result that was not resolved" [ "$code" -eq 0 ]
result "store buffer: 64 entries" '{"n": []}' high
check "a finding without rows is refused" [ "$code" -eq 1 ]
result "store buffer: 64 entries" '{"n": [-1]}' high
check "a negative number is refused" [ "$code" -eq 1 ]
result "store buffer: 64 entries" '{"n": [1]}' some
check "a trust that is none is refused" [ "$code" -eq 1 ]
result "store buffer: 64 entries" '{"n": [1]}' high false
check "an incomplete run without a reason is refused" [ "$code" -eq 1 ]
result "store buffer: 64 entries" '{"n": [1]}' high false '{"code": "time_budget", "text": "left out"}'
check "... with one it is a result" [ "$code" -eq 0 ]
finish
