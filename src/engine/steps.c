/* SPDX-License-Identifier: MIT */
/* Finds the step of one round, by how much a time rises at once along x; which values of a histogram of
 * steps stand out, and their trust. */
#include "engine/steps.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/engine_internal.h"
#include "engine/metrics.h"
#include "uarchprobe/stats.h"

/* END: least points on each side of a step. STEP_SIDE: points for its height. */
enum { END = 2, STEP_SIDE = 8 };

static size_t at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

size_t step_find(const double *value, size_t count, double height)
{
    double smooth[STEP_VALUES], sum = 0, left_sum = 0, best = 0;
    size_t at = 0;
    if (count < 2 * (END + 1) || count > STEP_VALUES)
        return 0;
    /* The median of three takes single outliers out and leaves a step where it is. */
    smooth[0] = fmin(value[0], value[1]);
    smooth[count - 1] = value[count - 1];
    for (size_t i = 1; i + 1 < count; i++) {
        const double low = fmin(value[i - 1], value[i]), high = fmax(value[i - 1], value[i]);
        smooth[i] = fmax(low, fmin(high, value[i + 1]));
    }
    for (size_t i = 0; i < count; i++)
        sum += smooth[i];
    /* One mean on each side, least squares. */
    for (size_t left = 1; left < count; left++) {
        const double n_left = (double)left, n_right = (double)(count - left);
        left_sum += smooth[left - 1];
        const double apart = left_sum / n_left - (sum - left_sum) / n_right,
                     explained = apart * apart * n_left * n_right;
        if (explained > best) {
            best = explained;
            at = left;
        }
    }
    if (at <= END || count - at <= END)
        return 0;
    const size_t before = at_most(at, STEP_SIDE), after = at_most(count - at, STEP_SIDE);
    const double jump = median_of(smooth + at, after) - median_of(smooth + at - before, before);
    return jump >= 0.4 * height && jump <= 1.6 * height ? at : 0;
}

enum { NEIGHBOURS = 4, BACKGROUND = 16, TENTH = 10, SEEN_LEAST = 6 };
static const double BACKGROUND_LEAST = 0.25;

void step_count(struct step_counts *counts, size_t value)
{
    const bool is_first = counts->rounds++ < counts->firsts;
    if (value == 0 || value >= STEP_VALUES) {
        counts->none++;
        return;
    }
    counts->at[value]++;
    counts->first[value] += is_first;
}

/* The chance of `hits` or more where `mean` are expected. */
static double poisson_tail(size_t hits, double mean)
{
    double sum = 0;
    if ((double)hits <= mean)
        return 1;
    /* From the first term on they fall faster than a geometric series. */
    double term = exp(-mean + (double)hits * log(mean) - lgamma((double)hits + 1));
    for (size_t k = hits; term > 1e-12 * sum && k < hits + 1000; k++) {
        sum += term;
        term *= mean / (double)(k + 1);
    }
    return sum;
}

bool step_is_peak(const struct step_counts *counts, size_t value)
{
    double sum = 0, around = 0;
    if (value == 0 || value >= STEP_VALUES || counts->at[value] == 0)
        return false;
    for (size_t v = value > BACKGROUND ? value - BACKGROUND : 1; v <= value + BACKGROUND && v < STEP_VALUES;
         v++) {
        const size_t apart = v > value ? v - value : value - v;
        const bool higher =
            counts->at[v] > counts->at[value] || (counts->at[v] == counts->at[value] && v < value);
        if (apart > 0 && apart <= NEIGHBOURS && higher)
            return false;
        sum += apart > 0 ? (double)counts->at[v] : 0;
        around += apart > 0;
    }
    const double background = fmax(sum / around, BACKGROUND_LEAST);
    return poisson_tail(counts->at[value], background) < 1e-6;
}

size_t step_top(const struct step_counts *counts)
{
    size_t top = 0;
    for (size_t value = 1; value < STEP_VALUES; value++)
        if ((top == 0 || counts->at[value] > counts->at[top]) && step_is_peak(counts, value))
            top = value;
    return top;
}

/* A busy sibling can leave the full size to one round in a hundred. */
size_t step_size(const struct step_counts *counts)
{
    for (size_t value = STEP_VALUES - 1; value > 0; value--)
        if (step_is_peak(counts, value) &&
            (TENTH * counts->at[value] >= counts->rounds ||
             (step_is_peak(counts, value / 2) && TENTH * counts->at[value / 2] >= counts->rounds)))
            return value;
    return 0;
}

static bool is_near(size_t a, size_t b, size_t reach)
{
    return a <= b + reach && b <= a + reach;
}

