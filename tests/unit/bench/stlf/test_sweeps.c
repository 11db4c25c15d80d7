/* SPDX-License-Identifier: MIT */
/* Aliases, with the latencies that were measured on Zen 4, silent stores, and forwards that are hidden. */
#include "test.h"

#include "sets.h"

enum { FROM_4K = 6 };

/* All loads take 5.05 cycles; those at the same offset come first. */
static void begin(void)
{
    sets_begin();
    for (int i = 0; i < 2 * STLF_DISTANCES; i++)
        sets_add(&(struct stlf_point){.load = (64L << i % STLF_DISTANCES) + (i < STLF_DISTANCES ? 0 : 32),
                                      .series = stlf_alias.series[i / STLF_DISTANCES].name},
                 5.05);
}

static void wait_from_4k(void)
{
    begin();
    for (int i = FROM_4K; i < STLF_DISTANCES; i++)
        sets.estimate[i] = sets_steady(9.77);
}

static void check_alias(enum trust trust, const char *remark)
{
    const struct answer *of = sets_answer(stlf_alias.report, "stlf.alias");
    assert_true(fabs(cell_number(&of->value) - 4.72) < 1e-9);
    assert_non_null(strstr(of->remark, remark));
    assert_int_equal(of->trust, trust);
}

TEST(aliases_from_a_distance_on_or_at_one)
{
    wait_from_4k();
    check_alias(TRUST_HIGH, "4096 bytes on");
    begin();
    sets.estimate[10] = sets_steady(9.77);
    check_alias(TRUST_HIGH, "65536 bytes above");
}

/* In another placement the same distance costs something: then nothing is promised of any. */
TEST(a_distance_that_depends_on_the_placement_is_not_trusted)
{
    begin();
    sets.estimate[8].placement_high = 9.73;
    assert_int_equal(sets_answer(stlf_alias.report, "stlf.alias")->trust, TRUST_LOW);
    begin();
    for (size_t i = 0; i < sets.set.count; i++)
        sets.estimate[i].placements = STLF_PLACEMENTS_LEAST - 1;
    assert_int_equal(sets_answer(stlf_alias.report, "stlf.alias")->trust, TRUST_LOW);
}

/* Of many distances that wait alike, one may be disturbed; two may not. */
TEST(one_disturbed_distance_costs_no_trust)
{
    wait_from_4k();
    sets.estimate[12].value = 14;
    sets.estimate[12].placement_high = 24;
    check_alias(TRUST_HIGH, "4096 bytes on");
    sets.estimate[3].placement_high = 24;
    check_alias(TRUST_LOW, "4096 bytes on");
}

/* An interval that reaches zero makes a wait doubtful; that nothing waits is another answer. */
TEST(a_noisy_wait_is_no_proof_of_none)
{
    wait_from_4k();
    for (int i = FROM_4K; i < STLF_DISTANCES; i++)
        sets.estimate[i].low = 4;
    check_alias(TRUST_LOW, "4096 bytes on");
}

/* A wait of a twentieth is one, a shorter one is none. */
TEST(a_twentieth_more_is_a_wait)
{
    for (double more = 1.04; more < 1.07; more += 0.02) {
        begin();
        sets.estimate[10] = sets_steady(more * 5.05);
        const struct answer *of = sets_answer(stlf_alias.report, "stlf.alias");
        assert_int_equal(strstr(of->remark, "no distance") != NULL, more < 1.05);
    }
}

/* Points of the same value and of a new one follow each other. */
TEST(silent_stores_are_the_greatest_difference)
{
    begin();
    assert_true(cell_number(&sets_answer(stlf_silent.report, "stlf.silent_store_gain")->value) == 0);
    sets.estimate[3] = sets_steady(7.05);
    const struct answer *of = sets_answer(stlf_silent.report, "stlf.silent_store_gain");
    assert_true(fabs(cell_number(&of->value) - 2) < 1e-9);
    assert_int_equal(of->trust, TRUST_HIGH);
}

/* Behind 8 instructions a contained load costs 3 cycles more than one without overlap, behind 16 `last` more. */
TEST(half_a_cycle_more_is_hidden)
{
    static const struct kernel gaps[] = {{.gap = 8}, {.gap = 16}};
    for (double last = 0.45; last < 0.6; last += 0.1) {
        sets_begin();
        for (int i = 0; i < 4; i++)
            sets_add(&(struct stlf_point){.kernel = &gaps[i % 2],
                                          .series = stlf_distance.series[i < 2 ? 0 : 2].name},
                     i == 0   ? 9
                     : i == 1 ? 6 + last
                              : 6);
        const struct answer *of = sets_answer(stlf_distance.report, "stlf.hidden_after");
        assert_int_equal(of->trust, last < 0.5 ? TRUST_HIGH : TRUST_LOW);
        assert_true(last < 0.5 ? cell_number(&of->value) == 16 : !cell_has_value(&of->value));
    }
}
