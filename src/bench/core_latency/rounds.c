/* SPDX-License-Identifier: MIT */
/* All pairs in rounds, one at a time, so that the same pair is seen at moments far apart; before and after
 * them loads that hit the own caches, by which distances are named. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

enum {
    FAILURES_MAX = 2, /* and as many more as a quarter of the measurements with a value */
    SWITCHES_MAX =
        10 /* of one side in a measurement: up to 7 where nothing else ran, 12 to 51 next to busy loops */
};
/* Own caches: of a set of four times a cache the first quarter has left it once the last quarter is
 * written. */
enum { MULTIPLE = 4, ROUNDS = 8, GROUPS = 256, L2_GROUP = 64, L3_GROUP = 16 };
static const uint64_t L3_MOST = 16 << 20;

static const double BATCH_S = 8e-3;

/* Two threads that seldom have their CPUs at once are given up, before the team is: after so many times of
 * what is planned for a measurement, and that is this long at least. */
static const double GIVEN_UP_TIMES = 8, MEASUREMENT_S = 0.5;

/* Whether the time budget is over, if need be in the middle of the first round. */
static bool is_out_of_time(const struct latency_matrix *matrix)
{
    const struct common *common = matrix->run->common;
    return time_left_s(&(struct time_limit){common->time_budget, !common->is_share, matrix->begin}) <= 0;
}

/* False without a fault: the run has ended meanwhile. */
static bool run_members(struct latency_matrix *matrix, const struct pair *pair,
                        void (*task)(void *context, int member), void *context, struct fault *fault)
{
    const int member[] = {pair->from, pair->to};
    return engine_host_together(
        &matrix->host, member, pair->from == pair->to ? 1 : 2, task, context,
        latency_measurement_s(&matrix->setup) /* millions of round trips may be asked for */, fault);
}

static uint64_t contended(void *context)
{
    return ((const struct latency_matrix *)context)->contended;
}

static enum status open_all(struct latency_matrix *matrix, struct fault *fault)
{
    const double budget_s = matrix->run->common->time_budget;
    int *cpu = memory_zeroed((size_t)matrix->count, sizeof *cpu);
    for (int i = 0; i < matrix->count; i++)
        cpu[i] = matrix->place[i].id;
    matrix->begin = stopwatch_start();
    matrix->random = matrix->begin.begin_ns;
    matrix->pages.pages = PAGES_4K;
    if (budget_s > 0 && !matrix->run->common->is_share)
        matrix->setup.deadline_ticks = deadline_after(&matrix->setup, budget_s);
    matrix->tally = memory_zeroed(matrix->pairs, sizeof *matrix->tally);
    matrix->measurement = measurement_new(&matrix->setup);
    matrix->sibling = sibling_new(matrix->run->cpu, matrix->run->clock);
    matrix->host = (struct engine_host){.run = matrix->run,
                                        .what = "pairs",
                                        .sibling = matrix->sibling,
                                        .context = matrix,
                                        .switches = contended};
    engine_host_start(&matrix->host, cpu, matrix->count, fault);
    free(cpu);
    return fault->status;
}

void latency_close(struct latency_matrix *matrix)
{
    engine_host_end(&matrix->host);
    sibling_free(matrix->sibling);
    measurement_free(matrix->measurement);
    fresh_pages_free(&matrix->pages);
    engine_data_free(&matrix->data);
    free(matrix->tally);
    free(matrix->distances.at);
    free(matrix->pair);
    free(matrix->place);
    free(matrix);
}

struct own_task {
    const struct latency_setup *setup;
    struct chase chase;     /* over the first quarter */
    uint64_t lines, length; /* of the set; loads of a group */
    double ns;
};

/* Writing the set evicts its first quarter to the next cache and no further, as neighbours have no time to
 * push it out of there; writing, because some caches keep only changed lines. Then each line is read once, in
 * groups: a group takes many steps of a coarse clock, and yet a tenth of them is without a miss. */
static void time_loads(void *context, int member)
{
    struct own_task *task = context;
    const uint64_t most = task->chase.count / task->length, wanted = GROUPS / ROUNDS;
    const uint64_t groups = most < wanted ? most : wanted;
    double ns[GROUPS];
    size_t count = 0;
    while (groups > 0 && count + groups <= GROUPS) {
        task->chase.seed = count;
        chase_link_some(&task->chase, 0, groups * task->length);
        for (uint64_t i = 0; i < task->lines; i++)
            ((volatile uint64_t *)(void *)(task->chase.data + i * task->chase.stride))[1] = i;
        for (uint64_t i = 0; i < groups; i++) {
            void *node = chase_node(&task->chase, i * task->length);
            ns[count++] = walk_ns(task->setup, SERIES_TRANSFER, node, task->length);
        }
    }
    task->ns = quantile_reordering(ns, count, 0.1);
}

/* A set of four times a cache lies in the next level, if that is twice the set. Only a transfer, itself a
 * load, compares with loads. */
