/* SPDX-License-Identifier: MIT */
/* Sentences about curves, each state by itself, with the knees and the ramp that were measured on Zen 4. */
#include "test.h"

#include "bench/stlf/points.h"

enum { PAIRS = STLF_UNROLL_MAX };
static const char name[] = "fast address";

static struct estimate estimate[PAIRS], active[PAIRS];
static const unsigned char code[5 * PAIRS];
static const struct kernel kernel = {
    .operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 32, .sled = {code, code + 5 * PAIRS, PAIRS}};
static struct stlf_point point[PAIRS];
static struct stlf_set set;
static struct run run;
static struct stlf stlf;

static struct estimate steady(double value, enum state state)
{
    return (struct estimate){.state = state,
                             .summary = {.count = 300},
                             .value = value,
                             .low = value - 0.003,
                             .high = value + 0.003,
                             .first = value,
                             .second = value,
                             .visits = 20};
}

static double zen4(int pairs, int renamed)
{
    static const double beyond[] = {2.58, 4.10, 6.33};
    if (pairs <= renamed)
        return 0.996;
    return pairs <= renamed + 3 ? beyond[pairs - renamed - 1] : 6.4 + 0.5 * fmin(pairs - 27, 24) / 24;
}

static void script(bool both)
{
    stlf = (struct stlf){.run = &run,
                         .lab = {.active = both},
                         .levels = {[STATE_IDLE] = {.l1 = 4, .forwarded = 6.46, .blocked = 19},
                                    [STATE_ACTIVE] = {.l1 = 4, .forwarded = 6.7, .blocked = 20}}};
    set = (struct stlf_set){.count = PAIRS,
                            .point = point,
                            .estimate = estimate,
                            .active = active,
                            .state = STATE_IDLE,
                            .both = both};
    for (int i = 0; i < PAIRS; i++) {
        point[i] = (struct stlf_point){.kernel = &kernel, .series = name, .pairs = (unsigned)i + 1};
        estimate[i] = steady(zen4(i + 1, 24), STATE_IDLE);
        active[i] = steady(zen4(i + 1, 12), STATE_ACTIVE);
    }
}

static const struct answer *find(const char *key)
{
    for (size_t i = 0; i < record_answer_count(run.record); i++) {
        if (strcmp(record_answer_at(run.record, i)->key, key) == 0)
            return record_answer_at(run.record, i);
    }
    return NULL;
}

static double number(const char *key)
{
    return cell_number(&find(key)->value);
}

static void say(void)
{
    run.record = record_new();
    stlf_say_curve(&stlf, &set, "stlf.fast_address", "stlf.renamed", name);
}

TEST(renamed_and_forwarded_are_two_answers)
{
    script(false);
    say();
    assert_int_equal(record_answer_count(run.record), 3);
    assert_true(fabs(number("stlf.renamed") - 0.996) < 1e-9);
    assert_int_equal(find("stlf.renamed")->trust, TRUST_HIGH);
    assert_int_equal(number("stlf.renamed_pairs"), 24);
    assert_string_equal(find("stlf.renamed_pairs")->unit, "pairs");
    assert_int_equal(find("stlf.renamed_pairs")->trust, TRUST_HIGH);
    assert_true(number("stlf.fast_address") > 6.8);
    record_free(run.record);
}

TEST(where_all_is_renamed_nothing_is_forwarded)
{
    script(false);
    for (int i = 0; i < PAIRS; i++)
        estimate[i] = steady(0.5, STATE_IDLE);
    say();
    assert_int_equal(number("stlf.renamed_pairs"), PAIRS);
    assert_null(find("stlf.fast_address"));
    record_free(run.record);
}

TEST(where_nothing_is_renamed_there_are_no_pairs)
{
    script(false);
    for (int i = 0; i < PAIRS; i++)
        estimate[i] = steady(5, STATE_IDLE);
    say();
    assert_null(find("stlf.renamed"));
    assert_int_equal(number("stlf.renamed_pairs"), 0);
    assert_true(fabs(number("stlf.fast_address") - 5) < 1e-9);
    record_free(run.record);
}

/* A curve without an end that could be found is not one of no renamed pairs. */
TEST(what_has_no_end_is_not_counted)
{
    script(false);
    for (int i = 0; i < PAIRS; i++)
        estimate[i] = steady(i < 2 ? 1 : 37, STATE_IDLE);
    say();
    assert_null(find("stlf.renamed_pairs"));
    record_free(run.record);
}

