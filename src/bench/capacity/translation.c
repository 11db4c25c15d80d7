/* SPDX-License-Identifier: MIT */
/* How many pages the two data TLBs hold: a walk through one line of each of N pages, in a new random order
 * each time, gets slower once they no longer fit. */
#include <math.h>
#include <unistd.h>

#include "capacity.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/topology.h"

/* SPANS: pages from the first to the last. SHIFTS: bytes, at whose pages they begin in turn, so that they
 * find other sets. STEPS: of the clock that a walk takes where a load takes a nanosecond. */
enum {
    LINE = 64,
    FIRST_SPAN = 8352,
    SECOND_SPAN = 14208,
    SHIFTS = 32768,
    L1_USUAL = 32768,
    WARM = 3,
    LOADS_LEAST = 1024,
    STEPS = 100
};

/* A walk, of which x is the number of pages times `each`: if the lowest bits of a page choose its set,
 * every eighth page finds an eighth of the sets, and so does every 24th. */
struct walk {
    uint64_t stride, each, loads; /* loads: at least */
    bool packed;                  /* less the time of as many lines on few pages */
};

struct translation {
    uint64_t page_bytes, l1_lines; /* lines that fit well in L1 */
    uint64_t shift, seed;          /* pages by which all walks are moved up in this turn; of the next walk */
    void *begin;                   /* of the present walk */
};

/* The lines of neighbouring pages lie in different sets of the cache. */
static uint64_t spread_offset(const struct chase *chase, uint64_t index)
{
    return index * chase->stride + index % ((uint64_t)sysconf(_SC_PAGESIZE) / LINE) * LINE;
}

/* Links the lines in a new order and walks through them, so that the caches hold them and the TLB what it
 * can. */
static void begin_walk(struct point *point, struct chase chase)
{
    struct translation *own = point->own;
    const struct walk *walk = point->series->row;
    chase.seed = own->seed++;
    chase.data = point->memory->data + own->shift * own->page_bytes;
    chase_link(&chase);
    own->begin = chase_node(&chase, 0);
    point->kernel->entry(own->begin, NULL, WARM * chase.count, 0, 0, 0);
    point->iterations = 2 * chase.count + walk->loads + (uint64_t)(STEPS * point->clock->resolution_ns);
}

static uint64_t pages_of(const struct point *point)
{
    return point->x / ((const struct walk *)point->series->row)->each;
}

static void begin_apart(struct point *point)
{
    const struct walk *walk = point->series->row;
    const uint64_t page_bytes = ((const struct translation *)point->own)->page_bytes;
    begin_walk(point, (struct chase){.count = pages_of(point),
                                     .stride = walk->stride * page_bytes,
                                     .offset = spread_offset});
}

static void begin_packed(struct point *point)
{
    begin_walk(point, (struct chase){.count = pages_of(point), .stride = LINE});
}

static void walk_on(const struct point *point)
{
    point->kernel->entry(((const struct translation *)point->own)->begin, NULL, point->iterations, 0, 0, 0);
}

static const struct timed_work apart = {.work = walk_on, .prepare = begin_apart},
                               packed = {.work = walk_on, .prepare = begin_packed};

/* NaN while the first TLB holds all pages, where the second counts, and for more lines than L1 holds at
 * strides. */
static double sample(const struct point *point)
{
    static const double MISSED = 1.3;
    const struct translation *own = point->own;
    const struct walk *walk = point->series->row;
    if (walk->each > 1 && pages_of(point) > own->l1_lines)
        return NAN;
    const double ns = time_work(point, &apart), packed_ns = walk->packed ? time_work(point, &packed) : 0;
    return ns > MISSED * packed_ns ? ns - packed_ns : NAN;
}

static bool move_pages(void *context, unsigned turn, struct fault *fault)
{
    struct translation *own = context;
    own->shift = turn % (SHIFTS / own->page_bytes + 1);
    return true;
}

/* Bytes from the first page to the last, at all places where they may begin. Most of the pages in between
 * are never touched. */
static uint64_t first_bytes(const struct run *run, const void *own)
{
    return FIRST_SPAN * (uint64_t)run->topology->page_bytes + SHIFTS;
}

static uint64_t second_bytes(const struct run *run, const void *own)
{
    return SECOND_SPAN * (uint64_t)run->topology->page_bytes + SHIFTS;
}

static const struct memory_row first_memory = {.wanted = first_bytes,
                                               .pages = PAGES_4K,
                                               .content = MEMORY_MAPPED},
                               second_memory = {
                                   .wanted = second_bytes, .pages = PAGES_4K, .content = MEMORY_MAPPED};

static enum status open_pages(struct run *run, void **context, struct fault *fault)
{
    struct translation *own = *context;
    const uint64_t l1 = topology_cache_range(run->topology, &run->cpus, 1).least;
    own->page_bytes = (uint64_t)run->topology->page_bytes;
    own->l1_lines = (l1 ? l1 : L1_USUAL) / LINE * 7 / 8;
    return STATUS_OK;
}

/* Odd strides find all sets alike, and pages that are further apart than 16 share no entry. */
static const struct walk by_17 = {.stride = 17, .each = 1, .loads = LOADS_LEAST},
                         by_23 = {.stride = 23, .each = 1, .loads = LOADS_LEAST},
                         by_29 = {.stride = 29, .each = 1, .loads = LOADS_LEAST},
                         longer = {.stride = 17, .each = 1, .loads = 16 * LOADS_LEAST};
