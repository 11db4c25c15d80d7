/* SPDX-License-Identifier: MIT */
/* Two series of given times: from which point on the first one stays faster, with how much trust, or not at all. */
#include "test.h"

#include "engine/claims.h"

enum { POINTS = 12, ROUNDS = 32, PER_OCTAVE = 2, NONE = -1 };
static const struct series series[] = {
    {.name = "a", .first = 256, .last = 11585, .step = 64, .per_octave = PER_OCTAVE},
    {.name = "b", .first = 256, .last = 11585, .step = 64, .per_octave = PER_OCTAVE}};
static const struct claim crossing = {.kind = CLAIM_CROSSING, .from = "a", .and = "b", .level = 1};

/* Ratios of the points before `from`, from there on, and from `end` on. Every other round the `unsure` points before `from` lie as low as
 * those behind it; in the second half it is larger by `grown`; the one point `odd` has the other side's ratio. */
static const struct {
    const char *what;
    double before, behind, after;
    size_t from, end, unsure, grown, odd;
    int value, first, last; /* points: the value, and those surely slower and faster */
    enum trust trust;
    bool always, never;
    size_t weak; /* points from here on are slower in every third round; 0: none */
} crossings[] = {
    {"found", 1.5, 0.6, 0, 6, POINTS, 0, 0, POINTS, 6, 5, 6, TRUST_HIGH, false, false},
    {"always", 1.5, 0.6, 0, 0, POINTS, 0, 0, POINTS, 0, 0, 0, TRUST_HIGH, true, false},
    {"never", 1.5, 0.6, 0, POINTS, POINTS, 0, 0, POINTS, NONE, 0, 0, TRUST_LOW, false, true},
    /* An octave of faster points at the end, and less. */
    {"late", 1.5, 0.6, 0, 10, POINTS, 0, 0, POINTS, 10, 9, 10, TRUST_HIGH, false, false},
    {"too late", 1.5, 0.6, 0, 11, POINTS, 0, 0, POINTS, NONE, 0, 0, TRUST_LOW, false, false},
    /* What is slower again for an octave did not stay faster; one point is an accident. */
    {"does not stay", 1.5, 0.6, 1.2, 3, 10, 0, 0, POINTS, NONE, 0, 0, TRUST_LOW, false, true},
    {"nearly stays", 1.5, 0.6, 1.2, 3, 11, 0, 0, POINTS, 3, 2, 3, TRUST_HIGH, false, false},
    {"one point behind", 1.5, 0.6, 0, 5, POINTS, 0, 0, 8, 5, 4, 5, TRUST_HIGH, false, false},
    {"one point before", 1.5, 0.6, 0, 8, POINTS, 0, 0, 3, 8, 7, 8, TRUST_HIGH, false, false},
    /* Points that are as often faster as slower. */
    {"one unsure", 1.5, 0.6, 0, 6, POINTS, 1, 0, POINTS, 6, 4, 6, TRUST_MEDIUM, false, false},
    {"two unsure", 1.5, 0.6, 0, 6, POINTS, 2, 0, POINTS, 6, 3, 6, TRUST_LOW, false, false},
    {"all unsure", 1.5, 0.6, 0, POINTS, POINTS, POINTS, 0, POINTS, NONE, 0, 0, TRUST_LOW, false, false},
    {"later by one", 1.5, 0.6, 0, 5, POINTS, 0, 1, POINTS, 6, 4, 6, TRUST_MEDIUM, false, false},
    {"later by two", 1.5, 0.6, 0, 5, POINTS, 0, 2, POINTS, 7, 4, 7, TRUST_LOW, false, false},
    /* Surely faster at two points, and at one. */
    {"weak", 1.5, 0.6, 0, 6, POINTS, 0, 0, POINTS, 6, 5, 11, TRUST_LOW, false, false, 8},
    {"too weak", 1.5, 0.6, 0, 6, POINTS, 0, 0, POINTS, NONE, 0, 0, TRUST_LOW, false, false, 7},
    {"all but one", 1.5, 0.6, 0, 0, POINTS, 0, 0, 8, 0, 0, 0, TRUST_HIGH, true, false},
};
enum { ALL_BUT_ONE = COUNT_OF(crossings) - 1 };

