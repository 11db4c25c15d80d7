# SPDX-License-Identifier: MIT
# The lists are complete and agree with each other; what they call usable is what --kernel takes. Measures
# nothing.
. "$(dirname "$0")/../common.sh"

list() {
    run list "$@" --format tsv --output "$work/list.tsv"
    check "list $*" [ "$code" -eq 0 ]
}

# column TITLE: the cells of that column.
column() {
    awk -F '\t' -v title="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == title) at = i; next } { print $at }' \
        "$work/list.tsv"
}

list kernels
check "every kernel is listed once" [ "$(column kernel | sort | uniq -d | wc -l)" -eq 0 ]
for operation in copy write compare agg_or read latency chain_add chain_mul; do
    column operation | grep -qx "$operation"
    verdict $? "list kernels has $operation"
done
total=$(column kernel | wc -l)
usable=$(column "usable here" | grep -cx true)
check "some kernel is usable" [ "$usable" -ge 1 ]

# What is usable lacks nothing, what is not says what it lacks.
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    ($at["usable here"] == "true") != ($at["lacking here"] == "") { print $1 }' "$work/list.tsv" >"$work/odd"
check "what is usable lacks nothing, what is not lacks something" [ ! -s "$work/odd" ]

list levels
check "the highest level lets all kernels through" [ "$(column kernels | tail -n 1)" -eq "$total" ]
check "levels and kernels agree on what is usable" [ "$(column "usable here" | tail -n 1)" -eq "$usable" ]
finish
