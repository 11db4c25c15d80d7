/* SPDX-License-Identifier: MIT */
/* --method iso: many short sweeps, each with one knee; the histogram of knees is the measurement. */
#include <math.h>
#include <string.h>

#include "sb_capacity.h"
#include "uarchprobe/pin.h"

enum { BATCH = 25, FEW = 100, ENOUGH_UNPROVED = 1000, CPUS_MOST = 4 };

struct iso {
    struct sb_bench *bench;
    struct sb_sweeps sweeps;
    struct sb_sweeps reference; /* 8-byte stores in the same seconds, where others were asked for */
    bool has_reference;
    size_t documented; /* entries for the stores asked for; 0: unknown */
    int cpu[CPUS_MOST], cpus;
    struct capacity capacity;
    struct capacity plain; /* of the reference */
    enum sb_opinion opinion;
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
        iso->documented = sb_published_entries(bench);
    else if (plain != NULL) {
        iso->has_reference = true;
        return sb_sweeps_open(&iso->reference, bench, plain, bench->pattern, fault);
    }
    return STATUS_OK;
}

static void choose_ranges(struct iso *iso)
{
    const struct range *stores = &iso->bench->params->stores;

    if (iso->has_reference)
        sb_sweeps_explore(&iso->reference, iso->bench, sb_published_entries(iso->bench));
    if (stores->last == 0)
        sb_sweeps_explore(&iso->sweeps, iso->bench, iso->documented);
    else
        sb_sweeps_range(&iso->sweeps, stores->first, stores->last);
}

/* Whether more sweeps would change nothing that is said. */
static bool is_settled(const struct iso *iso)
{
    const struct common *common = iso->bench->run->common;
    const struct capacity *capacity = &iso->capacity;

    if (common->repeat > 0)
        return capacity->sweeps >= common->repeat;
    if (capacity->sweeps < iso->bench->rounds || capacity->trust != TRUST_HIGH ||
        capacity->state == BUFFER_HALVED)
        return false;
    return capacity->half_seen || capacity->entries == iso->documented || capacity->sweeps >= ENOUGH_UNPROVED;
}

/* With --repeat, not one sweep more. */
static int next_batch(const struct iso *iso)
{
    const uint64_t repeat = iso->bench->run->common->repeat, left = repeat - iso->capacity.sweeps;

    return repeat > 0 && left < BATCH ? (int)left : BATCH;
}

static enum status sample(struct iso *iso, struct fault *fault)
{
    const struct sb_bench *bench = iso->bench;

    iso->sweeps.probe.samples = iso->reference.probe.samples = bench->samples;
    for (int turn = 0;; turn++) {
        if (pin_self(iso->cpu[turn % iso->cpus], fault) != STATUS_OK)
            return fault->status;
        core_clock_read(bench->run->core_clock);
        int batch = next_batch(iso);
        if (iso->has_reference)
            sb_sweeps_take(&iso->reference, batch);
        sb_sweeps_take(&iso->sweeps, batch);
        iso->capacity = sb_sweeps_capacity(&iso->sweeps, iso->documented);
        run_progress(bench->run, (double)iso->capacity.sweeps / (double)bench->rounds, -1, "sweeps");
        if (is_settled(iso) || iso->sweeps.cut || sb_must_stop(bench))
            return STATUS_OK;
    }
}

static const char *width_text(const struct sb_bench *bench)
{
    static const char *const names[] = {"1-byte stores",  "2-byte stores",  "4-byte stores", "8-byte stores",
                                        "16-byte stores", "32-byte stores", "64-byte stores"};

    return names[bench->params->width];
}

/* How many entries one of these stores takes, from sizes that were read in the same seconds; 0: not to be
 * told. What is published about the buffer holds for these stores too, once that is known. */
static double entries_per_store(struct iso *iso)
{
    const size_t published = sb_published_entries(iso->bench);
    double ratio;

    iso->plain = sb_sweeps_capacity(&iso->reference, published);
    if (iso->plain.state == BUFFER_UNRESOLVED || iso->capacity.state == BUFFER_UNRESOLVED)
        return 0;
    ratio = (double)iso->plain.entries / (double)iso->capacity.entries;
    if (ratio >= 1 && fabs(ratio - round(ratio)) < 0.03)
        iso->documented = published / (size_t)round(ratio);
    iso->capacity = sb_sweeps_capacity(&iso->sweeps, iso->documented);
    return ratio;
}

static void entries_per_store_finding(const struct iso *iso, double ratio)
{
    const struct sb_bench *bench = iso->bench;
    enum trust trust = iso->plain.trust < iso->capacity.trust ? iso->plain.trust : iso->capacity.trust;
    bool whole = fabs(ratio - round(ratio)) < 0.03;

    /* Where the plain stores were halved most of the time, a full size of these may have been missed. */
    if (iso->plain.halved_share > 0.5 || !whole)
        trust = TRUST_LOW;
    sb_finding(bench, "store_buffer.entries_per_store", REAL_CELL(ratio), NULL, trust,
               "%s%s take %.3g entr%s each: %zu of them fit where %zu of 8 bytes do",
               bench->params->streaming ? "streaming " : "", width_text(bench), ratio,
               ratio == 1 ? "y" : "ies", iso->capacity.entries, iso->plain.entries);
}

static enum status confirm(struct iso *iso, struct fault *fault)
{
    const struct sb_bench *bench = iso->bench;
    struct sb_sweeps second;

    if (iso->capacity.state == BUFFER_UNRESOLVED)
        return STATUS_OK;
    if (sb_sweeps_open(&second, bench, bench->kernel, bench->pattern, fault) != STATUS_OK)
        return fault->status;
    iso->opinion = sb_sweeps_second_opinion(&second, &iso->sweeps, iso->capacity.entries);
    if (iso->opinion == SB_CONTRADICTS)
        iso->capacity.state = BUFFER_UNRESOLVED;
    if (iso->opinion == SB_SILENT && iso->capacity.trust == TRUST_HIGH)
        iso->capacity.trust = TRUST_MEDIUM;
    sb_sweeps_close(&second);
    return STATUS_OK;
}

static const char *why_unresolved(const struct iso *iso)
{
    if (iso->sweeps.chain <= 0)
        return "this CPU does not run the two chains side by side";
    if (iso->opinion == SB_CONTRADICTS)
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
    sb_capacity_findings(bench, &iso->capacity, iso->documented, iso->sweeps.last, why_unresolved(iso));
}

static enum status measure(struct iso *iso, struct fault *fault)
{
    double ratio = 0;

    if (open_sweeps(iso, fault) != STATUS_OK || pin_self(iso->cpu[0], fault) != STATUS_OK)
        return fault->status;
    choose_ranges(iso);
    if (sample(iso, fault) != STATUS_OK)
        return fault->status;
    sb_check_rounds(iso->bench, iso->capacity.sweeps);
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
    struct iso iso = {.bench = bench};

    choose_cpus(&iso);
    measure(&iso, fault);
    sb_sweeps_close(&iso.sweeps);
    sb_sweeps_close(&iso.reference);
    return fault->status;
}
