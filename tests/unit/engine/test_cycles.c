/* SPDX-License-Identifier: MIT */
/* Readings on a scripted core and clock with interruptions, coarse steps and changes; then on the real machine. */
#include "uarchprobe/cycles.h"

#include "engine/engine_internal.h"

#include "test.h"

enum { LEAST = 4000, MULTIPLY = 3 };

static const double fixed_ns = 24;

struct machine {
    struct clock clock;
    struct chain_lengths length;
    double now_ns;
};

static struct machine machine_of(double step_ns)
{
    struct machine machine = {.clock = {.source = "scripted",
                                        .ns_per_tick = step_ns / 8,
                                        .resolution_ns = step_ns,
                                        .overhead_ns = fixed_ns,
                                        .invariant = true},
                              .now_ns = 1000.3};
    machine.length = chain_lengths_for(&machine.clock, LEAST);
    return machine;
}

static double clock_at(const struct machine *machine)
{
    const double step = machine->clock.resolution_ns;
    return floor(machine->now_ns / step) * step / machine->clock.ns_per_tick;
}

static double run_chain(struct machine *machine, double cycles, double ghz, double stop_ns)
{
    const double begin = clock_at(machine);
    machine->now_ns += fixed_ns + cycles / ghz + stop_ns;
    const double ticks = clock_at(machine) - begin;
    machine->now_ns += 3.7;
    return ticks;
}

/* Place and length of the stops of the core, and its clock from round `change` on. */
struct script {
    double ghz, later_ghz;
    int change; /* 0: never */
    double shorter_stop[CHAIN_ROUNDS], longer_stop[CHAIN_ROUNDS], multiply_stop[CHAIN_ROUNDS];
};

static struct chain_fit play(struct machine *machine, const struct script *script, double multiply)
{
    struct chain_ticks ticks;
    const struct chain_lengths *length = &machine->length;
    for (int i = 0; i < CHAIN_ROUNDS; i++) {
        const double ghz = script->change && i >= script->change ? script->later_ghz : script->ghz;
        ticks.longer[i] = run_chain(machine, (double)length->longer, ghz, script->longer_stop[i]);
        ticks.shorter[i] = run_chain(machine, (double)length->shorter, ghz, script->shorter_stop[i]);
        ticks.multiply[i] =
            run_chain(machine, (double)(MULTIPLY * length->multiply), ghz, script->multiply_stop[i]);
    }
    return chain_fit_of(&machine->clock, length, &ticks, multiply);
}

static void near(double got, double wanted, double tolerance)
{
    assert_true(fabs(got / wanted - 1) <= tolerance);
}

/* Clocks with fine steps, those of 100 MHz (TSC on some Zen), 25 MHz (CNTVCT) and 20 MHz, and of one
 * microsecond: coarse steps need longer chains. */
TEST(a_quiet_core_is_read)
{
    static const double steps[] = {0.3, 1, 10, 40, 50, 1000};
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        for (double ghz = 0.8; ghz < 6; ghz += 0.3) {
            struct machine machine = machine_of(steps[i]);
            const double operations = (double)(machine.length.longer - machine.length.shorter);
            const struct chain_fit fit = play(&machine, &(struct script){.ghz = ghz}, MULTIPLY);
            near(fit.ghz, ghz, steps[i] > 1 ? 0.025 : 0.01);
            assert_true(steps[i] > 1 || fabs(fit.multiply / MULTIPLY - 1) <= 0.02);
            assert_true(operations / ghz >= 50 * steps[i]);
            assert_true(i > 0 ||
                        (operations == LEAST && machine.length.longer == 5 * machine.length.shorter));
        }
}

/* A reading survives some interrupted chains and pending streaming stores, which lengthen the first chain;
 * there is none if every chain of a kind is interrupted, or a longer one takes less time. */
