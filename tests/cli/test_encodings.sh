# SPDX-License-Identifier: MIT
# Each kind of file that the program reads may begin with a byte order mark and end its lines with CR LF; UTF-16 is named. Measures
# nothing.
. "$(dirname "$0")/../common.sh"
command -v iconv >/dev/null || skip "iconv is not installed"
data=$(cd "$(dirname "$0")" && pwd)/../data
cp "$data/results/report.json" "$work/result"
cp "$data/cpuid/zen_5.txt" "$work/dump"
printf '%s\n' 'ram.L1.read >= 1 GiB/s' '# a comment' 'store_buffer.entries >= 1 entries' >"$work/limits"
"$program" report -q --from "$work/result" -f html >"$work/page"
"$program" report -q --from "$work/result" -f jsonl >"$work/lines"
cp "$work/lines" "$work/baseline"

# reads KIND FILE: the command that reads such a file.
reads() {
    case $1 in
    limits) set -- check --limits "$2" "$work/result" ;;
    dump) set -- info --from "$2" ;;
    baseline) set -- check --against "$2" "$work/result" ;;
    *) set -- report -q --from "$2" ;;
    esac
    run "$@"
}

for kind in limits dump result page lines baseline; do
    reads $kind "$work/$kind"
    cp "$work/out" "$work/plain"
    plain=$code
    { printf '\357\273\277' && sed 's/$/\r/' "$work/$kind"; } >"$work/marked"
    reads $kind "$work/marked"
    check "$kind with a mark and CR LF: nothing changes" sh -c '[ "$1" = 0 ] && [ "$2" = 0 ] && sed "s/marked/$4/" "$3/out" | cmp -s - "$3/plain"' - "$plain" "$code" "$work" "$kind"
    iconv -f UTF-8 -t UTF-16 "$work/$kind" >"$work/utf-16"
    reads $kind "$work/utf-16"
    check "$kind in UTF-16 is refused" [ "$code" -eq 2 ]
    in_err "UTF-16"
done

# A pipe cannot seek.
expect 0 "limits from a pipe" sh -c 'printf "\357\273\277ram.L1.read >= 1 GiB/s\r\n" | "$1" check --limits /dev/stdin "$2"' - "$program" "$work/result"
finish
