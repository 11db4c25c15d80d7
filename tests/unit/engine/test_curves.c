/* SPDX-License-Identifier: MIT */
/* Edges of simulated tables, on either side of the limits, and between which points given curves pass a level. */
#include "test.h"

#include "engine/metrics.h"
#include "engine/steps.h"

enum { POINTS = 10, ROUNDS = 24, PER_OCTAVE = 2, NONE = -1 };
static const struct series series = {.name = "x", .range = {1024, 23170, .per_octave = PER_OCTAVE}};
static const struct metric metric = {.kind = METRIC_THRESHOLD, .series = "x", .threshold = 0.1};

/* Shares of the points before `size`, from there on, and from an octave further on. Every other round the next `unsure` points
 * lie as low as those before; in the second half the size is larger by `grown`; points from `taken` on were not taken. */
static const struct {
    double low, high, later;
    size_t size, unsure, grown, taken;
    int value, first, last; /* points: the value, and those surely below and above */
    enum trust trust;
} levels[] = {
    {0.05, 0.3, 0.5, 5, 0, 0, POINTS, 4, 4, 5, TRUST_HIGH},
    {0.05, 0.3, 0.5, 1, 0, 0, POINTS, 0, 0, 1, TRUST_HIGH},
    {0.05, 0.3, 0.5, 5, 0, 0, 6, 4, 4, 5, TRUST_HIGH},
    {0.05, 0.3, 0.5, 5, 1, 0, POINTS, 4, 4, 6, TRUST_MEDIUM},
    {0.05, 0.3, 0.5, 5, 2, 0, POINTS, 4, 4, 7, TRUST_LOW},
    {0.05, 0.3, 0.3, 5, 0, 1, POINTS, 4, 4, 6, TRUST_MEDIUM},
    {0.05, 0.3, 0.3, 5, 0, 2, POINTS, 4, 4, 7, TRUST_LOW},
    /* An octave further it is half as high again. */
    {0.05, 0.11, 0.155, 5, 0, 0, POINTS, 4, 4, 5, TRUST_HIGH},
    {0.05, 0.11, 0.145, 5, 0, 0, POINTS, 4, 4, 5, TRUST_LOW},
    {0.095, 0.105, 0.5, 5, 0, 0, POINTS, 4, 4, 5, TRUST_HIGH},
    /* It is passed between two points, or there is no value. */
    {0.05, 0.3, 0.5, 0, 0, 0, POINTS, NONE, 0, 0, TRUST_LOW},
    {0.05, 0.3, 0.5, POINTS, 0, 0, POINTS, NONE, 0, 0, TRUST_LOW},
    {0.05, 0.3, 0.5, 5, 0, 0, 5, NONE, 0, 0, TRUST_LOW},
    {0.05, 0.3, 0.5, 5, 0, 0, 0, NONE, 0, 0, TRUST_LOW},
};

static float share_of(size_t row, size_t round, size_t point)
{
    const size_t size = levels[row].size + (round >= ROUNDS / 2 ? levels[row].grown : 0);
    const bool is_low = point < size || (round % 2 && point < size + levels[row].unsure);
    if (point >= levels[row].taken)
        return NAN;
    return (float)(is_low                      ? levels[row].low
                   : point < size + PER_OCTAVE ? levels[row].high
                                               : levels[row].later);
}

