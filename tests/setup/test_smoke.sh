# SPDX-License-Identifier: MIT
# scripts/smoke on results that are legal on some machine, and on those that are on none.
. "$(dirname "$0")/common.sh"
# A machine with a shell and nothing else.
mkdir "$work/few"
ln -s "$(command -v sh)" "$work/few/sh"
echo '{}' >"$work/any.json"
PATH=$work/few attempt "$work/few/sh" "$root/scripts/smoke" "$work/any.json"
check "without jq it says so in one line" one_line jq
check "... and checks nothing" [ "$code-$(wc -c <"$work/out")" = 2-0 ]
command -v jq >/dev/null || { echo "skip smoke: jq is not here" && exit 77; }

# A result of one command with a row, and a report of it.
cat >"$work/result" <<'LINES'
{"schema": "uarchprobe/4", "host": {"arch": "x86_64"}, "run": {"complete": true, "seconds": 0.5},
 "tables": [{"columns": [{"key": "n", "role": "measure"}], "rows": {"n": [1]}}],
 "answers": [{"key": "store_buffer.entries", "value": null, "trust": "high", "text": "store buffer: 64 entries"}], "warnings": []}
LINES
jq '{schema, host, run, tables: [], answers: [], warnings: [], commands: [{run, tables, answers, warnings}]}' "$work/result" >"$work/report"

# Exit code, file, change, name.
while IFS=@ read -r wanted which filter name; do
    jq "$filter" "$work/$which" >"$work/changed.json"
    expect "$wanted" "$name" "$root/scripts/smoke" "$work/changed.json"
done <<'END'
0@result@.@a result with rows
0@result@.tables[0].rows.n = [] | .answers[0] |= (.trust = "low" | .text = "store buffer: not resolved, because no number of stores stands out")@a result that was not resolved
1@result@.tables[0].rows.n = []@an answer without rows
1@result@.tables[0].rows.n = [-1]@a negative number
0@result@.tables[0].rows.n = [-1] | .tables[0].columns[0].role = "parameter"@a negative offset
0@result@.tables[0].columns[0].names = ["unknown"]@a class for what is unknown
1@result@.host.governor = "unknown"@a fact that is unknown
0@report@.commands[0].tables += [{columns: [{key: "m", role: "label"}], rows: {m: []}}]@an empty table next to another
1@result@.answers[0].trust = "some"@a trust that is none
1@result@.run.complete = false@an incomplete run without a reason
0@result@.run.complete = false | .warnings = [{code: "time_budget", text: "left out"}]@an incomplete run with a reason
0@report@.@a report
0@report@.run.complete = false@an incomplete report whose commands are complete
0@report@.commands[1] = {run: {complete: false, seconds: 0.1, fault: "one CPU has no pairs"}, tables: [], answers: [], warnings: []}@a command that cannot run here
1@report@.commands[0].run.complete = false@an incomplete command without a reason
1@report@.commands[0].tables = []@a command without tables
1@report@.commands[0].tables[0].rows.n = [-1]@a negative number in a command's table
1@report@.commands[0].answers[0].trust = "some"@a trust that is none in a command
1@report@.commands = []@a report of nothing
END
finish
