/* SPDX-License-Identifier: MIT */
/* Points of a round that a script interrupts. */
#include "../../test.h"

#include "engine/metrics.h"

enum { POINTS = 4 };

static struct script {
    double point_ns, now_ns;
    int interrupted; /* looks that find another switch, from the second on */
    int samples, looks, forgiven;
    uint64_t switches;
} script;

static uint64_t ticks(void *context)
{
    return (uint64_t)script.now_ns;
}

static uint64_t switches(void *context)
{
    script.switches += script.looks > 0 && script.looks <= script.interrupted;
    script.looks++;
    return 7 + script.switches;
}

static void forgive(void *context, uint64_t before)
{
    assert_int_equal(before, 7);
    script.forgiven++;
}

static double sample(const struct point *point)
{
    script.now_ns += script.point_ns;
    script.samples++;
    return (double)point->x;
}

static size_t lost_rounds(double point_ns, int interrupted, bool has_steps, double value[POINTS])
{
    static const struct experiment experiment = {.sample = sample};
    static const struct engine_machine machine = {.ticks = ticks, .switches = switches, .forgive = forgive};
    static const struct series series = {.name = "a", .range = {1, POINTS}};
    const struct clock clock = {.ns_per_tick = 1};
    struct run run = {.clock = &clock};
    uint64_t iterations[POINTS] = {1, 1, 1, 1};
    struct lab lab = {.experiment = &experiment, .machine = &machine, .run = &run, .iterations = iterations};
    struct course course = {.series = &series, .has_steps = has_steps};
    course_list(&course, &series.range);
    script = (struct script){.point_ns = point_ns, .interrupted = interrupted};
    lab.course = &course;
    assert_true(lab_sample_points(&lab, 0, POINTS, value, NULL));
    free(course.place);
    return course.lost;
}

/* The first point is taken five times at most. */
TEST(a_point_that_was_interrupted_is_taken_again)
{
    double value[POINTS];
    for (int interrupted = 0; interrupted <= 4; interrupted++) {
        assert_int_equal(lost_rounds(1e6, interrupted, true, value), 0);
        assert_int_equal(script.samples, POINTS + interrupted);
        assert_int_equal(script.forgiven, interrupted > 0);
        for (int i = 0; i < POINTS; i++)
            assert_true(fabs(value[i] - (i + 1)) < 1e-9);
    }
    assert_int_equal(lost_rounds(1e6, 5, true, value), 1);
    assert_int_equal(script.samples, POINTS + 4);
    assert_int_equal(script.forgiven, 1);
    for (int i = 0; i < POINTS; i++)
        assert_true(isnan(value[i]));
}

TEST(points_that_last_less_than_many_looks_share_one)
{
    double value[POINTS];
    assert_int_equal(lost_rounds(20.1e3, 1, true, value), 0);
    assert_int_equal(script.samples, POINTS + 1);
    assert_int_equal(lost_rounds(19.9e3, 1, true, value), 0);
    assert_int_equal(script.samples, POINTS + 2);
    assert_int_equal(lost_rounds(1e3, 1, true, value), 0);
    assert_int_equal(script.samples, 2 * POINTS);
    assert_int_equal(script.looks, 3);
}

TEST(points_without_steps_are_taken_once)
{
    double value[POINTS];
    assert_int_equal(lost_rounds(1e6, 5, false, value), 0);
    assert_int_equal(script.samples, POINTS);
    assert_int_equal(script.looks + script.forgiven, 0);
}
