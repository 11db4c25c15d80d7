/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <math.h>
#include <sched.h>

#include "bench/cost/cost.h"
#include "engine/companion.h"
#include "uarchprobe/pin.h"

TEST(test_a_yield_to_somebody_who_waits_is_no_value)
{
    static const struct clock clock = {.ns_per_tick = 1};
    struct run run = {.clock = &clock};
    struct fault fault = {0};
    void *own = yield_experiment.own;
    const int here = sched_getcpu();
    assert_int_equal(pin_self(here, &fault), STATUS_OK);
    struct companion *companion = companion_new(here, &fault);
    assert_int_equal(yield_experiment.open(&run, &own, &fault), STATUS_OK);
    while (!isnan(yield_experiment.sample(&(struct point){.own = own, .clock = &clock})))
        continue;
    companion_free(companion);
}