static size_t seen_near(const size_t at[STEP_VALUES], size_t value, size_t reach)
{
    size_t seen = 0;
    for (size_t v = value > reach ? value - reach : 1; v <= value + reach && v < STEP_VALUES; v++)
        seen += at[v];
    return seen;
}

struct agreement step_agreement(const struct step_counts *counts, size_t value, size_t reach)
{
    const size_t seen = seen_near(counts->at, value, reach), first = seen_near(counts->first, value, reach);
    struct agreement agreement = {.share = (double)seen / (double)counts->rounds};
    agreement.least = fmin((double)first / (double)counts->firsts,
                           (double)(seen - first) / (double)(counts->rounds - counts->firsts));
    /* Neighbours agree with another size, too, and the two may be so close that the other is no peak of
     * its own. */
    for (size_t v = 1; v < STEP_VALUES; v++) {
        size_t rounds = 0;
        for (size_t near = v - 1; near <= v + 1 && near < STEP_VALUES; near++)
            rounds += is_near(near, value, reach) ? 0 : counts->at[near];
        if (!is_near(v, value, reach) && rounds >= SEEN_LEAST && TENTH * rounds >= counts->rounds &&
            counts->at[v] > counts->at[agreement.other])
            agreement.other = v;
    }
    if (agreement.other > 0)
        agreement.apart = fabs((double)agreement.other - (double)value) / (double)value;
    return agreement;
}

static struct verdict share_judge(double share, enum limited_by limited_by)
{
    static const double few = 0.5, most = 0.7;
    return verdict_capped(share >= most ? LIMITED_BY_NONE : limited_by,
                          share >= few ? LIMITED_BY_NONE : limited_by);
}

struct verdict count_judge(const struct agreement *agreement, size_t rounds)
{
    enum { MANY = 100 };
    const enum limited_by other = agreement->other > 0 ? LIMITED_BY_REPETITION : LIMITED_BY_NONE;
    struct verdict verdict = share_judge(agreement->share, LIMITED_BY_PRECISION);
    verdict = verdict_lesser(
        verdict, verdict_capped(rounds < MANY ? LIMITED_BY_PRECISION : LIMITED_BY_NONE, LIMITED_BY_NONE));
    verdict =
        verdict_lesser(verdict, verdict_capped(other, agreement->apart > MEDIUM ? other : LIMITED_BY_NONE));
    verdict = verdict_lesser(verdict, share_judge(agreement->least, LIMITED_BY_REPETITION));
    verdict.within_absolute = 1;
    return verdict;
}

/* Judges a count by the rounds of a state: where each has its step, and how many agree. */
enum { CHAIN_POINTS = 16, EXPLORING = 16, FIRST_RANGE = 160, RANGE_USUAL = 512, MARGIN = 16 };
enum { AGAIN_LEAST = 12 };

uint64_t steps_x(const struct course *course, size_t point)
{
    return point ? course_x(course, point - 1) : 0;
}

/* Behind a step two chains run one after the other. The height comes from the last points: the first take
 * twice as long, while predictors and caches are cold. */
size_t step_of(const struct course *course, const double *ns)
{
    const size_t count = course->count, few = at_most(count, CHAIN_POINTS);
    const double height = course->height_ns > 0 ? course->height_ns : median_of(ns + count - few, few) / 2;
    size_t part = course->series->again ? AGAIN_LEAST : count, at;
    /* A part that holds the first step, but not the second. */
    while ((at = step_find(ns, at_most(part, count), height)) == 0 && part < count)
        part += part / 2;
    return at;
}

/* The range holds twice the visible size, which may be the half that a busy sibling leaves. */
void steps_explore(const struct lab *lab, struct course *course)
{
    double ns[STEP_VALUES];
    const size_t most = at_most(course->kernel ? course->kernel->sled.units : RANGE_USUAL, STEP_VALUES - 1);
    size_t peak = 0, count = FIRST_RANGE / (course->series->again ? 4 : 1);
    for (; peak == 0 && count < 2 * most; count *= 2) {
        struct step_counts counts = {0};
        course->count = at_most(count, most);
        for (int round = 0; round < EXPLORING && lab_has_time(lab); round++) {
            for (size_t i = 0; i < course->count; i++)
                ns[i] = lab_sample(lab, course, course_x(course, i));
            step_count(&counts, step_of(course, ns));
        }
        peak = step_size(&counts);
    }
    course->count = peak > 0 ? at_most(2 * peak + MARGIN, most) : most;
}