TEST(a_reading_stands_or_is_thrown_away)
{
    static const struct {
        struct script script;
        bool stands;
    } rows[] = {
        {{.shorter_stop = {900, 40, 4e6, 1200, 0}}, true},
        {{.longer_stop = {0, 40, 4e6, 1200, 500}}, true},
        {{.multiply_stop = {300, 40, 4e6, 0, 500}}, true},
        {{.longer_stop = {1800, 300}, .shorter_stop = {500, 90}, .multiply_stop = {200}}, true},
        {{.shorter_stop = {9000, 9000, 9000, 9000, 9000}}, false},
        {{.shorter_stop = {900, 2000, 800, 5000, 1000},
          .longer_stop = {700, 800, 900, 1000, 1100},
          .multiply_stop = {4000, 900, 650, 3000, 2100}},
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine machine = machine_of(1);
        struct script script = rows[i].script;
        script.ghz = 3.7;
        const struct chain_fit fit = play(&machine, &script, MULTIPLY);
        assert_true(rows[i].stands ? fabs(fit.ghz / 3.7 - 1) <= 0.01 : isnan(fit.ghz) && isnan(fit.multiply));
    }
}

/* Its clock would be too high: 5.4 GHz on a core of 3.7 with a stop of 340 ns. A stop too short to be seen has no effect. */
TEST(a_chain_that_is_interrupted_each_time_is_thrown_away)
{
    for (double stop = 60; stop < 1e5; stop *= 1.3) {
        const struct script script = {.ghz = 3.7, .shorter_stop = {stop, stop, stop + 9, stop, stop}},
                            longer = {.ghz = 3.7, .longer_stop = {stop, stop, stop + 9, stop, stop}};
        struct machine machine = machine_of(1);
        assert_true(isnan(play(&machine, &script, MULTIPLY).ghz));
        assert_true(isnan(play(&machine, &script, 0).ghz));
        assert_true(stop < 100 || isnan(play(&machine, &longer, MULTIPLY).ghz));
    }
    for (double step = 0.5; step <= 40; step *= 2)
        for (double stop = 0; stop < 400; stop += 1) {
            const struct script script = {.ghz = 3.7, .shorter_stop = {stop, stop, stop, stop, stop}};
            struct machine machine = machine_of(step);
            const double ghz = play(&machine, &script, MULTIPLY).ghz;
            assert_true(isnan(ghz) || ghz < 1.03 * 3.7);
        }
}

/* The reading gives the clock of its faster part or none, never a value between or above both. One long chain
 * at the old clock, with all others at the new one, gives none. */
TEST(a_change_of_the_clock_is_followed_or_thrown_away)
{
    for (double later = 2; later < 5; later += 0.1)
        for (int change = 1; change < CHAIN_ROUNDS; change++) {
            const struct script script = {.ghz = 3.1, .later_ghz = later, .change = change};
            struct machine machine = machine_of(1);
            const double ghz = play(&machine, &script, MULTIPLY).ghz;
            assert_true(isnan(ghz) || fabs(ghz / fmax(3.1, later) - 1) <= 0.02);
        }
    struct script script = {.ghz = 2.6};
    struct machine machine = machine_of(1);
    for (int i = 0; i < CHAIN_ROUNDS; i++)
        script.longer_stop[i] = (double)machine.length.longer * (1 / 2.1 - 1 / 2.6);
    assert_true(isnan(play(&machine, &script, MULTIPLY).ghz));
}

TEST(a_multiplication_of_another_length_is_a_contradiction)
{
    const struct script script = {.ghz = 3.1};
    struct machine machine = machine_of(1);
    assert_true(isnan(play(&machine, &script, MULTIPLY + 1).ghz));
    near(play(&machine, &script, 0).ghz, 3.1, 0.01); /* an unknown length contradicts nothing */
    machine.length.multiply = 0;
    near(play(&machine, &script, MULTIPLY).ghz, 3.1, 0.01);
    assert_true(isnan(play(&machine, &script, MULTIPLY).multiply));
}

static struct clock calibrated;

static int calibrate(void **state)
{
    clock_calibrate(&calibrated);
    return 0;
}

static const struct cell *fact(const struct record *record, const char *path)
{
    const struct fact *found = record_fact_find(record, path);
    return found ? &found->value : NULL;
}

TEST(a_reading_is_a_clock_or_nothing)
{
    struct core_clock core_clock;
    core_clock_init(&core_clock, &calibrated);
    assert_true(core_clock.multiply >= 0 && core_clock.multiply == round(core_clock.multiply));
    assert_int_equal(core_clock.ghz.count, 0);
    for (int i = 0; i < 20; i++) {
        const double ghz = core_clock_read(&core_clock);
        assert_true(isnan(ghz) || (isfinite(ghz) && ghz > 0));
        assert_int_equal(core_clock.ghz.count + core_clock.thrown_away, i + 1);
    }
    core_clock_free(&core_clock);
}

static void count_call(void *context)
{
    ++*(int *)context;
}

TEST(a_load_goes_before_every_round_and_nothing_is_kept)
{
    struct core_clock core_clock = {.clock = &calibrated};
    int calls = 0;
    const double ghz = core_clock_ghz_under(&core_clock, count_call, &calls);
    assert_true(isnan(ghz) || ghz > 0);
    assert_int_equal(calls, 5);
    assert_int_equal(core_clock.ghz.count + core_clock.thrown_away, 0);
}

/* Records readings: `count` of each clock, then NaN where one was thrown away. */
static struct record *recorded(const int *count, const double *ghz)
{
    struct core_clock core_clock = {.clock = &calibrated};
    struct record *record = record_new();
    for (; *count; count++, ghz++)
        for (int i = 0; i < *count; i++)
            core_clock_keep(&core_clock, *ghz);
    assert_true(core_clock_record(&core_clock, record));
    core_clock_free(&core_clock);
    return record;
}

/* Reports no extremes. Warns of a clock that moves for long, or is unknown because all readings were thrown away. */
TEST(quantiles_are_reported)
{
    struct record *record = recorded((int[]){50, 50, 1, 1, 1, 0}, (double[]){3, 3.01, 5.4, 0.3, NAN});
    assert_true(fabs(fact(record, "clock.core_ghz.p5")->real - 3) < 1e-9);
    assert_true(fabs(fact(record, "clock.core_ghz.p95")->real - 3.01) < 1e-9);
    assert_int_equal(fact(record, "clock.core_ghz.median")->type, CELL_REAL);
    assert_int_equal(fact(record, "clock.core_ghz.thrown_away")->integer, 1);
    assert_null(fact(record, "clock.core_ghz.min"));
    assert_null(fact(record, "clock.core_ghz.max"));
    assert_int_equal(record->warnings.count, 0);
    record_free(record);
    record = recorded((int[]){90, 10, 0}, (double[]){3, 3.6});
    assert_int_equal(record->warnings.count, 1);
    record_free(record);
    record = recorded((int[]){1, 0}, (double[]){NAN});
    assert_int_equal(fact(record, "clock.core_ghz.median")->type, CELL_NULL);
    assert_int_equal(record->warnings.count, 1);
    record_free(record);
}

AROUND_ALL(calibrate, NULL)
