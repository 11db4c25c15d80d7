/* SPDX-License-Identifier: MIT */
/* What answers and tables rest on, on samples that are made up. */
#include "test.h"

#include "bench/ram/ram.h"
#include "engine/samples.h"
#include "uarchprobe/record.h"

enum { POINTS = 3, SWEEPS_MOST = 1600, BYTES = 1 << 20 };

static const struct kernel kernel[POINTS] = {{.name = "read_a", .operation = OPERATION_READ},
                                             {.name = "read_b", .operation = OPERATION_READ},
                                             {.name = "read_c", .operation = OPERATION_READ}};

struct world {
    struct ram_plan plan;
    struct ram_point point[POINTS];
    struct engine_data data;
    float value[SWEEPS_MOST * POINTS * 2];
    uint32_t before[SWEEPS_MOST * POINTS];
    struct moment moment[SWEEPS_MOST + 1];
};

/* states: of each sweep, i or a, the last for all to come; one look lies between sweeps, `every_s` apart. */
static struct world *build(int level, size_t sweeps, const char *states, double every_s)
{
    struct world *world = calloc(1, sizeof *world);
    world->plan = (struct ram_plan){.points = world->point,
                                    .point_count = POINTS,
                                    .set_count = 1,
                                    .threads = 1,
                                    .line_bytes = 64,
                                    .last_level = 3};
    world->plan.sets[0] = (struct working_set){.label = "some", .bytes = BYTES};
    for (size_t i = 0; i < POINTS; i++)
        world->point[i] = (struct ram_point){.kernel = &kernel[i],
                                             .set = world->plan.sets,
                                             .bytes = BYTES,
                                             .footprint = BYTES,
                                             .level = level,
                                             .passes = 1};
    world->data = (struct engine_data){.points = POINTS,
                                       .cells = 2 * POINTS,
                                       .sweeps = sweeps,
                                       .value = world->value,
                                       .before = world->before,
                                       .moment = world->moment,
                                       .moments = sweeps + 1};
    for (size_t sweep = 0; sweep <= sweeps; sweep++) {
        world->moment[sweep] = (struct moment){.begin_ns = (uint64_t)(1e9 * every_s * (double)sweep),
                                               .ghz = 2,
                                               .sibling = *states == 'i' ? STATE_IDLE : STATE_ACTIVE};
        world->data.seen[world->moment[sweep].sibling]++;
        states += states[1] != 0;
    }
    return world;
}

/* Of a pass; a clock of 2 GHz. */
static void put(struct world *world, size_t sweep, size_t point, double ns)
{
    float *value = &world->value[sweep * world->data.cells + RAM_WIDTH * point];
    value[RAM_NS] = (float)ns;
    value[RAM_CYCLES] = (float)(2 * ns);
    world->before[sweep * POINTS + point] = (uint32_t)sweep;
}

/* Each a tenth slower than the one before; times are in time order. */
static struct world *of_times(int level, const char *states, const double *ns, size_t count)
{
    struct world *world = build(level, count, states, 0.1);
    for (size_t sweep = 0; sweep < count; sweep++)
        for (size_t i = 0; i < POINTS; i++)
            put(world, sweep, i, ns[sweep] * (1 + 0.1 * (double)i));
    ram_estimate(&world->plan, &world->data);
    return world;
}

static const double times[] = {1e5, 1.1e5, 1.2e5, 1.3e5, 1.4e5, 1.5e5, 1.6e5, 1.7e5, 1.8e5, 1.9e5, 2e5};
enum { TIMES = sizeof times / sizeof *times };

/* A state that lasts for milliseconds does not choose among samples of 40 to 400 ms, nor does another process that had the CPU for one
 * of them, in each. */
