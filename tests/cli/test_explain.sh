# SPDX-License-Identifier: MIT
# Explanations by word and key. That they fit a screen: test_screens.sh; that each answer has one: unit/cli/test_glossary.c, and of what is measured here test_report.sh.
. "$(dirname "$0")/../common.sh"

shown explain
for command in ram sb-capacity core-latency capacity cost; do
    shown explain $command
done
# Each operand is a word.
for command in capacity cost; do
    for operand in $("$program" --help=words $command ''); do
        shown explain "$operand"
    done
done
while IFS= read -r words; do
    shown explain "$words"
done <<'END'
Store_Buffer
SMT-sibling
SMT siblings
cas, one L3
hyperthreading
out-of-order
half cores
?
page walks
END
shown explain L2 read
shown explain ram.L2.read
for title in measured counted "moved by" typical "command .*uarchprobe ram" "see also"; do
    in_out "$title"
done
shown explain rob
in_out 'reorder buffer .rob.:'
refused 2 explain ram.L1.read ram.L2.read
refuses 2 "nearest: store buffer" explain what is a store buffer
for key in cost.foo capacity.foo sharing.foo; do
    refuses 2 "nearest: ${key%.*}." explain $key
done
finish
