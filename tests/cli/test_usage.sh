#!/bin/sh
# SPDX-License-Identifier: MIT
# Exit codes and the shape of messages: an error is one line on standard error, help and version are on
# standard output. Measures nothing.
program=$1
[ -x "$program" ] || { echo "usage: $0 UARCHPROBE" >&2; exit 99; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# expect CODE ARGUMENT...: runs the program, keeps what it printed in $work/out and $work/err.
expect() {
    wanted=$1
    shift
    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    [ "$code" -eq "$wanted" ] || fail "'$*' exits with $code, not $wanted: $(cat "$work/err")"
}

# An error: nothing on standard output, one line on standard error that begins with the program's name.
refused() {
    expect "$@"
    shift
    [ -s "$work/out" ] && fail "'$*' prints on standard output"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "'$*' does not print one line: $(cat "$work/err")"
    grep -q '^uarchprobe: ' "$work/err" || fail "'$*' does not say who speaks: $(cat "$work/err")"
}

# says TEXT: the last message holds it.
says() {
    grep -qF -- "$1" "$work/err" || fail "no \"$1\" in: $(cat "$work/err")"
}

# shown ARGUMENT...: good, on standard output only.
shown() {
    expect 0 "$@"
    [ -s "$work/out" ] || fail "'$*' prints nothing"
    [ -s "$work/err" ] && fail "'$*' prints on standard error: $(cat "$work/err")"
}

refused 2
says "--help"
refused 2 nonsense
says "--help"
refused 2 inof
says "did you mean info?"
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
    grep -q "$fact" "$work/out" || fail "--version does not tell $fact"
done
shown -V
for command in $("$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    shown "$command" --help
    grep -q "^Usage: uarchprobe $command" "$work/out" || fail "$command --help has no usage line"
    cp "$work/out" "$work/first"
    shown help "$command"
    cmp -s "$work/first" "$work/out" || fail "help $command and $command --help differ"
    shown "$command" --help=man
    shown "$command" --version
    refused 2 "$command" --nonsense
    commands=$((commands + 1))
done
[ "${commands:-0}" -ge 3 ] || fail "--help lists ${commands:-0} commands"

# A reader that stops early and a full disk.
"$program" --help | head -n 1 >/dev/null || fail "a closed pipe"
if [ -w /dev/full ]; then
    for words in --help --version 'ram --help'; do
        # shellcheck disable=SC2086
        "$program" $words >/dev/full 2>"$work/err"
        [ $? -eq 1 ] || fail "$words on a full disk does not exit with 1"
        says "cannot write"
    done
fi
"$program" ram operand >&- 2>"$work/err"
[ $? -eq 2 ] || fail "a usage error without standard output does not exit with 2"

[ "$failures" -eq 0 ] || echo "$failures failures" >&2
[ "$failures" -eq 0 ]
