/* SPDX-License-Identifier: MIT */
/* Latencies as whole numbers of cycles, from chains with slack. A chain of stores and loads alone falls out of step with the
 * load's own rhythm, so what a pair takes is an average. Dependent multiplications in the chain hide that; what they take is
 * measured in the same run and taken off. Pure. */
#ifndef UARCHPROBE_STLF_FLOOR_H
#define UARCHPROBE_STLF_FLOOR_H

#include "judge.h"

enum { STLF_CHAINS_MOST = 8 };

/* Chains of one kind, of so many multiplications each, and a chain of multiplications alone. */
struct stlf_slack {
    const struct estimate *multiply;
    const struct estimate *chain[STLF_CHAINS_MOST];
    unsigned multiplications[STLF_CHAINS_MOST];
    size_t count;
    enum state state; /* estimates of another one do not count */
};

struct stlf_floor {
    bool whole;       /* all chains but one in six agree, and the multiplication is a whole number itself */
    double cycles;    /* the whole number that they agree on, else their median; NaN: none was measured */
    double low, high; /* of the chains that agree, else of all */
    struct verdict verdict;
    struct estimate estimate; /* with the samples and parts of the chain next to it */
};

/* Where the sibling works, nothing is claimed. Where the multiplication is no whole number, something else has part of the core, whatever the witness says, or this core
 * counts no whole cycles: then nothing is claimed. Repeats in both halves of the run: high trust. */
struct stlf_floor stlf_floor_of(const struct stlf_slack *slack);

/* Which of two kinds of loads a forward is said of: of those that are not renamed one with a whole number before one without, then
 * the lower. NULL: both are renamed. */
const struct stlf_floor *stlf_forward_of(const struct stlf_floor *a, const struct stlf_floor *b, double l1);

/* What tight loops of one kind take: the middle of them, with the range of all as its interval. count is at most
 * STLF_CHAINS_MOST. */
struct stlf_floor stlf_loops_of(const struct stlf_set *set, const struct estimate *loop, size_t count);

#endif
