/* SPDX-License-Identifier: MIT */
/* Latency under load on a machine whose truth is known: what is answered, and what is refused. */
#include "test.h"

#include "../../engine/simulated_lab.h"
#include "bench/ram/modes.h"

/* Memory of `peak` bytes in a second that `full` loaders' worth of demand meets; the wait grows as in a queue. */
struct machine {
    double full;    /* demand of all loaders at full rate over the peak */
    double core;    /* latency with a loader in its L1, over the idle one: the control */
    double drift;   /* from the first idle point of a round to the last */
    unsigned quiet; /* rounds without it, behind an untimed one */
    double noise;   /* of each latency, relative */
    double waits;   /* factor in the formula of the queue; 0: 0.1 */
};

struct simulated {
    struct loaded_source source;
    const struct machine *machine;
    uint64_t random, rounds;
};

static const double peak = 100e9, idle_ns = 100;
static const double share_of[LOADED_POINTS] = {0, 0,   0,   0.01, 0.02, 0.05, 0.1, 0.2,
                                               0, 0.3, 0.5, 0.8,  0.45, 1,    0};

static double latency(double waits, double load)
{
    return idle_ns * (1 + (waits > 0 ? waits : 0.1) * load / (1.02 - load));
}

static void take(struct loaded_source *source, const struct point *point)
{
    struct simulated *own = (struct simulated *)source;
    const struct machine *m = own->machine;
    const double drift = m->drift > 0 && own->rounds++ > m->quiet ? m->drift : 1;
    for (int i = 0; i < LOADED_POINTS; i++) {
        const double load = fmin(share_of[i] * m->full, 1), through = pow(drift, i / (LOADED_POINTS - 1.0));
        own->random = own->random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const double noise = 1 + m->noise * ((double)(own->random >> 11) * 0x1p-52 - 1);
        source->round.rate[i] = load * peak;
        source->round.latency[i] =
            latency(m->waits, load) * through * noise *
            (i == LOADED_ASLEEP || i == LOADED_MIDDLE || i == LOADED_LAST ? 1 : m->core);
    }
}

static struct record *measured(const struct machine *machine, uint64_t rounds)
{
    static const struct sim_script quiet = {.name = "quiet"};
    struct simulated own = {
        .source = {.record = record_new(), .take = take}, .machine = machine, .random = 1};
    struct sim sim;
    sim_start(&sim, &quiet, 1);
    return sim_measured(&sim, &loaded_experiment, &own, own.source.record,
                        (struct engine_effort){.rounds = rounds, .least = rounds}, -1);
}

static double value_of(const struct record *record, const char *key)
{
    const struct answer *answer = record_answer_find(record, key, NULL);
    assert_non_null(answer);
    assert_int_equal(answer->trust, TRUST_LOW);
    return cell_number(&answer->value);
}

/* Each rule has a case on either side: 1 where there is an answer. */
static const struct {
    struct machine machine;
    uint64_t rounds;
    int idle, rise, peak;
} rows[] = {
    /* Demand of twice the peak bends the last point; 1.2 times what half of the loaders bring is memory's limit, 1.3 times is not. */
    {{.full = 2, .core = 1}, 12, 1, 1, 1},
    {{.full = 1 / 0.45 / 1.2, .core = 1}, 12, 1, 1, 1},
    {{.full = 1 / 0.45 / 1.3, .core = 1}, 12, 1, 1, 0},
    {{.full = 0.9, .core = 1}, 12, 1, 1, 0},
    /* Who waits 1.2 times as long as without a load is not at the limit, 1.4 times is. */
    {{.full = 2, .core = 1, .waits = 0.004}, 12, 1, 1, 0},
    {{.full = 2, .core = 1, .waits = 0.008}, 12, 1, 1, 1},
    /* A flat line, and one that the control explains. */
    {{.full = 0.001, .core = 1, .noise = 0.02}, 12, 1, 0, 0},
    {{.full = 0.2, .core = 1.5, .noise = 0.04}, 12, 1, 0, 0},
    {{.full = 0.9, .core = 1.5, .noise = 0.02}, 12, 1, 1, 0},
    /* Idle latencies of a round 9 % apart count, 11 % do not; four rounds do, three do not. */
    {{.full = 2, .core = 1, .drift = 1.09}, 12, 1, 1, 1},
    {{.full = 2, .core = 1, .drift = 1.11}, 12, 0, 0, 0},
    {{.full = 2, .core = 1, .drift = 1.2, .quiet = 4}, 12, 1, 1, 1},
    {{.full = 2, .core = 1, .drift = 1.2, .quiet = 3}, 12, 0, 0, 0},
    {{.full = 2, .core = 1}, 4, 1, 1, 1},
    {{.full = 2, .core = 1}, 3, 0, 0, 0},
};

TEST(what_the_controls_explain_is_refused)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = measured(&rows[i].machine, rows[i].rounds);
        if ((isnan(value_of(record, "ram.loaded.idle")) == 0) != rows[i].idle ||
            (isnan(value_of(record, "ram.loaded.rise")) == 0) != rows[i].rise)
            fail_msg("row %zu: idle %g, rise %g", i, value_of(record, "ram.loaded.idle"),
                     value_of(record, "ram.loaded.rise"));
        static const char *const of_peak[] = {"ram.loaded.half", "ram.loaded.nine_tenths", "ram.loaded.peak",
                                              "ram.loaded.knee"};
        for (int k = 0; k < 4; k++) {
            const struct answer *answer = record_answer_find(record, of_peak[k], NULL);
            if ((answer && cell_has_value(&answer->value)) != rows[i].peak)
                fail_msg("row %zu: %s", i, of_peak[k]);
            assert_true(answer || k != 2); /* the peak says it for all */
        }
        record_free(record);
    }
}

TEST(values_are_those_of_the_machine)
{
    static const struct machine machine = {.full = 2, .core = 1};
    struct record *record = measured(&machine, 12);
    assert_float_equal(value_of(record, "ram.loaded.idle"), idle_ns, 1);
    assert_float_equal(value_of(record, "ram.loaded.rise"), latency(0, 1) / idle_ns, 0.1);
    assert_float_equal(value_of(record, "ram.loaded.peak"), peak, peak / 100);
    assert_in_range(value_of(record, "ram.loaded.half"), idle_ns * 1.05, idle_ns * 1.25);
    assert_in_range(value_of(record, "ram.loaded.nine_tenths"), idle_ns * 1.5, latency(0, 1));
    assert_in_range(value_of(record, "ram.loaded.knee"), peak * 0.5, peak * 0.99);
    record_free(record);
}

/* The picture has loads alone, in the order of their rates. */
TEST(the_curve_is_latency_against_bandwidth)
{
    static const struct machine machine = {.full = 2, .core = 1};
    struct record *record = measured(&machine, 12);
    assert_int_equal(record->tables.count, 1);
    const struct record_table *table = &record->tables.of[0];
    double before = -1;
    assert_int_equal(table->row_count, LOADED_POINTS);
    for (size_t i = 0; i < table->row_count; i++) {
        const double rate = cell_number(record_cell(table, i, 2));
        if (isnan(rate))
            continue;
        assert_true(rate >= before);
        before = rate;
    }
    assert_true(before > 0);
    record_free(record);
}
