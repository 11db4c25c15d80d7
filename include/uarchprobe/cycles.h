/* SPDX-License-Identifier: MIT */
/* Core cycles without counters: dependent add chains (register to register: add-immediate is executed at
 * rename on newer Intel cores) of two lengths, whose difference cancels the cost of the measurement; a
 * multiply chain checks them. docs/core-clock.md has reasons and measurements. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/clock.h"
#include "uarchprobe/record.h"
#include "uarchprobe/stats.h"

struct core_clock {
    const struct clock *clock;
    double multiply;          /* cycles of a dependent multiplication, a whole number; 0: unknown */
    struct samples ghz;       /* the readings that were not thrown away; of very many some, by chance */
    size_t kept, thrown_away; /* all readings that stand; those thrown away */
    double probing_s;         /* of the engine's probes, with the readings in them */
    double stopped_s;         /* in which nothing at all ran, by the engine's probes */
};

/* Learns the cycles of a multiplication, in less than a millisecond. */
void core_clock_init(struct core_clock *core_clock, const struct clock *clock);
void core_clock_free(struct core_clock *core_clock);

/* GHz of the CPU that the calling thread is pinned to, in some 15 us; NaN: thrown away, because the chains
 * contradict each other. It is kept for the summary. */
double core_clock_read(struct core_clock *core_clock);
/* The same under a load, which is called before each round. A round is over some 2 us later, because
 * 512-bit arithmetic lowers the clock of some cores for little longer. Keeps nothing, so that several threads
 * may read. */
double core_clock_ghz_under(const struct core_clock *core_clock, void (*load)(void *context), void *context);
/* A reading for the summary; NaN is counted as thrown away. */
void core_clock_keep(struct core_clock *core_clock, double ghz);
/* Median of a few: 3.00 or another whole number +-3 % where the clock is read right. */
double core_clock_multiply_cycles(const struct clock *clock);

/* Adds clock.core_ghz.p5, .median, .p95, .thrown_away, and a warning where the quantiles lie more than 10
 * % apart or no reading stands. False: it was never read. */
bool core_clock_record(const struct core_clock *core_clock, struct record *record);
