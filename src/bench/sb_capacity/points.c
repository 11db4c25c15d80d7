/* SPDX-License-Identifier: MIT */
/* Which numbers of stores, fillings and kinds of trials the litmus test takes. */
#include "sb_capacity.h"

static void add_span(struct sb_points *points, size_t first, size_t last, size_t step)
{
    for (size_t s = first; s <= last && s <= SB_MOST_STORES; s += step)
        if (s >= 1 && (points->numbers == 0 || s > points->number[points->numbers - 1]))
            points->number[points->numbers++] = s;
}

/* From just below the buffer up to a dozen more, and some beyond. */
static void add_beyond(struct sb_points *points, size_t entries)
{
    add_span(points, entries - 1, entries + 12, 1);
    add_span(points, entries + 16, entries + 32, 16);
}

/* All of --stores; else around half of the buffer, which is a control, and beyond all of it; in reserve, around twice of it. */
static void choose_numbers(struct sb_points *points, const struct range *range, size_t entries)
{
    enum { SMALL = 16, BLIND = 160 };
    if (range->last != 0)
        add_span(points, range->first, range->last, 1);
    else if (entries < SMALL)
        add_span(points, 1, BLIND, entries == 0 ? 8 : 1);
    else {
        add_span(points, entries / 2, entries / 2 + 2, 1);
        add_beyond(points, entries);
    }
    points->usual = points->numbers;
    if (range->last != 0 || entries < SMALL)
        return;
    add_beyond(points, 2 * entries);
    add_span(points, SB_MERGED * entries, SB_MERGED * entries, 1);
}

/* What merges is tried with a buffer of stores, for control, and with so many that nothing else explains it. */
void sb_points_choose(struct sb_points *points, const struct sb_params *params, size_t entries)
{
    static const enum sb_filling named[] = {[STORES_SAME] = FILL_WORD,
                                            [STORES_LINE] = FILL_LINE,
                                            [STORES_LINES] = FILL_LINES,
                                            [STORES_PAGES] = FILL_PAGES};
    const bool any = params->address == SB_ADDRESS_AUTO;
    choose_numbers(points, &params->stores, entries);
    for (size_t n = 0; n < points->numbers; n++)
        for (enum sb_filling filling = FILL_TWO; filling < FILLINGS; filling++) {
            const size_t stores = points->number[n];
            if (any ? filling == FILL_PAGES || filling == FILL_LINE : filling != named[params->address - 1])
                continue;
            if (params->stores.last == 0 && filling >= FILL_WORD && stores != entries &&
                stores < SB_MERGED * entries)
                continue;
            points->point[points->points++] = (struct sb_point){filling, false, stores};
            points->point[points->points++] = (struct sb_point){filling, true, stores};
        }
}

/* What was passed often enough needs no more trials, around the knee with the whole buffer. With a line that comes in time hardly
 * more than that is passed, so that such trials tell little of larger numbers. */
bool sb_points_wants(const struct sb_points *points, const struct sb_point *point,
                     const struct sb_passing *passing, uint64_t round)
{
    enum { BEYOND = 4, OFTEN = 100, ENOUGH = 40000, SELDOM = 4 };
    const size_t usual = points->usual, most = passing->sum.most;
    const bool beyond = point->stores > passing->entries + 2;
    const struct sb_part part = {.fillings = 1u << point->filling,
                                 .late = point->late ? 2 : 1,
                                 .states = point->late || beyond ? 0 : 1 << STATE_IDLE};
    const struct sb_count count = sb_passing_count(passing, part, point->stores, point->stores);
    if (point->filling >= FILL_WORD)
        return count.both_old < OFTEN && count.trials < ENOUGH;
    if (point->stores > points->number[usual - 1] && most < points->number[usual - BEYOND])
        return false;
    if (!point->late && beyond && round % SELDOM > 0)
        return false;
    return point->stores > most || count.both_old < OFTEN;
}
