/* SPDX-License-Identifier: MIT */
/* --method iso: many short sweeps, each with one knee; the histogram of knees is the measurement. */
#include <stdio.h>
#include <stdlib.h>

#include "sb_capacity.h"

enum { FEW = 100, CPUS_MOST = 4 };

struct iso {
    const struct sb_bench *bench;
    struct sb_sweeps sweeps;
    struct sb_sweeps reference; /* 8-byte stores in the same seconds, where others were asked for */
    bool has_reference;
    int cpu[CPUS_MOST], cpus;
};

/* CPUs of the first one's kind: another kind of core may have another size. */
static void choose_cpus(struct iso *iso)
{
    const struct run *run = iso->bench->run;
    const struct cpu_place *first = topology_place(run->topology, run->cpus.id[0]);
    bool left_out = false;

    for (int i = 0; i < run->cpus.count; i++) {
        const struct cpu_place *place = topology_place(run->topology, run->cpus.id[i]);

        if (place == NULL || first == NULL || place->kind != first->kind)
            left_out = true;
        else if (iso->cpus < CPUS_MOST)
            iso->cpu[iso->cpus++] = place->id;
    }
    if (left_out)
        record_warning(run->record, "one_kind",
                       "measured on CPUs of the kind of CPU %d only; name others with --cpus",
                       run->cpus.id[0]);
}

static enum status open_sweeps(struct iso *iso, struct fault *fault)
{
    const struct sb_bench *bench = iso->bench;
    const struct kernel *plain = store_kernel_find(&bench->run->kernels, 64, false);

    if (sb_sweeps_open(&iso->sweeps, bench, bench->kernel, bench->pattern, fault) != STATUS_OK)
        return fault->status;
    iso->has_reference = plain != NULL && bench->kernel != plain;
    if (iso->has_reference)
        sb_sweeps_open(&iso->reference, bench, plain, bench->pattern, fault);
    if (bench->kernel == plain)
        iso->sweeps.published = bench->expected;
    iso->reference.published = bench->expected;
    return fault->status;
}

static enum status choose_ranges(struct iso *iso, struct fault *fault)
{
    const struct range *stores = &iso->bench->params->stores;

    if (iso->has_reference)
        sb_sweeps_explore(&iso->reference, fault);
    if (stores->last != 0)
        sb_sweeps_range(&iso->sweeps, stores->first, stores->last);
    else if (fault->status == STATUS_OK)
        sb_sweeps_explore(&iso->sweeps, fault);
    return fault->status;
}

static enum status sample(struct iso *iso, struct fault *fault)
{
    struct sb_sweeps *sweeps = &iso->sweeps;
    const struct engine_effort *effort = &iso->bench->sampling;

    sweeps->cpu = iso->cpu;
    sweeps->cpus = iso->cpus;
    sweeps->until_enough = true;
    sweeps->paired = iso->has_reference ? &iso->reference : NULL;
    enum status status = sb_sweeps_run(sweeps, effort, fault);
    /* A process that was stopped meanwhile has used up its time, but not that of a user who set a limit. */
    if (status == STATUS_OK && effort->begin_ns == 0 && sweeps->data.end == ENGINE_BUDGET &&
        sweeps->counts.sweeps < effort->least)
        status = sb_sweeps_run(sweeps, effort, fault);
    if (status != STATUS_OK)
        return status;
    sb_check_rounds(iso->bench, &sweeps->data);
    sb_sweeps_judge(sweeps);
    return STATUS_OK;
}

/* How many entries one of these stores takes: what most pairs of sweeps say, each read in the same moment, so that it does
 * not matter whether the buffer is halved; 0: unknown. What is published about the buffer holds for these stores too, once
 * that is known. */
static size_t entries_per_store(struct iso *iso)
{
    const struct knee_counts *ratios = &iso->sweeps.ratios;
    size_t ratio = 0;

    sb_sweeps_judge(&iso->reference);
    for (size_t value = 1; value < KNEE_VALUES; value++)
        ratio = ratios->at[value] > ratios->at[ratio] ? value : ratio;
    if (ratio > 0) {
        iso->sweeps.published = iso->reference.published;
        iso->sweeps.published.entries /= ratio;
        sb_sweeps_judge(&iso->sweeps);
    }
    return ratio;
}

