/* SPDX-License-Identifier: MIT */
/* --smt: the size that is left while a companion keeps the SMT sibling busy. */
#include <pthread.h>
#include <stdatomic.h>

#include "sb_capacity.h"
#include "uarchprobe/pin.h"

struct companion {
    int cpu;
    atomic_bool ready, stop;
    struct fault fault;
};

static void *keep_busy(void *context)
{
    struct companion *companion = context;

    pin_self(companion->cpu, &companion->fault);
    atomic_store(&companion->ready, true);
    while (!atomic_load_explicit(&companion->stop, memory_order_relaxed))
        continue;
    return NULL;
}

/* A pair of allowed CPUs on one core. */
static bool find_pair(const struct run *run, int *cpu, int *sibling)
{
    for (int i = 0; i < run->cpus.count; i++)
        for (int j = 0; j < run->topology->place_count; j++) {
            *cpu = run->cpus.id[i];
            *sibling = run->topology->place[j].id;
            if (topology_kinship(run->topology, *cpu, *sibling) == KIN_SMT)
                return true;
        }
    return false;
}

bool sb_smt_possible(const struct run *run)
{
    int cpu, sibling;

    return find_pair(run, &cpu, &sibling);
}

static void partition_finding(const struct sb_bench *bench, const struct sb_sweeps *sweeps, size_t full)
{
    size_t entries = knee_top_peak(&sweeps->counts);
    static const char key[] = "store_buffer.partitioned_entries";

    if (entries == 0)
        sb_finding(bench, key, NO_CELL, "entries", TRUST_LOW,
                   "with a busy SMT sibling: not resolved, because no number of stores stands out");
    else
        sb_finding(
            bench, key, INTEGER_CELL(entries), "entries", 2 * entries == full ? TRUST_HIGH : TRUST_MEDIUM,
            "with a busy SMT sibling: %zu entries in %zu of %zu sweeps; without: %zu (0: not resolved)",
            entries, sweeps->counts.at[entries], sweeps->counts.sweeps, full);
}

static enum status sweep_beside(const struct sb_bench *bench, int cpu, size_t full, struct fault *fault)
{
    enum { SWEEPS = 300, MARGIN = 16 };
    struct sb_sweeps sweeps;

    if (pin_self(cpu, fault) != STATUS_OK ||
        sb_sweeps_open(&sweeps, bench, bench->kernel, bench->pattern, fault) != STATUS_OK)
        return fault->status;
    sb_sweeps_range(&sweeps, 1, (full > 0 ? full : 2 * SB_FEWEST_POINTS) + MARGIN);
    sb_sweeps_take(&sweeps, SWEEPS);
    sb_curve_rows(bench, &sweeps, "iso, sibling busy", knee_top_peak(&sweeps.counts), 0);
    sb_histogram_rows(bench, &sweeps.counts, "iso, sibling busy");
    if (sweeps.cut)
        record_warning(bench->run->record, "time_budget",
                       "the time budget ended the sweeps with a busy SMT sibling after %zu of %d",
                       sweeps.counts.sweeps, SWEEPS);
    else
        partition_finding(bench, &sweeps, full);
    bench->run->left_out = bench->run->left_out || sweeps.cut;
    sb_sweeps_close(&sweeps);
    return STATUS_OK;
}

enum status sb_smt_run(struct sb_bench *bench, size_t full, struct fault *fault)
{
    struct companion companion = {.ready = false};
    pthread_t thread;
    int cpu = -1;

    if (!find_pair(bench->run, &cpu, &companion.cpu))
        return fault_set(fault, STATUS_NO_RESOURCE, "no SMT siblings");
    if (pthread_create(&thread, NULL, keep_busy, &companion) != 0)
        return fault_set(fault, STATUS_NO_RESOURCE, "cannot start a companion thread for CPU %d",
                         companion.cpu);
    while (!atomic_load(&companion.ready))
        continue;
    if (companion.fault.status == STATUS_OK)
        sweep_beside(bench, cpu, full, fault);
    atomic_store(&companion.stop, true);
    pthread_join(thread, NULL);
    if (companion.fault.status != STATUS_OK)
        return fault_set(fault, companion.fault.status, "%s", companion.fault.text);
    return fault->status;
}
