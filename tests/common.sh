# SPDX-License-Identifier: MIT
# Sourced by the shell tests. $1 of the test: the executable. Each check prints `ok NAME` or `not ok NAME`, the script
# ends with `finish`; a test that cannot run here calls `skip`.
set -u
program=$1
[ -x "$program" ] || { echo "usage: $0 UARCHPROBE" >&2; exit 99; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

skip() {
    echo "skipped: $1"
    exit 77
}

finish() {
    [ "$failures" -eq 0 ]
    exit
}

# verdict CODE NAME: CODE 0 is good; else what the program printed is shown.
verdict() {
    if [ "$1" -eq 0 ]; then
        echo "ok $2"
    else
        echo "not ok $2"
        head -n 20 "$work/out" "$work/err" 2>/dev/null
        failures=$((failures + 1))
    fi
}

# run ARGUMENT...: the program with its output in $work/out and $work/err, its exit code in $code.
run() {
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

# check NAME COMMAND...: the command is true.
check() {
    name=$1
    shift
    "$@"
    verdict $? "$name"
}

# refused CODE TEXT ARGUMENT...: nothing on standard output, one line on standard error that says who speaks and TEXT.
refused() {
    wanted=$1 text=$2
    shift 2
    run "$@"
    [ "$code" -eq "$wanted" ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" -eq 1 ] &&
        grep -q '^uarchprobe: ' "$work/err" && grep -qF -- "$text" "$work/err"
    verdict $? "refused with $wanted: $*"
}

# The highest CPU that this shell may use.
last_cpu() {
    sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | sed 's/.*[,-]//'
}
