/* SPDX-License-Identifier: MIT */
/* Which claims a command line asks for, and what these need. */
#include "test.h"

#include "engine/claims.h"

static const struct series series[] = {{.name = "x"}, {.name = "y"}, {.name = "z"}, {.name = "unread"}, {0}};
static const struct claim claims[] = {
    {.key = "second opinion", .kind = CLAIM_STEP, .from = "y"},
    {.key = "a",
     .label = "a",
     .kind = CLAIM_STEP,
     .from = "x",
     .agrees = {"second opinion"},
     .operand = "one"},
    {.key = "b", .label = "b", .kind = CLAIM_VALUE, .from = "z", .operand = "two", .in_quick = true},
    {.key = "c", .label = "c", .kind = CLAIM_RATIO, .from = "a", .and = "b", .operand = "one"},
    {.key = "d", .label = "d", .kind = CLAIM_VALUE, .from = "z", .operand = "trap", .by_name = true},
    {.key = "e", .label = "e", .kind = CLAIM_VALUE, .from = "z"},
    {0}};
static const struct experiment rows = {.series = series, .claims = claims},
                               other = {.series = series, .claims = claims + 4};

/* needs: one letter for each claim, n(ot), b(y others), a(sked). */
TEST(operands_and_reports_ask_for_claims)
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
        const struct lab lab = {.experiment = &rows, .claims = strlen(cases[i].needs), .need = need};
        for (size_t c = 0; c < lab.claims; c++)
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
