# SPDX-License-Identifier: MIT
# agree.sh FINE COARSE: two builds, of which the second has a clock as coarse as other machines have it. What both print with
# high or medium trust, of the same state, agrees within the promise of docs/reliability.md; the coarse one may say that it cannot.
# The machine may change between two runs: what the first build does not repeat itself is not held against the second, and a key must
# differ in each of five tries. One line a command.
set -u
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }
fine=$1 coarse=$2
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

# differing SHARE LEAST: a line for each key that fine, coarse and again all trust, where the two of one build agree as the lesser trust
# promises and the other build's lies further from both.
differing() {
    jq -rn --argjson share "$1" --argjson least "$2" --slurpfile a "$work/fine" --slurpfile b "$work/coarse" --slurpfile c "$work/again" '
        def trusted: [.answers[] | select(.trust != "low") | {key: "\(.key) \(.state)", value: .}] | from_entries;
        def apart($one; $two): $one.value != $two.value and
            ((if $one.trust == "high" and $two.trust == "high" then $share else 0.1 end) as $within |
             ($one.value | type) != "number" or (($one.value - $two.value) | fabs) > ([$within * ($one.value | fabs), $least, ($one.within_absolute // 0), ($two.within_absolute // 0)] | max));
        ($b[0] | trusted) as $coarse | ($c[0] | trusted) as $again | $a[0] | trusted | to_entries[] |
        .value as $fine | $coarse[.key] as $coarse | $again[.key] as $again |
        select($coarse and $again and apart($fine; $coarse) and apart($again; $coarse) and (apart($fine; $again) | not)) |
        "\(.key): \($fine.value) and \($again.value), coarse \($coarse.value)"'
}

measure() {
    "$fine" "$@" -o "$work/fine" && "$coarse" "$@" -o "$work/coarse" && "$fine" "$@" -o "$work/again"
}

# agree SHARE LEAST ARGUMENT...
agree() {
    share=$1 least=$2 tries=0
    shift 2
    : >"$work/apart"
    for _ in 1 2 3 4 5; do
        measure "$@" -q -f json 2>"$work/err" || continue
        tries=$((tries + 1))
        differing "$share" "$least" >"$work/now"
        [ -s "$work/now" ] || break
        cat "$work/now" >>"$work/apart"
    done
    if [ $tries -eq 0 ]; then
        echo "skip $*: nothing was measured"
    elif cut -d: -f1 "$work/apart" | sort | uniq -c | grep -q "^ *5 "; then
        echo "not ok $*"
        cat "$work/apart"
        failures=1
    else
        echo "ok $*"
    fi
}

# Ticks a second: its step may be many ticks, or a share of one tick's time, as the CPU likes.
rate() {
    "$1" info --quick -f json -q | jq .clock.tick_hz
}

rates=$(rate "$fine"),$(rate "$coarse")
[ "$(jq -n "[$rates] | index(1e9)")" = null ] || { echo "skipped: this machine's counter is not fit to be a clock"; exit 77; }
if [ "$(jq -n "[$rates] | .[0] > 5 * .[1]")" = true ]; then
    echo "ok the clock of the second build is coarser"
else
    echo "not ok the clock of the second build is coarser: $rates Hz"
    failures=1
fi
agree 0.02 0.1 stlf --quick
agree 0.02 1 sb-capacity
agree 0.02 1 sb-capacity -m nops
agree 0.05 0.1 ram --quick --size 16ki --time-budget 1
[ "$(nproc)" -lt 2 ] || agree 0.05 0.1 core-latency -b cas,readwrite,transfer --duration 1
[ "$(nproc)" -lt 2 ] || agree 0.02 1 sb-capacity -m litmus
exit $failures
