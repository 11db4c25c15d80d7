/* SPDX-License-Identifier: MIT */
/* Each side stamps what it sends with the clock; the other reads its clock when it arrives. */
#include <string.h>

#include "measurement.h"
#include "uarchprobe/stats.h"

enum { MESSAGES_DROPPED = 4 };

static int message_count(const struct measurement *m)
{
    const uint64_t messages = m->setup->effort.iterations + MESSAGES_DROPPED;
    return messages > MESSAGES_MAX ? MESSAGES_MAX : (int)messages;
}

/* Median over the messages of one line that one side received, in ns. */
static double median_delta(struct measurement *m, enum side receiver)
{
    const int count = message_count(m) - MESSAGES_DROPPED;

    for (int i = 0; i < count; i++)
        m->sample[i] = (double)m->delta[receiver][MESSAGES_DROPPED + i];
    return median_of(m->sample, (size_t)count) * m->setup->clock->ns_per_tick;
}

/* The clocks' offset adds to one direction what it takes from the other, so the mean of both is free of it. */
static void conclude_messages(struct measurement *m, const double *forward, const double *backward)
{
    const size_t lines = (size_t)m->setup->effort.lines;
    struct latency_result *result = &m->result[SERIES_MESSAGE];

    for (size_t i = 0; i < lines; i++)
        result->line[i] = (forward[i] + backward[i]) / 2;
    result->forward = median_of(forward, lines);
    result->backward = median_of(backward, lines);
    result->value = median_of(result->line, lines);
    result->samples = lines * (size_t)(2 * (message_count(m) - MESSAGES_DROPPED));
}

static bool exchange(struct measurement *m, enum side side, int line)
{
    unsigned char *box = measurement_line(m, line, BENCH_MESSAGE), *other = box + WORD_BYTES;
    const bool from = side == SIDE_FROM;

    if (from) {
        memset(box, 0, 16);
        memset(other, 0, 16);
    }
    return measurement_meet(m, side) &&
           m->setup->kernel[SERIES_MESSAGE]->entry(
               from ? other : box, from ? box : other, (uint64_t)message_count(m), from,
               (uint64_t)(uintptr_t)m->delta[side], m->setup->load_spins) == 0 &&
           measurement_meet(m, side);
}

bool message_run(struct measurement *m, enum side side)
{
    double forward[LINES_MAX], backward[LINES_MAX];

    for (int i = 0; i < m->setup->effort.lines; i++) {
        if (!exchange(m, side, i))
            return false;
        if (side != SIDE_FROM)
            continue;
        forward[i] = median_delta(m, SIDE_TO);
        backward[i] = median_delta(m, SIDE_FROM);
    }
    if (side == SIDE_FROM)
        conclude_messages(m, forward, backward);
    return true;
}
