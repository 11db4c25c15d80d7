/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/core_latency/classes.h"
#include "uarchprobe/stats.h"

enum { COUNT = 300 };

static struct value_classes find(const double *value, size_t count)
{
    struct value_classes classes;
    double sorted[1000];
    memcpy(sorted, value, count * sizeof *value);
    values_sort(sorted, count);
    classes_find(sorted, count, 0.05, &classes);
    return classes;
}

TEST(values_that_lie_close_are_one_class)
{
    double value[COUNT];
    for (int i = 0; i < COUNT; i++)
        value[i] = (i % 3 == 0 ? 10 : i % 3 == 1 ? 28 : 105) * (1 + 0.0002 * (i % 50));
    const struct value_classes classes = find(value, COUNT);
    assert_int_equal(classes.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(classes.of[i].members, COUNT / 3);
    assert_int_equal(classes_of(&classes, 28.1), 1);
    assert_int_equal(classes_of(&classes, 60), -1);
}

TEST(strays_between_classes_belong_to_none)
{
    double value[COUNT];
    for (int i = 0; i < COUNT; i++)
        value[i] = i < 5 ? 30 + 10 * i : i % 2 ? 10 : 100;
    const struct value_classes classes = find(value, COUNT);
    assert_int_equal(classes.count, 2);
    assert_int_equal(classes_of(&classes, 40), -1);
}

TEST(a_broad_class_stays_one)
{
    double value[COUNT];
    for (int i = 0; i < COUNT; i++)
        value[i] = 50 + 0.1 * i;
    assert_int_equal(find(value, COUNT).count, 1);
}

TEST(too_few_values_make_no_class)
{
    const double value[] = {10, 10, 10};
    assert_int_equal(find(value, 3).count, 0);
    const double four[] = {10, 10, 10, 10};
    assert_int_equal(find(four, 4).count, 1);
}

/* Of a thousand values: all but `few` of them are alike. */
static size_t classes_next_to_one(size_t few)
{
    double value[1000];
    for (size_t i = 0; i < 1000; i++)
        value[i] = i < few ? 50 : 10;
    return find(value, 1000).count;
}

TEST(a_class_has_a_hundredth_of_the_values)
{
    assert_int_equal(classes_next_to_one(10), 1);
    assert_int_equal(classes_next_to_one(11), 2);
}
