# SPDX-License-Identifier: MIT
# A control group without CPU 0 (cpuset of cgroup v2 or v1): the kernel itself refuses the others.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"

# mounted TYPE OPTION: where the first hierarchy of that type and with that option is mounted.
mounted() {
    awk -v type="$1" -v option="$2" '$3 == type && ("," $4 ",") ~ ("," option ",") { print $2; exit }' /proc/mounts
}

cpu=$(last_cpu)
[ "$cpu" -ne 0 ] || skip "needs a CPU other than 0"
v1=$(mounted cgroup cpuset)
v2=$(mounted cgroup2 '.*')
enabled=
if [ "$v1" ]; then
    parent=$v1 members=tasks
elif [ "$v2" ] && grep -qw cpuset "$v2/cgroup.controllers"; then
    parent=$v2 members=cgroup.procs
    if ! grep -qw cpuset "$parent/cgroup.subtree_control"; then
        (echo +cpuset >"$parent/cgroup.subtree_control") 2>/dev/null || skip "cannot enable the cpuset controller in $parent"
        enabled=yes
    fi
else
    skip "no cpuset controller, neither of cgroup v2 nor of v1"
fi
group=$parent/uarchprobe-test-$$
undo() {
    rmdir "$group" 2>/dev/null
    [ -z "$enabled" ] || (echo -cpuset >"$parent/cgroup.subtree_control") 2>/dev/null
    rm -rf "$work"
}
trap undo EXIT
mkdir "$group" 2>/dev/null || skip "cannot make a group in $parent"
(echo "$cpu" >"$group/cpuset.cpus") 2>/dev/null || skip "cannot give CPU $cpu to a group in $parent"
# A group of v1 has no memory until some is named, one of v2 that of its parent.
[ -z "$v1" ] || cat "$v1/cpuset.mems" >"$group/cpuset.mems" || skip "cannot give memory to a group in $parent"
sh -c 'echo $$ >"$1"' - "$group/$members" 2>/dev/null || skip "cannot move a process to a group in $parent"

expect 0 "info in a cpuset" sh -c 'echo $$ >"$1" && exec "$2" info --format json' - "$group/$members" "$program"
in_out "\"allowed\": *\"$cpu\""
expect 3 "CPU 0 outside the cpuset" \
    sh -c 'echo $$ >"$1" && exec "$2" ram --dry-run --cpus 0' - "$group/$members" "$program"
in_err "CPU 0"
finish
