# SPDX-License-Identifier: MIT
# Every option that --help lists changes something, command by command, by the rows of tests/data/options.txt. An option without a
# row fails, save --help and --version (test_usage.sh). Counts rounds and samples in the result; asserts no value and no duration,
# save that a time budget ends a run of hours.
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
! emulated || skip "options are the same on every ISA, and an emulator takes minutes for all of them"
set -f # patterns of kernels are words here

last=$(last_cpu)
first=$("$program" info --quick -f json | jq -r .host.topology.allowed | sed 's/[-,].*//')
level=$("$program" --help=words ram --isa '' | sed -n 's/\t.*//;1p')
base=$(dirname "$0")/../data/results/report.json
dump=$(dirname "$0")/../data/cpuid/zen_4.txt
escape=$(printf '\033')
line_break='
'
cpus=$(nproc)

# Names in the rows: filters of jq, and results of a faster machine, of another one, of one command, without trust.
points='.plan.points'
rows='[.. | .rows? | objects | .[] | arrays | length] | add // 0'
behind='.tables[] | select(.name == "curve") | .rows.samples | unique'
grids='[.tables[] | select(.name == "grid") | .columns[] | select(.key == "grid") | .names]'
names='[.tables[].name] | tostring'
plans='[.commands[].plan | del(.. | .seconds?)]'
budget='[.run.complete, ([.. | .code? | strings] | index("time_budget") != null)]'
eval "cat <<PROOFS
$(cat "$(dirname "$0")/../data/options.txt")
PROOFS" >"$work/proofs"
jq '(.. | .value? | numbers) *= 2 | (.. | .interval? | arrays | .[]) *= 2' "$base" >"$work/slow.json"
jq 'del(.commands[1:])' "$base" >"$work/one.json"
jq '(.. | .trust? | strings) = "low"' "$base" >"$work/low.json"
jq '.commands[1].answers[0] |= (.trust = "low" | .value *= 1.01)' "$base" >"$work/mixed.json"
jq '.answers = [.commands[0].answers[0] + {key: "got.fit", value: false}]' "$base" >"$work/unfit.json"
jq '.host.cpu.brand = "another"' "$base" >"$work/other.json"
echo 'ram.L1.read >= 1e6 GiB/s' >"$work/limits"
# Unpinned, info warns that it cannot read the core clock.
jq '(.syscalls[].names) -= ["sched_setaffinity"]' "$(dirname "$0")/../../packaging/seccomp.json" >"$work/filter"

# Arguments with which a command is short and prints rows.
short_of() {
    case $1 in
    info) echo "--quick" ;;
    ram) echo "--size 4ki --task latency -r 1" ;;
    capacity) echo "-r 1 return-stack" ;;
    report) echo "--from $base" ;;
    check) echo "$base" ;;
    compare) echo "$base $base" ;;
    *) ! listed_by "$1" | grep -qx -- --repeat || echo "-r 1" ;;
    esac
}

: >"$work/runs"
# made COMMAND ARGUMENT...: output in $made.out and $made.err, exit code in $made.code; the same is run once. In front of the
# arguments may stand HWLOC_SYNTHETIC A B...: that topology; UNPINNED: it may not choose its CPU.
made() {
    made=$(grep -nxF -e "$*" "$work/runs" || { echo "$*" >>"$work/runs" && grep -nxF -e "$*" "$work/runs"; })
    made=$work/made.${made%%:*}
    [ ! -e "$made.code" ] || return 0
    command=$1 topology='' launcher=''
    shift
    case ${1:-} in
    UNPINNED) launcher="$UNDER_FILTER $work/filter" && shift ;;
    HWLOC_SYNTHETIC)
        shift
        while case $1 in *:*) ;; *) false ;; esac; do topology="$topology $1" && shift; done
        export HWLOC_SYNTHETIC="$topology"
        ;;
    esac
    $launcher "$program" "$command" "$@" >"$made.out" 2>"$made.err" </dev/null
    echo $? >"$made.code"
    unset HWLOC_SYNTHETIC
}

