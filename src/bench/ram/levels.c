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

/* Sets, and so chains, stand in the order of their sizes. */
struct ram_plateau ram_plateau_of(const struct ram_plan *plan, int level)
{
    struct ram_plateau plateau = {0};
    double last_ns = 0;
    for (const struct ram_group *group = plan->groups; group < plan->groups + plan->group_count; group++) {
        const struct ram_point *chain = group->best;
        const double ns = group->estimate[RAM_NS].value;
        if (!chain || !ram_is_latency(chain) || chain->level != level)
            continue;
        if (!plateau.first) {
            plateau.first = chain->footprint;
            plateau.first_ns = ns;
        }
        if (!plateau.after && ns > SAME_LEVEL * plateau.first_ns) {
            plateau.after = chain->footprint;
            plateau.after_ns = ns;
        }
        if (!plateau.after)
            plateau.holds = chain->footprint;
        plateau.falls |= SAME_LEVEL * ns < last_ns;
        last_ns = ns;
    }
    return plateau;
}

const struct ram_group *ram_group_of(const struct ram_plan *plan, enum operation operation,
                                     const struct working_set *set)
{
    for (const struct ram_group *group = plan->groups; group < plan->groups + plan->group_count; group++)
        if (group->best && group->best->kernel->operation == operation && group->best->set == set &&
            !group->best->zero)
            return group;
    return NULL;
}

/* Of a byte read by the fastest kernel; NaN: not measured. */
static double read_ns(const struct ram_plan *plan, const struct working_set *set)
{
    const struct ram_group *read = ram_group_of(plan, OPERATION_READ, set);
    return read ? read->estimate[RAM_NS].value / (double)read->best->bytes : NAN;
}

/* A stream keeps lines that neighbours take from a slow chase. set: that is streamed; NULL: it is chased. */
static bool is_held(const struct ram_plan *plan, int level, uint64_t footprint, const struct working_set *set)
{
    const struct ram_plateau plateau = ram_plateau_of(plan, level);
    bool streamed = false;
    for (int i = 0; set && i < plan->set_count; i++)
        streamed = streamed || (plan->sets[i].level > plan->last_level &&
                                read_ns(plan, &plan->sets[i]) > STREAMED * read_ns(plan, set));
    return level > plan->last_level || !plateau.after || footprint < plateau.after || streamed;
}

void ram_level(const struct ram_plan *plan, const struct ram_point *point, char name[RAM_NAME])
{
    const bool held =
        is_held(plan, point->level, point->footprint, ram_is_latency(point) ? NULL : point->set);
    if (!ram_in_cache(plan, point))
        snprintf(name, RAM_NAME, "%s", plan->last_level ? "DRAM" : "memory");
    else if (held)
        snprintf(name, RAM_NAME, "L%d", point->level);
    else if (point->level < plan->last_level)
        snprintf(name, RAM_NAME, "L%d or L%d", point->level, point->level + 1);
    else
        snprintf(name, RAM_NAME, "L%d or DRAM", point->level);
}

void ram_set_name(const struct ram_plan *plan, const struct working_set *set, char name[RAM_NAME])
{
    struct text text = {0};
    if (set->level > plan->last_level)
        text_add(&text, "DRAM ");
    else if (set->level > 0 && is_held(plan, set->level, set->bytes, set))
        text_printf(&text, "L%d ", set->level);
    text_add_size(&text, (int64_t)set->bytes);
    snprintf(name, RAM_NAME, "%s", text.data);
    text_free(&text);
}
