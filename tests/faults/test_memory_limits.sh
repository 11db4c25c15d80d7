# SPDX-License-Identifier: MIT
# Little memory ends no run by a signal and takes nothing that was measured: what does not fit is a row with its reason.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator takes memory of its own"
command -v jq >/dev/null || skip "jq is not installed"
group=
trap '[ -z "$group" ] || rmdir "$group" 2>/dev/null; rm -rf "$work"' EXIT

# A group with its own limit, of cgroup v1 or v2.
v1=$(awk '$3 == "cgroup" && ("," $4 ",") ~ ",memory," { print $2; exit }' /proc/mounts)
v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ "$v1" ]; then
    group=$v1/uarchprobe-test-$$ limit=memory.limit_in_bytes
elif [ "$v2" ] && grep -qw memory "$v2/cgroup.subtree_control" 2>/dev/null; then
    group=$v2/uarchprobe-test-$$ limit=memory.max
fi
if [ "$group" ]; then mkdir "$group" 2>/dev/null || group=; fi

# within MIB ARGUMENT...: a run in the group, with a result in JSON.
within() {
    result=$work/result.json
    rm -f "$result"
    (echo $(($1 << 20)) >"$group/$limit") 2>/dev/null || return 1
    shift
    sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$group" "$program" "$@" -o "$result" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

if [ "$group" ] && within 512 info --quick; then
    while read -r room command; do
        # shellcheck disable=SC2086 # words
        within "$room" $command
        check "$command in $room MiB ends by itself" [ "$code" -le 5 ]
        check "and its result is whole, or it says why there is none" sh -c 'jq -e . "$1" >"$3" 2>&1 || grep -q room "$2"' - \
            "$result" "$work/err" "$work/jq"
    done <<END
24 capacity --quick --time-budget 2
32 capacity parallel-misses --time-budget 1
100 report --time-budget 8
END
    within 40 capacity tlb-l2 return-stack
    check "one of two that does not fit leaves the other" [ "$code" -eq 0 ]
    check "it is a row with its reason" jq -e '.answers[] | select(.key == "capacity.tlb_l2") | .value == null and (.remark | test("needs"))' \
        "$result" >"$work/jq"
    check "the other has its value" jq -e '.answers | any(.key == "capacity.return_stack")' "$result" >"$work/jq"
    within 40 capacity tlb-l2
    check "what is asked for alone is refused with 3" [ "$code" -eq 3 ]
    says "raise the limit"
else
    echo "skip a cgroup of little memory: none can be made here"
fi

# Address space and data segments have limits, too, which allocations meet. Sanitizers map more than any.
if ! sh -c 'ulimit -v 262144 && exec "$1" info --quick' - "$program" >/dev/null 2>&1; then
    echo "skip little address space: no limit of it can be set here"
    finish
fi
result=$work/result.json
for kind in v d; do
    saved=0 lost=0
    for kib in 16000 10000 8000 6000; do
        [ $saved -eq 0 ] || break
        rm -f "$result"
        sh -c 'ulimit -"$1" "$2"; shift 2; exec "$@"' - $kind $kib "$program" report --quick --time-budget 3 \
            -o "$result" >"$work/out" 2>"$work/err" </dev/null
        code=$?
        check "report with ulimit -$kind $kib ends by itself" [ "$code" -le 5 ] || [ "$code" -eq 127 ]
        grep -q 'out of memory' "$work/err" || continue
        if jq -e '.run.complete == false and .run.status == 3 and (.commands | any(.run.seconds > 0))' "$result" >"$work/jq" 2>&1; then
            saved=$((saved + 1))
            check "that memory ran out is 3" [ "$code" -eq 3 ]
            in_err "ulimit -$kind"
        else
            lost=$((lost + 1))
        fi
    done
    # Of the least memory not even the first command may end.
    check "ulimit -$kind: commands that ended before memory ran out are written" [ $saved -ge $((lost > 0)) ]
done
finish