# outcomes FILTER COMMAND WITHOUT WITH: what the filter says of both runs, in $without and $with, then the exit code. A filter is of jq, or
# "0": no question, "warnings": their number, "stderr", or "text:PATTERN": in how many lines it is.
outcomes() {
    filter=$1 format=''
    case $filter in 0 | warnings | stderr | text:*) ;; *) format='-f json' ;; esac
    made $2 $3 $format
    first_made=$made
    made $2 $4 $format
    case $filter in
    0) without='' with='' ;;
    warnings) without=$(grep -c 'warning: ' "$first_made.err") with=$(grep -c 'warning: ' "$made.err") ;;
    stderr) without=$(cat "$first_made.err") with=$(cat "$made.err") ;;
    text:*) without=$(grep -c -e "${filter#text:}" "$first_made.out") with=$(grep -c -e "${filter#text:}" "$made.out") ;;
    *)
        # One process for both, as jq takes longer to start than what it reads to be made.
        both=$(jq -cn --slurpfile a "$first_made.out" --slurpfile b "$made.out" "def outcome: try ($filter) catch \"error: \(.)\";
            [\$a[] | outcome], [\$b[] | outcome]" 2>&1)
        without=${both%"$line_break"*} with=${both#*"$line_break"}
        with=${with#[} with=${with%]} without=${without#[} without=${without%]}
        ;;
    esac
    read -r code <"$first_made.code"
    without="$without exit:$code"
    read -r code <"$made.code"
    with="$with exit:$code"
}

# need_more OPERATION: some kernels that can run here need more than what every CPU of the architecture has.
need_more() {
    "$program" list kernels -f tsv 2>/dev/null |
        awk -F'\t' -v operation="^$1" '$2 ~ operation && $7 !~ /^(|sse2|asimd)$/ && $8 == "true"' | grep -q .
}

# A machine without a choice shows no difference.
impossible() {
    case $1 in
    check\ --cpus) ;;
    *\ --cpus) [ "$first" = "$last" ] && echo "one CPU only" ;;
    core-latency* | ram*--loaded | ram*--mix | ram*--scale) [ "$cpus" -lt 2 ] && echo "one CPU only" ;;
    sb-capacity\ --isa) need_more store_burst || echo "no stores beyond $level" ;;
    stlf\ --isa) need_more forward || echo "no pairs beyond $level" ;;
    *\ --isa) need_more '' || echo "no kernels beyond $level" ;;
    info\ --quiet) "${UNDER_FILTER-none}" "$work/filter" "$program" --version >/dev/null 2>&1 || echo "no filter of system calls here" ;;
    sb-capacity\ --smt) "$program" sb-capacity --smt -r 1 >/dev/null 2>&1 || echo "no SMT siblings" ;;
    *\ --no-progress) [ "$terminals" = yes ] || echo "no pseudo-terminal can be had by script" ;;
    esac
}

# proved COMMAND OPTION WITHOUT WITH FILTER EXPECTED. A CPU that others keep busy can leave a run without a single value.
proved() {
    for _ in 1 2 3 4 5 6 7 8; do
        outcomes "$5" "$1" "$3" "$4"
        [ "$without" != "$with" ] && case $6 in
        '') ;;
        exit:*) [ "${with##* }" = "$6" ] ;;
        *) [ "${with% *}" = "$6" ] ;;
        esac && return
        rm -f "$work"/made.*
    done
    return 1
}

# A progress line is drawn for each command by the same code.
proof_of_progress() {
    [ "$1" = cost ] || return 0
    for budget in 1 3 10; do
        for quiet in '' --no-progress; do
            env -u CI TERM=xterm script -qec "'$program' cost -r 1000000 --time-budget $budget $quiet" /dev/null </dev/null >"$work/tty$quiet" 2>&1
        done
        drawn=$(printf '\r\033')
        ! grep -q "$drawn" "$work/tty" || break
    done
    grep -q "$drawn" "$work/tty" && ! grep -q "$drawn" "$work/tty--no-progress"
}
# An installed script(1) may lack /dev/ptmx or devpts.
terminals=$(env -u CI TERM=xterm script -qec 'tty >/dev/null && echo yes' /dev/null </dev/null 2>/dev/null | tr -d '\r')

# The rows of the command, else those of any that has rounds.
proofs_of() {
    grep -- "^$1;$2;" "$work/proofs" || sed -n "s/^ANY;$2;/$1;$2;/p" "$work/proofs"
}

prove() {
    proofs_of "$1" "$2" | sed "s|SHORT|$(short_of "$1")|g" >"$work/mine"
    [ -s "$work/mine" ] || { echo "no proof of $1 $2 in tests/data/options.txt" >"$work/err" && return 1; }
    while IFS=';' read -r whose what without with filter expected; do
        proved "$whose" "$what" "$without" "$with" "$filter" "$expected" </dev/null || return 1
    done <"$work/mine"
}

listed_by() {
    [ -e "$work/listed.$1" ] ||
        "$program" "$1" --help=all | sed -n '/ptions:$/,$s/^  \(-[a-zA-Z], \|    \)\(--[a-z-]*\).*/\2/p' >"$work/listed.$1"
    cat "$work/listed.$1"
}

for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    listed=" $(listed_by "$command" | paste -sd ' ' -) "
    check "$command lists options" [ "$listed" != "  " ]
    for option in $listed; do
        why=$(impossible "$command $option")
        case $option in
        --help | --version) continue ;;
        --no-progress) proof=proof_of_progress ;;
        *) proof=prove ;;
        esac
        if [ "$why" ]; then
            echo "skip $command $option: $why"
        else
            check "$command $option changes what it says" $proof "$command" "$option"
        fi
    done
    # It refuses all other options.
    for option in --repeat --samples --cpus --isa --kernel --quick --time-budget --strict --dry-run --no-progress --quiet --verbose; do
        case $listed in *" $option "*) continue ;; esac
        refuses 2 "$command has no option '$option'" "$command" "$option"
    done
done
finish
