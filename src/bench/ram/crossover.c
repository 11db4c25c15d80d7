/* SPDX-License-Identifier: MIT */
/* `ram --crossover`: from which size on one way to copy or to zero memory stays faster than another, alone and with all CPUs at work, next
 * to what the C library chose; what it costs when source and target lie alike in their pages; what huge pages gain. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/os.h"
#include "modes.h"
#include "ram.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

/* BYTES_LEAST: of a sample, where that is little the median of TIMES. WARM passes before it: after one, a buffer in L3 lies as the way before
 * left it. APART: no place in a page is shared. */
enum {
    FIRST = 256,
    KIB = 1024,
    BYTES_LEAST = 256 << 10,
    TIMES = 5,
    WARM = 3,
    APART = 36 * RAM_LINE,
    PAGE = 4096
};
static const double FILL_S = 1;

/* Of a series: bytes a second are wanted; by the first touch of pages given back; the target lies half a page further. */
enum what { PLAIN, SPEED, FRESH, HALF_PAGE };
/* x where it is no size: a buffer in L2, or in memory. */
enum { NEAR = 1, FAR };

/* Buffers of all threads, which do the same. */
struct set {
    unsigned buffers; /* one: the target */
    bool all_cpus, is_near;
    enum page_kind pages[2];
    struct series *series;
    uint64_t bytes, near, cache; /* of a buffer; an eighth of the L2; of the last cache */
    int count;
    struct ram_threads threads;
    /* Under way: */
    const struct point *point;
    uint64_t now; /* bytes */
};

/* Four times this thread's part of the last cache, or an eighth of the L2; a power of two for which there is room. */
static void plan(struct set *set, const struct run *run)
{
    const struct topology *topology = run->topology;
    set->count = set->all_cpus ? run->cpus.count : 1;
    const uint64_t last = topology_largest_last(topology, run->cpus.id, set->count).bytes,
                   l2 = topology_cache_bytes(topology, run->cpus.id[0], 2),
                   groups = (uint64_t)topology->l3_groups;
    set->cache = last ? last : 32 << 20;
    set->near = (l2 ? l2 : 1 << 20) / 8;
    const uint64_t lanes = (uint64_t)set->count, room = memory_room() / 2 / (lanes * set->buffers),
                   sharers = groups > 1 ? (lanes + groups - 1) / groups : lanes,
                   wanted = set->is_near ? set->near : 4 * set->cache / sharers;
    set->bytes = FIRST;
    while (2 * set->bytes <= (wanted < room ? wanted : room))
        set->bytes *= 2;
    for (struct series *series = set->series; series->name; series++)
        if (series->per_octave)
            series->last = set->bytes;
}

/* As much of each buffer as a second fills. */
static void fill(void *context, int member)
{
    const struct set *set = context;
    struct ram_lane *lane = &set->threads.lane[member];
    const struct memory both[] = {lane->target, lane->source};
    lane->filled = set->bytes + APART;
    for (unsigned i = 0; i < set->buffers; i++) {
        const struct memory piece = memory_piece(&both[i], 0, lane->filled);
        lane->filled = memory_fill(&piece, 1, FILL_S / set->buffers, &lane->fault);
    }
}

static void close_set(void *own)
{
    ram_threads_close(&((struct set *)own)->threads);
}

