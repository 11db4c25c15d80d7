/* SPDX-License-Identifier: MIT */
/* `ram --share`: the part of the last cache that this process holds, again and again. Single loads are drawn from a set of twice that cache
 * behind a stream of it, and the share of hits is min(1, C / set). A hit is faster than halfway from a set in the cache to one that nobody
 * streams: means would count page walks, which differ by more than hits do. */
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "modes.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/stats.h"

enum { LEVEL_LOADS = 512, LOADS_MOST = 1 << 14 };
static const uint64_t WINDOW_NS = 50000000, DRAW_NS = 2000000;

struct share {
    struct ram_set set;
    struct record *record;
    uint64_t near,
        far; /* bytes: of a part that the cache before does not hold; of what is streamed, behind which all is cold */
    uint64_t begin_ns, next_ns, table;
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
    uint64_t hits = 0, loads = 0, now_ns = clock_now_ns();
    if (now_ns < share->next_ns)
        nanosleep(&(struct timespec){.tv_nsec = (long)(share->next_ns - now_ns)}, NULL);
    share->next_ns = clock_now_ns() + WINDOW_NS;
    stream(share, share->near);
    const double near_ns = ram_set_median(&share->set, 0, share->near, 1, LEVEL_LOADS),
                 far_ns = ram_set_median(&share->set, share->far, share->set.bytes, 1, LEVEL_LOADS);
    stream(share, share->far);
    for (const uint64_t end_ns = clock_now_ns() + DRAW_NS; loads < LOADS_MOST && clock_now_ns() < end_ns;
         loads++)
        hits += ram_set_draw(&share->set, 0, share->far, 1) < sqrt(near_ns * far_ns);
    const double bytes = far_ns > APART * near_ns ? (double)(share->far * hits) / (double)loads : NAN;
    const struct disturbance during = disturbance_since(&share->before);
    now_ns = clock_now_ns();
    record_row(share->record, share->table,
               (const struct cell[]){
                   REAL_CELL(round((double)(now_ns - share->begin_ns) * 1e-6) * 1e-3), REAL_CELL(bytes),
                   during.counts_steal ? REAL_CELL((double)during.steal_ticks / (double)sysconf(_SC_CLK_TCK))
                                       : NO_CELL});
    disturbance_read(&share->before);
    return bytes;
}

static enum status open_share(struct run *run, void **own, struct fault *fault)
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
    struct share *share = *own;
    const struct cache last = ram_last_cache(run, 1);
    if (ram_set_open(&share->set, run, 3 * last.bytes, -1, INFINITY, fault) != STATUS_OK)
        return fault->status;
    share->record = run->record;
    share->near = 2 * topology_cache_bytes(run->topology, run->cpus.id[0], last.level - 1);
    share->far = 2 * last.bytes;
    share->table = record_table_add(run->record, &spec);
    stream(share, share->far); /* pages were zeroed past the caches */
    share->begin_ns = clock_now_ns();
    disturbance_read(&share->before);
    return STATUS_OK;
}

enum status ram_share(struct run *run, struct fault *fault)
{
    static const struct series series[] = {{.name = "share", .range = {1, 1}}, {0}};
    /* A range: 7.3 to 15.9 MiB in 18 runs (Zen 4 guest). */
    static const struct claim claims[] = {{.key = "ram.share.bytes",
                                           .label = "last cache, yours",
                                           .unit = "Byte",
                                           .kind = METRIC_VALUE,
                                           .series = "share",
                                           .range = true},
                                          {0}};
    const struct ram_params *params = run->params;
    const double bytes = (double)ram_last_cache(run, 1).bytes, room = (double)memory_room() / 2;
    const double rounds = ceil(params->share_s * 1e9 / (double)WINDOW_NS);
    struct share share = {0};
    const struct experiment experiment = {.name = "share",
                                          .own = &share,
                                          .open = open_share,
                                          .series = series,
                                          .claims = claims,
                                          .sample = sample,
                                          .pace = {(uint64_t)rounds, (uint64_t)rounds, params->share_s},
                                          .any_state = true};
    if (bytes == 0)
        return fault_set(fault, STATUS_UNSUPPORTED, "--share needs a cache that is shown, and none is");
    if (3 * bytes > room && !params->force)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "--share takes three times the last cache, %.0f MiB, and there is room for %.0f "
                         "MiB: raise the limit; --force overrides",
                         3 * bytes * 0x1p-20, room * 0x1p-20);
    if (experiment_run(&experiment, 1, run, NULL, fault) == STATUS_OK && !run->common->dry_run)
        record_answer(run->record, (struct answer){.key = "ram.share.shown",
                                                   .label = "last cache, shown",
                                                   .value = REAL_CELL(bytes),
                                                   .unit = "Byte",
                                                   .trust = verdict_capped(LEG_NONE, LEG_NONE).trust});
    memory_release(&share.set.memory);
    return fault->status;
}
