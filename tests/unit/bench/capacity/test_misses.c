/* SPDX-License-Identifier: MIT */
/* Rows of `capacity parallel-misses` on simulated cores of known buffers, from the samples to the answers. */
#include "test.h"

#include "../../engine/simulated_lab.h"
#include "bench/capacity/capacity.h"

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
    room += *(const unsigned *)point->series->row < 6 ? core.overtaken : 0; /* fewer roots */
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

static struct record *measured(const struct experiment *of, const struct sim_script *script)
{
    struct experiment experiment = *of;
    experiment.sample = of->work ? NULL : burst_ns;
    experiment.height = of->work ? NULL : third;
    experiment.work = of->work ? pass : NULL;
    experiment.prepare = NULL;
    sim_start(&sim, script, 3);
    return sim_measured_bare(&sim, experiment,
                             (struct engine_effort){.least = script->active > 0 ? 2000 : of->pace.rounds,
                                                    .budget_s = 2,
                                                    .placements = 12});
}

static const enum trust L = TRUST_LOW, M = TRUST_MEDIUM, H = TRUST_HIGH;

#define PARALLEL(name) "capacity.parallel_misses." name
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
        sim_expect(record, PARALLEL("memory"), STATE_IDLE, rows[i].loads, 0, trust, trust);
        sim_expect(record, PARALLEL("memory_prefetch"), STATE_IDLE, rows[i].prefetches, 0, trust, trust);
        sim_expect(record, PARALLEL("memory_prefetch_l2"), STATE_IDLE, rows[i].far, 0,
                   isnan(rows[i].far) ? L : trust, trust);
        record_free(record);
    }
}

TEST(a_busy_sibling_leaves_half)
{
    core = (struct core){24, 72, 24, .halves = true, .latency = 400};
    struct record *record = measured(&misses_experiment, &shared);
    sim_expect(record, PARALLEL("memory"), STATE_IDLE, 24, 0, M, H);
    sim_expect(record, PARALLEL("memory"), STATE_ACTIVE, 12, 0, L, H);
    sim_expect(record, PARALLEL("memory_prefetch"), STATE_ACTIVE, 12, 0, L, H);
    record_free(record);
}

/* Neighbours that no run sees change the rate of L3, and states that outlast a run that of L2. */
TEST(lines_under_way_are_latency_for_each_line_of_the_rate)
{
    struct record *record = measured(&cache_misses_experiment, &quiet);
    sim_expect(record, PARALLEL("l2"), STATE_IDLE, 6, 0.12, L, L);
    sim_expect(record, PARALLEL("l3"), STATE_IDLE, 20, 0.4, L, L);
    record_free(record);
}
