# SPDX-License-Identifier: MIT
# One CPU is allowed, and it is not CPU 0 where there are two: its real number is what is shown and used.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"
command -v taskset >/dev/null || skip "no taskset"
cpu=$(last_cpu)

expect 0 "info on CPU $cpu alone" taskset -c "$cpu" "$program" info --format json
in_out "\"allowed\": *\"$cpu\""
expect 3 "core-latency on one CPU" taskset -c "$cpu" "$program" core-latency
in_err "two CPUs"
expect 3 "a CPU outside the mask" taskset -c "$cpu" "$program" ram --dry-run --cpus 8000
in_err "CPU 8000 does not exist"
if [ "$cpu" -ne 0 ]; then
    expect 3 "CPU 0 outside the mask" taskset -c "$cpu" "$program" ram --dry-run --cpus 0
    in_err "CPU 0 is not allowed.*allowed: $cpu"
fi
finish