static enum status open_set(struct run *run, void **own, struct fault *fault)
{
    const struct ram_params *params = run->params;
    struct set *set = *own;
    plan(set, run);
    if (set->all_cpus && set->count < 2)
        return fault_set(fault, STATUS_NO_RESOURCE, "there is one CPU");
    ram_threads_open(&set->threads, run->cpus.id, set->count, fault);
    const struct ram_lane *lane = set->threads.lane;
    for (unsigned i = 0; i < (unsigned)set->count * set->buffers && fault->status == STATUS_OK; i++) {
        const enum page_kind pages = set->pages[i % set->buffers];
        struct ram_lane *to = &set->threads.lane[i / set->buffers];
        memory_map(i % set->buffers ? &to->source : &to->target,
                   &(struct memory_request){.bytes = set->bytes + APART,
                                            .pages = pages ? pages : (enum page_kind)params->pages,
                                            .node = -1},
                   fault);
    }
    if (fault->status == STATUS_OK && !ram_threads_run(&set->threads, set->count, fill, set))
        fault_set(fault, STATUS_NO_RESOURCE, "not every CPU filled its buffers in time");
    ram_threads_check(&set->threads, fault);
    for (int i = 0; i < set->count && fault->status == STATUS_OK; i++)
        while (set->bytes + APART > lane[i].filled)
            set->bytes /= 2;
    for (struct series *series = set->series; series->name; series++)
        series->last = series->per_octave ? set->bytes : series->last;
    if (fault->status == STATUS_OK && set->pages[0] == PAGES_THP &&
        memory_page_bytes(&lane->target) <= memory_page_bytes(&lane->source))
        fault_set(fault, STATUS_NO_RESOURCE, "the kernel gave no huge pages");
    if (fault->status != STATUS_OK)
        close_set(set);
    return fault->status;
}

/* Half of a smaller one would lie in the last cache. */
static bool is_memory(const struct set *set)
{
    return set->bytes >= 2 * set->cache;
}

static enum what what_of(const struct point *point)
{
    return point->series->row ? *(const enum what *)point->series->row : PLAIN;
}

/* A thread's part. The median of a few drops most interruptions. */
static void work(void *context, int member)
{
    const struct set *set = context;
    const struct point *point = set->point;
    const struct kernel *kernel = point->kernel;
    struct ram_lane *lane = &set->threads.lane[member];
    const uint64_t bytes = set->now, passes = kernel ? 1 + BYTES_LEAST / bytes : 1,
                   taken = bytes * set->buffers;
    /* Copies of 256 KiB to 1 MiB by `rep movsb` take up to twice as long by the pages that they lie in (EPYC Genoa). All ways to copy
     * so many bytes have the same ones. */
    uint64_t seed = ram_turn ^ bytes;
    const uint64_t places = set->is_near ? 1 : (set->bytes - bytes) / PAGE + 1;
    unsigned char *target = lane->target.data + random_next(&seed) % places * PAGE;
    const unsigned char *source = lane->source.data + random_next(&seed) % places * PAGE;
    const size_t times = bytes <= BYTES_LEAST ? TIMES : 1;
    double ns[TIMES];
    lane->begin_ns = clock_now_ns();
    lane->ns = NAN;
    if (what_of(point) == FRESH && madvise(target, bytes, MADV_DONTNEED) != 0)
        return;
    target += set->is_near ? point->x + (what_of(point) == HALF_PAGE ? PAGE / 2 : 0) : APART;
    if (kernel)
        kernel_call(kernel, target, source, bytes,
                    taken <= set->cache ? WARM * passes : taken <= 2 * set->cache);
    for (size_t i = 0; i < times; i++) {
        const uint64_t begin_ns = clock_now_ns();
        if (kernel)
            kernel_call(kernel, target, source, bytes, passes);
        for (uint64_t at = 0; !kernel && at < bytes; at += (uint64_t)sysconf(_SC_PAGESIZE))
            ((volatile unsigned char *)target)[at] = 1;
        lane->end_ns = clock_now_ns();
        ns[i] = (double)(lane->end_ns - begin_ns) / (double)(bytes * passes);
    }
    lane->ns = median_of(ns, times);
}

/* ns of a KiB, or bytes a second, of a thread. */
static double sample(const struct point *point)
{
    struct set *set = point->own;
    const enum what what = what_of(point);
    if (point->x == FAR && !is_memory(set))
        return NAN;
    set->point = point;
    set->now = set->is_near || point->x == NEAR ? set->near : point->x == FAR ? set->bytes : point->x;
    const double rate = ram_threads_rate(&set->threads, set->count, work, set) / set->count;
    return what == SPEED || what == FRESH ? rate : KIB * 1e9 / rate;
}

