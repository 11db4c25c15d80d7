/* SPDX-License-Identifier: MIT */
/* Points with given estimates, and the answers of a sweep. */
#pragma once

#include "bench/stlf/stlf.h"

enum { SETS_POINTS = 5 * STLF_UNROLL_MAX };

static struct {
    struct stlf_point point[SETS_POINTS];
    struct estimate estimate[SETS_POINTS + 1];
    struct cpu cpu;
    struct run run;
    struct stlf stlf;
    struct stlf_part part;
} sets;

static inline struct estimate sets_steady(double value)
{
    return (struct estimate){
        .state = sets.part.state,
        .summary = {.count = 100, .min = value, .p10 = value, .median = value, .p90 = value},
        .value = value,
        .low = value - 0.003,
        .high = value + 0.003,
        .first = value,
        .second = value,
        .placements = 12,
        .placement_low = value,
        .placement_high = value,
        .visits = 20,
        .parts = {.count = 1, .value = {(float)value}}};
}

static inline void sets_are(enum state state)
{
    sets.part.state = state;
    for (size_t i = 0; i < sets.part.count; i++)
        sets.estimate[i].state = state;
}

/* None yet, of an idle sibling, on a core whose loads take 4 cycles. */
static inline void sets_begin(const struct stlf_sweep *sweep)
{
    record_free(sets.run.record);
    sets.run = (struct run){.record = record_new(), .cpu = &sets.cpu};
    sets.stlf = (struct stlf){.run = &sets.run, .usual = {.l1 = 4, .forwarded = 6.46, .blocked = 19}};
    sets.part = (struct stlf_part){.stlf = &sets.stlf,
                                   .sweep = sweep,
                                   .point = sets.point,
                                   .estimate = sets.estimate,
                                   .state = STATE_IDLE};
}

/* A point of that row of the sweep, of any kernel where it has none. */
static inline struct estimate *sets_add(int row, const struct stlf_point *point, double cycles)
{
    static const struct kernel any = {.operation = OPERATION_FORWARD_FA, .bits = 64, .load_bits = 32};
    struct estimate *e = &sets.estimate[sets.part.count];
    sets.point[sets.part.count] = *point;
    sets.point[sets.part.count].kernel = point->kernel ? point->kernel : &any;
    sets.point[sets.part.count++].series = sets.part.sweep->series[row].name;
    *e = sets_steady(cycles);
    sets.estimate[sets.part.count] = sets_steady(NAN);
    return e;
}

/* The estimates of a row. */
static inline struct estimate *sets_at(int row)
{
    return &sets.estimate[stlf_curve(&sets.part, sets.part.sweep->series[row].name).of - sets.estimate];
}

/* The answer of that key; NULL: there is none. */
static inline const struct answer *sets_answer(const char *key)
{
    record_free(sets.run.record);
    sets.run.record = record_new();
    stlf_report(&sets.part);
    stlf_record_offsets(&sets.stlf);
    return record_answer_find(sets.run.record, key, NULL);
}

static inline double sets_number(const char *key)
{
    const struct answer *of = sets_answer(key);
    return of ? cell_number(&of->value) : NAN;
}
