# SPDX-License-Identifier: MIT
# One CPU is allowed, and it is not CPU 0 where there are two: its real number is what is shown and used. By taskset, and by a control group
# (cpuset of cgroup v2 or v1), where the kernel itself refuses the others.
. "$(dirname "$0")/../common.sh"
cpu=$(last_cpu)

# confined HOW COMMAND...: the command starts what follows on that CPU alone.
confined() {
    how=$1
    shift
    expect 0 "info, $how" "$@" "$program" info --quick --format json
    in_out "\"allowed\": *\"$cpu\""
    expect 3 "core-latency, $how" "$@" "$program" core-latency
    in_err "two CPUs"
    # In a report what needs a second CPU is a row with its reason, however the others went away.
    emulated || [ "$how" != taskset ] || {
        expect 0 "report, $how" "$@" "$program" report --quick -q -f json
        in_out '"core-latency.not_here", *"value": *null'
        in_out '"complete": *true'
        in_out '"needs two CPUs"'
    }
    emulated || {
        expect 0 "cost, $how" "$@" "$program" cost --quick -q -f json futex
        in_out '"cost.futex.other_cpu", *"value": *null'
    }
    expect 3 "a CPU that does not exist, $how" "$@" "$program" ram --dry-run --cpus 8000
    in_err "CPU 8000 does not exist"
    [ "$cpu" -ne 0 ] || return
    expect 3 "CPU 0, $how" "$@" "$program" ram --dry-run --cpus 0
    in_err "CPU 0 is not allowed.*allowed: $cpu"
}

if command -v taskset >/dev/null; then
    confined taskset taskset -c "$cpu"
else
    echo "skip taskset: it is not here"
fi

# mounted TYPE OPTION: where the first hierarchy of that type and with that option is mounted.
mounted() {
    awk -v type="$1" -v option="$2" '$3 == type && ("," $4 ",") ~ ("," option ",") { print $2; exit }' /proc/mounts
}

# lacking REASON
lacking() {
    echo "skip cpuset: $1"
    finish
}

[ "$cpu" -ne 0 ] || lacking "needs a CPU other than 0"
v1=$(mounted cgroup cpuset)
parent=${v1:-$(mounted cgroup2 '.*')}
enabled=
if [ ! "$v1" ]; then
    grep -qsw cpuset "$parent/cgroup.controllers" || lacking "no controller, neither of cgroup v2 nor of v1"
    grep -qw cpuset "$parent/cgroup.subtree_control" ||
        { (echo +cpuset >"$parent/cgroup.subtree_control") 2>/dev/null && enabled=yes; } || lacking "cannot enable it in $parent"
fi
group=$parent/uarchprobe-test-$$
undo() {
    rmdir "$group" 2>/dev/null
    [ -z "$enabled" ] || (echo -cpuset >"$parent/cgroup.subtree_control") 2>/dev/null
    rm -rf "$work"
}
trap undo EXIT
mkdir "$group" 2>/dev/null && (echo "$cpu" >"$group/cpuset.cpus") 2>/dev/null || lacking "cannot give CPU $cpu to a group in $parent"
# A group of v1 has no memory until some is named, one of v2 that of its parent.
[ -z "$v1" ] || cat "$v1/cpuset.mems" >"$group/cpuset.mems" || lacking "cannot give memory to a group in $parent"
enter='echo $$ >"$1" && shift && exec "$@"'
sh -c "$enter" - "$group/cgroup.procs" true 2>/dev/null || lacking "cannot move a process to a group in $parent"
confined cpuset sh -c "$enter" - "$group/cgroup.procs"
finish
