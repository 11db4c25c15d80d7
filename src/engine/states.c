/* SPDX-License-Identifier: MIT */
/* Which state a sample was taken in, and what can be known of states that came and went between two looks. */
#include "states.h"

#include <math.h>

enum state state_between(const struct moment *before, const struct moment *after)
{
    return before->sibling == after->sibling ? before->sibling : STATE_MIXED;
}

enum state engine_state(const struct engine_data *data, size_t sweep, size_t cell)
{
    const size_t width = data->cells / data->points;
    const uint32_t before = data->before[sweep * data->points + cell / width];
    if (before + 1 >= data->moments)
        return STATE_MIXED;
    return state_between(&data->moment[before], &data->moment[before + 1]);
}

bool engine_disturbed(const struct engine_data *data, size_t sweep, size_t cell)
{
    const uint32_t before = data->before[sweep * data->points + cell / (data->cells / data->points)];
    return before + 1 < data->moments && data->moment[before].switches != data->moment[before + 1].switches;
}

double engine_share(const struct engine_data *data, enum state state)
{
    size_t found = 0;
    for (size_t i = 0; i < data->moments; i++)
        found += data->moment[i].sibling == state;
    return data->moments ? (double)found / (double)data->moments : NAN;
}

enum state engine_main_state(const struct engine_data *data)
{
    const double idle = engine_share(data, STATE_IDLE), active = engine_share(data, STATE_ACTIVE);
    const double unknown = engine_share(data, STATE_UNKNOWN);
    if (!(idle + active > unknown))
        return STATE_UNKNOWN;
    return idle >= 0.1 || idle >= active ? STATE_IDLE : STATE_ACTIVE;
}

/* How often the state was left from one look to the next. */
static double left_share(const struct engine_data *data, enum state from, enum state to)
{
    size_t there = 0, left = 0;
    for (size_t i = 0; i + 1 < data->moments; i++) {
        there += data->moment[i].sibling == from;
        left += data->moment[i].sibling == from && data->moment[i + 1].sibling == to;
    }
    return there ? (double)left / (double)there : 0;
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
