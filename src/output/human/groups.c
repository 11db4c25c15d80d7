/* SPDX-License-Identifier: MIT */
/* Summarises a map of more CPUs than a screen has lines, group by group. */
#include <math.h>

#include "human.h"
#include "output/scratch.h"
#include "uarchprobe/stats.h"

enum { GROUPS_MOST = 6 };

static int groups_in(const struct plot *plot, const struct plot_grouping *grouping)
{
    int most = -1;
    for (size_t i = 0; i < plot->y.count; i++)
        most = grouping->group_of[i] > most ? grouping->group_of[i] : most;
    return most + 1;
}

/* The innermost level whose groups are few enough; NULL: there is none. */
static const struct plot_grouping *level_of(const struct plot *plot)
{
    const struct plot_grouping *level = NULL;
    for (int i = 0; i < plot->grouping_count; i++) {
        if (groups_in(plot, &plot->grouping[i]) <= GROUPS_MOST)
            level = &plot->grouping[i];
    }
    return level;
}

static void add_groups(const struct plot *plot, const struct plot_grouping *level, int from, int to,
                       double *value, struct text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < plot->y.count * plot->x.count; i++) {
        const size_t row = i / plot->x.count, column = i % plot->x.count;
        const struct plot_cell *cell = &plot->cell[i];
        const int a = level ? level->group_of[row] : from, b = level ? level->group_of[column] : to;
        if (!cell->aside && !isnan(cell->value) && ((a == from && b == to) || (a == to && b == from)))
            value[count++] = cell->value;
    }
    if (count == 0)
        return;
    const char *first = level ? plot_group_name(plot, level, from) : "all";
    const char *name = from == to        ? first
                       : level->of_kinds ? spell("%s and %s", first, plot_group_name(plot, level, to))
                                         : spell("%s and %d", first, to);
    text_printf(out, "%-20s  %8s  %8s  %8s  %8zu\n", name,
                plot_number(&plot->value, quantile_of(value, count, 0)),
                plot_number(&plot->value, median_of(value, count)),
                plot_number(&plot->value, quantile_of(value, count, 1)), count);
}

void human_groups(const struct style *style, const struct plot *plot, struct text *out)
{
    const struct plot_grouping *level = level_of(plot);
    const size_t groups = level ? (size_t)groups_in(plot, level) : 1;
    double *value = scratch_new(plot->x.count * plot->y.count, sizeof(*value));
    text_printf(out, "%-20s    lowest    median   highest     pairs\n", plot->value.title);
    for (size_t from = 0; from < groups; from++) {
        for (size_t to = from; to < groups; to++)
            add_groups(plot, level, (int)from, (int)to, value, out);
    }
}
