/* SPDX-License-Identifier: MIT */
/* Works that the engine times in parts, and rounds taken at once, on the simulated machine. */
#include "../../test.h"

#include "simulated_lab.h"

enum { PARTS = 8, ITERATIONS = 1000 };
/* Cycles of an iteration; in a part that something interrupts; of one that was not prepared. */
enum { CYCLES = 20, INTERRUPTED = 900, COLD = 5000 };

struct own {
    struct sim sim;
    unsigned interrupted, faster; /* parts of each sample */
    bool is_warm;
    unsigned seen; /* parts of the present sample */
    uint64_t turns[64];
    size_t turn_count;
};

static void warm(struct point *point)
{
    struct own *own = point->own;
    sim_work(&own->sim, ITERATIONS * COLD, 0, 0);
    own->is_warm = true;
    own->seen = 0;
    point->iterations = ITERATIONS;
    point->set = point->scratch + point->x;
    memset(point->scratch, 1, SCRATCH_BYTES);
    if (own->turn_count == 0 || own->turns[own->turn_count - 1] != point->turn)
        own->turns[own->turn_count++ % COUNT_OF(own->turns)] = point->turn;
}

static void work(const struct point *point)
{
    struct own *own = point->own;
    assert_int_equal(point->part, own->seen++);
    assert_ptr_equal(point->set, point->scratch + point->x);
    const bool is_slow = point->part < own->interrupted, is_fast = point->part >= PARTS - own->faster;
    const double cycles = is_slow ? (double)INTERRUPTED : is_fast ? CYCLES / 2.0 : CYCLES;
    sim_work(&own->sim, (own->is_warm ? cycles : COLD) * (double)point->iterations, 0, 0);
}

/* Takes no preparation. */
static void call(const struct point *point)
{
    struct own *own = point->own;
    assert_int_equal(point->iterations, 1);
    sim_work(&own->sim, CYCLES / 4.0 * ITERATIONS, 0, 0);
}

static const struct timed_work median = {.work = work, .prepare = warm, .parts = PARTS},
                               least = {.work = work, .prepare = warm, .parts = PARTS, .is_least = true},
                               once = {.work = work, .prepare = warm}, bare = {.work = call};
static const struct series series[] = {{.name = "median", .range = {1, 1}, .timed = {&median}},
                                       {.name = "least", .range = {1, 1}, .timed = {&least}},
                                       {.name = "once", .range = {1, 1}, .timed = {&once}},
                                       {.name = "bare", .range = {1, 1}, .timed = {&bare}},
                                       {.name = "sum", .range = {1, 1}, .timed = {&least, &median}},
                                       {.name = "less", .range = {1, 1}, .timed = {&bare}, .less = &median},
                                       {0}};
static const struct metric metrics[] = {
    {.key = "median", .label = "median", .unit = "cycles", .series = "median"},
    {.key = "least", .label = "least", .unit = "cycles", .series = "least"},
    {.key = "once", .label = "once", .unit = "cycles", .series = "once"},
    {.key = "bare", .label = "bare", .unit = "cycles", .series = "bare"},
    {.key = "sum", .label = "sum", .unit = "cycles", .series = "sum"},
    {.key = "less", .label = "less", .unit = "cycles", .series = "less"},
    {0}};
static const struct sim_script quiet = {.name = "quiet"};

static struct record *measured(const struct experiment *experiment, struct own *own)
{
    sim_start(&own->sim, &quiet, 7);
    return sim_measured(&own->sim, experiment, own, record_new(),
                        (struct engine_effort){.rounds = 24, .placements = 12}, -1);
}

/* The median drops what interrupts fewer than half of the parts, and one that was fast by accident; the
 * fastest part needs one alone that nothing interrupts. What `prepare` does takes none of the time. */
