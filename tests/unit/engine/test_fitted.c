/* SPDX-License-Identifier: MIT */
/* Metrics about the levels of simulated curves: which edge is which level, of which series, in which unit, how far trusted. */
#include "test.h"

#include "engine/levels.h"
#include "simulated_lab.h"

/* Sizes in KiB, 0: none. Lines are slower beyond 200 KiB, where metrics take blocks. */
enum { LEVELS = 3, KI = 1024, KNOWN = 12 };
struct machine {
    double edge[LEVELS], shown[LEVELS];
    double taken;  /* by others, at most, of the last level, anew in each sample */
    double drift;  /* the first level grows by this share in the second half of the run */
    double noise;  /* 0: 0.3 % */
    uint64_t last; /* size */
    uint64_t rare; /* size from which on hardly any sample succeeds; 0: none */
    size_t rounds; /* 0: 40 */
};
static const struct machine *machine;
static const double steps[LEVELS] = {10, 36, 350};

struct own {
    struct sim sim;
    size_t samples, all;
};

static double sample(const struct point *point)
{
    struct own *own = point->own;
    struct levels truth = {.base = log(4)};
    const double noise = machine->noise > 0 ? machine->noise : 0.003;
    for (size_t i = 0; i < LEVELS && machine->edge[i] > 0; i++)
        truth.of[truth.count++] = (struct level){log(machine->edge[i] * KI), log(steps[i]), log(0.03)};
    if (machine->taken > 0)
        truth.of[truth.count - 1].edge += log(1 - machine->taken * sim_uniform(&own->sim));
    if (++own->samples * 2 > own->all)
        truth.of[0].edge += machine->drift;
    double cycles = levels_time(&truth, log((double)point->x));
    if (strcmp(point->series->name, "lines") == 0 && point->x > 200 * KI)
        cycles += 50;
    const double ns =
        sim_work(&own->sim, cycles * 2000 * (1 + noise * fabs(sim_normal(&own->sim))), 0, 0) * 1e9 / 2000;
    return machine->rare > 0 && point->x >= machine->rare && own->samples % 64 > 0 ? NAN : ns;
}

static double shown(void *own, const struct metric *metric)
{
    return metric->cache.level > 0 && metric->cache.level <= LEVELS
               ? machine->shown[metric->cache.level - 1] * KI
               : 0;
}

#define LEVEL(of, name, n, ...)                                                                              \
    {                                                                                                        \
        .key = name, .label = name, .kind = of, .series = "lines", .last = 200 * KI,                         \
        .cache.continued_by = "blocks", .cache.level = n, __VA_ARGS__                                        \
    }
static const struct metric metrics[] = {
    LEVEL(METRIC_CACHE_SIZE, "bytes 1", 1, .unit = "Byte"),
    LEVEL(METRIC_CACHE_SIZE, "bytes 2", 2, .unit = "Byte"),
    LEVEL(METRIC_CACHE_SIZE, "bytes 3", 3, .unit = "Byte", .beyond = true, .range = true),
    LEVEL(METRIC_LEVEL_LATENCY, "hit 1", 1, .unit = "cycles"),
    LEVEL(METRIC_LEVEL_LATENCY, "hit 2", 2, .unit = "cycles"),
    LEVEL(METRIC_LEVEL_LATENCY, "hit 3", 3, .unit = "cycles"),
    LEVEL(METRIC_LEVEL_LATENCY, "hit 4", 4, .unit = "cycles", .beyond = true),
    LEVEL(METRIC_NEXT_LEVEL_COST, "miss 1", 1, .unit = "cycles"),
    {0}};