/* With a row from huge pages: ns of a load of a line drawn from all of it, or from so few that they lie in L1, which shows what the draw costs; of a stream. */
static double load(const struct point *point)
{
    enum { LOADS = 1 << 14, FEW = 64 };
    static uint64_t state = 1;
    const struct set *set = point->own;
    const struct ram_lane *lane = set->threads.lane;
    unsigned char *data = point->series->row ? lane->target.data : lane->source.data;
    if (!is_memory(set))
        return NAN;
    const uint64_t begin = clock_ticks();
    if (point->kernel->operation == OPERATION_READ)
        kernel_call(point->kernel, data, NULL, set->bytes, 1);
    else
        state = point->kernel->entry(data, (const void *)(uintptr_t)RAM_LINE, LOADS,
                                     point->x == NEAR ? FEW : set->bytes / RAM_LINE, state, 0);
    return (double)(clock_ticks() - begin) * point->clock->ns_per_tick / LOADS;
}

/* Of rows of one name the first that runs here is measured. */
#define WAY(way, which, ...)                                                                                 \
    {                                                                                                        \
        .name = way, .kernel = which, __VA_ARGS__                                                            \
    }
#define WIDEST(way, before, behind, ...)                                                                     \
    WAY(way, before "avx512" behind, __VA_ARGS__), WAY(way, before "avx2" behind, __VA_ARGS__),              \
        WAY(way, before "sse2" behind, __VA_ARGS__), WAY(way, before "neon" behind, __VA_ARGS__)
#define SIZES .first = FIRST, .last = FIRST, .step = RAM_LINE, .per_octave = 2
#define AT(x) .first = x, .last = x
#define IS(value)                                                                                            \
    .row = &(const enum what)                                                                                \
    {                                                                                                        \
        value                                                                                                \
    }
#define SPEEDS(x, where)                                                                                     \
    WIDEST("vector" where, "write_", "_aligned", AT(x), IS(SPEED), .hidden = true),                          \
        WAY("string" where, "write_rep_stosb", AT(x), IS(SPEED), .hidden = true),                            \
        WIDEST("non-temporal" where, "write_", "_streaming", AT(x), IS(SPEED), .hidden = true),              \
        WAY("library" where, "write_memset", AT(x), IS(SPEED), .hidden = true)
#define ALIKE .first = 8, .last = 256, .step = 8
#define BOTH(way, which) WAY(way, which, ALIKE), WAY(way " apart", which, ALIKE, IS(HALF_PAGE))

static struct series copies[] = {WIDEST("vector", "copy_", "_aligned_aligned", SIZES),
                                 WAY("string", "copy_rep_movsb", SIZES),
                                 WIDEST("non-temporal", "copy_", "_aligned_streaming", SIZES),
                                 WAY("library", "copy_memcpy", SIZES),
                                 {0}},
                     of_all[] = {WIDEST("vector", "copy_", "_aligned_aligned", SIZES),
                                 WIDEST("non-temporal", "copy_", "_aligned_streaming", SIZES),
                                 {0}},
                     zeros[] = {WIDEST("vector", "write_", "_aligned", SIZES),
                                WAY("string", "write_rep_stosb", SIZES),
                                WIDEST("non-temporal", "write_", "_streaming", SIZES),
                                WAY("line", "store_zero_line", SIZES),
                                SPEEDS(NEAR, " in L2"),
                                WAY("line in L2", "store_zero_line", AT(NEAR), IS(SPEED), .hidden = true),
                                SPEEDS(FAR, " in DRAM"),
                                WAY("line in DRAM", "store_zero_line", AT(FAR), IS(SPEED), .hidden = true),
                                WAY("pages", NULL, AT(FAR), IS(FRESH), .hidden = true),
                                {0}},
                     alike[] = {WIDEST("vector", "copy_", "_unaligned_unaligned", ALIKE),
                                WIDEST("vector apart", "copy_", "_unaligned_unaligned", ALIKE, IS(HALF_PAGE)),
                                BOTH("string", "copy_rep_movsb"),
                                BOTH("library", "copy_memcpy"),
                                {0}},
                     loads[] = {WAY("draw", "draw_load", AT(NEAR)),
                                WAY("loads", "draw_load", AT(FAR)),
                                WAY("huge loads", "draw_load", AT(FAR), .row = ""),
                                WIDEST("stream", "read_", "_aligned", AT(FAR)),
                                WIDEST("huge stream", "read_", "_aligned", AT(FAR), .row = ""),
                                {0}};