TEST(a_sample_is_the_median_or_the_least_of_its_parts)
{
    static const struct {
        unsigned interrupted, faster;
        double median, least;
    } known[] = {{0, 0, CYCLES, CYCLES},
                 {3, 0, CYCLES, CYCLES},
                 {5, 0, INTERRUPTED, CYCLES},
                 {7, 0, INTERRUPTED, CYCLES},
                 {0, 1, CYCLES, CYCLES / 2.0}};
    const struct experiment experiment = {.series = series, .metrics = metrics};
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct own own = {.interrupted = known[i].interrupted, .faster = known[i].faster};
        struct record *record = measured(&experiment, &own);
        const double first = known[i].interrupted ? INTERRUPTED : CYCLES,
                     bare_cycles = CYCLES / 4.0 * ITERATIONS;
        sim_expect(record, "median", STATE_IDLE, known[i].median, 0.01 * known[i].median, TRUST_LOW,
                   TRUST_HIGH);
        sim_expect(record, "least", STATE_IDLE, known[i].least, 0.01 * known[i].least, TRUST_LOW, TRUST_HIGH);
        sim_expect(record, "once", STATE_IDLE, first, 0.01 * first, TRUST_LOW, TRUST_HIGH);
        sim_expect(record, "bare", STATE_IDLE, bare_cycles, 0.01 * bare_cycles, TRUST_LOW, TRUST_HIGH);
        sim_expect(record, "sum", STATE_IDLE, known[i].median + known[i].least,
                   0.01 * (known[i].median + known[i].least), TRUST_LOW, TRUST_HIGH);
        sim_expect(record, "less", STATE_IDLE, bare_cycles - known[i].median, 0.01 * bare_cycles, TRUST_LOW,
                   TRUST_HIGH);
        record_free(record);
    }
}

static void warm_part(struct point *point)
{
    warm(point);
    ((struct own *)point->own)->seen = point->part;
}

/* Leaves nothing prepared for the next part. */
static void work_and_cool(const struct point *point)
{
    work(point);
    ((struct own *)point->own)->is_warm = false;
}

TEST(each_part_may_be_prepared)
{
    static const struct timed_work all = {.work = work_and_cool,
                                          .prepare = warm_part,
                                          .prepares_each = true,
                                          .parts = PARTS},
                                   first = {.work = work_and_cool, .prepare = warm, .parts = PARTS};
    static const struct series both[] = {{.name = "all", .range = {1, 1}, .timed = {&all}},
                                         {.name = "first", .range = {1, 1}, .timed = {&first}},
                                         {0}};
    static const struct metric of_both[] = {
        {.key = "all", .label = "all", .unit = "cycles", .series = "all"},
        {.key = "first", .label = "first", .unit = "cycles", .series = "first"},
        {0}};
    const struct experiment experiment = {.series = both, .metrics = of_both};
    struct own own = {.interrupted = 0};
    struct record *record = measured(&experiment, &own);
    sim_expect(record, "all", STATE_IDLE, CYCLES, 0.01 * CYCLES, TRUST_LOW, TRUST_HIGH);
    sim_expect(record, "first", STATE_IDLE, COLD, 0.01 * COLD, TRUST_LOW, TRUST_HIGH);
    record_free(record);
}

/* By that number memory lies elsewhere in each turn, and in each run. */
TEST(each_turn_has_a_number_of_its_own)
{
    static const struct series one[] = {{.name = "median", .range = {1, 1}, .timed = {&median}}, {0}};
    const struct experiment experiment = {.series = one};
    struct own own = {.interrupted = 0};
    record_free(measured(&experiment, &own));
    assert_in_range(own.turn_count, 12, COUNT_OF(own.turns));
    for (size_t i = 0; i < own.turn_count; i++)
        for (size_t other = 0; other < i; other++)
            assert_true(own.turns[i] != own.turns[other]);
}

/* One call for a point of each of two series. */
static void take_all(const struct point *point, double *value)
{
    struct own *own = point->own;
    own->seen++;
    assert_int_equal(point->x, point->series->range.first);
    sim_work(&own->sim, 1000, 0, 0);
    for (uint64_t x = point->x; x <= point->series->range.last; x++)
        value[x - point->x] = 10.0 * (double)x;
}

TEST(a_round_is_taken_at_once)
{
    static const struct series both[] = {{.name = "a", .range = {1, 5}}, {.name = "b", .range = {6, 7}}, {0}};
    static const struct metric of_both[] = {{.key = "first", .label = "first", .series = "a", .last = 1},
                                            {.key = "last", .label = "last", .series = "a"},
                                            {.key = "other", .label = "other", .series = "b"},
                                            {0}};
    const struct experiment experiment = {.series = both, .metrics = of_both, .sample_all = take_all};
    struct own own = {.interrupted = 0};
    struct record *record = measured(&experiment, &own);
    assert_int_equal(own.seen, 2 * (24 + 1)); /* one of each series that does not count */
    sim_expect(record, "first", STATE_IDLE, 10, 1e-6, TRUST_LOW, TRUST_HIGH);
    sim_expect(record, "last", STATE_IDLE, 50, 1e-6, TRUST_LOW, TRUST_HIGH);
    sim_expect(record, "other", STATE_IDLE, 70, 1e-6, TRUST_LOW, TRUST_HIGH);
    record_free(record);
}
