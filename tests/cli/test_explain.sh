# SPDX-License-Identifier: MIT
# Each finding of a result has an explanation, which fits a screen.
. "$(dirname "$0")/../common.sh"
base=$(dirname "$0")/../data/results/report.json

shown explain
for command in ram sb-capacity core-latency stlf; do
    shown explain $command
    check "explain $command has rows of its own only" grep -q " $command " "$work/out"
done
shown explain trust
shown explain ram.L2.read
for title in "what is timed" "what counts" "what moves it" "typical values" "found by"; do
    in_out "$title"
done
check "an explanation fits 80 columns" awk 'length($0) > 80 { bad = 1 } END { exit bad }' "$work/out"
check "an explanation fits a screen" [ "$(wc -l <"$work/out")" -le 24 ]
for words in "store buffer" Store_Buffer SMT-sibling trust CAS "read/write"; do
    # shellcheck disable=SC2086 # one word or several
    shown explain $words
    check "$words fits a screen" [ "$(wc -l <"$work/out")" -le 24 ]
done
shown explain "SMT sibling"
in_out "see also"

command -v jq >/dev/null || finish
explained() {
    jq -r '.. | .findings? | arrays | .[].key' "$1" | sort -u >"$work/keys"
    while read -r key; do
        "$program" explain "$key" >"$work/out" 2>&1 || fail "explain $key"
    done <"$work/keys"
    check "findings of $2 are explained" [ -s "$work/keys" ]
}
explained "$base" "a recorded report"
emulated && finish
for words in "ram --size 4ki,64ki -r 16" "sb-capacity -r 40" "stlf -r 8 --grid" "core-latency -b all -r 1"; do
    run $words -q -f json
    [ "$code" -eq 3 ] || explained "$work/out" "$words"
done
finish
