/* SPDX-License-Identifier: MIT */
/* The sample store: what is kept of a run, the state in which each sample was taken, and what can be known of states that came
 * and went between two probes. */
#include "engine/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uarchprobe/random.h"

/* By chance rather than every second one: what changes from round to round (placements, directions, points that are left
 * out) would else lose the same half each time. What stays after one halving is a part of what was there before. */
static bool is_kept(const struct engine_data *data, uint64_t number)
{
    uint64_t state = number;
    const uint64_t mask = (UINT64_C(1) << data->halvings) - 1;
    return number < KEPT_SWEEPS_FIRST || (random_next(&state) & mask) == 0;
}

static void halve(struct engine_data *data)
{
    const size_t cells = data->cells, points = data->points;
    size_t sweeps = 0;
    data->halvings++;
    for (size_t from = 0; from < data->sweeps; from++) {
        if (!is_kept(data, data->number[from]))
            continue;
        data->number[sweeps] = data->number[from];
        memmove(data->value + sweeps * cells, data->value + from * cells, cells * sizeof *data->value);
        memmove(data->before + sweeps * points, data->before + from * points, points * sizeof *data->before);
        sweeps++;
    }
    data->sweeps = sweeps;
    /* Of the probes those stay that lie next to a sample, the first two, at which samples that were not taken point, and the
     * last, which the next sample has before it. */
    uint32_t *place = memory_zeroed(data->moments + 1, sizeof *place), moments = 0;
    place[0] = place[1] = place[data->moments - 1] = 1;
    for (size_t i = 0; i < sweeps * points; i++)
        place[data->before[i]] = place[data->before[i] + 1] = 1;
    for (size_t i = 0; i < data->moments; i++) {
        if (!place[i])
            continue;
        data->moment[moments] = data->moment[i];
        place[i] = moments++;
    }
    for (size_t i = 0; i < sweeps * points; i++)
        data->before[i] = place[data->before[i]];
    data->moments = moments;
    free(place);
}

void sweep_begin(struct engine_data *data, size_t bytes_most)
{
    const size_t cells = data->cells, points = data->points;
    const size_t bytes =
        data->sweeps * (cells * sizeof *data->value + points * sizeof *data->before + sizeof *data->number) +
        data->moments * sizeof *data->moment;
    if (data->sweeps >= KEPT_SWEEPS_LEAST && bytes >= (bytes_most ? bytes_most : KEPT_BYTES_MOST))
        halve(data);
    if (data->sweeps == data->capacity) {
        const size_t capacity = data->capacity = data->capacity ? 2 * data->capacity : 16;
        data->value = memory_grow(data->value, capacity * cells * sizeof *data->value);
        data->before = memory_grow(data->before, capacity * points * sizeof *data->before);
        data->number = memory_grow(data->number, capacity * sizeof *data->number);
    }
    const size_t row = data->row = data->sweeps;
    for (size_t i = 0; i < cells; i++)
        data->value[row * cells + i] = NAN;
    memset(data->before + row * points, 0, points * sizeof *data->before);
    data->number[row] = data->swept++;
    data->sweeps += is_kept(data, data->number[row]);
}

void sweep_add(struct engine_data *data, size_t first, size_t count, const double *value)
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

