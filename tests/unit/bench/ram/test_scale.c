/* SPDX-License-Identifier: MIT */
/* How many threads saturate memory, on machines whose truth is known. */
#include "test.h"

#include "../../engine/simulated_lab.h"
#include "bench/ram/modes.h"

/* A thread brings 10 GB/s, all together no more than the peak. */
struct simulated {
    struct scale_source source;
    double peak, noise;
    uint64_t random;
    unsigned lost; /* samples of the first round that were not taken */
    int late;      /* threads that came late in two of three rounds; 0: never */
    unsigned taken;
};

static double take(struct scale_source *source, const struct point *point, int threads, int task)
{
    struct simulated *own = (struct simulated *)source;
    own->random = own->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    const double noise = 1 + own->noise * ((double)(own->random >> 11) * 0x1p-52 - 1);
    if (threads == own->late && own->taken++ / SCALE_TASKS % 3 > 0)
        return NAN;
    return own->lost > 0 && own->lost-- > 0 ? NAN : noise * fmin(10e9 * threads, own->peak) / (task + 1);
}

static struct record *measured(struct simulated *own, int cpus, const char *name)
{
    static const struct sim_script quiet = {.name = "quiet"};
    struct sim sim;
    sim_start(&sim, &quiet, 1);
    own->source.record = record_new();
    own->source.take = take;
    for (int threads = 1; own->source.steps == 0 || threads < 2 * cpus; threads *= 2)
        own->source.threads[own->source.steps++] = threads < cpus ? threads : cpus;
    const struct experiment experiment = scale_experiment(&own->source, name);
    return sim_measured(&sim, &experiment, own, own->source.record,
                        (struct engine_effort){.rounds = 12, .least = 12}, -1);
}

static double value_of(const struct record *record, const char *key)
{
    const struct answer *answer = record_answer_find(record, key, NULL);
    assert_non_null(answer);
    return cell_number(&answer->value);
}

TEST(memory_is_saturated_by_so_many_threads)
{
    static const struct {
        double peak, noise;
        int cpus, saturates, late; /* 0: not by these */
    } cases[] = {{35e9, 0, 16, 4},
                 {35e9, 0.01, 12, 4},
                 {40e9 / 0.95 - 1e7, 0, 16, 4},
                 {40e9 / 0.95 + 1e7, 0, 16, 8},
                 {10e9, 0.01, 8, 1},
                 {1e12, 0.01, 16, 0},
                 {100e9, 0, 12, 0},
                 {75e9, 0, 12, 8},
                 {5e9, 0, 2, 1},
                 {19e9, 0, 2, 0},
                 {35e9, 0, 2, 0, 2},
                 {35e9, 0, 16, 4, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct simulated own = {
            .peak = cases[i].peak, .noise = cases[i].noise, .random = i, .late = cases[i].late};
        struct record *record = measured(&own, cases[i].cpus, "");
        const double saturates = value_of(record, "ram.scale.saturates");
        if (cases[i].saturates ? saturates != cases[i].saturates : !isnan(saturates))
            fail_msg("row %zu: %g", i, saturates);
        record_free(record);
    }
}

TEST(rates_have_keys_by_threads_and_node)
{
    struct simulated own = {.peak = 35e9, .lost = 3};
    struct record *record = measured(&own, 6, "node1.");
    assert_float_equal(value_of(record, "ram.scale.node1.1.read"), 10e9, 1e4);
    assert_float_equal(value_of(record, "ram.scale.node1.2.write"), 10e9, 1e4);
    assert_float_equal(value_of(record, "ram.scale.node1.6.read"), 35e9, 1e4);
    assert_float_equal(value_of(record, "ram.scale.node1.6.update"), 35e9 / 4, 1e4);
    assert_int_equal(value_of(record, "ram.scale.node1.saturates"), 4);
    assert_int_equal(record->tables.of[0].row_count, 4 * SCALE_TASKS);
    record_free(record);
}
