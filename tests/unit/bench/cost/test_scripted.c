/* SPDX-License-Identifier: MIT */
/* Costs of instructions, calls, pages and wakes that take a known time. */
#include "test.h"

#include <limits.h>

#include "../scripted.h"
#include "bench/cost/cost.h"
#include "engine/arena.h"
#include "engine/companion.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/run.h"

static struct fault fault;

static double ns(double ticks)
{
    return ticks * scripted_clock.ns_per_tick;
}

/* n units in an iteration, m iterations. */
enum { UNIT = 6 };

static uint64_t units(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(n * m * UNIT);
    return 0;
}

TEST(instructions_are_as_many_as_were_asked_for)
{
    static const struct kernel kernel = {.operation = OPERATION_COST, .entry = units};
    script_begin();
    void *own = context_new(&atomics_experiment, NULL);
    atomics_experiment.work(&(struct point){.own = own, .kernel = &kernel, .x = 5, .iterations = 9});
    context_free(&atomics_experiment, own);
    assert_int_equal(scripted.ticks, 5 * 9 * UNIT);
}

/* 32 branches a word; of fresh bits half are missed. */
enum { BRANCH = 3, MISS = 40 };

static uint64_t branches(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    const uint32_t *words = a;
    for (uint64_t i = 0; i < m; i++)
        script_pass(32 * BRANCH + (words[i] == 0 || words[i] == UINT32_MAX ? 0 : 16 * MISS));
    return 0;
}

/* Ticks of one of x in an iteration. */
static double ticks_of(const struct series *series, uint64_t x)
{
    static const struct kernel kernel = {.operation = OPERATION_BRANCH, .entry = branches};
    void *own = context_new(&mispredict_experiment, NULL);
    struct point point = {.own = own,
                          .series = series,
                          .kernel = &kernel,
                          .x = x,
                          .iterations = mispredict_experiment.iterations};
    mispredict_experiment.prepare(&point);
    const uint64_t before = scripted.ticks;
    mispredict_experiment.work(&point);
    context_free(&mispredict_experiment, own);
    return (double)(scripted.ticks - before) / (double)(point.iterations * x);
}

/* x are misses among two branches each, or known branches, which are taken off. */
TEST(a_mispredicted_branch_costs_what_it_costs)
{
    script_begin();
    for (const struct series *series = mispredict_experiment.series; series->name; series++) {
        const bool is_known = strcmp(series->name, "zeros") == 0 || strcmp(series->name, "ones") == 0;
        for (uint64_t x = series->range.first; x <= series->range.last; x += series->range.step)
            assert_float_equal(ticks_of(series, x), is_known ? BRANCH : MISS + 2 * BRANCH, 1e-9);
    }
}

/* The partner may take so many turns at the line, and then waits. */
static atomic_ulong turns, allowed;
static atomic_bool is_waiting;
static unsigned looks;
static unsigned long in_part;

static void allow(unsigned long more)
{
    atomic_store(&is_waiting, false);
    atomic_fetch_add(&allowed, more);
    while (more > 0 && !atomic_load(&is_waiting))
        sched_yield();
}

static uint64_t contends(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    if (is_of_script())
        allow(in_part);
    else {
        atomic_store(&is_waiting, atomic_load(&turns) >= atomic_load(&allowed));
        while (atomic_load(&turns) >= atomic_load(&allowed))
            sched_yield();
        atomic_fetch_add(&turns, 1);
    }
    script_pass(n * m * UNIT);
    return 0;
}

/* The partner takes its turns before a part while this thread looks at the clock for the second time. */
static void look(void)
{
    if (++looks == 2)
        allow(2);
}

/* The time that contended atomics take where a partner takes so many turns in the part. */
static double contended_ns(const struct run *run, struct point *point, unsigned long turns_in_part)
{
    const struct timed_work *work = contended_experiment.series->timed[0];
    struct companion *partner = companion_with(
        run_other_core(run, &fault),
        (struct companion_work){contended_experiment.partner, point->own, .is_counted = true}, &fault);
    assert_non_null(partner);
    point->partner = partner;
    work->prepare(&(struct point){.own = point->own, .kernel = point->kernel});
    while (!atomic_load(&is_waiting))
        sched_yield();
    looks = 0;
    in_part = turns_in_part;
    const double ns = time_work(point, work);
    atomic_store(&allowed, ULONG_MAX);
    companion_free(partner);
    return ns;
}

TEST(an_atomic_of_two_cpus_costs_what_it_costs)
{
    static const struct kernel kernel = {.operation = OPERATION_COST, .entry = contends};
    struct topology *topology = topology_load(&fault);
    struct run run = {.record = record_new(), .topology = topology, .clock = &scripted_clock};
    for (int i = 0; i < topology->place_count && i < CPU_LIST_MAX; i++)
        run.cpus.id[run.cpus.count++] = topology->place[i].id;
    const bool are_two = run.cpus.count > 1 && run_other_core(&run, &fault) >= 0;
    double ns_with[2] = {0};
    for (int i = 0; i < 2 && are_two; i++) {
        void *own_state = context_new(&contended_experiment, NULL);
        struct point point = {.own = own_state,
                              .series = contended_experiment.series,
                              .kernel = &kernel,
                              .clock = &scripted_clock};
        script_begin();
        scripted.is_ns = true; /* however long the other CPU is away */
        scripted.look = look;
        atomic_store(&turns, 0);
        atomic_store(&allowed, 0);
        atomic_store(&is_waiting, false);
        ns_with[i] = contended_ns(&run, &point, i ? 17 : 16);
        context_free(&contended_experiment, own_state);
    }
    record_free(run.record);
    topology_free(topology);
    if (!are_two)
        SKIP_BECAUSE("needs two cores");
    assert_true(isnan(ns_with[0]));
    assert_float_equal(ns_with[1], ns(UNIT), 1e-9);
}

static double sample_of(const struct experiment *of)
{
    struct run run = {.clock = &scripted_clock};
    void *own_state = context_new(of, NULL);
    run.cpus.count = 1;
    run.cpus.id[0] = sched_getcpu();
    assert_int_equal(of->open(&run, &own_state, &fault), STATUS_OK);
    const double value = of->sample(&(struct point){.own = own_state, .clock = &scripted_clock});
    if (of->close)
        of->close(own_state);
    context_free(of, own_state);
    return value;
}

TEST(a_call_of_the_kernel_costs_what_it_costs)
{
    static const struct experiment *const calls[] = {&unmap_page_experiment, &protect_page_experiment,
                                                     &yield_experiment};
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        script_begin();
        scripted.call = 900;
        assert_float_equal(sample_of(calls[i]), ns(900), 1e-9);
    }
}

/* The clock moves from one reading to the next: 64 first touches lie between, or 16 round trips of two
 * wakes each. */
TEST(what_lies_between_two_readings_is_shared_out)
{
    enum { BETWEEN = 64000 };
    script_begin();
    scripted.reading = BETWEEN;
    assert_float_equal(sample_of(&page_fault_experiment), ns(BETWEEN) / 64, 1e-9);
    assert_float_equal(sample_of(&futex_near_experiment), ns(BETWEEN) / (16 * 2), 1e-9);
    assert_float_equal(sample_of(&pipe_near_experiment), ns(BETWEEN) / (16 * 2), 1e-9);
}