static void entries_per_store_answer(const struct iso *iso, size_t ratio)
{
    const struct sb_bench *bench = iso->bench;
    const struct knee_counts *ratios = &iso->sweeps.ratios;
    const struct agreement agreement = knee_agreement(ratios, ratio, 0);
    const struct verdict verdict = count_judge(&agreement, ratios->sweeps);

    sb_answer(bench,
              (struct answer){.key = "store_buffer.entries_per_store",
                              .value = INTEGER_CELL(ratio),
                              .trust = verdict.trust,
                              .leg = verdict.leg,
                              .within_absolute = 0.5}, /* it is a whole number, the same in each run */
              "%s%u-byte stores take %zu entr%s each, in %zu of %zu sweeps next to one of 8-byte stores",
              bench->params->streaming ? "streaming " : "", bench->kernel->bits / 8, ratio,
              ratio == 1 ? "y" : "ies", ratios->at[ratio], ratios->sweeps);
}

static void confirm(struct sb_sweeps *sweeps, struct fault *fault)
{
    struct capacity *capacity = &sweeps->capacity;

    if (capacity->state == BUFFER_UNRESOLVED)
        return;
    capacity->opinion = sb_sweeps_second_opinion(sweeps, fault);
    if (capacity->opinion != OPINION_CONTRADICTS)
        return;
    capacity->state = BUFFER_UNRESOLVED;
    capacity->entries = 0;
}

static const char *why_unresolved(const struct sb_sweeps *sweeps)
{
    if (sweeps->chain <= 0)
        return "this CPU does not run the two chains side by side";
    if (sweeps->capacity.opinion == OPINION_CONTRADICTS)
        return "the knee moves with the chain: it is a limit of the rate or of the reorder buffer, not a "
               "capacity";
    if (sweeps->bench->params->stores.last != 0)
        return "no value of --stores stands out; a wider range may hold the knee, as it must not lie at the "
               "end";
    if (knee_largest_peak(&sweeps->counts) != 0)
        return "the minimum over all sweeps breaks elsewhere than single sweeps do";
    if (sweeps->counts.sweeps < FEW)
        return "too few sweeps were made";
    return "no number of stores stands out from the noise";
}

static void add_results(const struct iso *iso, size_t ratio)
{
    const struct sb_bench *bench = iso->bench;
    char name[48] = "iso";

    if (bench->kernel->bits != 64 || bench->params->streaming)
        snprintf(name, sizeof name, "iso, %s%u-byte stores", bench->params->streaming ? "streaming " : "",
                 bench->kernel->bits / 8);
    sb_sweeps_rows(&iso->sweeps, name);
    if (iso->has_reference)
        sb_sweeps_rows(&iso->reference, "iso, 8-byte stores");
    sb_capacity_answers(&iso->sweeps, why_unresolved(&iso->sweeps));
    if (ratio > 0 && iso->sweeps.capacity.state != BUFFER_UNRESOLVED)
        entries_per_store_answer(iso, ratio);
}

static void measure(struct iso *iso, struct fault *fault)
{
    size_t ratio = 0;

    if (open_sweeps(iso, fault) != STATUS_OK || choose_ranges(iso, fault) != STATUS_OK ||
        sample(iso, fault) != STATUS_OK)
        return;
    if (iso->has_reference)
        ratio = entries_per_store(iso);
    confirm(&iso->sweeps, fault);
    if (fault->status == STATUS_OK)
        add_results(iso, ratio);
    if (iso->bench->params->smt.given && fault->status == STATUS_OK)
        sb_smt_run(iso->bench, iso->sweeps.capacity.entries, fault);
}

enum status sb_iso_run(struct sb_bench *bench, struct fault *fault)
{
    struct iso *iso = calloc(1, sizeof *iso);

    if (iso == NULL)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for sweeps");
    iso->bench = bench;
    choose_cpus(iso);
    measure(iso, fault);
    sb_sweeps_close(&iso->sweeps);
    sb_sweeps_close(&iso->reference);
    free(iso);
    return fault->status;
}
