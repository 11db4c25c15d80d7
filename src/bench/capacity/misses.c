/* SPDX-License-Identifier: MIT */
/* How many misses of one thread wait at once: bursts of lines that were flushed, and, where a cache
 * answers so soon that its rate is the limit, its latency for each line of its rate. */
#include <string.h>

#include "capacity.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/random.h"

/* A burst begins at any line of a page of any block: some lines are slow, as they share a bank of memory.
 * There are BLOCKS, or as few as memory has room for. */
enum { LINE = 64, PLACES = 64, BLOCKS = 8, BLOCK_BYTES = MISSES_BYTES };

/* LEVEL_BLOCKS: at most; the chains of all levels lie behind the blocks. */
enum { LEVEL_BLOCKS = 4, LEVELS = 4, LINES_MOST = MISSES_MOST - 1 };
static const uint64_t HELD_BYTES = (uint64_t)MISSES_MOST * PLACES * LINE;

/* Bursts that take turns through more than the caches before it hold, and a chain through as much. */
struct level {
    uint64_t lines, bursts, next;
    void *place[PLACES * LEVEL_BLOCKS], *node;
    const unsigned char *chain;
};

struct misses {
    const struct kernel *load, *flush;
    uint64_t seed, blocks;
    void *place;                 /* where the present burst begins */
    struct level levels[LEVELS]; /* index: of the cache */
};

static enum status open_misses(struct run *run, void **own, struct fault *fault)
{
    const struct kernel_filter any = {.allowed = ~(feature_set)0};
    struct misses *misses = *own;
    misses->load = kernel_next(&any, OPERATION_MISSES, NULL);
    misses->flush = kernel_next(&any, OPERATION_MISSES_FLUSH, NULL);
    return STATUS_OK;
}

static uint64_t block_bytes(const struct run *run, const void *own)
{
    return BLOCK_BYTES;
}

static void count_blocks(const struct run *run, void *own, const struct memory *memory)
{
    ((struct misses *)own)->blocks = memory->bytes / BLOCK_BYTES;
}

static void flush_lines(struct point *point)
{
    struct misses *misses = point->own;
    const uint64_t random = random_next(&misses->seed),
                   block = random / PLACES % misses->blocks * BLOCK_BYTES;
    misses->place = point->memory->data + block + random % PLACES * LINE;
    misses->flush->entry(&misses->place, NULL, point->x, 1, 0, 0);
}

static void burst(const struct point *point)
{
    struct misses *misses = point->own;
    point->kernel->entry(&misses->place, NULL, point->x, 1, *(const unsigned *)point->series->row, 0);
}

/* One burst at a time: prefetches for which there was no room come late, and must not meet the next. */
static const struct timed_work five_bursts = {.work = burst,
                                              .prepare = flush_lines,
                                              .prepares_each = true,
                                              .parts = 5},
                               many_bursts = {
                                   .work = burst, .prepare = flush_lines, .prepares_each = true, .parts = 31};

/* One line takes as long as the roots before it and two misses; one too many waits for the rest of a miss. */
static double height(const struct point *point)
{
    return time_work(point, &many_bursts) / 3;
}

/* In the time of so many roots, some 100 cycles, the core asks for all lines before the last; fewer roots
 * show whether it does. */
static const unsigned roots = 6, fewer_roots = 4;
static const struct series bursts[] = {{.name = "loads",
                                        .kernel = "misses_load",
                                        .range.first = 1,
                                        .again = true,
                                        .row = &roots,
                                        .timed = {&five_bursts}},
                                       {.name = "loads sooner",
                                        .kernel = "misses_load",
                                        .range = {.first = 1, .period = 2},
                                        .again = true,
                                        .row = &fewer_roots,
                                        .timed = {&five_bursts},
                                        .hidden = true},
                                       {.name = "prefetches",
                                        .kernel = "misses_prefetch",
                                        .range.first = 1,
                                        .again = true,
                                        .row = &roots,
                                        .timed = {&five_bursts}},
                                       {.name = "prefetches sooner",
                                        .kernel = "misses_prefetch",
                                        .range = {.first = 1, .period = 2},
                                        .again = true,
                                        .row = &fewer_roots,
                                        .timed = {&five_bursts},
                                        .hidden = true},
                                       {.name = "prefetches into L2",
                                        .kernel = "misses_prefetch_far",
                                        .range.first = 1,
                                        .again = true,
                                        .row = &roots,
                                        .timed = {&five_bursts}},
                                       {.name = "prefetches into L2 sooner",
                                        .kernel = "misses_prefetch_far",
                                        .range = {.first = 1, .period = 2},
                                        .again = true,
                                        .row = &fewer_roots,
                                        .timed = {&five_bursts},
                                        .hidden = true},
                                       {0}};

