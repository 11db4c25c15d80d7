/* SPDX-License-Identifier: MIT */
/* Which numbers of stores the litmus test takes. */
#include "test.h"

#include "passing.h"

static struct sb_points points;

static void choose(int address, size_t first, size_t last, size_t entries)
{
    const struct sb_params params = {.address = address, .stores = {.first = first, .last = last}};
    points = (struct sb_points){0};
    sb_points_choose(&points, &params, entries);
}

static bool has(enum sb_filling filling, bool late, size_t stores)
{
    for (size_t i = 0; i < points.points; i++)
        if (points.point[i].filling == filling && points.point[i].late == late &&
            points.point[i].stores == stores)
            return true;
    return false;
}

TEST(all_numbers_behind_the_buffer)
{
    for (size_t entries = 16; entries <= 144; entries += 8) {
        choose(SB_ADDRESS_AUTO, 0, 0, entries);
        for (int late = 0; late < 2; late++)
            for (enum sb_filling f = FILL_TWO; f <= FILL_APART; f++) {
                assert_true(has(f, late, entries / 2) && has(f, late, entries));
                for (size_t more = 1; more <= 12; more++)
                    assert_true(has(f, late, entries + more));
                assert_true(has(f, late, entries + 16) && has(f, late, entries + 32));
            }
        assert_true(has(FILL_WORD, true, entries));
        assert_int_equal(points.point[points.points - 1].filling, FILL_WORD);
        assert_true(points.point[points.points - 1].stores >= SB_MERGED * entries);
        assert_false(has(FILL_WORD, true, entries + 1));
    }
}

static bool is_wanted(const struct sb_passing *passing, size_t stores)
{
    const struct sb_point point = {FILL_TWO, true, stores};
    return sb_points_wants(&points, &point, passing, 1);
}

TEST(larger_numbers_wait_for_fewer_than_four)
{
    struct sb_passing *passing = passing_new();
    choose(SB_ADDRESS_AUTO, 0, 0, WHOLE);
    passing->sum.most = 74; /* 75, 76, 80 and 96 remain */
    assert_true(is_wanted(passing, 96));
    assert_false(is_wanted(passing, 128));
    passing->sum.most = 75;
    assert_true(is_wanted(passing, 128));
    passing_free(passing);
}

TEST(what_was_passed_often_is_done)
{
    struct sb_passing *passing = passing_new();
    const struct sb_block often = block_of(FILL_TWO, true, 70, 1000, 100),
                          seldom = block_of(FILL_TWO, true, 71, 1000, 99);
    const struct sb_point early = {FILL_TWO, false, 90};
    choose(SB_ADDRESS_AUTO, 0, 0, WHOLE);
    sb_passing_add(passing, &often);
    sb_passing_add(passing, &seldom);
    assert_false(is_wanted(passing, 70));
    assert_true(is_wanted(passing, 71));
    assert_true(is_wanted(passing, 72));
    assert_false(sb_points_wants(&points, &early, passing, 1));
    assert_true(sb_points_wants(&points, &early, passing, 4));
    passing_free(passing);
}

TEST(what_is_asked_for_is_taken)
{
    choose(SB_ADDRESS_AUTO, 1, 8, WHOLE);
    for (size_t stores = 1; stores <= 8; stores++)
        assert_true(has(FILL_TWO, false, stores) && has(FILL_WORD, true, stores));
    assert_int_equal(points.points, 8 * 4 * 2);
    choose(STORES_PAGES + 1, 1, 8, WHOLE);
    assert_true(has(FILL_PAGES, true, 8));
    assert_int_equal(points.points, 8 * 2);
    choose(STORES_LINE + 1, 0, 0, WHOLE);
    assert_true(has(FILL_LINE, true, SB_MERGED * WHOLE));
}

TEST(an_unknown_buffer_has_points_too)
{
    choose(SB_ADDRESS_AUTO, 0, 0, 0);
    assert_true(points.points > 0 && points.number[points.numbers - 1] > 144);
    choose(SB_ADDRESS_AUTO, 0, 0, 4);
    assert_true(has(FILL_APART, true, 1) && has(FILL_APART, true, 8));
}
