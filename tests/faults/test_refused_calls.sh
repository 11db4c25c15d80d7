# SPDX-License-Identifier: MIT
# A file system that cannot do something loses no result, and the message says where it is.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator makes system calls of its own"
strace -o "$work/trace" "$program" --version >/dev/null 2>&1 || skip "nothing can be traced here"
mkdir "$work/tmp"
export TMPDIR="$work/tmp" ASAN_OPTIONS=detect_leaks=0
rename="?rename,?renameat,?renameat2"

# with CALL ERRNO ARGUMENT...: a run in which that call is refused.
with() {
    call=$1 number=$2
    shift 2
    strace -f -qq -o "$work/trace" -e inject="$call:error=$number" \
        "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

# hwloc would ask for ever.
with sched_getaffinity 1 info --quick
check "a sandbox that hides the allowed CPUs ends with 3" [ "$code" -eq 3 ]
says "sandbox"

while read -r call number operand key; do
    with "$call" "$number" cost --quick -q -f json clock-gettime "$operand"
    check "$call refused: other rows are measured" [ "$code" -eq 0 ]
    in_out '"cost.clock_gettime"'
    in_out '"not_here"'
    in_out "\"$key\", \"value\": null, .*\"remark\": \"."
done <<END
getppid 1 system-call cost.system_call
sched_yield 38 yield cost.yield
pipe2 24 pipe cost.pipe.same_cpu
END
with sched_yield 38 cost --quick -q yield
check "nothing left ends with 4" [ "$code" -eq 4 ]

for call in fchmod fchown fsync flock; do
    for number in 1 38 95; do # EPERM, ENOSYS, ENOTSUP
        echo old >"$work/x.json"
        chmod 640 "$work/x.json"
        [ "$(id -u)" -ne 0 ] || chgrp 33 "$work/x.json"
        with $call $number info --quick -q -o "$work/x.json"
        check "$call refused with $number costs nothing" [ "$code" -eq 0 ]
        check "and the result is whole" grep -q '"complete": *true' "$work/x.json"
        case $(stat -c %g:%a "$work/x.json") in 33:640 | *:600 | "$(id -g):640") true ;; *) false ;; esac
        verdict $? "and for nobody who could not read what was there"
    done
done

# elsewhere CALL ERRNO REASON ARGUMENT...: the old file stays, the result is in the folder for temporary files, and the message
# names both.
elsewhere() {
    call=$1 number=$2 reason=$3
    shift 3
    echo old >"$work/x.json"
    rm -rf "$work/tmp"/*
    with "$call" "$number" "$@" -o "$work/x.json"
    check "$call: a result that cannot be put in its place ends with 1" [ "$code" -eq 1 ]
    check "$call: the old one stays" [ "$(cat "$work/x.json")" = old ]
    says "$reason"
    for file in "$work/tmp"/*; do
        says "$file"
        check "$call: the result is there" grep -q '"trust": *"' "$file"
    done
    check "$call: nothing else is left" [ "$(find "$work" -name '.x.json*')" = "" ]
}

set -- sb-capacity --quick -q
elsewhere fsync 5 "Input/output error" "$@"
elsewhere fsync 28 "No space left on device" "$@"
elsewhere "$rename" 30 "Read-only file system" "$@"
if [ -w /dev/full ]; then
    rm -rf "$work/tmp"/*
    run "$@" -f json -o /dev/full
    check "a full disk ends with 1" [ "$code" -eq 1 ]
    says "$(echo "$work/tmp"/*)"
fi
rm -rf "$work/tmp"
with "$rename" 28 "$@" -f json -o "$work/x.json"
check "without a folder for temporary files it ends with 1, too" [ "$code" -eq 1 ]
in_out '"trust": *"'
in_err "on standard output"
finish
