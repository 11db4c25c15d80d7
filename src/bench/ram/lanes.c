/* SPDX-License-Identifier: MIT */
/* The threads of `ram` and their buffers. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "ram.h"
#include "uarchprobe/interrupt.h"

enum {
    SLACK_BYTES = 4096, /* for buffers off by a byte */
    /* Keeps loads and stores of one loop off the same 4 KiB offset (4K aliasing) and cache sets. */
    TARGET_OFFSET = 9 * RAM_LINE_MOST,
    CACHE_MARGIN = 4 << 20, /* by which a set of memory is larger than the last cache, at least */
    PIECE_BYTES = 1 << 20,  /* filling more than needed would cost a short budget */
    PART_MOST = 32 << 20,
    PARTS_BEFORE_MOST = 4,
    PART_UNIT = 4096
};

/* Filling memory takes a crew no longer, nor more than this share of the time that is left. Memory that the
 * host of a guest has not backed yet takes longer: what lies beyond the last cache at all gets LONGER times
 * as much. */
static const double FILL_S = 1, FILL_SHARE = 0.75, LONGER = 3;

static const uint64_t PASSES_MOST = UINT64_C(1) << 40;

/* A job is planned to take no longer, and as much more for each byte of the buffers, at 1 GB/s. */
static const double JOB_S = 1, JOB_S_PER_BYTE = 1e-9;

/* Runs ram->work in each lane, for that point. */
static void run_lane(void *context, int member)
{
    struct ram *ram = context;
    ram->work(ram, &ram->threads.lane[member]);
}

/* False without a fault: the run has ended meanwhile. */
static bool run_all(struct ram *ram, struct ram_point *point, uint64_t passes,
                    void (*work)(struct ram *ram, struct ram_lane *lane), struct fault *fault)
{
    const double planned_s = JOB_S + JOB_S_PER_BYTE * (double)ram_plan_memory(ram->plan);
    ram->point = point;
    ram->count = (int)(point ? point->set->crew : ram_all(ram->plan))->threads;
    ram->passes = passes;
    ram->work = work;
    if (team_run(ram->threads.team, NULL, ram->count, run_lane, ram, planned_s))
        return true;
    if (!interrupt_came() && teams_check(fault) == STATUS_OK)
        fault_set(
            fault, STATUS_FAILED,
            "%s did not end, though %.1f s were planned for it: a CPU is overcommitted or was taken away",
            point ? point->kernel->name : "filling the buffers", planned_s);
    return false;
}

/* The fault of the first thread that has one. */
static enum status check_threads(const struct ram_threads *threads, struct fault *fault)
{
    for (int i = 0; i < threads->count; i++)
        if (threads->lane[i].fault.status != STATUS_OK)
            return fault_set(fault, threads->lane[i].fault.status, "%s", threads->lane[i].fault.text);
    return STATUS_OK;
}

uint64_t ram_parts(const struct ram_plan *plan, const struct ram_point *point)
{
    const uint64_t parts =
        ram_tasks[ram_task_of(point->kernel)].buffers ? 1 : point->kernel_bytes / PART_MOST;
    return point->set->level > plan->last_level && !ram_is_latency(point) && parts > 1 ? parts : 1;
}

uint64_t ram_parts_before(const struct ram_plan *plan, const struct ram_point *point)
{
    const uint64_t others = ram_parts(plan, point) - 1,
                   most = others < PARTS_BEFORE_MOST ? others : PARTS_BEFORE_MOST,
                   filling = point->set->crew->beyond / PART_MOST;
    return filling < 1 ? others > 0 : filling < most ? filling : most;
}

