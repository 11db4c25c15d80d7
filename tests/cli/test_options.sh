# SPDX-License-Identifier: MIT
# Every option that --help lists changes something, command by command. The list is that of --help: an option without a proof
# here fails. Rounds and samples are counted in the result; no value and no duration is looked at, save that a time budget is kept.
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
! emulated || skip "options are the same on every ISA, and an emulator takes minutes for all of them"
set -f # patterns of kernels are words here

last=$(last_cpu)
first=$("$program" info -f json | jq -r .host.topology.allowed | sed 's/[-,].*//')
level=$("$program" list levels -f tsv 2>/dev/null | sed -n 2p | cut -f1)
base=$(dirname "$0")/../data/results/report.json
dump=$(dirname "$0")/../data/cpuid/zen_4.txt
cpus=$(nproc)

# Proofs in tests/data/options.txt: command, option, arguments without and with it, jq filter, what the filter prints with it (exit:CODE for an exit code;
# nothing: anything but what it prints without). A dry run or a run as short as can be. SERIES stands for every command whose plan has
# series and that has no proof of its own.
points='.plan.points'
rows='[.. | .rows? | arrays | length] | add // 0'
behind='[.tables[] | select(.name == "curve") | .rows[].samples] | unique'
grids='[.tables[] | select(.name == "grid") | .rows[].grid] | unique'
names='[.tables[].name] | tostring'
stlf='.run.stlf | [.rounds, .samples]'
plans='[.commands[].plan | del(.. | .seconds?)]'
eval "cat <<PROOFS
$(cat "$(dirname "$0")/../data/options.txt")
PROOFS" >"$work/proofs"

# The recorded report, of a machine that was faster or is another one.
jq '(.. | .value? | numbers) *= 2 | (.. | .interval? | arrays | .[]) *= 2' "$base" >"$work/slow.json"
jq 'del(.commands[1:])' "$base" >"$work/one.json"
jq '(.. | .trust? | strings) = "low"' "$base" >"$work/low.json"
echo 'ram.L1.read >= 1e6 GiB/s' >"$work/limits"
jq '.host.cpu.brand = "another"' "$base" >"$work/other.json"

# made ARGUMENT...: the result of a run is in $made.out, its messages in $made.err, its exit code in $made.code; the same
# arguments are run once. HWLOC_SYNTHETIC A B C: that topology.
made() {
    made=$work/made.$(printf '%s' "$*" | cksum | tr ' ' .)
    [ ! -e "$made.code" ] || return 0
    command=$1
    shift
    if [ "${1:-}" = HWLOC_SYNTHETIC ]; then
        topology="$2 $3"
        shift 3
        case $1 in *:*) topology="$topology $1" && shift ;; esac
        HWLOC_SYNTHETIC=$topology "$program" "$command" "$@" -f json >"$made.out" 2>"$made.err"
    else
        "$program" "$command" "$@" -f json >"$made.out" 2>"$made.err"
    fi
    echo $? >"$made.code"
}

# outcome FILTER ARGUMENT...: what the filter prints, then the exit code.
outcome() {
    filter=$1
    shift
    made "$@"
    if [ "$filter" = '$stderr' ]; then cat "$made.err"; else jq -c "$by_row | $filter" "$made.out" 2>&1; fi
    echo " $(cat "$made.code")"
}

# need_more OPERATION: some kernels that can run here need more than what every CPU of the architecture has.
need_more() {
    "$program" list kernels -f tsv 2>/dev/null |
        awk -F'\t' -v operation="^$1" '$2 ~ operation && $7 !~ /^(|sse2|asimd)$/ && $8 == "true"' | grep -q .
}

# has_series COMMAND: an experiment of rows.
has_series() {
    made "$1" --dry-run
    jq -e .plan.series "$made.out" >/dev/null 2>&1
}

# Where the machine has no choice to offer, there is nothing to be seen.
impossible() {
    case $1 in
    check\ --cpus) ;;
    *\ --cpus) [ "$first" = "$last" ] && echo "one CPU only" ;;
    core-latency*) [ "$cpus" -lt 2 ] && echo "one CPU only" ;;
    sb-capacity\ --isa) need_more store_burst || echo "no stores beyond $level" ;;
    stlf\ --isa) need_more forward || echo "no pairs beyond $level" ;;
    *\ --isa) need_more '' || echo "no kernels beyond $level" ;;
    info\ --quiet) unpinned || echo "no filter of system calls can be installed" ;;
    sb-capacity\ --smt) "$program" sb-capacity --smt -r 1 >/dev/null 2>&1 || echo "no SMT siblings" ;;
    esac
    case $1 in
    core-latency\ --serial) [ "$cpus" -lt 4 ] && echo "fewer than four CPUs" ;;
    esac
}

