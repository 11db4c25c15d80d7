# SPDX-License-Identifier: MIT
# What Docker and Kubernetes do to a program, by namespaces and control groups: little memory, a share of the
# CPU, one CPU, a root that cannot be written to, files of the kernel that are hidden, no reserved pages, a
# filter of system calls. Each command and mode has one of three outcomes there: a whole result, less and said
# so, or exit code 3 with the way out. Draws COUNT (8; with $NIGHTLY all) pairs of a container and a command
# from SEED, which is printed.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator takes memory and system calls of its own"
command -v jq >/dev/null || skip "jq is not installed"
here=$(cd "$(dirname "$0")" && pwd -P)
recorded=$here/../data/results/report.json
seed=${SEED:-$(($(date +%s) % 100000))}
count=${COUNT:-8}
[ -z "${NIGHTLY-}" ] || count=0
groups=$work/groups

leave() {
    if [ -e "$groups" ]; then sort -u "$groups" | xargs -r rmdir 2>/dev/null; fi
    [ ! -d "$work/hugetlb" ] || umount "$work/hugetlb" 2>/dev/null
    rm -rf "$work"
}
trap leave EXIT

# mounted CONTROLLER: where this hierarchy of cgroup v1 is.
mounted() {
    awk -v controller="$1" '$3 == "cgroup" && ("," $4 ",") ~ "," controller "," { print $2; exit }' /proc/mounts
}
unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)

# group CONTROLLER V1-FILE V1-VALUE V2-FILE V2-VALUE: a group with this limit in $group, of the version that
# the machine has. False: none can be made here.
group() {
    hierarchy=$(mounted "$1") file=$2 value=$3
    if [ -z "$hierarchy" ]; then
        grep -qw "$1" "$unified/cgroup.subtree_control" 2>/dev/null || return 1
        hierarchy=$unified file=$4 value=$5
    fi
    group=$hierarchy/uarchprobe-test-$$
    mkdir -p "$group" 2>/dev/null || return 1
    echo "$group" >>"$groups"
    # A group of CPUs takes nobody in before it knows its memory.
    if [ -e "$group/cpuset.mems" ]; then cat "$hierarchy/cpuset.mems" >"$group/cpuset.mems" 2>/dev/null; fi
    (echo "$value" >"$group/$file") 2>/dev/null
}

in_group() {
    sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$group" "$@"
}

# among MOUNTS COMMAND...: in a mount namespace of its own, after the shell's command MOUNTS.
among() {
    unshare -m --propagation private sh -c 'set -e; eval "$1"; shift; exec "$@"' - "$@"
}

# The folder of the test can be written to in a root that cannot.
writable="mount --bind '$work' '$work'; mount --rbind / /; mount -o remount,bind,ro /"
hidden='for file in /proc/kcore /proc/keys /proc/timer_list; do [ ! -e $file ] || mount --bind /dev/null $file; done
    mount -t tmpfs -o ro none /sys/firmware; mount -o remount,bind,ro /sys || mount -t sysfs -o ro none /sys'

# contain KIND ARGUMENT COMMAND...: False with 99: there is no such container here.
contain() {
    kind=$1 argument=$2
    shift 2
    case $kind in
    memory) group memory memory.limit_in_bytes $((argument << 20)) memory.max $((argument << 20)) && in_group "$@" ;;
    quota) group cpu cpu.cfs_quota_us $((argument * 1000)) cpu.max "$((argument * 1000)) 100000" && in_group "$@" ;;
    cpuset) group cpuset cpuset.cpus "$(first_cpu)" cpuset.cpus "$(first_cpu)" && in_group "$@" ;;
    pages)
        [ -d "$work/hugetlb" ] || mkdir "$work/hugetlb"
        mountpoint -q "$work/hugetlb" || mount -t cgroup -o hugetlb none "$work/hugetlb" 2>/dev/null
        group hugetlb hugetlb.2MB.limit_in_bytes 0 hugetlb.2MB.max 0 && in_group "$@"
        ;;
    read-only) among "$writable" true 2>/dev/null && among "$writable" "$@" ;;
    masked) among "$hidden" true 2>/dev/null && among "$hidden" "$@" ;;
    no-stat) among 'mount --bind /dev/null /proc/stat' true 2>/dev/null && among 'mount --bind /dev/null /proc/stat' "$@" ;;
    filter) [ -x "${UNDER_FILTER-}" ] && "$UNDER_FILTER" "$here/../../packaging/seccomp.json" "$@" ;;
    esac
}

cat >"$work/containers" <<'END'
memory 24
memory 32
memory 48
memory 64
memory 96
memory 128
memory 192
memory 256
quota 20
quota 80
cpuset one
pages none
read-only root
masked files
no-stat file
filter calls
END
cat >"$work/commands" <<END
info --quick
ram --quick --time-budget 1
ram --size 4ki,1mi -r 1
ram --curve --quick --time-budget 1
ram --loaded --quick --time-budget 1
ram --scale --quick --time-budget 1
ram --crossover --quick --time-budget 1
ram --pages 2m --size 64ki --task read -r 1
sb-capacity --quick
sb-capacity -m nops -r 2
sb-capacity -m litmus --quick --time-budget 1
capacity --quick --time-budget 2
capacity parallel-misses --time-budget 1
core-latency --quick --time-budget 1
stlf --quick --time-budget 1
cost --quick --time-budget 1
report --quick --time-budget 3
check -- true
compare $recorded $recorded
END

# What is left of a run: "right", "less" (and it says so), "refused" with a reason, or what promise was
# broken.
outcome_of() {
    if [ "$code" -ge 124 ]; then
        echo "ended with $code"
    elif [ "$code" -eq 3 ] && grep -q '^uarchprobe: ' "$work/err"; then
        echo refused
    elif ! jq -e .schema "$result" >"$work/jq" 2>&1; then
        echo "ended with $code, without a result"
    elif jq -e '[.. | objects | select(has("complete")) | .complete] | all' "$result" >"$work/jq" && [ "$code" -eq 0 ]; then
        echo right
    elif [ -s "$work/err" ] || jq -e '[.. | objects | (.warnings? // [])[], (.fault? // empty)] | length > 0' "$result" >"$work/jq"; then
        echo less
    else
        echo "ended with $code, and does not say why"
    fi
}

echo "SEED=$seed"
containers=$(wc -l <"$work/containers") commands=$(wc -l <"$work/commands")
awk -v seed="$seed" -v all=$((containers * commands)) 'BEGIN { srand(seed); for (i = 0; i < all; i++) print rand(), i }' | sort -n |
    awk '{ print $2 }' >"$work/order"
trial=0
while read -r number; do
    [ "$count" -eq 0 ] || [ $trial -lt "$count" ] || break
    container=$(sed -n $((number / commands + 1))p "$work/containers")
    command=$(sed -n $((number % commands + 1))p "$work/commands")
    result=$work/result.json
    rm -f "$result"
    # shellcheck disable=SC2086 # words
    contain $container "$(command -v timeout)" 9 true 2>/dev/null || { echo "skip $container: there is no such container here" && trial=$((trial + 1)) && continue; }
    trial=$((trial + 1))
    # shellcheck disable=SC2086
    contain $container "$(command -v timeout)" -k 5 60 "$program" ${command%% *} -o "$result" ${command#* } >"$work/out" 2>"$work/err" </dev/null
    code=$?
    no_crash "$command"
    outcome=$(outcome_of)
    case $outcome in right | less | refused) verdict 0 "$container, $command: $outcome" ;; *) fail "$container, $command: $outcome" ;; esac
done <"$work/order"
finish