TEST(beyond_the_core_all_samples_count)
{
    struct world *world = of_times(4, "iiiaaaaaaaaa", times, TIMES);
    for (size_t i = 0; i <= TIMES; i++)
        world->moment[i].switches = i / 2;
    ram_estimate(&world->plan, &world->data);
    const struct ram_point *best = ram_best(&world->plan, OPERATION_READ, world->plan.sets);
    assert_ptr_equal(best, &world->point[0]);
    assert_int_equal(best->estimate[RAM_NS].summary.count, TIMES);
    assert_float_equal(best->estimate[RAM_NS].value, 1.5e5, 1);
    assert_float_equal(best->estimate[RAM_CYCLES].value, 3e5, 1);
    assert_true(isnan(best->otherwise[RAM_NS].value));
    free(world);
}

/* Four samples of the state that is reported are an answer, three are none: the other state's are one. */
TEST(within_the_core_one_state_counts)
{
    static const char *const states[] = {"iiiiaaaaaaaa", "iiiiiaaaaaaa", "ii"};
    static const enum state expected[] = {STATE_ACTIVE, STATE_IDLE, STATE_IDLE};
    static const size_t samples[] = {7, 4, TIMES};
    for (size_t i = 0; i < 3; i++) {
        struct world *world = of_times(1, states[i], times, TIMES);
        const struct ram_point *best = ram_best(&world->plan, OPERATION_READ, world->plan.sets);
        assert_int_equal(best->estimate[RAM_NS].state, expected[i]);
        assert_int_equal(best->estimate[RAM_NS].summary.count, samples[i]);
        free(world);
    }
}

TEST(three_rounds_are_no_answer)
{
    for (size_t rounds = 3; rounds <= 4; rounds++) {
        struct world *world = of_times(4, "i", times, rounds);
        assert_int_equal(ram_best(&world->plan, OPERATION_READ, world->plan.sets) != NULL, rounds == 4);
        assert_int_equal(world->point[0].alike, rounds == 4);
        free(world);
    }
}

/* An idle sibling takes nothing away. */
TEST(idle_is_not_slower_than_active)
{
    static const double idle[] = {0.98, 1.02};
    for (int i = 0; i < 2; i++) {
        struct world *world = build(1, 40, "iiiiiiiiiiiiiiiiiiiia", 0.1);
        for (size_t sweep = 0; sweep < 40; sweep++)
            for (size_t point = 0; point < POINTS; point++)
                put(world, sweep, point,
                    1e5 * (sweep < 20 ? idle[i] : 1) * (1 + 0.0001 * (double)(sweep % 5)));
        ram_estimate(&world->plan, &world->data);
        assert_int_equal(ram_best(&world->plan, OPERATION_READ, world->plan.sets)->implausible, i == 1);
        free(world);
    }
}

static double noise(uint64_t *seed)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        sum += (double)(*seed >> 40) / (double)(1 << 24);
    }
    return sum;
}

static const struct cell *speed_of(const struct record_table *table, size_t row)
{
    for (int i = 0; i < table->spec->column_count; i++)
        if (strcmp(table->spec->columns[i].key, "speed_gib") == 0)
            return record_cell(table, row, i);
    return NULL;
}

/* The sentence, the matrix and the table of the fastest have one value, that of the kernels which noise cannot tell apart; the others
 * have none that is better. */
TEST(one_page_has_one_answer)
{
    uint64_t seed = 1;
    for (int run = 0; run < 50; run++) {
        struct world *world = build(run % 2 ? 4 : 1, 10, "iiaaiaiaiia", 0.1);
        for (size_t sweep = 0; sweep < 10; sweep++) {
            const double round = 1 + 0.2 * fabs(noise(&seed));
            for (size_t i = 0; i < POINTS; i++)
                if (i < 2 || sweep < 4)
                    put(world, sweep, i, 1e5 * round * (i == 2 ? 1.3 : 1) * (1 + 0.02 * noise(&seed)));
                else
                    put(world, sweep, i, NAN);
        }
        struct record *record = record_new();
        ram_estimate(&world->plan, &world->data);
        ram_rows(record, &world->plan, &world->data, 4096);
        ram_answers(record, &world->plan);
        const struct answer *answer = record_answer_at(record, 0);
        const double said = cell_number(&answer->value) / 0x1p30;
        const struct record_table *all = record_table_at(record, 0);
        assert_float_equal(cell_number(speed_of(record_table_at(record, 1), 0)), said, 1e-6 * said);
        for (size_t i = 0; i < POINTS; i++) {
            const double shown = cell_number(speed_of(all, i));
            if (world->point[i].fastest) {
                assert_float_equal(shown, said, 1e-6 * said);
                assert_non_null(strstr(answer->remark, kernel[i].name));
            }
            assert_true(shown <= said * 1.000001 || (world->point[i].alike && run % 2 == 0));
        }
        record_free(record);
        free(world);
    }
}

