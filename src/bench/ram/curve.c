/* SPDX-License-Identifier: MIT */
/* `ram --curve`: the latency of a load by the size of the set that it is drawn from. Drawn lines have min(1, C / S) of hits in a
 * level of C bytes, whatever that replaces, and nothing is built or kept for a size: a set is a part of one arena. */
#include "curve.h"

#include <math.h>
#include <string.h>

#include "modes.h"
#include "uarchprobe/random.h"

/* BLOCK: lines in one ring, of which half are loaded after each draw, so that TLBs hardly count. APART: one line of each page, in
 * different sets of the caches. */
enum { LINE = 64, PAGE = 4096, BLOCK = 128 << 10, RING = BLOCK / LINE, PART = RING / 2, APART = PAGE + LINE };
enum {
    LOADS = 16384,
    LOADS_FAR = 8192,
    SLICES = 8,
    FAR = 64 << 20,
    SMALL = 512,
    SMALL_LOADS = 512,
    STEPS = 100
};
enum { FILL_BLOCKS = 32, PAGES_FIRST = 16, PAGES_LAST = 1024 };
static const double FILL_S = 1;

enum kind { CHASED, LINES, BLOCKS, PAGES };
struct way {
    enum kind kind;
    enum { HUGE, BASE, ARENAS } arena;
};

/* Of the run under way. */
static struct arena {
    struct memory memory;
    uint64_t bytes; /* filled */
} arenas[ARENAS];
static const struct kernel *draw, *chase;
static const struct topology *topology;
static uint64_t seed, state, turn;
static void *ring[SMALL / sizeof(void *)];

/* Rings that are all alike a prefetcher learns. */
static void link_ring(unsigned char *data, uint64_t apart, unsigned count)
{
    uint16_t next[RING];
    for (unsigned i = 0; i < count; i++)
        next[i] = (uint16_t)i;
    for (unsigned i = count - 1; i > 0; i--) {
        const unsigned other = (unsigned)((random_next(&seed) >> 32) * i >> 32);
        const uint16_t swap = next[i];
        next[i] = next[other];
        next[other] = swap;
    }
    for (unsigned i = 0; i < count; i++)
        *(void **)(void *)(data + i * apart) = data + next[i] * apart;
}

/* Memory that the host of a guest has not backed yet takes longer: what DRAM needs gets more time. */
static void fill(struct arena *arena, double seconds, uint64_t least)
{
    static const double LONGER = 3;
    const uint64_t begin_ns = clock_now_ns();
    uint64_t at = 0;
    while (at < arena->memory.bytes &&
           (double)(clock_now_ns() - begin_ns) < (at < least ? LONGER : 1) * seconds * 1e9)
        for (int i = 0; i < FILL_BLOCKS && at < arena->memory.bytes; i++, at += BLOCK)
            link_ring(arena->memory.data + at, LINE, RING);
    arena->bytes = at;
}

static void draw_load(const void *from, uint64_t apart, uint64_t places, uint64_t loads)
{
    state = draw->entry((void *)from, (const void *)(uintptr_t)apart, loads, places, state | 1, 0);
}

static void load(enum kind kind, unsigned char *set, uint64_t places, uint64_t loads)
{
    if (kind != BLOCKS)
        draw_load(set, kind == PAGES ? APART : LINE, places, loads);
    for (; kind == BLOCKS && loads >= PART; loads -= PART) {
        state *= KERNEL_DRAW;
        const uint64_t line = (uint64_t)(((unsigned __int128)state * places) >> 64);
        chase->entry(set + line * LINE, NULL, PART, 0, 0, 0);
    }
}

/* ns of a load, of lines that L1 holds: chased, or drawn. */
static double small_ns(const struct point *point, bool drawn)
{
    const uint64_t loads = SMALL_LOADS + (uint64_t)(STEPS * point->clock->resolution_ns);
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const uint64_t begin = clock_ticks();
        if (drawn)
            draw_load(ring, LINE, SMALL / LINE, loads);
        else
            chase->entry(ring, NULL, loads, 0, 0, 0);
        least = fmin(least, (double)(clock_ticks() - begin));
    }
    return least * point->clock->ns_per_tick / (double)loads;
}

