/* SPDX-License-Identifier: MIT */
/* What the files of `ram --curve` share. */
#pragma once

#include "modes.h"
#include "ram.h"

/* The buffers of which the sets of all series are parts. */
enum curve_buffer { CURVE_HUGE, CURVE_BASE, CURVE_BUFFERS };

/* Sets up to CURVE_CORE bytes are sampled in each round, larger ones in one of CURVE_PERIOD. No more than
 * CURVE_WARM bytes are streamed before a sample. */
enum {
    CURVE_FIRST = 2048,
    CURVE_LARGEST = 1 << 30,
    CURVE_CORE = 2 << 20,
    CURVE_PERIOD = 4,
    CURVE_WARM = 128 << 20
};

/* Lines of a block lie in one ring, of which a part is loaded after each draw, so that TLBs hardly count.
 * Pages: one line of each, in different sets of the caches. */
enum {
    CURVE_LINE = 64,
    CURVE_PAGE = 4096,
    CURVE_BLOCK = 128 << 10,
    CURVE_PAGE_STEP = CURVE_PAGE + CURVE_LINE,
    CURVE_PAGES_FIRST = 16,
    CURVE_PAGES_LAST = 1024
};

/* The context of both experiments of a run. */
enum { CURVE_KERNELS_MOST = 24 };
struct curve_run {
    const struct run *run;
    /* Latency: */
    const struct kernel *draw, *chase;
    uint64_t ring_seed, draw_state;
    /* Bandwidth: how many threads stream, and by which kernels. */
    int threads;
    struct series kernels[CURVE_KERNELS_MOST + 1];
};

/* The places of a set: x bytes of lines, or x places that are `step` bytes apart. */
struct set_kind {
    uint64_t step;
    bool counts_places;
};
extern const struct set_kind curve_lines, curve_pages;

/* Loads of drawn lines, of drawn lines and some of their block, of a line of each of drawn pages. In a
 * series of pages the first loads as many lines without gaps. */
extern const struct timed_work curve_line_loads, curve_block_loads, curve_page_loads;

/* The memory row of both experiments. */
extern const struct memory_row curve_memory;
/* Returns the bytes of a buffer that a run asks for. */
uint64_t curve_bytes(const struct run *run);
/* Returns the bytes of a set that hardly hits the last cache. */
uint64_t curve_dram_bytes(const struct run *run);
/* Whether --size asks for a set of x bytes, and so many hold it. */
bool curve_has_size(const struct run *run, uint64_t x, uint64_t bytes);

/* Adds the table of those series whose x is a size; threads 0: of latencies, else of bandwidth. */
void curve_record(const struct lab *lab, int threads);

/* Makes the bandwidth's experiment of the threads and kernels that the options name. */
enum status curve_bandwidth(struct run *run, struct curve_run *own, struct experiment *experiment,
                            struct fault *fault);