#define CLAIM(id, words, of, how, ...)                                                                       \
    {                                                                                                        \
        .key = "ram." id, .label = words, .unit = of, .kind = how, __VA_ARGS__                               \
    }
/* As fast: within the promise beyond the core. Ranges: stores past the caches win by what neighbours leave
 * of the last cache (from 11.9 or 16.8 MiB on), copies of 256 KiB to 1 MiB by `rep movsb` by their pages
 * (22.6 KiB or 1 MiB: 3 of 6 pairs of high and 8 of 15 of medium trust broken; Zen 4 guest). */
#define CROSSING(id, words, a, b, share, is_range)                                                           \
    CLAIM("crossover." id, words, "Byte", CLAIM_CROSSING, .slot = "copy/" id, .from = a, .and = b,           \
          .level = share, .range = is_range)
/* Of vectors it follows the pages that the buffers got: 73 of 100 pairs of high trust were broken (Zen 4
 * guest). */
#define WORST(id, words, way, is_range)                                                                      \
    CLAIM("alias." id, words, "times", CLAIM_WORST, .slot = "alias/" id, .from = way, .and = way " apart",   \
          .beyond = true, .range = is_range)
/* Classes: of memory, whose speed drifts with the neighbours: 14 of 95 pairs of runs were more than 5 %
 * apart, 1 of 159 more than 10 % (Zen 4 guest, 46 runs of `ram`). */
#define ZEROS(id, words, row, column, way, is_far)                                                           \
    CLAIM("zero." id, words, "Byte/s", CLAIM_VALUE, .from = way, .at_least = 1, .beyond = is_far,            \
          .classes = is_far, .slot = "zeros/zeros_" row "/" column)
#define ZEROS_AT(row, id, is_far)                                                                            \
    ZEROS(id ".vector", "zeros, " row ": vector", row, "vector", "vector in " row, is_far),                  \
        ZEROS(id ".string", "zeros, " row ": rep stosb", row, "rep_stosb", "string in " row, is_far),        \
        ZEROS(id ".nontemporal", "zeros, " row ": non-temporal", row, "non-temporal",                        \
              "non-temporal in " row, is_far),                                                               \
        ZEROS(id ".line", "zeros, " row ": line", row, "line", "line in " row, is_far),                      \
        ZEROS(id ".library", "zeros, " row ": memset", row, "memset", "library in " row, is_far)
#define PART(name)                                                                                           \
    {                                                                                                        \
        .key = name, .unit = "ns", .kind = CLAIM_VALUE, .from = name                                         \
    }
#define LESS(name, all) CLAIM(name, NULL, "ns", CLAIM_DIFFERENCE, .from = all, .and = "draw")
#define GAIN(id, words, a, b)                                                                                \
    CLAIM("pages." id, words, "times", CLAIM_RATIO, .slot = "pages/" id, .from = a, .and = b,                \
          .at_least = 0.1, .beyond = true, .classes = true)
