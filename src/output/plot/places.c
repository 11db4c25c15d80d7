/* SPDX-License-Identifier: MIT */
/* What the host's facts say of the places on an axis: CPUs that share something, and where caches end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/places.h"
#include "output/plot/plot_internal.h"
#include "result/subject.h"

/* Worth a bracket: there is more than one, some hold several CPUs, and they differ from those outside them. */
static bool says_something(const int *group_of, size_t count, const int *outer)
{
    size_t changes = 0;
    for (size_t i = 1; i < count; i++)
        changes += group_of[i] != group_of[i - 1];
    bool same = outer && memcmp(group_of, outer, count * sizeof(*group_of)) == 0;
    return group_of[0] >= 0 && changes > 0 && 2 * (changes + 1) <= count && !same;
}

void plot_group_cpus(struct plot *plot, const struct record *record)
{
    for (int level = 0; level < LEVEL_COUNT && plot->grouping_count < PLOT_GROUPINGS; level++) {
        const int count = plot->grouping_count;
        int *group_of = memory_zeroed(plot->y.count, sizeof(*group_of));
        for (size_t i = 0; i < plot->y.count; i++) {
            const double cpu = plot->y.label[i].number;
            group_of[i] = isnan(cpu) ? -1 : place_group(record, (int64_t)cpu, (enum place_level)level);
        }
        if (says_something(group_of, plot->y.count, count ? plot->grouping[count - 1].group_of : NULL))
            plot->grouping[plot->grouping_count++] = (struct plot_grouping){place_levels[level], group_of};
        else
            free(group_of);
    }
}

void plot_mark_caches(struct plot *plot, const struct record *record)
{
    struct host_cache cache;
    for (int i = 0; subject_cache(record, i, &cache); i++) {
        const double bytes = (double)cache.bytes;
        if (strcmp(cache.type, "instruction") == 0 || bytes < plot->x.scale.low || bytes > plot->x.scale.high)
            continue;
        struct text label = {0};
        text_printf(&label, "L%d, ", cache.level);
        text_add_size(&label, cache.bytes);
        plot->mark = memory_grow(plot->mark, (plot->mark_count + 1) * sizeof(*plot->mark));
        plot->mark[plot->mark_count++] = (struct plot_mark){bytes, text_take(&label)};
    }
}
