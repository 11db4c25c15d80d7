/* SPDX-License-Identifier: MIT */
/* The state of each probe, and an estimate of the states that came and went between two probes. Pure. */
#include "engine/engine_internal.h"

#include <math.h>
#include <string.h>

enum state reading_state(unsigned entries, unsigned whole)
{
    if (entries == 0 || (entries != whole && entries != whole / 2))
        return STATE_UNKNOWN;
    return entries == whole ? STATE_IDLE : STATE_ACTIVE;
}

/* Files all probes anew after the witness found twice the size. Samples point at probes in the order of
 * sampling; those that were not taken at the first. */
static void file_anew(struct engine_data *data)
{
    const size_t samples = data->kept * data->points;
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

/* Two states that come and go at random (a telegraph process) with rates a and b, probed every d: the
 * chance to find the other one is a / (a + b) x (1 - exp(-(a + b) d)) one way and b / (a + b) x the same the
 * other way, which two shares give (a + b) d, and so the chance exp(-a d) that the state was not left in
 * between. */
double state_hidden_share(const struct engine_data *data, enum state state)
{
    const enum state other = state == STATE_IDLE ? STATE_ACTIVE : STATE_IDLE;
    if (state != STATE_IDLE && state != STATE_ACTIVE)
        return 0;
    /* Only spans between two known states that contain samples count. */
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
