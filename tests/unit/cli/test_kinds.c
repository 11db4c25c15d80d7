/* SPDX-License-Identifier: MIT */
/* Commands that measure one core, on a machine with several kinds of cores. */
#include "test.h"

#include "cli/kinds.h"

#include "../engine/simulated_lab.h"
#include "engine/levels.h"
#include "result/subject.h"

/* What the simulated kinds are, by the row of the topology. */
enum { KINDS = 3, NO_CPU = 2, CPUS = 6, KI = 1024 };
static const struct truth {
    const char *name;
    double ghz, entries, cache_bytes;
} truths[KINDS] = {
    {"Golden Cove", 5.2, 112, 48 * KI}, {"Gracemont", 3.7, 80, 32 * KI}, {"Crestmont", 2.5, 60, 64 * KI}};

static struct cpu_place places[CPUS];
static struct topology topology;
static struct clock clock_here;

/* CPUs 0 and 1 are of the first kind, 2 to 5 of the second; of the third none is allowed. */
static int set_up(void **state)
{
    topology = (struct topology){.place = places, .place_count = CPUS, .kind_count = KINDS};
    for (int i = 0; i < CPUS; i++)
        places[i] = (struct cpu_place){.id = i, .core = i, .kind = i < 2 ? 0 : 1};
    for (int i = 0; i < KINDS; i++)
        topology.kind[i] = (struct core_kind){.name = truths[i].name, .rank = KINDS - i};
    clock_calibrate(&clock_here);
    return 0;
}

AROUND_ALL(set_up, NULL)

static int kind_of(const struct run *run)
{
    return (int)(topology_kind(run->topology, run->cpus.id[0]) - run->topology->kind);
}

/* What one run of the command saw. */
static struct seen {
    int kind, cpus;
    double budget_s;
} seen[KINDS];
static int runs;
static double clock_ghz; /* the lowest reading that the run reports */

static bool never(void *context)
{
    return false;
}

static struct record *record_after(enum status (*measure)(struct run *run, struct fault *fault),
                                   struct cpu_list cpus, struct common common, enum status wanted)
{
    struct command command = {.name = "try", .measures = true, .one_core = true, .run = measure};
    struct core_clock core_clock = {.clock = &clock_here};
    struct fault fault = {0}, taken = {0};
    struct run run = {.command = &command,
                      .common = &common,
                      .topology = &topology,
                      .cpus = cpus,
                      .clock = &clock_here,
                      .core_clock = &core_clock,
                      .record = record_new(),
                      .interrupted = never,
                      .taken = &taken};
    runs = 0;
    assert_int_equal(kinds_run(&run, &fault), wanted);
    assert_int_equal(fault.status, wanted);
    clock_ghz = quantile_of(core_clock.ghz.value, core_clock.ghz.count, 0);
    core_clock_free(&core_clock);
    return run.record;
}

static const struct cpu_list all_kinds = {.all_kinds = true, .count = CPUS, .id = {0, 1, 2, 3, 4, 5}};

static void take_note(const struct run *run)
{
    seen[runs++] = (struct seen){kind_of(run), run->cpus.count, run->common->time_budget};
}

/* The simulated machine: a step behind the last entry, a level of a cache, and an operation of 4 cycles. */
static double sample(const struct point *point)
{
    const struct truth *truth = *(const struct truth *const *)point->series->row;
    struct sim *sim = point->own;
    struct levels levels = {.base = log(4), .count = 1};
    levels.of[0] = (struct level){log(truth->cache_bytes), log(10), log(0.03)};
    const double cycles =
        strcmp(point->series->name, "stores") == 0 ? ((double)point->x > truth->entries ? 600 : 300)
        : strcmp(point->series->name, "sets") == 0 ? levels_time(&levels, log((double)point->x))
                                                   : 4;
    return sim_work(sim, cycles * 1000 * (1 + 0.003 * fabs(sim_normal(sim))), 0, 0) * 1e9 / 1000;
}

static double height(const struct point *point)
{
    return 300 / (*(const struct truth *const *)point->series->row)->ghz;
}

static const struct truth *here;
static const struct series
    stores[] = {{.name = "stores", .range = {1, 200}, .row = &here}, {0}},
    sets[] = {{.name = "sets", .range = {4 * KI, 512 * KI, KI, 8}, .row = &here, .apart = true}, {0}},
    operations[] = {{.name = "operation", .range = {1, 1}, .row = &here}, {0}};
