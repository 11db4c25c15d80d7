/* SPDX-License-Identifier: MIT */
/* `ram --curve`: the latency of a load by the size of the set that it is drawn from. Drawn lines have min(1, C / S) of hits in a
 * level of C bytes, whatever that replaces, and nothing is built or kept for a size: a set is a part of one arena. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "modes.h"
#include "ram.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/random.h"

/* BLOCK: lines in one ring, of which half are loaded after each draw, so that TLBs hardly count. APART: one line of each page, in
 * different sets of the caches. */
enum { LINE = 64, PAGE = 4096, BLOCK = 128 << 10, RING = BLOCK / LINE, PART = RING / 2, APART = PAGE + LINE };
enum { LOADS = 16384, LOADS_FAR = 8192, PARTS = 8, FAR = 64 << 20, FILL_BLOCKS = 32 };
enum { PAGES_FIRST = 16, PAGES_LAST = 1024 };

enum kind { CHASED, LINES, BLOCKS, PAGES };
struct way {
    enum kind kind;
    enum curve_pages pages;
};

/* Of the run under way. */
struct ram_set curve_arenas[CURVE_ARENAS];
static const struct kernel *draw, *chase;
static const struct topology *topology;
static int cpu; /* whose caches count */
static uint64_t seed, state;

/* Each in an order of its own: of rings that are all alike a prefetcher learns it. */
static void link_ring(unsigned char *data)
{
    int order[RING];
    random_order(&seed, order, RING);
    for (int i = 0; i < RING; i++)
        *(void **)(void *)(data + order[i] * LINE) = data + order[(i + 1) % RING] * LINE;
}

/* Of a set that hardly hits the last cache. */
static uint64_t dram_bytes(void)
{
    const uint64_t last = topology_cache_bytes(topology, cpu, topology_last_level(topology, cpu));
    return last ? 4 * last : CURVE_LARGEST / 4;
}

/* Memory that the host of a guest has not backed yet takes longer: what DRAM needs gets more time. */
static enum status fill(struct ram_set *arena, double seconds, struct fault *fault)
{
    static const double LONGER = 3;
    const struct stopwatch begin = stopwatch_start_thread();
    const uint64_t all = arena->memory.bytes / BLOCK * BLOCK;
    uint64_t at = 0;
    while (at < all && !interrupt_came() &&
           stopwatch_thread_s(&begin) < (at < dram_bytes() ? LONGER : 1) * seconds) {
        const struct memory piece = memory_piece(&arena->memory, at, FILL_BLOCKS * BLOCK);
        if (memory_populate(&piece, fault) != STATUS_OK)
            return fault->status;
        for (int i = 0; i < FILL_BLOCKS && at < all; i++, at += BLOCK)
            link_ring(arena->memory.data + at);
    }
    arena->bytes = at;
    return STATUS_OK;
}

/* Lines, pages: as many as x. */
static uint64_t places_of(const struct point *point)
{
    const struct way *way = point->series->row;
    return way->kind == PAGES ? point->x : point->x / LINE;
}

/* A place of the arena at which the set lies in this turn. */
static unsigned char *set_of(const struct point *point)
{
    const struct way *way = point->series->row;
    const struct ram_set *arena = &curve_arenas[way->pages];
    const uint64_t bytes = places_of(point) * (way->kind == PAGES ? APART : LINE);
    uint64_t drawn = point->turn ^ point->x;
    return arena->memory.data + random_next(&drawn) % ((arena->bytes - bytes) / BLOCK + 1) * BLOCK;
}

static void draw_places(const struct point *point, uint64_t apart, uint64_t loads)
{
    state = draw->entry(point->set, (const void *)(uintptr_t)apart, loads, places_of(point), state, 0);
}

static void load_lines(const struct point *point)
{
    draw_places(point, LINE, point->iterations);
}

static void load_pages(const struct point *point)
{
    draw_places(point, APART, point->iterations);
}

