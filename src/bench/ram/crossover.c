/* SPDX-License-Identifier: MIT */
/* `ram --crossover`: from which size on one way to copy or to zero memory stays faster than another, alone and with all CPUs at work, next
 * to what the C library chose. */
#include "crossover.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/companion.h"
#include "machine/os.h"
#include "modes.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/stats.h"

/* A sample has BYTES_LEAST, where that is little the median of TIMES, behind WARM passes: after one, a buffer in L3 lies as the way before it left it. TARGET_OFFSET: no offset of a
 * page is shared. */
enum {
    FIRST = 256,
    PER_OCTAVE = 2,
    BYTES_LEAST = 256 << 10,
    TIMES = 5,
    WARM = 3,
    KIB = 1024,
    TARGET_OFFSET = 36 * 64
};
static const uint64_t FILL_NS = 1000000000, PATIENCE_NS = 500000000;

struct lane {
    struct sizes *sizes;
    struct memory source, target; /* source: none where zeros are written */
    struct companion *companion;
    atomic_bool is_filled;
    atomic_ulong turns;
};

/* All lanes do the same; the first one is timed. */
struct sizes {
    bool is_copy, all_cpus;
    struct series *series;
    uint64_t last_cache;
    struct lane *lane;
    int lanes;
    _Atomic(const struct kernel *) kernel;
    atomic_ulong bytes;
};

uint64_t crossover_bytes(const struct run *run, int threads, int buffers)
{
    const struct topology *topology = run->topology;
    const int level = topology_last_level(topology);
    uint64_t instances = 1, bytes = 1;
    for (int i = 0; i < topology->cache_count; i++)
        if (topology->cache[i].level == level && topology->cache[i].instances > 1)
            instances = (uint64_t)topology->cache[i].instances;
    const uint64_t sharers = ((uint64_t)threads + instances - 1) / instances,
                   cache = level ? topology_cache_bytes(topology, level) : UINT64_C(32) << 20,
                   least = 8 * topology_cache_bytes(topology, 1),
                   room = memory_room() / 2 / (uint64_t)(threads * buffers);
    const uint64_t wanted = 4 * cache / sharers > least ? 4 * cache / sharers : least;
    while (2 * bytes <= (wanted < room ? wanted : room))
        bytes *= 2;
    return bytes;
}

uint64_t crossover_fill(struct memory *const *memory, int count, uint64_t bytes)
{
    enum { PIECE = 4 << 20 };
    const uint64_t end_ns = clock_now_ns() + FILL_NS;
    uint64_t filled = 0;
    while (filled < bytes && (filled == 0 || clock_now_ns() < end_ns)) {
        const uint64_t now = bytes - filled < PIECE ? bytes - filled : PIECE;
        for (int i = 0; i < count; i++) {
            struct memory piece = {.data = memory[i]->data + filled, .bytes = now};
            if (memory[i]->data)
                memory_touch(&piece, 1 + filled);
        }
        filled += now;
    }
    return filled;
}

static uint64_t fill(struct lane *lane, uint64_t bytes)
{
    return crossover_fill((struct memory *const[]){&lane->source, &lane->target}, 2, bytes);
}

static void pass(const struct lane *lane, const struct kernel *kernel, uint64_t bytes, uint64_t passes)
{
    kernel_call(kernel, lane->target.data + TARGET_OFFSET, lane->source.data, bytes, passes);
}

static uint64_t passes_of(uint64_t bytes)
{
    return bytes < BYTES_LEAST ? BYTES_LEAST / bytes : 1;
}

static void work_too(void *context)
{
    struct lane *lane = context;
    const struct kernel *kernel = atomic_load(&lane->sizes->kernel);
    const uint64_t bytes = atomic_load(&lane->sizes->bytes);
    if (!atomic_load(&lane->is_filled)) {
        fill(lane, bytes + TARGET_OFFSET);
        atomic_store(&lane->is_filled, true);
    } else if (kernel) {
        pass(lane, kernel, bytes, passes_of(bytes));
        atomic_fetch_add(&lane->turns, 1);
    }
}

/* Until the others do the work of this point; false: one is away. */
static bool gather(struct sizes *sizes, const struct point *point)
{
    atomic_store(&sizes->bytes, point->x);
    atomic_store(&sizes->kernel, point->kernel);
    const uint64_t end_ns = clock_now_ns() + PATIENCE_NS;
    for (int i = 1; i < sizes->lanes; i++) {
        const unsigned long asked = atomic_load(&sizes->lane[i].turns);
        while (atomic_load(&sizes->lane[i].turns) == asked)
            if (clock_now_ns() > end_ns)
                return false;
    }
    return true;
}

