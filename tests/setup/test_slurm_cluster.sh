# SPDX-License-Identifier: MIT
# scripts/fleet on a Slurm of this machine: two nodes on loopback with their own keys, configuration and spool, no service of the
# system. One node keeps its limits, the other has one that no machine keeps.
. "$(dirname "$0")/common.sh"
for needed in munged slurmctld slurmd sbatch scontrol; do
    command -v $needed >/dev/null || skip "$needed is not installed"
done
[ "$(id -u)" -eq 0 ] || skip "slurmd needs root"
probe=${UARCHPROBE:-$root/build/gcc/uarchprobe}
[ -x "$probe" ] || skip "no program at $probe (UARCHPROBE names one)"

stop() {
    for pid in ${started-}; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null; done
    rm -rf "$work"
}
trap stop EXIT
# await SECONDS COMMAND...: until it is true.
await() {
    left=$(($1 * 5)) && shift
    until "$@" >/dev/null 2>&1; do
        [ $((left -= 1)) -gt 0 ] || return 1
        sleep 0.2
    done
}

chmod 755 "$work"
mkdir -p "$work/state" && mkdir -m 755 "$work/run"
head -c 64 /dev/urandom >"$work/key" && chmod 400 "$work/key"
munged --foreground --force --key-file="$work/key" --socket="$work/run/munge" --pid-file="$work/munge.pid" --log-file="$work/munge.log" --seed-file="$work/munge.seed" >/dev/null 2>&1 &
started=$!
echo 'store_buffer.entries >= 1 entries' >"$work/good.limits"
echo 'store_buffer.entries >= 100000 entries' >"$work/bad.limits"
cat >"$work/health" <<END
#!/bin/sh
case \$SLURMD_NODENAME in n1) kind=good ;; *) kind=bad ;; esac
export PATH="$PATH" SLURM_CONF="$work/slurm.conf" UARCHPROBE="$probe" UARCHPROBE_CHECK="--limits $work/\$kind.limits"
exec "$root/scripts/fleet/health"
END
chmod 755 "$work/health"
port=$((21000 + $$ % 20000)) host=$(hostname -s)
cat >"$work/slurm.conf" <<END
ClusterName=two
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/run/munge
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
HealthCheckProgram=$work/health
HealthCheckInterval=5
HealthCheckNodeState=IDLE
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$(nproc) RealMemory=100
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=$(nproc) RealMemory=100
PartitionName=all Nodes=n[1-2] Default=YES State=UP OverSubscribe=EXCLUSIVE
END
export SLURM_CONF="$work/slurm.conf"
await 10 [ -S "$work/run/munge" ]
slurmctld -D >"$work/slurmctld.log" 2>&1 &
started="$! $started"
for node in n1 n2; do
    mkdir "$work/spool.$node"
    slurmd -D -N $node >"$work/$node.log" 2>&1 &
    started="$! $started"
done
is() { case $(sinfo -h -n "$1" -o %t) in $2*) ;; *) false ;; esac; }
await 60 is n1 idle || skip "Slurm did not start: $(tail -n 1 "$work/slurmctld.log")"

check "a node that is worse is drained" await 180 is n2 drain
check "... with the answer as its reason" sh -c 'sinfo -h -R -o %E | grep -q "uarchprobe: WORSE"'
check "a node that keeps its limits is not" is n1 idle
attempt env UARCHPROBE="$probe" UARCHPROBE_RESULTS="$work/results" sbatch --wait -N 1 -w n1 -o "$work/job" \
    "$root/scripts/fleet/measure.sbatch" sb-capacity --quick
check "a job measures a node by its name" [ -s "$work/results/n1.jsonl" ]
finish
