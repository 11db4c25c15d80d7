/* SPDX-License-Identifier: MIT */
/* The threads of `ram`, their buffers, and how each of them takes its part of a sample. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "ram.h"

enum {
    SLACK_BYTES = 4096, /* for what is off by a byte */
    /* Keeps loads and stores of one loop from hitting the same 4 KiB offset (4K aliasing) or the same cache
       sets. */
    TARGET_OFFSET = 9 * RAM_LINE_MOST,
    PIECE_BYTES = 1 << 20,
    STEPS_AT_ONCE = 1 << 12
};

static const uint64_t PASSES_MOST = UINT64_C(1) << 40;

/* A job that takes longer than the one, and the other for each byte of its buffers, is treated as hung. */
static const double DEADLINE_S = 300, DEADLINE_S_PER_BYTE = 1e-7;

/* A task for all lanes: `work` runs in each of them. */
struct job {
    struct ram *ram;
    struct ram_point *point;
    uint64_t passes; /* of a sample; of filling: the bytes to be filled */
    void (*work)(const struct job *job, struct ram_lane *lane);
    struct fault *fault;
};

static void run_lane(void *context, int member)
{
    const struct job *job = context;
    job->work(job, &job->ram->lane[member]);
}

static enum status run_all(struct job *job)
{
    const struct ram_plan *plan = job->ram->plan;
    const double deadline_s =
        DEADLINE_S + DEADLINE_S_PER_BYTE * (double)(plan->source_bytes + plan->target_bytes);
    if (team_run(job->ram->team, job->ram->count, run_lane, job, deadline_s))
        return STATUS_OK;
    if (team_check(job->ram->team, job->fault) != STATUS_OK)
        return job->fault->status;
    return fault_set(job->fault, STATUS_FAILED,
                     "%s did not end within %.0f s: a CPU is overcommitted or was taken away",
                     job->point ? job->point->kernel->name : "filling the buffers", deadline_s);
}

static struct ram_work work_of(const struct job *job, const struct ram_lane *lane)
{
    const struct ram_point *point = job->point;
    const struct ram_plan *plan = job->ram->plan;
    const uint64_t placement = ram_is_near(point) ? job->ram->placement : 0;
    const struct kernel *kernel = point->kernel;
    const bool stores = ram_tasks[kernel->operation].stores;
    const enum access_mode of_target = stores ? kernel->store : kernel->load;
    return (struct ram_work){.kernel = kernel,
                             .source = lane->source.data + placement * plan->near_source +
                                       (kernel->load == ACCESS_UNALIGNED),
                             .target = lane->target.data + placement * plan->near_target + TARGET_OFFSET +
                                       (of_target == ACCESS_UNALIGNED),
                             .bytes = point->kernel_bytes,
                             .value = point->zero ? 0 : 0x5a};
}

/* The next piece of a buffer; no bytes: there is none. */
static struct memory piece_of(const struct memory *memory, uint64_t from)
{
    const uint64_t left = from < memory->bytes ? memory->bytes - from : 0;
    return (struct memory){.data = memory->data + from, .bytes = left < PIECE_BYTES ? left : PIECE_BYTES};
}

/* Every byte is non-zero and depends on its address; the three high bits of the source's are kept free for marks. */
static void fill_lane(const struct job *job, struct ram_lane *lane)
{
    for (; lane->filled < job->passes; lane->filled += PIECE_BYTES) {
        if (clock_now_ns() >= job->ram->deadline_ns)
            return;
        struct memory source = piece_of(&lane->source, lane->filled);
        struct memory target = piece_of(&lane->target, lane->filled);
        memory_touch(&source, 1 + lane->filled);
        memory_touch(&target, 2 + lane->filled);
        uint64_t *word = (uint64_t *)source.data;
        for (uint64_t i = 0; i < source.bytes / 8; i++)
            word[i] = (word[i] & UINT64_C(0x1f1f1f1f1f1f1f1f)) | UINT64_C(0x0101010101010101);
    }
}

static struct chase chase_of(const struct job *job, const struct ram_lane *lane)
{
    struct chase chase = ram_chain(job->ram->plan, job->point);
    chase.data = work_of(job, lane).source + job->point->chain_offset;
    return chase;
}

static struct ram_memory *memory_of(const struct job *job, const struct ram_lane *lane)
{
    return &lane->memory[job->point - job->ram->plan->points];
}

static void build_chain(const struct job *job, struct ram_lane *lane)
{
    const struct chase chase = chase_of(job, lane);
    for (size_t i = 0; i < job->ram->plan->point_count; i++)
        lane->memory[i].checked = false; /* the chain changes what others read */
    *memory_of(job, lane) = (struct ram_memory){.node = chase_node(&chase, 0)};
    lane->right = false;
    for (uint64_t first = 0; first < chase.count; first += STEPS_AT_ONCE) {
        if (first > 0 && clock_now_ns() >= job->ram->deadline_ns)
            return;
        chase_link_some(&chase, first,
                        first + STEPS_AT_ONCE < chase.count ? first + STEPS_AT_ONCE : chase.count);
    }
    lane->right = true;
}

