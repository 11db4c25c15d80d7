#!/bin/sh
# SPDX-License-Identifier: MIT
# What every command writes as JSON fits docs/schema.json, and the schema refuses what does not. Skipped without
# python3-jsonschema.
program=$1
[ -x "$program" ] || { echo "usage: $0 UARCHPROBE" >&2; exit 99; }
here=$(cd "$(dirname "$0")" && pwd)
schema=$here/../../docs/schema.json
python3 -c 'import jsonschema' 2>/dev/null || { echo "skipped: python3-jsonschema is not here"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# fits NAME ARGUMENT...: the command's document is valid. What it lacks here (CPUs, features) is not this test's business.
fits() {
    name=$1
    shift
    "$program" "$@" -f json -o "$work/$name.json" 2>"$work/err"
    code=$?
    case $code in
    0 | 3 | 4) ;;
    *) fail "'$*' exits with $code: $(cat "$work/err")" ;;
    esac
    if [ ! -s "$work/$name.json" ]; then
        [ $code -ne 0 ] || fail "'$*' writes nothing"
        return
    fi
    python3 "$here/validate.py" "$schema" "$work/$name.json" || fail "'$*' writes what the schema does not have"
}

# unfit NAME PYTHON [DOCUMENT]: a document changed so must be refused.
unfit() {
    python3 - "$work/${3:-info}.json" "$work/bad.json" "$2" <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
exec(sys.argv[3])
json.dump(document, open(sys.argv[2], "w"))
PYTHON
    python3 "$here/validate.py" "$schema" "$work/bad.json" 2>/dev/null && fail "the schema takes $1"
}

# Under an emulator (whose wrapper is a script) measuring takes too long.
emulated() {
    [ "$(head -c 2 "$program")" = '#!' ]
}

fits info info
fits list list
for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    "$program" "$command" --help | grep -q -e '--dry-run' || continue
    fits "$command-plan" "$command" --dry-run
    emulated || [ "$command" = report ] || fits "$command" "$command" --quick --time-budget 0.5
done
emulated || fits report report --quick --time-budget 1
if [ -s "$work/report.json" ]; then
    fits compare compare "$work/report.json" "$work/report.json"
    "$program" report --from "$work/report.json" -f jsonl >"$work/line.json"
    python3 "$here/validate.py" "$schema" "$work/line.json" || fail "jsonl does not fit"
fi

unfit "another schema" 'document["schema"] = "uarchprobe/0"'
unfit "a document without tables" 'del document["tables"]'
unfit "a finding without trust" 'document["findings"] = [{"key": "a", "value": 1, "unit": None, "text": None}]'
unfit "an unknown trust" 'document["findings"] = [{"key": "a", "value": 1, "unit": None, "text": None, "trust": "some"}]'
unfit "an unknown member" 'document["result"] = {}'
unfit "a cache of no bytes" 'document["host"]["caches"] = [{"level": 1, "type": "data", "bytes": 0}]'
unfit "a date that is none" 'document["run"]["started"] = "yesterday"'
row='document["tables"][0]["rows"][0]'
unfit "a row with one value more" "${row}[\"more\"] = 1" list
unfit "a row with one value less" "$row.popitem()" list
unfit "a value of another type" "$row.update({c[\"key\"]: 1 if c[\"type\"] == \"text\" else \"one\" for c in document[\"tables\"][0][\"columns\"]})" list

[ "$failures" -eq 0 ] || echo "$failures failures" >&2
[ "$failures" -eq 0 ]
