# SPDX-License-Identifier: MIT
# Sourced by the fault tests. $program: the executable under test; $scratch: a folder that goes away at the end.
set -u
program=$1
scratch=$(mktemp -d) || exit 77
trap 'rm -rf "$scratch"' EXIT

skip() {
    echo "skipped: $1"
    exit 77
}

fail() {
    echo "FAIL: $1"
    [ -s "$scratch/out" ] && head -n 20 "$scratch/out"
    [ -s "$scratch/err" ] && head -n 20 "$scratch/err"
    exit 1
}

# expect CODE WHAT COMMAND...: runs it with its output in $scratch/out and $scratch/err.
expect() {
    wanted=$1 what=$2
    shift 2
    "$@" >"$scratch/out" 2>"$scratch/err"
    got=$?
    [ "$got" -eq "$wanted" ] || fail "$what: exit $got instead of $wanted"
}

in_out() {
    grep -Eq "$1" "$scratch/out" || fail "no '$1' on standard output"
}

in_err() {
    grep -Eq "$1" "$scratch/err" || fail "no '$1' on standard error"
}

# The highest CPU that this shell may use.
last_cpu() {
    sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | sed 's/.*[,-]//'
}
