# SPDX-License-Identifier: MIT
# scripts/fleet on a real Slurm: Debian's, five nodes on the loopback, nothing outside a folder that goes away, stopped by process id.
. "$(dirname "$0")/common.sh"
fleet=$root/scripts/fleet
attempt env -u SLURM_JOB_ID sh "$fleet/measure.sbatch"
check "the job outside Slurm says what it needs" one_line sbatch
check "... and fails" [ "$code" -eq 2 ]
command_named probe <<'END'
[ "${1-}" = check ] && echo "FAIL ram.L2.read" && exit "${PROBE_CODE:-1}"
END
attempt env PATH="$work/none" UARCHPROBE="$work/bin/probe" /bin/sh "$fleet/health"
check "a health check without scontrol says so" one_line scontrol
check "... and fails" [ "$code" -ne 0 ]
echo 'echo "$*" >>"$0.calls"; exit 7' | command_named scontrol
attempt env PATH="$work/bin:$PATH" UARCHPROBE="$work/bin/probe" PROBE_CODE=5 "$fleet/health"
check "what cannot be judged drains nothing" [ "$code-$(find "$work/bin" -name scontrol.calls)" = 0- ]
attempt env PATH="$work/bin:$PATH" UARCHPROBE="$work/bin/probe" "$fleet/health"
check "a node that is worse is drained by scontrol, whose exit code counts" [ "$code-$(grep -c State=DRAIN "$work/bin/scontrol.calls")" = 7-1 ]
expect 127 "a health check without the program fails" env PATH="$work/bin:$PATH" UARCHPROBE=no-such-program "$fleet/health"
rm -r "${work:?}/bin"
for program in munged slurmctld slurmd srun sbatch scontrol; do
    command -v $program >/dev/null || { echo "skip slurm: no $program here" && finish; }
done
[ "$(id -u)" = 0 ] || { echo "skip slurm: slurmd needs root" && finish; }
build=${UARCHPROBE_BUILD:-$root/build}
for UARCHPROBE in "$build/gcc/uarchprobe" "$build/release/uarchprobe"; do [ ! -x "$UARCHPROBE" ] || break; done
[ -x "$UARCHPROBE" ] || { echo "skip slurm: nothing is built" && finish; }
export UARCHPROBE
nodes=5
report=$root/tests/data/results/report.json

pids=
stop() {
    for pid in $pids; do kill "$pid" 2>/dev/null; done
    for pid in $pids; do
        for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null && sleep 0.1 || break; done
        kill -9 "$pid" 2>/dev/null
    done
    chmod -R u+w "$work"
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

# daemon NAME COMMAND...: in the background, its output to a log.
daemon() {
    name=$1
    shift
    "$@" >"$work/log/$name" 2>&1 </dev/null &
    pids="$! $pids"
}

chmod 755 "$work"
mkdir "$work/log" "$work/state" "$work/run"
mkdir -m 700 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
daemon munged munged --foreground --force --key-file="$work/munge/key" --socket="$work/run/munge" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed"

host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >"$work/health" <<END
#!/bin/sh
# slurmd tells a health check its node, and not where the configuration is.
export SLURM_CONF=$work/slurm.conf PATH=$PATH UARCHPROBE=$UARCHPROBE UARCHPROBE_CHECK="--limits $work/limits $report"
[ ! -e "$work/limits" ] || [ "\$SLURMD_NODENAME" != v2 ] || exec "$root/scripts/fleet/health"
END
chmod 755 "$work/health"
{
    cat <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/run/munge
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/run/slurmctld
SlurmdPidFile=$work/run/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
HealthCheckProgram=$work/health
HealthCheckInterval=3
HealthCheckNodeState=IDLE
END
    for i in $(seq $nodes); do
        echo "NodeName=v$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=$(nproc --all) RealMemory=100"
    done
    echo "PartitionName=all Nodes=v[1-$nodes] Default=YES State=UP OverSubscribe=EXCLUSIVE"
} >"$work/slurm.conf"
export SLURM_CONF="$work/slurm.conf"

for _ in $(seq 100); do [ ! -S "$work/run/munge" ] || break; sleep 0.1; done
daemon slurmctld slurmctld -D -f "$SLURM_CONF"
for i in $(seq $nodes); do
    mkdir "$work/spool.v$i"
    daemon "slurmd.v$i" slurmd -D -N "v$i" -f "$SLURM_CONF"
done
for _ in $(seq 300); do
    [ "$(sinfo -h -N -o %t 2>/dev/null | grep -cx idle)" != $nodes ] || break
    sleep 0.1
done
if [ "$(sinfo -h -N -o %t 2>/dev/null | grep -cx idle)" != $nodes ]; then
    echo "skip slurm: its nodes do not come up here: $(tail -n 1 "$work/log/slurmctld")"
    finish
fi
echo "ok $nodes nodes are up"

export UARCHPROBE_RESULTS="$work/results"
cd "$work" || exit 99
attempt timeout 120 sbatch -W -N $nodes -o "$work/job" "$fleet/measure.sbatch" sb-capacity --quick
check "the job ends with the verdict of compare --fleet" grep -q "among $nodes machines" "$work/job"
check "... and its exit code" [ "$code" -le 1 ]
check "each node has a result" [ "$(find "$work/results" -name 'v[1-5].jsonl' -size +0 | wc -l)" -eq $nodes ]
check "the job says how many there are" grep -q "^$nodes nodes in" "$work/job"
[ "$(find "$work/results" -name '*.jsonl' | wc -l)" -eq $nodes ] || cat "$work/job"

# A limit that no machine keeps: the recorded result is worse than that, and the node goes.
echo 'store_buffer.entries >= 100000 entries' >"$work/limits"
for _ in $(seq 200); do
    case $(sinfo -h -n v2 -o %t) in drain* | drng*) break ;; esac
    sleep 0.1
done
check "a node that is worse is drained" [ "$(sinfo -h -n v2 -o %t | cut -c1-5)" = drain ]
check "... and the reason is the finding" sh -c 'scontrol show node v2 | grep -q "Reason=uarchprobe: .*store_buffer.entries"'
check "... and no other" [ "$(sinfo -h -N -o %t | grep -cx idle)" -eq $((nodes - 1)) ]
finish
