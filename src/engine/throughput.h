/* SPDX-License-Identifier: MIT */
/* How many independent instructions a cycle the core executes for this thread. What an SMT sibling takes of
 * the units or of the slots before them is missing. */
#pragma once

#include <stdint.h>

#include "uarchprobe/clock.h"

struct throughput {
    double integers, loads; /* instructions a cycle; NaN: the core clock is unknown */
    uint64_t read_ns;       /* time of the reading */
};

/* Times both kinds on the CPU of the calling thread, for 200 steps of the clock each: two microseconds where
 * it counts in steps of 10 ns. */
struct throughput throughput_read(const struct clock *clock, double ghz);
