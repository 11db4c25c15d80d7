/* SPDX-License-Identifier: MIT */
/* The methods iso and nops as rows. iso: behind a drained store buffer a chain of slow operations, S stores, a second chain;
 * with one store too many the second waits for the first. nops: S stores, then no-operations, over and over. */
#include <stdio.h>

#include "engine/companion.h"
#include "engine/published.h"
#include "sb_capacity.h"
#include "uarchprobe/experiment.h"

/* What stands around the stores. length 0: no chains and no drain. */
struct around {
    enum store_chain chain;
    unsigned length, nops;
    bool plain; /* 8-byte stores, whatever was asked for */
};

struct own {
    struct store_probe probe, plain;
    const struct clock *clock;
};

enum { NOPS_ITERATIONS = 200 };

static struct store_probe *probe_of(const struct point *point)
{
    const struct around *around = point->series->row;
    struct own *own = point->own;
    struct store_probe *probe = around->plain ? &own->plain : &own->probe;
    probe->chain = around->chain;
    probe->chain_length = around->length;
    probe->nops = around->nops;
    return probe;
}

static double sample(const struct point *point)
{
    const struct own *own = point->own;
    struct store_probe *probe = probe_of(point);
    const unsigned iterations = probe->iterations;
    if (probe->chain_length == 0)
        probe->iterations = NOPS_ITERATIONS;
    const double ns = store_probe_ticks(probe, point->x) * own->clock->ns_per_tick;
    probe->iterations = iterations;
    return ns;
}

/* A whole chain. Curves of no-operations have no step of that kind, and their height is not asked for. */
static double height(const struct point *point)
{
    const struct own *own = point->own;
    const struct store_probe *probe = probe_of(point);
    return probe->chain_length == 0 ? 1 : store_probe_chain_ticks(probe) * own->clock->ns_per_tick;
}

/* The first two kinds of chain that this CPU runs side by side; -1: there is no such. A capacity stays where it is with
 * another kind; a limit of the rate or of the reorder buffer moves. */
static void choose_chains(struct store_probe *probe, int kind[2])
{
    kind[0] = kind[1] = -1;
    for (int i = 0, found = 0; i < STORE_CHAINS && found < 2; i++) {
        probe->chain = store_chains[i].kind;
        probe->chain_length = store_chains[i].length;
        if (store_probe_overlaps(probe))
            kind[found++] = i;
    }
}

static struct around chain_of(int kind, bool shorter, bool plain)
{
    const struct store_chain_lengths *lengths = &store_chains[kind < 0 ? 0 : kind];
    return (struct around){
        .chain = lengths->kind, .length = shorter ? lengths->shorter : lengths->length, .plain = plain};
}

static const struct table_spec curve =
    EXPERIMENT_CURVE(VIEW_CURVE, "time of one iteration by number of stores", "stores", "stores");

#define OPINIONS(of)                                                                                         \
    {.key = "other", .kind = CLAIM_STEP, .from = of "another chain"},                                        \
    {                                                                                                        \
        .key = "shorter", .kind = CLAIM_STEP, .from = of "a shorter chain"                                   \
    }
#define ENTRIES(id, words)                                                                                   \
    .key = id, .label = words, .unit = "entries", .kind = CLAIM_STEP, .from = "iso",                         \
    .agrees = {"other", "shorter"}
static const struct claim claims[] = {OPINIONS(""),
                                      {ENTRIES("store_buffer.entries", "store buffer"),
                                       .published = "store_buffer", .slot = "core/store-buffer"},
                                      {0}};
/* What is published is of 8-byte stores. */
static const struct claim wide_claims[] = {
    OPINIONS(""),
    {ENTRIES("store_buffer.entries", "store buffer, stores of this width")},
    {.key = "plain", .kind = CLAIM_STEP, .from = "8-byte stores"},
    {.key = "store_buffer.entries_per_store",
     .label = "entries that one store takes",
     .unit = "entries",
     .kind = CLAIM_RATIO,
     .from = "plain",
     .and = "store_buffer.entries"},
    {0}};
static const struct claim companion_claims[] = {
    OPINIONS(""), {ENTRIES("store_buffer.partitioned_entries", "store buffer next to a thread")}, {0}};

