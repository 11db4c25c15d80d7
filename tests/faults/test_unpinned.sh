# SPDX-License-Identifier: MIT
# A system that keeps affinity to itself: two pinned threads share a CPU, and nothing is measured with two.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator makes system calls of its own"
[ -f "${UNPINNED-}" ] || skip "UNPINNED does not name the library"
command -v taskset >/dev/null || skip "taskset is not here"
nm -D "$program" 2>/dev/null | grep -q ' U sched_setaffinity' || skip "the program is static or has a loader of its own"
cpu=$(last_cpu)

# lied ARGUMENT...: a run on one CPU that believes to have two.
lied() {
    taskset -c "$cpu" env LD_PRELOAD="$UNPINNED" timeout 300 "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}
lied info --quick -f json
{ [ "$code" -eq 0 ] && grep -q '"allowed": *"0-1"' "$work/out"; } || skip "the library cannot be preloaded"

while read -r words; do
    # shellcheck disable=SC2086 # words
    lied $words
    check "$words ends with 3" [ "$code" -eq 3 ]
    in_err "does not pin threads"
done <<END
core-latency --quick -q
core-latency -b cas --duration 1 -q
ram -t 2 --size 64ki -r 1 -q
ram --scale --quick -q
sb-capacity -m litmus --quick -q
sb-capacity --smt=1 --quick -q
END

# What needs one CPU alone is measured.
lied ram --quick --task read -f json
check "ram measures one thread" [ "$code" -eq 0 ]
in_out '"ram\.[A-Za-z0-9]*\.read"'
check "and no other" sh -c '! grep -q "\"ram\.all\.[A-Za-z0-9]*\.read\"" "$1"' - "$work/out"
in_out 'does not pin threads'
lied cost --quick -f json futex
check "cost measures one CPU" [ "$code" -eq 0 ]
in_out '"cost.futex.same_cpu"'
in_out 'does not pin threads'
finish
