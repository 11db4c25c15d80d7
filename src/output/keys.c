/* SPDX-License-Identifier: MIT */
#include "output/keys.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* FNV-1a, 64 bits. */
static uint64_t hash_bytes(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * 0x100000001b3;
    return hash ^ hash >> 32;
}

static uint64_t hash_cell(const struct cell *cell)
{
    const double real = cell_number(cell) + 0.0; /* -0 equals 0 */
    switch (cell->type) {
    case CELL_NULL:
        return 0;
    case CELL_TEXT:
    case CELL_KERNEL:
        return hash_bytes(cell->text, strlen(cell->text));
    case CELL_REAL:
    case CELL_SUMMARY:
        return real == real ? hash_bytes(&real, sizeof(real)) : 3; /* NaNs differ in their bits */
    case CELL_BOOL:
        return cell->boolean ? 1 : 2;
    default:
        return hash_bytes(&cell->integer, sizeof(cell->integer));
    }
}

/* The slot that holds the value or would. */
static size_t *find_slot(const struct keys *keys, const struct cell *value)
{
    size_t at = (size_t)hash_cell(value) & (keys->slot_count - 1);
    while (keys->slot[at] && !cell_equal(&keys->value[keys->slot[at] - 1], value))
        at = (at + 1) & (keys->slot_count - 1);
    return &keys->slot[at];
}

static void keys_grow(struct keys *keys)
{
    keys->capacity = keys->capacity ? 2 * keys->capacity : 16;
    keys->value = memory_grow(keys->value, keys->capacity * sizeof(*keys->value));
    free(keys->slot);
    keys->slot_count = 2 * keys->capacity;
    keys->slot = memory_zeroed(keys->slot_count, sizeof(*keys->slot));
    for (size_t i = 0; i < keys->count; i++)
        *find_slot(keys, &keys->value[i]) = i + 1;
}

size_t keys_index(struct keys *keys, struct cell value)
{
    if (keys->count == keys->capacity)
        keys_grow(keys);
    size_t *slot = find_slot(keys, &value);
    if (!*slot) {
        keys->value[keys->count++] = value;
        *slot = keys->count;
    }
    return *slot - 1;
}

void keys_free(struct keys *keys)
{
    free(keys->value);
    free(keys->slot);
    *keys = (struct keys){0};
}