static void run_iso(const struct sb_bench *bench, struct own *own, bool wide, struct fault *fault)
{
    enum { OPINION_EVERY = 4 };
    const struct range *stores = &bench->params->stores;
    const uint64_t first = stores->last ? stores->first : 1, last = stores->last;
    const bool dry = bench->run->common->dry_run;
    int kind[2] = {0, 1};
    if (!dry) {
        store_probe_fit(&own->probe, own->clock);
        store_probe_fit(&own->plain, own->clock);
        choose_chains(&own->probe, kind);
    }
    const struct around main = chain_of(kind[0], false, false), shorter = chain_of(kind[0], true, false),
                        other = chain_of(kind[1], false, false), reference = chain_of(kind[0], false, true);
    struct series series[5] = {{.name = "iso", .first = first, .last = last, .row = &main},
                               {.name = "a shorter chain",
                                .first = first,
                                .last = last,
                                .row = &shorter,
                                .hidden = true,
                                .every = OPINION_EVERY}};
    size_t count = 2;
    if (wide)
        series[count++] = (struct series){.name = "8-byte stores", .first = 1, .row = &reference};
    if (kind[1] >= 0)
        series[count++] = (struct series){.name = "another chain",
                                          .first = first,
                                          .last = last,
                                          .row = &other,
                                          .hidden = true,
                                          .every = OPINION_EVERY};
    struct experiment iso = {.series = series,
                             .claims = wide ? wide_claims : claims,
                             .sample = sample,
                             .height = height,
                             .rounds = 200,
                             .quick_rounds = 100,
                             .seconds = 0.7,
                             .takes_turns = true,
                             .curve = &curve};
    experiment_run(&iso, bench->run, own, fault);
    int pair[2];
    if (bench->params->smt.given && !dry && fault->status == STATUS_OK &&
        companion_pair(bench->run, bench->params->smt, pair, fault) == STATUS_OK) {
        iso.claims = companion_claims;
        iso.companion = &pair[1];
        iso.curve = NULL;
        experiment_run(&iso, bench->run, own, fault);
    }
    if (bench->params->counters && !dry && fault->status == STATUS_OK)
        sb_stalls(bench, &own->probe);
}

enum status sb_iso_run(struct sb_bench *bench, struct fault *fault)
{
    const struct kernel *plain = store_kernel_find(&bench->run->kernels, 64, false);
    struct own own = {.clock = bench->run->clock};
    store_probe_init(&own.probe, bench->kernel, bench->pattern);
    store_probe_init(&own.plain, plain ? plain : bench->kernel, bench->pattern);
    run_iso(bench, &own, plain && plain != bench->kernel, fault);
    store_probe_free(&own.probe);
    store_probe_free(&own.plain);
    return fault->status;
}

static const struct claim nops_claims[] = {{.key = "twice", .kind = CLAIM_BEND, .from = "twice the nops"},
                                           {.key = "iso", .kind = CLAIM_STEP, .from = "iso"},
                                           {.key = "store_buffer.entries",
                                            .label = "store buffer by nops",
                                            .unit = "entries",
                                            .kind = CLAIM_BEND,
                                            .from = "nops",
                                            .control = "iso",
                                            .agrees = {"twice"},
                                            .published = "store_buffer",
                                            .slot = "core/store-buffer"},
                                           {0}};

/* A capacity is where it is with twice as many no-operations; a limit of the drain moves. Without any nothing drains between
 * two bursts, so that the source's figure is a third curve, and no answer. */
enum status sb_nops_run(struct sb_bench *bench, struct fault *fault)
{
    enum { USUAL = 500, LAST = 180, BEYOND = 32 };
    const struct range *stores = &bench->params->stores;
    const unsigned nops = bench->params->nops ? (unsigned)bench->params->nops : USUAL;
    const double published = published_range(bench->core, "store_buffer").most;
    const uint64_t first = stores->last ? stores->first : 1, last = stores->last ? stores->last
                                                                    : published > 0
                                                                        ? (uint64_t)published + BEYOND
                                                                        : LAST;
    struct own own = {.clock = bench->run->clock};
    int kind[2] = {0, 1};

    store_probe_init(&own.probe, bench->kernel, bench->pattern);
    if (!bench->run->common->dry_run) {
        store_probe_fit(&own.probe, own.clock);
        choose_chains(&own.probe, kind);
    }
    const struct around none = {.length = 0}, some = {.nops = nops}, twice = {.nops = 2 * nops},
                        chain = chain_of(kind[0], false, false);
    const struct series series[] = {
        {.name = "nops", .first = first, .last = last, .row = &some},
        {.name = "twice the nops", .first = first, .last = last, .row = &twice},
        {.name = "iso", .first = 1, .row = &chain, .hidden = true},
        {.name = bench->params->nops ? NULL : "no nops", .first = first, .last = last, .row = &none},
        {0}};
    const struct experiment experiment = {.series = series,
                                          .claims = nops_claims,
                                          .sample = sample,
                                          .height = height,
                                          .rounds = 20,
                                          .quick_rounds = 8,
                                          .seconds = 1.5,
                                          .curve = &curve};
    experiment_run(&experiment, bench->run, &own, fault);
    store_probe_free(&own.probe);
    return fault->status;
}
