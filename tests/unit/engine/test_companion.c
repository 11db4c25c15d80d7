/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sched.h>
#include <stdatomic.h>

#include "engine/companion.h"

static void count(void *context)
{
    atomic_fetch_add((atomic_int *)context, 1);
}

TEST(test_works_until_it_is_freed)
{
    struct fault fault = {0};
    atomic_int calls = 0;
    struct companion *companion = companion_new(sched_getcpu(), count, &calls, &fault);
    assert_non_null(companion);
    while (atomic_load(&calls) == 0)
        sched_yield();
    companion_free(companion);
    const int ended = atomic_load(&calls);
    sched_yield();
    assert_int_equal(atomic_load(&calls), ended);
    assert_null(companion_new(1 << 20, NULL, NULL, &fault));
    assert_int_equal(fault.status, STATUS_NO_RESOURCE);
}
