# SPDX-License-Identifier: MIT
# agree.sh FINE COARSE: two builds, of which the second has a clock as coarse as other machines have it. What both print with
# high trust, of the same state, agrees within the promise of docs/reliability.md; the coarse one may say that it cannot. One
# line a command: `ok NAME` or `not ok NAME`.
set -u
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }
fine=$1 coarse=$2
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

# Findings that both trust highly.
shared() {
    jq -n --slurpfile a "$work/fine" --slurpfile b "$work/coarse" '
        def high: [.[0].findings[] | select(.trust == "high") | "\(.key) \(.state)"]; ($a | high) - (($a | high) - ($b | high)) | length'
}

# differing SHARE LEAST: findings that both trust highly and that are further apart.
differing() {
    jq -rn --argjson share "$1" --argjson least "$2" --slurpfile a "$work/fine" --slurpfile b "$work/coarse" '
        [$b[0].findings[] | {key: "\(.key) \(.state)", value: .}] | from_entries as $other |
        $a[0].findings[] | . as $one | $other["\(.key) \(.state)"] as $two |
        select($two and $one.trust == "high" and $two.trust == "high" and $one.value != $two.value) |
        select(($one.value | type) != "number" or
               (($one.value - $two.value) | fabs) > ([$share * ($one.value | fabs), $least] | max)) |
        "\(.key): \($one.value) and \($two.value)"'
}

# agree SHARE LEAST ARGUMENT...: a disagreement is tried again, as the promise is of 99 in 100.
agree() {
    share=$1 least=$2
    shift 2
    for _ in 1 2 3; do
        "$fine" "$@" -q -f json >"$work/fine" 2>"$work/err" && "$coarse" "$@" -q -f json >"$work/coarse" 2>"$work/err"
        code=$?
        [ "$code" -eq 0 ] && differing "$share" "$least" >"$work/apart" && [ ! -s "$work/apart" ] &&
            echo "ok $* ($(shared) values that both trust highly)" && return
    done
    echo "not ok $*"
    cat "$work/apart" "$work/err"
    failures=1
}

step() {
    "$1" info --quick -f json -q | jq .clock.resolution_ns
}

if [ "$(jq -n "$(step "$coarse") > 5 * $(step "$fine")")" = true ]; then
    echo "ok the clock of the second build is coarser"
else
    echo "not ok the clock of the second build is coarser"
    failures=1
fi
agree 0.02 0.1 stlf --quick
agree 0.02 1 sb-capacity
agree 0.02 1 sb-capacity -m nops
agree 0.05 0.1 ram --quick --size 16ki --time-budget 2
[ "$(nproc)" -lt 2 ] || agree 0.05 0.1 core-latency --quick
[ "$(nproc)" -lt 2 ] || agree 0.02 1 sb-capacity -m litmus --quick
exit $failures
