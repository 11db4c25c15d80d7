# SPDX-License-Identifier: MIT
# A signal at a random moment ends each command and each mode at once, with what was measured. Each is
# interrupted twice, with NIGHTLY=1 in the environment twenty times. UARCHPROBE_SEED repeats the moments of an
# earlier run; with UARCHPROBE_TIMES=FILE each run adds a line to FILE: milliseconds from the signal to the
# end, exit code, signal, command.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator handles signals in its own way"
# What a shell runs in the background ignores INT and QUIT, what nohup runs HUP.
env --default-signal=HUP,INT,QUIT,TERM true 2>/dev/null || skip "this env has no --default-signal"

# A quiet machine needs less than a second; next to other tests a hang must be told from a late thread.
# at_once: commands at a time; moments: within so many seconds.
LIMIT_S=8 rounds=2 at_once=4 moments=1
[ -z "${NIGHTLY:-}" ] || { rounds=20 at_once=1 moments=4; }
seed=${UARCHPROBE_SEED:-$(($(date +%s) % 100000))}
echo "seed $seed"

cp "$(dirname "$0")/../data/results/report.json" "$work/report.json"
mkfifo "$work/fifo" || skip "no FIFO can be made here"

# noting PID: waits until the program notes signals. False: it has ended.
noting() {
    until notes_signals "$1"; do
        ticks_of "$1" || return 1
        case $ticks_line in *') Z '*) return 1 ;; esac # nobody has waited for it
        sleep 0.02
    done
}

# interrupt PLACE SIGNAL DELAY ARGUMENT...: runs the program in PLACE and sends it the signal so many seconds
# after it begins to note signals. Files there say then what it printed, its exit code, the milliseconds until
# it ended, and "late" where it had to be killed.
interrupt() {
    place=$1 signal=$2 delay=$3
    shift 3
    mkdir "$place"
    (cd "$place" && exec env --default-signal=HUP,INT,QUIT,TERM "$program" "$@" >out 2>err </dev/null) &
    pid=$!
    noting "$pid" && sleep "$delay"
    begin=$(date +%s%N)
    kill -s "$signal" "$pid" 2>/dev/null
    # Waits without a sleep that would outlive the script.
    (
        tries=0
        while [ $((tries += 1)) -le $((LIMIT_S * 5)) ]; do
            sleep 0.2
            [ -e "$place/code" ] && exit
        done
        echo >"$place/late"
        kill -KILL "$pid" 2>/dev/null
    ) >/dev/null 2>&1 &
    wait "$pid"
    echo $? >"$place/code"
    echo $((($(date +%s%N) - begin) / 1000000)) >"$place/ms"
}

# judge PLACE SIGNAL COMMAND: the exit code is the signal's, or the command's own where it had ended; a file
# in JSON is whole.
judge() {
    code=$(cat "$1/code")
    case $2 in HUP) number=1 ;; INT) number=2 ;; QUIT) number=3 ;; TERM) number=15 ;; esac
    [ -z "${UARCHPROBE_TIMES:-}" ] || echo "$(cat "$1/ms") $code $2 $3" >>"$UARCHPROBE_TIMES"
    reason=
    if [ -e "$1/late" ]; then
        reason="still runs $LIMIT_S s after it"
    elif [ "$code" -eq $((128 + number)) ]; then
        case $3 in
        *r.json*) jq -e '.run.complete == false' "$1/r.json" >/dev/null 2>&1 || reason="leaves no incomplete result" ;;
        esac
    elif [ "$code" -gt 5 ]; then
        reason="ends with $code"
    fi
    [ -z "$(find "$1" -name '.*uarchprobe-*')" ] || reason="leaves an unfinished file"
    if [ -z "$reason" ]; then
        echo "ok $3: SIG$2"
    else
        cp "$1/err" "$work/err"
        cp "$1/out" "$work/out"
        fail "$3: SIG$2 $reason"
    fi
}

# The commands; FIFO stands for a file. Of a run of a second or two some are interrupted at its end.
cat >"$work/commands" <<'END'
ram -f json -o r.json
ram --quick -v
ram --size 64mi -r 10 -f json -o r.json
ram --size 1mi --pages 4k -r 100
ram -t 2 --size 64mi -r 10 -f json -o r.json
ram --curve -f json -o r.json
ram --loaded -f json -o r.json
ram --scale -f json -o r.json
ram --share 3 -f json -o r.json
ram --nodes -f json -o r.json
ram --crossover -f json -o r.json
sb-capacity -r 100000 -f json -o r.json
sb-capacity -m nops -r 100000
sb-capacity -m litmus -r 10000 -f json -o r.json
core-latency -f json -o r.json
core-latency -b all -f json -o r.json
stlf -r 100000 -f json -o r.json
stlf --grid -r 1000 -f json -o r.json
capacity -f json -o r.json
cost -f json -o r.json
cost futex -r 100000
cost pipe -r 100000
cost contended -r 100000
report -f json -o r.json
report --quick -f html -o r.html
info --watch 4 -f json -o r.json
check
check -- sleep 4
check --limits FIFO
compare FIFO FIFO
info --from FIFO
report --from FIFO
list kernels
list -f json -o r.json
END

# Signals and moments, drawn before anything runs, so that the seed alone decides.
awk -v seed="$seed" -v rounds="$rounds" -v moments="$moments" 'BEGIN { split("HUP INT QUIT TERM", signals); srand(seed) }
    { command[NR] = $0 }
    END { for (round = 0; round < rounds; round++) for (i = 1; i <= NR; i++)
        printf "%s %.2f %s\n", signals[1 + int(rand() * 4)], (rand() < 0.3 ? 0.2 : moments) * rand(), command[i] }' \
    "$work/commands" >"$work/plan"

run=0
while read -r signal delay command; do
    run=$((run + 1))
    words=$(echo "$command" | sed "s|FIFO|../fifo|g")
    # shellcheck disable=SC2086 # no word holds a blank
    interrupt "$work/$run" "$signal" "$delay" $words &
    if [ $((run % at_once)) -eq 0 ]; then wait; fi
done <"$work/plan"
wait
run=0
while read -r signal delay command; do
    run=$((run + 1))
    judge "$work/$run" "$signal" "$command"
done <"$work/plan"
finish
