/* SPDX-License-Identifier: MIT */
/* `ram --crossover`: from which size on one way to copy or to zero memory stays faster than another, alone
 * and with all CPUs at work, and what the C library chose; how fast zeros are written. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/os.h"
#include "modes.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/random.h"

/* A part of a sample has BYTES_LEAST at least. A sample of few bytes is the median of TIMES parts. WARM
 * passes come before it: after one, a buffer in L3 lies as the way before left it. MARGIN: source and
 * target share no place in a page. */
enum {
    FIRST = 256,
    KIB = 1024,
    BYTES_LEAST = 256 << 10,
    TIMES = 5,
    WARM = 3,
    MARGIN = 36 * RAM_LINE,
    PAGE = 4096
};

/* A series is the time of a KiB by size, or the bytes of a second that are written to a buffer in L2 or in
 * memory: by a kernel, or by the first touch of pages that were given back. */
enum what { TIME_BY_SIZE, SPEED, FRESH_PAGES };
/* x where it is no size. */
enum { IN_L2 = 1, IN_DRAM };

/* A way to copy or to zero. The star of a kernel stands for the widest vectors that run here. */
struct way {
    const char *name, *kernel;
    enum what what;
    uint64_t x;
};
static const struct way copies[] = {{"vector", "copy_*_aligned_aligned"},
                                    {"string", "copy_rep_movsb"},
                                    {"non-temporal", "copy_*_aligned_streaming"},
                                    {"library", "copy_memcpy"},
                                    {0}},
                        copies_of_all[] = {{"vector", "copy_*_aligned_aligned"},
                                           {"non-temporal", "copy_*_aligned_streaming"},
                                           {0}},
                        zeros[] = {{"vector", "write_*_aligned"},
                                   {"string", "write_rep_stosb"},
                                   {"non-temporal", "write_*_streaming"},
                                   {"line", "store_zero_line"},
                                   {"vector in L2", "write_*_aligned", SPEED, IN_L2},
                                   {"string in L2", "write_rep_stosb", SPEED, IN_L2},
                                   {"non-temporal in L2", "write_*_streaming", SPEED, IN_L2},
                                   {"library in L2", "write_memset", SPEED, IN_L2},
                                   {"line in L2", "store_zero_line", SPEED, IN_L2},
                                   {"vector in DRAM", "write_*_aligned", SPEED, IN_DRAM},
                                   {"string in DRAM", "write_rep_stosb", SPEED, IN_DRAM},
                                   {"non-temporal in DRAM", "write_*_streaming", SPEED, IN_DRAM},
                                   {"library in DRAM", "write_memset", SPEED, IN_DRAM},
                                   {"line in DRAM", "store_zero_line", SPEED, IN_DRAM},
                                   {"pages", NULL, FRESH_PAGES, IN_DRAM},
                                   {0}};
static const char *const widths[] = {"avx512", "avx2", "sse2", "neon"};
enum { WIDTHS = sizeof widths / sizeof *widths, SERIES_MOST = WIDTHS * sizeof zeros / sizeof *zeros };

/* The experiments of one set of buffers, of which each thread has as many, of the same size. */
struct set {
    const struct run *run;
    unsigned buffers;                 /* one: the target */
    int threads;                      /* all CPUs, or one */
    uint64_t bytes;                   /* of a buffer */
    uint64_t near_bytes, cache_bytes; /* an eighth of the L2; the last cache */
    struct series series[SERIES_MOST + 1];
};

static uint64_t bytes_of(const struct point *point)
{
    const struct set *set = point->own;
    return point->x == IN_L2 ? set->near_bytes : point->x == IN_DRAM ? set->bytes : point->x;
}

/* Copies of 256 KiB to 1 MiB by `rep movsb` take up to twice as long by the pages that they lie in (EPYC
 * Genoa). All ways to copy so many bytes have the same ones. Of a buffer of less than twice the last cache
 * half would lie in it. */
