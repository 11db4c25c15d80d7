/* SPDX-License-Identifier: MIT */
/* The methods iso and nops as rows. iso: behind a drained store buffer a chain of slow operations, S
 * stores, a second chain; with one store too many the second waits for the first. nops: S stores, then
 * no-operations, over and over. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "capacity.h"
#include "engine/published.h"
#include "machine/counters.h"
#include "sb_capacity.h"
#include "uarchprobe/own_time.h"
#include "uarchprobe/stats.h"

enum { NOPS_ITERATIONS = 200, LOOP_ITERATIONS = 1 << 16 };

/* The probes of the method iso. SHORTER and OTHER use the memory of MAIN. */
enum { MAIN, SHORTER, OTHER, PLAIN_STORES };

/* The row of a series is the index of its probe. */
static const int probe_index[SB_PROBES] = {MAIN, SHORTER, OTHER, PLAIN_STORES};

static double sample(const struct point *point)
{
    const struct sb_probes *probes = point->own;
    const struct store_probe *probe = &probes->of[*(const int *)point->series->row];
    return probe->kernel ? store_probe_ticks(probe, point->x) * point->clock->ns_per_tick : NAN;
}

/* The height of a step: a whole chain. No-operations have no such step, and their height is not used. */
static double height(const struct point *point)
{
    const struct sb_probes *probes = point->own;
    const struct store_probe *probe = &probes->of[*(const int *)point->series->row];
    if (!probe->kernel) /* no other kind of chain overlaps here */
        return 0;
    return probe->chain_length == 0 ? 1 : store_probe_chain_ticks(probe) * point->clock->ns_per_tick;
}

static struct store_probe probe_of(const struct run *run, const struct kernel *kernel,
                                   enum store_pattern pattern)
{
    struct store_probe probe;
    store_probe_init(&probe, kernel, pattern);
    if (!run->common->dry_run)
        store_probe_fit(&probe, run->clock);
    return probe;
}

static enum store_pattern pattern_of(const struct run *run)
{
    const int address = ((const struct sb_params *)run->params)->address;
    return address == SB_ADDRESS_AUTO ? STORES_LINE : (enum store_pattern)(address - 1);
}

static struct store_probe with_chain(struct store_probe probe, int kind, bool shorter)
{
    probe.chain = store_chains[kind].kind;
    probe.chain_length = shorter ? store_chains[kind].shorter : store_chains[kind].length;
    return probe;
}

/* The next kind of chain that overlaps on this CPU; STORE_CHAINS: none. A capacity stays where it is with
 * another kind; a limit of the rate or of the reorder buffer moves. */
static int next_kind(const struct run *run, struct store_probe probe, int kind)
{
    for (; kind < STORE_CHAINS && !run->common->dry_run; kind++) {
        const struct store_probe chain = with_chain(probe, kind, false);
        if (store_probe_overlaps(&chain))
            break;
    }
    return kind;
}

static const struct column stall_columns[] = {
    {"stores", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"stall_cycles", "store buffer stalls", "cycles", CELL_REAL, ROLE_MEASURE, 1},
};
static const struct table_spec stalls_table = {
    .name = "stalls",
    .title = "cycles of an iteration with a full store buffer, counted by the CPU",
    .columns = stall_columns,
    .column_count = 2,
    .view = {.kind = VIEW_CURVE, .x = 0, .y = 1, .value = 1, .series = -1}};

/* With --counters adds a table of the CPU's counts, or the reason in run.counters. Raw event codes, as
 * names changed between generations. */
static void add_stalls(const struct run *run, struct store_probe probe, const struct fault *fault)
{
    enum { ITERATIONS = 500, LAST = 160 }; /* many: the two system calls around them must not show */
    const struct sb_params *params = run->params;
    const struct range *stores = &params->stores;
    if (!params->counters || run->common->dry_run || fault->status != STATUS_OK)
        return;
    const double event = published_range(cpu_core(run->cpu), "store_buffer_full_event").most;
    const char *reason = "no event is known for this CPU";
    const int counter = event > 0 ? counter_open((uint64_t)event, &reason) : -1;
    RECORD_FACTS(run->record,
                 {"run.counters", .value = TEXT_CELL(counter < 0 ? reason : "store buffer stalls")});
    if (counter < 0)
        return;
    const size_t table = record_table_add(run->record, &stalls_table);
    probe.iterations = ITERATIONS;
    for (size_t n = stores->last ? stores->first : 1; n <= (stores->last ? stores->last : LAST); n++) {
        uint64_t before, after = 0;
        const bool read = counter_read(counter, &before) && store_probe_ticks(&probe, n) >= 0 &&
                          counter_read(counter, &after);
        record_row(run->record, table,
                   (const struct cell[]){INTEGER_CELL((int64_t)n),
                                         read ? REAL_CELL((double)(after - before) / ITERATIONS) : NO_CELL});
    }
    close(counter);
}

