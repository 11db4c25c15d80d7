# SPDX-License-Identifier: MIT
# `sb-capacity`: the shape of its output, and whether values agree with each other.
. "$(dirname "$0")/../common.sh"

run sb-capacity --dry-run
check "a dry run measures nothing" sh -c 'grep -q kernel "$1" && ! grep -q "store buffer:" "$1"' - "$work/out"
run sb-capacity -r 3 --no-progress
check "people see the store buffer, seen or not" grep -Eq '^store buffer|Incomplete' "$work/out"
run sb-capacity -r 3 --no-progress -q --stores 1-12 --strict
check "--strict reports that a knee is not to be found" [ "$code" -eq 5 ]

command -v jq >/dev/null || skip "jq is not installed"

# prints OPTIONS FILTER...: a run with these options ends well, and each filter is true of what it printed. Next to other work a run may lose
# its CPU in every sample.
prints() {
    options=$1
    shift
    for _ in 1 2 3 4 5 6 7 8; do
        run sb-capacity --no-progress -q -f json $options
        [ "$code" -ne 0 ] || break
    done
    check "$options ends well" ended_well
    for filter; do
        check "$options: $filter" sh -c 'jq -e "$1 | $2" "$3" >/dev/null' - "$by_row" "$filter" "$work/out"
    done
}

# Readings of a sibling are a condition; the curve has every number of stores; an answer of each state is a value that rounds saw,
# or the minimum of all; a marked point is an answer.
prints "-r 12" \
    '(.run.sibling_active == null) == (.run.conditions.sibling_share == null) and
     (.run.sibling_active == null or .run.sibling_samples > 0)' \
    '.tables[0].rows | length > 0 and [.[].stores] == [range(1; length + 1)]' \
    '[.answers[] | select(.key == "store_buffer.entries") | .state] | length > 0 and length == (unique | length)' \
    '[.tables[1].rows[].step] as $steps | all(.answers[] | select(.key == "store_buffer.entries");
        .value as $v | $v == null or ($steps | index($v)) != null or .trust != "high")' \
    '[.answers[] | select(.key == "store_buffer.entries").value] as $v |
     all(.tables[0].rows[] | select(.mark); .stores as $s | $v | index($s) != null)'
prints "-r 7 --stores 1-60" '[.tables[0].rows[] | .stores, .samples] | unique == [range(1; 61)]'
for other in "--width 1" "--width 16" --streaming "-m nops --nops 100"; do
    prints "-r 2 $other" '[.tables[0].rows[].series] | unique | length == 2'
done
for address in same pages; do
    prints "-r 2 --address $address --stores 1-140" '[.tables[0].rows[].stores] | min == 1 and max == 140'
done
prints "-m nops -r 1 --stores 1-20 --counters" \
    '.run.counters != null and ([.tables[] | select(.name == "stalls") | .rows[].stores] | . == [] or . == [range(1; 21)])'
prints "-m nops -r 1 --stores 1-20 --nops 0" '[.tables[0].rows[].series] | unique | length == 3' \
    '[.tables[0].rows[].mean_cycles | numbers] | all(. > 0)'
# One number of stores is the source's loop alone: as many iterations of each number, whatever the machine,
# and no answer.
for stores in 56 57; do
    prints "-m nops --stores $stores-$stores -r 2" "[.tables[] | .name, .rows[0].stores, .rows[0].nops] == [\"loop\", $stores, 500]" \
        '.tables[0].rows[0].iterations == 131072' '.answers == []'
done
# retired OPTION...: the instructions of a run. 95 in 100 of those of a usual run (64 rounds) are the loop's.
retired() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" sb-capacity -q -m nops --stores 57-57 "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : *//p'
}
if command -v valgrind >/dev/null && readelf -h "$program" >/dev/null 2>&1 && one=$(retired -r 1) && [ "$one" ]; then
    round=$((($(retired -r 3) - one) / 2))
    check "the loop is what a run of one number executes" [ $((100 * 64 * round / (one + 63 * round))) -ge 95 ]
    check "... also without no-operations" sh -c '[ $((100 * 64 * ($3 - $2) / 2 / ($2 + 63 * ($3 - $2) / 2))) -ge 95 ]' - "" "$(retired -n 0 -r 1)" "$(retired -n 0 -r 3)"
else
    echo "skip the share of the loop: valgrind cannot run this program here"
fi
if [ "$(nproc)" -ge 2 ]; then
    # Four fillings, each in two ways.
    prints "--time-budget 60 -m litmus --samples 500 -r 1 --stores 1-8" \
        '[.tables[0].rows[] | [.address, .first_line, .stores]] | unique | length <= 64' \
        'all(.tables[0].rows[]; .both_old <= .trials and .trials <= 500)'
    # It stops when the time is up; never_from lies beyond the most that was passed; a fence lets nothing pass, or there is no
    # answer.
    prints "--time-budget 0.3 -m litmus --samples 100000 --stores 1-400" \
        '[.answers[] | select(.key | startswith("store_buffer.reorder_")).key] | sort ==
            ["store_buffer.reorder_knee", "store_buffer.reorder_merging", "store_buffer.reorder_most_seen", "store_buffer.reorder_never_from"]' \
        '[.answers[] | select(.key | test("most_seen|never_from")).value] | .[0] == null or .[1] == null or .[0] < .[1]' \
        '.run.sb_capacity.fenced_passed == 0 or ([.answers[] | select(.key | startswith("store_buffer.reorder_")).value] | all(. == null))' \
        '[.tables[0].rows[] | [.address, .first_line, .stores]] | unique | length < 3200'
fi
finish
