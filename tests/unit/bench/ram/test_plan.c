/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/ram/ram.h"

enum { CPUS = 16, L1 = 32 << 10, L2 = 1 << 20, L3 = 32 << 20 };

/* Two siblings a core, `per_l3` CPUs an L3. */
static uint64_t page_bytes = 4096;
static int line_bytes = 64;
static const char *kernel_name = "*_scalar64";

static void machine(struct topology *topology, struct cpu_place *place, int per_l3)
{
    *topology = (struct topology){.cpus = CPUS,
                                  .page_bytes = page_bytes,
                                  .place_count = CPUS,
                                  .place = place,
                                  .cache_count = 3,
                                  .cache = {{1, 'd', L1, line_bytes, 8, CPUS / 2},
                                            {2, 'u', L2, line_bytes, 8, CPUS / 2},
                                            {3, 'u', L3, line_bytes, 16, CPUS / per_l3}}};
    for (int i = 0; i < CPUS; i++)
        place[i] = (struct cpu_place){.id = i, .core = i / 2, .l2 = i / 2, .l3 = i / per_l3, .kind = -1};
}

static struct run a_run(const struct topology *topology, const struct common *common, int step)
{
    struct run run = {.topology = topology, .common = common};
    for (int cpu = 0; cpu < CPUS; cpu += step)
        run.cpus.id[run.cpus.count++] = cpu;
    run.kernels = (struct kernel_filter){.allowed = ~(feature_set)0, .name = kernel_name};
    run.record = record_new();
    return run;
}

static bool quick;
static uint64_t bits;

static enum status make(struct ram_plan *plan, int per_l3, int step, uint64_t threads, uint64_t room)
{
    struct cpu_place place[CPUS];
    struct topology topology;
    const struct common common = {.quick = quick};
    const struct ram_params params = {.threads = threads, .bits = bits};
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

TEST(labels_agree_with_levels)
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
            char level[RAM_NAME], set[RAM_NAME];
            ram_level(&plan, point, level);
            ram_set_name(&plan, point->set, set);
            assert_int_equal(point->level, point->set->level);
            assert_memory_equal(set, level, strlen(level));
            assert_true(ram_is_latency(point) || !point->set->chased_only);
        }
        ram_plan_free(&plan);
    }
}

TEST(memory_is_four_times_each_last_cache)
{
    struct ram_plan plan;
    assert_int_equal(make(&plan, 4, 1, 16, UINT64_C(1) << 40), STATUS_OK);
    assert_int_equal(at_level(&plan, 4)->footprint * 4, UINT64_C(4) * L3); /* four CPUs share one */
    ram_plan_free(&plan);
    assert_int_equal(make(&plan, 4, 4, 0, UINT64_C(1) << 40), STATUS_OK);
    assert_int_equal(plan.threads, 4);                                 /* --threads all */
    assert_int_equal(at_level(&plan, 4)->footprint, UINT64_C(4) * L3); /* an L3 for each */
    ram_plan_free(&plan);
}

TEST(siblings_share_the_first_levels)
{
    struct ram_plan plan;
    assert_int_equal(make(&plan, 16, 1, 2, UINT64_C(1) << 40), STATUS_OK);
    assert_int_equal(at_level(&plan, 1)->footprint, L1 / 4);
    assert_int_equal(at_level(&plan, 2)->footprint, L2 / 8);
    ram_plan_free(&plan);
    assert_int_equal(make(&plan, 16, 2, 2, UINT64_C(1) << 40), STATUS_OK);
    assert_int_equal(at_level(&plan, 1)->footprint, L1 / 2);
    ram_plan_free(&plan);
}

TEST(little_memory_makes_sets_smaller)
{
    const uint64_t room = 16 << 20;
    struct ram_plan plan;
    assert_int_equal(make(&plan, 16, 1, 1, room), STATUS_OK);
    assert_null(at_level(&plan, 4));
    assert_non_null(at_level(&plan, 3));
    assert_true(ram_plan_memory(&plan) <= room);
    ram_plan_free(&plan);
}

/* As where it is not quick; and not beyond its own limit where there is room for more. */
TEST(a_quick_run_fits_where_any_run_fits)
{
    struct ram_plan plan;
    uint64_t memory[3];
    for (int i = 0; i < 3; i++) {
        quick = i < 2;
        assert_int_equal(make(&plan, 16, 1, 1, i == 0 ? UINT64_C(1) << 40 : 16 << 20), STATUS_OK);
        memory[i] = ram_plan_memory(&plan);
        ram_plan_free(&plan);
    }
    assert_true(memory[1] == memory[2] && memory[1] <= 16 << 20);
    assert_true(memory[0] > memory[1] && memory[0] < 256 << 20);
}

