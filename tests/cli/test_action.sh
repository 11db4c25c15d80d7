# SPDX-License-Identifier: MIT
# The GitHub action, with recorded results in place of measured ones.
. "$(dirname "$0")/../common.sh"
command -v jq >/dev/null || skip "jq is not installed"
root=$(cd "$(dirname "$0")/../.." && pwd)
base=$root/tests/data/results/report.json

# The program, but `report` without a file gives the result in $FAKE.
cat >"$work/program" <<END
#!/bin/sh
case "\$*" in
"report --quick -f json -o "*) shift 5 && [ ! "\$FAKE" ] || cp "\$FAKE" "\$1" && exit "\$CODE" ;;
"ram "*) printf '%s\n' "\$*" >"$work/words" ;;
"info -f answers") printf 'key\tvalue\tunit\ngot.fit\tfalse\t\n' ;;
*) exec "$program" "\$@" ;;
esac
END
chmod +x "$work/program"

# acts FAKE [CODE]: runs the action on that result, of a run with that exit code.
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

# ends WANTED NAME FAKE [CODE]: the action's exit code on that result is WANTED.
ends() {
    acts "$3" "${4:-0}"
    check "$2 ends with $1${FAIL_ON_NONE:+ where none fails}" [ "$code" -eq "$1" ]
}

cp "$base" "$work/result.json"
ends 3 "what an earlier job left is no result" '' 3
check "... and no baseline" [ ! -e "$work/kept/base.json" ]
jq '.run.complete = false | .commands[].run.complete = false' "$base" >"$work/none.json"
ends 0 "a run of which nothing is complete passes" "$work/none.json"
check "... and is no baseline" [ ! -e "$work/kept/base.json" ]
check "... which the reason says" grep -q '^reason=.*no command.*complete' "$work/outputs"
FAIL_ON_NONE=true ends 1 "a run of which nothing is complete" "$work/none.json"
jq '.run.conditions.emulated = true' "$base" >"$work/emulated.json"
acts "$work/emulated.json"
check "an emulated run is no baseline" [ "$code-$(ls "$work/kept" 2>/dev/null)" = 0- ]

# commands_of FILE: those that it has.
commands_of() {
    jq -r '[.commands[].run.command] | sort | join(" ")' "$1"
}
jq '.run.complete = false | .commands[1].run.complete = false' "$base" >"$work/cut.json"
FAIL_ON_NONE=true ends 0 "a first run that was cut" "$work/cut.json"
check "... is the baseline of what is complete" [ "$(commands_of "$work/kept/base.json")" = "core-latency ram" ]
check "... which the reason says" grep -q '^reason=.*not complete: sb-capacity' "$work/outputs"
ends 0 "the same run again passes" "$work/cut.json"
says_output verdict=same
ends 0 "a run with all commands passes" "$base"
says_output verdict=same
check "... and adds what the baseline lacked" [ "$(commands_of "$work/kept/base.json")" = "core-latency ram sb-capacity" ]
check "... which is said" grep -q '^::notice::.*sb-capacity' "$work/out"
jq '(.commands[0] | .. | .value? | numbers) |= . * 0.4 | (.commands[0] | .. | .interval? | arrays) |= map(if . then . * 0.4 else . end)' \
    "$base" >"$work/slow_ram.json"
