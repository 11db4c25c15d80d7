# SPDX-License-Identifier: MIT
# Signals, pipes that nobody reads, limits of file size: complete results are written, no unfinished file stays, one signal ends
# whatever waits.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator handles signals in its own way"

# begin ARGUMENT...: the program in the background.
begin() {
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
}

# asleep PID: waits until it sleeps in a system call and takes SIGTERM itself.
asleep() {
    for _ in $(seq 200); do
        notes_signals "$1" && grep -q '^State:.S' "/proc/$1/status" && sleep 0.3 && return 0
        sleep 0.05
    done
    return 1
}

# gone PID: within twenty seconds. The shell tells of a crash, which scripts/test takes for one, but here it is sent.
gone() {
    for _ in $(seq 400); do
        if ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; then
            { wait "$1"; } 2>/dev/null
            code=$?
            return 0
        fi
        sleep 0.05
    done
    kill -KILL "$1"
    return 1
}

nothing_unfinished() {
    check "$1 leaves no unfinished file" [ -z "$(find "$work" -name '.r.json*')" ]
}

long="ram --size 16ki --task read --repeat 1000000 --no-progress"
mkdir "$work/folder"
# INT and QUIT are ignored in what a shell runs in the background.
for signal in HUP:1 ALRM:14 TERM:15 XCPU:24; do
    begin $long -o "$work/folder/r.json"
    measuring $pid
    kill -"${signal%:*}" $pid
    check "SIG${signal%:*} ends a run" gone $pid
    check "with exit code 128 + ${signal#*:}" [ "$code" -eq $((128 + ${signal#*:})) ]
    check "and what there is is written as incomplete" grep -Eq '"complete": *false' "$work/folder/r.json"
    nothing_unfinished "SIG${signal%:*}"
    rm -f "$work/folder/r.json"
done

for signal in "TERM TERM" SEGV ABRT; do
    begin $long -o "$work/folder/r.json"
    measuring $pid
    for one in $signal; do kill -"$one" $pid 2>/dev/null; done
    check "$signal end the process" gone $pid
    nothing_unfinished "$signal"
    case $signal in
    TERM*) check "two signals at once, as of timeout, lose nothing" grep -Eq '"complete": *false' "$work/folder/r.json" ;;
    esac
    rm -f "$work/folder/r.json"
done

# Both limits, as the shell sets them: the kernel kills at the hard one.
(ulimit -t 4; exec "$program" $long -o "$work/folder/r.json") >"$work/out" 2>"$work/err" </dev/null
code=$?
check "a limit of CPU time ends a run before the kernel kills it" [ $code -eq 152 ]
check "and what there is is written" grep -Eq '"complete": *false' "$work/folder/r.json"
nothing_unfinished "it"
rm -f "$work/folder/r.json"

begin check -o "$work/folder/r.prom"
measuring $pid
kill -TERM $pid
check "SIGTERM ends a check" gone $pid
check "which is not fit to judge then" grep -q 'key="check.exit_code".* 5$' "$work/folder/r.prom"

if command -v mkfifo >/dev/null && mkfifo "$work/a" "$work/b"; then
    begin compare "$work/a" "$work/b"
    asleep $pid
    kill -TERM $pid
    check "a comparison of pipes that nobody writes ends" gone $pid
    check "with exit code 143" [ "$code" -eq 143 ]
    begin info -f json -o "$work/a"
    asleep $pid
    kill -TERM $pid
    check "a pipe that nobody opens for reading" gone $pid
    check "ends with exit code 143" [ "$code" -eq 143 ]
    # Opened, never read, and full.
    sleep 60 <>"$work/b" &
    reader=$!
    dd if=/dev/zero of="$work/b" oflag=nonblock bs=4096 2>/dev/null
    begin info -f json -o "$work/b"
    asleep $pid
    kill -TERM $pid
    check "a pipe that is open but never read" gone $pid
    check "ends with exit code 143, too" [ "$code" -eq 143 ]
    kill $reader
fi

message=$(ulimit -f 0; "$program" info -f json -o "$work/folder/r.json" 2>&1)
check "a file beyond the limit of its size exits with 1" [ $? -eq 1 ]
case $message in *"cannot write"*) verdict 0 "and says so" ;; *) verdict 1 "and says so" ;; esac
nothing_unfinished "the limit"
(sleep 0.5; "$program" info -q -f json; echo $? >"$work/code") 2>"$work/err" | true
for _ in $(seq 100); do [ -s "$work/code" ] && break || sleep 0.05; done
check "a reader that is gone ends the program quietly" [ "$(cat "$work/code")" -eq 141 ]
check "without a word" [ ! -s "$work/err" ]
finish