static float ratio_of(size_t row, size_t round, size_t point)
{
    const size_t from = crossings[row].from + (round >= ROUNDS / 2 ? crossings[row].grown : 0);
    const bool is_unsure = round % 2 && point + crossings[row].unsure >= from;
    const bool is_weak = crossings[row].weak && point >= crossings[row].weak && round % 3 == 0;
    const bool is_behind = !is_weak && (point >= from || is_unsure) != (point == crossings[row].odd);
    const double slow = point >= crossings[row].end ? crossings[row].after : crossings[row].before;
    return (float)(is_behind && point < crossings[row].end ? crossings[row].behind : slow);
}

/* A whole round is slowed by up to three times, and `preempted` rounds had another process in them. */
static void answer(const struct claim *claim, size_t row, size_t preempted, struct result *result)
{
    struct moment moment[ROUNDS + 1];
    uint32_t before[ROUNDS * 2 * POINTS];
    float value[ROUNDS * 2 * POINTS];
    struct course course[] = {{.series = &series[0], .step = 64, .count = POINTS},
                              {.series = &series[1], .step = 64, .first = POINTS, .count = POINTS}};
    struct lab lab = {.course = course,
                      .courses = 2,
                      .data = {.cells = 2 * POINTS,
                               .points = 2 * POINTS,
                               .kept = ROUNDS,
                               .value = value,
                               .before = before,
                               .moment = moment}};
    for (size_t round = 0; round <= ROUNDS; round++) {
        moment[round] = (struct moment){
            .ghz = 2, .reading = {64, 64, true}, .switches = round < preempted ? round : preempted};
        lab.data.moments = round + 1;
        lab.data.sampled = true;
        state_count(&lab.data);
        for (size_t point = 0; round < ROUNDS && point < POINTS; point++) {
            const size_t at = round * 2 * POINTS + point;
            before[at] = before[at + POINTS] = (uint32_t)round;
            value[at + POINTS] = 100 * (float)(1 + round % 3);
            value[at] = value[at + POINTS] * ratio_of(row, round, point);
        }
    }
    *result = (struct result){0};
    crossings_answer(&lab, claim, STATE_IDLE, result);
}

TEST(a_crossing_is_found_where_one_stays_faster)
{
    const struct course course = {.series = series, .step = 64, .count = POINTS};
    for (size_t i = 0; i < COUNT_OF(crossings); i++) {
        struct result result;
        answer(&crossing, i, 0, &result);
        assert_int_equal(result.has_value, crossings[i].value != NONE);
        assert_int_equal(result.never, crossings[i].never);
        if (!result.has_value)
            continue;
        assert_int_equal(result.always, crossings[i].always);
        assert_true(result.estimate.value == (double)course_x(&course, (size_t)crossings[i].value));
        assert_true(result.estimate.summary.p10 == (double)course_x(&course, (size_t)crossings[i].first));
        assert_true(result.estimate.summary.p90 == (double)course_x(&course, (size_t)crossings[i].last));
        assert_int_equal(result.verdict.trust, crossings[i].trust);
    }
}

TEST(points_of_octaves_are_multiples_of_the_step)
{
    static const uint64_t x[] = {256, 384, 512, 704};
    const struct course course = {.series = series, .step = 64, .count = POINTS};
    for (size_t i = 0; i < COUNT_OF(x); i++)
        assert_int_equal(course_x(&course, i), x[i]);
}

/* Rounds of which each third takes three times as long; the point `odd` alone is slow. */
TEST(the_worst_point_is_named)
{
    static const struct claim worst = {.kind = CLAIM_WORST, .from = "a", .and = "b"};
    const struct course course = {.series = series, .step = 64, .count = POINTS};
    struct result result;
    answer(&worst, ALL_BUT_ONE, 0, &result);
    assert_true(result.has_value);
    assert_true(fabs(result.estimate.value - 1.5) < 1e-6);
    assert_int_equal(result.at, course_x(&course, 8));
}

/* Next to other processes most samples are disturbed: then all count. */
TEST(disturbed_rounds_count_where_others_are_few)
{
    struct result result;
    answer(&crossing, 0, ROUNDS - 8, &result);
    assert_int_equal(result.rounds, 8);
    answer(&crossing, 0, ROUNDS - 7, &result);
    assert_int_equal(result.rounds, ROUNDS);
}
