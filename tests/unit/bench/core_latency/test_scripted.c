/* SPDX-License-Identifier: MIT */
/* Measurements of pairs whose lines take a known time. */
#include "test.h"

#include "../scripted.h"
#include "bench/core_latency/measurement.h"

enum { LINES = 4, SAMPLES = 3, TRIPS = 100, OVERHEAD_TICKS = 20 };
/* Ticks: a line goes one way; a load or a locked operation waits for it, on one side so much longer. */
enum { WAY = 120, STEP = 46, LONGER = 10 };
static uint64_t longer;
static _Alignas(4096) unsigned char pages[LINES * 4096];

/* A trip is there and back; a walk, which has no second line, goes from step to step. */
static uint64_t trips_or_steps(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(b ? 2 * n * WAY : n * (STEP + longer));
    return 0;
}

static void release(void *measurement, size_t count)
{
    measurement_free(measurement);
}

/* ns that a series reads. Both sides run one after the other, as each finds that its partner has come to
 * all meetings. */
static double value_of(enum latency_series series, bool alone, bool is_one_way)
{
    static const struct kernel kernel = {.name = "scripted", .entry = trips_or_steps};
    struct latency_setup setup = {.clock = &scripted_clock,
                                  .effort = {LINES, SAMPLES, TRIPS},
                                  .cas_spins = 1000,
                                  .load_spins = 1000,
                                  .meet_ns = 1000,
                                  .page_bytes = 4096,
                                  .is_one_way = is_one_way};
    setup.measures[series] = true;
    for (int i = 0; i < SERIES_COUNT; i++)
        setup.kernel[i] = &kernel;
    script_begin();
    scripted.reading = alone || series >= SERIES_TRANSFER ? OVERHEAD_TICKS : 0;
    struct measurement *m = own(measurement_new(&setup), 1, release);
    m->alone = alone;
    m->page = pages;
    for (int side = SIDE_TO; side >= SIDE_FROM; side--) {
        measurement_reset(m);
        atomic_store(&m->met[1 - side], 1 << 20);
        longer = is_one_way && side == SIDE_TO ? LONGER : 0;
        if (side == SIDE_FROM || !alone)
            measurement_run(m, (enum side)side);
        assert_false(atomic_load(&m->failed));
    }
    assert_int_equal(m->result[series].dropped, 0);
    return m->result[series].value;
}

/* Of a ping-pong the half of a round trip; of a transfer and of shared words a step, less what reading the
 * clock takes. */
TEST(a_line_takes_what_it_takes)
{
    static const struct {
        enum latency_series series;
        double ticks;
    } rows[] = {{SERIES_CAS, WAY},          {SERIES_COMPILED, WAY},      {SERIES_READWRITE, WAY},
                {SERIES_TRANSFER, STEP},    {SERIES_TRANSFER_RMW, STEP}, {SERIES_SHARING, STEP},
                {SERIES_SHARING + 3, STEP}, {SERIES_TOUCHED, STEP},      {SERIES_COUNT - 1, STEP}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_float_equal(value_of(rows[i].series, false, false), rows[i].ticks * scripted_clock.ns_per_tick,
                           1e-6);
}

/* An operation on an own line is as long as it is, and not the half. */
TEST(an_own_line_takes_what_it_takes)
{
    assert_float_equal(value_of(SERIES_CAS, true, false), 2 * WAY * scripted_clock.ns_per_tick, 1e-6);
    assert_float_equal(value_of(SERIES_OWN_LLSC, true, false), 2 * WAY * scripted_clock.ns_per_tick, 1e-6);
    assert_float_equal(value_of(SERIES_TRANSFER, true, false), STEP * scripted_clock.ns_per_tick, 1e-6);
}

/* What the second CPU reads of the first one's lines, and nothing of the other direction. */
TEST(a_transfer_one_way_is_what_the_second_cpu_reads)
{
    const double ns = (STEP + LONGER) * scripted_clock.ns_per_tick;
    assert_float_equal(value_of(SERIES_TRANSFER, false, true), ns, 1e-6);
    assert_float_equal(value_of(SERIES_TRANSFER_RMW, false, true), ns, 1e-6);
    assert_float_equal(value_of(SERIES_CAS, false, true), WAY * scripted_clock.ns_per_tick, 1e-6);
}
