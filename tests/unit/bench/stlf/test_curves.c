/* SPDX-License-Identifier: MIT */
/* Curves over pairs, each state by itself: with the knees and the ramp that were measured on Zen 4 (L1 4.0, contained 6.46, renamed
 * up to 24 pairs next to an idle sibling and up to 12 next to a busy one), and those of Zen 5. */
#include "test.h"

#include "sets.h"

enum { L1, FAST_ADDRESS, FAST_DATA, NO_REUSE, BY_OFFSET, ROWS, PAIRS = STLF_UNROLL_MAX, CONTAINED = 3 };

static const struct kernel kernels_of_rows[] = {
    {.operation = OPERATION_LATENCY},
    {.operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 32},
    {.operation = OPERATION_FORWARD_FD_POINTER, .bits = 64, .load_bits = 64},
    {.operation = OPERATION_FORWARD_FD_POINTER_APART, .bits = 64, .load_bits = 64}};

static double zen4(unsigned pairs, unsigned renamed)
{
    static const double beyond[] = {2.58, 4.10, 6.33};
    if (pairs <= renamed)
        return 0.996;
    return pairs <= renamed + 3 ? beyond[pairs - renamed - 1] : 6.4 + 0.5 * fmin(pairs - 27, 24) / 24;
}

/* All but the chain by fast address is one level; and loads at -4, -1, 1, 2, 3, 4, 5, 7. */
static void begin(void)
{
    static const double level[] = {4, 0, 1, 1},
                        offset[STLF_OFFSETS] = {0.67, 19, 6.46, 6.46, 6.46, 6.46, 19, 19};
    static const long at[STLF_OFFSETS] = {-4, -1, 1, 2, 3, 4, 5, 7};
    sets_begin();
    for (int row = L1; row < ROWS; row++) {
        const unsigned count = row == L1 ? 1 : row == BY_OFFSET ? STLF_OFFSETS : PAIRS;
        for (unsigned i = 0; i < count; i++)
            sets_add(&(struct stlf_point){.kernel = &kernels_of_rows[row == BY_OFFSET ? FAST_ADDRESS : row],
                                          .load = row == BY_OFFSET ? at[i] : 0,
                                          .series = stlf_summary.series[row].name},
                     row == BY_OFFSET      ? offset[i]
                     : row == FAST_ADDRESS ? zen4(i + 1, 24)
                                           : level[row]);
    }
}

static struct estimate *curve_of(int row)
{
    return sets_at(stlf_summary.series[row].name);
}

static const struct answer *answer(const char *key)
{
    return sets_answer(stlf_summary.report, key);
}

static double number(const char *key)
{
    const struct answer *of = answer(key);
    return of ? cell_number(&of->value) : NAN;
}

TEST(renamed_and_forwarded_are_two_answers)
{
    begin();
    assert_true(fabs(number("stlf.renamed") - 0.996) < 1e-9);
    assert_int_equal(answer("stlf.renamed")->trust, TRUST_HIGH);
    assert_int_equal(number("stlf.renamed_pairs"), 24);
    assert_int_equal(answer("stlf.renamed_pairs")->trust, TRUST_HIGH);
    assert_true(answer("stlf.renamed_pairs")->within_absolute == 1);
    assert_true(number("stlf.fast_address") > 6.8);
}

TEST(offsets_are_a_line_of_the_screen)
{
    begin();
    assert_true(number("stlf.offset.minus_4") == 0.67 && number("stlf.offset.minus_1") == 19);
    assert_true(number("stlf.offset.0") == zen4(PAIRS, 24));
    assert_true(number("stlf.offset.4") == 6.46 && number("stlf.offset.5") == 19);
    assert_string_equal(answer("stlf.offset.7")->slot, "offsets/load_-_store/7");
}

TEST(renamed_may_be_all_pairs_or_none_or_half_next_to_a_busy_sibling)
{
    begin();
    assert_int_equal(number("stlf.fast_data.renamed_pairs"), PAIRS);
    assert_null(answer("stlf.fast_data"));
    for (int i = 0; i < PAIRS; i++)
        curve_of(FAST_ADDRESS)[i].unproved = true;
    assert_int_equal(answer("stlf.renamed_pairs")->trust, TRUST_MEDIUM);
    for (int i = 0; i < PAIRS; i++)
        curve_of(FAST_ADDRESS)[i] = sets_steady(5);
    assert_null(answer("stlf.renamed"));
    assert_int_equal(number("stlf.renamed_pairs"), 0);
    assert_true(fabs(number("stlf.fast_address") - 5) < 1e-9);
}

/* Two points beyond what is renamed take so much more in the second half of the run: a quarter is the height of a knee. */
TEST(a_knee_that_moves_costs_trust)
{
    for (double more = 1.55; more < 1.7; more += 0.1) {
        begin();
        for (int i = 27; i < PAIRS; i++)
            curve_of(FAST_ADDRESS)[i] = sets_steady(6.4);
        curve_of(FAST_ADDRESS)[40].second += more;
        curve_of(FAST_ADDRESS)[41].second += more;
        assert_int_equal(answer("stlf.fast_address")->trust, more < 1.6 ? TRUST_HIGH : TRUST_MEDIUM);
    }
}

/* Each state has samples and trust of its own; "flush, 37 cycles a pair at any number of pairs" came of a few busy samples. */
TEST(a_second_state_is_told_where_it_is_trusted)
{
    for (int visits = 7; visits <= 8; visits++) {
        begin();
        sets_are(STATE_ACTIVE);
        sets.set.is_second = true;
        for (int i = 0; i < PAIRS; i++) {
            curve_of(FAST_ADDRESS)[i] = sets_steady(zen4((unsigned)i + 1, 12));
            curve_of(FAST_ADDRESS)[i].visits = (size_t)visits;
            curve_of(FAST_ADDRESS)[i].summary.count = 77;
        }
        const struct answer *pairs = answer("stlf.renamed_pairs");
        assert_int_equal(pairs != NULL, visits == 8);
        assert_true(!pairs || (pairs->value.integer == 12 && pairs->samples == 77 && answer_is_busy(pairs)));
    }
}

