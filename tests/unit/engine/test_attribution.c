/* SPDX-License-Identifier: MIT */
/* Which structure a step belongs to, on either side of the limits. test_windows.c has whole cores. */
#include "test.h"

#include "engine/metrics.h"

struct row {
    struct fillers fillers;
    int filler, partner, ended_by;
};

static void check(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct attribution found = attribution_of(&rows[i].fillers);
        print_message("row %zu\n", i);
        assert_int_equal(found.filler, rows[i].filler);
        assert_int_equal(found.partner, rows[i].partner);
        assert_int_equal(found.ended_by, rows[i].ended_by);
    }
}

TEST(two_fillers_that_agree_name_a_structure)
{
    static const struct row rows[] = {
        {{.step = {160, 164}}, 1, 0, -1},      {{.step = {160, 165}}, 0, -1, -1},
        {{.step = {160, 156}}, 0, 1, -1},      {{.step = {160}}, 0, -1, -1},
        {{.step = {0, 160}}, -1, -1, -1},      {{.step = {117, 134, 134}}, 1, 2, -1},
        {{.step = {134, 117, 134}}, 0, 2, -1},
    };
    check(rows, COUNT_OF(rows));
}

/* Fillers that take nothing else must agree where they are asked; but two of them may both share entries. */
TEST(fillers_that_take_nothing_else_must_agree)
{
    static const struct row rows[] = {
        {{.step = {0, 160, 0, 160}, .have_sharers = true}, 1, 3, -1},
        {{.step = {160, 160}, .have_sharers = true}, 0, -1, -1},
        {{.step = {251, 0, 0, 500, 500}, .have_sharers = true}, 0, -1, -1},
        {{.step = {251, 0, 0, 500, 251}, .have_sharers = true}, 0, 4, -1},
        /* Branches may end earlier than the reorder buffer, and a third of branches three times as late. */
        {{.step = {124, 507, 372, 507}, .have_sharers = true}, 1, 3, -1},
        {{.step = {124, 507, 372, 126, 507}, .have_sharers = true}, 1, 4, -1},
        {{.step = {124, 507, 372, 507, 126}, .have_sharers = true}, 1, 3, -1},
        {{.step = {251, 254, 251, 251, 250}, .have_sharers = true}, 0, 3, -1},
        /* Two zeros and four no-operations an entry, both. */
        {{.step = {316, 349, 318, 634, 1268}, .have_sharers = true}, 2, 0, -1},
        {{.step = {318, 318, 0, 636, 1272}, .have_sharers = true}, 0, -1, -1},
        {{.step = {318, 0, 318, 636, 1272}, .bound = {0, 101, 111}, .have_sharers = true}, 0, 2, -1},
        {{.step = {318, 0, 318, 636, 1272}, .bound = {0, 102, 111}, .have_sharers = true}, 0, -1, -1},
        {{.step = {318, 0, 318, 636, 1272}, .bound = {0, 101, 110}, .have_sharers = true}, 0, -1, -1},
        {{.step = {318, 0, 318, 318}, .bound = {0, 318, 106}, .have_sharers = true}, 0, 3, -1},
        {{.step = {318, 349, 318, 628, 1264}, .have_sharers = true}, 0, 2, -1},
        {{.step = {318, 349, 318, 627, 1264}, .have_sharers = true}, 0, -1, -1},
        {{.step = {318, 349, 318, 644, 1288}, .have_sharers = true}, 0, 2, -1},
        {{.step = {318, 349, 318, 645, 1288}, .have_sharers = true}, 0, -1, -1},
        {{.step = {318, 349, 318, 636, 1255}, .have_sharers = true}, 0, -1, -1},
        {{.step = {318, 349, 318, 636, 1289}, .have_sharers = true}, 0, -1, -1},
        {{.step = {318, 349, 318, 636, 0}, .have_sharers = true}, 0, -1, -1},
        {{.step = {0, 318, 318, 636, 1272}, .have_sharers = true}, -1, -1, -1},
        {{.step = {118, 318, 318, 636, 1272}, .have_sharers = true}, 0, -1, -1},
        {{.step = {318, 0, 0, 636, 1272}, .have_sharers = true}, 0, -1, -1},
    };
    check(rows, COUNT_OF(rows));
}

