# SPDX-License-Identifier: MIT
# The results of other machines that the repository holds: each is whole, plausible, fits the schema and can be shown; `submit` makes them;
# the page and the embedded table have no machine that is not there. A new file needs neither: they are made anew on the main branch.
. "$(dirname "$0")/../common.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
base=$root/tests/data/results/report.json
command -v jq >/dev/null || skip "jq is not installed"

# plausible FILE: whole, of no emulator, in the folder of its CPU, and no value that physics forbids: a load from L1 takes 2 to 8 cycles, an inner
# cache is faster than an outer one, a store buffer has 8 to 512 entries. A surprise is welcome, nonsense is not.
plausible() {
    jq -e --arg folder "$(basename "$(dirname "$1")")" '
        def value($key): [.commands[].findings[] | select(.key == $key and (.value | type) == "number") | .value] | first;
        def rises($keys): [$keys[] as $key | value($key) | select(. != null)] | . == sort;
        .run.complete == true and .run.conditions.emulated != true and .tables == [] and .run.argv == null and .run.node == null and
        ([.commands[].tables[]] == []) and (.host.machine | length) > 0 and
        $folder == "\({"AuthenticAMD": "amd", "GenuineIntel": "intel"}[.host.cpu.vendor] // (.host.cpu.vendor | ascii_downcase))-\(.host.cpu.family)-\(.host.cpu.model)" and
        rises(["ram.L1.latency", "ram.L2.latency", "ram.L3.latency", "ram.DRAM.latency"]) and
        rises(["ram.DRAM.read", "ram.L2.read", "ram.L1.read"]) and
        (value("stlf.l1_latency") // 4 | . >= 2 and . <= 8) and (value("store_buffer.entries") // 64 | . >= 8 and . <= 512)' "$1" >/dev/null
}

for file in "$root"/results/*/*.json; do
    shown report --from "$file" --quiet
    check "$(basename "$file") is plausible" plausible "$file"
    check "$(basename "$file") is small" [ "$(wc -c <"$file")" -le 30000 ]
    check "$(basename "$file") is there once" [ "$(cat "$root"/results/*/*.json | grep -cxF "$(cat "$file")")" -eq 1 ]
done
if python3 -c 'import jsonschema' 2>/dev/null; then
    check "they fit the schema" python3 "$root/tests/cli/validate.py" "$root/docs/schema.json" "$root"/results/*/*.json
else
    echo "skip the schema: python3-jsonschema is not here"
fi

"$root/scripts/results" --table >"$work/table"
check "each row of data/machines.tsv is of a result" [ "$(grep -cvxFf "$work/table" "$root/data/machines.tsv")" -eq 0 ]
"$root/scripts/results" >"$work/page"
check "each machine has a row on the page" [ "$(grep -c '^| .*, [0-9]* CPUs, ' "$work/page")" -ge "$(ls "$root"/results/*/*.json | wc -l)" ]

jq '.run.node = "n7" | .run.argv = ["uarchprobe", "report"]' "$base" >"$work/full.json"
run submit "$work/full.json" --machine "two sockets"
cp "$work/out" "$work/submission"
check "submit writes answers alone" [ "$code $(jq -c '[.tables, [.commands[].tables[]], .run.argv, .run.node, .host.machine]' "$work/submission")" = '0 [[],[],null,null,"two sockets"]' ]
answers='[.commands[].findings[] | select(.value != null) | [.key, .value, .trust]] | sort'
check "... all of them" [ "$(jq -c "$answers" "$work/submission")" = "$(jq -c "$answers" "$base")" ]
check "... and names the place" grep -q 'results/[a-z]*-[0-9]*-[0-9]*/' "$work/err"
shown report --from "$work/submission" --quiet
jq '.run.complete = false' "$base" >"$work/early.json"
refuses 2 incomplete submit "$work/early.json" --machine x
jq '.run.conditions.emulated = true' "$base" >"$work/emulated.json"
refuses 2 emulated submit "$work/emulated.json" --machine x
refuses 2 machine submit "$base"

finish