enum { L = TRUST_LOW, M = TRUST_MEDIUM, H = TRUST_HIGH };
static const struct scene {
    struct machine machine;
    /* Within `off` of the value; NaN: none. bound: at least so much. */
    struct {
        const char *key;
        double value, off;
        int least, most;
        bool bound;
    } known[KNOWN];
} scenes[] = {
    {{.edge = {32, 1024, 16384}, .shown = {32, 1024, 32768}},
     {{"bytes 1", 32 * KI, 400, H, H},
      {"bytes 2", 1024 * KI, 20 * KI, H, H},
      {"bytes 3", 16384 * KI, 400 * KI, L, L},
      {"hit 1", 4, 0.1, H, H},
      {"hit 2", 14, 0.3, H, H},
      {"hit 3", 50, 1, H, H},
      {"hit 4", 400, 8, H, H},
      {"miss 1", 10, 0.3, H, H}}},
    /* No sizes are shown: edges are counted. */
    {{.edge = {48, 512, 0}},
     {{"bytes 1", 48 * KI, 600, H, H},
      {"bytes 2", 512 * KI, 10 * KI, H, H},
      {"bytes 3", NAN, 0, L, L},
      {"hit 3", 50, 1, H, H}}},
    /* One that is unlike the level that is shown is none of it; it is the last level's, which others share. */
    {{.edge = {32, 470, 16384}, .shown = {32, 1024, 32768}},
     {{"bytes 2", NAN, 0, L, L}, {"hit 3", NAN, 0, L, L}, {"bytes 3", 16384 * KI, 400 * KI, L, L}}},
    {{.edge = {32, 560, 16384}, .shown = {32, 1024, 32768}}, {{"bytes 2", 560 * KI, 10 * KI, H, H}}},
    {{.edge = {70, 1024, 16384}, .shown = {32, 1024, 32768}},
     {{"bytes 1", NAN, 0, L, L}, {"hit 1", 4, 0.1, H, H}, {"hit 2", NAN, 0, L, L}}},
    /* An edge that is none hides those behind it where edges are counted. */
    {{.edge = {32, 60, 16384}}, {{"bytes 1", NAN, 0, L, L}, {"bytes 2", NAN, 0, L, L}}},
    {{.edge = {32, 90, 16384}}, {{"bytes 1", 32 * KI, 400, H, H}, {"bytes 2", 90 * KI, KI, H, H}}},
    /* The largest set is no twice as large as the level, or may be smaller: it is not seen. */
    {{.edge = {32, 1024, 17000}, .shown = {32, 1024, 32768}, .last = 32 << 20},
     {{"bytes 3", NAN, 0, L, L}, {"hit 4", NAN, 0, L, L}, {"hit 3", 50, 2, L, H}}},
    {{.edge = {32, 1024, 14900}, .shown = {32, 1024, 16384}, .last = 32 << 20},
     {{"bytes 3", 14900 * KI, 1024 * KI, L, L}, {"hit 4", 400, 20, L, H}}},
    /* There is at least so much where nothing rises up to the largest set. */
    {{.edge = {32, 1024, 0}, .shown = {32, 1024, 32768}, .last = 32 << 20},
     {{"bytes 3", 32 << 20, 1, L, L, true}}},
    {{.edge = {32, 1024, 0}, .shown = {32, 1024, 32768}}, {{"bytes 3", NAN, 0, L, L}}},
    {{.edge = {32, 1024, 36000}, .shown = {32, 1024, 32768}, .last = 32 << 20},
     {{"bytes 3", 32 << 20, 1, L, L, true}}},
    {{.edge = {32, 1024, 30000}, .shown = {32, 1024, 32768}, .last = 32 << 20}, {{"bytes 3", NAN, 0, L, L}}},
    /* Sets that were measured too rarely may hide what rises. */
    {{.edge = {32, 1024, 16384}, .shown = {32, 1024, 32768}, .rare = 12 << 20}, {{"bytes 3", NAN, 0, L, L}}},
    /* A hit of a level is seen in sets twice as large as the one before. */
    {{.edge = {32, 460, 0}, .shown = {32, 512, 32768}, .last = 1 << 20}, {{"hit 3", 50, 3, L, H}}},
    {{.edge = {32, 560, 0}, .shown = {32, 512, 32768}, .last = 1 << 20},
     {{"hit 3", NAN, 0, L, L}, {"bytes 2", NAN, 0, L, L}}},
    /* Others take a part of the last level: it spans what was seen. */
    {{.edge = {32, 1024, 32768}, .shown = {32, 1024, 32768}, .taken = 0.8},
     {{"bytes 3", 26 << 20, 6 << 20, L, L}}},
    /* The halves of a run differ. */
    {{.edge = {32, 1024}, .drift = 0.018}, {{"bytes 1", 32 * KI, KI, H, H}}},
    {{.edge = {32, 1024}, .drift = 0.06}, {{"bytes 1", 32 * KI, 2 * KI, M, M}}},
    {{.edge = {32, 1024}, .drift = 0.14}, {{"bytes 1", 32 * KI, 5 * KI, L, L}}},
    /* Rounds, of which eight are needed. */
    {{.edge = {32, 1024}, .rounds = 8}, {{"bytes 1", 32 * KI, KI, H, H}}},
    {{.edge = {32, 1024}, .rounds = 7}, {{"bytes 1", 32 * KI, KI, L, L}}},
};

static struct record *measured(void)
{
    const uint64_t last = machine->last ? machine->last : 1 << 30;
    const struct series series[] = {
        {.name = "drawing", .range = {1, 2}},
        {.name = "lines", .range = {2 * KI, last, .per_octave = 2}, .apart = true},
        {.name = "blocks", .range = {128 * KI, last, .per_octave = 2}, .apart = true},
        {0}};
    const struct experiment experiment = {
        .series = series, .metrics = metrics, .sample = sample, .shown = shown};
    static const struct sim_script quiet = {.name = "quiet"};
    const struct engine_effort effort = {.rounds = machine->rounds ? machine->rounds : 40};
    struct own own = {.all = effort.rounds * 63};
    sim_start(&own.sim, &quiet, 7);
    return sim_measured(&own.sim, &experiment, &own, record_new(), effort, -1);
}

TEST(levels_are_answers)
{
    for (size_t i = 0; i < COUNT_OF(scenes); i++) {
        machine = &scenes[i].machine;
        struct record *record = measured();
        for (size_t k = 0; k < KNOWN && scenes[i].known[k].key; k++) {
            const char *key = scenes[i].known[k].key;
            const double value = scenes[i].known[k].value;
            const struct answer *answer = sim_find(record, key, STATE_IDLE);
            assert_non_null(answer);
            const double found = cell_number(&answer->value), low = cell_number(&answer->low),
                         high = cell_number(&answer->high);
            if (isnan(value) ? !isnan(found) : !(fabs(found - value) <= scenes[i].known[k].off))
                fail_msg("scene %zu, %s: %g [%g, %g] instead of %g", i, key, found, low, high, value);
            if ((int)answer->trust < scenes[i].known[k].least || (int)answer->trust > scenes[i].known[k].most)
                fail_msg("scene %zu, %s: trust %s", i, key, trust_names[answer->trust]);
            assert_true(isnan(value) || answer_is_bound(answer) == scenes[i].known[k].bound);
            assert_true(isnan(value) || scenes[i].known[k].bound || (low < found && found < high));
        }
        record_free(record);
    }
}
