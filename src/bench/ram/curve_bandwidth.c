/* SPDX-License-Identifier: MIT */
/* `ram --curve`: bandwidth by the bytes that a task touches, with the widest vectors or those asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "curve.h"
#include "uarchprobe/random.h"

/* A sample takes VOLUME bytes at least; of a larger set it is a PIECE that other parts of the set were taken since. GAP: keeps source
 * and target off the same 4 KiB offset. */
enum {
    LINES_MOST = 24,
    LINE = 64,
    VOLUME = 8 << 20,
    SLICES = 8,
    PIECE = 32 << 20,
    UNIT = 4096,
    GAP = UNIT / 2 + 4 * LINE
};
static const double FILL_S = 0.5, DEADLINE_S = 60;

/* Of the run under way. */
static struct series series[LINES_MOST + 1];
static char names[LINES_MOST][RAM_NAME];
static struct ram_lane *lanes;
static struct team *team;
static int count;
static uint64_t filled, seed, turn;
static struct {
    const struct kernel *kernel;
    uint64_t bytes, at; /* of each buffer; the place of the set */
} now;

static void fill_lane(void *context, int member)
{
    (void)context;
    struct memory piece = {.data = lanes[member].source.data + filled, .bytes = VOLUME};
    memory_touch(&piece, 1 + filled);
}

static struct ram_work work_of(const struct ram_lane *lane, uint64_t first, uint64_t bytes)
{
    unsigned char *source = lane->source.data + now.at + first;
    const bool both = ram_tasks[now.kernel->operation].footprint > 1;
    return (struct ram_work){.kernel = now.kernel,
                             .source = source,
                             .target = source + (both ? now.bytes + GAP : 0),
                             .bytes = bytes};
}

static void stream(void *context, int member)
{
    (void)context;
    struct ram_lane *lane = &lanes[member];
    uint64_t of = turn ^ now.bytes;
    const uint64_t piece = now.bytes < PIECE ? now.bytes : PIECE, rest = now.bytes - piece,
                   warm = rest == 0           ? piece
                          : rest < CURVE_WARM ? rest
                                              : CURVE_WARM,
                   behind = rest == 0 ? 0 : piece,
                   first = random_next(&of) % (now.bytes - warm - behind + 1) / UNIT * UNIT,
                   passes = piece < VOLUME ? VOLUME / SLICES / piece + 1 : 1;
    const struct ram_work before = work_of(lane, first + behind, warm);
    uint64_t part = piece >= VOLUME ? piece / SLICES / UNIT * UNIT : piece;
    double ns[SLICES];
    ram_call(&before, 1);
    lane->begin_ns = lane->end_ns = clock_now_ns();
    for (uint64_t i = 0; i < SLICES; i++) {
        const struct ram_work work = work_of(lane, first + (piece >= VOLUME ? i * part : 0), part);
        const uint64_t begin_ns = lane->end_ns;
        ram_call(&work, passes);
        lane->end_ns = clock_now_ns();
        ns[i] = (double)(lane->end_ns - begin_ns) / (double)(passes * part);
    }
    lane->ns = median_of(ns, SLICES);
}

/* ns of a byte, of all threads. */
static double sample(const struct point *point)
{
    uint64_t of = turn ^ point->x;
    now.kernel = point->series->row;
    now.bytes = point->x / ram_tasks[now.kernel->operation].footprint / LINE * LINE;
    now.at = random_next(&of) % ((filled - point->x) / UNIT + 1) * UNIT;
    return team_run(team, NULL, count, stream, NULL, DEADLINE_S) ? ram_lanes_ns(lanes, count) / count : NAN;
}

static bool move(void *own, unsigned number, struct fault *fault)
{
    (void)own;
    (void)number;
    (void)fault;
    turn = random_next(&seed);
    return true;
}

static void close_lanes(void *own)
{
    (void)own;
    team_free(team);
    for (int i = 0; i < count; i++)
        memory_release(&lanes[i].source);
    free(lanes);
    lanes = NULL;
    team = NULL;
}