static void settle(struct point *point)
{
    const struct set *set = point->own;
    const struct memory *memory = point->memory + point->member * (int)set->buffers;
    const uint64_t bytes = bytes_of(point), touched = bytes * set->buffers,
                   places = (set->bytes - bytes) / PAGE + 1;
    uint64_t seed = point->turn ^ bytes;
    point->set = memory[0].data + random_next(&seed) % places * PAGE;
    point->second = memory[set->buffers - 1].data + random_next(&seed) % places * PAGE;
    point->iterations = point->kernel ? 1 + BYTES_LEAST / bytes : 1;
    point->parts = bytes <= BYTES_LEAST ? TIMES : 1;
    if ((point->x == IN_DRAM && set->bytes < 2 * set->cache_bytes) ||
        (!point->kernel && madvise(point->set, bytes, MADV_DONTNEED) != 0))
        point->parts = 0;
    point->set += MARGIN;
    if (point->kernel && point->parts > 0)
        kernel_call(point->kernel, point->set, point->second, bytes,
                    touched <= set->cache_bytes ? WARM * point->iterations : touched <= 2 * set->cache_bytes);
}

static void copy_or_zero(const struct point *point)
{
    const uint64_t bytes = bytes_of(point);
    if (point->kernel)
        kernel_call(point->kernel, point->set, point->second, bytes, point->iterations);
    for (uint64_t at = 0; !point->kernel && at < bytes; at += (uint64_t)sysconf(_SC_PAGESIZE))
        ((volatile unsigned char *)point->set)[at] = 1;
}

static const struct timed_work copying = {.work = copy_or_zero, .prepare = settle};

static void end_series_at(struct set *set, uint64_t bytes)
{
    set->bytes = bytes;
    for (struct series *series = set->series; series->name; series++)
        if (((const struct way *)series->row)->what == TIME_BY_SIZE)
            series->range.last = bytes;
}

/* Adds the kernels of a way, the widest first: of rows of one name the first that runs here is measured. */
static void add_way(struct set *set, const struct way *way)
{
    struct series *next = set->series;
    const char *star = way->kernel ? strchr(way->kernel, '*') : NULL;
    while (next->name)
        next++;
    for (size_t i = 0; i < (star ? WIDTHS : 1); i++)
        *next++ = (struct series){
            .name = way->name,
            .kernel = !star ? way->kernel
                            : record_text(set->run->record, "%.*s%s%s", (int)(star - way->kernel),
                                          way->kernel, widths[i], star + 1),
            .range = {way->x ? way->x : FIRST, way->x ? way->x : FIRST, RAM_LINE, way->x ? 0 : 2},
            .row = way,
            .timed = {&copying},
            .hidden = way->what != TIME_BY_SIZE};
}

/* The sizes end at four times a thread's part of the last cache, a power of two. */
static void plan(struct set *set, const struct run *run, const struct way *way)
{
    const struct topology *topology = run->topology;
    const uint64_t last = topology_largest_last(topology, run->cpus.id, set->threads).bytes,
                   l2 = topology_cache_bytes(topology, run->cpus.id[0], 2),
                   groups = (uint64_t)topology->l3_groups, threads = (uint64_t)set->threads,
                   sharers = groups > 1 ? (threads + groups - 1) / groups : threads;
    set->run = run;
    set->cache_bytes = last ? last : 32 << 20;
    set->near_bytes = (l2 ? l2 : 1 << 20) / 8;
    for (; way->name; way++)
        add_way(set, way);
    uint64_t bytes = FIRST;
    while (2 * bytes <= 4 * set->cache_bytes / sharers)
        bytes *= 2;
    end_series_at(set, bytes);
}

static bool buffer_of(const struct run *run, const void *own, int n, struct buffer *buffer)
{
    const struct set *set = own;
    const int thread = n / (int)set->buffers;
    *buffer = (struct buffer){.bytes = set->bytes,
                              .least = FIRST,
                              .margin = MARGIN,
                              .cpu = run->cpus.id[thread < set->threads ? thread : 0]};
    return thread < set->threads;
}

static void take_what_is_there(const struct run *run, void *own, const struct memory *memory)
{
    struct set *set = own;
    uint64_t bytes = set->bytes;
    for (int i = 0; i < set->threads * (int)set->buffers; i++)
        while (bytes + MARGIN > memory[i].bytes)
            bytes /= 2;
    end_series_at(set, bytes);
}

/* ns of a KiB, or bytes a second, of a thread. */
static double value_of(const struct point *point, double ns)
{
    const double bytes = (double)bytes_of(point);
    const struct way *way = point->series->row;
    return way->what == TIME_BY_SIZE ? KIB * ns / bytes : bytes * 1e9 / ns;
}

