/* SPDX-License-Identifier: MIT */
/* Which metrics a command line asks for, and what these need. */
#include "test.h"

#include "engine/metrics.h"
#include "uarchprobe/memory.h"

static const struct series series[] = {{.name = "x"}, {.name = "y"}, {.name = "z"}, {.name = "unread"}, {0}};
static const struct metric metrics[] = {
    {.key = "second opinion", .kind = METRIC_JUMP, .series = "y"},
    {.key = "a",
     .label = "a",
     .kind = METRIC_JUMP,
     .series = "x",
     .agrees = {"second opinion"},
     .operand = "one"},
    {.key = "b", .label = "b", .kind = METRIC_VALUE, .series = "z", .operand = "two", .in_quick = true},
    {.key = "c", .label = "c", .kind = METRIC_RATIO, .metrics = {"a", "b"}, .operand = "one"},
    {.key = "d", .label = "d", .kind = METRIC_VALUE, .series = "z", .operand = "trap", .by_name = true},
    {.key = "e", .label = "e", .kind = METRIC_VALUE, .series = "z"},
    {0}};
static const struct experiment rows = {.series = series, .metrics = metrics},
                               other = {.series = series, .metrics = metrics + 4};

/* needs: one letter for each metric, n(ot), b(y others), a(sked). */
TEST(operands_and_reports_ask_for_metrics)
{
    static const struct {
        const char *operands[3], *needs, *series;
        bool in_report, quick;
    } cases[] = {
        {{0}, "baaana", "xyz", false, false},      {{0}, "baaana", "xyz", false, true},
        {{0}, "baaana", "xyz", true, false},       {{0}, "nnanna", "z", true, true},
        {{"two"}, "nnannn", "z", false, false},    {{"one"}, "babann", "xyz", false, false},
        {{"trap"}, "nnnnan", "z", false, false},   {{"two", "trap"}, "nnanan", "z", false, true},
        {{"nothing"}, "nnnnnn", "", false, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct common common = {.quick = cases[i].quick};
        struct run run = {.common = &common, .in_report = cases[i].in_report};
        bool any;
        while (cases[i].operands[run.operand_count])
            run.operand_count++;
        run.operands = (char *const *)cases[i].operands;
        enum need *need = needs_of(&rows, &run, &any);
        const struct lab lab = {.experiment = &rows, .metrics = strlen(cases[i].needs), .need = need};
        for (size_t c = 0; c < lab.metrics; c++)
            assert_int_equal(need[c], strchr("nba", cases[i].needs[c]) - "nba");
        assert_int_equal(any, strchr(cases[i].needs, 'a') != NULL);
        for (size_t s = 0; s < 3; s++)
            assert_int_equal(series_is_needed(&lab, &series[s]),
                             strstr(cases[i].series, series[s].name) != NULL);
        assert_true(series_is_needed(&lab, &series[3]));
        free(need);
    }
}

TEST(operands_are_listed_once_in_order_and_others_are_refused)
{
    static const struct experiment *const experiments[] = {&rows, &other, NULL};
    static const char *const words[] = {"one", "two", "trap"};
    static const struct {
        char typed[8];
        const char *nearest;
    } cases[] = {{"trp", "mean trap"}, {"three", "--help"}};
    const struct common common = {0};
    char one[] = "one", typed[8], *operands[] = {one, typed};
    struct run run = {.common = &common, .operand_count = 2, .operands = operands};
    for (size_t n = 0; n < COUNT_OF(words); n++)
        assert_string_equal(experiments_operand(experiments, n), words[n]);
    assert_null(experiments_operand(experiments, COUNT_OF(words)));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fault fault = {0};
        strcpy(typed, cases[i].typed);
        assert_int_equal(experiments_run(experiments, &run, &fault), STATUS_USAGE);
        assert_non_null(strstr(fault.text, typed));
        assert_non_null(strstr(fault.text, cases[i].nearest));
    }
}