static const struct claim
    of_copies[] = {CROSSING("copy.string", "rep movsb like vector", "string", "vector", 1.05, true),
                   CROSSING("copy.nontemporal", "non-temporal over vector", "non-temporal", "vector", 1,
                            true),
                   CROSSING("copy.library", "non-temporal over memcpy", "non-temporal", "library", 1, true),
                   {0}},
    of_of_all[] = {CROSSING("all.copy.nontemporal", "non-temporal, all CPUs", "non-temporal", "vector", 1,
                            true),
                   {0}},
    of_alike[] = {WORST("vector", "times if aliased: vector", "vector", true),
                  WORST("string", "times if aliased: rep", "string", false),
                  WORST("library", "times if aliased: memcpy", "library", false),
                  {0}},
    of_loads[] = {PART("draw"),
                  PART("loads"),
                  PART("huge loads"),
                  PART("stream"),
                  PART("huge stream"),
                  LESS("load", "loads"),
                  LESS("huge load", "huge loads"),
                  GAIN("load", "huge pages: loads, times", "ram.load", "ram.huge load"),
                  GAIN("read", "huge pages: read, times", "stream", "huge stream"),
                  {0}},
    of_zeros[] = {CROSSING("zero.string", "zeros: rep stosb", "string", "vector", 1.05, false),
                  CROSSING("zero.nontemporal", "zeros: non-temporal", "non-temporal", "vector", 1, true),
                  CROSSING("zero.line", "zeros: line", "line", "vector", 1, true),
                  ZEROS_AT("DRAM", "memory", true),
                  ZEROS("memory.pages", "zeros, DRAM: fresh pages", "DRAM", "fresh_pages", "pages", true),
                  ZEROS_AT("L2", "L2", false),
                  {0}};

static uint64_t wanted_bytes(const struct run *run, const void *own)
{
    const struct set *set = own;
    return (uint64_t)set->count * set->buffers * set->bytes;
}

static const struct memory_row buffers = {.wanted = wanted_bytes};

#define EXPERIMENT(words, rows, function, most, quick, title, ...)                                           \
    {                                                                                                        \
        .name = words, .own = &(struct set){.series = rows, __VA_ARGS__}, .open = open_set,                  \
        .close = close_set, .memory = &buffers, .series = rows, .claims = of_##rows, .sample = function,     \
        .move = ram_move, .pace = {12, 8, most, quick}, .curve = {VIEW_CURVE, title, "bytes", "bytes"},      \
        .side_by_side = true, .any_state = true                                                              \
    }
static struct experiment experiments[] = {
    EXPERIMENT("copies", copies, sample, 4, 1.5, "time of a KiB copied", .buffers = 2),
    EXPERIMENT("all CPUs", of_all, sample, 4, 1.5, "time of a KiB copied, all CPUs", .buffers = 2,
               .all_cpus = true),
    EXPERIMENT("aliasing", alike, sample, 1, 0.5, "time of a KiB copied by distance", .buffers = 2,
               .is_near = true),
    EXPERIMENT("huge pages", loads, load, 1, 0.5, NULL, .buffers = 2, .pages = {PAGES_THP, PAGES_4K}),
    EXPERIMENT("zeros", zeros, sample, 3, 1, "time of a KiB of zeros", .buffers = 1)};

/* Next to what was found: what the C library of this process chose. */
static const char *const chosen[][2] = {
    {"ram.crossover.copy.string", "glibc.cpu.x86_rep_movsb_threshold"},
    {"ram.crossover.copy.nontemporal", "glibc.cpu.x86_non_temporal_threshold"},
    {"ram.crossover.zero.string", "glibc.cpu.x86_rep_stosb_threshold"}};

enum status ram_crossover(struct run *run, struct fault *fault)
{
    enum { COUNT = sizeof experiments / sizeof *experiments };
    for (size_t i = 0; i < COUNT; i++) {
        struct set *set = experiments[i].own;
        plan(set, run);
    }
    experiment_run(experiments, COUNT, run, NULL, fault);
    for (size_t i = 0; fault->status == STATUS_OK && i < sizeof chosen / sizeof *chosen; i++) {
        const struct cell value = INTEGER_CELL((int64_t)os_library_setting(chosen[i][1]));
        if (value.integer > 0)
            record_quote(run->record, chosen[i][0],
                         (struct quote){value, "Byte", chosen[i][1], STANDING_PUBLISHED, value, value});
    }
    return fault->status;
}
