/* SPDX-License-Identifier: MIT */
/* Which level of the memory a working set lies in, by what its chains took. Pure. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "ram.h"

/* A latency further above that of the level's smallest chain is another level's, in part at least. */
static const double SAME_LEVEL = 1.25;
/* A set of a level that is read so much faster than memory lies in the level. */
static const double STREAMED = 1.5;

static double latency_of(const struct ram_point *point)
{
    return point->seconds_of_pass.value;
}

static const struct ram_point *next_chain(const struct ram_plan *plan, int level, uint64_t beyond)
{
    const struct ram_point *next = NULL;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *point = &plan->points[i];
        if (ram_is_latency(point) && point->measured && point->level == level && point->footprint > beyond &&
            (!next || point->footprint < next->footprint))
            next = point;
    }
    return next;
}

struct ram_plateau ram_plateau_of(const struct ram_plan *plan, int level)
{
    struct ram_plateau plateau = {.first = next_chain(plan, level, 0)};
    const struct ram_point *next;
    for (const struct ram_point *at = plateau.first; at; at = next) {
        next = next_chain(plan, level, at->footprint);
        plateau.falls |= next && SAME_LEVEL * latency_of(next) < latency_of(at);
        if (plateau.after)
            continue;
        if (latency_of(at) > SAME_LEVEL * latency_of(plateau.first))
            plateau.after = at;
        else
            plateau.holds = at->footprint;
    }
    return plateau;
}

/* Of a byte read by the fastest kernel; NaN: not measured. */
static double read_seconds(const struct ram_plan *plan, const struct working_set *set)
{
    const struct ram_point *read = ram_best(plan, OPERATION_READ, set);
    return read ? read->seconds_of_pass.value / (double)read->bytes : NAN;
}

/* A stream keeps lines that neighbours take from a slow chase. */
static bool is_streamed(const struct ram_plan *plan, const struct working_set *set)
{
    for (int i = 0; set && i < plan->set_count; i++)
        if (plan->sets[i].level > plan->last_level &&
            read_seconds(plan, &plan->sets[i]) > STREAMED * read_seconds(plan, set))
            return true;
    return false;
}

static bool is_held(const struct ram_plan *plan, int level, uint64_t footprint, const struct working_set *set)
{
    const struct ram_plateau plateau = ram_plateau_of(plan, level);
    return level > plan->last_level || !plateau.after || footprint < plateau.after->footprint ||
           is_streamed(plan, set);
}

const char *ram_level(const struct ram_plan *plan, const struct ram_point *point)
{
    static const char *const sure[RAM_LEVELS_MAX + 1] = {"", "L1", "L2", "L3", "L4", "L5", ""};
    static const char *const mixed[RAM_LEVELS_MAX] = {"", "L1 or L2", "L2 or L3", "L3 or L4", "L4 or L5", ""};
    static const char *const last[RAM_LEVELS_MAX] = {"",           "L1 or DRAM", "L2 or DRAM",
                                                     "L3 or DRAM", "L4 or DRAM", "L5 or DRAM"};
    if (!ram_in_cache(plan, point))
        return plan->last_level ? "DRAM" : "memory";
    if (is_held(plan, point->level, point->footprint, ram_is_latency(point) ? NULL : point->set))
        return sure[point->level];
    return point->level == plan->last_level ? last[point->level] : mixed[point->level];
}

void ram_relabel(struct ram_plan *plan)
{
    for (int i = 0; i < plan->set_count; i++) {
        struct working_set *set = &plan->sets[i];
        struct text size = {0};
        if (set->level == 0 || is_held(plan, set->level, set->bytes, set))
            continue;
        text_add_size(&size, (int64_t)set->bytes);
        snprintf(set->label, sizeof set->label, "%s", size.data);
        text_free(&size);
    }
}
