/* SPDX-License-Identifier: MIT */
/* Which state a sample was taken in, and what can be known of states that came and went between two looks. */
#include "states.h"

#include <math.h>
#include <string.h>

/* The witness found a size twice as large: what it read before means something else. Samples point at looks in the order in
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
    size_t looks = 0;
    for (int i = 0; i < STATE_COUNT; i++)
        looks += data->seen[i];
    return looks ? (double)data->seen[state] / (double)looks : NAN;
}

enum state engine_main_state(const struct engine_data *data)
{
    const double idle = engine_share(data, STATE_IDLE), active = engine_share(data, STATE_ACTIVE);
    const double unknown = engine_share(data, STATE_UNKNOWN);
    if (!(idle + active > unknown))
        return STATE_UNKNOWN;
    return idle >= 0.1 || idle >= active ? STATE_IDLE : STATE_ACTIVE;
}

/* How often the state was left while samples were taken, of the times at which both looks saw one. */
static double left_share(const struct engine_data *data, enum state from, enum state to)
{
    const size_t there = data->followed[from][from] + data->followed[from][to];
    return there ? (double)data->followed[from][to] / (double)there : 0;
}

/* Two states that come and go at random (a telegraph process) with rates a and b, looked at every d: the chance to
 * find the other one is a / (a + b) x (1 - exp(-(a + b) d)) one way and b / (a + b) x the same the other way, which
 * two shares give (a + b) d, and so the chance exp(-a d) that the state was not left in between. */
double state_hidden_share(const struct engine_data *data, enum state state)
{
    const enum state other = state == STATE_IDLE ? STATE_ACTIVE : STATE_IDLE;
    if (state != STATE_IDLE && state != STATE_ACTIVE)
        return 0;
    const double out = left_share(data, state, other), back = left_share(data, other, state);
    if (out <= 0)
        return 0;
    const double both = fmin(out + back, 0.98);
    const double stayed = exp(log(1 - both) * out / (out + back));
    return fmin(fmax(1 - stayed / (1 - out), 0), 0.9);
}