/* Draws a line, and chases through a part of its ring. */
static void load_blocks(const struct point *point, uint64_t loads)
{
    for (; loads >= PART; loads -= PART) {
        state *= KERNEL_DRAW;
        const uint64_t line = (uint64_t)(((unsigned __int128)state * places_of(point)) >> 64);
        chase->entry(point->set + line * LINE, NULL, PART, 0, 0, 0);
    }
}

static void load_rings(const struct point *point)
{
    load_blocks(point, point->iterations);
}

static void choose_set(struct point *point)
{
    const uint64_t bytes = places_of(point) * LINE;
    point->set = set_of(point);
    point->iterations = (bytes <= FAR ? LOADS : LOADS_FAR) / PARTS;
}

/* Loads before a sample: as many as bring the set into the core, or a part of them. */
static uint64_t loads_before(const struct point *point)
{
    const uint64_t places = places_of(point);
    return places * LINE > CURVE_CORE ? PART : places + PART;
}

static void pass_over(const struct point *point)
{
    const uint64_t bytes = places_of(point) * LINE, some = bytes < CURVE_WARM ? bytes : CURVE_WARM;
    const volatile unsigned char *line = point->set + (bytes - some) / 2 / LINE * LINE;
    for (uint64_t i = 0; i < some; i += LINE)
        (void)line[i];
}

static void warm_lines(struct point *point)
{
    choose_set(point);
    pass_over(point);
    draw_places(point, LINE, loads_before(point));
}

static void warm_rings(struct point *point)
{
    choose_set(point);
    pass_over(point);
    load_blocks(point, loads_before(point));
}

static void warm_pages(struct point *point)
{
    choose_set(point);
    draw_places(point, APART, loads_before(point));
}

static const struct timed_work line_loads = {.work = load_lines, .prepare = warm_lines, .parts = PARTS},
                               block_loads = {.work = load_rings, .prepare = warm_rings, .parts = PARTS},
                               page_loads = {.work = load_pages, .prepare = warm_pages, .parts = PARTS};

#define WAY(text, ...)                                                                                       \
    .name = text, .row = &(const struct way)                                                                 \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define COUNTED .range = {PAGES_FIRST, PAGES_LAST, .per_octave = 4, .is_rounded = true}, .apart = true
static const struct series all_series[] = {
    {WAY("chase", CHASED, CURVE_HUGE), .range = {1, 1}, .timed = {&ram_chased_few}},
    {WAY("2 MiB pages", LINES, CURVE_HUGE), CURVE_SIZES, .timed = {&ram_chased_few, &line_loads},
     .less = &ram_drawn_few},
    {WAY("4 KiB pages", LINES, CURVE_BASE), CURVE_SIZES, .timed = {&ram_chased_few, &line_loads},
     .less = &ram_drawn_few},
    {WAY("blocks", BLOCKS, CURVE_HUGE), CURVE_SIZES_BY(4, 2 * CURVE_CORE), .timed = {&block_loads}},
    {WAY("pages", PAGES, CURVE_BASE), COUNTED, .timed = {&ram_chased_few, &page_loads}, .less = &line_loads},
    {WAY("huge pages", PAGES, CURVE_HUGE), COUNTED, .timed = {&ram_chased_few, &page_loads},
     .less = &line_loads},
    {0}};
static struct series series[sizeof all_series / sizeof *all_series];

/* Both units of a latency are answers. */
#define CELL_OF(what, row, column, words)                                                                    \
    .key = "ram.curve." what, .label = words, .slot = "curve/" row "/" column
