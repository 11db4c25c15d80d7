/* SPDX-License-Identifier: MIT */
/* Core cycles without counters: a dependent add chain (register to register: add-immediate is executed at
 * rename on newer Intel cores) of two lengths, whose difference cancels the cost of the measurement; a
 * multiply chain checks it. */
#ifndef UARCHPROBE_CYCLES_H
#define UARCHPROBE_CYCLES_H

#include <stdbool.h>

#include "uarchprobe/clock.h"
#include "uarchprobe/record.h"
#include "uarchprobe/stats.h"

struct core_clock {
    const struct clock *clock;
    struct samples ghz; /* every reading of the run */
};

/* One reading, about 30 us, of the CPU that the calling thread is pinned to; kept in core_clock. Returns GHz.
 */
double core_clock_read(struct core_clock *core_clock);
/* Like it, cycles per ns of one reading of which the caller keeps account itself (other threads). */
double core_clock_ghz(const struct clock *clock);
/* What the clock was in the code that has just ended: one reading of about 1 us, within 2 % and, where an
 * interrupt fell into it, far too low. Use the median of several. */
double core_clock_ghz_at_once(const struct clock *clock);
/* Cycles of a dependent multiplication: 3.00 or another whole number +-3 % where the clock was read right. */
double core_clock_cross_check(const struct clock *clock);
/* Adds clock.core_ghz.min, .median, .max and a warning when they drifted by more than 10 %. */
void core_clock_record(const struct core_clock *core_clock, struct record *record);
void core_clock_free(struct core_clock *core_clock);

#endif