/* The busy state has samples and trust of its own. */
TEST(states_are_judged_apart)
{
    script(true);
    for (int i = 0; i < PAIRS; i++)
        active[i].summary.count = 77;
    say();
    assert_int_equal(number("stlf.renamed_pairs"), 24);
    const char *busy = state_names[STATE_ACTIVE];
    const struct answer *pairs = record_answer_find(run.record, "stlf.renamed_pairs", busy);
    const struct answer *renamed = record_answer_find(run.record, "stlf.renamed", busy);
    assert_int_equal(pairs->value.integer, 12);
    assert_int_equal(pairs->samples, 77);
    assert_true(fabs(renamed->value.real - 0.996) < 1e-9);
    assert_null(strstr(find("stlf.renamed_pairs")->text, "12"));
    record_free(run.record);
}

/* "flush, 37 cycles a pair at any number of pairs" under a high word came of a few samples. */
TEST(what_is_little_trusted_in_the_second_state_is_left_out)
{
    script(true);
    for (int i = 0; i < PAIRS; i++) {
        active[i].value = active[i].first = active[i].second = 37;
        active[i].visits = 2;
    }
    say();
    assert_int_equal(record_answer_count(run.record), 3);
    for (size_t i = 0; i < record_answer_count(run.record); i++)
        assert_null(strstr(record_answer_at(run.record, i)->text, "37"));
    record_free(run.record);
}

TEST(what_was_not_seen_leaves_no_words)
{
    script(true);
    for (int i = 0; i < PAIRS; i++)
        active[i].value = active[i].first = active[i].second = NAN;
    say();
    assert_int_equal(record_answer_count(run.record), 3);
    assert_null(strstr(find("stlf.fast_address")->text, "sibling works where"));
    record_free(run.record);
}

/* Of the halves of a run: a pair apart is the promise, a tenth apart is medium, more is low. */
TEST(the_end_of_what_is_renamed_must_repeat)
{
    static const struct {
        int second;
        enum trust trust;
    } cases[] = {{24, TRUST_HIGH}, {25, TRUST_HIGH}, {26, TRUST_MEDIUM}, {27, TRUST_LOW}, {0, TRUST_LOW}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        script(false);
        for (int at = 0; at < PAIRS; at++)
            estimate[at].second = cases[i].second ? zen4(at + 1, cases[i].second) : 6.4;
        assert_int_equal(stlf_judge_renamed_pairs(estimate, PAIRS, 4).trust, cases[i].trust);
    }
}

static void check_spelt(const char *expected)
{
    struct text text = {0};
    const struct stlf_plateaus plateaus = stlf_plateaus_of(estimate, PAIRS, STLF_WHOLE);
    stlf_spell_plateaus(&stlf, &set, point, &plateaus, 1, &text);
    assert_non_null(strstr(text.data, expected));
    text_free(&text);
}

TEST(a_ramp_is_spelt_as_one)
{
    script(false);
    check_spelt("forwarded, 6.5 rising to 6.9 cycles a pair from 27 to 64 pairs");
    for (int i = 26; i < PAIRS; i++)
        estimate[i] = steady(6.88, STATE_IDLE);
    check_spelt("forwarded, 6.9 cycles a pair from 27 to 64 pairs");
}

/* 12.9, 17.7, 18.6, 20.1, 20.8 is one ramp, wherever the steps of the curve are cut. */
TEST(a_ramp_in_pieces_is_one)
{
    static const struct stlf_plateaus pieces = {
        3, {{0, 23, 1, 1, 1, 1, 1}, {27, 36, 15, 12, 18, 12.9, 17.7}, {37, 63, 20, 18, 21, 18.6, 20.8}}};
    struct text text = {0};
    script(false);
    stlf_spell_plateaus(&stlf, &set, point, &pieces, 1, &text);
    assert_non_null(strstr(text.data, "12.9 rising to 20.8 cycles a pair from 28 to 64 pairs"));
    text_free(&text);
}

static const char *word(enum state state, double cycles)
{
    const struct stlf_levels levels = stlf_levels_in(&stlf, state);
    return stlf_word(&levels, point, cycles);
}

/* The levels of another state say nothing of this one. */
TEST(a_state_without_levels_has_no_verdict)
{
    script(false);
    stlf.levels[STATE_ACTIVE].l1 = 0;
    assert_string_equal(word(STATE_IDLE, 9), "forwarded");
    assert_null(word(STATE_ACTIVE, 9));
    assert_string_equal(word(STATE_ACTIVE, 1), "renamed");
}
