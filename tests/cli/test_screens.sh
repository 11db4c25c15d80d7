# SPDX-License-Identifier: MIT
# Screens of 80 x 24 without raw keys, remarks of at most six words, one value under a label, and each printed word in
# data/words.tsv. Words are those of the rows (-f json), not of the text.
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
base=$(dirname "$0")/../data/results/report.json

# shown NAME ARGUMENT...: the command prints one.
shown() {
    name=$1
    shift
    run "$@"
    check "$name is 80 x 24" awk 'length($0) > 80 { bad = 1 } END { exit bad || NR > 24 || NR == 0 }' "$work/out"
}

# words FILE: labels, units, states, trust, distances and other heads of rows and columns, remarks, of what a result prints; less numbers.
words() {
    jq -r 'def shown: .view as $view | .columns[] | select([.key] | inside([$view.x, $view.y, $view.value, $view.series] | map(strings))) | .title, .unit;
        (.. | .answers? | arrays | .[] | select(.label) | .label, .unit, .state, .trust, .limited_by, .published.agreement, .published.unit, .remark,
            (.sheet_cell // "" | split("/") | select(length == 3) | .[1], .[2] | gsub("_"; " "))),
        (.. | .tables? | arrays | .[] | select(.view.kind == "curve" or .view.kind == "matrix") | shown) | strings' "$1" | grep '[a-z]' | sort -u
}

# shared FILE: cells of pictures, and points of curves, into which more than one row of their table falls. The first state of a point is drawn.
shared() {
    jq -r '.. | .tables? | arrays | .[] | . as $table | .view as $view | .columns[0].key as $first
        | select($view.kind == "matrix" or $view.kind == "curve")
        | [range(.rows[$first] | length) | . as $row
            | select($view.shown == null or $table.rows[$view.shown][$row] != null)
            | [$view.x, (if $view.kind == "matrix" then $view.y else empty end), $view.series, $view.panel, $view.state]
            | map(strings | $table.rows[.] | (.median? // .)[$row])]
        | group_by(.)[] | select(length > 1) | "\($table.name): \(.[0])"' "$1"
}

# result FILE NAME: the screen of that result, and the words of its rows, in FILE.words.
result() {
    shown "the screen of $2" report --from "$1"
    jq -r '.. | .answers? | arrays | .[].key' "$1" | sort -u >"$work/keys"
    check "$2 prints no raw key" sh -c '! grep -qwF -f "$1" "$2"' - "$work/keys" "$work/out"
    words "$1" >>"$1.words"
    shared "$1" >"$work/out"
    check "no two rows of a table of $2 fall into one cell" [ ! -s "$work/out" ]
    jq -r '.. | .answers? | arrays | .[] | select(.label) | .remark | strings' "$1" >"$work/remarks"
    check "remarks of $2 have at most six words" awk 'NF > 6 { print > "/dev/stderr"; bad = 1 } END { exit bad }' "$work/remarks"
    # Next to an idle sibling and a busy one a label has two values.
    jq -r '.. | .answers? | arrays | .[] | select(.label) | "\(.label)\t\(.state == "sibling active")\t\(.value)"' "$1" | sort -u | cut -f1,2 | uniq -d >"$work/out"
    check "a label of $2 has one value" [ ! -s "$work/out" ]
}

# measured WORDS: the result of a short run of a command.
measured() {
    # shellcheck disable=SC2086 # words
    run $1 -q -f json -o "$work/result.json"
    if [ "$code" -eq 0 ]; then result "$work/result.json" "$1"; else echo "skip $1: it cannot run here"; fi
}

for command in '' $("$program" --help=words '' | cut -f1 | grep -vx help); do
    shown "$command --help" $command --help
done
for words in list explain "explain ram" "explain stlf" "explain trust" "explain in tight loops"; do
    # shellcheck disable=SC2086 # words
    shown "$words" $words
done
shown compare compare "$base" "$base"
COLUMNS=80
export COLUMNS
# Each row of a comparison begins with a whole name, and no name stands twice; a further line of a name is indented by two.
results=$(dirname "$0")/../../results
set -- "$results/amd-25-17/genoa.kvm.2026-11-28.json" "$results/amd-26-2/turin.kvm.2026-11-23.json"
run compare "$@" -f json
jq -r '.tables[] | select(.view.lead) | .rows.what[]' "$work/out" >"$work/names"
run compare "$@"
sed ':a; N; $!ba; s/\n  \([^ ]\)/ \1/g' "$work/out" |
    awk 'NR == FNR { name[$0]; next } / differ, / { exit } /^[^ ]/ { rows++; sub(/  .*/, ""); if (!($0 in name) || seen[$0]++) print } END { if (rows < 10) print rows }' "$work/names" - >"$work/bad"
check "names of a comparison are whole at 80 columns, and no two are alike" [ ! -s "$work/bad" ]
shown "compare of machines" compare "$(dirname "$0")"/../../results/*/*.json
shown "compare of six" compare "$base" "$(dirname "$0")"/../../results/*/*.json "$base" "$base"
unset COLUMNS
shown check check "$base"
cp "$base" "$work/recorded.json"
result "$work/recorded.json" "a recorded report"
if ! emulated; then
    for words in info "ram --quick --time-budget 0.5" "sb-capacity --time-budget 0.3" "sb-capacity -m litmus --time-budget 0.5" \
        "stlf --time-budget 1" "core-latency --quick --time-budget 0.5" "capacity --time-budget 1" "cost --time-budget 1"; do
        measured "$words"
    done
fi
# unknown FILE: its words that data/words.tsv does not have.
unknown() {
    sort -u "$1" | while read -r word; do
        "$program" explain "$word" >/dev/null 2>&1 || echo "$word"
    done
}
unknown "$work/recorded.json.words" >"$work/out"
check "each word of a recorded report is in data/words.tsv" [ ! -s "$work/out" ]
# A word that only this machine prints is a gap to close, no fault of the change that is tested here.
[ ! -e "$work/result.json.words" ] || unknown "$work/result.json.words" | sed 's/$/: not in data\/words.tsv, printed on this machine/; s/^/skip /'

# Remarks and labels in the source, for other CPUs: a number stands as 7; texts from variables have no row of their own.
cd "$(dirname "$0")/../.." || exit 99
{
    find src/bench src/cli/fitness.c -name '*.c' -exec cat {} + |
        awk 'BEGIN { RS = ";" } /(remark|refusal) = / { sub(/.*(remark|refusal) = /, ""); print } /return says\(/ { sub(/.*says\(/, ""); print }'
    grep 'text_\(add\|printf\)(text, ' src/engine/metrics.c
    find src -name '*.c' -exec grep -Eho '\.(label|differs) = "[^"]*"' {} +
} | grep -o '"[^"]*"' | tr -d '"' | sed 's/time%s/times/; s/%%/@/g; s/%[.0-9]*[a-z]*[dugf]/7/g; s/@/%/g' | grep '[a-z][a-z]' | grep -v '^%s' | sed 's/%s/x/g' >"$work/words"
check "the source has remarks and labels" [ "$(wc -l <"$work/words")" -ge 40 ]
unknown "$work/words" >"$work/out"
check "each remark in the source is in data/words.tsv" [ ! -s "$work/out" ]
finish
