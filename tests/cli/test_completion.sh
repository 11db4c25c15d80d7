# SPDX-License-Identifier: MIT
# What the shells make of their completions. Measures nothing.
. "$(dirname "$0")/../common.sh"

for shell in bash zsh fish; do
    shown --help=$shell
    cp "$work/out" "$work/complete.$shell"
    if command -v $shell >/dev/null; then
        check "$shell reads it" $shell -n "$work/complete.$shell"
    else
        echo "skip $shell: it is not installed"
    fi
done
"$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' >"$work/commands"

# completed WORD...: what bash offers for the last word; "=" is a word of its own there.
completed() {
    bash -c '. "$1" && shift && COMP_WORDS=(uarchprobe "$@") COMP_CWORD=$# && _uarchprobe && printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$work/complete.bash" "$@" >"$work/out"
}

# offers WORD WORDS...: WORD is among what is offered.
offers() {
    wanted=$1
    shift
    completed "$@"
    check "bash offers $wanted after: $*" grep -qx -- "$wanted" "$work/out"
}

if command -v bash >/dev/null; then
    completed ''
    check "bash offers every command" [ "$(grep -cxF -f "$work/commands" "$work/out")" -eq "$(wc -l <"$work/commands")" ]
    offers core-latency co
    offers --sweep stlf --s
    offers json ram --format j
    offers json ram -f ''
    offers json ram --format = js
    offers copy,read ram --task copy,re
    offers levels list ''
    offers ram help r
    "$program" list kernels -f tsv | cut -f1 | sed 1d >"$work/kernels"
    "$program" list levels -f tsv | cut -f1 | sed 1d >"$work/levels"
    kernel=$(head -n 1 "$work/kernels")
    offers "$kernel" ram --kernel "${kernel%?}"
    offers "$(tail -n 1 "$work/levels")" ram --isa ''
    offers check.exit_code explain check.
    touch "$work/ram.L1.read"
    (cd "$work" && completed explain ram.)
    check "bash offers a key's pattern as it is" grep -qxF 'ram.*.read' "$work/out"
    touch "$work/result.json"
    offers "$work/result.json" compare "$work/res"
    offers "$work/result.json" report --from "$work/res"
    mkdir "$work/pictures"
    offers "$work/pictures" report --pictures "$work/pic"
    completed stlf --format ''
    check "bash offers no option where a format is asked for" [ -z "$(grep -- -- "$work/out")" ]
fi
if command -v fish >/dev/null; then
    HOME=$work fish -c "source $work/complete.fish; complete -C 'uarchprobe ram --format js'" >"$work/out" 2>"$work/err"
    check "fish offers json" grep -q '^json' "$work/out"
    HOME=$work fish -c "source $work/complete.fish; complete -C 'uarchprobe core'" >"$work/out" 2>"$work/err"
    check "fish offers a command" grep -q '^core-latency' "$work/out"
    HOME=$work fish -c "source $work/complete.fish; complete -C 'uarchprobe explain ram.'" >"$work/out" 2>"$work/err"
    check "fish offers a key" grep -qF 'ram.*.read' "$work/out"
fi
finish