/* ns of a load from places that are warm. The median of slices drops most interruptions. */
static double load_ns(const struct point *point, enum kind kind, unsigned char *set, uint64_t places)
{
    const uint64_t bytes = places * LINE, some = bytes < CURVE_WARM ? bytes : CURVE_WARM,
                   loads = bytes <= FAR ? LOADS : LOADS_FAR;
    const volatile unsigned char *line = set + (bytes - some) / 2 / LINE * LINE;
    for (uint64_t i = 0; kind != PAGES && i < some; i += LINE)
        (void)line[i];
    load(kind, set, places, bytes > CURVE_CORE ? PART : places + PART);
    double ticks[SLICES];
    for (int i = 0; i < SLICES; i++) {
        const uint64_t begin = clock_ticks();
        load(kind, set, places, loads / SLICES);
        ticks[i] = (double)(clock_ticks() - begin);
    }
    return median_of(ticks, SLICES) * SLICES * point->clock->ns_per_tick / (double)loads;
}

/* Less what drawing costs, the same at every size; pages less as many lines without gaps. */
static double sample(const struct point *point)
{
    const struct way *way = point->series->row;
    const struct arena *arena = &arenas[way->arena];
    const uint64_t places = way->kind == PAGES ? point->x : point->x / LINE,
                   bytes = places * (way->kind == PAGES ? APART : LINE);
    uint64_t of = turn ^ point->x;
    unsigned char *set = arena->memory.data + random_next(&of) % ((arena->bytes - bytes) / BLOCK + 1) * BLOCK;
    const double chased = small_ns(point, false);
    if (way->kind == CHASED)
        return chased;
    const double ns = load_ns(point, way->kind, set, places);
    if (way->kind == BLOCKS)
        return ns;
    return ns + chased - (way->kind == LINES ? small_ns(point, true) : load_ns(point, LINES, set, places));
}

static bool move(void *own, unsigned number, struct fault *fault)
{
    (void)own;
    (void)number;
    (void)fault;
    turn = random_next(&seed);
    return true;
}

#define LINES_OF(text, on)                                                                                   \
    {                                                                                                        \
        .name = text, .row = &(const struct way){LINES, on}, .first = CURVE_FIRST, .last = CURVE_LARGEST,    \
        .per_octave = CURVE_PER_OCTAVE, .round = true, .apart = true, .every = CURVE_EVERY,                  \
        .always = CURVE_CORE                                                                                 \
    }
#define PAGES_OF(text, on)                                                                                   \
    {                                                                                                        \
        .name = text, .row = &(const struct way){PAGES, on}, .first = PAGES_FIRST, .last = PAGES_LAST,       \
        .per_octave = 2 * CURVE_PER_OCTAVE, .round = true, .apart = true                                     \
    }
static const struct series all_series[] = {
    {.name = "chase", .row = &(const struct way){CHASED, HUGE}, .first = SMALL, .last = SMALL},
    LINES_OF("2 MiB pages", HUGE),
    LINES_OF("4 KiB pages", BASE),
    {.name = "blocks",
     .row = &(const struct way){BLOCKS, HUGE},
     .first = 2 * BLOCK,
     .last = CURVE_LARGEST,
     .per_octave = CURVE_PER_OCTAVE,
     .round = true,
     .apart = true,
     .every = CURVE_EVERY,
     .always = CURVE_CORE},
    PAGES_OF("pages", BASE),
    PAGES_OF("huge pages", HUGE),
    {0}};
static struct series series[sizeof all_series / sizeof *all_series];

/* Leaves out the series of an arena that is not there, and what it does not hold. */
static void choose_series(const struct range *range)
{
    size_t count = 0;
    for (const struct series *s = all_series; s->name; s++) {
        const struct way *way = s->row;
        const uint64_t bytes = arenas[way->arena].bytes;
        const bool is_size = way->kind == LINES || way->kind == BLOCKS;
        series[count] = *s;
        count += is_size ? curve_fit(&series[count], range, bytes)
                         : bytes >= PAGES_LAST * APART || way->kind == CHASED;
    }
    series[count] = (struct series){0};
}

