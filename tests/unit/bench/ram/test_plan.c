/* SPDX-License-Identifier: MIT */
/* Which kernels on which working sets, on machines of 16 CPUs, two to a core. */
#include "test.h"

#include "bench/ram/ram.h"

enum { CPUS = 16, L1 = 32 << 10, L2 = 1 << 20, L3 = 32 << 20 };

/* Zero is the usual. */
struct scene {
    int per_l3, step; /* CPUs to an L3; one in so many of them is used; 0: 16, 2 */
    uint64_t threads; /* 0: all */
    uint64_t size;    /* typed; 0: none */
    uint64_t room, page_bytes;
    int line_bytes;
    uint64_t other_l3;   /* bytes of the L3 of CPUs 8 to 15; 0: that of the others */
    unsigned hidden;     /* bit n: no CPU shows its level n */
    int first;           /* CPU that is used */
    bool both;           /* no -t: one thread and all CPUs */
    const char *kernels; /* pattern */
    uint64_t bits;       /* set of widths */
    uint64_t tasks;      /* set of tasks */
    bool all;
};

/* Points refer to sets of the plan, which stays where it is. */
static void make(struct ram_plan *plan, struct scene scene)
{
    const int per_l3 = scene.per_l3 ? scene.per_l3 : CPUS,
              line_bytes = scene.line_bytes ? scene.line_bytes : 64;
    struct cpu_place place[CPUS];
    const struct topology topology = {.cpus = CPUS,
                                      .page_bytes = scene.page_bytes ? scene.page_bytes : 4096,
                                      .place_count = CPUS,
                                      .place = place,
                                      .cache_count = 4,
                                      .cache = {{1, 'd', L1, line_bytes, 8, CPUS / 2},
                                                {2, 'u', L2, line_bytes, 8, CPUS / 2},
                                                {3, 'u', L3, line_bytes, 16, CPUS / per_l3},
                                                {3, 'u', scene.other_l3, line_bytes, 16, 1}}};
    static const struct option_row threads = {.name = "threads"};
    const struct common common = {.given = {!scene.both, {{&threads, "N"}}}};
    const struct ram_params params = {.threads = scene.threads,
                                      .sizes = {scene.size > 0, false, {scene.size}},
                                      .bits = scene.bits,
                                      .tasks = scene.tasks,
                                      .all = scene.all};
    static const struct cpu guest = {.hypervisor = "kvm"};
    struct run run = {.cpu = &guest, .topology = &topology, .common = &common, .record = record_new()};
    struct fault fault = {0};
    const uint64_t shown = ~(uint64_t)scene.hidden >> 1;
    for (int i = 0; i < CPUS; i++)
        place[i] = (struct cpu_place){.id = i,
                                      .core = i / 2,
                                      .l2 = i / 2,
                                      .l3 = i / per_l3,
                                      .kind = -1,
                                      .caches = shown & (scene.other_l3 && i >= CPUS / 2 ? 11 : 7)};
    for (int cpu = scene.first; cpu < CPUS; cpu += scene.step ? scene.step : 2)
        run.cpus.id[run.cpus.count++] = cpu;
    run.kernels = (struct kernel_filter){.allowed = ~(feature_set)0, .name = scene.kernels};
    assert_int_equal(ram_plan_make(plan, &params, &run, scene.room ? scene.room : UINT64_C(1) << 40, &fault),
                     STATUS_OK);
    assert_true(plan->guest);
    record_free(run.record);
}

/* Bytes that all tasks touch; DRAM is level 4; 0: it is left out. */
static uint64_t measured(const struct ram_plan *plan, int level)
{
    for (size_t i = 0; i < plan->point_count; i++)
        if (plan->points[i].level == level)
            return plan->points[i].footprint;
    return 0;
}

/* Parts of a thread's share of each level, and four times the last for memory; where four times the level before are more than a
 * quarter, these. */
