/* SPDX-License-Identifier: MIT */
/* `ram --share`: the part of the last cache that this process holds, again and again. Single loads are drawn from a set of twice that cache
 * behind a stream of it, and the share of hits is min(1, C / set). A hit is faster than halfway from a set in the cache to one that nobody
 * streams: means would count page walks, which differ by more than hits do. */
#include <math.h>
#include <time.h>

#include "modes.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/stats.h"

enum { LINE = 64, LEVEL_LOADS = 512, LOADS_MOST = 1 << 14 };
static const uint64_t WINDOW_NS = 50000000, DRAW_NS = 2000000;

struct share {
    struct memory memory;
    const struct kernel *draw;
    const struct run *run;
    uint64_t near, set, all, state; /* bytes of parts of the memory, each from its begin; of the draw */
    uint64_t begin_ns, next_ns, table;
    struct disturbance before;
};

static void stream(const struct share *share, uint64_t bytes)
{
    for (const volatile unsigned char *line = share->memory.data, *end = line + bytes; line < end;
         line += LINE)
        (void)*line;
}

/* Times loads one by one, each of a line from `first` to `last` bytes. */
static double load(struct share *share, uint64_t first, uint64_t last)
{
    const uint64_t begin = clock_ticks();
    share->state = share->draw->entry(share->memory.data + first, (const void *)(uintptr_t)LINE, 1,
                                      (last - first) / LINE, share->state, 0);
    return (double)(clock_ticks() - begin) * share->run->clock->ns_per_tick;
}

static double level_of(struct share *share, uint64_t first, uint64_t last)
{
    double ns[LEVEL_LOADS];
    for (int i = 0; i < LEVEL_LOADS; i++)
        ns[i] = load(share, first, last);
    return median_of(ns, LEVEL_LOADS);
}

/* Stolen time of all CPUs is counted in steps of 10 ms. */
static void add_row(struct share *share, double bytes)
{
    const struct disturbance since = disturbance_since(&share->before);
    const uint64_t now_ns = clock_now_ns();
    record_row(share->run->record, share->table,
               (const struct cell[]){REAL_CELL(round((double)(now_ns - share->begin_ns) * 1e-6) * 1e-3),
                                     REAL_CELL(bytes), INTEGER_CELL((int64_t)since.steal_ticks),
                                     INTEGER_CELL((int64_t)since.involuntary_switches)});
    disturbance_read(&share->before);
}

/* Bytes; NaN: the levels are too close to tell a hit. */
static double sample(const struct point *point)
{
    struct share *share = point->own;
    enum { APART = 2 };
    const uint64_t now_ns = clock_now_ns();
    if (now_ns < share->next_ns)
        nanosleep(&(struct timespec){.tv_nsec = (long)(share->next_ns - now_ns)}, NULL);
    share->next_ns = clock_now_ns() + WINDOW_NS;
    stream(share, share->near);
    const double near_ns = level_of(share, 0, share->near), far_ns = level_of(share, share->set, share->all);
    uint64_t hits = 0, loads = 0;
    stream(share, share->set);
    for (const uint64_t end_ns = clock_now_ns() + DRAW_NS; loads < LOADS_MOST && clock_now_ns() < end_ns;
         loads++)
        hits += load(share, 0, share->set) < sqrt(near_ns * far_ns);
    const double bytes = far_ns > APART * near_ns ? (double)(share->set * hits) / (double)loads : NAN;
    add_row(share, bytes);
    return bytes;
}

/* As large as twice the last cache, and half of that behind it, which stays cold. */
static enum status open_share(struct run *run, void **own, struct fault *fault)
{
    static const struct column columns[] = {
        {"time", "time", "s", CELL_REAL, ROLE_PARAMETER, 2, NULL, false},
        {"bytes", "share", "Byte", CELL_REAL, ROLE_MEASURE, 1, NULL, false},
        {"steal_ticks", "stolen", "ticks", CELL_INTEGER, ROLE_MEASURE, 0, NULL, false},
        {"switches", "switches", NULL, CELL_INTEGER, ROLE_MEASURE, 0, NULL, false}};
    static const struct table_spec spec = {.name = "share",
                                           .title = "share of the last cache over time",
                                           .note = "stolen: of all CPUs, in ticks of 10 ms",
                                           .columns = columns,
                                           .column_count = sizeof columns / sizeof *columns,
                                           .view = {VIEW_CURVE, .x = 0, .y = 1, .value = 1, .series = -1,
                                                    .scale = 0x1p-20, .scale_unit = "MiB"}};
    const struct kernel_filter any = {.allowed = ~(feature_set)0};
    const struct ram_params *params = run->params;
    struct share *share = *own;
    const int last = topology_last_level(run->topology);
    const uint64_t bytes = topology_cache_bytes(run->topology, last), room = memory_room();
    const struct memory_request request = {
        .bytes = 3 * bytes, .pages = (enum page_kind)params->pages, .node = -1};
    if (last < 2)
        return fault_set(fault, STATUS_UNSUPPORTED, "--share needs a shared cache, and none is shown here");
    if (request.bytes > room && !params->force)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "--share needs three times the last cache, %.0f MiB, and there is room for %.0f MiB: raise "
            "the limit, or --force",
            (double)request.bytes * 0x1p-20, (double)room * 0x1p-20);
    *share = (struct share){.run = run, .state = 1, .set = 2 * bytes, .all = 3 * bytes};
    share->near = 2 * topology_cache_bytes(run->topology, last - 1);
    share->draw = kernel_next(&any, OPERATION_DRAW, NULL);
    if (memory_map(&share->memory, &request, fault) != STATUS_OK)
        return fault->status;
    memory_touch(&share->memory, 1);
    share->table = record_table_add(run->record, &spec);
    share->begin_ns = clock_now_ns();
    disturbance_read(&share->before);
    return STATUS_OK;
}

static void close_share(void *own)
{
    memory_release(&((struct share *)own)->memory);
}

enum status ram_share(struct run *run, struct fault *fault)
{
    static const struct series series[] = {{.name = "share", .first = 1, .last = 1}, {0}};
    static const struct claim claims[] = {{.key = "ram.share.bytes",
                                           .label = "last cache, yours",
                                           .unit = "Byte",
                                           .kind = CLAIM_VALUE,
                                           .from = "share",
                                           .range = true},
                                          {0}};
    const struct ram_params *params = run->params;
    const double rounds = ceil(params->share_s * 1e9 / (double)WINDOW_NS);
    struct share share = {0};
    const struct experiment experiment = {.name = "share",
                                          .own = &share,
                                          .open = open_share,
                                          .close = close_share,
                                          .series = series,
                                          .claims = claims,
                                          .sample = sample,
                                          .rounds = (uint64_t)rounds,
                                          .quick_rounds = (uint64_t)rounds,
                                          .seconds = params->share_s,
                                          .any_state = true};
    if (experiment_run(&experiment, 1, run, NULL, fault) == STATUS_OK && share.set > 0)
        record_answer(run->record, (struct answer){.key = "ram.share.shown",
                                                   .label = "last cache, shown",
                                                   .value = REAL_CELL((double)share.set / 2),
                                                   .unit = "Byte",
                                                   .trust = verdict_capped(LEG_NONE, LEG_NONE).trust});
    return fault->status;
}
