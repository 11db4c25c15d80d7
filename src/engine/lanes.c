/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "uarchprobe/engine.h"

/* Of the shortest thread's time, at least so much must be common to all. */
static const double TOGETHER = 0.9;

double lanes_ns(const struct lane_time *lane, int count)
{
    uint64_t begin = 0, end = UINT64_MAX;
    double rate = 0, shortest = INFINITY;
    for (int i = 0; i < count; i++) {
        begin = lane[i].begin_ns > begin ? lane[i].begin_ns : begin;
        end = lane[i].end_ns < end ? lane[i].end_ns : end;
        shortest = fmin(shortest, (double)(lane[i].end_ns - lane[i].begin_ns));
        rate += 1 / lane[i].ns;
    }
    const double together = end > begin ? (double)(end - begin) : 0;
    return together >= TOGETHER * shortest ? count / rate : NAN;
}