struct ram_work ram_work_of(const struct ram *ram, const struct ram_lane *lane)
{
    const struct ram_plan *plan = ram->plan;
    const struct ram_point *point = ram->point;
    const struct kernel *kernel = point->kernel;
    const uint64_t placement = ram_is_near(point) ? ram->placement : 0;
    const enum access_mode of_target = ram_tasks[ram_task_of(kernel)].stores ? kernel->store : kernel->load;
    const uint64_t parts = ram_parts(plan, point),
                   bytes = point->kernel_bytes / parts / PART_UNIT * PART_UNIT,
                   first = parts > 1 ? lane->turn % parts * bytes : 0;
    struct ram_work work = {.kernel = kernel,
                            .source = lane->source.data + placement * plan->near.source + first +
                                      (kernel->load == ACCESS_UNALIGNED),
                            .target = lane->target.data + placement * plan->near.target + first +
                                      TARGET_OFFSET + (of_target == ACCESS_UNALIGNED),
                            .bytes = parts > 1 ? bytes : point->kernel_bytes,
                            .chase = ram_chain(plan, point),
                            .streamed = ram_in_cache(plan, point),
                            .memory = &lane->memory[point - plan->points]};
    work.chase.data = kernel->operation == OPERATION_LATENCY ? lane->chain.data + placement * plan->near.chain
                                                             : work.source;
    work.source = ram_tasks[ram_task_of(kernel)].buffers ? work.target + ram_stride(work.bytes) : work.source;
    return work;
}

/* Fills that many bytes of both buffers, unless its time ends. Every byte is non-zero and depends on its
 * address; the three high bits stay free for marks. */
static void fill_lane(struct ram *ram, struct ram_lane *lane)
{
    const struct memory both[] = {lane->source, lane->target};
    const uint64_t most = both[0].bytes > both[1].bytes ? both[0].bytes : both[1].bytes,
                   bytes = ram->passes < most ? ram->passes : most;
    const struct stopwatch begin = stopwatch_start_thread();
    for (; lane->filled < bytes && !interrupt_came() && clock_now_ns() < ram->fill_end_ns &&
           stopwatch_thread_s(&begin) < (lane->filled < ram->fill_needed ? ram->fill_needed_s : ram->fill_s);
         lane->filled += PIECE_BYTES)
        for (unsigned i = 0; i < 2; i++) {
            const struct memory piece = memory_piece(&both[i], lane->filled, PIECE_BYTES);
            uint64_t *word = (uint64_t *)piece.data;
            if (piece.bytes > 0 && memory_touch(&piece, 1 + i + lane->filled, &lane->fault) != STATUS_OK)
                return;
            for (uint64_t k = 0; k < piece.bytes / 8; k++)
                word[k] = (word[k] & UINT64_C(0x1f1f1f1f1f1f1f1f)) | UINT64_C(0x0101010101010101);
        }
    lane->filling_s = stopwatch_thread_s(&begin);
    lane->right = lane->filled >= bytes;
}

/* Fills the buffers for a point, for one of a default set of memory those of all threads: such a set
 * becomes as small as what was filled in time. False: there was no more time. */
static bool fill(struct ram *ram, struct ram_point *point, struct fault *fault)
{
    const struct ram_plan *plan = ram->plan;
    const uint64_t near_bytes = plan->near.source > plan->near.target ? plan->near.source : plan->near.target,
                   slack = TARGET_OFFSET + SLACK_BYTES;
    const uint64_t end = ram_is_near(point) ? RAM_PLACEMENTS * near_bytes
                                            : ram_span(point->kernel, point->kernel_bytes) + slack;
    const bool is_memory = point->set->level > plan->last_level;
    uint64_t filled = UINT64_MAX, unfilled = 0;
    double *memory_s = &ram->memory_s[point->set->crew - plan->crew], filling_s = 0;
    for (uint64_t i = 0; i < point->set->crew->threads; i++)
        unfilled += ram->threads.lane[i].filled < end;
    if (unfilled == 0)
        return true;
    const double left_s = fmax(0, time_left_s(&ram->preparing)) * (is_memory ? FILL_SHARE : 1);
    const bool is_wall = ram->preparing.is_wall && !isinf(left_s);
    ram->fill_end_ns = is_wall ? clock_now_ns() + (uint64_t)(left_s * 1e9) : UINT64_MAX;
    const double most_s = is_wall ? INFINITY : left_s;
    ram->fill_s = fmin(is_memory ? *memory_s : INFINITY, most_s);
    ram->fill_needed_s = fmin(is_memory ? *memory_s + (LONGER - 1) * FILL_S : INFINITY, most_s);
    ram->fill_needed = is_memory ? point->set->crew->beyond + CACHE_MARGIN + slack : 0;
    const bool ran = run_all(ram, point, is_memory ? UINT64_MAX : end, fill_lane, fault);
    if (check_threads(&ram->threads, fault) != STATUS_OK)
        return false;
    for (uint64_t i = 0; i < point->set->crew->threads; i++)
        filling_s = fmax(filling_s, ram->threads.lane[i].filling_s);
    *memory_s -= is_memory ? filling_s : 0;
    for (uint64_t i = 0; i < point->set->crew->threads; i++)
        if (!ram->threads.lane[i].right && ram->threads.lane[i].filled < filled)
            filled = ram->threads.lane[i].filled;
    return ran && (filled >= end ||
                   (is_memory && filled > slack && ram_plan_shrink(ram->plan, point->set, filled - slack)));
}