static const struct metric of_stores[] =
    {{.key = "entries", .label = "entries", .unit = "entries", .kind = METRIC_JUMP, .series = "stores"}, {0}},
                           of_sets[] = {{.key = "bytes",
                                         .label = "bytes",
                                         .unit = "Byte",
                                         .kind = METRIC_CACHE_SIZE,
                                         .series = "sets",
                                         .last = 512 * KI,
                                         .cache.level = 1},
                                        {0}},
                           of_operations[] = {{.key = "cost",
                                               .label = "cost",
                                               .unit = "cycles",
                                               .kind = METRIC_VALUE,
                                               .series = "operation"},
                                              {0}};

static enum status simulate(struct run *run, struct fault *fault)
{
    const struct experiment experiments[] = {
        {.series = stores, .metrics = of_stores, .sample = sample, .height = height},
        {.series = sets, .metrics = of_sets, .sample = sample},
        {.series = operations, .metrics = of_operations, .sample = sample}};
    here = &truths[kind_of(run)];
    const struct sim_script script = {.ghz = here->ghz};
    for (size_t i = 0; i < COUNT_OF(experiments); i++) {
        struct sim sim;
        const size_t rounds = 200;
        sim_start(&sim, &script, i + 1);
        sim_measured(&sim, &experiments[i], &sim, run->record,
                     (struct engine_effort){.rounds = rounds, .least = rounds, .most = rounds, .samples = 1},
                     -1);
    }
    for (int i = 0; i < 9; i++)
        core_clock_keep(run->core_clock, here->ghz);
    return STATUS_OK;
}

TEST(each_kind_has_its_own_values)
{
    struct record *record = record_after(simulate, all_kinds, (struct common){0}, STATUS_OK);
    for (int kind = 0; kind < NO_CPU; kind++) {
        const struct truth *truth = &truths[kind];
        const struct {
            const char *key;
            double value, off;
        } expected[] = {{"entries", truth->entries, 0},
                        {"bytes", truth->cache_bytes, 0.03 * truth->cache_bytes},
                        {"cost", 4, 0.1}};
        for (size_t i = 0; i < COUNT_OF(expected); i++) {
            const struct answer *answer = record_answer_find_kind(record, expected[i].key, truth->name, NULL);
            const double value = answer ? cell_number(&answer->value) : NAN;
            if (!(fabs(value - expected[i].value) <= expected[i].off) || answer->trust == TRUST_LOW)
                fail_msg("%s of %s: %g", expected[i].key, truth->name, value);
        }
    }
    assert_true(clock_ghz > 0 && fabs(clock_ghz - truths[0].ghz) < 0.1);
    const struct answer *first = record_answer_find(record, "entries", NULL);
    assert_string_equal(first->kind, truths[0].name);
    record_free(record);
}

static enum status answer_twice(struct run *run, struct fault *fault)
{
    static const struct column column = {"x", "x", NULL, CELL_INTEGER, ROLE_PARAMETER};
    static const struct table_spec spec = {.name = "points", .columns = &column, .column_count = 1};
    take_note(run);
    record_table_add(run->record, &spec);
    for (int i = 0; i < 2; i++)
        record_answer(run->record, (struct answer){.key = i ? "second" : "first",
                                                   .label = i ? "second" : "first",
                                                   .value = INTEGER_CELL(run->cpus.id[0]),
                                                   .trust = TRUST_HIGH});
    record_warning(run->record, "all", "said of all");
    record_warning(run->record, "one", "said of CPU %d", run->cpus.id[0]);
    RECORD_FACTS(run->record, {"plan.seconds", "time", "s", REAL_CELL(kind_of(run) + 1)},
                 {"plan.cpu", "CPU", NULL, INTEGER_CELL(run->cpus.id[0])});
    return STATUS_OK;
}

TEST(a_kind_is_measured_on_its_own_cpus)
{
    struct record *record = record_after(answer_twice, all_kinds, (struct common){0}, STATUS_OK);
    assert_int_equal(runs, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(seen[i].kind, i);
        assert_int_equal(seen[i].cpus, i == 0 ? 2 : 4);
        assert_string_equal(record->tables.of[i].kind, truths[i].name);
        assert_ptr_equal(record->tables.of[i].record, record);
        assert_int_equal(record_answer_find_kind(record, "second", truths[i].name, NULL)->value.integer,
                         2 * i);
    }
    record_free(record);
}

