# SPDX-License-Identifier: MIT
# A control group without CPU 0 (cgroup v1 cpuset): the kernel itself refuses the others.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"
mount=$(sed -n 's/^[^ ]* \([^ ]*\) cgroup [^ ]*cpuset[^ ]* .*/\1/p' /proc/mounts | head -n 1)
[ -n "$mount" ] || skip "no cgroup v1 cpuset hierarchy"
cpu=$(last_cpu)
[ "$cpu" -ne 0 ] || skip "needs a CPU other than 0"
group=$mount/uarchprobe-test-$$
mkdir "$group" 2>/dev/null || skip "cannot make a group in $mount"
trap 'rmdir "$group" 2>/dev/null; rm -rf "$work"' EXIT
echo "$cpu" >"$group/cpuset.cpus" && cat "$mount/cpuset.mems" >"$group/cpuset.mems" || skip "cannot set the group up"

expect 0 "info in a cpuset" sh -c 'echo $$ >"$1/tasks" && exec "$2" info --format json' - "$group" "$program"
in_out "\"allowed\": *\"$cpu\""
expect 3 "CPU 0 outside the cpuset" \
    sh -c 'echo $$ >"$1/tasks" && exec "$2" ram --dry-run --cpus 0' - "$group" "$program"
in_err "CPU 0"
finish
