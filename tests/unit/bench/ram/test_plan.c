/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/ram/ram.h"

enum { CPUS = 16, L1 = 32 << 10, L2 = 1 << 20, L3 = 32 << 20 };

/* Two siblings a core, `per_l3` CPUs an L3. */
static void machine(struct topology *topology, struct cpu_place *place, int per_l3)
{
    *topology = (struct topology){.cpus = CPUS,
                                  .place_count = CPUS,
                                  .place = place,
                                  .cache_count = 3,
                                  .cache = {{1, 'd', L1, 64, 8, CPUS / 2},
                                            {2, 'u', L2, 64, 8, CPUS / 2},
                                            {3, 'u', L3, 64, 16, CPUS / per_l3}}};
    for (int i = 0; i < CPUS; i++)
        place[i] = (struct cpu_place){.id = i, .core = i / 2, .l2 = i / 2, .l3 = i / per_l3, .kind = -1};
}

static struct run a_run(const struct topology *topology, const struct common *common, int step)
{
    struct run run = {.topology = topology, .common = common};
    for (int cpu = 0; cpu < CPUS; cpu += step)
        run.cpus.id[run.cpus.count++] = cpu;
    run.kernels = (struct kernel_filter){.allowed = ~(feature_set)0, .name = "*_scalar64"};
    run.record = record_new();
    return run;
}

static enum status make(struct ram_plan *plan, int per_l3, int step, uint64_t threads, uint64_t room)
{
    struct cpu_place place[CPUS];
    struct topology topology;
    const struct common common = {0};
    const struct ram_params params = {.threads = threads};
    struct fault fault = {0};
    machine(&topology, place, per_l3);
    struct run run = a_run(&topology, &common, step);
    const enum status status = ram_plan_make(plan, &params, &run, room, &fault);
    record_free(run.record);
    return status;
}

/* That all tasks have; DRAM is level 4. */
static const struct ram_point *at_level(const struct ram_plan *plan, int level)
{
    for (size_t i = 0; i < plan->point_count; i++)
        if (plan->points[i].level == level && !plan->points[i].set->chased_only)
            return &plan->points[i];
    return NULL;
}

static void labels_agree_with_levels(void **state)
{
    static const struct {
        int per_l3, step;
        uint64_t threads;
    } cases[] = {{16, 1, 1}, {16, 2, 8}, {4, 1, 16}, {4, 2, 8}, {2, 1, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ram_plan plan;
        assert_int_equal(make(&plan, cases[i].per_l3, cases[i].step, cases[i].threads, UINT64_C(1) << 40),
                         STATUS_OK);
        for (size_t p = 0; p < plan.point_count; p++) {
            const struct ram_point *point = &plan.points[p];
            const char *level = ram_level(&plan, point);
            assert_int_equal(point->level, point->set->level);
            assert_memory_equal(point->set->label, level, strlen(level));
            assert_true(ram_is_latency(point) || !point->set->chased_only);
        }
        ram_plan_free(&plan);
    }
}

static void memory_is_four_times_each_last_cache(void **state)
{
    struct ram_plan plan;
    assert_int_equal(make(&plan, 4, 1, 16, UINT64_C(1) << 40), STATUS_OK);
    assert_int_equal(at_level(&plan, 4)->footprint * 4, UINT64_C(4) * L3); /* four CPUs share one */
    ram_plan_free(&plan);
    assert_int_equal(make(&plan, 4, 4, 4, UINT64_C(1) << 40), STATUS_OK);
    assert_int_equal(at_level(&plan, 4)->footprint, UINT64_C(4) * L3); /* an L3 for each */
    ram_plan_free(&plan);
}

static void siblings_share_the_first_levels(void **state)
{
    struct ram_plan plan;
    assert_int_equal(make(&plan, 16, 1, 2, UINT64_C(1) << 40), STATUS_OK);
    assert_int_equal(at_level(&plan, 1)->footprint, L1 / 4);
    assert_int_equal(at_level(&plan, 2)->footprint, L2 / 4);
    ram_plan_free(&plan);
    assert_int_equal(make(&plan, 16, 2, 2, UINT64_C(1) << 40), STATUS_OK);
    assert_int_equal(at_level(&plan, 1)->footprint, L1 / 2);
    ram_plan_free(&plan);
}

static void little_memory_makes_sets_smaller(void **state)
{
    const uint64_t room = 16 << 20;
    struct ram_plan plan;
    assert_int_equal(make(&plan, 16, 1, 1, room), STATUS_OK);
    assert_null(at_level(&plan, 4));
    assert_non_null(at_level(&plan, 3));
    assert_true(ram_plan_memory(&plan) <= room);
    ram_plan_free(&plan);
}

/* A level is chased from where hardly anything lies in the one before, in steps of two. */
static void levels_are_chased_at_several_sizes(void **state)
{
    struct ram_plan plan;
    uint64_t last = 0;
    assert_int_equal(make(&plan, 16, 2, 1, UINT64_C(1) << 40), STATUS_OK);
    for (size_t i = 0; i < plan.point_count; i++) {
        const struct ram_point *point = &plan.points[i];
        if (!ram_is_latency(point))
            continue;
        assert_true(point->footprint > last);
        assert_true(point->level != 3 || point->footprint >= 4 * L2);
        last = point->footprint;
    }
    assert_int_equal(at_level(&plan, 3)->footprint, L3 / 2);
    ram_plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_agree_with_levels),
        cmocka_unit_test(memory_is_four_times_each_last_cache),
        cmocka_unit_test(siblings_share_the_first_levels),
        cmocka_unit_test(levels_are_chased_at_several_sizes),
        cmocka_unit_test(little_memory_makes_sets_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