/* Fills for FILL_S, then proves each kernel on a page. */
static enum status open_lanes(struct run *run, void **own, struct fault *fault)
{
    (void)own;
    const struct ram_params *params = run->params;
    const struct range range = curve_range(run, (uint64_t)count);
    const struct memory_request request = {.bytes = (range.last + VOLUME - 1) / VOLUME * VOLUME + VOLUME,
                                           .pages = (enum page_kind)params->pages,
                                           .node = -1};
    lanes = memory_zeroed((size_t)count, sizeof *lanes);
    seed = clock_now_ns();
    turn = random_next(&seed);
    for (int i = 0; i < count && fault->status == STATUS_OK; i++)
        memory_map(&lanes[i].source, &request, fault);
    team = fault->status == STATUS_OK ? team_new(run->cpus.id, count, fault) : NULL;
    const uint64_t begin_ns = clock_now_ns();
    for (filled = 0; team && filled + VOLUME <= request.bytes &&
                     (double)(clock_now_ns() - begin_ns) < (run->common->quick ? FILL_S / 2 : FILL_S) * 1e9;
         filled += VOLUME)
        if (!team_run(team, NULL, count, fill_lane, NULL, DEADLINE_S))
            break;
    filled -= filled > 0 ? VOLUME : 0; /* room for the gap */
    size_t kept = 0;
    for (struct series *s = series; s->name && filled > 0; s++) {
        now.kernel = s->row;
        now.bytes = UNIT;
        now.at = 0;
        const struct ram_work work = work_of(lanes, 0, UNIT);
        if (!ram_proves(&work))
            return fault_set(fault, STATUS_FAILED, "%s did not do its work", now.kernel->name);
        series[kept] = *s;
        kept += curve_fit(&series[kept], &range, filled);
    }
    series[kept] = (struct series){0};
    if (fault->status != STATUS_OK)
        close_lanes(NULL);
    return fault->status;
}

/* Aligned vectors of those widths, or by --kernel any. */
static bool wanted(const struct run *run, const struct kernel *kernel)
{
    const struct ram_params *params = run->params;
    const unsigned bits = kernel_bits(kernel);
    const bool sized = kernel->method == METHOD_VECTOR || (params->bits && kernel->method == METHOD_SCALAR);
    if (run->kernels.name)
        return true;
    return sized && kernel->load <= ACCESS_ALIGNED && kernel->store <= ACCESS_ALIGNED &&
           (!params->bits || params->bits >> (__builtin_ctz(bits) - 3) & 1);
}

static void choose_series(const struct run *run)
{
    static const enum operation tasks[] = {OPERATION_READ, OPERATION_WRITE, OPERATION_COPY};
    const struct ram_params *params = run->params;
    const bool all = params->bits || run->kernels.name;
    size_t lines = 0;
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        const struct kernel *kernel = NULL;
        for (size_t first = lines;
             (kernel = kernel_next(&run->kernels, tasks[i], kernel)) && lines < LINES_MOST;) {
            if (!wanted(run, kernel))
                continue;
            lines -= !all && lines > first; /* narrow ones come first */
            snprintf(names[lines], RAM_NAME, "%s, %u bits", ram_task_names[tasks[i]], kernel_bits(kernel));
            series[lines] = (struct series){.name = names[lines],
                                            .row = kernel,
                                            .first = CURVE_FIRST,
                                            .last = CURVE_LARGEST,
                                            .per_octave = CURVE_PER_OCTAVE,
                                            .round = true,
                                            .apart = true,
                                            .every = CURVE_EVERY,
                                            .always = CURVE_CORE};
            lines++;
        }
    }
    series[lines] = (struct series){0};
}

static void add_rows(struct lab *lab, void *own)
{
    (void)own;
    curve_record(lab, series, count);
}

enum status curve_bandwidth(struct run *run, struct experiment *experiment, struct fault *fault)
{
    const struct ram_params *params = run->params;
    count = params->threads ? (int)params->threads : run->cpus.count;
    if (count > run->cpus.count)
        return fault_set(fault, STATUS_NO_RESOURCE, "--threads %d needs as many CPUs, %d can be used here",
                         count, run->cpus.count);
    choose_series(run);
    *experiment =
        (struct experiment){.name = "bandwidth",
                            .open = open_lanes,
                            .close = close_lanes,
                            .series = series,
                            .sample = sample,
                            .move = move,
                            .quantile = 0.1,
                            .rounds = 16,
                            .quick_rounds = 8,
                            .seconds = 2.7,
                            .quick_seconds = 0.8,
                            .memory_bytes = (uint64_t)count * curve_range(run, (uint64_t)count).last,
                            .answers = add_rows};
    return STATUS_OK;
}
