/* SPDX-License-Identifier: MIT */
#include "output/keys.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct key {
    struct cell value;
    size_t index;
};

static double number_in(const struct cell *cell)
{
    return cell->type == CELL_BOOL    ? cell_is(cell, true)
           : cell->type == CELL_FLAGS ? (double)cell->integer
                                      : cell_number(cell);
}

/* Any order serves the tree; all NaN are equal. */
static int compare(const void *a, const void *b)
{
    const struct cell *left = &((const struct key *)a)->value, *right = &((const struct key *)b)->value;
    if (left->type != right->type)
        return left->type < right->type ? -1 : 1;
    if (cell_text(left))
        return strcmp(cell_text(left), cell_text(right));
    const double x = number_in(left), y = number_in(right);
    return x == x && y == y ? (x > y) - (x < y) : (x == x) - (y == y);
}

size_t keys_index(struct keys *keys, struct cell value)
{
    const struct key wanted = {value, keys->count};
    struct key **place = tfind(&wanted, &keys->tree, compare);
    if (place)
        return (*place)->index;
    struct key *key = memory_zeroed(1, sizeof(*key));
    *key = wanted;
    if (!tsearch(key, &keys->tree, compare))
        memory_exhausted();
    if (keys->count == keys->capacity) {
        keys->capacity = keys->capacity ? 2 * keys->capacity : 16;
        keys->value = memory_grow(keys->value, keys->capacity * sizeof(*keys->value));
    }
    keys->value[keys->count] = value;
    return keys->count++;
}

void keys_free(struct keys *keys)
{
    tdestroy(keys->tree, free);
    free(keys->value);
    *keys = (struct keys){0};
}
