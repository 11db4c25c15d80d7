/* SPDX-License-Identifier: MIT */
/* Two threads that wake each other, and a partner that never answers. */
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "bench/cost/system.h"
#include "uarchprobe/pin.h"

static const struct clock clock_of_ticks = {.ns_per_tick = 1};

static void expect(struct wake wake, bool answers)
{
    const int here = sched_getcpu(), cpu[] = {here, here};
    struct fault fault = {0};
    assert_int_equal(wake_open(&wake, cpu, &fault), STATUS_OK);
    for (int i = 0; i < 2; i++) { /* in vain the first time, and not tried again */
        const double ns =
            wake_ns(&(struct point){.own = &wake, .clock = &clock_of_ticks}, answers ? 60 : 0.02);
        assert_true(answers ? ns > 0 : isnan(ns));
    }
    wake_close(&wake);
}

TEST(test_a_partner_answers)
{
    expect((struct wake){.is_pipe = false}, true);
    expect((struct wake){.is_pipe = true}, true);
}

TEST(test_a_partner_that_never_answers_ends_the_measurement)
{
    expect((struct wake){.is_mute = true}, false);
    expect((struct wake){.is_mute = true, .is_pipe = true}, false);
}

/* The next file that is opened has the same number as before. */
TEST(test_threads_that_cannot_be_had_leave_no_pipe_open)
{
    const int here = sched_getcpu(), before = dup(0);
    close(before);
    for (int who = 0; who < 2; who++) {
        const int cpu[] = {who ? here : 1 << 20, who ? 1 << 20 : here};
        struct wake wake = {.is_pipe = true};
        struct fault fault = {0};
        assert_int_not_equal(wake_open(&wake, cpu, &fault), STATUS_OK);
        const int after = dup(0);
        close(after);
        assert_int_equal(after, before);
    }
}

static pthread_key_t lingering;

static void linger(void *unused)
{
    usleep(20000);
}

/* The thread that asks then takes 20 ms to end, as on a busy machine. */
static void end_slowly(void *context, int member)
{
    pthread_setspecific(lingering, context);
}

/* Between the steps of closing the partner has time to answer and to wait again. */
TEST(test_closing_does_not_wait_for_a_partner_that_waits_again)
{
    pthread_key_create(&lingering, linger);
    for (int i = 0; i < 4; i++) {
        const int here = sched_getcpu(), cpu[] = {here, here};
        struct wake wake = {.is_pipe = i % 2 == 1, .is_mute = i >= 2};
        struct fault fault = {0};
        assert_int_equal(wake_open(&wake, cpu, &fault), STATUS_OK);
        wake_ns(&(struct point){.own = &wake, .clock = &clock_of_ticks}, 0.02);
        assert_true(team_run(wake.team, NULL, 1, end_slowly, &wake, 60));
        const uint64_t begin_ns = clock_now_ns();
        wake_close(&wake);
        assert_true(clock_now_ns() - begin_ns < UINT64_C(4000000000));
    }
}

TEST(test_the_other_cpu_is_of_another_core)
{
    static struct cpu_place place[] = {{.id = 0}, {.id = 1, .sibling = 1}, {.id = 2, .core = 1}};
    static const struct topology topology = {.place_count = 3, .place = place};
    static const int other[] = {-1, -1, -1, 2};
    for (int count = 1; count <= 3; count++) {
        const struct run run = {
            .topology = &topology, .record = record_new(), .cpus = {.count = count, .id = {0, 1, 2}}};
        struct fault fault = {0};
        assert_int_equal(run_other_core(&run, &fault), other[count]);
        assert_int_equal(fault.status, other[count] < 0 ? STATUS_NO_RESOURCE : STATUS_OK);
        assert_true((record_fact_find(run.record, "run.other_cpu") != NULL) == (other[count] >= 0));
        record_free(run.record);
    }
}