static enum status measure_own(struct latency_matrix *matrix, struct fault *fault)
{
    const struct topology *topology = matrix->run->topology;
    const int cpu = matrix->place[matrix->pair[matrix->pairs].from].id;
    /* Where the next level is shown alone, as in some guests: of CPUs of 2010 to 2026 most have this, or
     * less. */
    static const uint64_t usual[] = {0, 32 << 10, 1 << 20};
    const uint64_t line = topology_line_bytes(topology, cpu);
    const bool loads = latency_witness(matrix) == SERIES_TRANSFER;
    for (int level = 1; loads && level <= 2 && fault->status == STATUS_OK; level++) {
        struct own_ns *own = level == 1 ? &matrix->l2 : &matrix->l3;
        const uint64_t shown = topology_cache_bytes(topology, cpu, level),
                       bytes = MULTIPLE * (shown ? shown : usual[level]);
        struct own_task task = {.setup = &matrix->setup,
                                .chase = {.count = bytes / line / MULTIPLE, .stride = line},
                                .lines = bytes / line,
                                .length = level == 1 ? L2_GROUP : L3_GROUP};
        struct fresh_pages set = {.pages = PAGES_AUTO, .takes = 1};
        if (bytes == 0 || bytes > L3_MOST || topology_cache_bytes(topology, cpu, level + 1) < 2 * bytes)
            continue;
        task.chase.data = fresh_pages_take(&set, bytes, fault);
        if (task.chase.data && run_members(matrix, &matrix->pair[matrix->pairs], time_loads, &task, fault)) {
            own->least = fmin(own->least, task.ns); /* of NaN and a number the number */
            own->most = fmax(own->most, task.ns);
        }
        fresh_pages_free(&set);
    }
    return fault->status;
}

static void run_side(void *context, int member)
{
    const struct latency_matrix *matrix = context;
    struct measurement *m = matrix->measurement;
    measurement_run(m, matrix->place[member].id == m->cpu[SIDE_FROM] ? SIDE_FROM : SIDE_TO);
}

/* One measurement of a point, with all its series, is a sample of the engine. */
static bool sample(void *context, size_t point, size_t count, double *value, struct fault *fault)
{
    struct latency_matrix *matrix = context;
    struct measurement *m = matrix->measurement;
    struct pair_tally *tally = point < matrix->pairs ? &matrix->tally[point] : NULL;
    const struct pair *pair = &matrix->pair[point];
    for (size_t series = 0; series < matrix->width; series++)
        value[series] = NAN;
    /* Each try of a pair that does not answer costs seconds. */
    if (tally && tally->failed >= FAILURES_MAX + tally->measured / 4)
        return true;
    measurement_reset(m);
    m->alone = pair->from == pair->to;
    m->cpu[SIDE_FROM] = matrix->place[pair->from].id;
    m->cpu[SIDE_TO] = matrix->place[pair->to].id;
    m->seed = random_next(&matrix->random);
    m->deadline_ticks = deadline_after(
        &matrix->setup, GIVEN_UP_TIMES * fmax(latency_measurement_s(&matrix->setup), MEASUREMENT_S));
    m->page = fresh_pages_take(&matrix->pages,
                               (uint64_t)matrix->setup.effort.lines * matrix->setup.page_bytes, fault);
    /* A measurement that was cut is no failure of the pair. */
    if (!m->page || !run_members(matrix, pair, run_side, matrix, fault) ||
        (atomic_load(&m->failed) && (is_out_of_time(matrix) || interrupt_came())))
        return fault->status == STATUS_OK;
    matrix->contended += m->switches[SIDE_FROM] > SWITCHES_MAX || m->switches[SIDE_TO] > SWITCHES_MAX;
    for (size_t series = 0; series < matrix->width; series++) {
        value[series] = m->result[series].value;
        if (tally && series < SERIES_NAMED && !isnan(value[series])) {
            tally->samples[series] += m->result[series].samples;
            tally->dropped[series] += m->result[series].dropped;
        }
    }
    if (tally && isnan(value[latency_witness(matrix)]))
        tally->failed++;
    else if (tally)
        tally->measured++;
    return true;
}

static enum status run_rounds(struct latency_matrix *matrix, struct fault *fault)
{
    const struct common *common = matrix->run->common;
    const bool limited = common->time_budget > 0;
    const struct engine_bench bench = {.context = matrix,
                                       .points = matrix->pairs + 1,
                                       .width = matrix->width,
                                       .sample = sample,
                                       .budget_binds_all = limited};
    /* Threads that seldom have their CPUs at once take many times the plan. Rounds beyond ROUNDS_LEAST end
     * after this time, those beyond the first after twice of it. 0: all are made. */
    const double patience_s = common->repeat ? 0 : 1.7 * latency_planned_s(matrix) + 0.5;
    const struct engine_effort effort = {.rounds = common->repeat,
                                         .least = ROUNDS_LEAST,
                                         .most = matrix->least_rounds,
                                         .patience_s = patience_s,
                                         .duration_s = matrix->duration_s,
                                         .budget_s = limited ? common->time_budget : 2 * patience_s,
                                         .is_wall = limited && !common->is_share,
                                         .begin = limited ? matrix->begin : (struct stopwatch){0},
                                         .batch_s = BATCH_S};
    const enum engine_end end = engine_host_run(&matrix->host, &bench, &effort, &matrix->data, fault);
    matrix->out_of_time =
        end == ENGINE_BUDGET && is_out_of_time(matrix) && matrix->data.rounds < matrix->least_rounds;
    matrix->complete = end != ENGINE_INTERRUPTED && !matrix->out_of_time;
    return end == ENGINE_FAILED ? fault->status : STATUS_OK;
}

enum status latency_measure(struct latency_matrix *matrix, struct fault *fault)
{
    if (open_all(matrix, fault) || measure_own(matrix, fault))
        return fault->status;
    run_progress(matrix->run, 0, latency_planned_s(matrix), "pairs");
    /* Again: two moments must agree. */
    if (run_rounds(matrix, fault) == STATUS_OK && !run_has_ended(matrix->run))
        measure_own(matrix, fault);
    distances_find(matrix);
    return fault->status;
}
