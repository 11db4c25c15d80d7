/* SPDX-License-Identifier: MIT */
#include "uarchprobe/own_time.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "test.h"
#include "uarchprobe/pin.h"

TEST(waiting_is_no_time_of_ones_own_up_to_two_thirds)
{
    assert_float_equal(own_seconds(9, 0), 9, 1e-9);
    assert_float_equal(own_seconds(9, 4), 5, 1e-9);
    assert_float_equal(own_seconds(9, 5.99), 3.01, 1e-9);
    assert_float_equal(own_seconds(9, 6.01), 3, 1e-9);
    assert_float_equal(own_seconds(9, 9), 3, 1e-9);
}

TEST(waited_time_never_decreases)
{
    uint64_t last = 0;
    for (int i = 0; i < 100; i++) {
        const uint64_t now = clock_waited_ns();
        assert_true(now >= last);
        last = now;
    }
}

/* A thread that only works has waited for what its CPU time lacks; a typed limit does not ask. */
TEST(limits_end)
{
    const struct stopwatch begin = stopwatch_start_thread(), of_all = stopwatch_start();
    const struct time_limit none = {.since = of_all}, own = {0.02, false, of_all},
                            typed = {0.02, true, of_all};
    assert_true(isinf(time_left_s(&none)));
    while (stopwatch_thread_s(&begin) < 0.06)
        continue;
    assert_true(time_left_s(&own) <= 0 && time_left_s(&typed) <= 0);
}

static void *spin(void *is_over)
{
    while (!atomic_load((atomic_bool *)is_over))
        continue;
    return NULL;
}

/* What is left of a limit that has not ended is shared among commands, so that waiting must count from the begin on. */
TEST(waiting_leaves_more_of_a_limit)
{
    atomic_bool is_over = false;
    struct fault fault = {0};
    pthread_t other;
    if (access("/proc/self/schedstat", R_OK) != 0)
        SKIP_BECAUSE("the kernel does not show how long threads wait");
    assert_int_equal(pin_self(sched_getcpu(), &fault), STATUS_OK);
    const struct stopwatch begin = stopwatch_start(), work = stopwatch_start_thread();
    const struct time_limit own = {1000, false, begin}, typed = {1000, true, begin};
    assert_int_equal(pthread_create(&other, NULL, spin, &is_over), 0); /* on the same CPU */
    while (stopwatch_thread_s(&work) < 0.2)
        continue;
    const double left_s = time_left_s(&own), typed_s = time_left_s(&typed);
    atomic_store(&is_over, true);
    pthread_join(other, NULL);
    assert_true(left_s > typed_s + 0.01);
}

static double share_of(double cpu_s, double seen_s, double seen_wait_s, int cpus)
{
    const struct program_time time = {10, cpu_s, seen_s, seen_wait_s, cpus};
    return program_cpu_share(&time);
}

TEST(a_program_has_what_others_leave_it)
{
    assert_float_equal(share_of(10, 10, 0, 1), 1, 1e-9);
    assert_float_equal(share_of(4, 4, 6, 1), 0.4, 1e-9);
    assert_float_equal(share_of(1, 1, 2, 1), 0.8, 1e-9);    /* it slept for seven of ten seconds */
    assert_float_equal(share_of(0, 0, 0, 1), 1, 1e-9);      /* ... for all of them */
    assert_float_equal(share_of(15, 15, 5, 2), 0.75, 1e-9); /* one of two threads had a half */
    /* Eight threads wait for each other; then others have a quarter of both CPUs. */
    assert_float_equal(share_of(20, 20, 60, 2), 1, 1e-9);
    assert_float_equal(share_of(15, 15, 65, 2), 0.75, 1e-9);
    /* Half of the CPU time is of threads that ended unseen: they waited as long as the others. */
    assert_float_equal(share_of(4, 2, 3, 1), 0.4, 1e-9);
    assert_true(fabs(share_of(4, 0.41, 0.6, 1) - 0.4) < 0.02); /* not NaN, which assert_float_equal takes */
    assert_true(isnan(share_of(4, 0.39, 0.6, 1)));
}
