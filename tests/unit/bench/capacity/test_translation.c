/* SPDX-License-Identifier: MIT */
/* Rows of `capacity tlb-l1 tlb-l2` on simulated tables of known size, from the samples to the answers. */
#include "test.h"

#include "../../engine/simulated_lab.h"
#include "bench/capacity/capacity.h"

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

/* The share of the pages whose set has more of them than ways. The same few hundred questions are asked in every round, so the
 * answers are kept. */
static double missed(const struct table *table, size_t pages, size_t stride)
{
    enum { SETS = 512, ANSWERS = 4096 };
    static struct {
        struct table table;
        size_t pages, stride, ways;
        double share;
    } answers[ANSWERS];
    const size_t ways = table->ways / (core.halves && sim.active ? 2 : 1);
    typeof(answers[0]) *answer = &answers[(pages * 31 + stride + table->sets) % ANSWERS];
    if (answer->pages == pages && answer->stride == stride && answer->ways == ways &&
        memcmp(&answer->table, table, sizeof *table) == 0)
        return answer->share;
    size_t held[SETS] = {0}, misses = 0;
    for (size_t i = 0; i < pages; i++) {
        const size_t entry = i * stride / (table->merged ? table->merged : 1);
        held[(entry ^ (table->hash ? entry / table->sets : 0)) % table->sets]++;
    }
    for (size_t set = 0; set < table->sets; set++)
        misses += held[set] > ways ? held[set] : 0;
    answer->table = *table;
    answer->pages = pages;
    answer->stride = stride;
    answer->ways = ways;
    return answer->share = (double)misses / (double)pages;
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
    first *= missed(&core.first, pages, stride);
    second *= missed(&core.second, pages, stride);
    const double cycles = (far ? 0 : 4) + first + (first > 0 ? second : 0);
    const double noisy = cycles * (1 + 0.003 * sim_normal(&sim)) + 0.02 * fabs(sim_normal(&sim));
    return far && first < 1.2 ? NAN : sim_work(&sim, 2000 * noisy, 0, 0.1) / 2000 * 1e9;
}

static struct record *measured(const struct experiment *of, const struct sim_script *script)
{
    struct experiment experiment = *of;
    experiment.sample = sample;
    experiment.open = NULL;
    experiment.close = NULL;
    experiment.move = NULL;
    sim_start(&sim, script, 3);
    return sim_measured_bare(&sim, experiment,
                             (struct engine_effort){.least = 60, .budget_s = 4, .placements = 12});
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
        struct record *record = measured(&first_tlb_experiment, &quiet);
        sim_expect(record, "capacity.tlb_l1", STATE_IDLE, rows[i].first, 1, H, H);
        sim_expect(record, "capacity.tlb_l1_miss", STATE_IDLE, 7, 0.1, H, H);
        record_free(record);
        record = measured(&second_tlb_experiment, &quiet);
        const bool contested = rows[i].core.late > 64;
        sim_expect(record, "capacity.tlb_l2", STATE_IDLE, rows[i].second, 0,
                   isnan(rows[i].second) || contested ? L : H, contested ? L : H);
        const struct answer *miss = sim_find(record, "capacity.tlb_l2_miss", STATE_IDLE);
        assert_true(miss && miss->unpromised && miss->trust == TRUST_LOW);
        record_free(record);
    }
}

TEST(a_busy_sibling_has_its_own_size)
{
    core = (struct core){{1, 64}, {128, 16}, true};
    struct record *record = measured(&first_tlb_experiment, &shared);
    sim_expect(record, "capacity.tlb_l1", STATE_IDLE, 64, 1, L, H);
    sim_expect(record, "capacity.tlb_l1", STATE_ACTIVE, 32, 1, L, H);
    record_free(record);
}