#define CYCLES_OF(row, words) CELL_OF(row ".latency_cycles", row, "cycles", words), .unit = "cycles"
#define NS_OF(row, words) CELL_OF(row ".latency", row, "ns", words), .unit = "ns"
#define CYCLES(row) CYCLES_OF(row, row " latency")
#define NS(row) NS_OF(row, row " latency")
#define CACHES .series = "2 MiB pages", .cache.continued_by = "blocks", .last = 48 * PAGE
#define SIZE(row) CELL_OF(row ".bytes", row, "size", row), .unit = "Byte", .kind = METRIC_CACHE_SIZE, CACHES
#define HIT .kind = METRIC_LEVEL_LATENCY, CACHES
#define L1 .kind = METRIC_VALUE, .series = "chase"
/* Ranges: memory took 170 to 247 ns in 10 runs, and the last level held 9 to 23 of 32 MiB in 20 (Zen 4
 * guest). */
#define DRAM .kind = METRIC_VALUE, .range = true, .beyond = true, .of_all = true
#define ENTRIES .unit = "entries", .kind = METRIC_CACHE_SIZE, .cache.level = 1
#define MISS .unit = "cycles", .kind = METRIC_NEXT_LEVEL_COST, .cache.level = 1
static struct claim claims[] = {
    {SIZE("L1"), .cache.level = 1},
    {CYCLES("L1"), L1, .published = "l1_latency"},
    {NS("L1"), L1},
    {SIZE("L2"), .cache.level = 2},
    {CYCLES("L2"), HIT, .cache.level = 2, .published = "l2_latency"},
    {NS("L2"), HIT, .cache.level = 2},
    {SIZE("L3"), .cache.level = 3, .range = true, .beyond = true},
    {CYCLES("L3"), HIT, .cache.level = 3, .beyond = true, .published = "l3_latency"},
    {NS("L3"), HIT, .cache.level = 3, .beyond = true},
    {CYCLES("DRAM"), DRAM, .series = "2 MiB pages"},
    {NS("DRAM"), DRAM, .series = "2 MiB pages"},
    {CYCLES_OF("DRAM_4_KiB", "DRAM 4 KiB latency"), DRAM, .series = "4 KiB pages"},
    {NS_OF("DRAM_4_KiB", "DRAM 4 KiB latency"), DRAM, .series = "4 KiB pages"},
    {CELL_OF("tlb1.entries", "TLB_miss", "size", "first data TLB"), ENTRIES, .series = "pages",
     .published = "l1_dtlb"},
    {CELL_OF("tlb1.miss", "TLB_miss", "cycles", "first data TLB missed"), MISS, .series = "pages",
     .published = "l1_dtlb_miss"},
    {CELL_OF("backing.entries", "2_MiB_as_4_KiB", "size", "2 MiB pages as 4 KiB"), ENTRIES,
     .series = "huge pages", .optional = true},
    {CELL_OF("backing.miss", "2_MiB_as_4_KiB", "cycles", "2 MiB pages missed as 4 KiB"), MISS,
     .series = "huge pages", .optional = true},
    {0}};

bool curve_fit(struct series *s, const struct size_list *range, uint64_t bytes)
{
    const uint64_t least = range->count > 0 ? range->bytes[0] : 0,
                   most = range->count > 0 && range->bytes[1] < bytes ? range->bytes[1] : bytes;
    size_t count;
    struct x_place *place = x_range_places(&s->range, 0, &count);
    const uint64_t first = s->range.first;
    s->range.last = 0;
    for (size_t i = 0; i < count; i++) {
        if (place[i].x < least || place[i].x < first || place[i].x > most)
            continue;
        s->range.first = s->range.last ? s->range.first : place[i].x;
        s->range.last = place[i].x;
    }
    free(place);
    return s->range.last > 0;
}

/* Leaves out the series of memory that is not there, the claims of levels that are not there, and those of DRAM whose sets lie in part
 * in the last cache. */
