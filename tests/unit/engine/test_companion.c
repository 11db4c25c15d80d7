/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sched.h>
#include <time.h>

#include "engine/companion.h"

static double cpu_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double others_seconds(void)
{
    return cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
}

TEST(test_is_busy_until_it_is_freed)
{
    struct fault fault = {0};
    const double before = others_seconds();
    struct companion *companion = companion_new(sched_getcpu(), &fault);
    assert_non_null(companion);
    while (others_seconds() < before + 0.01)
        sched_yield();
    companion_free(companion);
    const double ended = others_seconds();
    for (int i = 0; i < 1000; i++)
        sched_yield();
    assert_true(others_seconds() < ended + 0.01);
    assert_null(companion_new(1 << 20, &fault));
    assert_int_equal(fault.status, STATUS_NO_RESOURCE);
}