/* EVERY: rounds of which one has the second opinions, too. */
enum { ENTRIES = 2, PLAIN, EVERY = 4 };
static const struct metric iso_metrics[] = {
    {.key = "other", .kind = METRIC_JUMP, .series = "another chain", .halves = true},
    {.key = "shorter", .kind = METRIC_JUMP, .series = "a shorter chain", .halves = true},
    {.key = "store_buffer.entries",
     .label = "store buffer",
     .unit = "entries",
     .kind = METRIC_JUMP,
     .series = "iso",
     .agrees = {"other", "shorter"},
     .halves = true,
     .published = "store_buffer",
     .sheet_cell = "core/store-buffer",
     .operand = "store-buffer",
     .in_quick = true},
    {.key = "plain", .kind = METRIC_JUMP, .series = "8-byte stores", .halves = true},
    {.key = "store_buffer.entries_per_store",
     .label = "entries that one store takes",
     .unit = "entries",
     .kind = METRIC_RATIO,
     .metrics = {"plain", "store_buffer.entries"}},
    {0}};

static void open_probes(struct sb_probes *probes, const struct run *run, const struct kernel *kernel,
                        enum store_pattern pattern)
{
    const struct store_probe probe = probe_of(run, kernel, pattern);
    const int kind = next_kind(run, probe, 0), other = next_kind(run, probe, kind + 1),
              usual = kind < STORE_CHAINS ? kind : 0;
    probes->of[MAIN] = with_chain(probe, usual, false);
    probes->of[SHORTER] = with_chain(probe, usual, true);
    probes->of[OTHER] = other < STORE_CHAINS ? with_chain(probe, other, false) : (struct store_probe){0};
}

/* Of `capacity`: stores of 8 bytes, as the published sizes have. */
static enum status open_store_buffer(struct run *run, void **own, struct fault *fault)
{
    const struct kernel *kernel = store_kernel_find(&run->kernels, 64, false);
    if (!kernel)
        return fault_set(fault, STATUS_UNSUPPORTED, "no store of 8 bytes can run here");
    open_probes(*own, run, kernel, STORES_LINE);
    return STATUS_OK;
}

static void close_store_buffer(void *own)
{
    store_probe_free(&((struct sb_probes *)own)->of[MAIN]);
}

static const struct series iso_series[] = {{.name = "iso", .range.first = 1, .row = &probe_index[MAIN]},
                                           {.name = "a shorter chain",
                                            .range = {.first = 1, .period = EVERY},
                                            .row = &probe_index[SHORTER],
                                            .hidden = true},
                                           {.name = "another chain",
                                            .range = {.first = 1, .period = EVERY},
                                            .row = &probe_index[OTHER],
                                            .hidden = true},
                                           {0}};
const struct experiment store_buffer_experiment = {
    .name = "store buffer",
    .series = iso_series,
    .metrics = iso_metrics,
    .context_bytes = sizeof(struct sb_probes),
    .open = open_store_buffer,
    .close = close_store_buffer,
    .sample = sample,
    .height = height,
    .pace = {200, 100, 0.7},
    .takes_turns = true,
    .curve = {VIEW_CURVE, "time of one iteration by number of stores", "stores", "stores"}};

