# SPDX-License-Identifier: MIT
# A stack of 256 KiB is enough, as in threads of others, containers and small boards: nothing ends by a signal.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator has a stack of its own"
"$program" info -q >/dev/null 2>&1 && (ulimit -s 256) 2>/dev/null || skip "no limit of the stack can be set"
results=$(dirname "$0")/../data/results

while read -r command; do
    sh -c 'ulimit -s 256; exec "$@"' - "$program" $command >"$work/out" 2>"$work/err" </dev/null
    code=$?
    check "$command ends by itself with a small stack" [ "$code" -le 5 ]
done <<END
info
list
stlf --widths all --quick
sb-capacity --quick
sb-capacity -m nops --quick
sb-capacity -m litmus --quick
core-latency --quick
ram --quick --time-budget 0.3
report --from $results/report.json
compare $results/report.json $results/report.json
END
finish
