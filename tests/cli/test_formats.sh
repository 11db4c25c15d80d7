# SPDX-License-Identifier: MIT
# Every command in every format: well-formed, deterministic in shape, nothing on standard error with -q.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"

run info -f '?'
formats=$(sed -n 's/.* is none of: //p' "$work/err" | tr -d ',')
check "the formats are known" [ -n "$formats" ]

# arguments_of COMMAND: what keeps a measuring command short. A command without a line here is run as it is.
arguments_of() {
    case $1 in
    ram) echo "--size 4ki -r 1 --task read,latency" ;;
    sb-capacity | core-latency | stlf) echo "--quick" ;;
    esac
}

well_formed() {
    case $1 in
    json) jq -e '.schema == "uarchprobe/1"' "$work/out" >/dev/null ;;
    jsonl) [ "$(wc -l <"$work/out")" -eq 1 ] && jq -e '.schema == "uarchprobe/1"' "$work/out" >/dev/null ;;
    tsv | tsv_matrix) ! grep -q "$(printf '\033')" "$work/out" && awk -F'\t' '$0 == "" { n = 0; next } !n { n = NF } NF != n { exit 1 }' "$work/out" ;;
    csv | csv_matrix) ! grep -q "$(printf '\033')" "$work/out" ;;
    *) [ -s "$work/out" ] ;;
    esac
}

command -v jq >/dev/null || skip "jq is not installed"
cpus=$(grep -c ^processor /proc/cpuinfo)
for command in $("$program" list commands -f tsv | sed '1d; /^$/,$d' | cut -f1); do
    case $command in report | compare) continue ;; esac
    quiet=
    ! "$program" "$command" --help | grep -q -e --quiet || quiet=-q
    for format in $formats; do
        # shellcheck disable=SC2046,SC2086 # the arguments are words
        run $command $(arguments_of "$command") $quiet -f "$format"
        if [ "$code" -eq 3 ] && [ "$command" = core-latency ] && [ "$cpus" -lt 2 ]; then
            continue
        fi
        well_formed "$format" && [ "$code" -eq 0 ]
        verdict $? "$command as $format"
        check "$command as $format $quiet says nothing on standard error" [ ! -s "$work/err" ]
    done
done
finish
