#!/bin/sh
# SPDX-License-Identifier: MIT
# What every command writes as JSON fits docs/schema.json, and the schema refuses what does not. Skipped without
# python3-jsonschema.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
schema=$here/../../docs/schema.json
base=$here/../data/results/report.json
python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not here"

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# fits NAME ARGUMENT...: the command's document is valid. What it lacks here (CPUs, features) is not this test's business.
# All are validated at the end, in one go.
fits() {
    name=$1
    shift
    "$program" "$@" -f json -o "$work/$name.json" 2>"$work/err"
    code=$?
    case $code in
    0 | 3 | 4) ;;
    *) fail "'$*' exits with $code: $(cat "$work/err")" ;;
    esac
    [ -s "$work/$name.json" ] || [ $code -ne 0 ] || fail "'$*' writes nothing"
}

# unfit NAME PYTHON [DOCUMENT]: a document changed so must be refused.
unfit() {
    printf '%s\t%s\t%s\n' "$1" "$2" "${3:-info}" >>"$work/changes"
}

fits info info
fits list list
for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    "$program" "$command" --help | grep -q -e '--dry-run' || continue
    fits "$command-plan" "$command" --dry-run
done
# All commands that measure.
emulated || fits report report --quick --time-budget 1
"$program" report --from "$base" -f jsonl >"$work/line.json"
fits compare compare "$base" "$base"
python3 "$here/validate.py" "$schema" "$base" "$work"/*.json || fail "a command writes what the schema does not have"

unfit "another schema" 'document["schema"] = "uarchprobe/0"'
unfit "a document without tables" 'del document["tables"]'
unfit "a finding without trust" 'document["findings"] = [{"key": "a", "value": 1, "unit": None, "interval": None, "state": None, "samples": None, "parts": None, "ghz": None, "within": None, "leg": None, "text": None}]'
unfit "a key that is a formula" 'document["findings"] = [{"key": "=1", "value": 1, "unit": None, "interval": None, "state": None, "samples": None, "parts": None, "ghz": None, "within": None, "leg": None, "text": None, "trust": "low"}]'
unfit "an unknown trust" 'document["findings"] = [{"key": "a", "value": 1, "unit": None, "interval": None, "state": None, "samples": None, "parts": None, "ghz": None, "within": None, "leg": None, "text": None, "trust": "some"}]'
unfit "an unknown member" 'document["result"] = {}'
unfit "a cache of no bytes" 'document["host"]["caches"] = [{"level": 1, "type": "data", "bytes": 0}]'
unfit "a date that is none" 'document["run"]["started"] = "yesterday"'
table='document["tables"][0]'
unfit "a column with one value more" "${table}[\"rows\"][\"summary\"].append(None)" list
unfit "a column without values" "del ${table}[\"rows\"][\"summary\"]" list
unfit "values without a column" "${table}[\"rows\"][\"more\"] = ${table}[\"rows\"][\"summary\"]" list
unfit "a value of another type" "${table}[\"rows\"][\"summary\"][0] = 1" list
unfit "a class without a name" "${table}[\"columns\"][0].update({\"type\": \"class\", \"names\": []}); ${table}[\"rows\"][\"command\"] = [0] * len(${table}[\"rows\"][\"command\"])" list
unfit "an unknown leg" 'document["findings"] = [{"key": "a", "value": 1, "unit": None, "interval": None, "state": None, "samples": None, "parts": None, "ghz": None, "within": None, "leg": "luck", "text": None, "trust": "low"}]'


python3 - "$work" <<'PYTHON'
import json, sys
work = sys.argv[1]
with open(work + "/changes") as changes:
    for number, line in enumerate(changes, 1):
        name, change, source = line.rstrip("\n").split("\t")
        with open(f"{work}/{source}.json") as file:
            document = json.load(file)
        exec(change)
        with open(f"{work}/bad-{number}", "w") as file:
            json.dump(document, file)
PYTHON
python3 "$here/validate.py" "$schema" "$work"/bad-* 2>"$work/refused"
number=0
while IFS="$(printf '\t')" read -r name rest; do
    number=$((number + 1))
    grep -q "^$work/bad-$number: " "$work/refused" || fail "the schema takes $name"
done <"$work/changes"
tried=$(grep -c "^unfit " "$0")
[ "$number" -eq "$tried" ] || fail "$number of $tried changes were tried"

[ "$failures" -eq 0 ] || echo "$failures failures" >&2
[ "$failures" -eq 0 ]
