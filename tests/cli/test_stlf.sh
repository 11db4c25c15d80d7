# SPDX-License-Identifier: MIT
# `stlf`: the shape of what it prints, which holds on every CPU, next to any load. Where other processes have the CPU a part may be
# left out; the run is not complete then. No value is compared with a value of another experiment.
. "$(dirname "$0")/../common.sh"

# holds NAME FILTER: of a result in JSON, its tables row by row.
holds() {
    jq -e "$by_row | (.run.complete | not) as \$partial | def rows(\$name): .tables[] | select(.name == \$name) | .rows[];
        $2" "$work/out" >"$work/holds"
    verdict $? "$1"
}

shown stlf --dry-run --all
in_out 'grids'
check "a dry run measures nothing" sh -c '! grep -q cycles "$1"' - "$work/out"

if "$program" info -f json 2>/dev/null | grep -q '"clock_unread"'; then
    echo "skip stlf in cycles: the core clock is unknown here"
    finish
fi
emulated || sought='"complete": true'
run_until "${sought-.}" stlf --quick -q --grid --alias --silent -f json
check "everything ends well" ended_well
if emulated; then
    echo "skip stlf in cycles: an emulator's core clock moves from look to look"
    finish
fi
if command -v jq >/dev/null; then
    holds "a complete run has each table" '$partial or (["forwards", "summary", "renaming", "grid", "alias",
        "silent_stores", "waits"] - [.tables[] | select(.rows | length > 0) | .name] == [])'
    holds "and its first answers" '$partial or (["stlf.forwarded", "stlf.failed_forward_penalty", "stlf.l1_latency"]
        - [.answers[].key] == [])'
    holds "the source's table of chains comes before the offsets" '$partial or ([.answers[].sheet_cell // "" | split("/")[0]] |
        index("chains") < index("offsets"))'
    holds "it says how much of the time probes took" '$partial or .run.looking_share > 0'
    holds "the summary has the three chains at 1 to 64 pairs" '[rows("summary")] | group_by(.series)
        | map(map(.pairs) == [range(1; 65)]) | . == [] or . == [true, true, true]'
    holds "what is renamed takes less than a load that hits L1" '[rows("forwards") | select(.series | startswith("L1")) | .cycles][0] as $l1
        | $l1 == null or all(rows("summary") | select(.verdict == "renamed"); .cycles < $l1)'
    holds "grids have 64 x 64 cells" '[rows("grid")] | group_by(.grid)
        | all(length == 4096 and (unique_by([.store_offset, .load_offset]) | length) == 4096) and length <= 2'
    holds "a cell has value, spread and class, or none of them" 'all(rows("grid");
        (.cycles == null) == (.class == null) and (.spread == null) == (.class == null))'
fi

# A grid that is left out is not drawn.
run_until '^a   [a-z ]' stlf --quick -q --grid --unroll 64 --color never
if grep -Eq '^a   [a-z ]+ +[0-9.]+ +[0-9.]+ %' "$work/out"; then
    check "a map of letters" grep -Eq '^[0-9B ]{5}  [a-z ]{64}$' "$work/out"
    run_until '▀' stlf --quick -q --grid --unroll 64 --color always
    check "in colour no letters" sh -c '! grep -Eq "[a-z]{64}$" "$1"' - "$work/out"
fi

run_until '4/4 bytes, 64 pairs.*,-32,-32,' stlf --quick -q --widths 4/4,8/1,4/4 --window line -f csv
check "a width named twice is measured once" [ "$(grep -c '^"*4/4 bytes, 64 pairs.*,-32,-32,' "$work/out")" -le 1 ]
check "offsets count from the boundary" sh -c '! grep -Eq "^\"*4/4 bytes.*,(3[2-9]|[45][0-9]|6[0-3]),-?[0-9]+,[0-9.]*,[0-9.]*,[a-z]" "$1"' - "$work/out"
finish
