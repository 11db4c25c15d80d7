/* SPDX-License-Identifier: MIT */

#include "machine/counters.h"

#include "test.h"

/* Either there is a counter and it rises, or there is a reason why there is none. */
TEST(test_counter_or_reason)
{
    const struct counter_event cycles = {.name = "cycles", .generic = true};
    const char *reason = NULL;
    struct counters *counters = counters_open(&cycles, 1, &reason);
    uint64_t first, second;

    if (!counters) {
        assert_non_null(reason);
        return;
    }
    if (counters_read(counters, &first)) {
        assert_true(counters_read(counters, &second));
        assert_true(second >= first);
    }
    counters_close(counters);
}

TEST(test_too_many_events_are_refused)
{
    const struct counter_event cycles[COUNTERS_MAX + 1] = {{.name = "cycles", .generic = true}};
    const char *reason = NULL;

    assert_null(counters_open(cycles, COUNTERS_MAX + 1, &reason));
    assert_non_null(reason);
    reason = NULL;
    assert_null(counters_open(cycles, 0, &reason));
    assert_non_null(reason);
    counters_close(NULL);
}
