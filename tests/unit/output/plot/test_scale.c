/* SPDX-License-Identifier: MIT */

#include "output/plot/scale.h"

#include "test.h"

/* The contrast of WCAG 2, 1 to 21. */
static double contrast(struct rgb a, struct rgb b)
{
    const double first = color_luminance(a) + 0.05, second = color_luminance(b) + 0.05;
    return first > second ? first / second : second / first;
}

TEST(eight_classes_differ_in_grey)
{
    for (int i = 0; i < 7; i++)
        assert_true(contrast(color_at(i / 7.0), color_at((i + 1) / 7.0)) > 1.2);
}

TEST(text_on_every_color_can_be_read)
{
    for (int i = 0; i <= 1000; i++) {
        struct rgb color = color_at(i / 1000.0);
        struct rgb text = color_wants_black(color) ? (struct rgb){0, 0, 0} : (struct rgb){255, 255, 255};
        assert_true(contrast(color, text) >= 4.5);
    }
}

TEST(linear_places)
{
    struct scale scale = scale_make(10, 20, false);
    assert_true(scale_share(&scale, 10) == 0);
    assert_true(fabs(scale_share(&scale, 12.5) - 0.25) < 1e-9);
    assert_true(scale_share(&scale, 99) == 1);
    assert_true(fabs(scale_value(&scale, 0.25) - 12.5) < 1e-9);
}

TEST(logarithmic_places)
{
    struct scale scale = scale_make(1024, 1 << 20, true);
    assert_true(fabs(scale_share(&scale, 32768) - 0.5) < 1e-9);
    assert_true(scale_share(&scale, 0) == 0);
    assert_true(fabs(scale_value(&scale, 0.5) - 32768) < 1e-6);
}

TEST(a_point_is_widened)
{
    const double values[] = {0, 1, -4, 1e300, 5e-324};
    for (int i = 0; i < 5; i++) {
        for (int log = 0; log < 2; log++) {
            struct scale scale = scale_make(values[i], values[i], log);
            assert_true(scale.low < scale.high);
            assert_true(isfinite(scale_share(&scale, values[i])));
        }
    }
    assert_false(scale_make(-1, 4, true).log);
    assert_true(isfinite(scale_make(NAN, INFINITY, false).high));
}

TEST(ticks_are_round_and_inside)
{
    double tick[TICKS_MAX];
    for (double high = 1e-6; high < 1e12; high *= 3.7) {
        struct scale scale = scale_make(0, high, false);
        size_t count = scale_ticks(&scale, 6, tick);
        assert_in_range(count, 3, 9);
        for (size_t i = 0; i < count; i++)
            assert_true(tick[i] >= 0 && tick[i] <= high * (1 + 1e-9));
        double step = tick[1] - tick[0], mantissa = step / pow(10, floor(log10(step) + 1e-9));
        assert_true(fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6);
    }
}

TEST(logarithmic_ticks_are_powers_of_two)
{
    double tick[TICKS_MAX];
    struct scale scale = scale_make(3000, 2.1e9, true);
    size_t count = scale_ticks(&scale, 10, tick);
    assert_in_range(count, 5, 20);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(log2(tick[i]) - round(log2(tick[i]))) < 1e-9);
}