TEST(sets_are_parts_of_what_a_thread_has)
{
    static const struct {
        int per_l3, step;
        uint64_t threads, bytes[4];
    } cases[] = {{16, 2, 1, {L1 / 2, L2 / 4, L3 / 4, 4 * L3}},
                 {16, 1, 2, {L1 / 4, L2 / 8, L3 / 8, 2 * L3}}, /* siblings */
                 {16, 2, 2, {L1 / 2, L2 / 4, L3 / 8, 2 * L3}},
                 {16, 1, 16, {L1 / 4, L2 / 8, L3 / 32, L3 / 4}},
                 {4, 1, 16, {L1 / 4, L2 / 8, L3 / 16, L3}},
                 {4, 4, 0, {L1 / 2, L2 / 4, L3 / 4, 4 * L3}}}; /* an L3 for each */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ram_plan plan;
        make(&plan, (struct scene){.per_l3 = cases[i].per_l3,
                                   .step = cases[i].step,
                                   .threads = cases[i].threads,
                                   .kernels = "*_scalar64"});
        for (int level = 1; level <= 4; level++)
            assert_int_equal(measured(&plan, level), cases[i].bytes[level - 1]);
        for (size_t p = 0; p < plan.point_count; p++) {
            const struct ram_point *point = &plan.points[p];
            char level[RAM_NAME], set[RAM_NAME];
            ram_names(&plan, point, level, set);
            assert_int_equal(point->level, point->set->level);
            assert_memory_equal(set, level, strlen(level));
        }
        ram_plan_free(&plan);
    }
}

/* No set that has the name of memory is smaller than four times a last cache of its CPUs, and one of the
 * L3 lies in the smallest. */
TEST(sets_follow_the_caches_of_the_cpus_that_run)
{
    static const struct {
        int first;
        uint64_t threads, l3, memory;
    } cases[] = {
        {0, 1, L3 / 4, 4 * L3},  /* a CPU of the usual L3 */
        {8, 1, L3 / 4, 12 * L3}, /* one of three times as much */
        {0, 0, L3 / 8, 6 * L3},  /* four threads of each, for which a set of the usual L3 must fit */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ram_plan plan;
        char level[RAM_NAME], set[RAM_NAME];
        make(&plan, (struct scene){.per_l3 = 8,
                                   .step = 4,
                                   .first = cases[i].first,
                                   .threads = cases[i].threads,
                                   .other_l3 = 3 * L3,
                                   .kernels = "read_scalar64"});
        assert_int_equal(measured(&plan, 3), cases[i].l3);
        assert_int_equal(measured(&plan, 4), cases[i].memory);
        ram_names(&plan, &plan.points[plan.point_count - 1], level, set);
        assert_string_equal(level, "DRAM");
        ram_plan_free(&plan);
    }
}

/* The name of a point of one set of that size. */
static void check_name(struct scene scene, uint64_t bytes, const char *name)
{
    struct ram_plan plan;
    char level[RAM_NAME], set[RAM_NAME];
    scene.kernels = "read_scalar64";
    scene.size = bytes;
    make(&plan, scene);
    ram_names(&plan, &plan.points[0], level, set);
    assert_string_equal(level, name);
    ram_plan_free(&plan);
}

/* A set that fits the caches of some CPUs, but not those of others, has the names of both levels. */
TEST(a_set_between_two_sizes_of_a_cache_has_both_names)
{
    const struct scene all = {.per_l3 = 8, .step = 8, .other_l3 = 3 * L3};
    check_name(all, L3, "L3");
    check_name(all, L3 + 4096, "L3 or DRAM");
    check_name(all, 3 * L3, "L3 or DRAM");
    check_name(all, 3 * L3 + 4096, "DRAM");
}

/* What is unknown loses its name, never its measurement. Bit 0 stands for no level. */
TEST(sets_that_a_hidden_cache_may_hold_have_no_name)
{
    const struct scene l3_alone = {.threads = 1, .hidden = 6}, nothing = {.threads = 1, .hidden = 14};
    check_name(l3_alone, 16 << 10, "");
    check_name(l3_alone, 4 << 20, "");
    check_name(l3_alone, (4 << 20) + 4096, "L3");
    check_name(nothing, 16 << 10, "");
    check_name(nothing, 64 << 20, "");
    check_name((struct scene){.threads = 1, .hidden = 2}, 256 << 10, "");
    check_name((struct scene){.threads = 1, .hidden = 2}, (256 << 10) + 4096, "L2");
    struct ram_plan plan;
    make(&plan, nothing);
    assert_int_equal(plan.set_count, 4);
    assert_int_equal(plan.sets[0].bytes, 16 << 10);
    assert_true(plan.sets[3].bytes >= 256 << 20);
    ram_plan_free(&plan);
}

