/* SPDX-License-Identifier: MIT */
/* Where pairs are run, in which order, and what estimates of points say. */
#include "test.h"

#include "sets.h"

/* Two loads on one line would be two hits of one, and a page's end one more translation, wherever lines and pages end. */
TEST(every_load_has_a_line_of_one_page)
{
    static const long pages[] = {4096, 16384, 65536}, lines[] = {64, 128, 256};

    for (int p = 0; p < 3; p++) {
        unsigned char *page = aligned_alloc((size_t)pages[p], (size_t)pages[p]);
        assert_non_null(page);
        for (int l = 0; l < 3; l++) {
            const struct chase chain = stlf_chain(page, pages[p], lines[l]);
            bool taken[1024] = {false};
            unsigned char *node = page;

            assert_true(chain.count >= 16);
            chase_link(&chain);
            for (uint64_t i = 0; i < chain.count; i++, node = *(unsigned char **)(void *)node) {
                assert_true(node >= page && node + sizeof(void *) <= page + pages[p]);
                assert_false(taken[(node - page) / lines[l]]);
                taken[(node - page) / lines[l]] = true;
            }
            assert_ptr_equal(node, page);
        }
        free(page);
    }
}

static const struct kernel two = {.operation = OPERATION_FORWARD_FA};
static const struct kernel one = {.operation = OPERATION_FORWARD_SAME_BASE};

TEST(what_may_be_renamed_is_sampled_last)
{
    static const char a[] = "a", b[] = "b", c[] = "c";
    struct stlf_point point[] = {{&two, 0, 0, .series = a},
                                 {&two, 0, 2, .series = b},
                                 {&two, 2, 0, .series = b},
                                 {&one, 0, 2, .series = c}};
    struct stlf_part part = {.point = point, .count = sizeof point / sizeof *point};
    static const struct {
        const char *name;
        size_t first;
        uint64_t last;
    } rows[] = {{b, 1, 2}, {a, 0, 1}, {c, 3, 1}};
    stlf_arrange(&part);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_ptr_equal(part.series[i].name, rows[i].name);
        assert_ptr_equal(part.series[i].row, &point[rows[i].first]);
        assert_int_equal(part.series[i].last, rows[i].last);
    }
    assert_null(part.series[3].name);
}

TEST(a_difference_is_as_unsure_as_both)
{
    struct estimate failed = sets_steady(19.0), forward = sets_steady(6.5);
    failed.high = 19.3;
    forward.low = 6.1;
    forward.second = 6.6;
    forward.summary.count = 30;
    const struct estimate penalty = stlf_difference(&failed, &forward);
    assert_true(fabs(penalty.value - 12.5) < 1e-9);
    assert_true(fabs(penalty.high - 13.0) < 1e-9);
    assert_true(fabs(penalty.second - 12.4) < 1e-9);
    assert_int_equal(penalty.summary.count, 30);
}

/* In some placements of a run, loads at one distance took 3.1 cycles more. */
TEST(what_depends_on_pages_must_hold_at_several_placements)
{
    struct estimate e = sets_steady(0.67);
    assert_int_equal(stlf_judge(&e, STLF_PLACEMENTS_LEAST).trust, TRUST_HIGH);
    e.placements = 3;
    assert_int_equal(stlf_judge(&e, STLF_PLACEMENTS_LEAST).trust, TRUST_LOW);
    e.placements = 8;
    e.placement_high = 3.73;
    assert_int_equal(stlf_judge(&e, STLF_PLACEMENTS_LEAST).trust, TRUST_LOW);
    assert_int_equal(stlf_judge(&e, 0).trust, TRUST_HIGH);
}

/* Is it below 3.6: in both halves, through the interval, by eight samples? */
TEST(a_side_is_sure_where_nothing_lies_on_the_other)
{
    struct estimate e = sets_steady(1);
    assert_int_equal(stlf_judge_side(&e, 3.6).trust, TRUST_HIGH);
    e.high = 3.7;
    assert_int_equal(stlf_judge_side(&e, 3.6).trust, TRUST_MEDIUM);
    e.second = 3.7;
    assert_int_equal(stlf_judge_side(&e, 3.6).leg, LEG_REPETITION);
    e = sets_steady(1);
    e.summary.count = 8;
    assert_int_equal(stlf_judge_side(&e, 3.6).trust, TRUST_HIGH);
    e.summary.count = 7;
    assert_int_equal(stlf_judge_side(&e, 3.6).trust, TRUST_LOW);
    e = sets_steady(1);
    e.unproved = true;
    assert_int_equal(stlf_judge_side(&e, 3.6).trust, TRUST_MEDIUM);
    e = sets_steady(NAN);
    assert_int_equal(stlf_judge_side(&e, 3.6).trust, TRUST_LOW);
}

/* Below nine tenths of L1's latency, of another state where this one's is unknown, and nothing is said of what does not overlap. */
TEST(a_row_says_whether_its_load_is_renamed)
{
    static const struct kernel kernel = {.operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 32};
    static const struct {
        long load;
        enum state state;
        double cycles;
        bool renamed;
    } rows[] = {{0, STATE_IDLE, 3.5, true},
                {0, STATE_IDLE, 3.7, false},
                {0, STATE_ACTIVE, 1, true},
                {32, STATE_IDLE, 0.5, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sets_begin();
        sets_add(&(struct stlf_point){.kernel = &kernel, .load = rows[i].load, .series = "a"},
                 rows[i].cycles);
        sets_are(rows[i].state);
        stlf_rows(&sets.set, NULL, &stlf_renaming);
        assert_int_equal(cell_has_value(record_cell(&sets.run.record->tables.of[0], 0, C_VERDICT)),
                         rows[i].renamed);
    }
}
