/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "engine/companion.h"
#include "uarchprobe/clock.h"
#include "uarchprobe/interrupt.h"

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

/* Work that waits in a pipe. */
struct reader {
    int pipe[2];
    atomic_int reads, ends;
    atomic_bool is_over;
};

static void read_one(void *context)
{
    struct reader *reader = context;
    char byte;
    if (!atomic_load(&reader->is_over))
        atomic_fetch_add(&reader->reads, read(reader->pipe[0], &byte, 1) == 1);
}

/* Between the steps the work has time to go on. */
static void end_reading(void *context)
{
    struct reader *reader = context;
    atomic_fetch_add(&reader->ends, 1);
    usleep(5000);
    atomic_store(&reader->is_over, true);
    usleep(5000);
    assert_int_equal(write(reader->pipe[1], "", 1), 1);
    usleep(5000);
}

TEST(test_work_that_waits_ends_whenever_it_is_told)
{
    for (int i = 0; i < 8; i++) {
        struct fault fault = {0};
        struct reader reader = {0};
        assert_int_equal(pipe(reader.pipe), 0);
        struct companion *companion =
            companion_with(sched_getcpu(), (struct companion_work){read_one, &reader, end_reading}, &fault);
        assert_non_null(companion);
        assert_int_equal(write(reader.pipe[1], "", 1), 1);
        for (int waits = 0; i % 2 && waits < 1000 && atomic_load(&reader.reads) == 0; waits++)
            usleep(1000);
        const uint64_t begin_ns = clock_now_ns();
        if (i % 4 >= 2)
            companion_dismiss(companion);
        companion_free(companion);
        assert_true(clock_now_ns() - begin_ns < UINT64_C(4000000000));
        assert_true(atomic_load(&reader.ends) >= 1);
        close(reader.pipe[0]);
        close(reader.pipe[1]);
    }
}

static void never_return(void *context)
{
    for (;;)
        atomic_fetch_add((atomic_uint *)context, 1);
}

TEST(test_work_that_does_not_return_is_stopped)
{
    struct fault fault = {0};
    atomic_uint count = 0;
    struct companion *companion =
        companion_with(sched_getcpu(), (struct companion_work){never_return, &count}, &fault);
    assert_non_null(companion);
    interrupt_note(2);
    companion_free(companion);
    interrupt_forget();
    const unsigned before = atomic_load(&count);
    usleep(50000);
    assert_int_equal(atomic_load(&count), before);
}
