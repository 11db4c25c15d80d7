/* SPDX-License-Identifier: MIT */
/* What a histogram of knees says of a capacity that may be halved for a part of the time. */
#ifndef ENGINE_CAPACITY_H
#define ENGINE_CAPACITY_H

#include "uarchprobe/knee.h"

enum buffer_state {
    BUFFER_UNRESOLVED, /* no peak, or the minimum-over-sweeps curve breaks at neither it nor twice of it */
    BUFFER_FULL,       /* no sign of a halved one */
    BUFFER_MIXED,      /* halved for a part of the time */
    BUFFER_HALVED      /* only ever half of the documented size */
};

/* What sweeps with other chains say of a size: a capacity stays where it is, a limit of the rate or of the reorder
 * buffer moves with the chain. */
enum opinion { OPINION_SILENT, OPINION_AGREES, OPINION_CONTRADICTS };

struct capacity {
    enum buffer_state state;
    size_t entries; /* the largest peak, or where the minimum breaks: always a measured value */
    size_t sweeps;  /* of all states */
    size_t full,
        halved; /* sweeps that saw `entries`, and half of it (BUFFER_HALVED: none, and all of them) */
    double halved_share;        /* halved / (full + halved); NaN: unresolved */
    struct agreement agreement; /* on one of the two */
    bool half_seen;  /* half of it is a peak as well, which proves that `entries` is not itself a half */
    bool by_minimum; /* too few sweeps saw the whole for a peak, but the minimum over all of them shows it */
    bool proved;     /* nothing leaves room for twice as many */
    enum opinion opinion; /* for the caller to fill in */
};

/* A published size; entries 0: unknown, or out of the range of the sweeps. */
struct published_size {
    size_t entries;
    bool certain;     /* it is that of this very core */
    unsigned threads; /* of a core, 0: unknown; where it is one, nothing halves the buffer */
};

/* Half of what is published of a core whose threads share it, so that this may be all that a busy sibling leaves. */
bool knee_is_half(size_t size, struct published_size published);
/* minimum_knee: of the minimum-over-sweeps curve, 0: none. */
struct capacity knee_capacity(const struct knee_counts *counts, size_t minimum_knee,
                              struct published_size published);

/* The promise of high: another run finds the same number, give or take one entry, where it finds the same state. It is a
 * statement about how many sweeps agree, as a count has no interval: in both halves of the run, and on no other number. */
struct verdict capacity_judge(const struct capacity *capacity);
/* The same of any count that each of some sweeps gives. Both verdicts promise one entry. */
struct verdict count_judge(const struct agreement *agreement, size_t sweeps);

#endif
