/* SPDX-License-Identifier: MIT */
/* Which numbers of stores, fillings and kinds of trials the litmus test takes. */
#include "litmus.h"

/* What merges is tried with a buffer of stores, for control, and with so many that nothing else explains it. */
static void add_points(struct sb_passing *passing, const struct sb_params *params, size_t first, size_t last,
                       size_t step)
{
    const bool any = params->address == SB_ADDRESS_AUTO, given = params->stores.last > 0;
    const size_t entries = passing->entries;
    const size_t before = passing->points ? passing->point[passing->points - 1].stores : 0;
    for (size_t s = first; s <= last && s <= SB_MOST_STORES; s += step)
        for (int filling = 0; s > before && filling < FILLINGS; filling++) {
            if (any ? filling == FILL_LINE || filling == FILL_PAGES : filling != params->address - 1)
                continue;
            if (!given && filling <= FILL_LINE && s != entries && s < SB_MERGED * entries)
                continue;
            for (int late = 0; late < 2; late++)
                passing->point[passing->points++] =
                    (struct sb_point){(enum sb_filling)filling, late, s, {{{0}}}};
        }
}

/* All of --stores; else around half of the buffer, which is a control, and beyond all of it; in reserve, around twice of it. */
void sb_points_choose(struct sb_passing *passing, const struct sb_params *params, size_t entries)
{
    enum { SMALL = 16, BLIND = 160, CLOSE = 12, FAR = 32, BEYOND = 11 };
    passing->entries = entries;
    if (params->stores.last > 0)
        add_points(passing, params, params->stores.first, params->stores.last, 1);
    else if (entries < SMALL)
        add_points(passing, params, 1, BLIND, entries == 0 ? 8 : 1);
    else {
        passing->usual = entries + FAR;
        passing->reserved = entries + BEYOND; /* behind it are three of them */
        add_points(passing, params, entries / 2, entries / 2 + 2, 1);
        for (size_t size = entries; size <= 2 * entries; size += entries) {
            add_points(passing, params, size - 1, size + CLOSE, 1);
            add_points(passing, params, size + FAR / 2, size + FAR, FAR / 2);
        }
        add_points(passing, params, SB_MERGED * entries, SB_MERGED * entries, 1);
    }
}
