/* SPDX-License-Identifier: MIT */
/* The trust of answers, on estimates that are made up. */
#include "test.h"

#include "bench/ram/ram.h"

static const struct kernel reading = {.name = "read_all", .operation = OPERATION_READ};

static unsigned placements = 4;
static bool guest, implausible;
static double loads; /* bytes a cycle */
static enum state of_state = STATE_IDLE;
static double last_parts = 1; /* three of ten parts, as a share of the others */

static struct estimate around(double value, double half)
{
    struct parts parts = {.count = 10};
    for (size_t i = 0; i < 10; i++)
        parts.value[i] = (float)(value * (i < 7 ? 1 : last_parts));
    return (struct estimate){.state = of_state,
                             .parts = parts,
                             .summary = {.count = 20},
                             .value = value,
                             .low = value * (1 - half),
                             .high = value * (1 + half),
                             .first = value,
                             .second = value,
                             .placements = placements,
                             .placement_low = value,
                             .placement_high = value};
}

/* A pass over 16 KiB in 128 cycles, at 3.2 GHz; the shares are half widths of its intervals. */
static struct answer found(int level, double ns, double cycles)
{
    struct working_set set = {.label = "16 KiB", .bytes = 16 << 10};
    struct ram_point point = {.kernel = &reading,
                              .bytes = 16 << 10,
                              .level = level,
                              .fastest = true,
                              .implausible = implausible,
                              .estimate = {around(40, ns), around(isnan(cycles) ? NAN : 128, cycles)},
                              .otherwise = {{.value = NAN}}};
    struct ram_plan plan = {.points = &point,
                            .point_count = 1,
                            .set_count = 1,
                            .threads = 1,
                            .guest = guest,
                            .last_level = 3,
                            .loads = loads,
                            .stores = 32};
    struct record *record = record_new();
    plan.sets[0] = set;
    point.set = &plan.sets[0];
    ram_answers(record, &plan);
    assert_int_equal(record_answer_count(record), 1);
    const struct answer answer = *record_answer_at(record, 0);
    record_free(record);
    return answer;
}

TEST(within_the_core_cycles_are_judged)
{
    const struct answer moved = found(1, 0.05, 0.002);
    assert_int_equal(moved.trust, TRUST_HIGH);
    assert_float_equal(moved.ghz, 3.2, 1e-6);
    assert_true(cell_number(&moved.high) < 1.01 * cell_number(&moved.value));
    assert_int_equal(found(1, 0.002, 0.05).trust, TRUST_MEDIUM);
    assert_int_equal(found(1, 0.002, 0.2).trust, TRUST_LOW);
    assert_int_equal(found(2, 0.002, 0.002).trust, TRUST_HIGH);
}

TEST(three_placements_are_enough_in_the_core)
{
    placements = 2;
    assert_int_equal(found(1, 0.002, 0.002).leg, LEG_REPETITION);
    assert_int_equal(found(3, 0.002, 0.002).trust, TRUST_HIGH);
    placements = 3;
    assert_int_equal(found(1, 0.002, 0.002).trust, TRUST_HIGH);
    placements = 4;
}

TEST(beyond_the_core_times_are_judged)
{
    assert_int_equal(found(3, 0.02, 0.2).trust, TRUST_HIGH);
    assert_int_equal(found(4, 0.2, 0.002).trust, TRUST_LOW);
}

/* What comes and goes within minutes is not seen by a run of a few windows, however narrow its interval. */
TEST(in_a_guest_windows_of_time_count_beyond_the_core)
{
    guest = true;
    assert_int_equal(found(2, 0.002, 0.002).trust, TRUST_HIGH);
    placements = 11;
    assert_int_equal(found(3, 0.002, 0.002).trust, TRUST_LOW);
    assert_int_equal(found(4, 0.002, 0.002).leg, LEG_REPETITION);
    placements = 12;
    assert_int_equal(found(3, 0.002, 0.002).trust, TRUST_HIGH);
    placements = 1;
    guest = false;
    assert_int_equal(found(3, 0.002, 0.002).trust, TRUST_HIGH);
    placements = 4;
}

/* What is not trusted has the range of the run, not the interval of its median, which knows no bound. */
TEST(what_does_not_repeat_has_its_range)
{
    last_parts = 1.2;
    for (int level = 1; level <= 3; level += 2) {
        const struct answer low = found(level, 0.6, 0.6);
        assert_int_equal(low.trust, TRUST_LOW);
        assert_float_equal(cell_number(&low.high) / cell_number(&low.value), 1, 1e-6);
        assert_float_equal(cell_number(&low.value) / cell_number(&low.low), 1.2, 1e-6);
    }
    last_parts = 1;
}

/* More than what a sibling does made the difference, or there were too few samples of either state. */
TEST(states_that_contradict_or_mix_are_not_trusted)
{
    implausible = true;
    assert_int_equal(found(1, 0.002, 0.002).leg, LEG_PLAUSIBILITY);
    implausible = false;
    of_state = STATE_MIXED;
    assert_int_equal(found(1, 0.002, 0.002).trust, TRUST_LOW);
    assert_int_equal(found(3, 0.002, 0.002).trust, TRUST_HIGH);
    of_state = STATE_IDLE;
}

