# SPDX-License-Identifier: MIT
# `sb-capacity`: the shape of what it prints. No value is looked at, only whether values agree with each
# other.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"

run sb-capacity --dry-run
check "a dry run measures nothing" sh -c 'grep -q kernel "$1" && ! grep -q "store buffer:" "$1"' - "$work/out"

command -v jq >/dev/null || skip "jq is not installed"
short="--time-budget 0.3 --no-progress -q -f json"

# json NAME FILTER: the filter is true of what was printed last.
json() {
    check "$1" sh -c 'jq -e "$1 | $2" "$3" >/dev/null' - "$by_row" "$2" "$work/out"
}

# shellcheck disable=SC2086 # the options are words
run sb-capacity $short
check "a short run ends well" ended_well
json "what the sweeps saw of a sibling is a condition of the run" \
    '(.run.sibling_active == null) == (.run.conditions.sibling_share == null) and
     (.run.sibling_active == null or .run.sibling_samples > 0)'
json "the curve has every number of stores once" \
    '.tables[0].rows | length > 0 and [.[].stores] == [range(1; length + 1)]'
json "each state has one answer" \
    '[.findings[] | select(.key == "store_buffer.entries") | .state] | length > 0 and length == (unique | length)'
json "an answer is a value that rounds saw, or the minimum of all" \
    '[.tables[1].rows[].step] as $steps | all(.findings[] | select(.key == "store_buffer.entries");
        .value as $v | $v == null or ($steps | index($v)) != null or .trust != "high")'
json "a marked point is an answer" \
    '[.findings[] | select(.key == "store_buffer.entries").value] as $v |
     all(.tables[0].rows[] | select(.mark); .stores as $s | $v | index($s) != null)'

for width in 1 16; do
    # shellcheck disable=SC2086
    run sb-capacity $short --width $width
    check "--width $width ends well" ended_well
    json "--width $width is compared with 8 bytes" \
        '[.tables[0].rows[].series] | unique | length == 2'
done
for address in same pages; do
    # shellcheck disable=SC2086
    run sb-capacity $short --address $address --stores 1-140
    check "--address $address ends well" ended_well
    json "--stores is kept" '[.tables[0].rows[].stores] | (min == 1) and (max == 140)'
done
# shellcheck disable=SC2086
run sb-capacity $short -r 7 --stores 1-60
json "-r is the number of rounds" '.run.complete == false or ([.tables[0].rows[].samples] | unique == [7])'
# shellcheck disable=SC2086
run sb-capacity $short --streaming
check "--streaming ends well" ended_well
# shellcheck disable=SC2086
run sb-capacity $short --stores 1-20 --strict
check "--strict tells that a knee is not to be found" [ "$code" -eq 5 ]

# shellcheck disable=SC2086
run sb-capacity $short --method nops -r 2 --nops 100
check "nops ends well" ended_well
json "nops shows two curves" '.run.complete == false or ([.tables[0].rows[].series] | unique | length == 2)'
# shellcheck disable=SC2086
run sb-capacity $short --method nops -r 1 --stores 1-20 --nops 0
json "nops draws the curve without nops next to the published one" \
    '.run.complete == false or ([.tables[0].rows[].series] | unique | length == 3)'
json "nops gives the published mean next to the minimum" '[.tables[0].rows[].mean_cycles | numbers] | all(. > 0)'

if [ "$(nproc)" -ge 2 ]; then
    # shellcheck disable=SC2086
    run sb-capacity --time-budget 60 --no-progress -q -f json --method litmus --samples 500 -r 1 --stores 1-8
    check "litmus ends well" ended_well
    json "litmus has points with four fillings, each in two ways" \
        '[.tables[0].rows[] | [.address, .first_line, .stores]] | unique | length <= 64'
    json "litmus counts no more than it tried" 'all(.tables[0].rows[]; .both_old <= .trials and .trials <= 500)'
    # shellcheck disable=SC2086
    run sb-capacity $short --method litmus --samples 100000 --stores 1-400
    json "litmus gives four answers, each a value or null" '
        [.findings[] | select(.key | startswith("store_buffer.reorder_")).key] | sort ==
            ["store_buffer.reorder_knee", "store_buffer.reorder_merging", "store_buffer.reorder_most_seen", "store_buffer.reorder_never_from"]'
    json "what was never passed is beyond what was" '
        [.findings[] | select(.key | test("most_seen|never_from")).value] | .[0] == null or .[1] == null or .[0] < .[1]'
    json "a fence lets nothing pass, or there is no answer" '
        .run.sb_capacity.fenced_passed == 0 or ([.findings[] | select(.key | startswith("store_buffer.reorder_")).value] | all(. == null))'
    json "litmus stops when the time is up" '[.tables[0].rows[] | [.address, .first_line, .stores]] | unique | length < 3200'
fi

run sb-capacity --time-budget 0.3 --no-progress
check "people see a plot, or that nothing was measured in time" grep -Eq 'stores|Incomplete' "$work/out"
finish
