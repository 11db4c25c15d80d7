# SPDX-License-Identifier: MIT
# Explanations by word and key. That they fit a screen: test_screens.sh; that each finding has one: unit/cli/test_explain.c, and of what is measured here test_report.sh.
. "$(dirname "$0")/../common.sh"

shown explain
for command in ram sb-capacity core-latency capacity cost; do
    shown explain $command -f tsv
    check "explain $command has rows of its own only" awk -F '\t' -v own=$command 'NR > 1 && $2 != own { bad = 1 } END { exit bad || NR < 3 }' "$work/out"
done
for words in ram.L2.read "store buffer" Store_Buffer "SMT sibling" SMT-sibling trust CAS "read/write"; do
    shown explain "$words"
done
shown explain ram.L2.read
for title in "what is timed" "what counts" "what moves it" "typical values" "found by" "see also"; do
    in_out "$title"
done
shown explain L2 read
refused 2 explain ram.L1.read ram.L2.read
refused 2 explain --from "$work/missing" trust
command -v jq >/dev/null || finish
base=$(dirname "$0")/../data/results/report.json
for word in store_buffer.entries "store buffer"; do
    shown explain --from "$base" "$word" -f json
    check "$word has yours" jq -e '.explanation.yours | contains("entries")' "$work/out"
done
shown explain --from "$base" trust -f json
check "... trust has none" jq -e '.explanation.yours == null' "$work/out"
finish