/* Beyond the core nothing is chained. */
TEST(latency_is_of_chains_in_the_core_and_of_draws_beyond)
{
    struct ram_plan plan;
    make(&plan, (struct scene){.threads = 1});
    size_t latencies = 0;
    for (size_t i = 0; i < plan.point_count; i++) {
        const struct ram_point *point = &plan.points[i];
        latencies += ram_is_latency(point);
        assert_int_equal(point->kernel->operation == OPERATION_LATENCY,
                         ram_is_latency(point) && ram_is_near(point));
    }
    assert_int_equal(latencies, 4);
    ram_plan_free(&plan);
}

/* Half of the room is used. A set of memory below four times the last cache may lie in either; below its size there is none. */
TEST(little_memory_makes_sets_smaller)
{
    static const struct {
        uint64_t room;
        const char *memory; /* NULL: none */
    } cases[] = {{UINT64_C(16) << 20, NULL},
                 {UINT64_C(300) << 20, NULL},
                 {UINT64_C(340) << 20, "L3 or DRAM"},
                 {UINT64_C(1270) << 20, "L3 or DRAM"},
                 {UINT64_C(1290) << 20, "DRAM"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ram_plan plan;
        make(&plan, (struct scene){.threads = 1, .room = cases[i].room});
        char level[RAM_NAME] = "", set[RAM_NAME];
        for (size_t p = 0; p < plan.point_count; p++)
            if (plan.points[p].level == 4)
                ram_names(&plan, &plan.points[p], level, set);
        assert_string_equal(level, cases[i].memory ? cases[i].memory : "");
        assert_true(measured(&plan, 3) > 0);
        assert_true(ram_plan_memory(&plan) <= (i ? cases[i].room / 2 : cases[i].room));
        ram_plan_free(&plan);
    }
}

/* What could not be filled in time is left out of the set; below the last cache there is none. */
TEST(a_set_of_memory_becomes_smaller)
{
    struct ram_plan plan;
    make(&plan, (struct scene){.threads = 1});
    const struct working_set *memory = &plan.sets[plan.set_count - 1];
    assert_true(ram_is_memory(memory));
    assert_true(ram_plan_shrink(&plan, memory, 2 * L3 + 1));
    assert_false(ram_is_memory(memory));
    assert_int_equal(measured(&plan, 4), 2 * L3);
    assert_false(ram_plan_shrink(&plan, memory, L3));
    ram_plan_free(&plan);
}

/* Each buffer holds what a point of the smaller set needs, and no set grows: a buffer has room for the first size only. */
TEST(each_point_of_a_smaller_set_lies_in_what_was_filled)
{
    for (int task = 0; task <= RAM_TASK_MIX; task++)
        for (uint64_t bytes = L3 / 2; bytes <= 9 * (uint64_t)L3; bytes += L3 / 7 + 4104) {
            struct ram_plan plan;
            make(&plan, (struct scene){.threads = 1, .tasks = UINT64_C(1) << task});
            const struct working_set *memory = &plan.sets[plan.set_count - 1];
            const uint64_t before = memory->bytes;
            const bool shrinks = ram_plan_shrink(&plan, memory, bytes);
            assert_true(memory->bytes <= before && memory->bytes > L3);
            assert_true(shrinks || memory->bytes == before);
            for (size_t i = 0; i < plan.point_count; i++) {
                const struct ram_point *point = &plan.points[i];
                assert_true(point->set != memory || !shrinks ||
                            ram_span(point->kernel, point->kernel_bytes) <= bytes);
            }
            ram_plan_free(&plan);
        }
}

/* Without -t one thread has the sets that it has alone, and all CPUs theirs, but no latency; the first thread's buffers serve both.
 * Where they would take more than half of the room, one thread is measured alone. */
TEST(one_thread_and_all_cpus_are_measured_in_one_run)
{
    struct ram_plan alone, all, both;
    make(&alone, (struct scene){.threads = 1});
    make(&all, (struct scene){.threads = 0});
    make(&both, (struct scene){.threads = 1, .both = true});
    size_t of[RAM_CREWS_MAX] = {0};
    assert_int_equal(both.crew_count, 2);
    for (size_t i = 0; i < both.point_count; i++) {
        const struct ram_point *point = &both.points[i];
        const bool is_of_all = ram_is_of_all(&both, point->set);
        assert_int_equal(point->set->crew->threads, is_of_all ? CPUS / 2 : 1);
        assert_false(is_of_all && ram_is_latency(point));
        of[is_of_all]++;
        both.points[i].passes = 1;
        const struct ram_point *one = ram_point_of_one(&both, point);
        assert_true(one || !is_of_all || point->level == 1);
        assert_true(!one || (is_of_all && one < point && one->kernel == point->kernel &&
                             !ram_is_of_all(&both, one->set)));
    }
    assert_int_equal(of[0], alone.point_count);
    assert_int_equal(of[1] + 4, all.point_count);
    assert_true(ram_plan_memory(&both) < ram_plan_memory(&all) + ram_plan_memory(&alone));
    ram_plan_free(&both);
    make(&both, (struct scene){.threads = 1, .both = true, .room = 64 << 20});
    assert_int_equal(both.crew_count, 1);
    ram_plan_free(&both);
    ram_plan_free(&all);
    ram_plan_free(&alone);
}

/* Memory is as fast for any wide kernel, and its passes are long; a kernel that is asked for is measured. */
TEST(two_kernels_of_a_task_are_measured_in_memory)
{
    for (int named = 0; named < 2; named++) {
        struct ram_plan plan;
        make(&plan, (struct scene){.threads = 1, .kernels = named ? "read_*" : NULL});
        size_t reads[5] = {0};
        for (size_t i = 0; i < plan.point_count; i++)
            reads[plan.points[i].level] += plan.points[i].kernel->operation == OPERATION_READ;
        assert_true(reads[3] > 2 && (named ? reads[4] == reads[3] : reads[4] == 2));
        ram_plan_free(&plan);
    }
}

/* A walk comes to each line once, and to no more than 32 pages before it is through with their lines. */
static void check_chain(const struct ram_plan *plan, const struct ram_point *point, struct scene scene)
{
    static unsigned char seen[L2];
    const uint64_t group = 32 * scene.page_bytes, line = (uint64_t)scene.line_bytes;
    struct chase chase = ram_chain(plan, point);
    chase.data = seen;
    assert_int_equal(chase.stride, line);
    assert_int_equal(chase.count * line, point->bytes);
    assert_true(point->bytes <= plan->near.chain);
    assert_int_equal(chase.group * line, group);
    memset(seen, 0, sizeof seen);
    for (uint64_t step = 0; point->bytes <= sizeof seen && step < chase.count; step++) {
        unsigned char *node = chase_node(&chase, step);
        const uint64_t at = (uint64_t)(node - seen);
        assert_int_equal(at % line, 0);
        assert_int_equal(at / group, step * line / group);
        assert_false(*node);
        *node = 1;
    }
}

TEST(pages_and_lines_are_those_of_the_machine)
{
    for (size_t i = 0; i < 9; i++) {
        const struct scene scene = {
            .threads = 1, .page_bytes = 4096 << 2 * (i / 3), .line_bytes = 64 << i % 3};
        struct ram_plan plan;
        make(&plan, scene);
        assert_int_equal(plan.near.source % scene.page_bytes, 0);
        assert_int_equal(plan.near.target % scene.page_bytes, 0);
        assert_int_equal(plan.near.chain % scene.page_bytes, 0);
        for (size_t p = 0; p < plan.point_count; p++) {
            assert_int_equal(plan.points[p].set->bytes % (uint64_t)scene.line_bytes, 0);
            if (plan.points[p].kernel->operation == OPERATION_LATENCY)
                check_chain(&plan, &plan.points[p], scene);
        }
        ram_plan_free(&plan);
    }
}

TEST(what_is_measured_by_name_joins_no_default_run)
{
    static const struct scene scenes[] = {
        {.threads = 1}, {.threads = 1, .kernels = "read_scalar8"}, {.threads = 1, .bits = 1}};
    for (int i = 0; i < 3; i++) {
        struct ram_plan plan;
        make(&plan, scenes[i]);
        size_t found = 0;
        for (size_t p = 0; p < plan.point_count; p++)
            found += plan.points[p].kernel->by_name;
        assert_int_equal(found > 0, i > 0);
        ram_plan_free(&plan);
    }
}

static size_t groups_of(const struct ram_plan *plan, enum operation operation, int level, bool streaming)
{
    size_t count = 0;
    for (const struct ram_group *group = plan->groups; group < plan->groups + plan->group_count; group++) {
        const struct ram_point *point = &plan->points[group->first];
        bool all = true;
        for (size_t i = 0; i < group->candidates.count; i++)
            all &= (point[i].kernel->store == ACCESS_STREAMING) == streaming;
        count += all && point->kernel->operation == operation && point->level == level;
    }
    return count;
}

/* In memory streaming stores are candidates of their own; in caches they are none at all. */
TEST(mixes_join_a_run_that_asks_for_them)
{
    struct ram_plan plan;
    make(&plan, (struct scene){.threads = 1});
    for (size_t i = 0; i < plan.point_count; i++)
        assert_false(ram_tasks[ram_task_of(plan.points[i].kernel)].buffers);
    ram_plan_free(&plan);
    make(&plan, (struct scene){.threads = 1, .tasks = UINT64_C(1) << RAM_TASK_MIX});
    for (int level = 1; level <= 4; level++)
        for (enum operation operation = OPERATION_UPDATE; operation <= OPERATION_TRIAD; operation++) {
            assert_int_equal(groups_of(&plan, operation, level, false), 1);
            assert_int_equal(groups_of(&plan, operation, level, true),
                             level == 4 && operation != OPERATION_UPDATE);
        }
    assert_int_equal(groups_of(&plan, OPERATION_COPY, 4, true), 1);
    assert_int_equal(groups_of(&plan, OPERATION_WRITE, 4, false), 0);
    for (size_t i = 0; i < plan.point_count; i++) {
        const struct ram_point *point = &plan.points[i];
        assert_true(ram_span(point->kernel, point->kernel_bytes) <= plan.crew->each.target);
        assert_true(point->kernel->method == METHOD_VECTOR || point->kernel->operation == OPERATION_READ);
    }
    ram_plan_free(&plan);
}

/* The first stage has one kernel of each task and level, in memory of each kind of stores, on one thread; the second the same of all
 * CPUs. */
TEST(each_answer_has_a_kernel_in_the_first_stage)
{
    struct ram_plan plan;
    make(&plan, (struct scene){.threads = 1, .both = true});
    assert_int_equal(plan.stages, 3);
    for (const struct ram_group *group = plan.groups; group < plan.groups + plan.group_count; group++) {
        const struct ram_point *first = &plan.points[group->first];
        size_t early = 0;
        unsigned widest = 0;
        for (const struct ram_point *point = first; point < first + group->candidates.count; point++)
            widest = kernel_bits(point->kernel) > widest ? kernel_bits(point->kernel) : widest;
        for (const struct ram_point *point = first; point < first + group->candidates.count; point++) {
            early += point->stage < 2;
            assert_true(point->stage == 2 || (point->stage == 1) == (first->set->crew->threads > 1));
            assert_true(point->stage == 2 || kernel_bits(point->kernel) == widest);
        }
        assert_in_range(early, 1, ram_in_cache(&plan, first) ? 1 : 2);
    }
    ram_plan_free(&plan);
}

/* Every kernel of RAMOMETER's tasks, whatever its width and modes, in each set that has room for it; another
 * choice still holds. */
TEST(all_leaves_no_way_out)
{
    static const struct kernel_filter any = {.allowed = ~(feature_set)0};
    size_t ways[RAM_TASK_COUNT] = {0}, all = 0;
    struct ram_plan usual, whole, copies;
    for (int task = 0; task < RAM_TASK_COUNT; task++) {
        for (const struct kernel *kernel = NULL; (kernel = kernel_next(&any, (enum operation)task, kernel));)
            ways[task]++;
        const bool is_mix = task == OPERATION_UPDATE || task == OPERATION_SCALE || task == OPERATION_ADD ||
                            task == OPERATION_TRIAD;
        all += is_mix ? 0 : ways[task];
    }
    make(&usual, (struct scene){.threads = 1});
    make(&whole, (struct scene){.threads = 1, .all = true});
    make(&copies, (struct scene){.threads = 1, .all = true, .tasks = 1 << OPERATION_COPY});
    assert_true(usual.ways < all);
    assert_int_equal(usual.all_ways, all);
    assert_int_equal(whole.ways, all);
    assert_int_equal(copies.ways, ways[OPERATION_COPY]);
    assert_int_equal(whole.point_count, all * (size_t)whole.set_count);
    assert_int_equal(copies.point_count, ways[OPERATION_COPY] * (size_t)copies.set_count);
    ram_plan_free(&usual);
    ram_plan_free(&whole);
    ram_plan_free(&copies);
}