/* Of the halves of a run: a pair apart is the promise, a tenth apart is medium, more is low. */
TEST(the_end_of_what_is_renamed_must_repeat)
{
    static const struct {
        unsigned second;
        enum trust trust;
    } cases[] = {{24, TRUST_HIGH}, {25, TRUST_HIGH}, {26, TRUST_MEDIUM}, {27, TRUST_LOW}, {0, TRUST_LOW}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        for (unsigned at = 0; at < PAIRS; at++)
            curve_of(FAST_ADDRESS)[at].second = cases[i].second ? zen4(at + 1, cases[i].second) : 6.4;
        assert_int_equal(answer("stlf.renamed_pairs")->trust, cases[i].trust);
        assert_true(answer("stlf.fast_address")->trust <= cases[i].trust);
    }
}

enum shape { ZEN5_SAME, ZEN5_CLIFF, ZEN5_TWO, SPIKES, FLAT, NOISY };

/* One value per number of pairs; SPIKES: Zen 3 next to a busy sibling, where single points hid the knee. */
static double shape(enum shape shape, int u)
{
    const double wave = 0.01 * (u % 3 - 1);
    switch (shape) {
    case ZEN5_SAME:
        return (u == 1 ? 1.02 : u <= 40 ? 0.5 : u == 41 ? 3.6 : u == 42 ? 6.1 : 7.0) + wave;
    case ZEN5_CLIFF:
        return (u == 1 ? 1.03 : u <= 15 ? 0.51 : 32 + 3.6 * (u - 16) / 48) + wave;
    case ZEN5_TWO:
        return (u <= 25   ? 0.51
                : u < 32  ? 0.51 + 6.0 * (u - 25) / 7
                : u <= 56 ? 6.6
                          : 9.7 + 4.7 * (u - 57) / 7) +
               wave;
    case SPIKES:
        return u == 27   ? 64.7
               : u == 56 ? 545.3
                         : (u == 1    ? 2.2
                            : u <= 10 ? 1.25
                            : u == 11 ? 15.4
                                      : 33.5) +
                               wave;
    case FLAT:
        return 1;
    default:
        return u == 1 ? 1.1 : 0.5 + (double)((uint32_t)u * 2654435761u >> 24) / 2560;
    }
}

TEST(knees_are_found_where_they_are)
{
    static const struct {
        enum shape shape;
        int least, most, beyond; /* pairs that are renamed; the first of the level beyond, 0: there is none */
    } rows[] = {{ZEN5_SAME, 39, 41, 42}, {ZEN5_CLIFF, 15, 15, 16}, {ZEN5_TWO, 24, 27, 32},
                {SPIKES, 10, 10, 11},    {FLAT, PAIRS, PAIRS, 0},  {NOISY, PAIRS, PAIRS, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        for (int u = 1; u <= PAIRS; u++)
            curve_of(FAST_ADDRESS)[u - 1] = sets_steady(shape(rows[i].shape, u));
        assert_in_range(number("stlf.renamed_pairs"), rows[i].least, rows[i].most);
        const struct answer *beyond = answer("stlf.fast_address");
        assert_int_equal(beyond != NULL, rows[i].beyond > 0);
        const char *from = beyond ? strstr(beyond->remark, " from ") : NULL;
        assert_true(!from || abs(atoi(from + 6) - rows[i].beyond) <= 1);
    }
}

/* What L1 takes is whole next to an idle sibling, and not less than published of Haswell: 4. 3.89 is read with a clock that was too
 * slow: no number comes of it. */
TEST(a_latency_that_no_core_has_is_none)
{
    static const struct {
        double cycles;
        bool published, idle, possible;
    } rows[] = {{4.00, true, true, true},   {4.07, false, true, true}, {4.09, false, true, false},
                {3.89, false, true, false}, {4.22, true, false, true}, {3.93, true, false, true},
                {3.91, true, false, false}, {3.89, false, false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        if (rows[i].published)
            sets.cpu.core = "Haswell";
        sets_are(rows[i].idle ? STATE_IDLE : STATE_ACTIVE);
        *curve_of(L1) = sets_steady(rows[i].cycles);
        const struct answer *of = answer("stlf.l1_latency");
        assert_int_equal(cell_has_value(&of->value), rows[i].possible);
        assert_true(rows[i].possible || (of->trust == TRUST_LOW && of->leg == LEG_PLAUSIBILITY));
        sets.cpu = (struct cpu){0};
    }
}

/* Three chains have curves of one name: each has a key of its own. */
TEST(each_chain_has_its_keys)
{
    static const char *const keys[CHAIN_COUNT] = {"stlf.sweep_unroll.same_address__one_base_register",
                                                  "stlf.sweep_unroll.fd.same_address",
                                                  "stlf.sweep_unroll.fd_noreuse.same_address"};
    for (int chain = 0; chain < CHAIN_COUNT; chain++) {
        struct kernel kernel[2];
        sets_begin();
        for (int i = 0; i < 2 * PAIRS; i++) {
            const struct stlf_series *row = &stlf_unroll[chain].series[i / PAIRS];
            kernel[i / PAIRS] = (struct kernel){.operation = row->operation};
            sets_add(&(struct stlf_point){.kernel = &kernel[i / PAIRS], .series = row->name}, 7);
        }
        assert_non_null(sets_answer(stlf_unroll[chain].report, keys[chain]));
    }
}
