/* SPDX-License-Identifier: MIT */
/* Lists of places: in steps, by octaves, rounded, with a period, and parts of them. */
#include "test.h"

#include "engine/metrics.h"

TEST(ranges_become_lists)
{
    static const struct {
        struct x_range range;
        size_t count;
        uint64_t x[6];
    } rows[] = {
        {{1, 5}, 5, {1, 2, 3, 4, 5}},
        {{16, 112, 96}, 2, {16, 112}},
        {{3, 8, 2}, 3, {3, 5, 7}},
        {{7, 7}, 1, {7}},
        {{.first = 4, .step = 3}, 3, {4, 7, 10}}, /* it has no end */
        {{1024, 4096, .per_octave = 2}, 5, {1024, 1448, 2048, 2896, 4096}},
        {{256, 1024, 64, .per_octave = 2}, 5, {256, 384, 512, 704, 1024}},
        {{2, 12, .per_octave = 2, .is_rounded = true}, 6, {2, 3, 4, 6, 8, 12}},
        {{4, 8, .per_octave = 4, .is_rounded = true}, 5, {4, 5, 6, 7, 8}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t count;
        struct x_place *place = x_range_places(&rows[i].range, 3, &count);
        assert_int_equal(count, rows[i].count);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(place[k].x, rows[i].x[k]);
        free(place);
    }
}

TEST(places_above_an_x_have_the_period)
{
    const struct x_range range = {1, 8, .period = 4, .x_of_every_round = 3};
    size_t count;
    struct x_place *place = x_range_places(&range, 0, &count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(place[i].period, place[i].x > 3 ? 4 : 0);
    free(place);
}

/* The first place at an x or behind it; a part of a course has the places of the whole. */
TEST(a_part_of_a_course_begins_at_a_place)
{
    static const struct series series = {.name = "a", .range = {10, 90, 10}};
    struct course course = {.series = &series};
    struct lab lab = {.course = &course, .courses = 1};
    course_list(&course, &series.range);
    assert_int_equal(course_index(&course, 0), 0);
    assert_int_equal(course_index(&course, 20), 1);
    assert_int_equal(course_index(&course, 21), 2);
    assert_int_equal(course_index(&course, 91), 9);
    struct course part;
    assert_true(course_of(&lab, &(struct metric){.series = "a", .first = 21, .last = 59}, &part));
    assert_int_equal(part.first, 2);
    assert_int_equal(part.count, 3);
    assert_int_equal(course_x(&part, 0), 30);
    assert_int_equal(course_x(&part, 2), 50);
    assert_int_equal(course_x(&part, 3), 50);
    assert_false(course_of(&lab, &(struct metric){.series = "a", .first = 91}, &part));
    free(course.place);
}
