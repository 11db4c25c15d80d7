# SPDX-License-Identifier: MIT
# Refusals of each command, by tests/data/refusals.tsv: exit code, pattern of the one line on standard error, command line. Measures
# nothing.
. "$(dirname "$0")/../common.sh"
# shellcheck disable=SC2034 # in command lines
last=$(last_cpu) level=$("$program" --help=words ram --isa '' | sed -n 's/\t.*//;1p')
while IFS="$(printf '\t')" read -r wanted text words; do
    # The last ones of core-latency come after two CPUs are there.
    case $words in *"--duration 1 -r"* | *"'copy*'"* | *1000000000*) [ "$(nproc)" -gt 1 ] || continue ;; esac
    eval "refuses $wanted \"\$text\" $words"
done <"$(dirname "$0")/../data/refusals.tsv"
HWLOC_SYNTHETIC="core:2 pu:1" refuses 3 "SMT siblings" sb-capacity --smt
"$program" list kernels -f tsv 2>/dev/null | grep -q '^forward_fa_64_64' || refused 4 stlf --widths 64/64
finish
