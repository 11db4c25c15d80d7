# SPDX-License-Identifier: MIT
# Files that a result replaces stay whose they are; a signal that comes when all is measured takes nothing away.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator handles signals in its own way"

echo old >"$work/mine"
chmod 640 "$work/mine"
expect 0 "a result replaces a file" "$program" info -q -f json -o "$work/mine"
check "and keeps its mode" [ "$(stat -c %a "$work/mine")" = 640 ]
check "and is a whole result" grep -q '"complete": *true' "$work/mine"
if [ "$(id -u)" -eq 0 ]; then
    echo old >"$work/theirs"
    chown 65534:65534 "$work/theirs"
    expect 0 "a result in a file of somebody else" "$program" info -q -f json -o "$work/theirs"
    check "leaves it to its owner" [ "$(stat -c %u:%g "$work/theirs")" = 65534:65534 ]
    check "and is a whole result" grep -q '"complete": *true' "$work/theirs"
fi
ln -s later "$work/link"
expect 0 "a result by a link to what is not there yet" "$program" info -q -f json -o "$work/link"
check "keeps the link" [ -L "$work/link" ]
check "and makes what it names" [ -s "$work/later" ]
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

# late SECONDS: a pipe that is full holds the result back, so that after some time all is measured; then a signal comes. The run exits with
# 0 and its result is whole.
late() {
    rm -f "$work/pipe"
    mkfifo "$work/pipe" || return 1
    exec 3<>"$work/pipe"
    dd if=/dev/zero of="$work/pipe" oflag=nonblock bs=4096 2>/dev/null
    "$program" info -q -f json -o "$work/pipe" 2>"$work/err" 3<&- &
    pid=$!
    sleep "$1"
    kill -TERM $pid
    timeout 10 cat "$work/pipe" 3<&- | tr -d '\0' >"$work/out" &
    exec 3<&-
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
