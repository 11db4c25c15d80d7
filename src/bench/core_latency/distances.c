/* SPDX-License-Identifier: MIT */
#include "distances.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* What lies this close together is one distance. */
static const double GAP = 0.25;
/* A line out of another core's cache takes longer than twice a hit of the own L2, one out of a core below the same
 * L3 two to three times a hit of that L3, and one from elsewhere at least twice as long as that. */
static const double CORE_LIMIT = 2, L3_LIMIT = 4, BEYOND_LIMIT = 2;
/* Readings of the own L3 that lie further apart are not of the L3 alone. */
static const double APART_MOST = 1.3;
/* A line out of a core below the same L3 takes 7 to 20 times a hit of the own L2, one from elsewhere 30 to 40 times (Zen 4,
 * Zen 5, Emerald and Granite Rapids): readings of the L3 that make more of it one L3 were taken from memory. */
static const double PLAUSIBLE_MOST = 24;

/* What the witness saw in a measurement of a pair; NaN: nothing. */
static double seen_in(const struct engine_data *data, const struct distance_rules *rules, size_t sweep,
                      size_t point)
{
    const size_t width = data->cells / data->points;
    if (rules->pair[point].from == rules->pair[point].to)
        return NAN;
    return data->value[sweep * data->cells + point * width + rules->column];
}

/* A handful is too little to find groups in, but may be one. */
static void find_classes(struct distances *d, const struct engine_data *data,
                         const struct distance_rules *rules)
{
    struct value_classes *classes = &d->classes;
    double *value = memory_zeroed(data->sweeps * rules->pairs, sizeof *value);
    size_t count = 0, begin = 0;

    for (size_t sweep = 0; sweep < data->sweeps; sweep++) {
        for (size_t point = 0; point < rules->pairs; point++) {
            const double seen = seen_in(data, rules, sweep, point);
            if (!isnan(seen))
                value[count++] = seen;
        }
    }
    values_sort(value, count);
    classes_find(value, count, GAP, classes);
    if (classes->count == 0 && count > 0 && value[count - 1] <= value[0] * (1 + GAP))
        *classes = (struct value_classes){1, {{value[0], value[count - 1], count}}};
    d->count = classes->count;
    for (size_t i = 0; i < d->count; i++) {
        while (value[begin] < classes->of[i].low)
            begin++;
        d->of[i].ns = quantile_of_sorted(value + begin, classes->of[i].members, 0.5);
    }
    free(value);
}

/* Whether the machine shows an L3. */
static bool place_all(struct distances *d, const struct engine_data *data, const struct distance_rules *rules)
{
    bool any_l3 = false;

    for (size_t point = 0; point < rules->pairs; point++) {
        const struct cpu_place *from = &rules->place[rules->pair[point].from];
        const enum relation relation = place_relation(from, &rules->place[rules->pair[point].to]);
        int last = -1;
        size_t changes = 0;
        for (size_t sweep = 0; sweep < d->sweeps; sweep++) {
            const double seen = seen_in(data, rules, sweep, point);
            const int at = isnan(seen) ? -1 : classes_of(&d->classes, seen);
            d->at[sweep * d->points + point] = (int8_t)at;
            d->looks += !isnan(seen);
            if (at < 0)
                continue;
            d->of[at].looks++;
            d->of[at].related[relation]++;
            any_l3 = any_l3 || from->l3 >= 0;
            changes += last >= 0 && at != last;
            last = at;
        }
        d->changes += changes;
        d->moved += changes > 0;
    }
    return any_l3;
}

/* A hypervisor's L3 may be several: then only what a hit of the own L3 takes tells whether a distance lies within one. */
static enum distance_kind by_own_l3(const struct distance_rules *rules, double ns)
{
    const struct own_ns *l3 = &rules->l3;

