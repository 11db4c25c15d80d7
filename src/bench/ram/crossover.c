/* SPDX-License-Identifier: MIT */
/* `ram --crossover`: from which size on one way to copy or to zero memory stays faster than another, alone and with all CPUs at work, next
 * to what the C library chose; how fast zeros are written. */
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

/* Of a series: bytes a second are wanted; by the first touch of pages given back. */
enum what { PLAIN, SPEED, FRESH };
/* x where it is no size: a buffer in L2, or in memory. */
enum { NEAR = 1, FAR };

/* Buffers of all threads, which do the same. */
struct set {
    unsigned buffers; /* one: the target */
    bool all_cpus;
    struct series *series;
    uint64_t bytes, near, cache; /* of a buffer; an eighth of the L2; of the last cache */
    int count;
    struct ram_threads threads;
    /* Under way: */
    const struct point *point;
    uint64_t now; /* bytes */
};

/* Four times this thread's part of the last cache; a power of two for which there is room. */
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
                   wanted = 4 * set->cache / sharers;
    set->bytes = FIRST;
    while (2 * set->bytes <= (wanted < room ? wanted : room))
        set->bytes *= 2;
    for (struct series *series = set->series; series->name; series++)
        if (series->range.per_octave)
            series->range.last = set->bytes;
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
        struct ram_lane *to = &set->threads.lane[i / set->buffers];
        memory_map(i % set->buffers ? &to->source : &to->target,
                   &(struct memory_request){
                       .bytes = set->bytes + APART, .pages = (enum page_kind)params->pages, .node = -1},
                   fault);
    }
    if (fault->status == STATUS_OK && !ram_threads_run(&set->threads, set->count, fill, set))
        fault_set(fault, STATUS_NO_RESOURCE, "not every CPU filled its buffers in time");
    ram_threads_check(&set->threads, fault);
    for (int i = 0; i < set->count && fault->status == STATUS_OK; i++)
        while (set->bytes + APART > lane[i].filled)
            set->bytes /= 2;
    for (struct series *series = set->series; series->name; series++)
        series->range.last = series->range.per_octave ? set->bytes : series->range.last;
    if (fault->status != STATUS_OK)
        close_set(set);
    return fault->status;
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
    const uint64_t places = (set->bytes - bytes) / PAGE + 1;
    unsigned char *target = lane->target.data + random_next(&seed) % places * PAGE;
    const unsigned char *source = lane->source.data + random_next(&seed) % places * PAGE;
    const size_t times = bytes <= BYTES_LEAST ? TIMES : 1;
    double ns[TIMES];
    lane->begin_ns = clock_now_ns();
    lane->ns = NAN;
    if (what_of(point) == FRESH && madvise(target, bytes, MADV_DONTNEED) != 0)
        return;
    target += APART;
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
    if (point->x == FAR && set->bytes < 2 * set->cache) /* half of it would lie in the last cache */
        return NAN;
    set->point = point;
    set->now = point->x == NEAR ? set->near : point->x == FAR ? set->bytes : point->x;
    const double rate = ram_threads_rate(&set->threads, set->count, work, set) / set->count;
    return what == SPEED || what == FRESH ? rate : KIB * 1e9 / rate;
}

/* Of rows of one name the first that runs here is measured. */
#define WAY(way, which, ...)                                                                                 \
    {                                                                                                        \
        .name = way, .kernel = which, __VA_ARGS__                                                            \
    }
#define WIDEST(way, before, behind, ...)                                                                     \
    WAY(way, before "avx512" behind, __VA_ARGS__), WAY(way, before "avx2" behind, __VA_ARGS__),              \
        WAY(way, before "sse2" behind, __VA_ARGS__), WAY(way, before "neon" behind, __VA_ARGS__)
#define SIZES .range = {FIRST, FIRST, RAM_LINE, .per_octave = 2}
#define AT(x) .range = {x, x}
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
                                {0}};

#define CLAIM(id, words, of, how, ...)                                                                       \
    {                                                                                                        \
        .key = "ram." id, .label = words, .unit = of, .kind = how, __VA_ARGS__                               \
    }
/* As fast: within the promise beyond the core. Ranges: stores past the caches win by what neighbours leave
 * of the last cache (from 11.9 or 16.8 MiB on), copies of 256 KiB to 1 MiB by `rep movsb` by their pages
 * (22.6 KiB or 1 MiB: 3 of 6 pairs of high and 8 of 15 of medium trust broken; Zen 4 guest). */
#define CROSSING(id, words, a, b, share, is_range)                                                           \
    CLAIM("crossover." id, words, "Byte", METRIC_CROSSING, .slot = "copy/" id, .series = a,                  \
          .denominator = {b, share}, .range = is_range)
/* Classes: of memory, whose speed drifts with the neighbours: 14 of 95 pairs of runs were more than 5 %
 * apart, 1 of 159 more than 10 % (Zen 4 guest, 46 runs of `ram`). */
#define ZEROS(id, words, row, column, way, is_far)                                                           \
    CLAIM("zero." id, words, "Byte/s", METRIC_VALUE, .series = way, .at_least = 1, .beyond = is_far,         \
          .classes = is_far, .slot = "zeros/zeros_" row "/" column)
#define ZEROS_AT(row, id, is_far)                                                                            \
    ZEROS(id ".vector", "zeros, " row ": vector", row, "vector", "vector in " row, is_far),                  \
        ZEROS(id ".string", "zeros, " row ": rep stosb", row, "rep_stosb", "string in " row, is_far),        \
        ZEROS(id ".nontemporal", "zeros, " row ": non-temporal", row, "non-temporal",                        \
              "non-temporal in " row, is_far),                                                               \
        ZEROS(id ".line", "zeros, " row ": line", row, "line", "line in " row, is_far),                      \
        ZEROS(id ".library", "zeros, " row ": memset", row, "memset", "library in " row, is_far)
static const struct claim
    of_copies[] = {CROSSING("copy.string", "rep movsb like vector", "string", "vector", 1.05, true),
                   CROSSING("copy.nontemporal", "non-temporal over vector", "non-temporal", "vector", 1,
                            true),
                   CROSSING("copy.library", "non-temporal over memcpy", "non-temporal", "library", 1, true),
                   {0}},
    of_of_all[] = {CROSSING("all.copy.nontemporal", "non-temporal, all CPUs", "non-temporal", "vector", 1,
                            true),
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

#define EXPERIMENT(words, rows, most, quick, title, ...)                                                     \
    {                                                                                                        \
        .name = words, .own = &(struct set){.series = rows, __VA_ARGS__}, .open = open_set,                  \
        .close = close_set, .memory = &buffers, .series = rows, .claims = of_##rows, .sample = sample,       \
        .move = ram_move, .pace = {12, 8, most, quick}, .curve = {VIEW_CURVE, title, "bytes", "bytes"},      \
        .side_by_side = true, .any_state = true                                                              \
    }
static struct experiment experiments[] = {
    EXPERIMENT("copies", copies, 4, 1.5, "time of a KiB copied", .buffers = 2),
    EXPERIMENT("all CPUs", of_all, 4, 1.5, "time of a KiB copied, all CPUs", .buffers = 2, .all_cpus = true),
    EXPERIMENT("zeros", zeros, 3, 1, "time of a KiB of zeros", .buffers = 1)};

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