proof_of_row() { # COMMAND OPTION WITHOUT WITH FILTER EXPECTED
    without=$(outcome "$5" "$1" $3) with=$(outcome "$5" "$1" $4)
    result=$(printf '%s\n' "$with" | sed '$d')
    [ "$without" != "$with" ] && case $6 in
    '') ;;
    exit:*) [ "exit:${with##* }" = "$6" ] ;;
    *) [ "$result" = "$6" ] && [ "${with##* }" -eq 0 ] ;;
    esac
}

# Arguments with which a command is short and prints rows.
short_of() {
    case $1 in
    info) echo "--quick" ;;
    ram) echo "--size 4ki --task latency -r 1" ;;
    capacity) echo "-r 1 --kernel call_depth" ;;
    report) echo "--from $base" ;;
    check) echo "$base" ;;
    compare) echo "-v $base $base" ;;
    *) ! listed_by "$1" | grep -qx -- --repeat || echo "-r 1" ;;
    esac
}

# Arguments with which it would go on for hours, and arguments that lead to a warning.
endless_of() {
    case $1 in
    ram) echo "--size 4ki,64mi -r 1000000" ;;
    report) echo "-r 1000000 -s 10" ;;
    *) echo "-r 1000000" ;;
    esac
}

# Where it is installed, there may still be no /dev/ptmx or no devpts.
terminals=$(env -u CI TERM=xterm script -qec 'tty >/dev/null && echo yes' /dev/null </dev/null 2>/dev/null | tr -d '\r')

# written KIND ARGUMENT...: the result is in $work/KIND.json, what a terminal shows, where there is one, in $work/KIND.tty.
written() {
    kind=$1
    shift
    set -- "$@" -f json -o "$work/$kind.json"
    if [ "$terminals" = yes ]; then
        env -u CI TERM=xterm script -qec "timeout 120 '$program' $*" /dev/null
    else
        timeout 120 "$program" "$@"
    fi </dev/null >"$work/$kind.tty" 2>&1
}

has_progress() {
    grep -q "$(printf '\r\033')" "$work/$1.tty"
}

# Two runs that a budget ends, "loud" and "hushed", prove three options; next to other work a short one may end before there is
# anything to show.
budgeted() {
    [ "$1" != "${budgeted-}" ] || return 0
    budgeted=$1
    for budget in 0.4 1 3 10; do
        # shellcheck disable=SC2046
        written loud "$1" $(endless_of "$1") --time-budget $budget && { [ "$terminals" != yes ] || has_progress loud; } && break
    done
    # shellcheck disable=SC2046
    written hushed "$1" $(endless_of "$1") --time-budget $budget --no-progress -q
}

# Without a budget it would go on for hours; what is left out is said.
proof_of_budget() {
    budgeted "$1"
    jq -e '.run.complete == false and ([.. | .code? | strings] | index("time_budget") != null)' "$work/loud.json" >/dev/null
}

proof_of_progress() {
    budgeted "$1"
    has_progress loud && ! has_progress hushed
}

# A kernel that loses its CPU again and again, one round, or a pair that is not reached is not to be trusted.
doubtful() {
    case $1 in
    ram) "$program" ram --size 64mi --task read --kernel 'read_*64' -c "$last" -r 5 --strict ;;
    core-latency) "$program" core-latency -s 100000 --time-budget 0.2 --strict ;;
    report) "$program" report --from "$work/low.json" --strict ;;
    compare) "$program" compare "$base" "$base" --only "ram.L3.*" --threshold 6 --strict ;;
    *) "$program" "$1" -r 1 --strict ;;
    esac >"$work/out" 2>"$work/err"
}

proof_of_strict() {
    hogs=
    for i in 1 2 3; do
        [ "$1" = ram ] || break
        taskset -c "$last" sh -c 'while :; do :; done' &
        hogs="$hogs $!"
    done
    for try in 1 2 3 4 5 6 7 8; do
        doubtful "$1"
        code=$?
        [ $code -ne 5 ] || break
    done
    [ -z "$hogs" ] || kill $hogs
    [ $code -eq 5 ]
}

# info warns of a core clock that it cannot read, as where it may not choose its CPU.
unpinned() {
    jq '(.syscalls[].names) -= ["sched_setaffinity"]' "$(dirname "$0")/../../packaging/seccomp.json" >"$work/filter" &&
        [ -x "${UNDER_FILTER-}" ] && "$UNDER_FILTER" "$work/filter" "$program" info --quick "$@" >/dev/null 2>"$work/err"
}

proof_of_quiet() {
    case $1 in
    info) unpinned && grep -q 'warning: ' "$work/err" && unpinned -q && [ ! -s "$work/err" ] && return ;;
    compare) set -- compare "$work/other.json" "$base" ;;
    check) set -- check "$work/one.json" --against "$base" ;;
    *) budgeted "$1" && grep -q 'warning: ' "$work/loud.tty" && [ ! -s "$work/hushed.tty" ] && return ;;
    esac
    "$program" "$@" >/dev/null 2>"$work/out"
    "$program" "$@" -q >/dev/null 2>"$work/err"
    grep -q 'warning: ' "$work/out" && [ ! -s "$work/err" ]
}

