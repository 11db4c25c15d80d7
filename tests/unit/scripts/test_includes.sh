#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/includes on this tree, and on small ones with one fault each. $1: the root of the source tree.
set -u
root=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
tree=$scratch
failed=0

# check NAME PATTERN: the output of scripts/includes matches; an empty pattern: it prints nothing and succeeds.
check() {
    found=$(sh "$root/scripts/includes" "$tree")
    code=$?
    if [ -z "$2" ] && [ "$code" -eq 0 ] && [ -z "$found" ]; then
        echo "ok $1"
    elif [ -n "$2" ] && [ "$code" -eq 1 ] && printf '%s\n' "$found" | grep -qE "$2"; then
        echo "ok $1"
    else
        echo "not ok $1"
        printf '%s\n' "$found" | sed 's/^/    /'
        failed=1
    fi
}

# file PATH INCLUDED...
file() {
    mkdir -p "$scratch/$(dirname "$1")"
    path=$scratch/$1
    shift
    for name; do
        printf '#include "%s"\n' "$name"
    done >"$path"
}

start() {
    rm -rf "$scratch/src" "$scratch/include"
    file include/uarchprobe/clock.h
    file include/uarchprobe/command.h uarchprobe/clock.h
    file src/machine/clock.c uarchprobe/clock.h
    file src/bench/one/one.c uarchprobe/command.h
    file src/main.c uarchprobe/command.h
}

start
check downward_arrows_are_fine ''
# The fault, files with their includes, the complaint.
while IFS=';' read -r title pattern files; do
    start
    while [ "$files" ]; do
        one=${files%%;*} files=${files#"${files%%;*}"} files=${files#;}
        # shellcheck disable=SC2086 # a path and what it includes
        file $one
    done
    check "$title" "$pattern"
done <<'END'
an_arrow_upward;upward, machine to bench: src/machine/clock.c includes include/uarchprobe/command.h;src/machine/clock.c uarchprobe/clock.h uarchprobe/command.h
a_bench_knows_no_output;bench to output: src/bench/one/one.c;src/output/output.c uarchprobe/clock.h;include/uarchprobe/output.h;src/bench/one/one.c uarchprobe/output.h
a_bench_knows_no_other;bench to bench: src/bench/one/one.c includes src/bench/two.h;src/bench/two.h;src/bench/one/one.c bench/two.h
a_circle;circle: src/base/one src/base/two src/base/three src/base/one;src/base/one.c two.h;src/base/one.h;src/base/two.h three.h;src/base/three.h ../base/one.h
a_contract_that_nobody_implements;no room: include/uarchprobe/nothing.h;include/uarchprobe/nothing.h;src/bench/one/one.c uarchprobe/nothing.h
a_file_that_is_missing;not found: src/bench/one/one.c includes uarchprobe/gone.h;src/bench/one/one.c uarchprobe/gone.h
END
tree=$root
check this_tree ''
exit $failed