/* Flags, apart and next to each other: Zen 4, Zen 5, a core on which they share nothing. */
TEST(flag_writers_that_share_are_kept_apart)
{
    static const struct row rows[] = {
        {{{116, 116, 0, 232, 232}, {318, 195}, true, 2}, 0, 1, -1},
        {{{183, 182, 0, 361, 364}, {444, 203}, true, 2}, 0, 1, -1},
        {{{155, 155, 0, 230, 230}, {318, 250}, true, 2}, 3, 4, -1},
        {{{185, 182, 0, 361, 364}, {444, 203}, true, 2}, 0, 1, -1},
        {{{120, 120, 0, 209, 209}, {318, 250}, true, 2}, 3, 4, -1},
        {{{120, 120, 0, 210, 210}, {318, 250}, true, 2}, 0, 1, -1},
        {{{120, 100, 0, 209, 209}, {318, 250}, true, 2}, 3, 4, -1},
        {{{150, 151, 0, 318, 318}, {318, 250}, true, 2}, 0, -1, 0},
        {{{150, 150, 0, 318, 318}, {317, 250}, true, 2}, 0, 1, -1},
        {{{140, 100, 0, 280, 280}, {318, 250}, true, 2}, 0, -1, -1},
        {{{100, 100, 0, 290, 290}, {318, 200, 108}, true, 2}, 0, -1, 2},
        {{{100, 100, 0, 200, 200}, {318, 250, 109}, true, 2}, 0, 1, -1},
        {{{155, 155, 0, 230, 230}, {318, 250, 230}, true, 2}, 3, 4, -1},
    };
    check(rows, COUNT_OF(rows));
}

/* A step within the work's own entries of another structure's is that one's; beyond the first none fits. */
TEST(a_step_near_another_structure_is_that_ones)
{
    static const struct row rows[] = {
        {{.step = {160, 160}, .bound = {169}}, 0, 1, -1},
        {{.step = {160, 160}, .bound = {168}}, 0, -1, 0},
        {{.step = {160}, .bound = {168}}, 0, -1, 0},
        {{.step = {160, 160}, .bound = {0, 152}}, 0, -1, 1},
        {{.step = {160, 160}, .bound = {0, 151}}, 0, 1, -1},
        {{.step = {160, 160}, .bound = {0, 168}}, 0, -1, 1},
        {{.step = {160, 160}, .bound = {0, 169}}, 0, 1, -1},
        {{.step = {160, 160}, .bound = {120, 160}}, 0, -1, 0},
        /* The second is none of the third filler's, and the third none of the others'. */
        {{.step = {160, 0, 160}, .bound = {0, 160}}, 0, 2, -1},
        {{.step = {160, 0, 160}, .bound = {0, 0, 168}}, 0, -1, 2},
        {{.step = {160, 0, 160}, .bound = {0, 0, 169}}, 0, 2, -1},
        {{.step = {160, 160}, .bound = {0, 0, 160}}, 0, 1, -1},
    };
    check(rows, COUNT_OF(rows));
}

/* Zen 3 and Zen 4: 251 and 123 branches, 314 and 154, of 256 and 320 entries; taken ones of Zen 3: 45 and 21 of 48. */
TEST(two_threads_split_a_structure_evenly)
{
    static const struct {
        double whole, half, entries;
    } rows[] = {{251, 123, 256}, {314, 154, 320}, {45, 21, 48},  {100, 49, 102}, {101, 50, 0},
                {100, 46, 108},  {101, 46, 0},    {160, 120, 0}, {251, 0, 0},    {0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(attribution_split(rows[i].whole, rows[i].half) == rows[i].entries);
}