static void prove_lane(const struct job *job, struct ram_lane *lane)
{
    const struct ram_work work = work_of(job, lane);
    lane->right = ram_proves(&work);
}

/* Copy and write were proved on poisoned memory by ram_prepare and are checked again only where that costs little; the value that
 * other kernels return is computed once and must stay the same. */
static bool was_right(const struct job *job, const struct ram_lane *lane, const struct ram_work *work,
                      uint64_t result)
{
    const struct ram_task *task = &ram_tasks[work->kernel->operation];
    const struct chase chase = chase_of(job, lane);
    struct ram_memory *memory = memory_of(job, lane);
    if (ram_is_latency(job->point))
        return memory->node == chase_node(&chase, memory->loads);
    if (task->stores)
        return !ram_is_near(job->point) || task->is_right(work, result);
    if (memory->checked)
        return result == memory->result;
    memory->result = result;
    return memory->checked = task->is_right(work, result);
}

/* An untimed pass comes first in L1 and L2; of a chain one over its lines, and in L1 and L2 another. */
static void sample_lane(const struct job *job, struct ram_lane *lane)
{
    struct ram_slicing slicing = {.work = work_of(job, lane), .slices = &lane->slices};
    struct lane_time *time = &job->ram->time[lane - job->ram->lane];
    const bool latency = ram_is_latency(job->point), near = ram_is_near(job->point);
    const struct chase chase = chase_of(job, lane);
    const uint64_t loads = chase.count * (near ? 2 : ram_in_cache(job->ram->plan, job->point));
    if (latency)
        slicing.memory = memory_of(job, lane);
    else
        ram_begin(&slicing.work);
    if (near && !latency)
        ram_call(&slicing.work, 1);
    for (uint64_t i = 0; latency && i < loads; i++)
        (void)*(const volatile unsigned char *)(chase.data + i % chase.count * chase.stride);
    const uint64_t switches = pin_involuntary_switches();
    time->begin_ns = clock_now_ns();
    time->ns = ram_take_slices(&slicing, job->passes, job->ram->run->core_clock, &lane->ghz);
    time->end_ns = clock_now_ns();
    lane->preempted = pin_involuntary_switches() != switches;
    lane->right = was_right(job, lane, &slicing.work, slicing.result);
    if (!latency)
        ram_toggle_marks(&slicing.work);
}

static bool all_right(const struct ram *ram)
{
    for (int i = 0; i < ram->count; i++)
        if (!ram->lane[i].right)
            return false;
    return true;
}

static enum status check_right(const struct ram *ram, const struct ram_point *point, struct fault *fault)
{
    if (all_right(ram))
        return STATUS_OK;
    return fault_set(fault, STATUS_FAILED,
                     "%s did not do its work on %" PRIu64
                     " bytes: nothing it says can be used; "
                     "please report this with the output of `uarchprobe info`",
                     point->kernel->name, point->kernel_bytes);
}

/* Of a sample of that many passes, the shortest: a thread that came late had the time of the others, but not the passes. */
static double shortest_ns(const struct ram *ram, uint64_t passes)
{
    double ns = INFINITY;
    for (int i = 0; i < ram->count; i++)
        ns = fmin(ns, ram->time[i].ns);
    return ns * (double)passes;
}

/* ns; INFINITY: a fault. */
static double time_passes(struct job *job, uint64_t passes)
{
    const uint64_t begin_ns = clock_now_ns();
    job->passes = passes;
    if (run_all(job))
        return INFINITY;
    job->point->expected_s = (double)(clock_now_ns() - begin_ns) * 1e-9;
    return shortest_ns(job->ram, passes);
}

enum status ram_fill(struct ram *ram, uint64_t bytes, struct fault *fault)
{
    struct job job = {.ram = ram, .passes = bytes, .work = fill_lane, .fault = fault};
    const uint64_t begin_ns = clock_now_ns(), before = ram->lane[0].filled;
    if (bytes <= before || run_all(&job))
        return fault->status;
    if (ram->lane[0].filled > before)
        ram->fill_ns_per_byte = (double)(clock_now_ns() - begin_ns) / (double)(ram->lane[0].filled - before);
    return fault->status;
}

/* Whether it is filled, and a proof, which passes over the set some four times, as filling does, ends before the deadline. */
static bool can_be_proved(const struct ram *ram, const struct ram_point *point, uint64_t end)
{
    if (ram->deadline_ns == UINT64_MAX)
        return true;
    for (int i = 0; i < ram->count; i++)
        if (ram->lane[i].filled < end)
            return false;
    const double proof_ns = ram_is_latency(point) ? 0 : ram->fill_ns_per_byte * (double)point->kernel_bytes;
    return clock_now_ns() + (uint64_t)proof_ns < ram->deadline_ns;
}