static const struct series first_series[] = {
    {.name = "17 pages apart", .kernel = "latency_chase", .range = {16, 288, 1}, .row = &by_17},
    {.name = "23 pages apart", .kernel = "latency_chase", .range = {16, 288, 2}, .row = &by_23},
    {.name = "29 pages apart", .kernel = "latency_chase", .range = {16, 288, 2}, .row = &by_29},
    {.name = "longer", .kernel = "latency_chase", .range = {16, 288, 272}, .row = &longer, .hidden = true},
    {0}};
static const struct metric first_metrics[] = {
    {.key = "23", .kind = METRIC_LEVEL_END, .series = "23 pages apart"},
    {.key = "29", .kind = METRIC_LEVEL_END, .series = "29 pages apart"},
    {.key = "capacity.tlb_l1",
     .label = "first data TLB",
     .unit = "entries",
     .kind = METRIC_LEVEL_END,
     .series = "17 pages apart",
     .agrees = {"23", "29"},
     .published = "l1_dtlb",
     .sheet_cell = "core/tlb-l1",
     .operand = "tlb-l1",
     .in_quick = true},
    {.key = "hit", .unit = "cycles", .kind = METRIC_VALUE, .series = "longer", .last = 16},
    {.key = "miss", .unit = "cycles", .kind = METRIC_VALUE, .series = "longer"},
    {.key = "capacity.tlb_l1_miss",
     .label = "first data TLB missed",
     .unit = "cycles",
     .kind = METRIC_DIFFERENCE,
     .metrics = {"miss", "hit"},
     .at_least = 1,
     .published = "l1_dtlb_miss",
     .operand = "tlb-l1",
     .in_quick = true},
    {0}};

/* Strides of 8 and 16 pages find a part of the sets: fewer pages fill them, and what others evict lies mostly
 * elsewhere. */
static const struct walk by_8 = {.stride = 8, .each = 8, .loads = LOADS_LEAST, .packed = true},
                         by_16 = {.stride = 16, .each = 16, .loads = LOADS_LEAST, .packed = true},
                         by_24 = {.stride = 24, .each = 8, .loads = LOADS_LEAST, .packed = true},
                         in_a_row = {.stride = 1, .each = 1, .packed = true};
static const struct series second_series[] = {
    {.name = "8 pages apart", .kernel = "latency_chase", .range = {320, 4736, 64}, .row = &by_8},
    {.name = "16 pages apart", .kernel = "latency_chase", .range = {512, 5120, 64}, .row = &by_16},
    {.name = "24 pages apart", .kernel = "latency_chase", .range = {320, 4736, 64}, .row = &by_24},
    {.name = "pages in a row", .kernel = "latency_chase", .range = {640, 4224, 128}, .row = &in_a_row},
    {0}};
static const struct metric second_metrics[] = {
    {.key = "16", .kind = METRIC_LEVEL_END, .series = "16 pages apart"},
    {.key = "24", .kind = METRIC_LEVEL_END, .series = "24 pages apart"},
    {.key = "capacity.tlb_l2",
     .label = "second data TLB",
     .unit = "entries",
     .kind = METRIC_LEVEL_END,
     .series = "8 pages apart",
     .agrees = {"16", "24"},
     .published = "l2_dtlb",
     .or_published = "l2_tlb",
     .sheet_cell = "core/tlb-l2",
     .operand = "tlb-l2"},
    /* A range: who shares the core takes entries as well. 7 runs found the edge between 2048 and 2304
     * pages, one between 2944 and 3072, all with high trust; beside others it was 2176 to 3328 (Zen 5
     * guest). */
    {.key = "capacity.tlb_l2_reach",
     .label = "reach of pages in a row",
     .unit = "pages",
     .kind = METRIC_LEVEL_END,
     .series = "pages in a row",
     .published = "l2_tlb_reach",
     .range = true,
     .operand = "tlb-l2"},
    /* A range: at medium trust 2 of 6 pairs of runs were broken, 35.4 against 40.8 and 42.3 cycles (Zen 4
     * guest). */
    {.key = "capacity.tlb_l2_miss",
     .label = "both data TLBs missed",
     .unit = "cycles",
     .kind = METRIC_VALUE,
     .series = "8 pages apart",
     .last = 3584,
     .at_least = 1,
     .beyond = true,
     .range = true,
     .operand = "tlb-l2"},
    {0}};

const struct experiment first_tlb_experiment = {
    .name = "first TLB",
    .open = open_pages,
    .context_bytes = sizeof(struct translation),
    .series = first_series,
    .metrics = first_metrics,
    .sample = sample,
    .move = move_pages,
    .quantile = 0.25,
    .pace = {24, 16, 0.4, 0.25},
    .memory = &first_memory,
    .curve = {VIEW_CURVE, "time of a load of another page", "count", "pages"}};
const struct experiment second_tlb_experiment = {
    .name = "second TLB",
    .open = open_pages,
    .context_bytes = sizeof(struct translation),
    .series = second_series,
    .metrics = second_metrics,
    .sample = sample,
    .move = move_pages,
    .quantile = 0.25,
    .pace = {24, 16, 1.2, 0.35},
    .memory = &second_memory,
    .curve = {VIEW_CURVE, "time that pages add to a load", "count", "pages of reach"}};
