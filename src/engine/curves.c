/* SPDX-License-Identifier: MIT */
/* Finds where the curve of a state rises: its bend, its edge, or between which points it passes a level;
 * and from which x on one series stays faster than another, or where it is the slowest, by ratios within
 * rounds, which what slows a whole round leaves alone. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/metrics.h"
#include "engine/select.h"
#include "engine/steps.h"
#include "uarchprobe/stats.h"

/* SIDE: least points on each side. TAIL: points for the height behind it, in cycles, of which fewer than
 * RISE_CYCLES may be an accident. */
enum { SIDE = 4, TAIL = 8 };
static const double RISE_CYCLES = 1.5;

/* By least squares through values at 0, 1, ... */
struct line {
    double at_0, slope, residue;
};

static struct line line_through(const double *value, size_t count)
{
    const double n = (double)count, middle = (n - 1) / 2;
    double sum = 0, products = 0;
    for (size_t i = 0; i < count; i++) {
        sum += value[i];
        products += ((double)i - middle) * value[i];
    }
    struct line line = {.slope = products * 12 / (n * (n * n - 1))};
    line.at_0 = sum / n - line.slope * middle;
    for (size_t i = 0; i < count; i++) {
        const double off = value[i] - line.at_0 - line.slope * (double)i;
        line.residue += off * off;
    }
    return line;
}

/* Number of points before `right`, the line through the points from `split` on, departs from `left`. Of a
 * curve that bends at a point, that point lies on both lines, and noise decides on which side of it the split
 * falls: 5 of 26 runs found a return stack of 31 for 32, with lines that met at 32.0 to 32.3. So the crossing
 * counts, unless the curve jumps: then the lines are further apart at the split than their slopes make them
 * within a point, or noise does. */
static size_t points_to_crossing(struct line left, struct line right, size_t split, double noise)
{
    static const double JUMP_SIGMAS = 6;
    const double middle = (double)split - 0.5, steeper = right.slope - left.slope,
                 jump = right.at_0 - 0.5 * right.slope - left.at_0 - left.slope * middle;
    const double beyond = -jump / steeper; /* points from the middle of the split to the crossing */
    const bool is_bend =
        steeper > 0 && fabs(beyond) <= SIDE && (fabs(beyond) <= 1 || fabs(jump) <= JUMP_SIGMAS * noise);
    return is_bend ? (size_t)lround(middle + beyond + 1) : split;
}

size_t bend_find(const double *cycles, size_t count)
{
    static const double RISE_SIGMAS = 5;
    double best = INFINITY;
    size_t split = 0;
    struct line left = {0}, right = {0};
    for (size_t at = SIDE; at + SIDE <= count; at++) {
        const struct line before = line_through(cycles, at), behind = line_through(cycles + at, count - at);
        if (before.residue + behind.residue < best) {
            best = before.residue + behind.residue;
            split = at;
            left = before;
            right = behind;
        }
    }
    if (split == 0)
        return 0;
    /* Height of the last points above the line through the first. */
    const size_t tail = count - split < TAIL ? count - split : TAIL;
    const double rise = median_of(cycles + count - tail, tail) - left.at_0 -
                        left.slope * ((double)count - (double)(tail + 1) / 2);
    const double noise = sqrt(best / (double)(count - 5));
    return rise >= fmax(RISE_CYCLES, RISE_SIGMAS * noise) ? points_to_crossing(left, right, split, noise) : 0;
}

size_t edge_find(const double *cycles, size_t count)
{
    static const double RISEN = 0.05, SOON = 0.1, NOISES = 6;
    double off[STEP_VALUES]; /* the line through both neighbours */
    if (count < SIDE + TAIL || count > STEP_VALUES)
        return 0;
    for (size_t i = 1; i + 1 < count; i++)
        off[i - 1] = fabs(cycles[i] - (cycles[i - 1] + cycles[i + 1]) / 2);
    const double rise = median_of(cycles + count - TAIL, TAIL) - median_of(cycles, SIDE),
                 least = RISEN * rise;
    if (rise < RISE_CYCLES || least < NOISES * quantile_of(off, count - 2, 0.25))
        return 0;
    for (size_t at = SIDE; at + SIDE <= count; at++) {
        const double level = median_of(cycles + at - SIDE, SIDE);
        size_t risen = 0;
        while (risen < SIDE && cycles[at + risen] > level + least)
            risen++;
        const double soon = median_of(cycles + at, count - at < TAIL ? count - at : TAIL) - level;
        if (risen == SIDE && cycles[at - 1] <= level + least && soon >= SOON * rise)
            return at;
    }
    return 0;
}

