/* SPDX-License-Identifier: MIT */
/* Where a time rises along x: in one round, and what the rounds of a state say together. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/capacity.h"
#include "engine/claims.h"
#include "uarchprobe/stats.h"

enum { CHAIN_POINTS = 16, EXPLORING = 16, FIRST_RANGE = 160, RANGE_MOST = KNEE_VALUES - 1, MARGIN = 16 };

uint64_t step_of(const struct course *course, const double *ns, bool bend)
{
    const size_t count = course->count, few = count < CHAIN_POINTS ? count : CHAIN_POINTS;
    const double height = course->height_ns > 0 ? course->height_ns : median_of(ns, few);
    const struct knee knee = bend ? knee_line2(ns, count) : knee_sweep(ns, count, height);
    return knee.found ? course->series->first + knee.last * course->step : 0;
}

/* Points are counted from 1, so that 0 is no step. */
static size_t point_of(const struct course *course, double x)
{
    return x > 0 ? (size_t)((x - (double)course->series->first) / (double)course->step) + 1 : 0;
}

uint64_t steps_x(const struct course *course, size_t point)
{
    return point ? course->series->first + (point - 1) * course->step : 0;
}

/* Twice the size must be in the range, as what is seen may be the half that a busy sibling leaves. */
bool steps_explore(const struct lab *lab, struct course *course, uint64_t deadline_ns)
{
    const struct engine_machine *machine = lab->machine;
    const uint64_t first = course->series->first;
    double ns[KNEE_VALUES];
    size_t peak = 0;
    for (size_t count = FIRST_RANGE; peak == 0 && count < 2 * RANGE_MOST; count *= 2) {
        struct knee_counts counts = {0};
        course->count = count < RANGE_MOST ? count : RANGE_MOST;
        for (int round = 0; round < EXPLORING && machine->now_ns(machine->context) < deadline_ns; round++) {
            for (size_t i = 0; i < course->count; i++)
                ns[i] = lab_sample(lab, course, first + i * course->step);
            knee_count(&counts, point_of(course, (double)step_of(course, ns, false)));
        }
        peak = knee_largest_peak(&counts);
    }
    const size_t count = 2 * peak + MARGIN < RANGE_MOST ? 2 * peak + MARGIN : RANGE_MOST;
    course->last = first + (count - 1) * course->step;
    return peak > 0;
}

void steps_count(const struct lab *lab, size_t claim, enum state state, struct knee_counts *counts)
{
    const struct engine_data *rows = &lab->rows;
    const struct course *course = course_of(lab, lab->experiment->claims[claim].from);
    *counts = (struct knee_counts){0};
    for (size_t sweep = 0; sweep < rows->sweeps; sweep++) {
        const double x = engine_value(rows, sweep, claim);
        if (!isnan(x) && engine_state(rows, sweep, claim) == state && !engine_disturbed(rows, sweep, claim))
            knee_count(counts, point_of(course, x));
    }
}

/* Of the least time of each point in any state: a whole size in too few rounds for a peak breaks that curve all the same. */
static uint64_t minimum_step(const struct lab *lab, const struct course *course)
{
    double least[KNEE_VALUES];
    for (size_t i = 0; i < course->count; i++) {
        least[i] = INFINITY;
        for (size_t sweep = 0; sweep < lab->data.sweeps; sweep++)
            least[i] = fmin(least[i], (double)lab->data.value[sweep * lab->data.cells + course->first + i]);
    }
    return step_of(course, least, false);
}

/* The promise is one entry, so that neighbours of a value agree with it. */
static struct agreement agreement_of(const struct knee_counts *counts, size_t peak)
{
    struct knee_counts *near = memory_zeroed(1, sizeof *near);
    *near = *counts;
    for (size_t i = 0; i < near->kept; i++)
        if (near->in_order[i] + 1u == peak || near->in_order[i] == peak + 1)
            near->in_order[i] = (unsigned short)peak;
    near->at[peak] += (peak > 1 ? near->at[peak - 1] : 0) + near->at[peak + 1];
    near->at[peak - 1] = near->at[peak + 1] = 0;
    const struct agreement agreement = knee_agreement(near, peak, 0);
    free(near);
    return agreement;
}

/* A count has no interval: its legs are the share of the rounds that agree, both halves of the run, and no second peak. */
void steps_answer(const struct lab *lab, size_t claim, enum state state, struct result *result)
{
    const struct course *course = course_of(lab, lab->experiment->claims[claim].from);
    struct knee_counts *counts = memory_zeroed(1, sizeof *counts);
    steps_count(lab, claim, state, counts);
    /* Rounds filed as idle during which the sibling came show less, those filed as active more. */
    size_t peak = state == STATE_ACTIVE ? knee_top_peak(counts) : knee_size(counts);
    result->rounds = counts->sweeps;
    result->has_value = peak > 0 && peak + 1 < KNEE_VALUES;
    if (result->has_value) {
        const struct agreement agreement = agreement_of(counts, peak);
        const uint64_t x = steps_x(course, peak), whole = minimum_step(lab, course);
        result->by_minimum =
            state != STATE_ACTIVE && whole == 2 * x && lab->experiment->claims[claim].kind == CLAIM_STEP;
        const double value = (double)(result->by_minimum ? whole : x);
        result->estimate = (struct estimate){.state = state,
                                             .summary = {.count = counts->sweeps},
                                             .value = value,
                                             .low = value,
                                             .high = value,
                                             .first = value,
                                             .second = value,
                                             .indifferent = true,
                                             .unproved = state == STATE_IDLE && !lab->data.reading.sure};
        result->agreeing = counts->at[peak] + counts->at[peak + 1] + (peak > 1 ? counts->at[peak - 1] : 0);
        result->other = steps_x(course, agreement.other);
        result->verdict = count_judge(&agreement, counts->sweeps);
    }
    free(counts);
}