/* Published sizes are those of 8-byte stores; other widths are compared with them. */
enum status sb_iso_run(struct run *run, const struct kernel *kernel, struct fault *fault)
{
    const struct sb_params *params = run->params;
    const struct kernel *plain_kernel = store_kernel_find(&run->kernels, 64, false);
    const bool wide = plain_kernel && plain_kernel != kernel;
    struct experiment iso = store_buffer_experiment;
    struct metric metrics[sizeof iso_metrics / sizeof *iso_metrics];
    struct series series[5] = {iso_series[MAIN], iso_series[SHORTER], iso_series[OTHER]};
    struct sb_probes probes = {0};
    int pair[2];
    open_probes(&probes, run, kernel, pattern_of(run));
    for (int i = 0; i < PLAIN_STORES && params->stores.last; i++) {
        series[i].range.first = params->stores.first;
        series[i].range.last = params->stores.last;
    }
    memcpy(metrics, iso_metrics, sizeof metrics);
    if (wide) {
        struct store_probe *plain = &probes.of[PLAIN_STORES];
        *plain = probe_of(run, plain_kernel, pattern_of(run));
        plain->chain = probes.of[MAIN].chain;
        plain->chain_length = probes.of[MAIN].chain_length;
        series[PLAIN_STORES] =
            (struct series){.name = "8-byte stores", .range.first = 1, .row = &probe_index[PLAIN_STORES]};
        metrics[ENTRIES].label = "store buffer, stores of this width";
        metrics[ENTRIES].published = metrics[ENTRIES].sheet_cell = NULL;
    }
    iso.series = series;
    iso.metrics = metrics;
    iso.own = &probes;
    iso.context_bytes = 0;
    iso.open = NULL;
    iso.close = NULL;
    experiment_run(&iso, 1, run, NULL, fault);
    if (params->smt.given && !run->common->dry_run && fault->status == STATUS_OK &&
        run_smt_pair(run, params->smt, pair, fault) == STATUS_OK) {
        metrics[ENTRIES].key = "store_buffer.partitioned_entries";
        metrics[ENTRIES].label = "store buffer next to a thread";
        metrics[ENTRIES].published = metrics[ENTRIES].sheet_cell = NULL;
        metrics[PLAIN].key = NULL;
        iso.companion = &pair[1];
        iso.curve.title = NULL;
        experiment_run(&iso, 1, run, NULL, fault);
    }
    add_stalls(run, probes.of[MAIN], fault);
    store_probe_free(&probes.of[MAIN]);
    if (wide)
        store_probe_free(&probes.of[PLAIN_STORES]);
    return fault->status;
}

