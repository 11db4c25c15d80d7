# SPDX-License-Identifier: MIT
# Every command in every format: well-formed, deterministic in shape, nothing on standard error with -q.
. "$(dirname "$0")/../common.sh"

run info -f '?'
formats=$(sed -n 's/.* is none of: //p' "$work/err" | tr -d ',')
check "the formats are known" [ -n "$formats" ]

recorded=$(dirname "$0")/../data/results/report.json

# arguments_of COMMAND: arguments that keep a measuring command short. A command without a line here is run as it is.
arguments_of() {
    case $1 in
    ram) echo "--size 4ki -r 1 --task read,latency" ;;
    sb-capacity | core-latency | stlf | info) echo "--quick" ;;
    capacity) echo "-r 1 return-stack" ;;
    cost) echo "-r 5" ;;
    check) echo "$recorded" ;;
    esac
}

well_formed() {
    case $1 in
    json) jq -e '.schema == "uarchprobe/4"' "$work/out" >/dev/null ;;
    jsonl) [ "$(wc -l <"$work/out")" -eq 1 ] && jq -e '.schema == "uarchprobe/4"' "$work/out" >/dev/null ;;
    tsv | tsv_matrix) ! grep -q "$(printf '\033')" "$work/out" && awk -F'\t' '$0 == "" { n = 0; next } !n { n = NF } NF != n { exit 1 }' "$work/out" ;;
    csv) ! grep -q "$(printf '\033')" "$work/out" ;;
    *) [ -s "$work/out" ] ;;
    esac
}

# A measurement fits a screen of 80 x 24, the prompt included.
fits_a_screen() {
    awk 'length($0) > 80 { wide = 1 } END { exit wide || NR > 23 }' "$work/out"
}

# The first table of each command has one of the headings of data/headings.tsv, byte for byte.
known_heading() {
    head -n 1 "$work/out" | grep -qxFf "$(dirname "$0")/../data/headings.tsv"
}

# written COMMAND FORMAT: the output of the last run.
written() {
    well_formed "$2" && [ "$code" -eq 0 ]
    verdict $? "$1 as $2"
    check "$1 as $2 -q says nothing on standard error" [ ! -s "$work/err" ]
}

command -v jq >/dev/null || skip "jq is not installed"
for command in $("$program" --help=words '' | cut -f1); do
    case $command in report | compare) continue ;; esac
    # Measures once and shows the result in every format. Commands that measure nothing are run for each.
    measured="" quiet=""
    ! "$program" "$command" --help | grep -q -e --quiet || quiet=-q
    if "$program" "$command" --help | grep -q -e '--dry-run'; then
        # shellcheck disable=SC2046 # the arguments are words
        run $command $(arguments_of "$command") -q -f json
        if [ "$code" -eq 3 ] && [ "$command" = core-latency ]; then
            check "core-latency needs two CPUs" [ "$(nproc)" -lt 2 ]
            continue
        fi
        written "$command" json
        measured=$work/measured.json
        cp "$work/out" "$measured"
    fi
    for format in $formats; do
        if [ "$measured" ]; then
            run report --from "$measured" -q -f "$format"
        else
            # shellcheck disable=SC2086,SC2046 # no word where the command takes none
            run "$command" $(arguments_of "$command") $quiet -f "$format"
        fi
        written "$command" "$format"
        [ ! "$measured" ] || [ "$format" != human ] || check "$command fits a screen" fits_a_screen
        [ ! "$measured" ] || [ "$format" != tsv ] || check "$command has the heading that scripts know" known_heading
    done
done
# On a terminal, which script(1) gives it, it says what it wrote.
if command -v script >/dev/null; then
    script -qc "'$program' list -o '$work/list.html'" /dev/null >"$work/out" 2>&1
    check "what was written is said" grep -q "wrote .*list.html" "$work/out"
    check "the screen is shown, too" grep -q '^copy  ' "$work/out"
    script -qc "'$program' list -o '$work/list.html' >'$work/piped'" /dev/null >/dev/null 2>&1
    check "a pipe beside a file gets nothing" [ ! -s "$work/piped" ]
fi
finish
