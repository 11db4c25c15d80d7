/* SPDX-License-Identifier: MIT */
/* Rows of `capacity tlb-l1 tlb-l2` on simulated tables of known size, from the samples to the answers. */
#include "test.h"

#include "../../engine/simulated.h"
#include "bench/capacity/capacity.h"
#include "engine/claims.h"

/* LRU: a set with one page too many misses all of its pages. hash: bits above the set's own are XORed into it. merged: pages in a row that
 * share an entry. */
struct table {
    size_t sets, ways, hash, merged;
};
static struct core {
    struct table first, second;
    bool halves; /* a busy sibling has half of both */
    size_t late; /* so many pages of reach fewer at a distance of 16 */
} core;
static struct sim sim;

static double missed(const struct table *table, size_t pages, size_t stride, double *both)
{
    enum { SETS = 512 };
    size_t held[SETS] = {0}, misses = 0;
    const size_t ways = table->ways / (core.halves && sim.active ? 2 : 1);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < pages; i++) {
            const size_t entry = i * stride / (table->merged ? table->merged : 1);
            const size_t set = (entry ^ (table->hash ? entry / table->sets : 0)) % table->sets;
            held[set] += pass == 0;
            misses += pass == 1 && held[set] > ways;
        }
    *both *= (double)misses / (double)pages;
    return *both;
}

/* ns of a load; the distance between pages is in the name of the series. */
static double sample(const struct point *point)
{
    const size_t apart = strtoul(point->series->name, NULL, 10), stride = apart ? apart : 17;
    const bool far = stride % 8 == 0;
    size_t pages = point->x / (!far ? 1 : stride == 16 ? 16 : 8);
    double first = 7, second = 50;
    if (stride == 16)
        pages += core.late / stride;
    missed(&core.first, pages, stride, &first);
    missed(&core.second, pages, stride, &second);
    const double cycles = (far ? 0 : 4) + first + (first > 0 ? second : 0);
    const double noisy = cycles * (1 + 0.003 * sim_normal(&sim)) + 0.02 * fabs(sim_normal(&sim));
    return far && first < 1.2 ? NAN : sim_work(&sim, 2000 * noisy, 0, 0.1) / 2000 * 1e9;
}

static uint64_t now_ns(void *context)
{
    return sim_now_ns(context);
}

static struct record *measured(const struct experiment *of, const struct sim_script *script)
{
    struct series series[8] = {0};
    struct experiment experiment = *of;
    const struct engine_machine machine = {.context = &sim,
                                           .now_ns = now_ns,
                                           .probe = sim_probe,
                                           .interrupted = sim_interrupted,
                                           .ticks = now_ns};
    const struct clock clock = {.ns_per_tick = 1, .resolution_ns = 10};
    const struct common common = {.repeat = 0};
    struct core_clock core_clock = {0};
    struct run run = {.clock = &clock, .core_clock = &core_clock, .common = &common, .record = record_new()};
    struct lab lab = {.experiment = &experiment, .run = &run, .machine = &machine, .cpus = 1};
    const struct engine_effort effort = {.least = 60, .budget_s = 4, .placements = 12};
    struct fault fault = {0};
    for (size_t i = 0; of->series[i].name; i++) {
        series[i] = of->series[i];
        series[i].kernel = NULL;
    }
    experiment.series = series;
    experiment.sample = sample;
    experiment.open = NULL;
    experiment.close = NULL;
    experiment.move = NULL;
    sim_start(&sim, script, 3);
    assert_int_equal(experiment_measure(&lab, &effort, &fault), STATUS_OK);
    experiment_free(&lab);
    return run.record;
}

static void expect(const struct record *record, const char *key, enum state state, double value, double off,
                   enum trust least, enum trust most)
{
    const struct answer *found = NULL;
    for (size_t i = 0; i < record->answers.count; i++)
        if (strcmp(record->answers.of[i].key, key) == 0 &&
            strcmp(record->answers.of[i].state, state_names[state]) == 0)
            found = &record->answers.of[i];
    assert_non_null(found);
    print_message("%s: %g\n", key, cell_number(&found->value));
    assert_true(isnan(value) ? isnan(cell_number(&found->value))
                             : fabs(cell_number(&found->value) - value) <= off);
    assert_in_range(found->trust, least, most);
}

static const enum trust L = TRUST_LOW, H = TRUST_HIGH;
static const struct sim_script quiet = {.name = "quiet"}, shared = {.active = 0.5, .spell_s = 0.05};

/* A table whose sets hash the page shows no second size, and one beyond the range none either. Where an eighth of the second table is no
 * more than the first, nothing shows of it. Distances must agree within a step of 64. */
TEST(sizes_of_tables_are_found)
{
    static const struct {
        struct core core;
        double first, second;
    } rows[] = {{{{1, 64}, {128, 16}}, 64, 2048},
                {{{1, 72}, {128, 24}}, 72, 3072},
                {{{1, 48}, {256, 5}}, 48, 1280},
                {{{16, 6}, {256, 16}}, 96, 4096},
                {{{16, 4}, {128, 12, 1}}, 64, NAN},
                {{{32, 7}, {512, 16}}, 224, NAN},
                {{{1, 64, 0, 4}, {128, 16, 0, 1}}, 64, 2048},
                {{{1, 128}, {256, 4}}, 128, NAN},
                {{{1, 64}, {128, 16}, false, 64}, 64, 2048},
                {{{1, 64}, {128, 16}, false, 128}, 64, 2048}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        core = rows[i].core;
        print_message("row %zu\n", i);
        struct record *record = measured(&first_tlb_experiment, &quiet);
        expect(record, "capacity.tlb_l1", STATE_IDLE, rows[i].first, 1, H, H);
        expect(record, "capacity.tlb_l1_miss", STATE_IDLE, 7, 0.1, H, H);
        record_free(record);
        record = measured(&second_tlb_experiment, &quiet);
        const bool contested = rows[i].core.late > 64;
        expect(record, "capacity.tlb_l2", STATE_IDLE, rows[i].second, 0,
               isnan(rows[i].second) || contested ? L : H, contested ? L : H);
        record_free(record);
    }
}

TEST(a_busy_sibling_has_its_own_size)
{
    core = (struct core){{1, 64}, {128, 16}, true};
    struct record *record = measured(&first_tlb_experiment, &shared);
    expect(record, "capacity.tlb_l1", STATE_IDLE, 64, 1, L, H);
    expect(record, "capacity.tlb_l1", STATE_ACTIVE, 32, 1, L, H);
    record_free(record);
}
