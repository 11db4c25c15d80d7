/* SPDX-License-Identifier: MIT */
/* Where a time rises along x: the step of one round, a histogram of such steps, which of its values stand out, how far the rounds of
 * a state agree on one, and how far that is trusted. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/claims.h"
#include "uarchprobe/stats.h"

enum { STEP_SIDE = 8 };

static struct knee step_in(const double *value, size_t count)
{
    struct knee knee = {.found = false};
    double sum = 0, left_sum = 0, best = 0;

    for (size_t i = 0; i < count; i++)
        sum += value[i];
    for (size_t left = 1; left < count; left++) {
        double n_left = (double)left, n_right = (double)(count - left), explained;

        left_sum += value[left - 1];
        explained = left_sum / n_left - (sum - left_sum) / n_right;
        explained *= explained * n_left * n_right / (double)count;
        if (explained > best) {
            best = explained;
            knee.last = left - 1;
        }
    }
    if (best <= 0)
        return knee;
    /* Of the points next to the break, at most STEP_SIDE on each side. */
    const size_t left = knee.last + 1, right = count - left;
    const size_t before = left < STEP_SIDE ? left : STEP_SIDE, after = right < STEP_SIDE ? right : STEP_SIDE;
    knee.found = true;
    knee.jump = median_of(value + left, after) - median_of(value + left - before, before);
    return knee;
}

struct knee knee_step(const double *value, size_t count, double chain)
{
    enum { MOST = KNEE_VALUES, END = 2 };
    double smooth[MOST];
    struct knee knee = {.found = false};

    if (count < 2 * (END + 1) || count > MOST)
        return knee;
    /* The median of three takes single outliers out and leaves a step where it is. */
    smooth[0] = fmin(value[0], value[1]);
    smooth[count - 1] = value[count - 1];
    for (size_t i = 1; i + 1 < count; i++) {
        const double low = fmin(value[i - 1], value[i]), high = fmax(value[i - 1], value[i]);
        smooth[i] = fmax(low, fmin(high, value[i + 1]));
    }
    knee = step_in(smooth, count);
    if (knee.last < END || knee.last + 1 + END > count - 1 || knee.jump < 0.4 * chain ||
        knee.jump > 1.6 * chain)
        knee.found = false;
    return knee;
}

enum { NEIGHBOURS = 4, BACKGROUND = 16, TENTH = 10, SEEN_LEAST = 6 };
static const double BACKGROUND_LEAST = 0.25;

void knee_count(struct knee_counts *counts, size_t value)
{
    const bool is_known = value > 0 && value < KNEE_VALUES;
    const size_t in_first = counts->rounds++ < counts->firsts;
    counts->at[is_known ? value : 0] += is_known;
    counts->first[is_known ? value : 0] += is_known * in_first;
}

/* The chance of `hits` or more where `mean` are expected. */
static double poisson_tail(size_t hits, double mean)
{
    double term, sum = 0;

    if ((double)hits <= mean)
        return 1;
    /* From the first term down: they fall faster than a geometric row. */
    term = exp(-mean + (double)hits * log(mean) - lgamma((double)hits + 1));
    for (size_t k = hits; term > 1e-12 * sum && k < hits + 1000; k++) {
        sum += term;
        term *= mean / (double)(k + 1);
    }
    return sum;
}

