/* SPDX-License-Identifier: MIT */
/* --smt: the size that is left while a companion keeps the SMT sibling busy. */
#include <stdatomic.h>
#include <stdlib.h>

#include "sb_capacity.h"
#include "uarchprobe/pin.h"

enum { SWEEPS = 300, MARGIN = 16, MEMBERS = 2, DEADLINE_S = 60 };

/* Outlives the run where a member does not come back. */
struct pair {
    struct sb_sweeps sweeps;
    uint64_t end_ns;
    atomic_bool done;
    struct fault fault;
};

enum status sb_smt_pair(const struct run *run, int cpu[2], struct fault *fault)
{
    const struct cpu_choice *choice = &((const struct sb_params *)run->params)->smt;

    cpu[0] = run->cpus.id[0];
    cpu[1] = choice->id;
    if (choice->named && cpu[1] == cpu[0])
        return fault_set(fault, STATUS_USAGE,
                         "--smt=%d: CPU %d is the one that measures; name another one, or leave --smt out",
                         cpu[1], cpu[1]);
    if (choice->named)
        return STATUS_OK;
    for (int i = 0; i < run->cpus.count; i++)
        for (int j = 0; j < run->topology->place_count; j++) {
            cpu[0] = run->cpus.id[i];
            cpu[1] = run->topology->place[j].id;
            if (topology_relation(run->topology, cpu[0], cpu[1]) == SAME_CORE)
                return STATUS_OK;
        }
    return fault_set(
        fault, STATUS_NO_RESOURCE,
        "--smt needs two allowed CPUs that are SMT siblings, and the topology shows none: name the "
        "sibling of CPU %d as in --smt=1 where the topology hides it",
        run->cpus.id[0]);
}

/* sibling: the CPU that is kept busy. */
static void partition_answer(const struct sb_sweeps *sweeps, size_t full, int sibling)
{
    const struct sb_bench *bench = sweeps->bench;
    const struct knee_counts *counts = &sweeps->counts;
    const size_t entries = sweeps->capacity.entries;
    struct answer answer = {.key = "store_buffer.partitioned_entries", .unit = "entries"};

    if (entries == 0) {
        sb_answer(bench, answer, "with CPU %d busy: not resolved, because no number of stores stands out",
                  sibling);
        return;
    }
    const struct agreement agreement = knee_agreement(counts, entries, 0);
    struct verdict verdict = count_judge(&agreement, counts->sweeps);
    if (2 * entries != full && 2 * entries + 1 != full)
        verdict = verdict_lesser(verdict, (struct verdict){TRUST_MEDIUM, LEG_PLAUSIBILITY});
    answer.value = INTEGER_CELL(entries);
    answer.trust = verdict.trust;
    answer.leg = verdict.leg;
    answer.within_absolute = verdict.within_absolute;
    sb_answer(bench, answer, "with CPU %d busy: %zu entries in %zu of %zu sweeps", sibling, entries,
              counts->at[entries], counts->sweeps);
    if (bench->params->smt.named && entries == full && 2 * full != bench->expected.entries)
        record_warning(
            bench->run->record, "smt_apart",
            "CPU %d worked throughout, but the store buffer of CPU %d was whole: they shared no core "
            "then",
            sibling, bench->run->cpus.id[0]);
}

/* One measures, the other keeps their core busy. */
static void measure_or_spin(void *context, int member)
{
    struct pair *pair = context;
    const struct engine_effort effort = sb_rounds(pair->sweeps.bench->checking, SWEEPS);

    if (member == 0) {
        sb_sweeps_run(&pair->sweeps, &effort, &pair->fault);
        atomic_store(&pair->done, true);
    }
    while (!atomic_load_explicit(&pair->done, memory_order_relaxed) && clock_now_ns() < pair->end_ns)
        continue;
}

static void add_results(struct sb_sweeps *sweeps, size_t full, int sibling)
{
    struct run *run = sweeps->bench->run;
    const bool cut = sweeps->data.end != ENGINE_ROUNDS;

    sweeps->capacity = (struct capacity){.entries = knee_top_peak(&sweeps->counts)};
    sb_sweeps_rows(sweeps, "iso, sibling busy");
    if (!cut)
        partition_answer(sweeps, full, sibling);
    else if (sweeps->data.end == ENGINE_BUDGET)
        record_warning(run->record, "time_budget",
                       "the time budget ended the sweeps with a busy SMT sibling after %zu of %d",
                       sweeps->counts.sweeps, SWEEPS);
    run->left_out = run->left_out || cut;
}

/* False: they did not come back. */
static bool run_pair(struct pair *pair, const int *cpu, struct fault *fault)
{
    struct team *team = team_new(cpu, MEMBERS, fault);

    if (team == NULL)
        return true;
    pair->sweeps.with = team;
    pair->end_ns = clock_now_ns() + (uint64_t)DEADLINE_S * 1000000000;
    const bool back = team_run(team, MEMBERS, measure_or_spin, pair, DEADLINE_S);
    team_free(team);
    if (!back)
        fault_set(fault, STATUS_FAILED, "CPUs %d and %d did not finish %d sweeps in %d s", cpu[0], cpu[1],
                  SWEEPS, DEADLINE_S);
    else
        *fault = pair->fault;
    return back;
}

enum status sb_smt_run(const struct sb_bench *bench, size_t full, struct fault *fault)
{
    int cpu[MEMBERS];
    struct pair *pair = calloc(1, sizeof *pair);

    if (pair == NULL)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for sweeps");
    if (sb_smt_pair(bench->run, cpu, fault) == STATUS_OK &&
        sb_sweeps_open(&pair->sweeps, bench, bench->kernel, bench->pattern, fault) == STATUS_OK) {
        sb_sweeps_range(&pair->sweeps, 1, (full > 0 ? full : 2 * SB_FEWEST_POINTS) + MARGIN);
        if (!run_pair(pair, cpu, fault))
            return fault->status;
        if (fault->status == STATUS_OK)
            add_results(&pair->sweeps, full, cpu[1]);
    }
    sb_sweeps_close(&pair->sweeps);
    free(pair);
    return fault->status;
}