/* Of each point: the value of the run and of its halves, and the ends of the interval. */
enum { VALUE, FIRST, SECOND, LOW, HIGH, VIEWS };
struct seen {
    double of[VIEWS][STEP_VALUES];
    size_t count, rounds; /* rounds: the fewest undisturbed ones of a point */
    size_t undisturbed;   /* points that have such rounds */
};

static void add_point(struct seen *seen, const struct estimate *e)
{
    const double of[VIEWS] = {e->value, e->first, e->second, e->low, e->high};
    for (int i = 0; i < VIEWS; i++)
        seen->of[i][seen->count] = of[i];
    const size_t rounds = estimate_is_disturbed(e) ? 0 : e->summary.count;
    seen->rounds = seen->count++ && seen->rounds < rounds ? seen->rounds : rounds;
    seen->undisturbed += rounds > 0;
}

/* Answers with the x before the points `at`. */
static void answer_before(const struct lab *lab, const struct course *course, enum state state,
                          const struct seen *seen, const size_t at[VIEWS], struct result *result)
{
    result->rounds = seen->rounds;
    result->estimate = count_estimate(lab, state, seen->rounds, (double)steps_x(course, at[VALUE]));
    result->estimate.first = (double)steps_x(course, at[FIRST]);
    result->estimate.second = (double)steps_x(course, at[SECOND]);
    result->estimate.taken = result->estimate.disturbed = seen->undisturbed == 0;
}

static struct verdict verdict_of(size_t first, size_t last, enum limited_by limited_by)
{
    return verdict_capped(last > first ? limited_by : LIMITED_BY_NONE,
                          last > first + 1 ? limited_by : LIMITED_BY_NONE);
}

/* The answer lies between two points, the last before it and the first behind it. Trust is high where from
 * `first` on there is nothing open before `last`, and both halves of the run say the same. */
static void answer_between(const struct course *course, size_t before, size_t behind, size_t first,
                           size_t last, const size_t at[VIEWS], struct result *result)
{
    const size_t sooner = at[FIRST] < at[SECOND] ? FIRST : SECOND, later = FIRST + SECOND - sooner;
    result->verdict = verdict_lesser(verdict_of(first, last, LIMITED_BY_PRECISION),
                                     verdict_of(at[sooner], at[later], LIMITED_BY_REPETITION));
    result->estimate.summary.p10 = result->estimate.placement_low = (double)course_x(course, before);
    result->estimate.summary.p90 = result->estimate.placement_high = (double)course_x(course, behind);
}

/* Where an octave further it is not half as high again, it may have passed the level for another reason. */
static void judge_level(const struct metric *metric, const struct course *course, const size_t at[VIEWS],
                        const double *value, struct result *result)
{
    const size_t end = course->count - 1, sure = at[HIGH] > 0 ? at[HIGH] - 1 : 0,
                 passed = at[LOW] < end ? at[LOW] : end, octave = passed + course->octave;
    answer_between(course, sure, passed, sure + 1, passed, at, result);
    if (value[octave < end ? octave : end] < 1.5 * metric->threshold)
        result->verdict =
            verdict_lesser(result->verdict, verdict_capped(LIMITED_BY_NONE, LIMITED_BY_PLAUSIBILITY));
    REMARK(result, "at %g no more", result->estimate.summary.p90);
}

/* Points that cannot be taken may come before and behind the others. A curve that stays below a level says
 * no more than "at least". */
void curve_answer(struct lab *lab, const struct metric *metric, const struct course *course, enum state state,
                  struct result *result)
{
    /* Quantile of the costs, above the few fast samples that belong to the other state. */
    static const double FEW_FAST = 0.25;
    const bool is_level = metric->kind == METRIC_THRESHOLD;
    const double quantile = is_level ? lab_quantile(lab) : FEW_FAST;
    struct engine_data data = lab->data;
    struct course taken = *course;
    struct seen seen = {.count = 0};
    size_t at[VIEWS];
    data.cycles = !is_level;
    for (size_t i = 0; i < course->count; i++) {
        struct estimate e;
        if (!engine_estimate(&data, course->first + i, state, quantile, &e) || isnan(e.first))
            continue;
        if (seen.count == 0)
            taken.place = course->place + i;
        if (course->place + i > taken.place + seen.count)
            return;
        add_point(&seen, &e);
    }
    const size_t count = taken.count = seen.count;
    if (count == 0)
        return;
    for (int i = 0; i < (is_level ? VIEWS : LOW); i++) {
        const double *of = seen.of[i];
        at[i] = is_level ? 0 : metric->kind == METRIC_LEVEL_END ? edge_find(of, count) : bend_find(of, count);
        while (is_level && at[i] < count && of[at[i]] <= metric->threshold)
            at[i]++;
    }
    answer_before(lab, &taken, state, &seen, at, result);
    result->has_value = at[VALUE] > 0 && at[VALUE] < count;
    if (result->has_value && is_level)
        judge_level(metric, &taken, at, seen.of[VALUE], result);
}