bool knee_is_peak(const struct knee_counts *counts, size_t value)
{
    double sum = 0, around = 0;
    if (value == 0 || value >= KNEE_VALUES || counts->at[value] == 0)
        return false;
    for (size_t v = value > BACKGROUND ? value - BACKGROUND : 1; v <= value + BACKGROUND && v < KNEE_VALUES;
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

size_t knee_largest_peak(const struct knee_counts *counts)
{
    for (size_t value = KNEE_VALUES - 1; value > 0; value--)
        if (knee_is_peak(counts, value))
            return value;
    return 0;
}

size_t knee_top_peak(const struct knee_counts *counts)
{
    size_t top = 0;

    for (size_t value = 1; value < KNEE_VALUES; value++)
        if ((top == 0 || counts->at[value] > counts->at[top]) && knee_is_peak(counts, value))
            top = value;
    return top;
}

/* A rare peak may be an accident of many rounds. It is taken for a size where a tenth of the rounds saw it, or
 * saw its half: a busy sibling can leave the full size to one round in a hundred. */
size_t knee_size(const struct knee_counts *counts)
{
    for (size_t value = KNEE_VALUES - 1; value > 0; value--)
        if (knee_is_peak(counts, value) &&
            (TENTH * counts->at[value] >= counts->rounds ||
             (knee_is_peak(counts, value / 2) && TENTH * counts->at[value / 2] >= counts->rounds)))
            return value;
    return 0;
}

/* The promise is one entry, so that neighbours of a value agree with it. */
static size_t seen_near(const size_t at[KNEE_VALUES], size_t value)
{
    return at[value] + at[value + 1] + (value > 1 ? at[value - 1] : 0);
}

struct agreement knee_agreement(const struct knee_counts *counts, size_t value)
{
    const size_t seen = seen_near(counts->at, value), first = seen_near(counts->first, value);
    struct agreement agreement = {.share = (double)seen / (double)counts->rounds};
    agreement.least = fmin((double)first / (double)counts->firsts,
                           (double)(seen - first) / (double)(counts->rounds - counts->firsts));
    /* Neighbours agree with another size as they do with this one, and the two may lie so close that it is no peak of its own. */
    for (size_t v = 1; v < KNEE_VALUES; v++) {
        size_t rounds = 0;
        for (size_t near = v - 1; near <= v + 1 && near < KNEE_VALUES; near++)
            rounds += near + 1 < value || near > value + 1 ? counts->at[near] : 0;
        if ((v + 1 < value || v > value + 1) && rounds >= SEEN_LEAST && TENTH * rounds >= counts->rounds &&
            counts->at[v] > counts->at[agreement.other])
            agreement.other = v;
    }
    if (agreement.other > 0)
        agreement.apart = fabs((double)agreement.other - (double)value) / (double)value;
    return agreement;
}

static struct verdict verdict_of(enum trust trust, enum leg leg)
{
    return (struct verdict){trust, trust == TRUST_HIGH ? LEG_NONE : leg, .within_absolute = 1};
}

static enum trust trust_in_share(double share)
{
    static const double few = 0.5, most = 0.7;

    return !(share >= few) ? TRUST_LOW : share < most ? TRUST_MEDIUM : TRUST_HIGH;
}

struct verdict count_judge(const struct agreement *agreement, size_t rounds)
{
    enum { MANY = 100 };
    struct verdict verdict = verdict_of(trust_in_share(agreement->share), LEG_PRECISION);

    if (rounds < MANY)
        verdict = verdict_lesser(verdict, verdict_of(TRUST_MEDIUM, LEG_PRECISION));
    if (agreement->other > 0)
        verdict = verdict_lesser(
            verdict, verdict_of(agreement->apart > MEDIUM ? TRUST_LOW : TRUST_MEDIUM, LEG_REPETITION));
    return verdict_lesser(verdict, verdict_of(trust_in_share(agreement->least), LEG_REPETITION));
}

enum { CHAIN_POINTS = 16, EXPLORING = 16, FIRST_RANGE = 160, RANGE_MOST = KNEE_VALUES - 1, MARGIN = 16 };

/* Behind a step two take their time one after the other that overlapped before it. The first points of a round are no measure of one of
 * them: while predictors and caches are cold they take twice as long. */
uint64_t step_of(const struct course *course, const double *ns)
{
    const size_t count = course->count, few = count < CHAIN_POINTS ? count : CHAIN_POINTS;
    const double height = course->height_ns > 0 ? course->height_ns : median_of(ns + count - few, few) / 2;
    const struct knee knee = knee_step(ns, count, height);
    return knee.found ? course_x(course, knee.last) : 0;
}

/* Points are counted from 1, so that 0 is no step. */
static size_t point_of(const struct course *course, double x)
{
    size_t point = 0;
    while (x > 0 && point < course->count && (double)course_x(course, point) < x)
        point++;
    return x > 0 ? point + 1 : 0;
}

uint64_t steps_x(const struct course *course, size_t point)
{
    return point ? course_x(course, point - 1) : 0;
}

/* Twice the size must be in the range, as what is seen may be the half that a busy sibling leaves. */
void steps_explore(const struct lab *lab, struct course *course, uint64_t deadline_ns)
{
    const struct engine_machine *machine = lab->machine;
    double ns[KNEE_VALUES];
    size_t peak = 0;
    for (size_t count = FIRST_RANGE; peak == 0 && count < 2 * RANGE_MOST; count *= 2) {
        struct knee_counts counts = {0};
        course->count = count < RANGE_MOST ? count : RANGE_MOST;
        for (int round = 0; round < EXPLORING && machine->now_ns(machine->context) < deadline_ns; round++) {
            for (size_t i = 0; i < course->count; i++)
                ns[i] = lab_sample(lab, course, course_x(course, i));
            knee_count(&counts, point_of(course, (double)step_of(course, ns)));
        }
        peak = knee_largest_peak(&counts);
    }
    course->count = peak > 0 && 2 * peak + MARGIN < RANGE_MOST ? 2 * peak + MARGIN : RANGE_MOST;
}

void steps_count(const struct lab *lab, size_t claim, const struct course *course, enum state state,
                 struct knee_counts *counts)
{
    const struct engine_data *rows = &lab->rows;
    size_t all = 0;
    for (int pass = 0; pass < 2; pass++) {
        *counts = (struct knee_counts){.firsts = all / 2};
        for (size_t round = 0; round < rows->kept; round++) {
            const double x = engine_value(rows, round, claim);
            if (!isnan(x) && engine_state(rows, round, claim) == state &&
                !engine_disturbed(rows, round, claim))
                knee_count(counts, point_of(course, x));
        }
        all = counts->rounds;
    }
}

/* Of the least time of each point in any state: a whole size in too few rounds for a peak breaks that curve all the same. */
static uint64_t minimum_step(const struct lab *lab, const struct course *course)
{
    double least[KNEE_VALUES];
    for (size_t i = 0; i < course->count; i++) {
        least[i] = INFINITY;
        for (size_t round = 0; round < lab->data.kept; round++) {
            const double ns = (double)lab->data.value[round * lab->data.cells + course->first + i];
            if (ns < least[i])
                least[i] = ns;
        }
    }
    return step_of(course, least);
}

static bool is_twice(double whole, double half)
{
    return fabs(2 * half - whole) <= 1;
}

/* A count has no interval: its legs are the share of the rounds that agree, both halves of the run, and no second peak. Where
 * too few rounds saw a whole size for a peak, the minimum over all of them breaks there all the same, at twice the half. */
void steps_answer(const struct lab *lab, size_t claim, const struct course *course, enum state state,
                  struct result *result)
{
    enum { FEW = 8 };
    const struct result *half = &lab->result[claim][STATE_ACTIVE];
    struct knee_counts *counts = memory_zeroed(1, sizeof *counts);
    steps_count(lab, claim, course, state, counts);
    /* Rounds filed as idle during which the sibling came show less, those filed as active more. */
    const size_t peak = state == STATE_ACTIVE ? knee_top_peak(counts) : knee_size(counts);
    const double seen = (double)steps_x(course, peak), least = (double)minimum_step(lab, course);
    result->rounds = counts->rounds;
    result->by_minimum =
        state != STATE_ACTIVE && least > 0 &&
        (peak ? is_twice(least, seen) : half->has_value && is_twice(least, half->estimate.value));
    result->has_value = (peak > 0 && peak + 1 < KNEE_VALUES) || result->by_minimum;
    const double value = result->by_minimum ? least : seen;
    struct estimate *e = &result->estimate;
    *e = (struct estimate){.state = state,
                           .summary = {.count = lab->rows.kept},
                           .indifferent = true,
                           .unproved = state == STATE_IDLE && !lab->data.reading.sure};
    e->value = e->low = e->high = e->first = e->second = value;
    if (result->by_minimum) {
        result->rounds = lab->rows.kept;
        result->verdict = (struct verdict){TRUST_MEDIUM, LEG_REPETITION, .within_absolute = 1};
    } else if (result->has_value) {
        struct agreement agreement = knee_agreement(counts, peak);
        e->summary.count = counts->rounds;
        result->agreeing = (size_t)lround(agreement.share * (double)counts->rounds);
        /* Rounds during which the sibling came or went show the size of the other state. */
        steps_count(lab, claim, course, state == STATE_ACTIVE ? STATE_IDLE : STATE_ACTIVE, counts);
        const double elsewhere = (double)knee_top_peak(counts), other = (double)agreement.other;
        if (is_twice((double)peak, other) || is_twice(other, (double)peak) ||
            (elsewhere > 0 && fabs(elsewhere - other) <= 1))
            agreement.other = 0;
        result->other = steps_x(course, agreement.other);
        /* And where they are most of the rounds, there is no answer: a busy sibling leaves half. */
        if (state == STATE_ACTIVE && lab->experiment->claims[claim].halves && elsewhere > 0 &&
            fabs(elsewhere - (double)peak) <= 1)
            result->has_value = false;
        /* Where many rounds next to a busy sibling agree on the half, few of the whole are no accident. */
        const bool is_whole = state == STATE_IDLE && result->agreeing >= FEW && half->has_value &&
                              half->verdict.trust == TRUST_HIGH && is_twice(value, half->estimate.value);
        result->verdict = count_judge(&agreement, is_whole ? SIZE_MAX : result->rounds);
    }
    free(counts);
}
