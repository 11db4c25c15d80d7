# SPDX-License-Identifier: MIT
# A whole run notices and reports that its CPUs are taken away, that it is stopped and goes on, that its quota runs out.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator is not what is disturbed"
first=$(first_cpu) cpu=$(last_cpu)

# begin ARGUMENT...: in the background, a run that takes some time; waits until it measures.
begin() {
    "$program" "$@" -f json -q --no-progress >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    measuring $pid
}

if [ "$cpu" -ne "$first" ] && command -v taskset >/dev/null; then
    # Two threads of their own each, which take long to fill their memory.
    set -- ${NIGHTLY:+"ram --loaded"} ${NIGHTLY:+"ram --scale"}
    for command in "ram --size 16ki --task read -t 1" "ram --size 16ki --task read -t 2" "sb-capacity" "sb-capacity --method nops" \
        "sb-capacity --method litmus" "stlf --grid" "stlf --smt=0" "core-latency -s 20" \
        "capacity" "cost" "ram --curve --size 4ki-1mi" "$@"; do
        cpus=$cpu
        case $command in *"-t 2" | *litmus | core* | *loaded | *scale) cpus=$first,$cpu ;; esac
        # Next to other work the first answer takes some time.
        for seconds in 0.3 2 8; do
            begin $command --cpus "$cpus" -r 100000
            sleep $seconds
            # Threads that begin later pin themselves, so the CPU is taken away until the run ends; a minute is far beyond that.
            for _ in $(seq 300); do
                taskset -a -p -c "$first" $pid >/dev/null 2>&1
                sleep 0.2
                grep -q '^State:.[^Z]' /proc/$pid/status 2>/dev/null || break
            done
            kill -KILL $pid 2>/dev/null
            wait $pid
            code=$?
            ! grep -q '"trust": *"' "$work/out" || break
        done
        check "$command: CPUs that are taken away end it with 3" [ "$code" -eq 3 ]
        in_err "CPU $cpu was taken away"
        in_out '"complete": *false'
        in_out '"trust": *"'
    done
fi

# stopped_for SECONDS COMMAND...: whether the run says that it was stopped.
stopped_for() {
    seconds=$1
    shift
    begin "$@"
    sleep "$seconds" # each point is sampled once, so that it is known how long that takes
    kill -STOP $pid
    sleep "$seconds"
    kill -CONT $pid
    sleep 1
    kill -TERM $pid
    wait $pid
    grep -q '"stopped"' "$work/out" && grep -q 'nothing ran for' "$work/out"
}

# A stop takes ten times as long as anything before: longer where other work has the CPUs.
for command in "ram --size 16ki --task read -t 1" "stlf --grid" "core-latency -s 20"; do
    case $command in core*) [ "$cpu" -ne "$first" ] || continue && command="$command --cpus $first,$cpu" ;; esac
    stopped_for 1 $command -r 100000 || stopped_for 4 $command -r 100000 || stopped_for 16 $command -r 100000
    verdict $? "${command%% *}: a stop is said"
done

# A tenth of a CPU, by cgroup v1 or v2. In periods of 10 ms: even the shortest run lasts for many, and a millisecond is used up
# in each in which the run has a CPU at all. The group has all the weight there is, so that it has one, however many others want it.
quota() {
    v1=$(awk '$3 == "cgroup" && ("," $4 ",") ~ ",cpu," { print $2; exit }' /proc/mounts)
    v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
    if [ "$v1" ]; then
        group=$v1/uarchprobe-test-$$
        mkdir "$group" 2>/dev/null && (echo 262144 >"$group/cpu.shares") 2>/dev/null
        (echo 10000 >"$group/cpu.cfs_period_us" && echo 1000 >"$group/cpu.cfs_quota_us") 2>/dev/null && members=$group/tasks
    elif [ "$v2" ] && grep -qw cpu "$v2/cgroup.subtree_control"; then
        group=$v2/uarchprobe-test-$$
        mkdir "$group" 2>/dev/null && (echo 10000 >"$group/cpu.weight") 2>/dev/null
        (echo "1000 10000" >"$group/cpu.max") 2>/dev/null && members=$group/cgroup.procs
    fi
    [ "${members-}" ] && sh -c 'echo $$ >"$1"' - "$members" 2>/dev/null
}

if quota; then
    for command in ram stlf core-latency sb-capacity; do
        [ $command != core-latency ] || [ "$cpu" -ne "$first" ] || continue
        sh -c 'echo $$ >"$1"; shift; exec "$@"' - "$members" "$program" $command -r 1000 --time-budget 1 -f json -q >"$work/out" 2>"$work/err"
        check "$command: a quota that runs out is said" grep -q '"throttled"' "$work/out"
    done
fi
[ -z "${group-}" ] || rmdir "$group"
finish
