/* SPDX-License-Identifier: MIT */
#include "uarchprobe/pin.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "machine/cgroup.h"
#include "machine/os.h"

static _Thread_local int wanted = -1;

int pin_wanted(void)
{
    return wanted;
}

enum { CPUS_MOST = 1 << 16, WORDS = CPUS_MOST / CPU_SETSIZE };

/* Where the mask cannot be read, nothing says that it has changed. */
enum status pin_check(int thread, int cpu, struct fault *fault)
{
    cpu_set_t mask[WORDS];
    if (cpu < 0 || sched_getaffinity(thread, sizeof mask, mask) != 0 ||
        (CPU_COUNT_S(sizeof mask, mask) == 1 && CPU_ISSET_S((size_t)cpu, sizeof mask, mask)))
        return STATUS_OK;
    return fault_set(
        fault, STATUS_NO_RESOURCE,
        "CPU %d was taken away while it measured (affinity or cpuset changed): what came after is "
        "left out; run it again where it may stay",
        cpu);
}

enum status pin_self(int cpu, struct fault *fault)
{
    cpu_set_t mask[WORDS] = {0};
    if (cpu < 0 || cpu >= CPUS_MOST)
        return fault_set(fault, STATUS_NO_RESOURCE, "CPU %d does not exist", cpu);
    CPU_SET_S((size_t)cpu, sizeof mask, mask);
    if (sched_setaffinity(0, sizeof mask, mask) != 0)
        return fault_set(fault, STATUS_NO_RESOURCE, "cannot run on CPU %d: %s%s", cpu,
                         errno == EINVAL ? "it is offline, does not exist or is not in this process's cpuset"
                                         : strerror(errno),
                         errno == EPERM ? "; a sandbox must let sched_setaffinity through" : "");
    /* Some kernels and emulators (WSL 1) accept a mask and ignore it. */
    const int seen = sched_getcpu();
    if (seen != cpu && pin_check(0, cpu, fault) != STATUS_OK)
        return fault->status;
    if (seen != cpu)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "asked for CPU %d, but this thread runs on CPU %d: pinning has no effect here", cpu,
                         seen);
    wanted = cpu;
    return STATUS_OK;
}

void pin_release(const int *cpu, int count)
{
    cpu_set_t mask[WORDS] = {0};
    for (int i = 0; i < count; i++)
        CPU_SET_S((size_t)cpu[i], sizeof mask, mask);
    wanted = -1;
    (void)sched_setaffinity(0, sizeof mask, mask);
}

static _Thread_local uint64_t forgiven;

uint64_t pin_involuntary_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw - forgiven : 0;
}

void pin_forgive_switches(uint64_t before)
{
    forgiven += pin_involuntary_switches() - before;
}

/* "cpu user nice system idle iowait irq softirq steal ..." A sandbox that counts nothing shows zeros. */
static bool read_steal(uint64_t *ticks)
{
    char line[256];
    unsigned long long user, system, idle, steal;

    if (!sys_field(line, sizeof(line), "cpu", "/proc/stat") ||
        sscanf(line, "%llu %*u %llu %llu %*u %*u %*u %llu", &user, &system, &idle, &steal) != 4 ||
        user + system + idle == 0)
        return false;
    *ticks = steal;
    return true;
}

void disturbance_read(struct disturbance *now)
{
    now->involuntary_switches = pin_involuntary_switches();
    now->steal_ticks = 0;
    now->counts_steal = read_steal(&now->steal_ticks);
    now->throttled = cgroup_throttled();
}

/* Counters of a group can be reset, and steal has been seen to step back. */
static uint64_t risen(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

struct disturbance disturbance_since(const struct disturbance *start)
{
    struct disturbance now;

    disturbance_read(&now);
    return (struct disturbance){
        .involuntary_switches = risen(start->involuntary_switches, now.involuntary_switches),
        .steal_ticks = risen(start->steal_ticks, now.steal_ticks),
        .counts_steal = start->counts_steal && now.counts_steal,
        .throttled = risen(start->throttled, now.throttled),
    };
}
