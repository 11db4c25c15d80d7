# SPDX-License-Identifier: MIT
# scripts/fleet with stand-ins for srun and scontrol, of five nodes of which one may fail; the nodes' results are recorded ones.
. "$(dirname "$0")/common.sh"
fleet=$root/scripts/fleet
attempt env -u SLURM_JOB_ID sh "$fleet/measure.sbatch"
check "the job outside Slurm says what it needs" one_line sbatch
check "... and fails" [ "$code" -eq 2 ]

# FAIL: the node that has no result. A command with -o FILE at its end measures.
command_named srun <<'END'
while [ "$1" != sh ]; do shift; done
for SLURMD_NODENAME in v1 v2 v3 v4 v5; do
    export SLURMD_NODENAME
    [ "$SLURMD_NODENAME" = "${FAIL-}" ] && failed=3 || "$@" || failed=$?
done
exit "${failed:-0}"
END
command_named probe <<'END'
case $1 in
check) echo "FAIL ram.L2.read" && exit "${PROBE_CODE:-1}" ;;
report) [ "$2" != --from ] || { echo "one $3" && exit; } ;;
esac
words="$*" && shift $(($# - 1)) && echo "$UARCHPROBE_NODE: $words" >"$1"
END
job() {
    rm -rf "$work/results"
    attempt env PATH="$work/bin:$PATH" SLURM_JOB_ID=1 SLURM_CPUS_ON_NODE=2 UARCHPROBE="$work/bin/probe" UARCHPROBE_RESULTS="$work/results" \
        "$@" sh "$fleet/measure.sbatch" sb-capacity --quick
}
job FAIL=
check "each node measures" prints "5 nodes in $work/results"
check "... by its name" grep -q '^v3: sb-capacity --quick -q -f jsonl' "$work/results/v3.jsonl"
check "... and the job ends well" [ "$code" -eq 0 ]
job FAIL=v4
check "a node that fails is left out" prints "4 nodes in $work/results"
check "... which is said" one_line "exit code 3"
check "... and is the exit code" [ "$code" -eq 3 ]

echo 'echo "$*" >>"$0.calls"; exit 7' | command_named scontrol
health() {
    attempt env PATH="$work/bin:$PATH" SLURMD_NODENAME=v2 "$@" /bin/sh "$fleet/health"
}
health PATH="$work/none" UARCHPROBE="$work/bin/probe"
check "a health check without scontrol says so" one_line scontrol
check "... and fails" [ "$code" -ne 0 ]
health UARCHPROBE="$work/bin/probe" PROBE_CODE=5
check "what cannot be judged drains nothing" [ "$code-$(find "$work/bin" -name scontrol.calls)" = 0- ]
health UARCHPROBE="$work/bin/probe"
check "a node that is worse is drained by scontrol, whose exit code counts" [ "$code" -eq 7 ]
check "... with the answer as the reason" grep -qx 'update NodeName=v2 State=DRAIN Reason=uarchprobe: FAIL ram.L2.read' "$work/bin/scontrol.calls"
health UARCHPROBE=no-such-program
check "a health check without the program fails" [ "$code" -eq 127 ]

# The rule of node-problem-detector takes 0 as no problem, 1 as one and anything else as unknown; the message is what is printed.
program=${UARCHPROBE:-$root/build/gcc/uarchprobe} base=$root/tests/data/results/report.json
if command -v jq >/dev/null && [ -x "$program" ]; then
    jq '(.. | .value? | numbers) *= 2 | (.. | .interval? | arrays | .[]) *= 2' "$base" >"$work/good.json"
    rule=$(jq -r '.rules[0].args | join(" ")' "$fleet/node-problem-detector.json" | sed "s:/etc/uarchprobe:$work:")
    # shellcheck disable=SC2086 # words
    attempt "$program" $rule "$base"
    check "the rule of node-problem-detector takes 1 and a line" [ "$code-$(grep -c '^WORSE' "$work/out")" = 1-1 ]
fi
finish
