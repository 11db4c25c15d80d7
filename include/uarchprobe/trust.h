/* SPDX-License-Identifier: MIT */
/* How far a number can be believed, from the signs that it was disturbed. Pure. */
#ifndef UARCHPROBE_TRUST_H
#define UARCHPROBE_TRUST_H

#include "uarchprobe/pin.h"
#include "uarchprobe/record.h"
#include "uarchprobe/stats.h"

struct evidence {
    struct summary summary; /* of the samples behind the number */
    double wide;            /* (p90 - p10) / median above which the number is medium; twice that: low */
    size_t enough;          /* samples below which it is at most medium */
    double preempted_share; /* of samples with an involuntary switch */
    double clock_drift;     /* (max - min) / median of the core clock during it */
    bool complete;          /* false: interrupted */
};

enum trust trust_of(const struct evidence *evidence);
/* Adds the warnings that a whole run deserves: steal, throttling, preemption. seconds: the run's length. */
void trust_warn(struct record *record, const struct disturbance *during, double seconds);

#endif
