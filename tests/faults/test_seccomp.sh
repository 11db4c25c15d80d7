# SPDX-License-Identifier: MIT
# Every command runs with the system calls of packaging/seccomp.json alone, and does all that it does without a filter.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator makes system calls of its own"
[ -x "${UNDER_FILTER-}" ] || skip "UNDER_FILTER does not name the launcher"
root=$(dirname "$0")/../..
profile=$root/packaging/seccomp.json
result=$root/tests/data/results/report.json
"$UNDER_FILTER" "$profile" "$program" --version >/dev/null 2>"$work/err"
[ $? -ne 77 ] || skip "$(cat "$work/err")"

"$UNDER_FILTER" "$profile" "$(command -v ln)" -s nothing "$work/link" 2>"$work/err"
check "a system call that is not listed is refused" [ ! -L "$work/link" ]

# A busy machine may leave a run without a value; a filter would leave every run without.
again() {
    for _ in 1 2 3 4 5 6 7 8; do
        "$UNDER_FILTER" "$profile" "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
        code=$?
        [ $code -ne 0 ] || return 0
    done
    return 1
}

while read -r command; do
    case $command in core* | *litmus* | report\ -*quick*) [ "$(nproc)" -gt 1 ] || continue ;; esac
    check "$command under the filter" again $command
    check "and nothing that it asks for is refused" sh -c '! grep -q "not permitted" "$1"' - "$work/err"
done <<END
info
info -f json -o $work/info.json
list kernels
explain ram.DRAM.read
ram --quick --time-budget 0.3
sb-capacity --quick
sb-capacity -m nops --quick
sb-capacity -m litmus --quick
sb-capacity --quick --counters
stlf --quick -o $work/stlf.html
core-latency --quick
cost --quick system-call yield futex pipe page-fault unmap protect
report --quick --time-budget 2 -o $work/report.html
report --from $result
compare $result $result
check $result
END
finish