TEST(a_level_is_passed_between_two_points)
{
    struct course course = {.series = &series};
    course_list(&course, &series.range);
    assert_int_equal(course.count, POINTS);
    for (size_t i = 0; i < COUNT_OF(levels); i++) {
        struct moment moment[ROUNDS + 1];
        uint32_t before[ROUNDS * POINTS];
        float value[ROUNDS * POINTS];
        const struct experiment experiment = {.series = &series};
        struct lab lab = {.experiment = &experiment,
                          .data = {.cells = POINTS,
                                   .points = POINTS,
                                   .kept = ROUNDS,
                                   .cycles = true,
                                   .value = value,
                                   .before = before,
                                   .moment = moment}};
        struct result result = {0};
        for (size_t round = 0; round <= ROUNDS; round++) {
            moment[round] = (struct moment){.ghz = 2, .reading = {64, 64, true}};
            lab.data.moments = round + 1;
            lab.data.sampled = true;
            state_count(&lab.data);
            for (size_t point = 0; round < ROUNDS && point < POINTS; point++) {
                before[round * POINTS + point] = (uint32_t)round;
                value[round * POINTS + point] = share_of(i, round, point);
            }
        }
        curve_answer(&lab, &metric, &course, STATE_IDLE, &result);
        print_message("row %zu\n", i);
        assert_int_equal(result.has_value, levels[i].value != NONE);
        if (!result.has_value)
            continue;
        assert_true(result.estimate.value == (double)course_x(&course, (size_t)levels[i].value));
        assert_true(result.estimate.summary.p10 == (double)course_x(&course, (size_t)levels[i].first));
        assert_true(result.estimate.summary.p90 == (double)course_x(&course, (size_t)levels[i].last));
        assert_int_equal(result.verdict.trust, levels[i].trust);
    }
    assert_int_equal(course_x(&course, 0), 1024);
    assert_int_equal(course_x(&course, 1), 1448);
    assert_int_equal(course_x(&course, 9), 23170);
    free(course.place);
}

/* Pages of a cyclic walk, `stride` apart, in a table of sets by the low bits of the page, LRU: a set with one page too many
 * misses all of its pages. */
static double tlb_cycles(size_t pages, size_t stride, size_t sets, size_t ways)
{
    size_t held[256] = {0}, missed = 0;
    for (size_t i = 0; i < pages; i++)
        held[i * stride % sets]++;
    for (size_t set = 0; set < sets; set++)
        missed += held[set] > ways ? held[set] : 0;
    return 4 + 7 * (double)missed / (double)pages;
}