#define CACHES .from = "2 MiB pages", .and = "blocks", .last = 48 * PAGE
#define CELL_OF(what, row, column, words)                                                                    \
    .key = "ram.curve." what, .label = words, .slot = "curve/" row "/" column
#define CAPACITY .unit = "Byte", .kind = CLAIM_CAPACITY, CACHES
#define HIT .unit = "cycles", .kind = CLAIM_HIT, CACHES
#define DRAM .unit = "ns", .kind = CLAIM_VALUE, .range = true, .beyond = true, .of_all = true
#define FIRST_TLB .nth = 1, .from = "pages"
static const struct claim all_claims[] = {
    {CELL_OF("L1.bytes", "L1", "size", "L1"), CAPACITY, .nth = 1},
    {CELL_OF("L1.latency_cycles", "L1", "latency", "L1 latency"), .unit = "cycles", .kind = CLAIM_VALUE,
     .from = "chase", .published = "l1_latency"},
    {CELL_OF("L2.bytes", "L2", "size", "L2"), CAPACITY, .nth = 2},
    {CELL_OF("L2.latency_cycles", "L2", "latency", "L2 latency"), HIT, .nth = 2, .published = "l2_latency"},
    {CELL_OF("L3.bytes", "L3", "size", "L3"), CAPACITY, .nth = 3, .range = true, .beyond = true},
    {CELL_OF("L3.latency_cycles", "L3", "latency", "L3 latency"), HIT, .nth = 3, .beyond = true,
     .published = "l3_latency"},
    {CELL_OF("DRAM.latency", "DRAM", "latency", "DRAM latency"), DRAM, .from = "2 MiB pages"},
    {CELL_OF("DRAM.latency_4k", "DRAM_4_KiB", "latency", "DRAM latency, 4 KiB"), DRAM, .from = "4 KiB pages"},
    {CELL_OF("tlb1.entries", "TLB_miss", "size", "first data TLB"), FIRST_TLB, .unit = "entries",
     .kind = CLAIM_CAPACITY, .published = "l1_dtlb"},
    {CELL_OF("tlb1.miss", "TLB_miss", "latency", "first data TLB missed"), FIRST_TLB, .unit = "cycles",
     .kind = CLAIM_MISS, .published = "l1_dtlb_miss"},
    {0}};
static struct claim claims[sizeof all_claims / sizeof *all_claims];

/* Of a set that hardly hits the last cache. */
static uint64_t dram_bytes(void)
{
    return 4 * topology_cache_bytes(topology, topology_last_level(topology));
}

/* Without a level that is not there, and without DRAM where the last cache holds a quarter of the largest set. */
static void choose_claims(void)
{
    const int last = topology_last_level(topology);
    size_t count = 0;
    for (const struct claim *claim = all_claims; claim->key; claim++) {
        const struct series *s = series;
        while (s->name && strcmp(s->name, claim->from) != 0)
            s++;
        const bool is_dram = claim->of_all,
                   is_there = is_dram || !claim->and || last == 0 || (int)claim->nth <= last;
        claims[count] = *claim;
        count += is_there && (!is_dram || s->last >= dram_bytes());
    }
    claims[count] = (struct claim){0};
}

static enum status open_arenas(struct run *run, void **own, struct fault *fault)
{
    (void)own;
    const struct kernel_filter any = {.allowed = ~(feature_set)0};
    const struct ram_params *params = run->params;
    const enum page_kind pages = (enum page_kind)params->pages;
    const struct range range = curve_range(run, ARENAS);
    topology = run->topology;
    draw = kernel_next(&any, OPERATION_DRAW, NULL);
    chase = kernel_next(&any, OPERATION_LATENCY, NULL);
    seed = clock_now_ns();
    state = random_next(&seed) | 1;
    link_ring((unsigned char *)ring, sizeof *ring, SMALL / sizeof *ring);
    for (int i = 0; i < ARENAS; i++) {
        const struct memory_request request = {.bytes = (range.last + BLOCK - 1) / BLOCK * BLOCK,
                                               .pages = i == HUGE ? pages : PAGES_4K,
                                               .node = -1};
        if ((i == HUGE && pages == PAGES_4K) || (i == BASE && pages != PAGES_4K && pages != PAGES_AUTO))
            continue;
        if (memory_map(&arenas[i].memory, &request, fault) != STATUS_OK)
            return fault->status;
        fill(&arenas[i], (run->common->quick ? FILL_S / 2 : FILL_S) / ARENAS, dram_bytes());
    }
    choose_series(&range);
    choose_claims();
    return STATUS_OK;
}