static double sample(const struct point *point)
{
    struct sizes *sizes = point->own;
    const uint64_t passes = passes_of(point->x);
    const uint64_t taken = point->x * (sizes->is_copy ? 2 : 1);
    if (!gather(sizes, point))
        return NAN;
    pass(sizes->lane, point->kernel, point->x,
         taken <= sizes->last_cache ? WARM * passes : taken <= 2 * sizes->last_cache);
    double ns[TIMES];
    const size_t times = point->x <= BYTES_LEAST ? TIMES : 1;
    for (size_t i = 0; i < times; i++) {
        const uint64_t begin = clock_ticks();
        pass(sizes->lane, point->kernel, point->x, passes);
        ns[i] =
            (double)(clock_ticks() - begin) * point->clock->ns_per_tick / (double)(passes * point->x) * KIB;
    }
    return median_of(ns, times);
}

static void close_sizes(void *own)
{
    struct sizes *sizes = own;
    for (int i = 0; sizes->lane && i < sizes->lanes; i++) {
        companion_free(sizes->lane[i].companion);
        memory_release(&sizes->lane[i].source);
        memory_release(&sizes->lane[i].target);
    }
    free(sizes->lane);
    sizes->lane = NULL;
}

static uint64_t plan(struct sizes *sizes, const struct run *run)
{
    sizes->lanes = sizes->all_cpus ? run->cpus.count : 1;
    const uint64_t bytes = crossover_bytes(run, sizes->lanes, sizes->is_copy ? 2 : 1);
    for (struct series *series = sizes->series; series->name; series++)
        series->last = bytes;
    return bytes;
}

/* The others wait until the first has found out how much a second fills. */
static enum status open_sizes(struct run *run, void **own, struct fault *fault)
{
    struct sizes *sizes = *own;
    uint64_t bytes = plan(sizes, run);
    if (sizes->all_cpus && sizes->lanes < 2)
        return fault_set(fault, STATUS_NO_RESOURCE, "there is one CPU");
    sizes->last_cache = topology_cache_bytes(run->topology, topology_last_level(run->topology));
    sizes->lane = memory_zeroed((size_t)sizes->lanes, sizeof *sizes->lane);
    const struct memory_request request = {
        .bytes = bytes + TARGET_OFFSET,
        .pages = (enum page_kind)((const struct ram_params *)run->params)->pages,
        .node = -1};
    for (int i = 0; i < sizes->lanes && fault->status == STATUS_OK; i++) {
        struct lane *lane = &sizes->lane[i];
        lane->sizes = sizes;
        if (sizes->is_copy)
            memory_map(&lane->source, &request, fault);
        if (fault->status == STATUS_OK)
            memory_map(&lane->target, &request, fault);
    }
    if (fault->status == STATUS_OK) {
        const uint64_t filled = fill(sizes->lane, request.bytes) - TARGET_OFFSET;
        for (; bytes > filled && bytes > FIRST; bytes /= 2) {
        }
        for (struct series *series = sizes->series; series->name; series++)
            series->last = bytes;
        atomic_store(&sizes->kernel, NULL);
        atomic_store(&sizes->bytes, bytes);
    }
    for (int i = 1; i < sizes->lanes && fault->status == STATUS_OK; i++)
        sizes->lane[i].companion = companion_with(run->cpus.id[i], work_too, &sizes->lane[i], fault);
    for (int i = 1; i < sizes->lanes && fault->status == STATUS_OK; i++)
        while (!atomic_load(&sizes->lane[i].is_filled)) {
        }
    if (fault->status != STATUS_OK)
        close_sizes(sizes);
    return fault->status;
}

/* Of rows of one name the first that runs here. */
#define WAY(way, which)                                                                                      \
    {                                                                                                        \
        .name = way, .kernel = which, .first = FIRST, .last = FIRST, .step = COPY_STEP,                      \
        .per_octave = PER_OCTAVE                                                                             \
    }
#define VECTOR                                                                                               \
    WAY("vector", "copy_avx512_aligned_aligned"), WAY("vector", "copy_avx2_aligned_aligned"),                \
        WAY("vector", "copy_sse2_aligned_aligned"), WAY("vector", "copy_neon_aligned_aligned")
#define NON_TEMPORAL                                                                                         \
    WAY("non-temporal", "copy_avx512_aligned_streaming"),                                                    \
        WAY("non-temporal", "copy_avx2_aligned_streaming"),                                                  \
        WAY("non-temporal", "copy_sse2_aligned_streaming"),                                                  \
        WAY("non-temporal", "copy_neon_aligned_streaming")
