# SPDX-License-Identifier: MIT
# Facts that differ from CPU to CPU, on topologies of machines that have them (tests/data/topology).
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "no jq"
data=$(cd "$(dirname "$0")/../data/topology" && pwd)

# of TOPOLOGY FILTER: of the facts about a machine.
of() {
    HWLOC_XMLFILE="$data/$1.xml" "$program" info --quick -f json 2>/dev/null | jq -c "$2"
}

# has NAME TOPOLOGY FILTER VALUE
has() {
    check "$1" [ "$(of "$2" "$3")" = "$4" ]
}

caches='.host.caches // [] | map([.level, .bytes / 1024, .instances, .cpus])'
has "caches of large and small cores" two-large-four-small "$caches" \
    '[[1,48,2,"0-1"],[1,32,4,"2-5"],[2,1280,2,"0-1"],[2,2048,1,"2-5"],[3,24576,1,"0-5"]]'
has "a stacked L3 beside another" two-l3-sizes "$caches" \
    '[[1,32,4,"0-3"],[2,1024,4,"0-3"],[3,98304,1,"0-1"],[3,32768,1,"2-3"]]'
has "no caches" no-caches "$caches" '[]'
has "kinds by caches" two-large-four-small '.host | [(.kinds | map(.cpus)), .topology.places.kind]' \
    '[["0-1","2-5"],[0,0,1,1,1,1]]'
has "the larger first cache is the P core" two-large-four-small '.host.kinds | map(.letter)' '["P","E"]'
for one in preferred-cores two-l3-sizes no-caches memory-only-node; do
    has "one kind: $one" $one '.host | [(.kinds | length), (.topology.places.kind | unique)]' '[1,[0]]'
done
has "a side cache is not the last level" side-cache \
    '.host.caches | map([.type, .bytes / 1073741824]) | last' '["memory-side",4]'

emulated && finish
shown() {
    HWLOC_XMLFILE="$data/$1.xml" LD_PRELOAD=$FOLDED "$program" info --watch 0.5 -f json 2>/dev/null |
        jq -r ".got | $2"
}
check "info has a row for each kind" [ "$(shown two-large-four-small '[keys[] | select(startswith("kind_"))] | length')" = 2 ]
check "and one for all" [ "$(shown preferred-cores '[keys[] | select(startswith("kind_"))] | length')" = 0 ]
shown memory-only-node .size | grep -q 'node 8'
verdict $? "memory without CPUs is named"
shown side-cache .caches | grep -q 'memory-side 4 GiB'
verdict $? "a memory-side cache is named"

# without TOPOLOGY ARGUMENT...: no word about another kind of core.
without() {
    file=$1
    shift
    HWLOC_XMLFILE="$data/$file.xml" "$program" "$@" --dry-run >"$work/out" 2>&1
    check "one kind of core, $file: $1" [ "$(grep -c 'the kind of CPU' "$work/out")" -eq 0 ]
}
for command in sb-capacity stlf cost capacity; do
    without preferred-cores $command
    without two-l3-sizes $command
done
HWLOC_XMLFILE="$data/two-large-four-small.xml" "$program" sb-capacity --dry-run >"$work/out" 2>&1
in_out 'the kind of CPU 0 .*--cpus 2-5'

# of_kinds TOPOLOGY ARGUMENT...: the kinds of which there is a store buffer, or memory.
of_kinds() {
    file=$1
    shift
    HWLOC_XMLFILE="$data/$file.xml" LD_PRELOAD=$FOLDED "$program" "$@" -f json 2>/dev/null |
        jq -c '[.answers[] | select(.key | test("^(store_buffer.entries|ram.*)$")) | .kind] | unique'
}
check "a kind each" [ "$(of_kinds two-large-four-small sb-capacity -r 3 -c all-kinds)" = '["E core","P core"]' ]
check "the kind of the first CPU" [ "$(of_kinds two-large-four-small sb-capacity -r 3 -c 2-5)" = '["E core"]' ]
check "one kind has no name" [ "$(of_kinds preferred-cores sb-capacity -r 3 -c all-kinds)" = '[null]' ]
check "a curve of each kind" [ "$(of_kinds two-large-four-small ram --curve --size 4ki-16ki -r 1 -c all-kinds)" = '["E core","P core"]' ]
check "one thread of each kind" [ "$(of_kinds two-large-four-small ram -t 1 --size 4ki --task latency -r 1 -c all-kinds)" = '["E core","P core"]' ]
planned() {
    HWLOC_XMLFILE="$data/two-large-four-small.xml" LD_PRELOAD=$FOLDED "$program" "$@" --dry-run -f json 2>/dev/null |
        jq '[.plan, .commands[]?.plan | .seconds // 0] | max'
}
check "a further kind takes the time again" \
    [ "$(planned capacity -c all-kinds)" = "$(planned capacity | jq '2 * .')" ]
check "in a report, too" [ "$(planned report --quick | jq 'round')" -gt "$(planned report --quick -c all | jq 'round')" ]

# A whole report: each value is of one kind or of none, and the caches of the sheet are those of the CPU
# measured.
HWLOC_XMLFILE="$data/two-large-four-small.xml" LD_PRELOAD=$FOLDED "$program" report --quick --time-budget 2 -q -f json >"$work/report.json"
check "what measures one core names the kind" [ "$(jq -c '[.commands[] |
    select(.run.command | IN("sb-capacity", "stlf", "capacity", "cost")).answers[].kind] | unique' "$work/report.json")" = '["E core","P core"]' ]
check "one thread names the kind of its CPU, all CPUs and pairs none" [ "$(jq -c '[.commands[] |
    select(.run.command | IN("ram", "core-latency")).answers[] |
    [.kind, (.key | startswith("ram.") and (startswith("ram.all.") | not))]] | unique - [[null,false]]' "$work/report.json")" = '[["P core",true]]' ]
"$program" report "$work/report.json" -f svg >"$work/sheet" 2>/dev/null
check "caches of the large core" grep -q '>L1, 48 KiB<' "$work/sheet"
check "and of no other" [ "$(grep -cE '>L1, 32 KiB<|>L2, 2 MiB<' "$work/sheet")" -eq 0 ]

# set_of TOPOLOGY CPU ROW: bytes of the set that `ram` chooses.
set_of() {
    HWLOC_XMLFILE="$data/$1.xml" LD_PRELOAD=$FOLDED "$program" ram --task latency --quick -c "$2" -t 1 -f json 2>/dev/null |
        jq -r --arg key "ram.$3.size" '.answers[] | select(.key == $key) | .value'
}
check "L1 of a large core" [ "$(set_of two-large-four-small 0 L1)" = "24 KiB" ]
check "L1 of a small core" [ "$(set_of two-large-four-small 2 L1)" = "16 KiB" ]
check "no caches: a set has its size as name" [ "$(set_of no-caches 1 16_KiB)" = "16 KiB" ]
finish