static const struct metric of_bursts[] = {
    {.key = "loads sooner", .kind = METRIC_JUMP, .series = "loads sooner"},
    {.key = "prefetches sooner", .kind = METRIC_JUMP, .series = "prefetches sooner"},
    {.key = "prefetches into L2 sooner", .kind = METRIC_JUMP, .series = "prefetches into L2 sooner"},
    {.key = "capacity.parallel_misses.memory",
     .label = "loads that wait for memory",
     .unit = "lines",
     .kind = METRIC_JUMP,
     .series = "loads",
     .agrees = {"loads sooner"},
     .published = "memory_misses",
     .sheet_cell = "core/parallel-misses-memory",
     .operand = "parallel-misses"},
    {.key = "capacity.parallel_misses.memory_prefetch",
     .label = "prefetches that wait for memory",
     .unit = "lines",
     .kind = METRIC_JUMP,
     .series = "prefetches",
     .agrees = {"prefetches sooner"},
     .published = "l1_misses",
     .sheet_cell = "core/parallel-misses-memory_prefetch",
     .operand = "parallel-misses"},
    {.key = "capacity.parallel_misses.memory_prefetch_l2",
     .label = "prefetches into L2 that wait for memory",
     .unit = "lines",
     .kind = METRIC_JUMP,
     .series = "prefetches into L2",
     .agrees = {"prefetches into L2 sooner"},
     .sheet_cell = "core/parallel-misses-memory_prefetch_l2",
     .operand = "parallel-misses"},
    {0}};

static const struct memory_row blocks = {.bytes = (uint64_t)BLOCKS * BLOCK_BYTES,
                                         .least = block_bytes,
                                         .content = MEMORY_PRESENT,
                                         .lay_out = count_blocks};
const struct experiment misses_experiment = {
    .name = "parallel misses",
    .open = open_misses,
    .context_bytes = sizeof(struct misses),
    .series = bursts,
    .metrics = of_bursts,
    .height = height,
    .pace = {100, 30, 0.8, 0.3},
    .memory = &blocks,
    .curve = {VIEW_CURVE, "time of a burst of lines from memory", "lines", "lines"}};

static uint64_t level_blocks(uint64_t used)
{
    return (used + HELD_BYTES - 1) / HELD_BYTES;
}

/* Bytes of the lines of a level's bursts, and of its chain; 0: it is not there, or less than five times the
 * one before. */
static uint64_t level_bytes(const struct run *run, int level)
{
    const uint64_t bytes = topology_cache_range(run->topology, &run->cpus, level).least,
                   before = topology_cache_range(run->topology, &run->cpus, level - 1).most;
    uint64_t used = bytes / 4 < HELD_BYTES ? bytes / 4 : HELD_BYTES;
    if (used < 5 * before / 2)
        used = 5 * before / 2;
    return used > bytes / 2 || level_blocks(used) > LEVEL_BLOCKS ? 0 : used;
}

/* Levels share the blocks; each has a chain of its own. *chains: the bytes of all chains. */
static uint64_t shared_bytes(const struct run *run, uint64_t *chains)
{
    uint64_t most = 0;
    *chains = 0;
    for (int level = 2; level < LEVELS; level++) {
        const uint64_t used = level_bytes(run, level);
        most = level_blocks(used) > most ? level_blocks(used) : most;
        *chains += used;
    }
    return (most ? most : 1) * BLOCK_BYTES;
}

static uint64_t levels_bytes(const struct run *run, const void *own)
{
    uint64_t chains;
    return shared_bytes(run, &chains) + chains;
}

/* Draws the order of each level's bursts, and links its chain behind the blocks. */
static void lay_out_levels(const struct run *run, void *own, const struct memory *memory)
{
    static const uint64_t TURN_BYTES = PLACES * LINE;
    struct misses *misses = own;
    uint64_t ignored;
    unsigned char *chains = memory->data + shared_bytes(run, &ignored);
    for (int level = 2; level < LEVELS; level++) {
        const uint64_t used = level_bytes(run, level), count = level_blocks(used);
        struct level *at = &misses->levels[level];
        if (used == 0)
            continue;
        int order[PLACES * LEVEL_BLOCKS];
        at->lines = used / count / TURN_BYTES;
        at->bursts = PLACES * count;
        random_order(&misses->seed, order, at->bursts);
        for (uint64_t i = 0; i < at->bursts; i++)
            at->place[i] = memory->data + order[i] % PLACES * LINE + order[i] / PLACES * BLOCK_BYTES;
        const struct chase chase = {.data = chains, .count = used / LINE, .stride = LINE, .seed = 1};
        chase_link(&chase);
        at->node = chase_node(&chase, 0);
        at->chain = chains;
        chains += used;
    }
}