/* A level is chased from where hardly anything lies in the one before, in steps of two. */
TEST(levels_are_chased_at_several_sizes)
{
    struct ram_plan plan;
    uint64_t last = 0;
    kernel_name = "latency_chase";
    assert_int_equal(make(&plan, 16, 2, 1, UINT64_C(1) << 40), STATUS_OK);
    for (size_t i = 0; i < plan.point_count; i++) {
        const struct ram_point *point = &plan.points[i];
        if (!ram_is_latency(point))
            continue;
        assert_true(point->footprint > last);
        assert_true(point->level != 3 || point->footprint >= 4 * L2);
        last = point->footprint;
    }
    assert_int_equal(last, UINT64_C(4) * L3);
    ram_plan_free(&plan);
    kernel_name = "*_scalar64";
}

TEST(a_quarter_of_a_level_is_measured)
{
    struct ram_plan plan;
    assert_int_equal(make(&plan, 16, 2, 1, UINT64_C(1) << 40), STATUS_OK);
    assert_int_equal(at_level(&plan, 1)->footprint, L1 / 2);
    for (int level = 2; level <= 3; level++)
        assert_int_equal(at_level(&plan, level)->footprint, plan.share[level] / 4);
    ram_plan_free(&plan);
    assert_int_equal(make(&plan, 16, 1, 16, UINT64_C(1) << 40), STATUS_OK);
    assert_int_equal(at_level(&plan, 3)->footprint,
                     L3 / 32); /* of 2 MiB; four times an L2 would be all of it */
    ram_plan_free(&plan);
}

/* A walk comes to each line once, and within the core to no more than 32 pages before it is through with their lines. */
static void check_chain(const struct ram_plan *plan, const struct ram_point *point)
{
    static unsigned char seen[L2];
    struct chase chase = ram_chain(plan, point);
    chase.data = seen;
    assert_int_equal(chase.stride, line_bytes);
    assert_int_equal(chase.count * chase.stride, point->bytes);
    assert_int_equal(point->chain_offset % (uint64_t)line_bytes, 0);
    assert_int_equal(chase.group * chase.stride, ram_is_near(point) ? 32 * page_bytes : 0);
    if (point->bytes > sizeof seen)
        return;
    memset(seen, 0, sizeof seen);
    for (uint64_t step = 0; step < chase.count; step++) {
        unsigned char *node = chase_node(&chase, step);
        const uint64_t at = (uint64_t)(node - seen), group = 32 * page_bytes;
        assert_int_equal(at % (uint64_t)line_bytes, 0);
        assert_int_equal(at / group, step * chase.stride / group);
        assert_false(*node);
        *node = 1;
    }
}

TEST(pages_and_lines_are_those_of_the_machine)
{
    static const uint64_t pages[] = {4 << 10, 16 << 10, 64 << 10};
    static const int lines[] = {64, 128, 256};
    for (size_t i = 0; i < 18; i++) {
        struct ram_plan plan;
        kernel_name = i < 9 ? "latency_chase" : "*_scalar64";
        page_bytes = pages[i / 3 % 3];
        line_bytes = lines[i % 3];
        assert_int_equal(make(&plan, 16, 2, 1, UINT64_C(1) << 40), STATUS_OK);
        assert_int_equal(plan.near_source % page_bytes, 0);
        assert_int_equal(plan.near_target % page_bytes, 0);
        for (size_t p = 0; p < plan.point_count; p++) {
            assert_int_equal(ram_is_latency(&plan.points[p]), i < 9);
            assert_int_equal(plan.points[p].set->bytes % (uint64_t)line_bytes, 0);
            if (ram_is_latency(&plan.points[p]))
                check_chain(&plan, &plan.points[p]);
        }
        ram_plan_free(&plan);
    }
    page_bytes = 4096;
    line_bytes = 64;
}

static size_t points_by_name(const char *name, uint64_t widths)
{
    struct ram_plan plan = {0};
    size_t found = 0;
    kernel_name = name;
    bits = widths;
    assert_int_equal(make(&plan, 16, 1, 1, (uint64_t)16 << 30), STATUS_OK);
    for (size_t i = 0; i < plan.point_count; i++)
        found += plan.points[i].kernel->by_name;
    ram_plan_free(&plan);
    kernel_name = "*_scalar64";
    bits = 0;
    return found;
}

TEST(what_is_measured_by_name_joins_no_default_run)
{
    const uint64_t of_8_bits = 1;
    assert_int_equal(points_by_name(NULL, 0), 0);
    assert_true(points_by_name("read_scalar8", 0) > 0);
    assert_true(points_by_name(NULL, of_8_bits) > 0);
}
