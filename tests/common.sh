# SPDX-License-Identifier: MIT
# Sourced by the shell tests; $1 of the test is the executable, unless $alone says that there is none. Each check prints `ok NAME` or `not ok NAME`, the script ends
# with `finish`; one that cannot run here calls `skip WHY`. $work is a folder that goes away at the end; what the program
# printed last is in $work/out and $work/err, its exit code in $code.
set -u
program=${1:-}
[ -x "$program" ] || [ "${alone:-}" ] || { echo "usage: $0 UARCHPROBE" >&2; exit 99; }
case $program in /*) ;; *) program=$PWD/$program ;; esac
work=$(mktemp -d) && work=$(cd "$work" && pwd -P) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

skip() {
    echo "skipped: $1"
    exit 77
}

finish() {
    [ "$failures" -eq 0 ]
    exit
}

fail() {
    echo "not ok $1"
    head -n 20 "$work/out" "$work/err" 2>/dev/null
    failures=$((failures + 1))
}

# verdict CODE NAME: 0 is good.
verdict() {
    if [ "$1" -eq 0 ]; then echo "ok $2"; else fail "$2"; fi
}

# check NAME COMMAND...: the command is true.
check() {
    name=$1
    shift
    "$@"
    verdict $? "$name"
}

# jq -e fails without a value, too: jq 1.6 calls an empty file a success. The function exists only where there
# is a jq, as tests ask for it by name.
if command -v jq >/dev/null; then
    jq() {
        if [ "$1" != -e ]; then
            command jq "$@"
            return
        fi
        shift
        of_jq=$(command jq "$@") || return
        printf '%s\n' "$of_jq"
        case $(printf '%s\n' "$of_jq" | tail -n 1) in '' | false | null) return 1 ;; esac
    }
fi

# no_crash WHAT...: what ended with $code was not ended by a fault of its own or by a sanitizer. A crash is a failure of the test also
# where the test goes on to accept that exit code or runs the program once more; scripts/test knows the line and tries nothing again.
no_crash() {
    case $code in
    132 | 134 | 135 | 136 | 139) fail "a crash, $code: $*" ;;
    *) ! grep -Eq '==[0-9]+==ERROR: |runtime error: ' "$work/err" || fail "a crash, by a sanitizer: $*" ;;
    esac
}

run() {
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    no_crash "$@"
}

# Whether a run with a JSON result ended well, or its time was over before the first measurement, as in an emulator next to other
# work.
ended_well() {
    [ "$code" -eq 0 ] || { [ "$code" -eq 1 ] && grep -q '"complete": *false' "$work/out"; }
}

# run_until PATTERN ARGUMENT...: a run whose standard output has it, or the last of eight. Next to other work a short run may
# lose its CPU in every sample of something.
run_until() {
    sought=$1
    shift
    for _ in 1 2 3 4 5 6 7 8; do
        run "$@"
        ! grep -Eq -- "$sought" "$work/out" || break
    done
}

# expect CODE NAME COMMAND...: a command of any kind, such as the program in other surroundings.
expect() {
    wanted=$1 name=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    no_crash "$@"
    check "$name exits with $wanted" [ "$code" -eq "$wanted" ]
}

# gives CODE PATTERN ARGUMENT...: the program ends so, and what it prints, its line breaks as blanks, has the pattern.
gives() {
    wanted=$1 pattern=$2
    shift 2
    run "$@"
    [ "$code" -eq "$wanted" ] && cat "$work/out" "$work/err" | tr -s ' \n' ' ' | grep -q -- "$pattern"
    verdict $? "$wanted, $pattern: $*"
}

in_out() {
    check "standard output has $1" grep -Eq -- "$1" "$work/out"
}

in_err() {
    check "standard error has $1" grep -Eq -- "$1" "$work/err"
}

# refused CODE ARGUMENT...: nothing on standard output, one line on standard error that begins with the program's name.
refused() {
    wanted=$1
    shift
    run "$@"
    [ "$code" -eq "$wanted" ] && [ ! -s "$work/out" ] && [ "$(grep -vc 'an emulator runs this program' "$work/err")" -eq 1 ] &&
        grep -q '^uarchprobe: ' "$work/err"
    verdict $? "refused with $wanted: $*"
}

# says TEXT: the last message holds it, to the letter.
says() {
    check "says $1" grep -qF -- "$1" "$work/err"
}

# refuses CODE TEXT ARGUMENT...: with a message that holds the text.
refuses() {
    because=$2
    code=$1
    shift 2
    refused "$code" "$@"
    says "$because"
}

# shown ARGUMENT...: good, on standard output only.
shown() {
    run "$@"
    [ "$code" -eq 0 ] && [ -s "$work/out" ] && [ ! -s "$work/err" ]
    verdict $? "shown: $*"
}

# Measuring takes too long under an emulator, whose wrapper is a script.
emulated() {
    [ "$(head -c 2 "$program")" = '#!' ]
}

# What follows asks often, so it starts no process: a busy machine has no time for those that watch.

# ticks_of PID: its CPU time so far, in $ticks.
ticks_of() {
    ticks=0
    read -r ticks_line 2>/dev/null <"/proc/$1/stat" || return 1
    # shellcheck disable=SC2086 # numbers
    set -- ${ticks_line##*) }
    ticks=$((${12} + ${13}))
}

# notes_signals PID: it catches SIGTERM.
notes_signals() {
    while read -r status_key status_value; do
        case $status_key in SigCgt:) break ;; esac
    done 2>/dev/null <"/proc/$1/status" || return 1
    case $status_value in *[4567cdef]???) ;; *) return 1 ;; esac
}

# measuring PID: waits until the program measures: it catches SIGTERM and has used some CPU time of its own, as on a busy machine a
# second may pass before it begins. False: it has ended, or did not get so far.
measuring() {
    enough=$(($(getconf CLK_TCK) * 3 / 10))
    emulated && enough=$((5 * enough))
    for _ in $(seq 1200); do
        ticks_of "$1"
        [ "$ticks" -gt 0 ] || kill -0 "$1" 2>/dev/null || return 1
        [ "$ticks" -lt "$enough" ] || ! notes_signals "$1" || return 0
        sleep 0.05
    done
    return 1
}

# ended ARGUMENT...: a run that takes minutes, ended with SIGTERM once it measures.
ended() {
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    measuring $pid
    kill -TERM $pid 2>/dev/null
    wait $pid
    code=$?
    no_crash "$@"
}

# The lowest and the highest CPU that this shell may use.
first_cpu() {
    sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | sed 's/[,-].*//'
}
last_cpu() {
    sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | sed 's/.*[,-]//'
}

# A filter for jq: the rows of each table as objects, with the names of classes, instead of column by column.
by_row='(.tables[], .commands[]?.tables[]) |= (.columns as $columns | .rows as $values |
    .rows = [range($values[$columns[0].key] | length) as $i | reduce $columns[] as $column ({}; .[$column.key] =
        ($values[$column.key] | if type == "object" then map_values(.[$i]) else .[$i] end |
         if $column.type == "class" and . != null then $column.names[.] else . end))])'