    if (!(l3->most <= APART_MOST * l3->least))
        return rules->guest ? DISTANCE_UNNAMED : DISTANCE_L3;
    if (ns > L3_LIMIT * l3->most)
        return DISTANCE_BEYOND;
    if (ns > L3_LIMIT * l3->least || (rules->guest && ns > PLAUSIBLE_MOST * rules->l2_ns))
        return DISTANCE_UNNAMED;
    return DISTANCE_L3;
}

static enum distance_kind kind_of(const struct distances *d, size_t i, const struct distance_rules *rules,
                                  bool any_l3)
{
    const struct distance *at = &d->of[i], *last = i > 0 ? &d->of[i - 1] : NULL;
    const size_t below_l3 = at->related[SAME_CORE] + at->related[SAME_L2] + at->related[SAME_L3];
    double nearest_l3 = NAN;

    if (isnan(rules->l2_ns) ? 2 * at->related[SAME_CORE] > at->looks : at->ns < CORE_LIMIT * rules->l2_ns)
        return DISTANCE_CORE;
    if (!any_l3)
        return DISTANCE_UNNAMED;
    for (size_t k = i; k-- > 0;)
        nearest_l3 = d->of[k].kind == DISTANCE_L3 ? d->of[k].ns : nearest_l3;
    if (below_l3 == 0 || (last && last->kind == DISTANCE_BEYOND) || at->ns > BEYOND_LIMIT * nearest_l3)
        return DISTANCE_BEYOND;
    return by_own_l3(rules, at->ns);
}

void distances_find(struct distances *d, const struct engine_data *data, const struct distance_rules *rules)
{
    *d = (struct distances){
        .points = data->points, .sweeps = data->sweeps, .at = memory_grow(NULL, data->points * data->sweeps)};
    memset(d->at, -1, data->points * data->sweeps);
    find_classes(d, data, rules);
    const bool any_l3 = place_all(d, data, rules);
    for (size_t i = 0; i < d->count; i++) {
        d->of[i].kind = kind_of(d, i, rules, any_l3);
        d->of[i].rank = i > 0 && d->of[i - 1].kind == d->of[i].kind ? d->of[i - 1].rank + 1 : 0;
    }
}

void distances_free(struct distances *d)
{
    free(d->at);
    *d = (struct distances){0};
}

int distances_at(const struct distances *d, size_t sweep, size_t point)
{
    return d->at && sweep < d->sweeps ? d->at[sweep * d->points + point] : -1;
}

int distances_main(const struct distances *d, size_t point, double *share)
{
    size_t looks[CLASSES_MOST] = {0}, all = 0;
    int best = 0;

    for (size_t sweep = 0; sweep < d->sweeps; sweep++) {
        const int at = distances_at(d, sweep, point);
        if (at >= 0) {
            looks[at]++;
            all++;
        }
    }
    for (int i = 1; i < (int)d->count; i++)
        best = looks[i] > looks[best] ? i : best;
    *share = all ? (double)looks[best] / (double)all : 1;
    return all == 0 ? -1 : best;
}

/* By kind and rank. */
#define RANKED(name) name, name " 2", name " 3", name " 4"
enum { RANKS = 4 };
const char *const distance_names[] = {RANKED("one core"),
                                      RANKED("one L3"),
                                      RANKED("beyond one L3"),
                                      "distance 1",
                                      "distance 2",
                                      "distance 3",
                                      "distance 4",
                                      NULL};

int distance_class(const struct distances *d, int index)
{
    const struct distance *distance = &d->of[index];
    return (int)distance->kind * RANKS + (distance->rank < RANKS ? distance->rank : RANKS - 1);
}

const char *distance_name(const struct distances *d, int index)
{
    return distance_names[distance_class(d, index)];
}

const char *distance_key(const struct distances *d, int index, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", distance_name(d, index));
    for (char *c = buffer; *c; c++)
        *c = (char)(*c == ' ' ? '_' : *c == 'L' ? 'l' : *c);
    return buffer;
}
