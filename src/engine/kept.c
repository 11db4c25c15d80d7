/* SPDX-License-Identifier: MIT */
#include "engine/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "uarchprobe/random.h"

/* By chance rather than every second one: what changes from round to round (placements, directions, points that are left
 * out) would else lose the same half each time. What stays after one halving is a part of what was there before. */
static bool is_kept(const struct engine_data *data, uint64_t number)
{
    uint64_t state = number;
    const uint64_t mask = (UINT64_C(1) << data->halvings) - 1;
    return number < KEPT_SWEEPS_FIRST || (random_next(&state) & mask) == 0;
}

static bool is_full(const struct engine_data *data, size_t bytes_most)
{
    const size_t sweep =
        data->cells * sizeof *data->value + data->points * sizeof *data->before + sizeof *data->number;
    return data->sweeps >= KEPT_SWEEPS_LEAST &&
           data->sweeps * sweep + data->moments * sizeof *data->moment >= bytes_most;
}

static void move_row(struct engine_data *data, size_t to, size_t from)
{
    const size_t cells = data->cells, points = data->points;
    data->number[to] = data->number[from];
    memmove(data->value + to * cells, data->value + from * cells, cells * sizeof *data->value);
    memmove(data->before + to * points, data->before + from * points, points * sizeof *data->before);
}

static void forget_sweeps(struct engine_data *data)
{
    size_t sweeps = 0;
    for (size_t sweep = 0; sweep < data->sweeps; sweep++)
        if (is_kept(data, data->number[sweep]))
            move_row(data, sweeps++, sweep);
    data->sweeps = sweeps;
}

/* Those stay that lie next to a sample, the first two, at which samples that were not taken point, and the last, which the
 * next sample has before it. */
static bool forget_looks(struct engine_data *data)
{
    const size_t before_count = data->sweeps * data->points;
    uint32_t *place = calloc(data->moments + 1, sizeof *place), moments = 0;
    if (!place)
        return false;
    place[0] = place[1] = place[data->moments - 1] = 1;
    for (size_t i = 0; i < before_count; i++)
        place[data->before[i]] = place[data->before[i] + 1] = 1;
    for (size_t i = 0; i < data->moments; i++) {
        if (!place[i])
            continue;
        data->moment[moments] = data->moment[i];
        place[i] = moments++;
    }
    for (size_t i = 0; i < before_count; i++)
        data->before[i] = place[data->before[i]];
    data->moments = moments;
    free(place);
    return true;
}

static bool halve(struct engine_data *data)
{
    data->halvings++;
    forget_sweeps(data);
    return forget_looks(data);
}

static bool room_for_row(struct engine_data *data)
{
    if (data->sweeps < data->capacity)
        return true;
    const size_t capacity = data->capacity ? 2 * data->capacity : 16;
    float *value = realloc(data->value, capacity * data->cells * sizeof *value);
    data->value = value ? value : data->value;
    uint32_t *before = realloc(data->before, capacity * data->points * sizeof *before);
    data->before = before ? before : data->before;
    uint64_t *number = realloc(data->number, capacity * sizeof *number);
    data->number = number ? number : data->number;
    if (!value || !before || !number)
        return false;
    data->capacity = capacity;
    return true;
}

bool kept_begin_sweep(struct engine_data *data, size_t bytes_most)
{
    if (is_full(data, bytes_most ? bytes_most : KEPT_BYTES_MOST) && !halve(data))
        return false;
    if (!room_for_row(data))
        return false;
    const size_t row = data->row = data->sweeps;
    for (size_t i = 0; i < data->cells; i++)
        data->value[row * data->cells + i] = NAN;
    for (size_t i = 0; i < data->points; i++)
        data->before[row * data->points + i] = 0;
    data->number[row] = data->swept++;
    data->sweeps += is_kept(data, data->number[row]);
    return true;
}

/* Forgets what lies next to the last look; false: nothing of the sweep is left. */
static bool drop_of(struct engine_data *data, size_t sweep)
{
    const size_t width = data->cells / data->points;
    bool any = false;
    for (size_t cell = 0; cell < data->cells; cell++) {
        float *value = &data->value[sweep * data->cells + cell];
        if (data->before[sweep * data->points + cell / width] + 1 == data->moments)
            *value = NAN;
        any = any || !isnan(*value);
    }
    return any;
}

void kept_drop_since_look(struct engine_data *data)
{
    size_t sweeps = 0;
    for (size_t sweep = 0; sweep < data->sweeps; sweep++)
        sweeps = drop_of(data, sweep) ? sweep + 1 : sweeps;
    data->sweeps = sweeps;
}

struct moment *kept_look(struct engine_data *data)
{
    const bool reused = data->halvings && data->spare;
    if (!reused && data->moments == data->moment_capacity) {
        const size_t capacity = data->moment_capacity ? 2 * data->moment_capacity : 256;
        struct moment *grown = realloc(data->moment, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        data->moment = grown;
        data->moment_capacity = capacity;
    }
    data->moments += !reused;
    data->spare = !data->filed;
    data->filed = false;
    return &data->moment[data->moments - 1];
}

void kept_sample(struct engine_data *data, size_t first, size_t count, const double *value)
{
    const size_t width = data->cells / data->points;
    float *to = data->value + data->row * data->cells + first * width;
    for (size_t i = 0; i < count * width; i++)
        to[i] = (float)value[i];
    for (size_t i = 0; i < count; i++)
        data->before[data->row * data->points + first + i] = (uint32_t)(data->moments - 1);
    data->filed = data->filed || data->row < data->sweeps;
    data->spare = data->spare && !data->filed;
}
