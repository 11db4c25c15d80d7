/* SPDX-License-Identifier: MIT */
/* How many misses of one thread wait at once: bursts of lines that were flushed, and, where a cache answers so soon that its rate
 * is the limit, its latency for each line of its rate. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "capacity.h"
#include "uarchprobe/clock.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

/* A burst begins at any line of a page of any block: some lines are slow, as they share a bank of memory. */
enum { LINE = 64, PLACES = 64, BLOCKS = 8, BLOCK_BYTES = MISSES_BYTES };

struct own {
    struct memory memory;
    const struct clock *clock;
    const struct kernel *flush;
    uint64_t random;
};

static enum status open_memory(struct run *run, void **context, struct fault *fault)
{
    const struct kernel_filter any = {.allowed = ~(feature_set)0};
    const struct memory_request request = {
        .bytes = (uint64_t)BLOCKS * BLOCK_BYTES, .pages = PAGES_AUTO, .node = -1};
    struct own *own = *context = memory_zeroed(1, sizeof *own);
    own->clock = run->clock;
    own->flush = kernel_next(&any, OPERATION_MISSES_FLUSH, NULL);
    if (memory_map(&own->memory, &request, fault) != STATUS_OK)
        free(own);
    else
        memset(own->memory.data, 0, own->memory.bytes);
    return fault->status;
}

static void close_memory(void *context)
{
    struct own *own = context;
    memory_release(&own->memory);
    free(own);
}

/* The median of a few bursts, one at a time: prefetches for which there was no room come late, and must not meet the next. */
static double bursts_ns(const struct point *point, int count)
{
    enum { MOST = 31 };
    struct own *own = point->own;
    double ticks[MOST];
    for (int i = 0; i < count; i++) {
        const uint64_t random = random_next(&own->random);
        void *place = own->memory.data + random % PLACES * LINE + random / PLACES % BLOCKS * BLOCK_BYTES;
        own->flush->entry(&place, NULL, point->x, 1, 0, 0);
        const uint64_t begin = clock_ticks();
        point->kernel->entry(&place, NULL, point->x, 1, 1, 0);
        ticks[i] = (double)(clock_ticks() - begin);
    }
    return median_of(ticks, (size_t)count) * own->clock->ns_per_tick;
}

static double burst(const struct point *point)
{
    return bursts_ns(point, 5);
}

/* One line takes as long as the roots before it and two misses; one too many waits for the rest of a miss. */
static double height(const struct point *point)
{
    return bursts_ns(point, 31) / 3;
}

#define BURSTS(which, with) .name = which, .kernel = with, .first = 1, .again = true
static const struct series bursts[] = {{BURSTS("loads", "misses_load")},
                                       {BURSTS("prefetches", "misses_prefetch")},
                                       {BURSTS("prefetches into L2", "misses_prefetch_far")},
                                       {0}};

#define MISSES(which, words, ...)                                                                            \
    .key = "capacity.parallel_misses." which, .label = words, .unit = "lines", .operand = "parallel-misses", \
    __VA_ARGS__
static const struct claim of_bursts[] = {
    {MISSES("memory", "loads that wait for memory", .kind = CLAIM_STEP, .from = "loads",
            .published = "memory_misses")},
    {MISSES("memory_prefetch", "prefetches that wait for memory", .kind = CLAIM_STEP, .from = "prefetches",
            .published = "l1_misses")},
    {MISSES("memory_prefetch_l2", "prefetches into L2 that wait for memory", .kind = CLAIM_STEP,
            .from = "prefetches into L2")},
    {0}};

const struct experiment misses_experiment = {
    .name = "parallel misses",
    .open = open_memory,
    .close = close_memory,
    .series = bursts,
    .claims = of_bursts,
    .sample = burst,
    .height = height,
    .rounds = 100,
    .quick_rounds = 30,
    .seconds = 0.8,
    .quick_seconds = 0.3,
    .memory_bytes = (uint64_t)BLOCKS * BLOCK_BYTES,
    .curve = {VIEW_CURVE, "time of a burst of lines from memory", "lines", "lines"}};
