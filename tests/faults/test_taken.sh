# SPDX-License-Identifier: MIT
# A CPU that is taken away while the machine is watched is named, and no host is blamed.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator shows no cpuset"
first=$(first_cpu) cpu=$(last_cpu)
[ "$first" -ne "$cpu" ] || skip "needs two CPUs"
command -v taskset >/dev/null || skip "taskset is not here"

# watched COMMAND...: all its threads are confined to the first CPU, again and again, until it ends.
watched() {
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    measuring $pid
    for _ in $(seq 600); do
        taskset -a -p -c "$first" $pid >/dev/null 2>&1
        sleep 0.05
        grep -q '^State:.[^Z]' /proc/$pid/status 2>/dev/null || break
    done
    wait $pid
    code=$?
}

watched info --watch 6 --format json
check "info ends with 3" [ "$code" -eq 3 ]
in_err "CPU $cpu was taken away"
in_out '"got.fit", *"value": *false'
check "info blames no host" sh -c '! grep -q "\"got.not_moved\", *\"value\": *false" "$1"' - "$work/out"
watched check
check "check ends with 5" [ "$code" -eq 5 ]
in_out "^UNFIT  a CPU was taken away"
in_err "CPU $cpu was taken away"
finish