/* Points before those that are faster: as few as can be lie on the wrong side, so one disturbed point
 * moves nothing. */
static size_t split_of(const double *ratio, size_t begin, size_t count, double level)
{
    size_t wrong = 0, at = begin;
    for (size_t i = begin; i < count; i++)
        wrong += ratio[i] > level;
    for (size_t i = begin, least = wrong; i < count; i++) {
        wrong = ratio[i] > level ? wrong - 1 : wrong + 1;
        if (wrong < least) {
            least = wrong;
            at = i + 1;
        }
    }
    return at;
}

/* Undisturbed ones, unless these are few. */
static size_t ratios_of_point(const struct engine_data *data, size_t a, size_t b, enum state state,
                              double *ratio)
{
    enum { FEW = 2 * SELECT_LEAST };
    size_t count = 0;
    for (int disturbed = 0; disturbed < 2 && count < FEW; disturbed++) {
        count = 0;
        for (size_t round = 0; round < data->kept; round++) {
            const double x = sample_value(data, round, a, UNIT_NS), y = sample_value(data, round, b, UNIT_NS);
            if (x > 0 && y > 0 && engine_fits(data, round, a, state, disturbed) &&
                engine_fits(data, round, b, state, disturbed))
                ratio[count++] = x / y;
        }
    }
    return count;
}

/* Behind the last octave that is surely slower throughout: what is faster before it does not stay so. */
static void find_crossing(const struct lab *lab, const struct metric *metric, const struct course *course,
                          enum state state, const struct seen *seen, struct result *result)
{
    size_t at[VIEWS], behind[VIEWS], begin = 0, slower = 0, sure_points = 0;
    const size_t count = seen->count, octave = course->octave;
    for (size_t i = 0; i < count; i++) {
        slower = seen->of[LOW][i] > metric->denominator.share ? slower + 1 : 0;
        begin = slower >= octave ? i + 1 : begin;
    }
    for (int i = 0; i < VIEWS; i++) {
        at[i] = split_of(seen->of[i], begin, count, metric->denominator.share);
        behind[i] = at[i] + 1;
    }
    for (size_t i = at[VALUE]; i < count; i++)
        sure_points += seen->of[HIGH][i] <= metric->denominator.share;
    answer_before(lab, course, state, seen, behind, result);
    const size_t sure = at[HIGH] < count ? at[HIGH] : count - 1, soonest = at[LOW] > 0 ? at[LOW] - 1 : 0;
    answer_between(course, soonest, sure, at[LOW], sure, at, result);
    result->has_value = at[VALUE] < count && sure_points >= octave;
    struct text last = {0};
    text_add_size_rounded(&last, (int64_t)course_x(course, count - 1));
    if (result->has_value && at[VALUE] > 0)
        REMARK(result, "%.1f times at last", 1 / seen->of[VALUE][count - 1]);
    else if (result->has_value)
        REMARK(result, "always");
    else if (at[LOW] == count)
        REMARK(result, "never up to %s", last.data);
    text_free(&last);
}

void crossing_answer(struct lab *lab, const struct metric *metric, const struct course *course,
                     enum state state, struct result *result)
{
    struct metric divisor = *metric;
    struct course denominator;
    struct seen seen = {.count = 0};
    double *ratio = memory_zeroed(lab->data.kept + 1, sizeof *ratio);
    divisor.series = metric->denominator.series;
    const size_t count = !course_of(lab, &divisor, &denominator) ? 0
                         : denominator.count < course->count     ? denominator.count
                                                                 : course->count;
    for (size_t i = 0; i < count; i++) {
        struct estimate e;
        estimate_of(ratio,
                    ratios_of_point(&lab->data, course->first + i, denominator.first + i, state, ratio), 0.5,
                    &e);
        add_point(&seen, &e);
    }
    free(ratio);
    result->has_value = seen.count > 0 && seen.rounds >= SELECT_LEAST;
    if (!result->has_value)
        return;
    REMARK(result, "within noise");
    find_crossing(lab, metric, course, state, &seen, result);
}
