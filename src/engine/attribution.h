/* SPDX-License-Identifier: MIT */
/* Which structure of a core ends a step. Pure. */
#pragma once

#include "uarchprobe/experiment.h"

struct attribution {
    int filler, partner; /* that show the step; filler -1: none does; partner -1: it is a bound only */
    int ended_by;        /* the structure that such a bound lies at; -1: unknown */
};

/* step: of two kinds of fillers that take the structure, and of those that take nothing but it, of which some may share an
 * entry. Two that agree name it, of the latter one where there are any. bound: of a structure that all instructions take, and of
 * one that these may take, too. 0: none seen. */
struct attribution attribution_of(const double step[FILLERS_MOST], size_t kinds,
                                  const double bound[BOUNDS_MOST]);
/* Entries of a structure that two threads split evenly, by its steps next to an idle and to a busy sibling: the work itself
 * takes the same in both, so whole + own = 2 (half + own). 0: it is no such structure. */
double attribution_split(double whole, double half);