/* Odd strides fill all sets, strides that are powers of two a part of them. */
TEST(an_edge_is_the_size_of_a_table)
{
    static const struct {
        size_t sets, ways, stride, step, edge;
    } rows[] = {{1, 32, 17, 1, 32},   {1, 72, 23, 1, 72},   {16, 4, 17, 1, 64},    {16, 6, 23, 1, 96},
                {32, 7, 17, 1, 225},  {128, 16, 8, 8, 256}, {128, 16, 16, 8, 128}, {256, 5, 16, 8, 80},
                {128, 24, 8, 8, 384}, {256, 1, 17, 1, 0},   {128, 16, 1, 8, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double cycles[288];
        for (size_t x = 0; x < 288 / rows[i].step * (rows[i].step > 1 ? 2 : 1); x++)
            cycles[x] = tlb_cycles((x + 1) * rows[i].step, rows[i].stride, rows[i].sets, rows[i].ways);
        const size_t points = rows[i].step > 1 ? 72 : 250;
        assert_int_equal(edge_find(cycles, points) * rows[i].step, rows[i].edge);
    }
}

/* Four points on either side; the first rise is the edge, not the highest, unless it goes on as slowly as it began; a level may creep and an
 * outlier stand out, but noise may not be a sixth of what counts as risen. */
TEST(an_edge_leaves_its_level_for_good)
{
    static const struct {
        size_t left, points;
        double risen, soon, rise, creep, noise; /* soon: from the fifth point on */
        size_t edge;
    } rows[] = {
        {4, 12, 1, 1, 1.6, 0, 0, 4},       {3, 12, 1, 1, 1.6, 0, 0, 0},       {20, 40, 1, 1, 1.4, 0, 0, 0},
        {20, 40, 0.3, 0.3, 50, 0, 0, 20},  {20, 40, 0.06, 1, 50, 0, 0, 20},   {20, 40, 0.04, 1, 50, 0, 0, 24},
        {20, 40, 0.1, 0.14, 50, 0, 0, 20}, {20, 40, 0.08, 0.1, 50, 0, 0, 32}, {30, 60, 1, 1, 50, 0.2, 0, 30},
        {30, 60, 1, 1, 50, 0, 0.4, 30},    {30, 60, 1, 1, 50, 0, 0.45, 0},    {30, 60, 1, 1, -50, 0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const size_t left = rows[i].left, points = rows[i].points;
        double cycles[60];
        print_message("row %zu\n", i);
        for (size_t x = 0; x < points; x++) {
            const double share = x + 8 >= points ? 1 : x >= left + 4 ? rows[i].soon : rows[i].risen;
            cycles[x] = 11 + rows[i].creep * (double)x + (x % 2 ? rows[i].noise : 0) +
                        (x >= left ? share * rows[i].rise : 0);
        }
        if (left == 30)
            cycles[15] += 30;
        assert_int_equal(edge_find(cycles, points), rows[i].edge);
    }
}

/* Two series of given times: from which point on the first one stays faster, with how much trust, or not at all. */
enum { PAIRS = 12, PAIR_ROUNDS = 32 };
static const struct series both_series[] = {
    {.name = "a", .range = {256, 11585, 64, .per_octave = PER_OCTAVE}},
    {.name = "b", .range = {256, 11585, 64, .per_octave = PER_OCTAVE}}};
static const struct metric crossing = {.kind = METRIC_CROSSING, .series = "a", .denominator = {"b", 1}};

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
    {"found", 1.5, 0.6, 0, 6, PAIRS, 0, 0, PAIRS, 6, 5, 6, TRUST_HIGH, false, false},
    {"always", 1.5, 0.6, 0, 0, PAIRS, 0, 0, PAIRS, 0, 0, 0, TRUST_HIGH, true, false},
    {"never", 1.5, 0.6, 0, PAIRS, PAIRS, 0, 0, PAIRS, NONE, 0, 0, TRUST_LOW, false, true},
    /* An octave of faster points at the end, and less. */
    {"late", 1.5, 0.6, 0, 10, PAIRS, 0, 0, PAIRS, 10, 9, 10, TRUST_HIGH, false, false},
    {"too late", 1.5, 0.6, 0, 11, PAIRS, 0, 0, PAIRS, NONE, 0, 0, TRUST_LOW, false, false},
    /* What is slower again for an octave did not stay faster; one point is an accident. */
    {"does not stay", 1.5, 0.6, 1.2, 3, 10, 0, 0, PAIRS, NONE, 0, 0, TRUST_LOW, false, true},
    {"nearly stays", 1.5, 0.6, 1.2, 3, 11, 0, 0, PAIRS, 3, 2, 3, TRUST_HIGH, false, false},
    {"one point behind", 1.5, 0.6, 0, 5, PAIRS, 0, 0, 8, 5, 4, 5, TRUST_HIGH, false, false},
    {"one point before", 1.5, 0.6, 0, 8, PAIRS, 0, 0, 3, 8, 7, 8, TRUST_HIGH, false, false},
    /* Points that are as often faster as slower. */
    {"one unsure", 1.5, 0.6, 0, 6, PAIRS, 1, 0, PAIRS, 6, 4, 6, TRUST_MEDIUM, false, false},
    {"two unsure", 1.5, 0.6, 0, 6, PAIRS, 2, 0, PAIRS, 6, 3, 6, TRUST_LOW, false, false},
    {"all unsure", 1.5, 0.6, 0, PAIRS, PAIRS, PAIRS, 0, PAIRS, NONE, 0, 0, TRUST_LOW, false, false},
    {"later by one", 1.5, 0.6, 0, 5, PAIRS, 0, 1, PAIRS, 6, 4, 6, TRUST_MEDIUM, false, false},
    {"later by two", 1.5, 0.6, 0, 5, PAIRS, 0, 2, PAIRS, 7, 4, 7, TRUST_LOW, false, false},
    /* Surely faster at two points, and at one. */
    {"weak", 1.5, 0.6, 0, 6, PAIRS, 0, 0, PAIRS, 6, 5, 11, TRUST_LOW, false, false, 8},
    {"too weak", 1.5, 0.6, 0, 6, PAIRS, 0, 0, PAIRS, NONE, 0, 0, TRUST_LOW, false, false, 7},
    {"all but one", 1.5, 0.6, 0, 0, PAIRS, 0, 0, 8, 0, 0, 0, TRUST_HIGH, true, false},
};

static float ratio_of(size_t row, size_t round, size_t point)
{
    const size_t from = crossings[row].from + (round >= PAIR_ROUNDS / 2 ? crossings[row].grown : 0);
    const bool is_unsure = round % 2 && point + crossings[row].unsure >= from;
    const bool is_weak = crossings[row].weak && point >= crossings[row].weak && round % 3 == 0;
    const bool is_behind = !is_weak && (point >= from || is_unsure) != (point == crossings[row].odd);
    const double slow = point >= crossings[row].end ? crossings[row].after : crossings[row].before;
    return (float)(is_behind && point < crossings[row].end ? crossings[row].behind : slow);
}

/* A whole round is slowed by up to three times, and `preempted` rounds had another process in them. */
static void answer(const struct metric *of, size_t row, size_t preempted, struct result *result)
{
    struct moment moment[PAIR_ROUNDS + 1];
    uint32_t before[PAIR_ROUNDS * 2 * PAIRS];
    float value[PAIR_ROUNDS * 2 * PAIRS];
    struct course course[] = {{.series = &both_series[0]}, {.series = &both_series[1], .first = PAIRS}};
    course_list(&course[0], &both_series[0].range);
    course_list(&course[1], &both_series[1].range);
    struct lab lab = {.course = course,
                      .courses = 2,
                      .data = {.cells = 2 * PAIRS,
                               .points = 2 * PAIRS,
                               .kept = PAIR_ROUNDS,
                               .value = value,
                               .before = before,
                               .moment = moment}};
    for (size_t round = 0; round <= PAIR_ROUNDS; round++) {
        moment[round] = (struct moment){
            .ghz = 2, .reading = {64, 64, true}, .switches = round < preempted ? round : preempted};
        lab.data.moments = round + 1;
        lab.data.sampled = true;
        state_count(&lab.data);
        for (size_t point = 0; round < PAIR_ROUNDS && point < PAIRS; point++) {
            const size_t at = round * 2 * PAIRS + point;
            before[at] = before[at + PAIRS] = (uint32_t)round;
            value[at + PAIRS] = 100 * (float)(1 + round % 3);
            value[at] = value[at + PAIRS] * ratio_of(row, round, point);
        }
    }
    *result = (struct result){0};
    crossing_answer(&lab, of, &course[0], STATE_IDLE, result);
    free(course[0].place);
    free(course[1].place);
}

TEST(a_crossing_is_found_where_one_stays_faster)
{
    struct course course = {.series = both_series};
    course_list(&course, &both_series->range);
    for (size_t i = 0; i < COUNT_OF(crossings); i++) {
        struct result result;
        answer(&crossing, i, 0, &result);
        assert_int_equal(result.has_value, crossings[i].value != NONE);
        assert_int_equal(strcmp(result.remark, "never up to 11.3 KiB") == 0, crossings[i].never);
        if (!result.has_value)
            continue;
        assert_int_equal(strcmp(result.remark, "always") == 0, crossings[i].always);
        assert_true(result.estimate.value == (double)course_x(&course, (size_t)crossings[i].value));
        assert_true(result.estimate.summary.p10 == (double)course_x(&course, (size_t)crossings[i].first));
        assert_true(result.estimate.summary.p90 == (double)course_x(&course, (size_t)crossings[i].last));
        assert_int_equal(result.verdict.trust, crossings[i].trust);
    }
    free(course.place);
}

TEST(points_of_octaves_are_multiples_of_the_step)
{
    static const uint64_t x[] = {256, 384, 512, 704};
    struct course course = {.series = both_series};
    course_list(&course, &both_series->range);
    for (size_t i = 0; i < COUNT_OF(x); i++)
        assert_int_equal(course_x(&course, i), x[i]);
    free(course.place);
}

/* Next to other processes most samples are disturbed: then all count. */
TEST(disturbed_rounds_count_where_others_are_few)
{
    struct result result;
    answer(&crossing, 0, PAIR_ROUNDS - 8, &result);
    assert_int_equal(result.rounds, 8);
    answer(&crossing, 0, PAIR_ROUNDS - 7, &result);
    assert_int_equal(result.rounds, PAIR_ROUNDS);
}
