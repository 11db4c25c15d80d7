/* SPDX-License-Identifier: MIT */
/* --method iso: many short sweeps, each with one knee; the histogram of knees is the measurement. */
#include <stdlib.h>
#include <string.h>

#include "sb_capacity.h"
#include "uarchprobe/pin.h"

enum { FEW = 100, ENOUGH_UNPROVED = 1000, CPUS_MOST = 4 };

struct iso {
    struct sb_bench *bench;
    struct sb_sweeps sweeps;
    struct sb_sweeps reference; /* 8-byte stores in the same seconds, where others were asked for */
    bool has_reference;
    struct sb_proof proof;
    int cpu[CPUS_MOST], cpus;
    struct capacity capacity;
    struct capacity plain; /* of the reference */
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

static bool is_plain(const struct sb_bench *bench)
{
    return bench->kernel->bits == 64 && bench->kernel->store != ACCESS_STREAMING;
}

static enum status open_sweeps(struct iso *iso, struct fault *fault)
{
    const struct sb_bench *bench = iso->bench;
    const struct kernel *plain = store_kernel_find(&bench->run->kernels, 64, false);

    if (sb_sweeps_open(&iso->sweeps, bench, bench->kernel, bench->pattern, fault) != STATUS_OK)
        return fault->status;
    if (is_plain(bench))
        iso->proof.documented = sb_published_entries(bench);
    else if (plain != NULL) {
        iso->has_reference = true;
        return sb_sweeps_open(&iso->reference, bench, plain, bench->pattern, fault);
    }
    return STATUS_OK;
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

/* More sweeps would change nothing that is said: all is trusted, if only another chain agrees; or twice as many were not
 * seen for long. */
static bool is_enough(struct sb_sweeps *sweeps)
{
    const struct iso *iso = sweeps->iso;
    const struct capacity capacity = sb_sweeps_capacity(sweeps, iso->proof.documented);
    const bool proved = sb_is_proved(&capacity, &iso->proof);

    if (capacity.state == BUFFER_HALVED ||
        capacity_judge(&capacity, OPINION_AGREES, true).trust != TRUST_HIGH)
        return false;
    return proved || capacity.sweeps >= ENOUGH_UNPROVED;
}

static enum status sample(struct iso *iso, struct fault *fault)
{
    const struct engine_effort effort = sb_asked_effort(iso->bench);

    iso->sweeps.cpu = iso->cpu;
    iso->sweeps.cpus = iso->cpus;
    iso->sweeps.enough = is_enough;
    iso->sweeps.iso = iso;
    iso->sweeps.paired = iso->has_reference ? &iso->reference : NULL;
    if (sb_sweeps_run(&iso->sweeps, &effort, fault) != STATUS_OK)
        return fault->status;
    sb_check_rounds(iso->bench, &iso->sweeps.data);
    iso->proof.last = iso->sweeps.last;
    iso->capacity = sb_sweeps_capacity(&iso->sweeps, iso->proof.documented);
    return STATUS_OK;
}

static const char *width_text(const struct sb_bench *bench)
{
    static const char *const names[] = {"1-byte stores",  "2-byte stores",  "4-byte stores", "8-byte stores",
                                        "16-byte stores", "32-byte stores", "64-byte stores"};

    return names[bench->params->width];
}

/* How many entries one of these stores takes: what most pairs of sweeps say, each read in the same moment, so that it does
 * not matter whether the buffer is halved; 0: unknown. What is published about the buffer holds for these stores too, once
 * that is known. */
static size_t entries_per_store(struct iso *iso)
{
    const struct sb_bench *bench = iso->bench;
    const struct knee_counts *ratios = &iso->sweeps.ratios;
    size_t ratio = 0;

    iso->plain = sb_sweeps_capacity(&iso->reference, sb_published_entries(bench));
    for (size_t value = 1; value < KNEE_VALUES; value++)
        ratio = ratios->at[value] > ratios->at[ratio] ? value : ratio;
    if (ratio > 0) {
        iso->proof.documented = sb_published_entries(bench) / ratio;
        iso->capacity = sb_sweeps_capacity(&iso->sweeps, iso->proof.documented);
    }
    return ratio;
}

static void entries_per_store_finding(const struct iso *iso, size_t ratio)
{
    const struct sb_bench *bench = iso->bench;
    const struct knee_counts *ratios = &iso->sweeps.ratios;
    const double share = (double)ratios->at[ratio] / (double)ratios->sweeps;

    sb_finding(bench,
               (struct finding){.key = "store_buffer.entries_per_store",
                                .value = INTEGER_CELL(ratio),
                                .trust = count_judge(share, ratios->sweeps).trust},
               "%s%s take %zu entr%s each, in %zu of %zu sweeps next to one of 8-byte stores",
               bench->params->streaming ? "streaming " : "", width_text(bench), ratio,
               ratio == 1 ? "y" : "ies", ratios->at[ratio], ratios->sweeps);
}

static enum status confirm(struct iso *iso, struct fault *fault)
{
    const struct sb_bench *bench = iso->bench;
    struct sb_sweeps second;