static void populate_chain(struct ram *ram, struct ram_lane *lane)
{
    const struct chase chain = ram_work_of(ram, lane).chase;
    const struct memory piece =
        memory_piece(&lane->chain, (uint64_t)(chain.data - lane->chain.data), chain.count * chain.stride);
    struct fault fault = {0};
    if (memory_populate(&piece, &fault) != STATUS_OK && !interrupt_came())
        lane->fault = fault;
}

static void prove_lane(struct ram *ram, struct ram_lane *lane)
{
    const struct ram_work work = ram_work_of(ram, lane);
    lane->right = ram_proves(&work);
}

static bool all_right(const struct ram *ram, struct fault *fault)
{
    bool right = true;
    for (int i = 0; i < ram->count; i++)
        right = right && ram->threads.lane[i].right;
    if (!right)
        fault_set(fault, STATUS_FAILED,
                  "%s did not do its work on %" PRIu64
                  " bytes: its results are wrong; "
                  "please report this with the output of `uarchprobe info`",
                  ram->point->kernel->name, ram->point->kernel_bytes);
    return right;
}

/* ns of that many passes in the fastest lane: a late lane waited for the others. INFINITY: there are none,
 * see run_all. */
static double time_passes(struct ram *ram, struct ram_point *point, uint64_t passes, struct fault *fault)
{
    const uint64_t begin_ns = clock_now_ns();
    double ns = INFINITY;
    if (!run_all(ram, point, passes, ram_sample_lane, fault))
        return ns;
    point->expected_s = (double)(clock_now_ns() - begin_ns) * 1e-9;
    for (int i = 0; i < ram->count; i++)
        ns = fmin(ns, ram->threads.lane[i].ns);
    return ns * (double)passes;
}

enum status ram_prepare(struct ram *ram, struct ram_point *point, struct fault *fault)
{
    const bool latency = ram_is_latency(point), near = ram_is_near(point);
    const bool drawn = point->kernel->operation == OPERATION_DRAW;
    const uint64_t least = drawn ? RAM_SLICES * RAM_DRAWS : latency ? 64 : near ? RAM_SLICES : 1;
    const double sample_ns = ram_parts(ram->plan, point) > 1 ? 0 : ram_sample_ns(ram->run->common, point);
    if (!fill(ram, point, fault) || time_left_s(&ram->preparing) <= 0 ||
        (point->kernel->operation == OPERATION_LATENCY &&
         (!run_all(ram, point, 1, populate_chain, fault) || check_threads(&ram->threads, fault) ||
          interrupt_came())) ||
        (!latency && (!run_all(ram, point, 1, prove_lane, fault) || !all_right(ram, fault))))
        return fault->status;
    point->passes = least;
    const struct ram_point *one = ram_point_of_one(ram->plan, point);
    if (one) {
        const double bytes = (double)(one->passes * one->kernel_bytes) / ram_sample_ns(ram->run->common, one);
        point->passes = (uint64_t)ceil(fmax(bytes * sample_ns / (double)point->kernel_bytes, (double)least));
        return fault->status;
    }
    double ns = time_passes(ram, point, point->passes, fault); /* the proof has warmed it */
    while (!drawn && ns < sample_ns && point->passes <= PASSES_MOST / 2) {
        /* Jumps to the last doubling that surely falls short, to spend little time on short samples. */
        do {
            point->passes *= 2;
            ns *= 2;
        } while (ns > 0 && ns < sample_ns / 2 && point->passes <= PASSES_MOST / 2);
        ns = time_passes(ram, point, point->passes, fault);
    }
    if (sample_ns < ns)
        point->passes = (uint64_t)ceil(fmax(sample_ns / ns * (double)point->passes, (double)least));
    return fault->status;
}