/* A run of `windows` times 10 s in a guest whose neighbours come and go: ten samples a window. */
static struct answer run_among_neighbours(size_t windows, double *wander, double stay, double share,
                                          uint64_t *seed)
{
    struct world *world = build(4, 10 * windows, "i", 1);
    struct record *record = record_new();
    world->plan.point_count = 1;
    world->plan.guest = true;
    for (size_t sweep = 0; sweep < world->data.sweeps; sweep++) {
        const double kept = exp(-1 / stay);
        *wander = *wander * kept + sqrt(1 - kept * kept) * noise(seed);
        put(world, sweep, 0, 1e5 * (1 + share * *wander) * (1 + 0.01 * noise(seed)));
    }
    ram_estimate(&world->plan, &world->data);
    ram_answers(record, &world->plan);
    const struct answer answer = *record_answer_at(record, 0);
    record_free(record);
    free(world);
    return answer;
}

/* Another one begins every 10 s. */
TEST(windows_are_counted)
{
    for (size_t seconds = 110; seconds <= 111; seconds++) {
        struct world *world = build(4, seconds, "i", 1);
        for (size_t sweep = 0; sweep < seconds; sweep++)
            for (size_t i = 0; i < POINTS; i++)
                put(world, sweep, i, 1e5);
        ram_estimate(&world->plan, &world->data);
        assert_int_equal(world->point[0].estimate[RAM_NS].placements, seconds == 110 ? 11 : 12);
        free(world);
    }
}

/* One in a hundred, and three standard deviations of such a count: slow builds try few pairs. */
static double one_in_hundred(int pairs)
{
    const double mean = pairs / 100.0;
    return mean + 3 * sqrt(mean);
}

/* Pairs of runs, the second after a time in which all neighbours have changed. */
TEST(trust_among_neighbours_is_kept)
{
    enum { PAIRS = TEST_SLOW ? 20 : 200 };
    static const double stays_s[] = {1, 10, 30, 100}, shares[] = {0.005, 0.02, 0.05, 0.15};
    uint64_t seed = 7;
    int pairs[3] = {0}, broken[3] = {0}, short_ones = 0;
    for (size_t i = 0; i < 16; i++)
        for (int pair = 0; pair < PAIRS; pair++) {
            double a = noise(&seed), b = noise(&seed);
            const struct answer first = run_among_neighbours(14, &a, stays_s[i / 4], shares[i % 4], &seed);
            const struct answer second = run_among_neighbours(14, &b, stays_s[i / 4], shares[i % 4], &seed);
            const enum trust trust = first.trust < second.trust ? first.trust : second.trust;
            const double apart = fabs(cell_number(&first.value) / cell_number(&second.value) - 1);
            pairs[trust]++;
            broken[trust] += apart > (trust == TRUST_HIGH ? 0.05 : 0.10);
            short_ones += pair == 0 &&
                          run_among_neighbours(3, &a, stays_s[i / 4], shares[i % 4], &seed).trust > TRUST_LOW;
        }
    assert_int_equal(short_ones, 0);
    assert_true(pairs[TRUST_HIGH] > 0 && pairs[TRUST_MEDIUM] > 0);
    assert_true(broken[TRUST_HIGH] <= one_in_hundred(pairs[TRUST_HIGH]));
    assert_true(broken[TRUST_MEDIUM] <= one_in_hundred(pairs[TRUST_MEDIUM]));
}
