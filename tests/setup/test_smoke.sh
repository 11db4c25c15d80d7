# SPDX-License-Identifier: MIT
# scripts/smoke on results that are legal on some machine, and on those that are on none.
. "$(dirname "$0")/common.sh"
command -v jq >/dev/null || { echo "skip smoke: jq is not here" && exit 77; }

# result FINDING ROWS TRUST [COMPLETE [WARNINGS]]
result() {
    cat >"$work/result.json" <<LINES
{"schema": "uarchprobe/3", "host": {"arch": "x86_64"}, "run": {"complete": ${4:-true}, "seconds": 0.5},
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

# report FILTER: the result above as the only command of a report, changed by the filter.
report() {
    jq "{schema, host, run, tables: [], findings: [], warnings: [], commands: [{run, tables, findings, warnings}]} | $1" \
        "$work/result.json" >"$work/report.json"
    attempt "$root/scripts/smoke" "$work/report.json"
}
result "store buffer: 64 entries" '{"n": [1]}' high
report .
check "a report" [ "$code" -eq 0 ]
report '.run.complete = false'
check "a report may be incomplete where each command is complete or says why" [ "$code" -eq 0 ]
report '.commands[1] = {run: {complete: false, seconds: 0.1, fault: "one CPU has no pairs"}, tables: [], findings: [], warnings: []}'
check "... and a command may say that it cannot run here" [ "$code" -eq 0 ]
report '.commands[0].run.complete = false'
check "an incomplete command without a reason is refused" [ "$code" -eq 1 ]
report '.commands[0].tables = []'
check "a command without tables is refused" [ "$code" -eq 1 ]
report '.commands[0].tables[0].rows.n = [-1]'
check "a negative number in a command's table is refused" [ "$code" -eq 1 ]
report '.commands[0].findings[0].trust = "some"'
check "a trust that is none is refused in a command" [ "$code" -eq 1 ]
report '.commands = []'
check "a report of nothing is refused" [ "$code" -eq 1 ]
finish
