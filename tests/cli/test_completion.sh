# SPDX-License-Identifier: MIT
# Completion as the shells do it. Measures nothing.
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
mkdir "$work/bin"
ln -s "$(realpath "$program")" "$work/bin/uarchprobe"
PATH=$work/bin:$PATH
"$program" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' >"$work/commands"

# completed WORD...: the offers of bash for the last word; "=" is a word of its own there.
completed() {
    bash -c '. "$1" && shift && COMP_WORDS=(uarchprobe "$@") COMP_CWORD=$# && _uarchprobe && printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$work/complete.bash" "$@" >"$work/out"
}

# offers WORD WORDS...: WORD is one of the offers.
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
    offers --silent stlf --s
    offers json ram --format j
    offers json ram -f ''
    offers json ram --format = js
    offers copy,read ram --task copy,re
    offers kernels list ''
    offers return-stack capacity store-buffer ret
    offers full-fence cost ''
    offers ram help r
    "$program" list kernels -f tsv | cut -f1 | sed 1d >"$work/kernels"
    kernel=$(head -n 1 "$work/kernels")
    offers "$kernel" ram --kernel "${kernel%?}"
    offers "$("$program" --help=words ram --isa '' | sed -n 's/\t.*//;$p')" ram --isa ''
    offers check.exit_code explain check.
    touch "$work/ram.L1.read"
    (cd "$work" && completed explain ram.)
    check "bash offers a key's pattern as it is" grep -qxF 'ram.*.read' "$work/out"
    for words in "compare res" "report --from res"; do
        # shellcheck disable=SC2086 # words
        completed $words
        check "bash is left to offer files after: $words" [ -z "$(cat "$work/out")" ]
    done
    completed stlf --format ''
    check "bash offers no option where a format is asked for" [ -z "$(grep -- -- "$work/out")" ]
fi
# zsh_offers WORD WORDS...
zsh_offers() {
    wanted=$1
    shift
    zsh -fc '_describe() { print -l $offered; }; _files() { print files; }; script=$1; shift
        words=(uarchprobe "$@") CURRENT=$(($# + 1)) && . $script' zsh "$work/complete.zsh" "$@" >"$work/out" 2>"$work/err"
    check "zsh offers $wanted after: $*" grep -q "^$wanted" "$work/out"
}
if command -v zsh >/dev/null; then
    zsh_offers "json:" ram --format js
    zsh_offers "core-latency:how" core
    zsh_offers "ram\.\*\.read:" explain ram.
    zsh_offers return-stack capacity store-buffer ret
    zsh_offers files compare ''
fi
# fish_offers WORD LINE
fish_offers() {
    HOME=$work fish -c "source $work/complete.fish; complete -C '$2'" >"$work/out" 2>"$work/err"
    check "fish offers $1" grep -q "^$1" "$work/out"
}
if command -v fish >/dev/null; then
    fish_offers json "uarchprobe ram --format js"
    fish_offers core-latency "uarchprobe core"
    fish_offers return-stack "uarchprobe capacity store-buffer ret"
    fish_offers "ram\.\*\.read" "uarchprobe explain ram."
fi
finish