    iso->proof.opinion = OPINION_SILENT;
    if (iso->capacity.state == BUFFER_UNRESOLVED)
        return STATUS_OK;
    if (sb_sweeps_open(&second, bench, bench->kernel, bench->pattern, fault) == STATUS_OK)
        iso->proof.opinion = sb_sweeps_second_opinion(&second, &iso->sweeps, iso->capacity.entries, fault);
    if (iso->proof.opinion == OPINION_CONTRADICTS)
        iso->capacity.state = BUFFER_UNRESOLVED;
    sb_sweeps_close(&second);
    return fault->status;
}

static const char *why_unresolved(const struct iso *iso)
{
    if (iso->sweeps.chain <= 0)
        return "this CPU does not run the two chains side by side";
    if (iso->proof.opinion == OPINION_CONTRADICTS)
        return "the knee moves with the chain: it is a limit of the rate or of the reorder buffer, not a "
               "capacity";
    if (iso->bench->params->stores.last != 0)
        return "no value of --stores stands out; a wider range may hold the knee, as it must not lie at the "
               "end";
    if (knee_largest_peak(&iso->sweeps.counts) != 0)
        return "the minimum over all sweeps breaks elsewhere than single sweeps do";
    if (iso->capacity.sweeps < FEW)
        return "too few sweeps were made";
    return "no number of stores stands out from the noise";
}

static void add_results(struct iso *iso)
{
    struct sb_bench *bench = iso->bench;
    char name[48] = "iso";

    if (!is_plain(bench)) {
        strcpy(name, bench->params->streaming ? "iso, streaming " : "iso, ");
        strcat(name, width_text(bench));
    }
    const struct capacity *capacity = &iso->capacity;
    sb_curve_rows(bench, &iso->sweeps, name, capacity->state == BUFFER_UNRESOLVED ? 0 : capacity->entries,
                  capacity->state == BUFFER_MIXED ? capacity->entries / 2 : 0);
    sb_histogram_rows(bench, &iso->sweeps.counts, name);
    if (iso->has_reference) {
        sb_curve_rows(bench, &iso->reference, "iso, 8-byte stores",
                      iso->plain.state == BUFFER_UNRESOLVED ? 0 : iso->plain.entries, 0);
        sb_histogram_rows(bench, &iso->reference.counts, "iso, 8-byte stores");
    }
    sb_capacity_findings(bench, &iso->capacity, &iso->proof, why_unresolved(iso));
}

static enum status measure(struct iso *iso, struct fault *fault)
{
    size_t ratio = 0;

    if (open_sweeps(iso, fault) != STATUS_OK || pin_self(iso->cpu[0], fault) != STATUS_OK ||
        choose_ranges(iso, fault) != STATUS_OK || sample(iso, fault) != STATUS_OK)
        return fault->status;
    if (iso->has_reference)
        ratio = entries_per_store(iso);
    if (confirm(iso, fault) == STATUS_OK)
        add_results(iso);
    if (ratio > 0 && iso->capacity.state != BUFFER_UNRESOLVED)
        entries_per_store_finding(iso, ratio);
    if (iso->bench->params->smt && fault->status == STATUS_OK)
        sb_smt_run(iso->bench, iso->capacity.entries, fault);
    return fault->status;
}

enum status sb_iso_run(struct sb_bench *bench, struct fault *fault)
{
    struct iso *iso = calloc(1, sizeof *iso);

    if (iso == NULL)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for sweeps");
    iso->bench = bench;
    iso->proof.certain = store_buffer_is_certain(bench->run->cpu);
    choose_cpus(iso);
    measure(iso, fault);
    sb_sweeps_close(&iso->sweeps);
    sb_sweeps_close(&iso->reference);
    free(iso);
    return fault->status;
}

struct capacity sb_quick_capacity(const struct sb_bench *bench, struct fault *fault)
{
    enum { SWEEPS = 100 };
    const struct engine_effort effort = sb_effort(bench, SWEEPS);
    const struct kernel *plain = store_kernel_find(&bench->run->kernels, 64, false);
    struct capacity capacity = {.state = BUFFER_UNRESOLVED};
    struct sb_sweeps sweeps;

    if (plain == NULL || sb_sweeps_open(&sweeps, bench, plain, STORES_LINE, fault) != STATUS_OK)
        return capacity;
    if (sb_sweeps_explore(&sweeps, fault) != 0 && sb_sweeps_run(&sweeps, &effort, fault) == STATUS_OK)
        capacity = sb_sweeps_capacity(&sweeps, sb_published_entries(bench));
    sb_sweeps_close(&sweeps);
    return capacity;
}
