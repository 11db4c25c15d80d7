/* SPDX-License-Identifier: MIT */
/* `ram --share`: the part of the last cache that this process holds, again and again. Single loads are
 * drawn from a set of twice that cache behind a stream of it, and the share of hits is min(1, C / set). A
 * hit is faster than halfway from a set in the cache to one that nobody streams: means would count page
 * walks, which differ by more than hits do. */
#include <math.h>
#include <unistd.h>

#include "modes.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/stats.h"

/* Loads by whose median a level is known; loads of a window, which take DRAWING_NS, or fewer. */
enum { LEVEL_LOADS = 512, LOADS_MOST = 1 << 14 };
static const double WINDOW_S = 0.05, DRAWING_NS = 2e6;

struct share {
    struct ram_set set;
    struct record *record;
    /* Bytes of a part that the cache before does not hold, and of what is streamed, behind which all is
     * cold. */
    uint64_t near, far;
    size_t table;
    struct disturbance before;
};

static void stream(const struct share *share, uint64_t bytes)
{
    const volatile unsigned char *line = share->set.memory.data;
    for (uint64_t i = 0; i < bytes; i += RAM_LINE)
        (void)line[i];
}

/* Bytes; NaN: the levels are too close to tell a hit. */
static double sample(const struct point *point)
{
    enum { APART = 2 };
    struct share *share = point->own;
    uint64_t hits = 0;
    stream(share, share->near);
    const double near_ns = ram_set_median(&share->set, 0, share->near, 1, LEVEL_LOADS),
                 far_ns = ram_set_median(&share->set, share->far, share->set.bytes, 1, LEVEL_LOADS);
    const uint64_t wanted = (uint64_t)(DRAWING_NS / far_ns),
                   loads = wanted < LOADS_MOST ? wanted : LOADS_MOST;
    stream(share, share->far);
    for (uint64_t i = 0; i < loads; i++)
        hits += ram_set_draw(&share->set, 0, share->far, 1) < sqrt(near_ns * far_ns);
    const double bytes = far_ns > APART * near_ns ? (double)(share->far * hits) / (double)loads : NAN;
    const struct disturbance during = disturbance_since(&share->before);
    record_row(share->record, share->table,
               (const struct cell[]){
                   REAL_CELL(round(point_seconds(point) * 1e3) * 1e-3), REAL_CELL(bytes),
                   during.counts_steal ? REAL_CELL((double)during.steal_ticks / (double)sysconf(_SC_CLK_TCK))
                                       : NO_CELL});
    disturbance_read(&share->before);
    return bytes;
}

static bool buffer_of(const struct run *run, const void *own, int n, struct buffer *buffer)
{
    buffer->bytes = 3 * ram_last_cache(run, 1).bytes;
    return n == 0;
}

static void begin_share(const struct run *run, void *own, const struct memory *memory)
{
    static const struct column columns[] = {
        {"time", "time", "s", CELL_REAL, ROLE_PARAMETER, 2, NULL, false},
        {"bytes", "share", "Byte", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
        {"stolen", "stolen", "s", CELL_REAL, ROLE_MEASURE, 2, NULL, false}};
    static const struct table_spec spec = {
        .name = "share",
        .title = "share of the last cache over time",
        .note = "stolen: of all CPUs",
        .columns = columns,
        .column_count = sizeof columns / sizeof *columns,
        .view = {VIEW_CURVE, .y = 1, .value = 1, .series = -1, .scale = 0x1p-20, .scale_unit = "MiB"}};
    struct share *share = own;
    const struct cache last = ram_last_cache(run, 1);
    share->set = ram_set_of(run, memory);
    share->record = run->record;
    share->near = 2 * topology_cache_bytes(run->topology, run->cpus.id[0], last.level - 1);
    share->far = 2 * last.bytes;
    share->table = record_table_add(run->record, &spec);
    stream(share, share->far); /* pages were zeroed past the caches */
    disturbance_read(&share->before);
}

enum status ram_share(struct run *run, struct fault *fault)
{
    static const struct series series[] = {{.name = "share", .range = {1, 1}}, {0}};
    /* A range: 7.3 to 15.9 MiB in 18 runs (Zen 4 guest). */
    static const struct metric metrics[] = {{.key = "ram.share.bytes",
                                             .label = "last cache, yours",
                                             .unit = "Byte",
                                             .kind = METRIC_VALUE,
                                             .series = "share",
                                             .range = true},
                                            {0}};
    const struct ram_params *params = run->params;
    const double bytes = (double)ram_last_cache(run, 1).bytes;
    const uint64_t rounds = (uint64_t)ceil(params->share_s / WINDOW_S);
    struct share share = {0};
    const struct memory_row memory = {.buffer = buffer_of,
                                      .pages = (enum page_kind)params->pages,
                                      .content = MEMORY_FILLED,
                                      .is_forced = params->force,
                                      .lay_out = begin_share};
    const struct experiment experiment = {.name = "share",
                                          .own = &share,
                                          .memory = &memory,
                                          .series = series,
                                          .metrics = metrics,
                                          .sample = sample,
                                          .period_s = WINDOW_S,
                                          .pace = {rounds, rounds, params->share_s},
                                          .any_state = true};
    if (bytes == 0)
        return fault_set(fault, STATUS_UNSUPPORTED, "--share needs a cache that is shown, and none is");
    if (experiment_run(&experiment, 1, run, NULL, fault) == STATUS_OK && !run->common->dry_run)
        record_known(run->record, (struct answer){.key = "ram.share.shown",
                                                  .label = "last cache, shown",
                                                  .value = REAL_CELL(bytes),
                                                  .unit = "Byte"});
    return fault->status;
}