void samples_drop(struct engine_data *data)
{
    const size_t width = data->cells / data->points;
    size_t sweeps = 0;
    for (size_t i = 0; i < data->sweeps * data->cells; i++) {
        const size_t sweep = i / data->cells, point = i % data->cells / width;
        if (data->before[sweep * data->points + point] + 1 == data->moments)
            data->value[i] = NAN;
        if (!isnan(data->value[i]))
            sweeps = sweep + 1;
    }
    data->sweeps = sweeps;
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

enum state reading_state(unsigned entries, unsigned whole)
{
    if (entries == 0 || (entries != whole && entries != whole / 2))
        return STATE_UNKNOWN;
    return entries == whole ? STATE_IDLE : STATE_ACTIVE;
}

/* The witness found a size twice as large: what it read before means something else. Samples point at probes in the order in
 * which they were taken; those that were not taken, at the first. */
static void file_anew(struct engine_data *data)
{
    const size_t samples = data->sweeps * data->points;
    uint32_t last = 0;
    memset(data->seen, 0, sizeof data->seen);
    memset(data->followed, 0, sizeof data->followed);
    for (size_t i = 0; i + 1 < data->moments; i++) {
        struct moment *moment = &data->moment[i];
        moment->sibling = reading_state(moment->reading.entries, data->reading.whole);
        data->seen[moment->sibling]++;
    }
    for (size_t i = 0; i < samples; i++) {
        const uint32_t at = data->before[i];
        if ((at > last || i == 0) && at + 2 < data->moments)
            data->followed[data->moment[at].sibling][data->moment[at + 1].sibling]++;
        last = at > last ? at : last;
    }
}

void state_count(struct engine_data *data)
{
    struct moment *moment = &data->moment[data->moments - 1];
    const struct reading last = data->reading;
    data->reading = moment->reading;
    if (last.whole != data->reading.whole)
        file_anew(data);
    moment->sibling = reading_state(moment->reading.entries, data->reading.whole);
    data->seen[moment->sibling]++;
    if (data->moments > 1 && data->sampled)
        data->followed[reading_state(last.entries, data->reading.whole)][moment->sibling]++;
    data->sampled = false;
}

enum state engine_state(const struct engine_data *data, size_t sweep, size_t cell)
{
    const uint32_t before = data->before[sweep * data->points + cell / (data->cells / data->points)];
    const struct moment *moment = &data->moment[before];
    return before + 1 < data->moments && moment[0].sibling == moment[1].sibling ? moment->sibling
                                                                                : STATE_MIXED;
}

bool engine_disturbed(const struct engine_data *data, size_t sweep, size_t cell)
{
    const uint32_t before = data->before[sweep * data->points + cell / (data->cells / data->points)];
    return before + 1 < data->moments && data->moment[before].switches != data->moment[before + 1].switches;
}

double engine_share(const struct engine_data *data, enum state state)
{
    size_t probes = 0;
    for (int i = 0; i < STATE_COUNT; i++)
        probes += data->seen[i];
    return probes ? (double)data->seen[state] / (double)probes : NAN;
}

enum state engine_main_state(const struct engine_data *data)
{
    const double idle = engine_share(data, STATE_IDLE), active = engine_share(data, STATE_ACTIVE);
    const double unknown = engine_share(data, STATE_UNKNOWN);
    if (!(idle + active > unknown))
        return STATE_UNKNOWN;
    return idle >= 0.1 || idle >= active ? STATE_IDLE : STATE_ACTIVE;
}

/* Two states that come and go at random (a telegraph process) with rates a and b, probed every d: the chance to
 * find the other one is a / (a + b) x (1 - exp(-(a + b) d)) one way and b / (a + b) x the same the other way, which
 * two shares give (a + b) d, and so the chance exp(-a d) that the state was not left in between. */
double state_hidden_share(const struct engine_data *data, enum state state)
{
    const enum state other = state == STATE_IDLE ? STATE_ACTIVE : STATE_IDLE;
    if (state != STATE_IDLE && state != STATE_ACTIVE)
        return 0;
    /* Of the times at which samples lay between two probes that both saw a state. */
    const size_t *from = data->followed[state], *back_from = data->followed[other];
    const size_t here = from[state] + from[other], there = back_from[other] + back_from[state];
    const double out = here ? (double)from[other] / (double)here : 0,
                 back = there ? (double)back_from[state] / (double)there : 0;
    if (out <= 0)
        return 0;
    const double both = fmin(out + back, 0.98);
    const double stayed = exp(log(1 - both) * out / (out + back));
    return fmin(fmax(1 - stayed / (1 - out), 0), 0.9);
}
