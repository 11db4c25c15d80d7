/* SPDX-License-Identifier: MIT */
/* Two lines on recorded and on drawn curves. What a bend is in a state of a run: test_claims.c and test_laboratory.c. */
#include "engine/knee.h"

#include "test.h"

/* The one curve of a file, behind its comments. */
static size_t load(double *value, size_t most, const char *name)
{
    char path[512], line[8192] = "#";
    size_t count = 0;
    snprintf(path, sizeof path, "%s/sb/%s", TEST_DATA, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (line[0] == '#')
        assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    for (char *at = line, *end; count < most; at = end) {
        value[count] = strtod(at, &end);
        if (end == at)
            break;
        count++;
    }
    return count;
}

/* What the check with twice the no-operations is for: a clear break, and yet no capacity. */
TEST(a_drain_hides_the_knee)
{
    double once[200], twice[200];
    const struct knee a = knee_line2(once, load(once, 200, "nops-500.txt")),
                      b = knee_line2(twice, load(twice, 200, "nops-1000.txt"));
    assert_true(a.found && b.found);
    assert_int_not_equal(a.last, b.last);
    assert_true(a.jump < 5 && b.jump < 5);
}

TEST(two_lines_meet_where_the_curve_steps_and_leave_the_slope_out)
{
    for (size_t left = 10; left <= 90; left += 5) {
        double value[100];
        for (size_t i = 0; i < 100; i++)
            value[i] = 100 + (double)i + (i >= left ? 50 : 0) + (double)(i * 7 % 5) * 0.1;
        const struct knee knee = knee_line2(value, 100);
        assert_int_equal(knee.last, left - 1);
        assert_true(knee.jump > 48 && knee.jump < 52);
    }
}

TEST(four_points_are_a_side)
{
    const double line[] = {0, 0, 0, 0, 9, 9, 9, 9}, first[] = {0, 0, 0, 9, 9, 9, 9, 9, 9};
    assert_true(knee_line2(line, 8).found && knee_line2(line, 8).last == 3);
    for (size_t points = 0; points < 8; points++)
        assert_false(knee_line2(line, points).found);
    assert_true(knee_line2(first, 9).last > 2); /* three points are none */
}