static void load_lines(const struct kernel *load, struct level *level, uint64_t count)
{
    for (uint64_t now; count > 0; count -= now) {
        now = count < level->bursts - level->next ? count : level->bursts - level->next;
        load->entry(level->place + level->next, NULL, level->lines, now, 0, 0);
        level->next = (level->next + now) % level->bursts;
    }
}

/* x is the level, an iteration one burst or as many loads in a chain. */
static void work(const struct point *point)
{
    struct misses *misses = point->own;
    struct level *level = &misses->levels[point->x];
    if (level->lines == 0)
        return;
    if (point->kernel->operation == OPERATION_LATENCY)
        level->node = (void *)(uintptr_t)point->kernel->entry(
            level->node, NULL, (level->lines + 1) * point->iterations, 0, 0, 0);
    else
        load_lines(misses->load, level, point->iterations);
}

/* Brings all lines into the level, as neighbours and other series took it, and those that count out of the
 * ones before. L3 has bursts of more lines than L2. */
static void settle(struct point *point)
{
    enum { PASSES = 3, FEWER = 8 };
    struct misses *misses = point->own;
    struct level *level = &misses->levels[point->x];
    for (int i = 0; i < PASSES && level->lines > 0; i++) {
        const volatile unsigned char *line = level->chain;
        for (uint64_t left = level->lines * level->bursts; left > 0; left--, line += LINE)
            (void)*line;
        load_lines(misses->load, level, level->bursts);
    }
    if (point->x > 2)
        point->iterations /= FEWER;
}

static double is_there(const struct point *point)
{
    return ((const struct misses *)point->own)->levels[point->x].lines > 0;
}

static const struct series passes[] = {{.name = "chain in L2", .kernel = "latency_chase", .range = {2, 2}},
                                       {.name = "loads in L2", .kernel = "misses_load", .range = {2, 2}},
                                       {.name = "chain in L3", .kernel = "latency_chase", .range = {3, 3}},
                                       {.name = "loads in L3", .kernel = "misses_load", .range = {3, 3}},
                                       {0}};

/* Runs are 4 % apart in L2; L3 is a range: lines of a guest took 2.4 cycles in one half hour and 3.6 in
 * the next. */
static const struct metric of_passes[] = {
    {.key = "chain in L2", .unit = "cycles", .kind = METRIC_VALUE, .series = "chain in L2"},
    {.key = "loads in L2", .unit = "cycles", .kind = METRIC_VALUE, .series = "loads in L2"},
    {.key = "chain in L3", .unit = "cycles", .kind = METRIC_VALUE, .series = "chain in L3"},
    {.key = "loads in L3", .unit = "cycles", .kind = METRIC_VALUE, .series = "loads in L3"},
    /* A range: at medium trust 3 of 6 pairs of runs beside busy loops were broken, 7.99 against 6.69 to 7.00
     * (Zen 4 guest). */
    {.key = "capacity.parallel_misses.l2",
     .label = "loads under way from L2",
     .unit = "lines",
     .kind = METRIC_RATIO,
     .metrics = {"chain in L2", "loads in L2"},
     .at_least = 1,
     .range = true,
     .sheet_cell = "core/parallel-misses-l2",
     .operand = "parallel-misses"},
    {.key = "capacity.parallel_misses.l3",
     .label = "loads under way from L3",
     .unit = "lines",
     .kind = METRIC_RATIO,
     .metrics = {"chain in L3", "loads in L3"},
     .at_least = 1,
     .beyond = true,
     .range = true,
     .sheet_cell = "core/parallel-misses-l3",
     .operand = "parallel-misses"},
    {0}};

static const struct memory_row caches = {
    .wanted = levels_bytes, .content = MEMORY_PRESENT, .lay_out = lay_out_levels};
const struct experiment cache_misses_experiment = {.name = "parallel misses of caches",
                                                   .open = open_misses,
                                                   .context_bytes = sizeof(struct misses),
                                                   .series = passes,
                                                   .metrics = of_passes,
                                                   .work = work,
                                                   .prepare = settle,
                                                   .height = is_there,
                                                   .iterations = 64,
                                                   .pace = {60, 20, 0.7, 0.2},
                                                   .memory = &caches};
