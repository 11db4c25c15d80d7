/* SPDX-License-Identifier: MIT */
/* Counts that each of many rounds gives: how far they are trusted, and what is published of one of them. */
#ifndef ENGINE_CAPACITY_H
#define ENGINE_CAPACITY_H

#include "uarchprobe/knee.h"

/* A published size; entries 0: unknown, or out of the range of the sweeps. */
struct published_size {
    size_t entries;
    bool certain;     /* it is that of this very core */
    unsigned threads; /* of a core, 0: unknown; where it is one, nothing halves the buffer */
};

/* Half of what is published of a core whose threads share it, so that this may be all that a busy sibling leaves. */
bool knee_is_half(size_t size, struct published_size published);
/* The promise of high: another run finds the same number, give or take one entry, where it finds the same state. It is a
 * statement about how many sweeps agree, as a count has no interval: in both halves of the run, and on no other number. */
struct verdict count_judge(const struct agreement *agreement, size_t sweeps);

#endif