#define LIBRARY WAY("library", "copy_memcpy")
static struct series copies[] = {VECTOR, WAY("string", "copy_rep_movsb"), NON_TEMPORAL, LIBRARY, {0}},
                     copies_of_all[] = {VECTOR, NON_TEMPORAL, LIBRARY, {0}};
static struct series zeros[] = {WAY("vector", "write_avx512_aligned"),
                                WAY("vector", "write_avx2_aligned"),
                                WAY("vector", "write_sse2_aligned"),
                                WAY("vector", "write_neon_aligned"),
                                WAY("string", "write_rep_stosb"),
                                WAY("non-temporal", "write_avx512_streaming"),
                                WAY("non-temporal", "write_avx2_streaming"),
                                WAY("non-temporal", "write_sse2_streaming"),
                                WAY("non-temporal", "write_neon_streaming"),
                                WAY("library", "write_memset"),
                                {0}};

/* As fast: within the promise beyond the core. */
#define CROSSING(id, words, a, b, share)                                                                     \
    {                                                                                                        \
        .key = "ram.crossover." id, .label = words, .unit = "Byte", .kind = CLAIM_CROSSING, .from = a,       \
        .and = b, .level = share, .beyond = true                                                             \
    }
static const struct claim of_copies[] = {
    CROSSING("copy.string", "rep movsb as fast as vector", "string", "vector", 1.05),
    CROSSING("copy.nontemporal", "non-temporal beats vector", "non-temporal", "vector", 1),
    CROSSING("copy.library", "non-temporal beats memcpy", "non-temporal", "library", 1),
    {0}};
static const struct claim of_copies_of_all[] = {
    CROSSING("all.copy.nontemporal", "beats vector, all CPUs", "non-temporal", "vector", 1),
    CROSSING("all.copy.library", "beats memcpy, all CPUs", "non-temporal", "library", 1),
    {0}};
static const struct claim of_zeros[] = {
    CROSSING("zero.string", "zeros: rep stosb as fast", "string", "vector", 1.05),
    CROSSING("zero.nontemporal", "zeros: non-temporal beats vector", "non-temporal", "vector", 1),
    {0}};

static struct sizes alone = {.is_copy = true, .series = copies},
                    together = {.is_copy = true, .all_cpus = true, .series = copies_of_all},
                    zeroing = {.series = zeros};

#define EXPERIMENT(words, with, rows, says, most, quick, title)                                              \
    {                                                                                                        \
        .name = words, .own = &with, .open = open_sizes, .close = close_sizes, .series = rows,               \
        .claims = says, .sample = sample, .side_by_side = true, .rounds = 12, .quick_rounds = 8,             \
        .seconds = most, .quick_seconds = quick, .any_state = true, .curve = {                               \
            VIEW_CURVE,                                                                                      \
            title,                                                                                           \
            "bytes",                                                                                         \
            "bytes"                                                                                          \
        }                                                                                                    \
    }
static struct experiment copy_experiment =
                             EXPERIMENT("copies", alone, copies, of_copies, 8, 3, "time of a KiB copied"),
                         all_experiment =
                             EXPERIMENT("copies of all CPUs", together, copies_of_all, of_copies_of_all, 8, 3,
                                        "time of a KiB copied, all CPUs"),
                         zero_experiment =
                             EXPERIMENT("zeros", zeroing, zeros, of_zeros, 4, 2, "time of a KiB of zeros");

/* What the C library of this process chose, next to what was found. */
static void quote_library(struct record *record)
{
    static const char *const chosen[][2] = {
        {"ram.crossover.copy.string", "glibc.cpu.x86_rep_movsb_threshold"},
        {"ram.crossover.copy.nontemporal", "glibc.cpu.x86_non_temporal_threshold"},
        {"ram.crossover.zero.string", "glibc.cpu.x86_rep_stosb_threshold"}};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
        const struct cell value = INTEGER_CELL((int64_t)os_library_setting(chosen[i][1]));
        if (value.integer > 0)
            record_quote(record, chosen[i][0],
                         (struct quote){.value = value,
                                        .unit = "Byte",
                                        .source = chosen[i][1],
                                        .standing = STANDING_PUBLISHED,
                                        .least = value,
                                        .most = value});
    }
}

enum status ram_crossover(struct run *run, struct fault *fault)
{
    static const struct experiment *const experiments[] = {&copy_experiment, &all_experiment,
                                                           &zero_experiment, NULL};
    alone.lanes = 1;
    copy_experiment.memory_bytes = 2 * plan(&alone, run);
    all_experiment.memory_bytes = 2 * (uint64_t)run->cpus.count * plan(&together, run);
    zero_experiment.memory_bytes = plan(&zeroing, run);
    if (experiments_run(experiments, run, fault) == STATUS_OK)
        quote_library(run->record);
    return fault->status;
}