static int opened;

static enum status note_opened(struct run *run, void **own, struct fault *fault)
{
    opened++;
    return STATUS_OK;
}

static double constant(const struct point *point)
{
    return 7;
}

static bool goes_on(void *context)
{
    return false;
}

static uint64_t everything(const struct run *run, const void *own)
{
    return UINT64_MAX / 4;
}

static uint64_t nothing(const struct run *run, const void *own)
{
    return 0;
}

/* Runs two experiments, of which one needs memory, on the machine at hand. */
static struct record *record_of_needy(struct experiment needy, bool alone, struct fault *fault)
{
    static const struct series one[] = {{.name = "one", .range = {1, 1}}, {0}};
    static const struct metric
        large[] = {{.key = "large.value", .label = "large", .unit = "ns", .series = "one"},
                   {.key = "hidden", .series = "one"},
                   {0}},
        small[] = {{.key = "small.value", .label = "small", .unit = "ns", .series = "one"}, {0}};
    const struct experiment cheap = {
        .name = "cheap", .series = one, .metrics = small, .sample = constant, .any_state = true};
    needy.name = "needy";
    needy.series = one;
    needy.metrics = large;
    needy.sample = constant;
    needy.open = note_opened;
    needy.any_state = true;
    const struct experiment *const rows_of_both[] = {&needy, alone ? NULL : &cheap, NULL};
    const struct common common = {.repeat = 2};
    static struct run run;
    struct clock clock;
    struct core_clock core_clock = {0};
    struct fault taken = {0};
    struct topology *topology = topology_load(fault);
    assert_non_null(topology);
    clock_calibrate(&clock);
    run = (struct run){.common = &common,
                       .topology = topology,
                       .clock = &clock,
                       .core_clock = &core_clock,
                       .record = record_new(),
                       .interrupted = goes_on,
                       .taken = &taken};
    assert_int_equal(topology_select(topology, NULL, &run.cpus, fault), STATUS_OK);
    core_clock_init(&core_clock, &clock);
    opened = 0;
    experiments_run(rows_of_both, &run, fault);
    core_clock_free(&core_clock);
    topology_free(topology);
    return run.record;
}

TEST(what_needs_more_memory_than_there_is_becomes_a_row_with_its_reason)
{
    static const struct memory_row all = {.bytes = UINT64_MAX / 4}, least = {.bytes = 1, .least = everything};
    static const struct experiment cases[] = {{.memory = &all}, {.memory = &least}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fault fault = {0};
        struct record *record = record_of_needy(cases[i], false, &fault);
        assert_int_equal(fault.status, STATUS_OK);
        assert_int_equal(opened, 0);
        const struct answer *large = record_answer_find(record, "large.value", NULL),
                            *small = record_answer_find(record, "small.value", NULL);
        assert_non_null(large);
        assert_false(cell_has_value(&large->value));
        assert_has(large->remark, "needs");
        assert_int_equal(large->trust, TRUST_LOW);
        assert_null(record_answer_find(record, "hidden", NULL));
        assert_non_null(small);
        assert_true(cell_number(&small->value) == 7);
        record_free(record);
        record = record_of_needy(cases[i], true, &fault);
        assert_int_equal(fault.status, STATUS_NO_RESOURCE);
        assert_int_equal(record->answers.count, 0);
        assert_int_equal(opened, 0);
        record_free(record);
    }
}

TEST(what_has_a_smaller_form_is_measured)
{
    struct fault fault = {0};
    static const struct memory_row row = {.bytes = UINT64_MAX / 4, .least = nothing};
    struct record *record = record_of_needy((struct experiment){.memory = &row}, false, &fault);
    assert_int_equal(fault.status, STATUS_OK);
    assert_int_equal(opened, 1);
    assert_true(cell_number(&record_answer_find(record, "large.value", NULL)->value) == 7);
    record_free(record);
}
