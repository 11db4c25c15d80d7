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

static const struct ram_point *next_chain(const struct ram_plan *plan, int level, uint64_t beyond)
{
    const struct ram_point *next = NULL;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *point = &plan->points[i];
        if (ram_is_latency(point) && point->fastest && point->level == level && point->footprint > beyond &&
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
        const double ns = at->estimate[RAM_NS].value;
        next = next_chain(plan, level, at->footprint);
        plateau.falls |= next && SAME_LEVEL * next->estimate[RAM_NS].value < ns;
        if (plateau.after)
            continue;
        if (ns > SAME_LEVEL * plateau.first->estimate[RAM_NS].value)
            plateau.after = at;
        else
            plateau.holds = at->footprint;
    }
    return plateau;
}

/* Of a byte read by the fastest kernel; NaN: not measured. */
static double read_ns(const struct ram_plan *plan, const struct working_set *set)
{
    const struct ram_point *read = ram_best(plan, OPERATION_READ, set);
    return read ? read->estimate[RAM_NS].value / (double)read->bytes : NAN;
}

/* A stream keeps lines that neighbours take from a slow chase. set: that is streamed; NULL: it is chased. */
static bool is_held(const struct ram_plan *plan, int level, uint64_t footprint, const struct working_set *set)
{
    const struct ram_plateau plateau = ram_plateau_of(plan, level);
    bool streamed = false;
    for (int i = 0; set && i < plan->set_count; i++)
        streamed = streamed || (plan->sets[i].level > plan->last_level &&
                                read_ns(plan, &plan->sets[i]) > STREAMED * read_ns(plan, set));
    return level > plan->last_level || !plateau.after || footprint < plateau.after->footprint || streamed;
}

void ram_level(const struct ram_plan *plan, const struct ram_point *point, char name[RAM_NAME])
{
    const struct working_set *set = ram_is_latency(point) ? NULL : point->set;
    if (!ram_in_cache(plan, point))
        snprintf(name, RAM_NAME, "%s", plan->last_level ? "DRAM" : "memory");
    else if (is_held(plan, point->level, point->footprint, set))
        snprintf(name, RAM_NAME, "L%d", point->level);
    else if (point->level < plan->last_level)
        snprintf(name, RAM_NAME, "L%d or L%d", point->level, point->level + 1);
    else
        snprintf(name, RAM_NAME, "L%d or DRAM", point->level);
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
