# SPDX-License-Identifier: MIT
# JSON of every command, without measuring, fits docs/schema.json (measured: test_report.sh), and the schema refuses changes.
# Skipped without python3-jsonschema.
. "$(dirname "$0")/../common.sh"
here=$(cd "$(dirname "$0")" && pwd)
schema=$here/../../docs/schema.json
base=$here/../data/results/report.json
python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not here"
cd "$work" || exit 99

# written NAME ARGUMENT...: the command writes a document, or cannot run here for want of CPUs or features. All are validated in one go.
written() {
    name=$1
    shift
    run "$@" -f json -o "$name.json"
    [ "$code" -eq 3 ] || [ "$code" -eq 4 ] || { [ "$code" -eq 0 ] && [ -s "$name.json" ]; }
    verdict $? "$* writes a document"
}

written info info --quick
written list list
for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    ! "$program" "$command" --help | grep -q -e '--dry-run' || written "$command-plan" "$command" --dry-run
done
run report --from "$base" -f jsonl && cp out line.json
written compare compare "$base" "$base"
expect 0 "validation of what commands write" python3 "$here/validate.py" "$schema" "$base" ./*.json

# The document, the change that must be refused, its name; "answer" is one that may stand in a document.
cat >changes <<'END'
info;document["schema"] = "uarchprobe/0";another schema
info;del document["tables"];a document without tables
info;del answer["trust"];an answer without trust
info;answer["key"] = "=1";a key that is a formula
info;answer["trust"] = "some";an unknown trust
info;answer["limited_by"] = "luck";an unknown limited_by
info;document["result"] = {};an unknown member
info;document["host"]["caches"] = [{"level": 1, "type": "data", "bytes": 0}];a cache of no bytes
info;document["run"]["started"] = "yesterday";a date that is none
list;rows["operation"].append(None);a column with one value more
list;del rows["operation"];a column without values
list;rows["more"] = rows["operation"];values without a column
list;rows["operation"][0] = 1;a value of another type
list;columns[0].update(type="class", names=[]), rows.update(kernel=[0] * len(rows["kernel"]));a class without a name
END
python3 - <<'END'
import json
for number, line in enumerate([";pass;unchanged", *open("changes")]):
    source, change, name = line.rstrip("\n").split(";")
    document = json.load(open(f"{source or 'info'}.json"))
    answer = dict.fromkeys(["label", "unit", "interval", "state", "samples", "parts", "ghz", "within", "within_absolute", "limited_by",
                             "published", "remark", "sheet_cell", "text"], None) | {"key": "a", "value": 1, "trust": "low"}
    if source != "list":
        document["answers"] = [answer]
    else:
        rows, columns = (document["tables"][0][part] for part in ("rows", "columns"))
    exec(change)
    json.dump(document, open(f"changed-{number}", "w"))
END
python3 "$here/validate.py" "$schema" changed-* 2>refused
check "the schema takes the answer that is changed" sh -c '! grep -q "changed-0: " refused'
number=0
while IFS=';' read -r source change name; do
    number=$((number + 1))
    check "the schema refuses $name" grep -q "changed-$number: " refused
done <changes
finish
