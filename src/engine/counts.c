/* SPDX-License-Identifier: MIT */
/* What the rounds of a state say of a count: how far each of them saw it, and how many agree. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/claims.h"
#include "uarchprobe/stats.h"

static size_t at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

enum { CHAIN_POINTS = 16, EXPLORING = 16, FIRST_RANGE = 160, RANGE_MOST = STEP_VALUES - 1, MARGIN = 16 };

uint64_t steps_x(const struct course *course, size_t point)
{
    return point ? course_x(course, point - 1) : 0;
}

/* Behind a step two take their time one after the other that overlapped before it. The first points of a round are no measure of one of
 * them: while predictors and caches are cold they take twice as long. */
size_t step_of(const struct course *course, const double *ns)
{
    const size_t count = course->count, few = at_most(count, CHAIN_POINTS);
    return step_find(ns, count,
                     course->height_ns > 0 ? course->height_ns : median_of(ns + count - few, few) / 2);
}

/* Twice the size must be in the range, as what is seen may be the half that a busy sibling leaves. */
void steps_explore(const struct lab *lab, struct course *course, uint64_t deadline_ns)
{
    const struct engine_machine *machine = lab->machine;
    double ns[STEP_VALUES];
    size_t peak = 0;
    for (size_t count = FIRST_RANGE; peak == 0 && count < 2 * RANGE_MOST; count *= 2) {
        struct step_counts counts = {0};
        course->count = at_most(count, RANGE_MOST);
        for (int round = 0; round < EXPLORING && machine->now_ns(machine->context) < deadline_ns; round++) {
            for (size_t i = 0; i < course->count; i++)
                ns[i] = lab_sample(lab, course, course_x(course, i));
            step_count(&counts, step_of(course, ns));
        }
        peak = step_size(&counts);
    }
    course->count = peak > 0 ? at_most(2 * peak + MARGIN, RANGE_MOST) : RANGE_MOST;
}

void steps_count(const struct lab *lab, size_t claim, const struct course *course, enum state state,
                 struct step_counts *counts)
{
    const struct engine_data *rows = &lab->rows;
    size_t all = 0;
    for (int pass = 0; pass < 2; pass++) {
        *counts = (struct step_counts){.firsts = all / 2};
        for (size_t round = 0; round < rows->kept; round++) {
            const double x = engine_value(rows, round, claim);
            if (!isnan(x) && engine_state(rows, round, claim) == state &&
                !engine_disturbed(rows, round, claim))
                step_count(counts, x > 0 ? ((uint64_t)x - course_x(course, 0)) / course->step + 1 : 0);
        }
        all = counts->rounds;
    }
}

/* Of the least time of each point in any state: a whole size in too few rounds for a peak breaks that curve all the same. */
static uint64_t minimum_step(const struct lab *lab, const struct course *course)
{
    double least[STEP_VALUES];
    for (size_t i = 0; i < course->count; i++) {
        least[i] = INFINITY;
        for (size_t round = 0; round < lab->data.kept; round++) {
            const double ns = (double)lab->data.value[round * lab->data.cells + course->first + i];
            least[i] = ns < least[i] ? ns : least[i];
        }
    }
    return steps_x(course, step_of(course, least));
}

/* As a count has no interval, only its halves can differ. */
static struct estimate estimate_of_count(const struct lab *lab, enum state state, size_t rounds, double value)
{
    return (struct estimate){.state = state,
                             .summary = {.count = rounds},
                             .value = value,
                             .low = value,
                             .high = value,
                             .first = value,
                             .second = value,
                             .indifferent = true,
                             .unproved = state == STATE_IDLE && !lab->data.reading.sure};
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
    struct step_counts *counts = memory_zeroed(1, sizeof *counts);
    steps_count(lab, claim, course, state, counts);
    /* Rounds filed as idle during which the sibling came show less, those filed as active more. */
    const size_t peak = state == STATE_ACTIVE ? step_top(counts) : step_size(counts);
    const double seen = (double)steps_x(course, peak), least = (double)minimum_step(lab, course);
    result->rounds = counts->rounds;
    result->by_minimum =
        state != STATE_ACTIVE && least > 0 &&
        (peak ? is_twice(least, seen) : half->has_value && is_twice(least, half->estimate.value));
    result->has_value = (peak > 0 && peak + 1 < STEP_VALUES) || result->by_minimum;
    const double value = result->by_minimum ? least : seen;
    if (result->by_minimum) {
        result->rounds = lab->rows.kept;
        result->verdict = (struct verdict){TRUST_MEDIUM, LEG_REPETITION, .within_absolute = 1};
    } else if (result->has_value) {
        struct agreement agreement = step_agreement(counts, peak);
        result->agreeing = (size_t)lround(agreement.share * (double)counts->rounds);
        /* Rounds during which the sibling came or went show the size of the other state. */
        steps_count(lab, claim, course, state == STATE_ACTIVE ? STATE_IDLE : STATE_ACTIVE, counts);
        const double elsewhere = (double)step_top(counts), other = (double)agreement.other;
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
    result->estimate = estimate_of_count(lab, state, result->rounds, value);
    free(counts);
}

/* Of the costs: above the few samples that were fast because they are of the other state. */
static const double LOW = 0.25;

/* Both halves of the run must bend at the same place. */
void bends_answer(const struct lab *lab, const struct course *course, enum state state, struct result *result)
{
    double whole[STEP_VALUES], first[STEP_VALUES], second[STEP_VALUES];
    result->rounds = SIZE_MAX;
    for (size_t i = 0; i < course->count; i++) {
        struct estimate e;
        const bool taken = engine_estimate(&lab->data, course->first + i, state, LOW, &e);
        if (!taken || isnan(e.first)) {
            result->rounds = 0;
            return;
        }
        result->rounds = at_most(e.summary.count, result->rounds);
        whole[i] = e.value;
        first[i] = e.first;
        second[i] = e.second;
    }
    const size_t at = bend_find(whole, course->count);
    result->has_value = at > 0;
    result->estimate = estimate_of_count(lab, state, result->rounds, (double)steps_x(course, at));
    result->estimate.first = (double)steps_x(course, bend_find(first, course->count));
    result->estimate.second = (double)steps_x(course, bend_find(second, course->count));
}