static void choose(const struct size_list *range)
{
    const int last = topology_last_level(topology, cpu);
    size_t count = 0;
    for (const struct series *s = all_series; s->name; s++) {
        const struct way *way = s->row;
        const uint64_t bytes = curve_arenas[way->pages].bytes;
        series[count] = *s;
        series[count].range.first = way->kind == BLOCKS ? 2 * BLOCK : s->range.first;
        count += way->kind == LINES || way->kind == BLOCKS
                     ? curve_fit(&series[count], range, bytes)
                     : bytes >= PAGES_LAST * APART || way->kind == CHASED;
    }
    series[count] = (struct series){0};
    for (struct claim *claim = claims; claim->key; claim++)
        claim->first = claim->of_all ? dram_bytes()
                       : claim->cache.continued_by && last > 0 && claim->cache.level > (unsigned)last
                           ? UINT64_MAX
                           : 0;
}

/* Of an arena. */
static uint64_t curve_bytes(const struct run *run)
{
    const struct ram_params *params = run->params;
    const uint64_t room = memory_room() / (params->force ? 1 : 2) / CURVE_ARENAS,
                   usual = run->common->quick ? CURVE_LARGEST / 4 : CURVE_LARGEST,
                   asked = params->sizes.count > 0 ? params->sizes.bytes[1] : usual,
                   most = asked < CURVE_LARGEST ? asked : CURVE_LARGEST;
    return ((most < room ? most : room) + BLOCK - 1) / BLOCK * BLOCK;
}

/* The arenas take what there is. */
static uint64_t least_bytes(const struct run *run, const void *own)
{
    return CURVE_ARENAS * BLOCK;
}

static uint64_t wanted_bytes(const struct run *run, const void *own)
{
    return CURVE_ARENAS * curve_bytes(run);
}

static const struct memory_row arenas = {.wanted = wanted_bytes, .least = least_bytes};

/* What ends the curves at so many bytes of an arena. */
static const char *limit_of(const struct run *run, uint64_t bytes)
{
    const struct ram_params *params = run->params;
    return bytes >= CURVE_LARGEST     ? "the largest set has 1 GiB"
           : bytes < curve_bytes(run) ? "no more was filled in time"
           : params->force            ? "the memory limit leaves no more"
                                      : "half of what the memory limit leaves; --force takes all";
}

/* Says where they end before the size that was asked for. */
static void warn_of_end(struct run *run)
{
    const struct ram_params *params = run->params;
    uint64_t filled = 0;
    struct text size = {0};
    for (int i = 0; i < CURVE_ARENAS; i++)
        filled = curve_arenas[i].bytes > filled ? curve_arenas[i].bytes : filled;
    text_add_size_rounded(&size, (int64_t)filled);
    if (params->sizes.count > 0 && filled < params->sizes.bytes[1])
        record_warning(run->record, "curve_end", "--size: the curves end at %s: %s", size.data,
                       limit_of(run, filled));
    text_free(&size);
}

static enum status open_arenas(struct run *run, void **own, struct fault *fault)
{
    static const double FILL_S = 0.5;
    const struct kernel_filter any = {.allowed = ~(feature_set)0};
    const struct ram_params *params = run->params;
    const enum page_kind pages[CURVE_ARENAS] = {(enum page_kind)params->pages, PAGES_4K};
    const bool one = params->pages != PAGES_AUTO;
    (void)own;
    topology = run->topology;
    cpu = run->cpus.id[0];
    draw = kernel_next(&any, OPERATION_DRAW, NULL);
    chase = kernel_next(&any, OPERATION_LATENCY, NULL);
    seed = clock_now_ns();
    state = random_next(&seed) | 1;
    for (int i = 0; i < CURVE_ARENAS && fault->status == STATUS_OK; i++) {
        const struct memory_request request = {.bytes = curve_bytes(run), .pages = pages[i], .node = -1};
        const bool wanted = !one || (i == CURVE_BASE) == (params->pages == PAGES_4K);
        if (wanted && memory_map(&curve_arenas[i].memory, &request, fault) == STATUS_OK)
            fill(&curve_arenas[i], run->common->quick ? FILL_S / 2 : FILL_S, fault);
    }
    if (interrupt_came())
        return fault_set(fault, STATUS_FAILED, "signal %d came before the memory was filled",
                         interrupt_signal());
    choose(&params->sizes);
    warn_of_end(run);
    return fault->status;
}

