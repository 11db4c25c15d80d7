/* SPDX-License-Identifier: MIT */
/* Rows of `capacity parallel-misses` on simulated cores of known buffers, from the samples to the answers. */
#include "test.h"

#include "../../engine/simulated.h"
#include "bench/capacity/capacity.h"
#include "engine/claims.h"

/* Cycles of a memory of `latency`, which takes half as long again for a share of the lines. An excess prefetch is dropped. */
static struct core {
    double buffers, load_queue, far; /* far: 0: prefetches into L2 end in no buffer that shows */
    bool halves;                     /* a busy sibling has half of all */
    double slow, latency;            /* share of the samples */
    double overtaken;                /* by a last load that begins sooner */
} core;
static struct sim sim;

static double burst_ns(const struct point *point)
{
    const bool loads = strncmp(point->series->name, "loads", 5) == 0;
    const bool far = strncmp(point->series->name, "prefetches into L2", 18) == 0;
    double room = loads ? fmin(core.buffers, core.load_queue) : far ? core.far : core.buffers, median[5];
    room = room <= 0 ? INFINITY : core.halves && sim.active ? floor(room / 2) : room;
    room += point->series->row ? core.overtaken : 0;
    const double waves = floor(((double)point->x - 1) / room), roots = 100;
    for (int i = 0; i < 5; i++)
        median[i] = roots + 2 * core.latency + (loads ? waves : fmin(waves, 1)) * (core.latency - roots) +
                    (sim_uniform(&sim) < core.slow ? core.latency / 2 : 0) + 8 * sim_normal(&sim);
    return sim_work(&sim, median_of(median, 5), 0, 0.1) * 1e9;
}

static double third(const struct point *point)
{
    return burst_ns(point) / 3;
}

/* 4096 lines, in a chain or side by side. */
static void pass(const struct point *point)
{
    static const double latency[] = {12, 50}, rate[] = {2, 2.5};
    const int level = point->x == 3;
    const bool chain = strncmp(point->series->name, "chain", 5) == 0;
    const double off = 0.003 * sim_normal(&sim);
    sim_work(&sim, (double)point->iterations * 4096 * (chain ? latency : rate)[level] * (1 + off), 0,
             chain ? 0.02 : 0.3);
}

static uint64_t ticks(void *context)
{
    return (uint64_t)(((const struct sim *)context)->now_s * 1e12);
}

static struct record *measured(const struct experiment *of, const struct sim_script *script)
{
    struct series series[8] = {0};
    struct experiment experiment = *of;
    const struct engine_machine machine = {.context = &sim,
                                           .now_ns = sim_now_ns,
                                           .probe = sim_probe,
                                           .interrupted = sim_interrupted,
                                           .ticks = ticks};
    const struct clock clock = {.ns_per_tick = 1e-3, .resolution_ns = 10};
    const struct common common = {.repeat = 0};
    struct core_clock core_clock = {0};
    struct run run = {.clock = &clock, .core_clock = &core_clock, .common = &common, .record = record_new()};
    struct lab lab = {.experiment = &experiment, .run = &run, .machine = &machine, .cpus = 1};
    const struct engine_effort effort = {
        .least = script->active > 0 ? 2000 : of->rounds, .budget_s = 2, .placements = 12};
    struct fault fault = {0};
    for (size_t i = 0; of->series[i].name; i++) {
        series[i] = of->series[i];
        series[i].kernel = NULL;
    }
    experiment.series = series;
    experiment.sample = of->sample ? burst_ns : NULL;
    experiment.height = of->sample ? third : NULL;
    experiment.work = of->work ? pass : NULL;
    experiment.prepare = NULL;
    sim_start(&sim, script, 3);
    assert_int_equal(experiment_measure(&lab, &effort, &fault), STATUS_OK);
    experiment_free(&lab);
    return run.record;
}

static const enum trust L = TRUST_LOW, M = TRUST_MEDIUM, H = TRUST_HIGH;

static void expect(const struct record *record, const char *key, enum state state, double value, double off,
                   enum trust least, enum trust most)
{
    char whole[80];
    const struct answer *found = NULL;
    snprintf(whole, sizeof whole, "capacity.parallel_misses.%s", key);
    for (size_t i = 0; i < record->answers.count; i++)
        if (strcmp(record->answers.of[i].key, whole) == 0 &&
            strcmp(record->answers.of[i].state, state_names[state]) == 0)
            found = &record->answers.of[i];
    assert_non_null(found);
    const double seen = cell_number(&found->value);
    print_message("%s: %g\n", key, seen);
    assert_true(isnan(value) ? isnan(seen) : fabs(seen - value) <= off);
    assert_in_range(found->trust, least, most);
}

static const struct sim_script quiet = {.name = "quiet"}, shared = {.active = 0.5, .spell_s = 0.01};

TEST(buffers_are_counted)
{
    static const struct {
        struct core core;
        double loads, prefetches, far;
        bool apart; /* bursts disagree whose last loads begin at different times */
    } rows[] = {{{10, 72, 16, .latency = 250}, 10, 10, 16},
                {{24, 72, 24, .latency = 400}, 24, 24, 24},
                {{124, 64, 124, .latency = 500}, 64, 124, 124},
                {{16, 192, 48, .latency = 600}, 16, 16, 48},
                {{24, 72, 0, .latency = 400}, 24, 24, NAN},
                {{24, 72, 24, .latency = 300, .slow = 0.15}, 24, 24, 24},
                {{24, 72, 24, .latency = 400, .overtaken = 1}, 24, 24, 24},
                {{24, 72, 24, .latency = 400, .overtaken = 2}, 24, 24, 24, true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        core = rows[i].core;
        struct record *record = measured(&misses_experiment, &quiet);
        const enum trust trust = rows[i].apart ? L : H;
        expect(record, "memory", STATE_IDLE, rows[i].loads, 0, trust, trust);
        expect(record, "memory_prefetch", STATE_IDLE, rows[i].prefetches, 0, trust, trust);
        expect(record, "memory_prefetch_l2", STATE_IDLE, rows[i].far, 0, isnan(rows[i].far) ? L : trust,
               trust);
        record_free(record);
    }
}

TEST(a_busy_sibling_leaves_half)
{
    core = (struct core){24, 72, 24, .halves = true, .latency = 400};
    struct record *record = measured(&misses_experiment, &shared);
    expect(record, "memory", STATE_IDLE, 24, 0, M, H);
    expect(record, "memory", STATE_ACTIVE, 12, 0, L, H);
    expect(record, "memory_prefetch", STATE_ACTIVE, 12, 0, L, H);
    record_free(record);
}

/* Neighbours that no run sees change the rate of L3, and states that outlast a run that of L2. */
TEST(lines_under_way_are_latency_for_each_line_of_the_rate)
{
    struct record *record = measured(&cache_misses_experiment, &quiet);
    expect(record, "l2", STATE_IDLE, 6, 0.12, M, M);
    expect(record, "l3", STATE_IDLE, 20, 0.4, L, L);
    record_free(record);
}
