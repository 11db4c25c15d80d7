/* SPDX-License-Identifier: MIT */
#include "output/keys.h"

#include <string.h>

#include "output/scratch.h"

static double number_in(const struct cell *cell)
{
    return cell->type == CELL_BOOL    ? cell_is(cell, true)
           : cell->type == CELL_FLAGS ? (double)cell->integer
                                      : cell_number(cell);
}

/* Any order serves the search; all NaN are equal. */
static int compare(const struct cell *a, const struct cell *b)
{
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (cell_text(a))
        return strcmp(cell_text(a), cell_text(b));
    const double x = number_in(a), y = number_in(b);
    return x == x && y == y ? (x > y) - (x < y) : (x == x) - (y == y);
}

size_t keys_index(struct keys *keys, struct cell value)
{
    size_t low = 0;
    for (size_t high = keys->count; low < high;) {
        const size_t middle = (low + high) / 2;
        const int order = compare(&keys->value[keys->order[middle]], &value);
        if (order == 0)
            return keys->order[middle];
        *(order < 0 ? &low : &high) = middle + (order < 0);
    }
    keys->value = scratch_more(keys->value, keys->count, sizeof(*keys->value));
    keys->order = scratch_more(keys->order, keys->count, sizeof(*keys->order));
    memmove(keys->order + low + 1, keys->order + low, (keys->count - low) * sizeof(*keys->order));
    keys->order[low] = keys->count;
    keys->value[keys->count] = value;
    return keys->count++;
}
