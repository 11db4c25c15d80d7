/* SPDX-License-Identifier: MIT */
/* --smt: the size that is left while a companion keeps the SMT sibling busy. */
#include <stdatomic.h>
#include <stdlib.h>

#include "sb_capacity.h"
#include "uarchprobe/pin.h"

enum { SWEEPS = 300, MARGIN = 16, MEMBERS = 2, DEADLINE_S = 60 };

/* Outlives the run where a member does not come back. */
struct pair {
    const struct sb_bench *bench;
    size_t full;
    struct sb_sweeps sweeps;
    uint64_t end_ns;
    atomic_bool done;
    struct fault fault;
};

/* A pair of allowed CPUs on one core. */
static bool find_pair(const struct run *run, int *cpu, int *sibling)
{
    for (int i = 0; i < run->cpus.count; i++)
        for (int j = 0; j < run->topology->place_count; j++) {
            *cpu = run->cpus.id[i];
            *sibling = run->topology->place[j].id;
            if (topology_relation(run->topology, *cpu, *sibling) == SAME_CORE)
                return true;
        }
    return false;
}

bool sb_smt_possible(const struct run *run)
{
    int cpu, sibling;

    return find_pair(run, &cpu, &sibling);
}

static void partition_finding(const struct sb_bench *bench, const struct knee_counts *counts, size_t full)
{
    const size_t entries = knee_top_peak(counts);
    static const char key[] = "store_buffer.partitioned_entries";

    if (entries == 0) {
        sb_finding(bench,
                   (struct finding){.key = key, .value = NO_CELL, .unit = "entries", .trust = TRUST_LOW},
                   "with a busy SMT sibling: not resolved, because no number of stores stands out");
        return;
    }
    struct verdict verdict =
        count_judge((double)counts->at[entries] / (double)counts->sweeps, counts->sweeps);
    if (2 * entries != full && 2 * entries + 1 != full)
        verdict = verdict_lesser(verdict, (struct verdict){TRUST_MEDIUM, LEG_PLAUSIBILITY});
    sb_finding(bench,
               (struct finding){.key = key,
                                .value = INTEGER_CELL(entries),
                                .unit = "entries",
                                .trust = verdict.trust,
                                .leg = verdict.leg},
               "with a busy SMT sibling: %zu entries in %zu of %zu sweeps; without: %zu (0: not resolved)",
               entries, counts->at[entries], counts->sweeps, full);
}

/* One measures, the other keeps their core busy. */
static void measure_or_spin(void *context, int member)
{
    struct pair *pair = context;
    const struct engine_effort effort = sb_check_effort(pair->bench, SWEEPS);

    if (member == 0) {
        sb_sweeps_run(&pair->sweeps, &effort, &pair->fault);
        atomic_store(&pair->done, true);
    }
    while (!atomic_load_explicit(&pair->done, memory_order_relaxed) && clock_now_ns() < pair->end_ns)
        continue;
}

static void add_results(const struct pair *pair)
{
    const struct sb_bench *bench = pair->bench;
    const struct sb_sweeps *sweeps = &pair->sweeps;
    const bool cut = sweeps->data.end != ENGINE_ROUNDS;

    sb_curve_rows(bench, sweeps, "iso, sibling busy", knee_top_peak(&sweeps->counts), 0);
    sb_histogram_rows(bench, &sweeps->counts, "iso, sibling busy");
    if (!cut)
        partition_finding(bench, &sweeps->counts, pair->full);
    else if (sweeps->data.end == ENGINE_BUDGET)
        record_warning(bench->run->record, "time_budget",
                       "the time budget ended the sweeps with a busy SMT sibling after %zu of %d",
                       sweeps->counts.sweeps, SWEEPS);
    bench->run->left_out = bench->run->left_out || cut;
}

/* False: they did not come back. */
static bool run_pair(struct pair *pair, const int *cpu, struct fault *fault)
{
    struct team *team = team_new(cpu, MEMBERS, fault);

    if (team == NULL)
        return true;
    pair->end_ns = clock_now_ns() + (uint64_t)DEADLINE_S * 1000000000;
    const bool back = team_run(team, MEMBERS, measure_or_spin, pair, DEADLINE_S);
    team_free(team);
    if (!back)
        fault_set(fault, STATUS_FAILED, "CPUs %d and %d did not finish %d sweeps in %d s", cpu[0], cpu[1],
                  SWEEPS, DEADLINE_S);
    else if (pair->fault.status != STATUS_OK)
        *fault = pair->fault;
    else
        add_results(pair);
    return back;
}

enum status sb_smt_run(struct sb_bench *bench, size_t full, struct fault *fault)
{
    int cpu[MEMBERS];
    struct pair *pair = calloc(1, sizeof *pair);
    bool back = true;

    if (!find_pair(bench->run, &cpu[0], &cpu[1]))
        fault_set(fault, STATUS_NO_RESOURCE, "no SMT siblings");
    else if (pair == NULL)
        fault_set(fault, STATUS_NO_RESOURCE, "out of memory for sweeps");
    else if (sb_sweeps_open(&pair->sweeps, bench, bench->kernel, bench->pattern, fault) == STATUS_OK) {
        pair->bench = bench;
        pair->full = full;
        sb_sweeps_range(&pair->sweeps, 1, (full > 0 ? full : 2 * SB_FEWEST_POINTS) + MARGIN);
        back = run_pair(pair, cpu, fault);
    }
    if (pair != NULL && back) {
        sb_sweeps_close(&pair->sweeps);
        free(pair);
    }
    return fault->status;
}
