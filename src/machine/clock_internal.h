/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ticks and ns read at the same moments. ns_per_tick is over the whole span; false when it cannot be: a clock
 * that does not rise, or whose rate in any one step is off by more than `tolerance` of it. Pure. */
bool clock_fit(const uint64_t *ticks, const uint64_t *ns, size_t count, double tolerance,
               double *ns_per_tick);
/* The step by which the clock moves on, 0 where it does not. Where two consecutive readings are equal, a
 * reading is shorter than a step, so the least step seen is one; an emulator's counter moves by 62 or 63
 * ticks at a time. Else the least step seen is the cost of a reading, and the greatest common divisor of all
 * is the best guess. A step that is no whole number of ticks (10 ns of a TSC of 2.445 GHz) has no divisor but
 * 1: differences of one or two neighbouring numbers, and none until a step further, show it. Pure. */
uint64_t clock_granularity(const uint64_t *reading, size_t count);
/* Ticks from one reading to the next: the mean over a run of `batch` steps, the least of all such runs, so
 * that neither a coarse clock (steps of 0) nor a preemption spoils it; 0 where there is no whole run. Pure.
 */
double clock_step_cost(const uint64_t *reading, size_t count, size_t batch);
