# SPDX-License-Identifier: MIT
# Neither a file of the kernel nor a closed stream takes a result; a signal after the last measurement loses none.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator handles signals in its own way"

if [ -r /proc/cpuinfo ]; then
    run info -q -f json -o /proc/cpuinfo
    check "a file of the kernel is refused" [ "$code" -ne 0 ]
    check "for a true reason" sh -c '! grep -q "folder does not exist" "$1"' - "$work/err"
fi

# The next file that is opened takes the place of a stream that is closed: that must not be the result, or messages land in it.
"$program" sb-capacity -q -r 1000000 -o "$work/alone.json" <&- >&- 2>&- &
pid=$!
measuring $pid
for stream in 0 1 2; do
    check "stream $stream is no file of the result" [ "$(readlink "/proc/$pid/fd/$stream")" = /dev/null ]
done
kill -TERM $pid
wait $pid
check "and the result is whole" grep -q '^}' "$work/alone.json"
"$program" info -q >&- 2>"$work/err"
check "a closed standard output takes no result" [ $? -eq 1 ]

# What was measured is kept where standard output cannot have it.
mkdir "$work/tmp"
rescued() { # NAME: the run that ended with $code left its result in the folder for temporary files.
    check "$1 ends with 1" [ "$code" -eq 1 ]
    check "$1: one line says where the result is" grep -qF "$(echo "$work"/tmp/*)" "$work/err"
    check "$1: the result is whole" grep -q '"complete": *true' "$work"/tmp/*
    rm -f "$work"/tmp/*
}
if [ -w /dev/full ]; then
    TMPDIR="$work/tmp" "$program" sb-capacity --quick -q -f json >/dev/full 2>"$work/err"
    code=$?
    rescued "a full standard output"
fi
TMPDIR="$work/tmp" "$program" sb-capacity --quick -q -f json >&- 2>"$work/err"
code=$?
rescued "a closed standard output"
head -c 1048576 /dev/zero >"$work/long"
(ulimit -f 2048 && TMPDIR="$work/tmp" "$program" sb-capacity --quick -q -f json >>"$work/long" 2>"$work/err")
code=$?
rescued "a file as long as may be"

# A file that cannot be read is found before anything is measured for it.
echo nonsense >"$work/bad"
for option in against limits; do
    refused 2 check --$option "$work/bad"
    refused 2 check --$option "$work"
done

# late SECONDS: a full pipe holds the result back until the measurement is over; then a signal comes. The run exits with 0 and its
# result is whole.
late() {
    rm -f "$work/pipe"
    mkfifo "$work/pipe" || return 1
    exec 3<>"$work/pipe"
    dd if=/dev/zero of="$work/pipe" oflag=nonblock bs=4096 2>/dev/null
    "$program" info -q -f json -o "$work/pipe" 2>"$work/err" 3<&- &
    pid=$!
    sleep "$1"
    kill -TERM $pid
    exec 4<"$work/pipe"
    { timeout 10 cat | tr -d '\0'; } <&4 3<&- 4<&- >"$work/out" &
    exec 3<&- 4<&-
    wait $pid
    code=$?
    wait
    [ $code -eq 0 ] && grep -q '"complete": *true' "$work/out"
}

if command -v mkfifo >/dev/null; then
    late 1 || late 2 || late 4 || late 8 || late 16
    verdict $? "a signal after the end takes nothing away"
fi
finish