static void close_arenas(void *own)
{
    (void)own;
    for (int i = 0; i < ARENAS; i++) {
        memory_release(&arenas[i].memory);
        arenas[i].bytes = 0;
    }
}

static double shown(void *own, const struct claim *claim)
{
    (void)own;
    return (double)topology_cache_bytes(topology, claim->and ? (int)claim->nth : 0);
}

/* Whether translations of 2 MiB are missed as those of 4 KiB are, for the host backs them so. */
static bool is_split(const struct lab *lab)
{
    const struct course *of[] = {course_named(lab, "pages"), course_named(lab, "huge pages")};
    double rise[2] = {NAN, NAN};
    struct estimate few, many;
    for (int i = 0; i < 2; i++)
        if (of[i] && curve_estimate(lab, of[i], 0, true, &few) &&
            curve_estimate(lab, of[i], of[i]->count - 1, true, &many))
            rise[i] = many.value - few.value;
    return 2 * rise[1] > rise[0];
}

static void add_answers(struct lab *lab, void *own)
{
    (void)own;
    static const char *const levels[][3] = {{"ram.curve.L1.shown", "curve/L1/shown", "L1 shown"},
                                            {"ram.curve.L2.shown", "curve/L2/shown", "L2 shown"},
                                            {"ram.curve.L3.shown", "curve/L3/shown", "L3 shown"}};
    struct record *record = lab->run->record;
    for (int i = 0; i < 3; i++) {
        const uint64_t bytes = topology_cache_bytes(topology, i + 1);
        if (bytes > 0)
            record_answer(record, (struct answer){.key = levels[i][0],
                                                  .label = levels[i][2],
                                                  .slot = levels[i][1],
                                                  .value = REAL_CELL((double)bytes),
                                                  .unit = "Byte",
                                                  .trust = verdict_capped(LEG_NONE, LEG_NONE).trust});
    }
    if (is_split(lab))
        record_answer(record, (struct answer){.key = "ram.curve.backing",
                                              .label = "2 MiB pages, to the TLB",
                                              .value = REAL_CELL(PAGE),
                                              .unit = "Byte",
                                              .remark = "backed so by the host",
                                              .leg = LEG_PLAUSIBILITY,
                                              .trust = verdict_capped(LEG_PLAUSIBILITY, LEG_NONE).trust});
    curve_record(lab, series, 0);
}

enum status ram_curve(struct run *run, struct fault *fault)
{
    const struct ram_params *params = run->params;
    struct experiment experiment[2] = {{.name = "latency",
                                        .open = open_arenas,
                                        .close = close_arenas,
                                        .series = run->common->dry_run ? all_series : series,
                                        .claims = run->common->dry_run ? all_claims : claims,
                                        .sample = sample,
                                        .move = move,
                                        .quantile = 0.1,
                                        .rounds = 40,
                                        .quick_rounds = 12,
                                        .seconds = 5,
                                        .quick_seconds = 2,
                                        .memory_bytes = ARENAS * curve_range(run, ARENAS).last,
                                        .shown = shown,
                                        .answers = add_answers}};
    if (params->sizes.count > 0 && !params->sizes.is_range)
        return fault_set(fault, STATUS_USAGE, "--size: --curve takes a range, as in 2ki-1gi");
    if (curve_bandwidth(run, &experiment[1], fault) != STATUS_OK)
        return fault->status;
    return experiment_run(experiment, 2, run, NULL, fault);
}