/* A pass of 128 bytes a cycle. */
TEST(more_than_the_core_can_load_is_not_believed)
{
    const struct {
        double loads;
        int level;
        enum leg leg;
    } cases[] = {{64, 1, LEG_PLAUSIBILITY}, {125, 1, LEG_PLAUSIBILITY}, {126, 1, LEG_NONE},
                 {128, 1, LEG_NONE},        {NAN, 1, LEG_NONE},         {64, 2, LEG_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        loads = cases[i].loads;
        assert_int_equal(found(cases[i].level, 0.002, 0.002).leg, cases[i].leg);
    }
    loads = 0;
}

TEST(without_cycles_times_are_judged)
{
    assert_int_equal(found(1, 0.2, NAN).trust, TRUST_LOW);
    assert_int_equal(found(1, 0.002, NAN).trust, TRUST_HIGH);
}

TEST(kernels_that_are_as_fast_are_named)
{
    static const struct kernel some[] = {{.name = "read_a", .operation = OPERATION_READ},
                                         {.name = "read_b", .operation = OPERATION_READ},
                                         {.name = "read_c", .operation = OPERATION_READ},
                                         {.name = "copy_d", .operation = OPERATION_COPY}};
    struct ram_point point[4];
    struct ram_plan plan = {.points = point, .point_count = 4, .set_count = 1, .threads = 1, .last_level = 3};
    struct record *record = record_new();
    for (int i = 0; i < 4; i++)
        point[i] = (struct ram_point){.kernel = &some[i],
                                      .set = plan.sets,
                                      .bytes = 16 << 10,
                                      .level = 3,
                                      .fastest = i == 1,
                                      .alike = i != 2,
                                      .estimate = {around(40, 0.01), around(128, 0.01)},
                                      .otherwise = {{.value = NAN}}};
    assert_ptr_equal(ram_best(&plan, OPERATION_READ, plan.sets), &point[1]);
    assert_null(ram_best(&plan, OPERATION_COPY, plan.sets));
    ram_answers(record, &plan);
    assert_int_equal(record_answer_count(record), 1);
    assert_non_null(strstr(record_answer_at(record, 0)->remark, "read_b"));
    assert_non_null(strstr(record_answer_at(record, 0)->remark, "read_a"));
    assert_null(strstr(record_answer_at(record, 0)->remark, "read_c"));
    record_free(record);
}

/* The same key for both, each with its own value, state and trust. */
TEST(the_other_state_is_an_answer_of_its_own)
{
    struct ram_point point = {.kernel = &reading,
                              .bytes = 16 << 10,
                              .level = 1,
                              .fastest = true,
                              .estimate = {around(40, 0.001), around(128, 0.001)}};
    struct ram_plan plan = {
        .points = &point, .point_count = 1, .set_count = 1, .threads = 1, .last_level = 3};
    struct record *record = record_new();
    point.set = &plan.sets[0];
    of_state = STATE_ACTIVE;
    point.otherwise[RAM_NS] = around(80, 0.001);
    point.otherwise[RAM_CYCLES] = around(256, 0.001);
    of_state = STATE_IDLE;
    ram_answers(record, &plan);
    assert_int_equal(record_answer_count(record), 2);
    const struct answer *idle = record_answer_at(record, 0), *active = record_answer_at(record, 1);
    assert_string_equal(idle->key, active->key);
    assert_string_equal(active->state, state_names[STATE_ACTIVE]);
    assert_float_equal(cell_number(&idle->value), 2 * cell_number(&active->value), 1);
    assert_int_equal(idle->trust, TRUST_HIGH);
    assert_int_equal(active->trust, TRUST_LOW); /* it was not seen busy in eight spells */
    record_free(record);
}

/* A chain in L2 that takes that share of one in memory. */
static struct answer chased(double share)
{
    static const struct kernel chase = {.name = "chase", .operation = OPERATION_LATENCY};
    struct ram_point point[2];
    struct ram_plan plan = {.points = point, .point_count = 2, .set_count = 2, .threads = 1, .last_level = 3};
    struct record *record = record_new();
    for (int i = 0; i < 2; i++) {
        plan.sets[i] = (struct working_set){.label = "L2", .bytes = 1 << 18};
        point[i] = (struct ram_point){
            .kernel = &chase,
            .set = &plan.sets[i],
            .bytes = 1 << 18,
            .footprint = 1 << 18,
            .level = i ? 4 : 2,
            .fastest = true,
            .estimate = {around(i ? 100 : share * 100, 0.002), around(i ? 320 : share * 320, 0.002)},
            .otherwise = {{.value = NAN}}};
    }
    ram_answers(record, &plan);
    const struct answer answer = *record_answer_at(record, 0);
    record_free(record);
    return answer;
}

TEST(a_chain_as_slow_as_memory_is_no_cache)
{
    assert_int_equal(chased(0.65).trust, TRUST_HIGH);
    assert_int_equal(chased(0.75).trust, TRUST_LOW);
    assert_int_equal(chased(0.75).leg, LEG_PLAUSIBILITY);
}
