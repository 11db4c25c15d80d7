# SPDX-License-Identifier: MIT
# What the GitHub action does around the program, with recorded results in place of measured ones.
# shellcheck source=../common.sh
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
root=$(cd "$(dirname "$0")/../.." && pwd)
base=$root/tests/data/results/report.json

# The program, but that `report` without a file finds what $FAKE holds.
cat >"$work/program" <<END
#!/bin/sh
case "\$*" in
"report --quick -f json -o "*) shift 5 && [ ! "\$FAKE" ] || cp "\$FAKE" "\$1" && exit "\$CODE" ;;
"ram "*) printf '%s\n' "\$*" >"$work/words" ;;
"info -f tsv") printf 'fact\tvalue\tunit\ngot.whole_core\tno, one thread of it\t\n' ;;
*) exec "$program" "\$@" ;;
esac
END
chmod +x "$work/program"

# acts FAKE [CODE]: runs the action on that result of a run that ends so.
acts() {
    : >"$work/summary"
    : >"$work/outputs"
    CODE=${2:-0} FAKE=$1 UARCHPROBE=$work/program COMMAND=report ARGS=--quick OUTPUT=$work/result.json BASELINE=$work/kept/base.json \
        GITHUB_STEP_SUMMARY=$work/summary GITHUB_OUTPUT=$work/outputs "$root/scripts/action" >"$work/out" 2>"$work/err"
    code=$?
}

says_output() {
    check "the output $1" grep -qx "$1" "$work/outputs"
}

cp "$base" "$work/result.json"
acts '' 3
check "what an earlier job left is no result" [ "$code" -eq 3 ] && check "... and no baseline" [ ! -e "$work/kept/base.json" ]
acts "$base" 1
check "a run that failed is shown" grep -q '^## ' "$work/summary"
check "... and is no baseline" [ ! -e "$work/kept/base.json" ]
: >"$work/read_me"
(cd "$work" && UARCHPROBE=$work/program COMMAND=ram ARGS='--kernel read_*' OUTPUT=$work/none.json "$root/scripts/action")
check "a pattern is the program's" grep -q -- '--kernel read_\*' "$work/words"
acts "$base"
check "a first result is taken" [ "$code" -eq 0 ]
check "... as the baseline" cmp -s "$base" "$work/kept/base.json"
says_output verdict=none
says_output fit=no
check "the summary is Markdown of the result" grep -q '^## ' "$work/summary"
check "... and says whether the runner is fit" grep -q 'whole core' "$work/summary"
acts "$base"
check "the same result passes" [ "$code" -eq 0 ]
says_output verdict=same
jq '(.. | .value? | numbers) |= . * 0.4 | (.. | .interval? | arrays) |= map(if . then . * 0.4 else . end)' "$base" >"$work/slow.json"
acts "$work/slow.json"
check "a worse one fails" [ "$code" -eq 1 ]
says_output verdict=worse
check "... with an annotation" grep -q '^::error::' "$work/out"
check "... and the verdict in the summary" grep -q 'FAIL ram' "$work/summary"
jq '.host.cpu.brand = "another" | .host.cpu.model = 1' "$base" >"$work/other.json"
acts "$work/other.json"
check "another CPU does not fail" [ "$code" -eq 0 ]
says_output verdict=none
jq '.got = {whole_core: "yes: no SMT sibling is shown"}' "$base" >"$work/whole.json"
acts "$work/whole.json"
says_output fit=yes
finish
