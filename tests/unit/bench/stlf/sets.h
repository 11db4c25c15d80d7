/* SPDX-License-Identifier: MIT */
/* Points whose estimates are given, and what a sweep says of them. */
#pragma once

#include "bench/stlf/stlf.h"

enum { SETS_POINTS = 5 * STLF_UNROLL_MAX };

static struct {
    struct stlf_point point[SETS_POINTS];
    struct estimate estimate[SETS_POINTS + 1];
    struct cpu cpu;
    struct run run;
    struct stlf stlf;
    struct stlf_set set;
} sets;

static inline struct estimate sets_steady(double value)
{
    return (struct estimate){
        .state = sets.set.state,
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
    sets.set.state = state;
    for (size_t i = 0; i < sets.set.count; i++)
        sets.estimate[i].state = state;
}

/* None yet, of an idle sibling, on a core whose loads take 4 cycles. */
static inline void sets_begin(void)
{
    record_free(sets.run.record);
    sets.run = (struct run){.record = record_new(), .cpu = &sets.cpu};
    sets.stlf =
        (struct stlf){.run = &sets.run,
                      .levels = {[STATE_IDLE] = {.l1 = 4, .forwarded = 6.46, .partial = 19, .blocked = 19}}};
    sets.set = (struct stlf_set){
        .stlf = &sets.stlf, .point = sets.point, .estimate = sets.estimate, .state = STATE_IDLE};
}

static inline struct estimate *sets_add(const struct stlf_point *point, double cycles)
{
    struct estimate *e = &sets.estimate[sets.set.count];
    sets.point[sets.set.count++] = *point;
    *e = sets_steady(cycles);
    sets.estimate[sets.set.count] = sets_steady(NAN);
    return e;
}

/* The estimates of a series. */
static inline struct estimate *sets_at(const char *series)
{
    return &sets.estimate[stlf_curve(&sets.set, series).of - sets.estimate];
}

/* The answer of that key, of all that are said; NULL: there is none. */
static inline const struct answer *sets_answer(void (*say)(const struct stlf_set *set), const char *key)
{
    record_free(sets.run.record);
    sets.run.record = record_new();
    say(&sets.set);
    return record_answer_find(sets.run.record, key, NULL);
}
