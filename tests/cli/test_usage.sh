# SPDX-License-Identifier: MIT
# Exit codes and the shape of messages: an error is one line on standard error, help and version are on
# standard output. Measures nothing.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"
commands=0

refused 2
says "--help"
refused 2 nonsense
says "--help"
refused 2 inof
says "did you mean info?"
refused 2 latency
says "core-latency"
says "ram --task latency"
for word in bandwidth memory; do
    refused 2 $word
    says "try uarchprobe ram"
done
refused 2 topology
says "try uarchprobe info"
refused 2 all
says "try uarchprobe report"
refused 2 ''
refused 2 --nonsense
refused 2 -x
refused 2 --hlep
says "did you mean --help?"
refused 2 help nonsense
refused 2 help ram more
refused 2 --format=json ram

refused 2 ram --nonsense
refused 2 ram --repaet 3
says "did you mean --repeat?"
refused 2 report -t 4
says "an option of ram"
refused 2 ram --grid
says "an option of stlf"
refused 2 -f json
says "see uarchprobe --help"
refused 2 ram --repeat
refused 2 ram -r
refused 2 ram --quick=1
refused 2 ram operand
says "'operand'"
refused 2 ram -- -q
for value in '' 0 -1 +1 1.5 1e99 0x10 10xb ' 1' 99999999999999999999; do
    refused 2 ram --repeat "$value"
    says "--repeat"
done
for value in '' 0,0 3-1 0- 0,,1 a 8192 0-3:0 99999999999999999999; do
    refused 2 ram --cpus "$value"
    says "--cpus"
done
for value in '' 0 -1 1e3 nan inf 0x1; do
    refused 2 ram --time-budget "$value"
done
says "to 1000000"
refused 2 ram --format xml
says "json"
refused 2 ram --color blue
says "always"
refused 2 ram --output ''
refused 2 ram --cpus "0
1"
refused 2 ram "$(printf -- '--a\033[31m\nb')"

shown --help
shown -h
shown help
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
    shown "$command" --help=man
    shown "$command" --version
    refused 2 "$command" --nonsense
    commands=$((commands + 1))
done
check "--help lists the commands" [ "$commands" -ge 3 ]

# Facts are what there is where nothing is measured.
for format in human tsv csv tsv_matrix csv_matrix json jsonl markdown svg html; do
    shown info --quiet --format $format
done
run info --format tsv
check "info --format tsv has a line for each fact" grep -q "^host.topology.allowed	" "$work/out"

# A reader that stops early and a full disk.
"$program" --help | head -n 1 >/dev/null || fail "a closed pipe"
if [ -w /dev/full ]; then
    for words in --help --version 'ram --help'; do
        # shellcheck disable=SC2086
        "$program" $words >/dev/full 2>"$work/err"
        check "$words on a full disk exits with 1" [ $? -eq 1 ]
        says "cannot write"
    done
fi
"$program" ram operand >&- 2>"$work/err"
check "a usage error without standard output exits with 2" [ $? -eq 2 ]

finish
