# SPDX-License-Identifier: MIT
# Guests and containers that show few caches or none: each command ends with what can be measured there, or with a reason.
. "$(dirname "$0")/../common.sh"
if emulated; then skip "measuring takes too long"; fi
[ "$(nproc)" -gt 1 ] || skip "the topologies have two CPUs"

for topology in 'core:2 pu:1' 'node:1 l3:1(size=33554432) core:2 pu:1'; do
    while read -r arguments; do
        # shellcheck disable=SC2086 # words of a command line
        (HWLOC_SYNTHETIC="$topology" exec "$program" $arguments --time-budget 0.4) >"$work/out" 2>"$work/err" </dev/null
        code=$?
        check "$topology: $arguments" [ "$code" -le 5 -a "$code" -ne 2 ]
    done <<END
ram
ram --task mix
ram --curve
ram --scale
ram --share 0.3
ram --crossover
ram --loaded
capacity parallel-misses
capacity
cost
core-latency
sb-capacity
stlf
END
done
finish
