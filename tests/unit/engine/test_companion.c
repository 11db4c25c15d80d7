/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

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
}

TEST(test_says_why_there_is_none)
{
    struct fault pinning = {0}, making = {0};
    pthread_attr_t usual, huge;
    assert_null(companion_new(1 << 20, NULL, NULL, &pinning));
    assert_int_equal(pinning.status, STATUS_NO_RESOURCE);

    pthread_getattr_default_np(&usual);
    pthread_getattr_default_np(&huge);
    pthread_attr_setstacksize(&huge, (size_t)1 << 56);
    pthread_setattr_default_np(&huge);
    assert_null(companion_new(0, NULL, NULL, &making));
    pthread_setattr_default_np(&usual);
    assert_int_equal(making.status, STATUS_NO_RESOURCE);
    assert_non_null(strstr(making.text, strerror(EAGAIN)));
}
