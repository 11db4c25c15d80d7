# SPDX-License-Identifier: MIT
# The list of kernels is complete and agrees with itself. Measures nothing.
. "$(dirname "$0")/../common.sh"

run list -f tsv -o "$work/list.tsv"
check "list" [ "$code" -eq 0 ]

# column TITLE: the cells of that column.
column() {
    awk -F '\t' -v title="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == title) at = i; next } { print $at }' \
        "$work/list.tsv"
}

check "every kernel is listed once" [ "$(column kernel | sort | uniq -d | wc -l)" -eq 0 ]
for operation in copy write compare agg_or read latency draw chain_add chain_mul throughput_integer throughput_load; do
    column operation | grep -qx "$operation"
    verdict $? "list has $operation"
done
usable=$(column "usable here" | grep -cx true)
check "some kernel is usable" [ "$usable" -ge 1 ]
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    ($at["usable here"] == "true") != ($at["lacking here"] == "") { print $1 }' "$work/list.tsv" >"$work/odd"
check "what is usable lacks nothing, what is not lacks something" [ ! -s "$work/odd" ]
run list kernels -f tsv_matrix
counted=$(awk -F '\t' 'NR > 1 { for (i = 2; i <= NF; i++) sum += $i } END { print sum }' "$work/out")
check "tasks and kernels agree on what is usable" [ "$counted" -eq "$usable" ]
refused 2 list levels
finish
