/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "scene.h"

/* The first pair in parallel with others, and three times by itself, once of these elsewhere: what it takes less by itself, at the same
 * distance. */
TEST(the_bias_is_that_of_pairs_at_one_distance)
{
    for (int i = 0; i < 2; i++) {
        scene_make();
        scene_set_all(0, SWEEPS, 28, 25);
        scene_set_all(150, 190, 110, 100);
        for (size_t sweep = 0; sweep < 3; sweep++)
            scene_set(sweep, PAIRS, sweep == 1 ? 110 : 28 * 0.95, 1);
        if (i == 0)
            scene_set(0, PAIRS, 110, 1), scene_set(2, PAIRS, NAN, 1);
        latency_conclude(&s.matrix);
        const double bias = latency_bias(&s.matrix);
        assert_true(i == 0 ? isnan(bias) : fabs(bias + 0.04) < 0.015);
    }
}
