# SPDX-License-Identifier: MIT
# agree.sh FINE COARSE: two builds, of which the second has a clock as coarse as other machines have it. What both print with
# high or medium trust, of the same state, agrees within the promise of docs/reliability.md; the coarse one may say that it cannot.
# One line a command: `ok NAME (what was compared)` or `not ok NAME`.
set -u
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }
fine=$1 coarse=$2
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

# Values that both trust, at least medium, and what neither could resolve.
shared() {
    jq -rn --slurpfile a "$work/fine" --slurpfile b "$work/coarse" '
        def keys_of(f): [.findings[] | select(f) | "\(.key) \(.state)"];
        def common(f): ($a[0] | keys_of(f)) as $one | ($b[0] | keys_of(f)) as $two | $one - ($one - $two) | length;
        "\(common(.trust != "low")) values that both trust, \(common(.trust == "low" and .value == null)) that neither resolves"'
}

# differing SHARE LEAST: findings that both trust and that are further apart than the lesser trust promises.
differing() {
    jq -rn --argjson share "$1" --argjson least "$2" --slurpfile a "$work/fine" --slurpfile b "$work/coarse" '
        [$b[0].findings[] | {key: "\(.key) \(.state)", value: .}] | from_entries as $other |
        $a[0].findings[] | . as $one | $other["\(.key) \(.state)"] as $two |
        select($two and $one.trust != "low" and $two.trust != "low" and $one.value != $two.value) |
        (if $one.trust == "high" and $two.trust == "high" then $share else 0.1 end) as $within |
        select(($one.value | type) != "number" or
               (($one.value - $two.value) | fabs) > ([$within * ($one.value | fabs), $least] | max)) |
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
            echo "ok $* ($(shared))" && return
    done
    echo "not ok $*"
    cat "$work/apart" "$work/err"
    failures=1
}

# Ticks a second: its step may be many ticks, or a share of one tick's time, as the CPU likes.
rate() {
    "$1" info --quick -f json -q | jq .clock.tick_hz
}

rates=$(rate "$fine"),$(rate "$coarse")
[ "$(jq -n "[$rates] == [1e9, 1e9]")" = false ] || { echo "skipped: this machine's counter is not fit to be a clock"; exit 77; }
if [ "$(jq -n "[$rates] | .[0] > 5 * .[1]")" = true ]; then
    echo "ok the clock of the second build is coarser"
else
    echo "not ok the clock of the second build is coarser: $rates Hz"
    failures=1
fi
agree 0.02 0.1 stlf --quick
agree 0.02 1 sb-capacity
agree 0.02 1 sb-capacity -m nops
agree 0.05 0.1 ram --quick --size 16ki --time-budget 2
[ "$(nproc)" -lt 2 ] || agree 0.05 0.1 core-latency -b cas,readwrite,transfer --duration 2
[ "$(nproc)" -lt 2 ] || agree 0.02 1 sb-capacity -m litmus
exit $failures
