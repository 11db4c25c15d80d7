/* SPDX-License-Identifier: MIT */
/* The sample store. It keeps all rounds and probes until its room is full, then an even part of the run: it
 * forgets half of the rounds by chance, and keeps as few of those to come. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/engine_internal.h"
#include "uarchprobe/random.h"

/* The first rounds are always kept, as some points are sampled in them only. Below the least nothing is
 * forgotten, whatever its size, unless memory is short. */
enum { KEPT_BYTES_MOST = 32 << 20, KEPT_ROUNDS_FIRST = 16, KEPT_ROUNDS_LEAST = 2048, KEPT_ROUNDS_SHORT = 64 };

/* By chance, as dropping every second round would always hit the same half of all that alternates
 * (placements, directions, omitted points). Each halving keeps a part of the one before. */
static bool is_kept(const struct engine_data *data, uint64_t number)
{
    uint64_t state = number;
    const uint64_t mask = (UINT64_C(1) << data->halvings) - 1;
    return number < KEPT_ROUNDS_FIRST || !mask || (random_next(&state) & mask) == 0;
}

static void halve(struct engine_data *data)
{
    const size_t cells = data->cells, points = data->points;
    size_t kept = 0;
    data->halvings++;
    for (size_t from = 0; from < data->kept; from++) {
        if (!is_kept(data, data->number[from]))
            continue;
        data->number[kept] = data->number[from];
        memmove(data->value + kept * cells, data->value + from * cells, cells * sizeof *data->value);
        memmove(data->before + kept * points, data->before + from * points, points * sizeof *data->before);
        kept++;
    }
    data->kept = kept;
    /* Keeps probes next to a sample, the first two (samples that were not taken point at them) and the last
     * (the next sample follows it). */
    uint32_t *place = memory_zeroed(data->moments + 1, sizeof *place), moments = 0;
    place[0] = place[1] = place[data->moments - 1] = 1;
    for (size_t i = 0; i < kept * points; i++)
        place[data->before[i]] = place[data->before[i] + 1] = 1;
    for (size_t i = 0; i < data->moments; i++) {
        if (!place[i])
            continue;
        data->moment[moments] = data->moment[i];
        place[i] = moments++;
    }
    for (size_t i = 0; i < kept * points; i++)
        data->before[i] = place[data->before[i]];
    data->moments = moments;
    free(place);
}

void round_begin(struct engine_data *data, size_t bytes_most, size_t bytes_room)
{
    const size_t cells = data->cells, points = data->points;
    const size_t bytes =
        data->kept * (cells * sizeof *data->value + points * sizeof *data->before + sizeof *data->number) +
        data->moments * sizeof *data->moment;
    const size_t usual_most = bytes_most ? bytes_most : KEPT_BYTES_MOST;
    if ((data->kept >= KEPT_ROUNDS_LEAST && bytes >= usual_most) ||
        (data->kept > KEPT_ROUNDS_SHORT && bytes >= bytes_room))
        halve(data);
    if (data->kept == data->capacity) {
        const size_t capacity = data->capacity = data->capacity ? 2 * data->capacity : 16;
        data->value = memory_grow(data->value, capacity * cells * sizeof *data->value);
        data->before = memory_grow(data->before, capacity * points * sizeof *data->before);
        data->number = memory_grow(data->number, capacity * sizeof *data->number);
    }
    const size_t row = data->row = data->kept;
    for (size_t i = 0; i < cells; i++)
        data->value[row * cells + i] = NAN;
    memset(data->before + row * points, 0, points * sizeof *data->before);
    data->number[row] = data->taken++;
    data->kept += is_kept(data, data->number[row]);
}

void sample_add(struct engine_data *data, size_t first, size_t count, const double *value)
{
    const size_t width = data->cells / data->points;
    float *to = data->value + data->row * data->cells + first * width;
    for (size_t i = 0; i < count * width; i++)
        to[i] = (float)value[i];
    for (size_t i = 0; i < count; i++)
        data->before[data->row * data->points + first + i] = (uint32_t)(data->moments - 1);
    data->filed = data->filed || data->row < data->kept;
    data->spare = data->spare && !data->filed;
}

struct moment *moment_add(struct engine_data *data)
{
    const bool reused = data->halvings && data->spare;
    if (!reused && data->moments == data->moment_capacity) {
        data->moment_capacity = data->moment_capacity ? 2 * data->moment_capacity : 256;
        data->moment = memory_grow(data->moment, data->moment_capacity * sizeof *data->moment);
    }
    data->moments += !reused;
    data->spare = !data->filed;
    data->filed = false;
    return &data->moment[data->moments - 1];
}

void engine_data_free(struct engine_data *data)
{
    free(data->value);
    free(data->before);
    free(data->number);
    free(data->moment);
    *data = (struct engine_data){0};
}