/* Equally fast is who lies within the promise beyond the core. Ranges: stores past the caches win by what
 * neighbours leave of the last cache (from 11.9 or 16.8 MiB on), copies of 256 KiB to 1 MiB by `rep movsb` by
 * their pages (22.6 KiB or 1 MiB: 3 of 6 pairs of high and 8 of 15 of medium trust broken; Zen 4 guest). */
static const struct metric of_copies[] = {
    {"ram.crossover.copy.string", "rep movsb like vector", "Byte", METRIC_CROSSING, "string",
     .denominator = {"vector", 1.05}, .range = true, .sheet_cell = "copy/copy.string"},
    {"ram.crossover.copy.nontemporal", "non-temporal over vector", "Byte", METRIC_CROSSING, "non-temporal",
     .denominator = {"vector", 1}, .range = true, .sheet_cell = "copy/copy.nontemporal"},
    {"ram.crossover.copy.library", "non-temporal over memcpy", "Byte", METRIC_CROSSING, "non-temporal",
     .denominator = {"library", 1}, .range = true, .sheet_cell = "copy/copy.library"},
    {0}};
static const struct metric of_copies_of_all[] = {
    {"ram.crossover.all.copy.nontemporal", "non-temporal, all CPUs", "Byte", METRIC_CROSSING, "non-temporal",
     .denominator = {"vector", 1}, .range = true, .sheet_cell = "copy/all.copy.nontemporal"},
    {0}};
/* Classes: the speed of memory drifts with the neighbours: 14 of 95 pairs of runs were more than 5 % apart,
 * 1 of 159 more than 10 % (Zen 4 guest, 46 runs of `ram`). */
static const struct metric of_zeros[] = {
    {"ram.crossover.zero.string", "zeros: rep stosb", "Byte", METRIC_CROSSING, "string",
     .denominator = {"vector", 1.05}, .sheet_cell = "copy/zero.string"},
    {"ram.crossover.zero.nontemporal", "zeros: non-temporal", "Byte", METRIC_CROSSING, "non-temporal",
     .denominator = {"vector", 1}, .range = true, .sheet_cell = "copy/zero.nontemporal"},
    {"ram.crossover.zero.line", "zeros: line", "Byte", METRIC_CROSSING, "line", .denominator = {"vector", 1},
     .range = true, .sheet_cell = "copy/zero.line"},
    {"ram.zero.memory.vector", "zeros, DRAM: vector", "Byte/s", METRIC_VALUE, "vector in DRAM", .at_least = 1,
     .beyond = true, .classes = true, .sheet_cell = "zeros/zeros_DRAM/vector"},
    {"ram.zero.memory.string", "zeros, DRAM: rep stosb", "Byte/s", METRIC_VALUE, "string in DRAM",
     .at_least = 1, .beyond = true, .classes = true, .sheet_cell = "zeros/zeros_DRAM/rep_stosb"},
    {"ram.zero.memory.nontemporal", "zeros, DRAM: non-temporal", "Byte/s", METRIC_VALUE,
     "non-temporal in DRAM", .at_least = 1, .beyond = true, .classes = true,
     .sheet_cell = "zeros/zeros_DRAM/non-temporal"},
    {"ram.zero.memory.line", "zeros, DRAM: line", "Byte/s", METRIC_VALUE, "line in DRAM", .at_least = 1,
     .beyond = true, .classes = true, .sheet_cell = "zeros/zeros_DRAM/line"},
    {"ram.zero.memory.library", "zeros, DRAM: memset", "Byte/s", METRIC_VALUE, "library in DRAM",
     .at_least = 1, .beyond = true, .classes = true, .sheet_cell = "zeros/zeros_DRAM/memset"},
    {"ram.zero.memory.pages", "zeros, DRAM: fresh pages", "Byte/s", METRIC_VALUE, "pages", .at_least = 1,
     .beyond = true, .classes = true, .sheet_cell = "zeros/zeros_DRAM/fresh_pages"},
    {"ram.zero.L2.vector", "zeros, L2: vector", "Byte/s", METRIC_VALUE, "vector in L2", .at_least = 1,
     .sheet_cell = "zeros/zeros_L2/vector"},
    {"ram.zero.L2.string", "zeros, L2: rep stosb", "Byte/s", METRIC_VALUE, "string in L2", .at_least = 1,
     .sheet_cell = "zeros/zeros_L2/rep_stosb"},
    {"ram.zero.L2.nontemporal", "zeros, L2: non-temporal", "Byte/s", METRIC_VALUE, "non-temporal in L2",
     .at_least = 1, .sheet_cell = "zeros/zeros_L2/non-temporal"},
    {"ram.zero.L2.line", "zeros, L2: line", "Byte/s", METRIC_VALUE, "line in L2", .at_least = 1,
     .sheet_cell = "zeros/zeros_L2/line"},
    {"ram.zero.L2.library", "zeros, L2: memset", "Byte/s", METRIC_VALUE, "library in L2", .at_least = 1,
     .sheet_cell = "zeros/zeros_L2/memset"},
    {0}};

