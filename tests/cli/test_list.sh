#!/bin/sh
# SPDX-License-Identifier: MIT
# The lists are complete and agree with each other; what they call usable is what --kernel takes. Measures
# nothing.
program=$1
[ -x "$program" ] || { echo "usage: $0 UARCHPROBE" >&2; exit 99; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

list() {
    "$program" list "$@" --format tsv --output "$work/list.tsv" || fail "list $* exits with $?"
}

# column TITLE: the cells of that column.
column() {
    awk -F '\t' -v title="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == title) at = i; next } { print $at }' \
        "$work/list.tsv"
}

list commands
for command in list info ram; do
    column command | grep -qx "$command" || fail "list commands lacks $command"
done
column command | while read -r command; do
    "$program" "$command" --help >/dev/null || echo "$command"
done >"$work/helpless"
[ -s "$work/helpless" ] && fail "commands without help: $(cat "$work/helpless")"

list kernels
[ "$(column kernel | sort | uniq -d | wc -l)" -eq 0 ] || fail "a kernel is listed twice"
for operation in copy write compare agg_or read latency chain_add chain_mul; do
    column operation | grep -qx "$operation" || fail "list kernels has no $operation"
done
total=$(column kernel | wc -l)
usable=$(column "usable here" | grep -cx true)
[ "$usable" -ge 1 ] || fail "no kernel is usable"

# What is usable lacks nothing, what is not says what it lacks.
awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    ($at["usable here"] == "true") != ($at["lacking here"] == "") { print $1 }' "$work/list.tsv" >"$work/odd"
[ -s "$work/odd" ] && fail "usable and lacking disagree: $(cat "$work/odd")"

list levels
[ "$(column kernels | tail -n 1)" -eq "$total" ] || fail "the highest level does not let all kernels through"
[ "$(column "usable here" | tail -n 1)" -eq "$usable" ] || fail "levels and kernels count the usable ones differently"

"$program" list nonsense >"$work/out" 2>"$work/err"
[ $? -eq 2 ] || fail "list nonsense does not exit with 2"
[ -s "$work/out" ] && fail "list nonsense prints on standard output"
grep -q "commands, levels, kernels" "$work/err" || fail "list nonsense does not name the lists"

[ "$failures" -eq 0 ] || exit 1
echo "list: all checks passed"
