# SPDX-License-Identifier: MIT
# An explanation fits a screen. That each finding has one: unit/cli/test_explain.c, and of what is measured here test_report.sh.
. "$(dirname "$0")/../common.sh"

shown explain
for command in ram sb-capacity core-latency capacity cost; do
    shown explain $command -f tsv
    check "explain $command has rows of its own only" awk -F '\t' -v own=$command 'NR > 1 && $2 != own { bad = 1 } END { exit bad || NR < 3 }' "$work/out"
done
for words in ram.L2.read "store buffer" Store_Buffer "SMT sibling" SMT-sibling trust CAS "read/write"; do
    shown explain "$words"
    check "explain $words fits a screen" awk 'length($0) > 80 { wide = 1 } END { exit wide || NR > 24 }' "$work/out"
done
shown explain ram.L2.read
for title in "what is timed" "what counts" "what moves it" "typical values" "found by" "see also"; do
    [ "$title" != "see also" ] || shown explain "SMT sibling"
    in_out "$title"
done
finish
