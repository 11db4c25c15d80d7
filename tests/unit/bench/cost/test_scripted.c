/* SPDX-License-Identifier: MIT */
/* Costs of instructions, calls, pages and wakes that take a known time. */
#include "test.h"

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

/* The other CPU's turns take the line away; this one goes on once there were many. */
static atomic_ulong turns;

static uint64_t contends(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    const unsigned long before = atomic_load(&turns);
    if (!is_of_script())
        atomic_fetch_add(&turns, 1);
    while (is_of_script() && atomic_load(&turns) < before + 100)
        sched_yield();
    script_pass(n * m * UNIT);
    return 0;
}

TEST(an_atomic_of_two_cpus_costs_what_it_costs)
{
    static const struct kernel kernel = {.operation = OPERATION_COST, .entry = contends};
    struct topology *topology = topology_load(&fault);
    struct run run = {.record = record_new(), .topology = topology, .clock = &scripted_clock};
    void *own_state = context_new(&contended_experiment, NULL);
    for (int i = 0; i < topology->place_count && i < CPU_LIST_MAX; i++)
        run.cpus.id[run.cpus.count++] = topology->place[i].id;
    const bool are_two = run.cpus.count > 1 && run_other_core(&run, &fault) >= 0;
    const struct experiment *of = &contended_experiment;
    double value = NAN;
    script_begin();
    scripted.is_ns = true; /* however long the other CPU is away */
    if (are_two) {
        struct companion *partner = companion_with(run_other_core(&run, &fault),
                                                   (struct companion_work){of->partner, own_state}, &fault);
        assert_non_null(partner);
        value = of->sample(&(struct point){.own = own_state,
                                           .series = of->series,
                                           .kernel = &kernel,
                                           .x = of->series->range.first,
                                           .iterations = of->iterations,
                                           .clock = &scripted_clock});
        companion_free(partner);
    }
    context_free(of, own_state);
    record_free(run.record);
    topology_free(topology);
    if (!are_two)
        SKIP_BECAUSE("needs two cores");
    assert_float_equal(value, ns(UNIT), 1e-9);
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
