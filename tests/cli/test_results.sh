# SPDX-License-Identifier: MIT
# The results of other machines that the repository holds: each is whole, plausible, fits the schema and can
# be shown; `scripts/results` makes them short and shows them on a page. A new file does not need the page: it
# is made anew on the main branch.
. "$(dirname "$0")/../common.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
base=$root/tests/data/results/report.json
command -v jq >/dev/null || skip "jq is not installed"

# plausible FILE: whole, of no emulator, in the folder of its CPU, and no value that physics forbids: a load from L1 takes 2 to 8 cycles, an inner
# cache is faster than an outer one, a store buffer has 8 to 512 entries. A surprise is welcome, nonsense is not.
plausible() {
    jq -e --arg folder "$(basename "$(dirname "$1")")" '
        def value($key): [.commands[].answers[] | select(.key == $key and (.value | type) == "number") | .value] | first;
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
    check "$(basename "$file") is small" [ "$(wc -c <"$file")" -le 32000 ]
    check "$(basename "$file") is there once" [ "$(cat "$root"/results/*/*.json | grep -cxF "$(cat "$file")")" -eq 1 ]
done
if python3 -c 'import jsonschema' 2>/dev/null; then
    check "they fit the schema" python3 "$root/tests/cli/validate.py" "$root/docs/schema.json" "$root"/results/*/*.json
else
    echo "skip the schema: python3-jsonschema is not here"
fi

"$root/scripts/results" >"$work/page"
check "each machine has a row on the page" [ "$(grep -c '^| .*, [0-9]* CPUs, ' "$work/page")" -ge "$(ls "$root"/results/*/*.json | wc -l)" ]

# short FILE MACHINE: runs the script; its code, $work/short.out and $work/short.err.
short() {
    code=0
    "$root/scripts/results" --short "$@" >"$work/short.out" 2>"$work/short.err" || code=$?
}

# Paths, a name and conditions are added to a recorded result, and a bound of medium trust: an interval
# without an end.
jq '.run.node = "n7" | .run.argv = ["uarchprobe", "report"] | .run.conditions = {emulated: false, steal_share: 0.25} |
    .commands[0].answers[0] |= (.trust = "medium" | .interval = [.value, null])' "$base" >"$work/full.json"
short "$work/full.json" "two sockets"
check "a short result has answers alone" [ "$code $(jq -c '[.tables, [.commands[].tables[]], .run.argv, .run.node, .host.machine]' "$work/short.out")" = '0 [[],[],null,null,"two sockets"]' ]
answers='[.commands[].answers[] | select(.value != null) | [.key, .value, .unit, .state, .trust, .label, .sheet_cell]] | sort'
check "... all of them" [ "$(jq -c "$answers" "$work/short.out")" = "$(jq -c "$answers" "$work/full.json")" ]
ranges='[.commands[].answers[] | select(.value != null and (.trust == "low" or (.interval | type == "array" and .[1] == null))) | [.key, .interval]] | sort'
check "... the intervals of low trust and of bounds" [ "$(jq -c "$ranges" "$work/short.out")" = "$(jq -c "$ranges" "$work/full.json")" ]
check "... no other intervals" [ "$(jq '[.commands[].answers[] | select(.interval and .trust != "low" and .interval[1] != null)] | length' "$work/short.out")" -eq 0 ]
facts='[.tool.version, (.host | .arch, .kernel, .hypervisor, .cpu, .caches, .kinds, .memory_bytes, .topology.cores), (.run | .command, .started, .seconds, .complete, .conditions)]'
check "... the machine and its conditions" [ "$(jq -cS "$facts" "$work/short.out")" = "$(jq -cS "$facts" "$work/full.json")" ]
check "... and its place" grep -qx 'results/intel-6-167/kvm\.2026-11-21\.json' "$work/short.err"
shown report --from "$work/short.out" --quiet
! python3 -c 'import jsonschema' 2>/dev/null || check "... and fits the schema" python3 "$root/tests/cli/validate.py" "$root/docs/schema.json" "$work/short.out"
cp "$work/short.out" "$work/short.json"
short "$work/short.json" "two sockets"
check "a short result stays as it is" cmp -s "$work/short.out" "$work/short.json"

# refused NAME FILE [MACHINE]: exit code 2, and nothing is written.
refused() {
    name=$1
    shift
    short "$@"
    check "$name is refused" [ "$code" -eq 2 ] && check "... without output" [ ! -s "$work/short.out" ]
}
jq '.run.complete = false' "$base" >"$work/early.json"
refused "an incomplete result" "$work/early.json" x
jq '.run.conditions.emulated = true' "$base" >"$work/emulated.json"
refused "an emulated one" "$work/emulated.json" x
jq 'del(.commands)' "$base" >"$work/one.json"
refused "one command" "$work/one.json" x
refused "a machine without a name" "$base"
refused "a file that is no JSON" "$root/README.md" x

finish