jq '.commands |= .[1:]' "$base" >"$work/kept/base.json"
ends 0 "a command that the baseline lacks may be anything" "$work/slow_ram.json"
ends 0 "... and is there the next time" "$work/slow_ram.json"
jq 'del(.commands[0])' "$base" >"$work/kept/base.json"
jq '.run.settings.isa = "sse2"' "$base" >"$work/isa.json"
acts "$work/isa.json"
check "a run with other settings adds nothing" [ "$(commands_of "$work/kept/base.json")" = "core-latency sb-capacity" ]
rm "$work/kept/base.json"
acts "$base" 1
check "a run that failed is shown" grep -q '^## ' "$work/summary"
check "... and ends with the same code" [ "$code" -eq 1 ]
check "... and what is complete of it is kept" [ -e "$work/kept/base.json" ]
rm "$work/kept/base.json"
: >"$work/read_me"
(cd "$work" && UARCHPROBE=$work/program COMMAND=ram ARGS='--kernel read_*' OUTPUT=$work/none.json "$root/scripts/action")
check "a pattern is the program's" grep -q -- '--kernel read_\*' "$work/words"
FAIL_ON_NONE=true ends 0 "a first result" "$base"
check "... as the baseline" [ "$(commands_of "$work/kept/base.json")" = "core-latency ram sb-capacity" ]
says_output verdict=none
says_output fit=no
check "the summary is Markdown of the result" grep -q '^## ' "$work/summary"
check "... and says whether the runner is fit" grep -q 'fit to measure on? no' "$work/summary"
ends 0 "the same result passes" "$base"
says_output verdict=same
check "... with the verdict's sentence" grep -q '^reason=SAME ' "$work/outputs"
jq '.host.kernel = "2.4.1-other" | .host.cpu.microcode = "0x2"' "$base" >"$work/updated.json"
FAIL_ON_NONE=true ends 0 "an update of kernel and microcode" "$work/updated.json"
says_output verdict=same
jq '(.. | .value? | numbers) |= . * 0.4 | (.. | .interval? | arrays) |= map(if . then . * 0.4 else . end)' "$base" >"$work/slow.json"
ends 1 "a worse one fails" "$work/slow.json"
says_output verdict=worse
check "... with an annotation" grep -q '^::error::' "$work/out"
check "... and the verdict in the summary" grep -q 'WORSE  L1 copy' "$work/summary"
jq '.host.cpu.brand = "another" | .host.cpu.model = 1' "$base" >"$work/other.json"
ends 0 "another CPU does not fail" "$work/other.json"
says_output verdict=none
check "... and has a baseline of its own" [ "$(find "$work/kept" -type f | wc -l)" -eq 2 ]
check "... which the reason names" grep -q "^reason=.*$work/kept/base[.].*another.*[.]json" "$work/outputs"
FAIL_ON_NONE=true ends 0 "another CPU, again" "$work/other.json"
says_output verdict=same
jq '(.. | .value? | numbers) |= . * 0.4 | (.. | .interval? | arrays) |= map(if . then . * 0.4 else . end)' "$work/other.json" \
    >"$work/other_slow.json"
ends 1 "... and may be worse than that" "$work/other_slow.json"
check "... with the sentence as the error" grep -q '^::error::.*%25' "$work/out"
jq '.host.hypervisor = "none"' "$base" >"$work/metal.json"
acts "$work/metal.json"
check "bare metal has one, too" [ "$code-$(find "$work/kept" -type f | wc -l)" = 0-3 ]
acts "$base"
says_output verdict=same
jq '.run.settings.isa = "sse2"' "$base" >"$work/isa.json"
FAIL_ON_NONE=true ends 1 "another setting" "$work/isa.json"
check "... with its reason" grep -q '^reason=NO VERDICT.*--isa' "$work/outputs"
ends 0 "... else it passes" "$work/isa.json"
check "... with a warning" grep -q '^::warning::NO VERDICT.*--isa' "$work/out"
echo nothing >"$work/kept/base.json"
acts "$base"
check "what is no baseline is not replaced" grep -qx nothing "$work/kept/base.json"
check "... and the reason says where it is none" grep -q '^reason=.*line 1' "$work/outputs"
FAIL_ON_NONE=true ends 1 "what is no baseline" "$base"
cp "$base" "$work/kept/base.json"
jq -c '.answers = [.commands[0].answers[0] + {key: "got.fit", value: true}]' "$base" >"$work/whole.json"
acts "$work/whole.json"
says_output fit=yes
(cd "$work" && CODE=0 FAKE=$base UARCHPROBE=$work/program ARGS=--quick OUTPUT=-x.json BASELINE=-y.json "$root/scripts/action" >"$work/out" 2>"$work/err")
check "a name that begins with a dash is a file" [ "$?-$(ls "$work/-x.json" "$work/-y.json" 2>/dev/null | wc -l)" = 0-2 ]
finish