/* The curves of their rows, by the size of a buffer. */
static const struct experiment experiments[] = {
    {.name = "copies",
     .metrics = of_copies,
     .pace = {12, 8, 4, 1.5},
     .curve = {VIEW_CURVE, "time of a KiB copied", "bytes", "bytes"}},
    {.name = "all CPUs",
     .metrics = of_copies_of_all,
     .pace = {12, 8, 4, 1.5},
     .curve = {VIEW_CURVE, "time of a KiB copied, all CPUs", "bytes", "bytes"},
     .two_cpus = true},
    {.name = "zeros",
     .metrics = of_zeros,
     .pace = {12, 8, 3, 1},
     .curve = {VIEW_CURVE, "time of a KiB of zeros", "bytes", "bytes"}}};
enum { COUNT = sizeof experiments / sizeof *experiments, ALL_CPUS = 1 };

/* Next to what was found: what the C library of this process chose. */
static const char *const chosen[][2] = {
    {"ram.crossover.copy.string", "glibc.cpu.x86_rep_movsb_threshold"},
    {"ram.crossover.copy.nontemporal", "glibc.cpu.x86_non_temporal_threshold"},
    {"ram.crossover.zero.string", "glibc.cpu.x86_rep_stosb_threshold"}};

enum status ram_crossover(struct run *run, struct fault *fault)
{
    static const struct way *const ways[COUNT] = {copies, copies_of_all, zeros};
    const struct ram_params *params = run->params;
    const struct memory_row memory = {.buffer = buffer_of,
                                      .pages = (enum page_kind)params->pages,
                                      .content = MEMORY_FILLED,
                                      .fill_s = 1,
                                      .lay_out = take_what_is_there};
    struct memory_row row[COUNT]; /* one each, as they share nothing */
    struct experiment measured[COUNT];
    struct set *sets = memory_zeroed(COUNT, sizeof *sets);
    for (size_t i = 0; i < COUNT; i++) {
        struct set *set = &sets[i];
        const bool is_of_all = i == ALL_CPUS && run->cpus.count > 1;
        set->buffers = ways[i] == zeros ? 1 : 2;
        set->threads = is_of_all ? run->cpus.count : 1;
        plan(set, run, ways[i]);
        row[i] = memory;
        measured[i] = experiments[i];
        measured[i].own = set;
        measured[i].series = set->series;
        measured[i].memory = &row[i];
        /* One thread is a team, too: beside other programs a thread that woke for a sample is interrupted
         * less than one that has worked all the time. Zeros in DRAM were at half the rate without (Zen 5
         * guest, 7 runs beside compilers). */
        measured[i].team = (struct team_row){run->cpus.id, set->threads};
        measured[i].value = value_of;
        measured[i].side_by_side = measured[i].any_state = true;
    }
    experiment_run(measured, COUNT, run, NULL, fault);
    free(sets);
    for (size_t i = 0; fault->status == STATUS_OK && i < sizeof chosen / sizeof *chosen; i++) {
        const struct cell value = INTEGER_CELL((int64_t)os_library_setting(chosen[i][1]));
        if (value.integer > 0)
            record_quote(run->record, chosen[i][0],
                         (struct quote){value, "Byte", chosen[i][1], AGREEMENT_PUBLISHED, value, value});
    }
    return fault->status;
}
