/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/counters.h"

/* Either there is a counter and it rises, or there is a reason why there is none. */
static void test_counter_or_reason(void **state)
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

static void test_too_many_events_are_refused(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counter_or_reason),
        cmocka_unit_test(test_too_many_events_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
