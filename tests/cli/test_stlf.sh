# SPDX-License-Identifier: MIT
# `stlf`: the shape of what it prints. No latency is looked at.
. "$(dirname "$0")/../common.sh"

holds() {
    jq -e "$@" >/dev/null
}

shown stlf --dry-run --all
in_out 'grids'
check "a dry run measures nothing" sh -c '! grep -q cycles "$1"' - "$work/out"

if "$program" info -f json 2>/dev/null | grep -q '"clock_unread"'; then
    echo "skip stlf in cycles: the core clock is unknown here"
    finish
fi
run stlf --quick -q -f tsv
check "a summary ends well" [ "$code" -eq 0 -o "$code$(emulated && echo emulated)" = 1emulated ]
if emulated; then
    run stlf --quick -q --grid --sweep unroll,alias --silent -f json
    check "everything ends well" ended_well
    echo "skip stlf in cycles: an emulator's core clock moves from look to look"
    finish
fi
awk -v RS= '/\nfast address/ { print; exit }' "$work/out" >"$work/rows"
check "the summary has the three chains at 1, 8 and 64 pairs" awk -F'\t' '
    /^fast / { n[$1]++ }
    END { for (k in n) { kinds++; if (n[k] != 3) exit 1 } exit kinds != 3 }
' "$work/rows"
check "below the latency of L1 the word is renamed" awk -F'\t' '
    /^L1 hit/ { l1 = $6 }
    /^fast / && $6 < 0.85 * l1 && $8 != "renamed" { exit 1 }
    /^fast / && $6 > 0.95 * l1 && $8 == "renamed" { exit 1 }
' "$work/rows"
check "chains are swept over 1 to 64 pairs" awk -F'\t' '
    /^series\t/ { part++; next } /^$/ { part += part == 3 } part == 3 { n[$1]++ }
    END { for (k in n) { kinds++; if (n[k] != 64) exit 1 } exit kinds != 3 }
' "$work/out"

# A cell all of whose samples were disturbed has neither value nor class; grids without any are left out, which is said.
run stlf --quick --grid -f tsv
check "grids end well" [ "$code" -eq 0 ]
grids=2
! grep -q 'left out.*grid' "$work/err" || grids=0
check "two grids of 64 x 64 cells, each cell with value, spread and class" awk -F'\t' -v grids=$grids '
    NF == 9 && $1 ~ /^8\/4 bytes/ { n[$1]++; if (($7 == "") != ($9 == "") || ($8 == "") != ($9 == "") || seen[$1, $5, $6]++) exit 1 }
    END { for (k in n) { kinds++; if (n[k] != 4096) exit 1 } exit kinds > 2 || kinds < grids }
' "$work/out"
check "classes count every cell once" awk -F'\t' '
    NF == 9 && $9 != "" && $1 ~ /^8\/4 bytes/ { cells[$1]++ }
    NF == 8 && $1 ~ /^8\/4 bytes/ { n[$1] += $6; share[$1] += $7 }
    END { for (k in n) { if (n[k] != cells[k] || share[k] < n[k] / 4096 - 1e-6 || share[k] > n[k] / 4096 + 1e-6) exit 1 } }
' "$work/out"

run_until '^a   [a-z ]' stlf --quick -q --grid --unroll 64 --color never
check "a map of letters" [ "$(grep -v ' idle ' "$work/out" | grep -Ec '^[0-9B ]{5}  [a-z ]{64}$')" -eq 64 ]
check "with a legend" grep -Eq '^a   [a-z ]+ +[0-9.]+ +[0-9.]+ %' "$work/out"
run_until '▀' stlf --quick -q --grid --unroll 64 --color always
check "a map of half blocks in colour" [ "$(grep -c '▀' "$work/out")" -eq 32 ]
check "no letters then" sh -c '! grep -Eq "[a-z]{64}$" "$1"' - "$work/out"

# Where other processes have the CPU, a part may be left out, and the run is not complete.
run_until '"complete": true' stlf --quick -q --grid --sweep unroll,distance,alias --silent -f json
check "sweeps end well" [ "$code" -eq 0 ]
if command -v jq >/dev/null; then
    jq "$by_row" "$work/out" >"$work/rows" && mv "$work/rows" "$work/out"
    for table in sweep_unroll sweep_distance alias silent_stores grid classes summary renaming; do
        check "table $table has rows" holds --arg name "$table" '[.tables[] | select(.name == $name) | .rows | length] | add > 0' "$work/out"
    done
    check "silent stores below L1 are called renamed" holds '
        ([.findings[] | select(.key == "stlf.l1_latency" and .trust == "high") | .value] | first) as $l1
        | $l1 == null or ([.tables[] | select(.name == "silent_stores") | .rows[] | select(.series != "no overlap")
            | .cycles >= 0.85 * $l1 or .verdict == "renamed"] | length > 0 and all)' "$work/out"
    check "so are levels of a sweep" holds '
        ([.findings[] | select(.key == "stlf.l1_latency") | .value] | first) as $l1
        | ([.tables[] | select(.name == "sweep_unroll") | .rows[] | select(.series == "same address") | .cycles] | max) as $most
        | [.findings[] | select(.key == "stlf.sweep_unroll.same_address.renamed_pairs") | .value > 0]
        | length >= 1 and (first or $most >= 0.85 * $l1)' "$work/out"
    check "findings name the chains" holds '[.findings[].key] | index("stlf.renamed_pairs") and index("stlf.failed_forward_penalty")' "$work/out"
fi

run_until '4/4 bytes, 64 pairs.*,-32,-32,' stlf --quick -q --widths 4/4,8/1,4/4 --window line -f csv
check "widths and a window end well" [ "$code" -eq 0 ]
check "a width named twice is measured once" [ "$(grep -c '^"*4/4 bytes, 64 pairs.*,-32,-32,' "$work/out")" -eq 1 ]
check "offsets then count from the boundary" grep -q ',-32,31,' "$work/out"
run_until 'Looks at the machine' stlf --quick -q -v
check "-v says what the looks at the machine took" grep -q 'Looks at the machine .* % of the time' "$work/out"
finish