enum { STORES, NOPS, ITERATIONS, FASTEST, MEDIAN, LOOP_COLUMNS };
static const struct column loop_columns[LOOP_COLUMNS] = {
    [STORES] = {"stores", "stores", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [NOPS] = {"nops", "no-operations", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [ITERATIONS] = {"iterations", "iterations", NULL, CELL_INTEGER, ROLE_LABEL, 0},
    [FASTEST] = {"minimum_ns", "minimum", "ns", CELL_REAL, ROLE_MEASURE, 1},
    [MEDIAN] = {"median_ns", "median", "ns", CELL_REAL, ROLE_MEASURE, 1},
};
static const struct table_spec loop_table = {
    .name = "loop",
    .title = "time of one iteration with this number of stores",
    .columns = loop_columns,
    .column_count = LOOP_COLUMNS,
    .view = {.kind = VIEW_LIST, .x = -1, .y = -1, .value = -1, .series = -1, .lead = true}};

/* Runs the source's loop with one number of stores and nothing else, so that `perf stat` of the whole
 * program counts what this loop does: nothing is searched, and no probe of the clock or of the sibling
 * runs in between. The number of iterations depends on options alone, never on the machine, so that the
 * counts of two numbers of stores can be compared. */
static enum status run_loop(struct run *run, struct store_probe probe, struct fault *fault)
{
    enum { ROUNDS = 64, QUICK_ROUNDS = 8 };
    const struct common *common = run->common;
    const struct sb_params *params = run->params;
    const struct time_limit limit = {common->time_budget, !common->is_share, stopwatch_start()};
    const uint64_t rounds = common->repeat  ? common->repeat
                            : common->quick ? QUICK_ROUNDS
                                            : ROUNDS,
                   all = rounds * (common->samples ? common->samples : 1);
    struct samples ns = {0};
    probe.nops = (unsigned)params->nops;
    probe.iterations = LOOP_ITERATIONS;
    if (common->dry_run) {
        RECORD_FACTS(run->record,
                     {"plan.iterations", "iterations", NULL, INTEGER_CELL((int64_t)(all * LOOP_ITERATIONS))});
        return fault->status;
    }
    while (ns.count < all && !run->interrupted(NULL) && time_left_s(&limit) > 0)
        samples_add(&ns, store_probe_ticks(&probe, params->stores.first) * run->clock->ns_per_tick);
    run->left_out |= ns.count < all;
    if (run->left_out && !run->interrupted(NULL))
        record_warning(run->record, "time_budget",
                       "the time budget left out %" PRIu64 " of %" PRIu64 " rounds", all - ns.count, all);
    const struct summary summary = summary_of(ns.value, ns.count);
    record_row(run->record, record_table_add(run->record, &loop_table),
               (const struct cell[LOOP_COLUMNS]){
                   [STORES] = INTEGER_CELL((int64_t)params->stores.first),
                   [NOPS] = INTEGER_CELL((int64_t)params->nops),
                   [ITERATIONS] = INTEGER_CELL((int64_t)(ns.count * LOOP_ITERATIONS)),
                   [FASTEST] = REAL_CELL(summary.min),
                   [MEDIAN] = REAL_CELL(summary.median),
               });
    samples_free(&ns);
    add_stalls(run, probe, fault);
    return fault->status;
}

static const struct metric nops_metrics[] = {
    {.key = "twice", .kind = METRIC_SLOPE_CHANGE, .series = "twice the nops"},
    {.key = "iso", .kind = METRIC_JUMP, .series = "iso"},
    {.key = "store_buffer.entries",
     .label = "store buffer by nops",
     .unit = "entries",
     .kind = METRIC_SLOPE_CHANGE,
     .series = "nops",
     .control = "iso",
     .agrees = {"twice"},
     .published = "store_buffer",
     .sheet_cell = "core/store-buffer"},
    {0}};

/* A capacity stays where it is with twice as many no-operations; a limit of the drain moves. Without any,
 * nothing drains between two bursts: the source's figure is a third curve without an answer. */
enum status sb_nops_run(struct run *run, const struct kernel *kernel, struct fault *fault)
{
    enum { USUAL = 500, LAST = 180, BEYOND = 32 };
    const struct sb_params *params = run->params;
    const double published = published_range(cpu_core(run->cpu), "store_buffer").most;
    const uint64_t first = params->stores.last ? params->stores.first : 1;
    const uint64_t last = params->stores.last ? params->stores.last
                          : published > 0     ? (uint64_t)published + BEYOND
                                              : LAST;
    enum { SOME, TWICE, CHAIN, NONE };
    if (sb_is_loop(params)) {
        struct store_probe loop;
        store_probe_init(&loop, kernel, pattern_of(run));
        loop.chain_length = 0;
        run_loop(run, loop, fault);
        store_probe_free(&loop);
        return fault->status;
    }
    const struct store_probe plain = probe_of(run, kernel, pattern_of(run));
    const int kind = next_kind(run, plain, 0);
    struct sb_probes probes = {0};
    struct store_probe *probe = probes.of;
    probe[NONE] = plain;
    probe[NONE].chain_length = 0;
    probe[NONE].iterations = NOPS_ITERATIONS;
    probe[SOME] = probe[TWICE] = probe[NONE];
    probe[SOME].nops = params->nops ? (unsigned)params->nops : USUAL;
    probe[TWICE].nops = 2 * probe[SOME].nops;
    probe[CHAIN] = with_chain(plain, kind < STORE_CHAINS ? kind : 0, false);
    const struct series series[] = {
        {"nops", NULL, {first, last}, .row = &probe_index[SOME]},
        {"twice the nops", NULL, {first, last}, .row = &probe_index[TWICE]},
        {"iso", NULL, {1}, .row = &probe_index[CHAIN], .hidden = true},
        {params->nops ? NULL : "no nops", NULL, {first, last}, .row = &probe_index[NONE]},
        {0}};
    const struct experiment experiment = {
        .own = &probes,
        .series = series,
        .metrics = nops_metrics,
        .sample = sample,
        .height = height,
        .pace = {20, 8, 1.5},
        .curve = {VIEW_CURVE, "time of one iteration by number of stores", "stores", "stores"}};
    experiment_run(&experiment, 1, run, NULL, fault);
    add_stalls(run, probe[SOME], fault);
    store_probe_free(&probe[NONE]);
    return fault->status;
}
