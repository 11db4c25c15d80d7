/* SPDX-License-Identifier: MIT */
#ifndef MACHINE_CLOCK_FIT_H
#define MACHINE_CLOCK_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ticks and ns read at the same moments. ns_per_tick is over the whole span; false when it cannot be: a clock
 * that does not rise, or whose rate in any one step is off by more than `tolerance` of it. Pure. */
bool clock_fit(const uint64_t *ticks, const uint64_t *ns, size_t count, double tolerance,
               double *ns_per_tick);
/* The smallest non-zero step between consecutive readings, 0 where there is none. Pure. */
uint64_t clock_smallest_step(const uint64_t *reading, size_t count);
/* The median step between consecutive readings; sorts `reading`'s steps in place. Pure. */
uint64_t clock_median_step(uint64_t *reading, size_t count);

#endif