# The last line of one screen says how to see all. Where other processes have the CPU, a moment may not be enough to find anything.
proof_of_verbose() {
    for budget in 0.3 1 3 10; do
        case $1 in
        compare) set -- compare "$base" "$base" ;;
        info) ;;
        *) set -- "$1" --quick --time-budget $budget ;;
        esac
        "$program" "$@" 2>/dev/null | grep -q ': -v' && break
    done && ! "$program" "$@" -v 2>/dev/null | grep -q ': -v'
}

proof_of_dry_run() {
    # Where another process has the CPU in each round, nothing is found.
    for budget in 0.3 1 3 10; do
        # shellcheck disable=SC2046
        case $1 in report) set -- report --time-budget $budget ;; *) set -- "$1" $(short_of "$1") ;; esac
        [ "$(outcome "$rows" "$@" | head -n 1)" -eq 0 ] || break
        rm -f "$work"/made.*
    done
    [ "$(outcome "$rows" "$@" | head -n 1)" -gt 0 ] && [ "$(outcome "$rows" "$@" --dry-run | head -n 1)" -eq 0 ]
}

# A file of one line instead of a page of many.
proof_of_output() {
    # shellcheck disable=SC2046
    [ -e "$work/$1.jsonl" ] || "$program" "$1" $(short_of "$1") -f jsonl -o "$work/$1.jsonl" >"$work/out" 2>"$work/err"
    [ ! -s "$work/out" ] && [ "$(wc -l <"$work/$1.jsonl")" -eq 1 ] && jq -e .schema "$work/$1.jsonl" >/dev/null
}

escapes() {
    # shellcheck disable=SC2046
    "$program" "$1" $(short_of "$1") --color "$2" 2>/dev/null | grep -q "$(printf '\033')"
}

# hurried COMMAND OPTION: with `scripts/test --quick` what all commands that measure honour by the same code is proved of one.
hurried() {
    quick && [ "$1" != cost ] && listed_by "$1" | grep -qx -- --time-budget || return 1
    case $2 in
    --time-budget) echo "skip $1 $2 and other common options: proved of cost alone in a hurry" ;;
    --no-progress | --quiet | --verbose | --color | --dry-run) ;;
    *) return 1 ;;
    esac
}

# prove COMMAND OPTION: prints one line.
prove() {
    why=$(impossible "$1 $2")
    [ "$2" != --no-progress ] || [ "$terminals" = yes ] || why="no pseudo-terminal can be had by script"
    if [ -n "$why" ]; then
        echo "skip $1 $2: $why"
        return
    fi
    case $2 in
    --time-budget) proof_of_budget "$1" ;;
    --strict) proof_of_strict "$1" ;;
    --no-progress) proof_of_progress "$1" ;;
    --quiet) proof_of_quiet "$1" ;;
    --verbose) proof_of_verbose "$1" ;;
    --dry-run) proof_of_dry_run "$1" ;;
    --output | --format) proof_of_output "$1" ;;
    --color) escapes "$1" always && ! escapes "$1" auto ;;
    --help) "$program" "$1" --help | grep -q '^Usage' ;;
    --version) "$program" "$1" --version | grep -q '^uarchprobe' ;;
    *) prove_by_rows "$1" "$2" ;;
    esac
    verdict $? "$1 $2 changes what it says"
}

# A CPU that others keep busy can leave a set without a single value.
proved() {
    for try in 1 2 3 4 5 6 7 8; do
        proof_of_row "$@" && return
        rm -f "$work"/made.*
    done
    return 1
}

prove_by_rows() {
    grep -- "^$1;$2;" "$work/proofs" >"$work/mine" ||
        { has_series "$1" && sed -n "s/^SERIES;$2;/$1;$2;/p" "$work/proofs" >"$work/mine" && [ -s "$work/mine" ]; } || { echo "no proof of $1 $2 in tests/data/options.txt" >"$work/err" && return 1; }
    while IFS=';' read -r name option without with filter expected; do
        proved "$name" "$option" "$without" "$with" "$filter" "$expected" </dev/null || return 1
    done <"$work/mine"
}

listed_by() {
    [ -e "$work/listed.$1" ] ||
        "$program" "$1" --help=all | sed -n '/ptions:$/,$s/^  \(-[a-zA-Z], \|    \)\(--[a-z-]*\).*/\2/p' >"$work/listed.$1"
    cat "$work/listed.$1"
}

for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    check "$command lists options" [ -n "$(listed_by "$command")" ]
    for option in $(listed_by "$command"); do
        hurried "$command" "$option" || prove "$command" "$option"
    done
    # What it does not list it refuses, with the list of what it takes.
    for option in --repeat --samples --cpus --isa --kernel --quick --time-budget --strict --dry-run --no-progress --quiet --verbose; do
        ! listed_by "$command" | grep -qx -- "$option" || continue
        refuses 2 "$command does not take $option; it takes --" "$command" "$option"
    done
done
finish