static double shown(void *own, const struct claim *claim)
{
    (void)own;
    return (double)topology_cache_bytes(topology, cpu,
                                        claim->cache.continued_by ? (int)claim->cache.level : 0);
}

/* Of the table of levels. A set is as large as what was filled in time: another run may have another. */
static void add_size(struct record *record, const char *row, const char *words, const char *what,
                     uint64_t bytes, const char *remark)
{
    const bool is_set = strcmp(what, "set") == 0, is_shown = strcmp(what, "shown") == 0;
    record_answer(
        record, (struct answer){.key = record_text(record, "ram.curve.%s.%s", row, what),
                                .label = record_text(record, "%s %s", words, what),
                                .slot = record_text(record, "curve/%s/%s", row, is_shown ? what : "size"),
                                .remark = remark,
                                .value = bytes ? REAL_CELL((double)bytes) : NO_CELL,
                                .unit = "Byte",
                                .unpromised = is_set,
                                .trust = verdict_capped(LEG_NONE, is_set ? LEG_REPETITION : LEG_NONE).trust});
}

static void add_answers(struct lab *lab, void *own)
{
    static const char *const dram[][3] = {{"DRAM", "DRAM", "2 MiB pages"},
                                          {"DRAM_4_KiB", "DRAM 4 KiB", "4 KiB pages"}};
    struct record *record = lab->run->record;
    (void)own;
    for (int level = 1; level <= 3; level++) {
        const uint64_t bytes = topology_cache_bytes(topology, cpu, level);
        const char *row = record_text(record, "L%d", level);
        if (bytes > 0)
            add_size(record, row, row, "shown", bytes, NULL);
    }
    for (size_t i = 0; i < sizeof dram / sizeof *dram; i++)
        for (const struct series *of = series; of->name; of++)
            if (strcmp(of->name, dram[i][2]) == 0) {
                const bool far = of->range.last >= dram_bytes();
                add_size(record, dram[i][0], dram[i][1], "set", far ? of->range.last : 0,
                         far ? NULL : "no set that large");
            }
    add_size(record, "TLB_2", "TLB 2", "size", 0, "see capacity tlb-l2");
    curve_record(lab, series, 0);
}

enum status ram_curve(struct run *run, struct fault *fault)
{
    const struct ram_params *params = run->params;
    struct experiment experiment[2] = {{.name = "latency",
                                        .open = open_arenas,
                                        .series = run->common->dry_run ? all_series : series,
                                        .claims = claims,
                                        .quantile = 0.1,
                                        .pace = {40, 12, 5, 2},
                                        .memory = &arenas,
                                        .shown = shown,
                                        .answers = add_answers}};
    if (params->sizes.count > 0 && !params->sizes.is_range)
        return fault_set(fault, STATUS_USAGE, "--size: --curve takes a range, as in 2ki-1gi");
    if (params->sizes.count > 0 && params->sizes.bytes[0] > curve_bytes(run))
        return fault_set(fault, STATUS_NO_RESOURCE, "--size: no size of the range fits: %s",
                         limit_of(run, curve_bytes(run)));
    struct series lines = all_series[LINES];
    if (!curve_fit(&lines, &params->sizes, curve_bytes(run)))
        return fault_set(fault, STATUS_USAGE,
                         "--size: no set lies in the range: they have 2, 3, 4, 6, 8, 12 ... KiB up to 1 GiB");
    if (curve_bandwidth(run, &experiment[1], fault) == STATUS_OK)
        experiment_run(experiment, 2, run, NULL, fault);
    for (int i = 0; i < CURVE_ARENAS; i++) {
        memory_release(&curve_arenas[i].memory);
        curve_arenas[i].bytes = 0;
    }
    return fault->status;
}