enum status ram_prepare(struct ram *ram, struct ram_point *point, struct fault *fault)
{
    const bool latency = ram_is_latency(point), near = ram_is_near(point);
    const uint64_t least = latency ? 64 : near ? RAM_SLICES : 1;
    const double sample_ns = ram_sample_ns(ram->run->common, point);
    const struct ram_plan *plan = ram->plan;
    const uint64_t near_bytes = plan->near_source > plan->near_target ? plan->near_source : plan->near_target;
    const uint64_t end = near ? RAM_PLACEMENTS * near_bytes
                              : point->chain_offset + point->kernel_bytes + TARGET_OFFSET + SLACK_BYTES;
    struct job job = {ram, point, 1, latency ? build_chain : prove_lane, fault};
    if (ram_fill(ram, end, fault) || !can_be_proved(ram, point, end))
        return fault->status;
    if (run_all(&job) || (!latency && check_right(ram, point, fault)) || !all_right(ram))
        return fault->status;
    job.work = sample_lane;
    point->passes = least;
    time_passes(&job, point->passes); /* a warm-up */
    for (double ns = 0;
         (ns = time_passes(&job, point->passes)) < sample_ns && point->passes <= PASSES_MOST / 2;) {
        /* Jumps to the last doubling that surely falls short, so that little time goes into short samples. */
        do {
            point->passes *= 2;
            ns *= 2;
        } while (ns > 0 && ns < sample_ns / 2 && point->passes <= PASSES_MOST / 2);
    }
    /* As passes double, it is half a sample too long. */
    const double ratio = sample_ns / shortest_ns(ram, job.passes);
    if (ratio < 1)
        point->passes = (uint64_t)ceil(fmax(ratio * (double)point->passes, (double)least));
    return fault->status;
}

bool ram_remap(void *context, unsigned placement, struct fault *fault)
{
    struct ram *ram = context;
    ram->placement = placement;
    for (size_t i = 0; i < ram->plan->point_count; i++) {
        struct ram_point *point = &ram->plan->points[i];
        struct job job = {ram, point, 1, build_chain, fault};
        if (ram_is_latency(point) && ram_is_near(point) && point->passes > 0 && run_all(&job))
            return false;
    }
    return true;
}

/* The clock is the mean of the lanes whose reading stands. */
bool ram_sample(void *context, size_t index, size_t count, double *value, struct fault *fault)
{
    struct ram *ram = context;
    struct ram_point *point = &ram->plan->points[index];
    struct job job = {ram, point, .work = sample_lane, .fault = fault};
    time_passes(&job, point->passes);
    if (fault->status || check_right(ram, point, fault))
        return false;
    bool preempted = false;
    double sum = 0, known = 0;
    for (int i = 0; i < ram->count; i++) {
        const double ghz = ram->lane[i].ghz;
        preempted = preempted || ram->lane[i].preempted;
        known += !isnan(ghz);
        sum += isnan(ghz) ? 0 : ghz;
    }
    ram->preempted += preempted;
    value[RAM_NS] = lanes_ns(ram->time, ram->count);
    value[RAM_CYCLES] = value[RAM_NS] * (sum / known);
    core_clock_keep(ram->run->core_clock, sum / known);
    return true;
}

enum status ram_open(struct ram *ram, enum page_kind pages, int node, struct fault *fault)
{
    const struct ram_plan *plan = ram->plan;
    const struct run *run = ram->run;
    struct memory_request request = {.pages = pages, .node = node, .topology = run->topology};
    ram->count = (int)plan->threads;
    ram->deadline_ns = UINT64_MAX;
    ram->lane = memory_zeroed(plan->threads, sizeof *ram->lane);
    ram->time = memory_zeroed(plan->threads, sizeof *ram->time);
    for (int i = 0; i < ram->count; i++) {
        struct ram_lane *lane = &ram->lane[i];
        lane->memory = memory_zeroed(plan->point_count, sizeof *lane->memory);
        request.bytes = plan->source_bytes + SLACK_BYTES;
        if (memory_map(&lane->source, &request, fault))
            return fault->status;
        request.bytes = plan->target_bytes + TARGET_OFFSET + SLACK_BYTES;
        if (memory_map(&lane->target, &request, fault))
            return fault->status;
    }
    ram->sibling = sibling_new(run->cpu, run->clock);
    ram->team = team_new(run->cpus.id, ram->count, fault);
    return ram->team ? STATUS_OK : fault->status;
}

void ram_close(struct ram *ram)
{
    if (ram->team)
        team_free(ram->team);
    for (int i = 0; ram->lane && i < ram->count; i++) {
        memory_release(&ram->lane[i].source);
        memory_release(&ram->lane[i].target);
        samples_free(&ram->lane[i].slices);
        free(ram->lane[i].memory);
    }
    free(ram->lane);
    free(ram->time);
    sibling_free(ram->sibling);
}
