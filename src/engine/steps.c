/* SPDX-License-Identifier: MIT */
/* Where a time rises along x: in one round, and what the rounds of a state say together. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/claims.h"
#include "uarchprobe/stats.h"

enum { CHAIN_POINTS = 16, EXPLORING = 16, FIRST_RANGE = 160, RANGE_MOST = KNEE_VALUES - 1, MARGIN = 16 };

uint64_t step_of(const struct course *course, const double *ns)
{
    const size_t count = course->count, few = count < CHAIN_POINTS ? count : CHAIN_POINTS;
    const double height = course->height_ns > 0 ? course->height_ns : median_of(ns, few);
    const struct knee knee = knee_sweep(ns, count, height);
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
        for (size_t sweep = 0; sweep < lab->data.sweeps; sweep++) {
            const double ns = (double)lab->data.value[sweep * lab->data.cells + course->first + i];
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
    result->rounds = counts->sweeps;
    result->by_minimum =
        state != STATE_ACTIVE && least > 0 &&
        (peak ? is_twice(least, seen) : half->has_value && is_twice(least, half->estimate.value));
    result->has_value = (peak > 0 && peak + 1 < KNEE_VALUES) || result->by_minimum;
    const double value = result->by_minimum ? least : seen;
    struct estimate *e = &result->estimate;
    *e = (struct estimate){.state = state,
                           .summary = {.count = lab->rows.sweeps},
                           .indifferent = true,
                           .unproved = state == STATE_IDLE && !lab->data.reading.sure};
    e->value = e->low = e->high = e->first = e->second = value;
    if (result->by_minimum) {
        result->rounds = lab->rows.sweeps;
        result->verdict = (struct verdict){TRUST_MEDIUM, LEG_REPETITION, .within_absolute = 1};
    } else if (result->has_value) {
        struct agreement agreement = knee_agreement(counts, peak);
        e->summary.count = counts->sweeps;
        result->agreeing = (size_t)lround(agreement.share * (double)counts->sweeps);
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

/* Below, a rise may be an accident. */
static const double RISE_CYCLES = 1.5, RISE_SIGMAS = 5;
/* Of the costs: above the few samples that were fast because they are of the other state. */
static const double LOW = 0.25;

/* Points before two lines break, where the second ends far enough above the first; 0: nowhere. */
static size_t bend_of(const double *cycles, size_t count)
{
    const struct knee knee = knee_line2(cycles, count);
    const size_t before = knee.last + 1;
    return knee.found && knee_beyond(cycles, before, count) >= fmax(RISE_CYCLES, RISE_SIGMAS * knee.noise)
               ? before
               : 0;
}

/* Both halves of the run must bend at the same place. */
void bends_answer(const struct lab *lab, const struct course *course, enum state state, struct result *result)
{
    double whole[KNEE_VALUES], first[KNEE_VALUES], second[KNEE_VALUES];
    struct estimate e;
    result->rounds = SIZE_MAX;
    for (size_t i = 0; i < course->count; i++) {
        const bool taken = engine_estimate(&lab->data, course->first + i, state, LOW, &e);
        result->rounds = taken && e.summary.count < result->rounds ? e.summary.count : result->rounds;
        if (!taken || isnan(e.first)) {
            result->rounds = 0;
            return;
        }
        whole[i] = e.value;
        first[i] = e.first;
        second[i] = e.second;
    }
    const size_t at = bend_of(whole, course->count);
    result->has_value = at > 0;
    if (at == 0)
        return;
    const double value = (double)steps_x(course, at);
    result->estimate = e; /* of the last point: state, disturbed, unproved */
    result->estimate.value = result->estimate.low = result->estimate.high = value;
    result->estimate.first = (double)steps_x(course, bend_of(first, course->count));
    result->estimate.second = (double)steps_x(course, bend_of(second, course->count));
    result->estimate.indifferent = true;
    result->estimate.parts.count = 0;
}
