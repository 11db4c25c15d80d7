# SPDX-License-Identifier: MIT
# Little memory, a small stack, no /proc and /sys: refused before memory is touched, no made-up facts, no end by a signal.
. "$(dirname "$0")/../common.sh"
report=$(dirname "$0")/../data/results/report.json

expect 3 "more memory than any machine has" "$program" ram --size 900000gi
in_err "room for"
if "$program" info --quick >/dev/null 2>&1 && (ulimit -v 262144) 2>/dev/null; then
    expect 0 "info with little address space" sh -c 'ulimit -v 262144; exec "$1" info --quick' - "$program"
    expect 3 "ram with little address space" sh -c 'ulimit -v 262144; exec "$1" ram --size 1gi' - "$program"
    in_err "room for"
fi

# As in a chroot or a sandbox.
export UARCHPROBE_SYSROOT="$work/nothing"
expect 0 "info where hwloc finds nothing" env HWLOC_FSROOT="$work/nothing" "$program" info --quick --format json
check "and hwloc has nothing to say of it" sh -c '! grep -i hwloc "$1"' - "$work/err"
expect 0 "info without /proc and /sys" "$program" info --quick --format json
for fact in governor thp microcode memory_bytes; do
    in_out "\"$fact\": *null"
done
if ! emulated; then
    expect 0 "info that measures without /proc and /sys" "$program" info --format json
    for answer in undisturbed fit; do
        check "got.$answer is not known" grep -Eq "\"got.$answer\", *\"value\": *(null|false)" "$work/out"
    done
    check "and no size is 0 B" sh -c '! grep -q "0 B\"" "$1"' - "$work/out"
fi
unset UARCHPROBE_SYSROOT

# hwloc takes what a kernel never shows for impossible, and aborts.
nodes=$work/tree/sys/devices/system/node cpus=$work/tree/sys/devices/system/cpu
odd() { # NAME: with the tree at $work/tree
    expect 0 "info with $1" env HWLOC_FSROOT="$work/tree" HWLOC_THISSYSTEM=1 "$program" info --quick --format json
    in_out '"allowed": *"[0-9]'
    rm -rf "$work/tree"
    mkdir -p "$nodes" "$cpus/cpu0/topology"
    for file in core_cpus thread_siblings package_cpus core_siblings; do echo 1 >"$cpus/cpu0/topology/$file"; done
}
odd "no folder of nodes"
odd "an empty folder of nodes"
mkdir "$nodes/node7"
odd "a first node that is not node 0"
mkdir "$nodes/nodezz"
odd "a node without a number"
for list in '' '7-5,zz' '-1' '0-1000000' '4000000000' '0,0' ','; do
    mkdir "$nodes/node0"
    echo "$list" >"$nodes/online"
    odd "'$list' for the nodes"
    echo "$list" >"$cpus/online"
    odd "'$list' for the CPUs"
done

# As in threads of others, containers and small boards.
if emulated || ! (ulimit -s 256) 2>/dev/null; then
    echo "skip a small stack: no limit of it can be set here"
    finish
fi
while read -r command; do
    sh -c 'ulimit -s 256; exec "$@"' - "$program" $command >"$work/out" 2>"$work/err" </dev/null
    code=$?
    check "$command ends by itself with a stack of 256 KiB" [ "$code" -le 5 ]
done <<END
info
list
stlf --widths all --quick
sb-capacity --quick
sb-capacity -m nops --quick
sb-capacity -m litmus --quick
core-latency --quick
ram --quick --time-budget 0.3
report --from $report
compare $report $report
END
finish
