/* SPDX-License-Identifier: MIT */
/* One measurement of a pair: two threads run the same sequence of benchmarks and meet before each; in
 * between, the lines themselves keep them in step, as the side that is ahead waits in its next ping-pong. A
 * CPU alone runs the same on lines that it owns, and waits for nobody. */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uarchprobe/clock.h"
#include "uarchprobe/kernel.h"

/* Benchmarks of -b, and the series of values that they give. */
enum latency_bench { BENCH_CAS, BENCH_READWRITE, BENCH_TRANSFER, BENCH_COMPILED, BENCH_SHARING };
enum latency_series {
    SERIES_CAS,
    SERIES_COMPILED,  /* cas by the compiler's loop */
    SERIES_READWRITE, /* only of two CPUs */
    SERIES_TRANSFER,
    SERIES_TRANSFER_RMW,
    SERIES_OWN_LLSC, /* cas by LL/SC next to one atomic instruction, on own lines alone */
    SERIES_NAMED,    /* those before have names of their own */
    /* Of two CPUs whose words lie 8, 16 ... 512 bytes apart: a locked increment, while both increment; and
     * of a word after the other CPU has read its own. */
    SERIES_SHARING = SERIES_NAMED,
    SHARING_DISTANCES = 7,
    SERIES_TOUCHED = SERIES_SHARING + SHARING_DISTANCES,
    SERIES_COUNT = SERIES_TOUCHED + SHARING_DISTANCES
};
static inline long sharing_bytes(int distance)
{
    return 8L << distance;
}
struct measured_series {
    const char *name, *label; /* in keys; for people */
    enum latency_bench bench;
    enum operation operation;
};
extern const struct measured_series latency_series[SERIES_NAMED];
extern const char *const latency_bench_names[]; /* NULL-terminated, for --benchmark */

enum { LINES_MAX = 16, NODES_PER_LINE = 16, PASSES_MAX = 1000, WARM_TRIPS = 10, WARM_PASSES = 2 };

/* How much is measured of each pair at a time. */
struct latency_effort {
    int lines;           /* pages, and lines in the ping-pongs */
    uint64_t samples;    /* of each line */
    uint64_t iterations; /* round trips in a sample */
};

/* The same for all pairs of a run. */
struct latency_setup {
    const struct kernel *kernel[SERIES_COUNT]; /* SERIES_OWN_LLSC: NULL where CAS itself needs no feature */
    bool measures[SERIES_COUNT];
    const struct clock *clock;
    struct latency_effort effort;
    uint64_t cas_spins, load_spins; /* failed attempts after which the partner is given up */
    uint64_t meet_ns;               /* and the time for which it is awaited between benchmarks */
    uint64_t deadline_ticks;        /* no sample after it; 0: none */
    uint64_t page_bytes;
    bool is_one_way; /* a transfer is of the lines that `from` wrote, not of both directions */
};

/* Of one series, by the thread on the `from` side. */
struct latency_result {
    double value;            /* ns; NaN: no usable sample */
    size_t samples, dropped; /* taken; left out as disturbed */
};

enum side { SIDE_FROM, SIDE_TO };

/* Filled in by the owner, run by two threads, or by one of a CPU alone. */
struct measurement {
    const struct latency_setup *setup;
    bool alone;
    int cpu[2];              /* by side: where it must run; -1: anywhere */
    uint64_t seed;           /* of the orders */
    uint64_t deadline_ticks; /* it is given up then, in place of a wait without end; 0: never */
    unsigned char *page;     /* one for each line, not touched yet */
    double *sample;          /* room for all of a series */
    struct latency_result result[SERIES_COUNT];
    int order[LINES_MAX];
    uint64_t switches[2];            /* by side: how often something else took its CPU meanwhile */
    alignas(128) atomic_uint met[2]; /* how many meetings it has come to */
    alignas(128) atomic_bool failed;
};

/* Freed by measurement_free; the setup must outlive it. */
struct measurement *measurement_new(const struct latency_setup *setup);
void measurement_free(struct measurement *m);
/* The tick so many seconds from now. */
uint64_t deadline_after(const struct latency_setup *setup, double seconds);
/* Prepares for the next one: no result, nobody met. */
void measurement_reset(struct measurement *m);
/* Runs one side. Comes back in bounded time whatever the partner does; a series without a value is NaN. */
void measurement_run(struct measurement *m, enum side side);
/* ns of each step through a chain, by the kernel of that series. 0 at least: an emulator's clock can cost
 * more than the walk. */
double walk_ns(const struct latency_setup *setup, enum latency_series series, void *node, uint64_t steps);
