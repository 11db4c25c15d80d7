# SPDX-License-Identifier: MIT
# A busy loop that has a share of the CPU of a command, or of the program itself, is a reason against measuring.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator is not what is disturbed"
command -v jq >/dev/null || skip "jq is not installed"
command -v taskset >/dev/null || skip "taskset is not here"
[ -r /proc/self/schedstat ] || skip "the kernel does not show how long threads wait"
cpu=$(first_cpu)
taskset -c "$cpu" sh -c 'while :; do :; done' &
loop=$!
trap 'kill $loop; rm -rf "$work"' EXIT

# The command works long enough for the loop to have its turns.
script='i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; exit 3'
expect 3 "a command beside a loop" "$program" check --cpus "$cpu" -o "$work/command.json" -- sh -c "$script"
in_err "UNFIT .*had [0-9]* % of a CPU"
check "the share is stored, and not all of it" jq -e '
    [.answers[] | select(.key == "check.condition.cpu_share").value] | length == 1 and .[0] < 0.95' "$work/command.json"
# 1: more than the loop took the CPU, and no sample was undisturbed.
run sb-capacity --cpus "$cpu" --time-budget 1 -o "$work/result.json"
check "a measurement beside a loop ends by itself" [ "$code" -le 1 ]
check "a result has the share" jq -e '.run.conditions.cpu_share < 0.95 and any(.warnings[]; .code == "preempted")' "$work/result.json"
finish
