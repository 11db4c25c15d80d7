# SPDX-License-Identifier: MIT
# Any system call may fail at any moment: the old file or a whole new one is in its place, the exit code tells a result from
# none, and the reason that is printed is the one that there was. Draws COUNT trials (24) of command x call x errno x moment
# from SEED; a failure prints its trial, which runs again by hand, as does a longer list:
#   SEED=7 COUNT=150 sh tests/faults/test_matrix.sh build/gcc/uarchprobe
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator makes system calls of its own"
command -v jq >/dev/null || skip "jq is not installed"
strace -f -o "$work/trace" "$program" --version >/dev/null 2>&1 || skip "nothing can be traced here"
seed=${SEED:-20261122}
count=${COUNT:-24}
echo "SEED=$seed COUNT=$count"
result=$(dirname "$0")/../data/results/report.json
export TMPDIR="$work/tmp" ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1

cat >"$work/commands" <<END_OF_COMMANDS
ram --size 4ki --task latency -r 1
ram --size 4ki --task read -t 2 -r 1
sb-capacity -r 5
sb-capacity -r 5 --counters
stlf -r 1
cost -r 5
core-latency -r 1
info
report --from $result
compare $result $result
check $result --against $result
END_OF_COMMANDS
[ "$(nproc)" -gt 1 ] || { sed '/core-latency\|-t 2/d' "$work/commands" >"$work/few" && mv "$work/few" "$work/commands"; }

# Not futex, at whose failure glibc aborts, nor sched_getaffinity, which hwloc repeats for ever.
calls="openat write fsync fchmod fchown ?rename,?renameat,?renameat2 mmap madvise sched_setaffinity ?clone,?clone3 getrandom
    perf_event_open ?statx,?newfstatat,?fstat read lseek ftruncate ?unlink,?unlinkat flock getdents64 fcntl munmap
    clock_nanosleep getrusage"
errors="EPERM EACCES EIO ENOSPC EMFILE ENOMEM EINTR ENOSYS EINVAL"

# explained: the message, in $work/err, gives the reason, or all of it that a library passes on: malloc has one error, a thread
# that cannot be made is EAGAIN for ENOMEM, hwloc has errors of its own and leaves the CPU where it was when it cannot go back;
# and where each write fails, nothing can be said.
explained() {
    case "$call:$error:$moment:$(cat "$work/err")" in
    *"$reason"*) ;;
    mmap:*"out of memory"* | mmap:*"Cannot allocate memory"*) ;;
    *clone*:ENOMEM:*"Resource temporarily unavailable"*) ;;
    *"hwloc cannot load the topology"*) ;;
    sched_setaffinity:*"only 1 may be used here"* | sched_setaffinity:EINVAL:*"not in this process's cpuset"*) ;;
    write:*+:) ;;
    *) [ $new = yes ] && jq .run "$file" | grep -qF "$reason" ;;
    esac
}

# draw N: the next number below N, in $drawn, the same in every shell.
state=$((seed % 2147483647))
draw() {
    state=$(((state * 48271 + 11) % 2147483647))
    drawn=$((state / 8 % $1))
}

# made TRACE CALLS: how often they are in a trace.
made() {
    grep -Ec "^([0-9]+ +)?($(echo "$2" | tr -d '?' | tr ',' '|'))\(" "$1"
}

answers_of() {
    jq '.answers | length' "$1" 2>/dev/null || echo 0
}

# attempt: runs $command with the fault, into a file that exists. $harm: the broken promise, or empty.
attempt() {
    harm=
    rm -rf "$work/place" "$TMPDIR"
    mkdir "$work/place" "$TMPDIR"
    file=$work/place/x.json
    echo old >"$file"
    timeout -k 5 30 strace -f -qq -o "$work/log" -e trace="$call" -e inject="$call:error=$error:when=$moment" \
        "$program" $command -o "$file" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    grep -q INJECTED "$work/log" || return 0
    struck=$((struck + 1))
    reason=$(sed -n 's/.* = -1 [A-Z]* (\(.*\)) (INJECTED).*/\1/p' "$work/log" | head -n 1)
    new=yes
    [ "$(cat "$file")" != old ] || new=no
    if [ $new = yes ] && ! jq -e .schema "$file" >/dev/null 2>&1; then
        harm="the file is neither old nor whole"
    elif [ $code -ge 124 ]; then
        harm="it ended with $code"
    elif [ $code -eq 0 ] && [ $new = no ]; then
        harm="0 without a result"
    elif [ $code -eq 0 ] && [ "$expected" -gt 0 ] && [ "$(answers_of "$file")" -eq 0 ]; then
        harm="0 with nothing found"
    elif [ $code -ne 0 ] && ! explained; then
        harm="$code, and the reason is not $error"
    fi
    case $call in *unlink*) return 0 ;; esac
    [ "$(find "$work/place" -name '.x.json*')" = "" ] || harm="${harm:+$harm; }an unfinished file is left"
}

# System calls and number of answers of each command without a fault.
number=0
while read -r command; do
    number=$((number + 1))
    strace -f -qq -o "$work/trace.$number" "$program" $command -o "$work/plain.$number" >/dev/null 2>&1 </dev/null
    answers_of "$work/plain.$number" >"$work/found.$number"
done <"$work/commands"

trial=0 struck=0
while [ $trial -lt "$count" ]; do
    draw "$number"
    which=$((drawn + 1))
    command=$(sed -n ${which}p "$work/commands")
    expected=$(cat "$work/found.$which")
    set -- $calls
    draw $#
    shift "$drawn"
    call=$1
    set -- $errors
    draw $#
    shift "$drawn"
    error=$1
    # The loader's own calls come first; the program cannot handle their faults.
    before=$(made "$work/trace" "$call")
    [ "$call" != write ] || before=0
    all=$(made "$work/trace.$which" "$call")
    [ "$all" -gt "$before" ] || continue
    draw $((all - before))
    moment=$((before + 1 + drawn))
    draw 2
    # An interruption ends; others may or may not.
    [ "$error" = EINTR ] || [ "$drawn" -eq 0 ] || moment=$moment+
    trial=$((trial + 1))
    # Next to other work a run may lose every sample; a fault of the program comes again.
    for _ in 1 2 3; do
        attempt
        [ -n "$harm" ] || break
    done
    [ -z "$harm" ]
    verdict $? "trial $trial: inject=$call:error=$error:when=$moment $command${harm:+: $harm}"
done
check "calls did fail" [ $struck -gt $((count / 2)) ]
finish