void steps_count(const struct lab *lab, size_t metric, const struct course *course, enum state state,
                 struct step_counts *counts)
{
    const struct engine_data *rows = &lab->rows;
    size_t all = 0;
    for (int pass = 0; pass < 2; pass++) {
        *counts = (struct step_counts){.firsts = all / 2};
        for (size_t round = 0; round < rows->kept; round++) {
            const double x = engine_value(rows, round, metric);
            if (isnan(x) || engine_state(rows, round, metric) != state)
                continue;
            if (engine_disturbed(rows, round, metric))
                counts->disturbed++;
            else
                step_count(counts, x > 0 ? course_index(course, (uint64_t)x) + 1 : 0);
        }
        all = counts->rounds;
    }
}

double lab_minimum(const struct lab *lab, size_t point)
{
    double least = INFINITY;
    for (size_t round = 0; round < lab->data.kept; round++) {
        const double value = sample_value(&lab->data, round, point, UNIT_NS);
        least = value < least ? value : least; /* gcc 12 cannot vectorise fmin here for aarch64 */
    }
    return least;
}

static bool is_twice(double whole, double half)
{
    return fabs(2 * half - whole) <= 1;
}

/* A count is limited by the share of rounds that agree, both halves of the run, and no second peak. A
 * whole size that too few rounds had for a peak still shows in the minimum over all rounds, at twice the
 * half. */
void jump_answer(struct lab *lab, const struct metric *of, const struct course *course, enum state state,
                 struct result *result)
{
    /* Where trust is medium at most, a number may be off by a group of instructions. */
    enum { FEW = 8, CLASS_REACH = 4 };
    const size_t metric = (size_t)(of - lab->experiment->metrics);
    const struct result *half = &lab->result[metric][STATE_ACTIVE];
    struct step_counts *counts = memory_zeroed(1, sizeof *counts);
    double minimum[STEP_VALUES]; /* over all states */
    for (size_t i = 0; i < course->count; i++)
        minimum[i] = lab_minimum(lab, course->first + i);
    steps_count(lab, metric, course, state, counts);
    /* Rounds filed as idle during which the sibling came show less, those filed as active more. */
    const size_t peak = state == STATE_ACTIVE ? step_top(counts) : step_size(counts);
    const double seen = (double)steps_x(course, peak),
                 least = (double)steps_x(course, step_of(course, minimum));
    result->rounds = counts->rounds;
    const bool are_disturbed = counts->rounds == 0 && counts->disturbed > 0;
    const bool by_minimum =
        state != STATE_ACTIVE && least > 0 &&
        (peak ? is_twice(least, seen) : half->has_value && is_twice(least, half->estimate.value));
    result->has_value = (peak > 0 && peak + 1 < STEP_VALUES) || by_minimum;
    const double value = by_minimum ? least : seen;
    if (by_minimum) {
        result->rounds = lab->rows.kept;
        REMARK(result, "in the minimum of %zu rounds", result->rounds);
        /* The whole is twice a half, so the rounds that show the half prove both. */
        const struct agreement halves = step_agreement(counts, peak > 0 ? peak : 1, 1);
        result->verdict = half->has_value && is_twice(value, half->estimate.value)
                              ? half->verdict
                              : count_judge(&halves, counts->rounds);
    } else if (result->has_value) {
        const bool classes = of->classes;
        struct agreement agreement = step_agreement(counts, peak, classes ? CLASS_REACH : 1);
        result->agreeing = (size_t)lround(agreement.share * (double)counts->rounds);
        /* Rounds during which the sibling came or went show the size of the other state. */
        steps_count(lab, metric, course, state == STATE_ACTIVE ? STATE_IDLE : STATE_ACTIVE, counts);
        const double elsewhere = (double)step_top(counts), other = (double)agreement.other;
        if (is_twice((double)peak, other) || is_twice(other, (double)peak) ||
            (elsewhere > 0 && fabs(elsewhere - other) <= 1))
            agreement.other = 0;
        result->other = steps_x(course, agreement.other);
        /* Where these are most rounds, there is no answer: a busy sibling leaves half. */
        if (state == STATE_ACTIVE && of->halves && elsewhere > 0 && fabs(elsewhere - (double)peak) <= 1)
            result->has_value = false;
        /* Where many busy rounds agree on the half, even a few idle rounds prove the whole. */
        const bool is_whole = state == STATE_IDLE && result->agreeing >= FEW && half->has_value &&
                              half->verdict.trust == TRUST_HIGH && is_twice(value, half->estimate.value);
        result->verdict = count_judge(&agreement, is_whole ? SIZE_MAX : result->rounds);
    }
    result->estimate = count_estimate(lab, state, result->rounds, value);
    const bool are_lost = result->rounds == 0 && course->lost > 0 && state == engine_main_state(&lab->data);
    result->estimate.taken = result->estimate.disturbed = are_lost || are_disturbed;
    free(counts);
}
