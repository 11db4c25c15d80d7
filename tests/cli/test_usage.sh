# SPDX-License-Identifier: MIT
# Exit codes and the shape of messages: an error is one line on standard error, help and version are on
# standard output. Measures nothing.
. "$(dirname "$0")/../common.sh"
commands=0

shown --help
shown -h
shown help
cp "$work/out" "$work/first"
shown -?
check "-? is -h" cmp -s "$work/first" "$work/out"
shown --help=man
shown --version
for fact in uarchprobe git compiler arch libcpuid hwloc; do
    check "--version tells $fact" grep -q "$fact" "$work/out"
done
shown -V
for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    shown "$command" --help
    check "$command --help has a usage line" grep -q "^Usage: uarchprobe $command" "$work/out"
    cp "$work/out" "$work/first"
    shown help "$command"
    check "help $command and $command --help agree" cmp -s "$work/first" "$work/out"
    shown "$command" -?
    check "$command -? and $command --help agree" cmp -s "$work/first" "$work/out"
    shown "$command" --help=man
    shown "$command" --version
    refused 2 "$command" --nonsense
    commands=$((commands + 1))
done
check "--help lists the commands" [ "$commands" -ge 3 ]

# Without a command the screen of help is the answer, as an error.
"$program" --help >"$work/first"
for words in "" --; do
    # shellcheck disable=SC2086 # none, or one
    run $words
    check "no command exits with 2" [ "$code" -eq 2 ]
    check "no command prints nothing on standard output" [ ! -s "$work/out" ]
    check "no command prints the help on standard error" cmp -s "$work/first" "$work/err"
done
# Its first two examples can be typed as they stand.
sed -n 's/^  uarchprobe //p' "$work/first" | head -n 2 >"$work/examples"
check "ram is among the first examples" grep -qx 'ram --size 64mi,1gi -r 10' "$work/examples"
check "core-latency is among the first examples" grep -qx 'core-latency -b cas' "$work/examples"

# Without measuring there are facts alone.
shown info --quick --format tsv
check "info --format tsv has a line for each fact" grep -q "^host.topology.allowed	" "$work/out"

# A plan of experiments that run one after another has the memory of the largest, and a second CPU where one of them uses it.
plan() { # FACT WORD...
    fact=$1
    shift
    "$program" "$@" --dry-run -q -f tsv | sed -n "s/^plan\.$fact\t\([0-9]*\).*/\1/p"
}
for words in "cost unmap page-fault" "capacity parallel-misses tlb-l2"; do
    most=0
    for operand in ${words#* }; do
        bytes=$(plan memory_bytes "${words%% *}" "$operand")
        [ "${bytes:-0}" -le "$most" ] || most=$bytes
    done
    check "the memory of $words is the largest" [ "$most" -gt 0 -a "$(plan memory_bytes $words)" = "$most" ]
done
most=$(($(nproc) > 1 ? 2 : 1))
for words in "1 system-call" "$most contended" "$most futex" "$most system-call unmap"; do
    check "CPUs, ${words#* }: ${words%% *}" [ "$(plan cpus cost ${words#* })" = "${words%% *}" ]
done

# A reader that stops early and a full disk.
"$program" --help | head -n 1 >/dev/null || fail "a closed pipe"
if [ -w /dev/full ]; then
    for words in --help --version 'ram --help'; do
        "$program" $words >/dev/full 2>"$work/err"
        check "$words on a full disk exits with 1" [ $? -eq 1 ]
        says "cannot write"
    done
fi
"$program" ram operand >&- 2>"$work/err"
check "a usage error without standard output exits with 2" [ $? -eq 2 ]

finish