TEST(a_kind_without_cpus_says_why)
{
    struct record *record = record_after(answer_twice, all_kinds, (struct common){0}, STATUS_OK);
    const struct answer *none = record_answer_find_kind(record, "first", truths[NO_CPU].name, NULL);
    assert_false(cell_has_value(&none->value));
    assert_non_null(none->remark);
    assert_true(none->unpromised);
    assert_int_equal(record->answers.count, 2 * KINDS);
    record_free(record);
}

/* Without all-kinds, the kind of the first CPU: a second CPU may then be of another one. */
TEST(a_list_of_cpus_is_of_one_kind)
{
    static const struct cpu_list lists[] = {{.count = CPUS, .id = {0, 1, 2, 3, 4, 5}},
                                            {.count = 2, .id = {3, 0}}};
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        struct record *record = record_after(answer_twice, lists[i], (struct common){0}, STATUS_OK);
        assert_int_equal(runs, 1);
        assert_int_equal(seen[0].cpus, lists[i].count);
        assert_int_equal(record->answers.count, 2);
        assert_string_equal(record->answers.of[0].kind, truths[i].name);
        record_free(record);
    }
}

TEST(one_kind_has_no_name)
{
    topology.kind_count = 1;
    struct record *record = record_after(answer_twice, all_kinds, (struct common){0}, STATUS_OK);
    topology.kind_count = KINDS;
    assert_int_equal(runs, 1);
    assert_null(record->answers.of[0].kind);
    assert_null(record->tables.of[0].kind);
    assert_int_equal(seen[0].cpus, CPUS);
    record_free(record);
}

TEST(warnings_name_the_kind_unless_all_give_them)
{
    struct record *record = record_after(answer_twice, all_kinds, (struct common){0}, STATUS_OK);
    size_t all = 0, one = 0;
    for (size_t i = 0; i < record->warnings.count; i++) {
        const struct warning *warning = &record->warnings.of[i];
        all += strcmp(warning->code, "all") == 0;
        if (strcmp(warning->code, "one") == 0)
            assert_has(warning->text, truths[one++].name);
    }
    assert_int_equal(all, 1);
    assert_int_equal(one, 2);
    record_free(record);
}

TEST(times_add_up)
{
    struct record *record =
        record_after(answer_twice, all_kinds, (struct common){.dry_run = true, .time_budget = 8}, STATUS_OK);
    assert_true(record_fact_number(record, "plan.seconds") == 3);
    assert_true(record_fact_number(record, "plan.cpu") == 0);
    assert_true(record_fact_number(record, "plan.cpu_gracemont") == 2);
    assert_true(seen[0].budget_s == 4 && seen[1].budget_s == 4);
    record_free(record);
    record_free(record_after(answer_twice, all_kinds, (struct common){.time_budget = 8}, STATUS_OK));
    assert_true(seen[0].budget_s <= 4 && seen[1].budget_s > 7 && seen[1].budget_s <= 8);
    struct run run = {.topology = &topology, .cpus = all_kinds};
    assert_int_equal(kinds_turns(&run, &(struct command){.one_core = true}), 2);
    assert_int_equal(kinds_turns(&run, &(struct command){0}), 1);
}

static enum status fail_on_second(struct run *run, struct fault *fault)
{
    return kind_of(run) == 1 ? fault_set(fault, STATUS_UNSUPPORTED, "no such sibling: give another CPU")
                             : answer_twice(run, fault);
}

static enum status fail_always(struct run *run, struct fault *fault)
{
    return fault_set(fault, STATUS_USAGE, "cannot be");
}

TEST(a_fault_of_one_kind_leaves_the_others)
{
    struct record *record = record_after(fail_on_second, all_kinds, (struct common){0}, STATUS_OK);
    assert_true(cell_has_value(&record_answer_find_kind(record, "first", truths[0].name, NULL)->value));
    const struct answer *none = record_answer_find_kind(record, "first", truths[1].name, NULL);
    assert_false(cell_has_value(&none->value));
    assert_string_equal(none->remark, "no such sibling");
    record_free(record);
    record_free(record_after(fail_always, all_kinds, (struct common){0}, STATUS_USAGE));
}
