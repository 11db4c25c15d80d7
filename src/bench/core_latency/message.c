/* SPDX-License-Identifier: MIT */
/* Each side stamps what it sends with the clock; the other reads its clock when it arrives. */
#include <math.h>
#include <string.h>

#include "measurement.h"
#include "uarchprobe/stats.h"

enum { MESSAGES_DROPPED = 4 };

static int message_count(const struct measurement *m)
{
    const uint64_t messages = m->setup->effort.iterations + MESSAGES_DROPPED;
    return messages > MESSAGES_MAX ? MESSAGES_MAX : (int)messages;
}

double mean_near_median(const double *value, size_t *count, double reach)
{
    const double median = median_of(value, *count);
    double sum = 0;
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++) {
        if (fabs(value[i] - median) <= reach) {
            sum += value[i];
            kept++;
        }
    }
    *count = kept;
    return sum / (double)kept;
}

/* Of the messages on one line, in ns. What took twice as long is left out. */
static void conclude_line(struct measurement *m, double *forward, double *backward)
{
    struct latency_result *result = &m->result[SERIES_MESSAGE];
    const size_t all = (size_t)message_count(m) - MESSAGES_DROPPED;
    double *received[] = {m->sample, m->sample + MESSAGES_MAX}, *mean[] = {backward, forward}, reach = 0;

    for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
        for (size_t i = 0; i < all; i++)
            received[side][i] = (double)m->delta[side][MESSAGES_DROPPED + i] * m->setup->clock->ns_per_tick;
        reach += median_of(received[side], all) / 2;
    }
    reach = fmax(reach, 0) + m->setup->clock->resolution_ns;
    for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
        size_t kept = all;
        *mean[side] = mean_near_median(received[side], &kept, reach);
        result->samples += all;
        result->dropped += all - kept;
    }
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
    double forward[LINES_MAX] = {0}, backward[LINES_MAX] = {0};

    for (int i = 0; i < m->setup->effort.lines; i++) {
        if (!exchange(m, side, i))
            return false;
        if (side == SIDE_FROM)
            conclude_line(m, &forward[i], &backward[i]);
    }
    if (side == SIDE_FROM)
        conclude_messages(m, forward, backward);
    return true;
}