bool ram_remap(void *context, unsigned placement, struct fault *fault)
{
    ((struct ram *)context)->placement = placement;
    return true;
}

double ram_lanes_ns(const struct ram_lane *lane, int count)
{
    struct member_time *time = memory_zeroed((size_t)count, sizeof *time);
    for (int i = 0; i < count; i++)
        time[i] = (struct member_time){lane[i].begin_ns, lane[i].end_ns, lane[i].ns};
    const double ns = members_ns(time, count);
    free(time);
    return ns;
}

/* Of a sample whose threads came late. */
enum { TRIES = 4 };

/* The clock is the mean of the lanes with a valid reading. */
bool ram_sample(void *context, size_t index, size_t count, double *value, struct fault *fault)
{
    struct ram *ram = context;
    struct ram_point *point = &ram->plan->points[index];
    (void)count; /* each point alone */
    double ns = NAN;
    for (int i = 0; i < TRIES && isnan(ns); i++) {
        value[RAM_NS] = value[RAM_CYCLES] = NAN;
        if (isinf(time_passes(ram, point, point->passes, fault)))
            return fault->status == STATUS_OK;
        if (!all_right(ram, fault))
            return false;
        ns = ram_lanes_ns(ram->threads.lane, ram->count);
    }
    bool preempted = false;
    double sum = 0, known = 0;
    for (int i = 0; i < ram->count; i++) {
        const double ghz = ram->threads.lane[i].ghz;
        preempted = preempted || ram->threads.lane[i].preempted;
        known += !isnan(ghz);
        sum += isnan(ghz) ? 0 : ghz;
    }
    ram->preempted += preempted;
    value[RAM_NS] = ns * (double)ram_parts(ram->plan, point);
    value[RAM_CYCLES] = value[RAM_NS] * (sum / known);
    core_clock_keep(ram->run->core_clock, sum / known);
    return true;
}

enum status ram_open(struct ram *ram, int node, struct fault *fault)
{
    const struct ram_plan *plan = ram->plan;
    const struct run *run = ram->run;
    const struct ram_params *params = run->params;
    struct memory_request request = {
        .pages = (enum page_kind)params->pages, .node = node, .topology = run->topology};
    const int threads = (int)ram_all(plan)->threads;
    for (int i = 0; i < RAM_CREWS_MAX; i++)
        ram->memory_s[i] = FILL_S;
    ram->sibling = sibling_new(run->cpu, run->clock);
    ram->threads.count = threads;
    ram->threads.lane = memory_zeroed((size_t)threads, sizeof *ram->threads.lane);
    ram->threads.team = team_new(run->cpus.id, threads, fault);
    for (int i = 0; i < threads; i++) {
        struct ram_lane *lane = &ram->threads.lane[i];
        const struct ram_bytes bytes = ram_buffers(plan, (uint64_t)i);
        const uint64_t of[] = {bytes.source + SLACK_BYTES, bytes.target + TARGET_OFFSET + SLACK_BYTES,
                               bytes.chain};
        struct memory *const memory[] = {&lane->source, &lane->target, &lane->chain};
        lane->memory = memory_zeroed(plan->point_count, sizeof *lane->memory);
        for (int k = 0; k < 3 && fault->status == STATUS_OK; k++) {
            request.bytes = of[k];
            if (of[k] > 0)
                memory_map(memory[k], &request, fault);
        }
    }
    return fault->status;
}

void ram_close(struct ram *ram)
{
    struct ram_threads *threads = &ram->threads;
    team_free(threads->team);
    for (int i = 0; threads->lane && i < threads->count; i++) {
        memory_release(&threads->lane[i].source);
        memory_release(&threads->lane[i].target);
        memory_release(&threads->lane[i].chain);
        samples_free(&threads->lane[i].slices);
        free(threads->lane[i].memory);
    }
    free(threads->lane);
    *threads = (struct ram_threads){0};
    sibling_free(ram->sibling);
}
