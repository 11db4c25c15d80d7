/* SPDX-License-Identifier: MIT */
/* The threads of `ram`, their buffers, and their parts of a sample. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "ram.h"

enum {
    LINE_MOST = 256,
    SLICES = 20,
    SLACK_BYTES = 4096, /* for buffers off by a byte */
    /* Keeps loads and stores of one loop off the same 4 KiB offset (4K aliasing) and cache sets. */
    TARGET_OFFSET = 9 * LINE_MOST,
    PIECE_BYTES = 1 << 20, /* filling more than needed would cost a short budget */
    /* Draws that a stream warms a cache for, in a sample; lines and loads that show what drawing costs. */
    DRAWS = 1024,
    FEW_BYTES = 4096,
    FEW_LOADS = 1024
};

static const uint64_t PASSES_MOST = UINT64_C(1) << 40;

/* A job is hung after DEADLINE_S and DEADLINE_S_PER_BYTE for each byte of its buffers. */
static const double DEADLINE_S = 300, DEADLINE_S_PER_BYTE = 1e-7;

/* Runs ram->work in each lane, for that point. */
static void run_lane(void *context, int member)
{
    struct ram *ram = context;
    ram->work(ram, &ram->lane[member]);
}

static enum status run_all(struct ram *ram, struct ram_point *point, uint64_t passes,
                           void (*work)(struct ram *ram, struct ram_lane *lane), struct fault *fault)
{
    const double deadline_s = DEADLINE_S + DEADLINE_S_PER_BYTE * (double)ram_plan_memory(ram->plan);
    ram->point = point;
    ram->count = (int)(point ? point->set->crew : ram_all(ram->plan))->threads;
    ram->passes = passes;
    ram->work = work;
    if (team_run(ram->team, NULL, ram->count, run_lane, ram, deadline_s))
        return STATUS_OK;
    if (team_check(ram->team, fault) != STATUS_OK)
        return fault->status;
    return fault_set(fault, STATUS_FAILED,
                     "%s did not end within %.0f s: a CPU is overcommitted or was taken away",
                     point ? point->kernel->name : "filling the buffers", deadline_s);
}

static struct ram_work work_of(const struct ram *ram, const struct ram_lane *lane)
{
    const struct ram_plan *plan = ram->plan;
    const struct ram_point *point = ram->point;
    const struct kernel *kernel = point->kernel;
    const uint64_t placement = ram_is_near(point) ? ram->placement : 0;
    const enum access_mode of_target = ram_tasks[ram_task_of(kernel)].stores ? kernel->store : kernel->load;
    struct ram_work work = {.kernel = kernel,
                            .source = lane->source.data + placement * plan->near_source +
                                      (kernel->load == ACCESS_UNALIGNED),
                            .target = lane->target.data + placement * plan->near_target + TARGET_OFFSET +
                                      (of_target == ACCESS_UNALIGNED),
                            .bytes = point->kernel_bytes,
                            .chase = ram_chain(plan, point),
                            .streamed = ram_in_cache(plan, point),
                            .memory = &lane->memory[point - plan->points]};
    work.chase.data = work.source + point->chain_offset;
    work.source = ram_tasks[ram_task_of(kernel)].buffers ? work.target + ram_stride(work.bytes) : work.source;
    return work;
}

/* Fills the next piece of both buffers: non-zero bytes by their address; the three high bits are for marks. */
static void fill_lane(struct ram *ram, struct ram_lane *lane)
{
    const struct memory *const both[] = {&lane->source, &lane->target};
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t left = both[i]->bytes > ram->filled ? both[i]->bytes - ram->filled : 0;
        struct memory piece = {.data = both[i]->data + ram->filled,
                               .bytes = left < PIECE_BYTES ? left : PIECE_BYTES};
        uint64_t *word = (uint64_t *)piece.data;
        memory_touch(&piece, 1 + i + ram->filled);
        for (uint64_t k = 0; k < piece.bytes / 8; k++)
            word[k] = (word[k] & UINT64_C(0x1f1f1f1f1f1f1f1f)) | UINT64_C(0x0101010101010101);
    }
}

/* Fills the first `bytes` of the buffers, unless done. False: the deadline came. */
static bool fill(struct ram *ram, uint64_t bytes, struct fault *fault)
{
    while (ram->filled < bytes && clock_now_ns() < ram->deadline_ns) {
        if (run_all(ram, NULL, 0, fill_lane, fault))
            return false;
        ram->filled += PIECE_BYTES;
    }
    return ram->filled >= bytes;
}

/* Builds the chain of a latency; of draws, the few lines that show their cost. */
static void build_chain(struct ram *ram, struct ram_lane *lane)
{
    const struct ram_work work = work_of(ram, lane);
    const bool drawn = ram->point->kernel->operation == OPERATION_DRAW;
    for (size_t i = 0; i < ram->plan->point_count; i++)
        lane->memory[i].checked = false; /* the chain changes what others read */
    *work.memory = (struct ram_memory){.node = chase_node(&work.chase, 0), .result = 1};
    chase_link(drawn ? &lane->few : &work.chase);
    lane->right = true;
}

static void prove_lane(struct ram *ram, struct ram_lane *lane)
{
    const struct ram_work work = work_of(ram, lane);
    lane->right = ram_proves(&work);
}

/* ns of a draw, less what drawing takes: a draw and a walk of the same few lines show it. */
static double draw(const struct ram_lane *lane)
{
    kernel_entry *draws = lane->work.kernel->entry;
    const struct kernel *walk = kernel_next(&(struct kernel_filter){.name = NULL}, OPERATION_LATENCY, NULL);
    const struct chase *set = &lane->work.chase, *few = &lane->few;
    const void *stride = (const void *)(uintptr_t)set->stride;
    struct ram_memory *at = lane->work.memory;
    uint64_t ns[4];
    for (uint64_t i = 0; lane->work.streamed && i < set->count; i++)
        (void)*(const volatile unsigned char *)(set->data + i * set->stride);
    ns[0] = clock_now_ns();
    at->result = draws(set->data, stride, lane->slice_passes, set->count, at->result, 0);
    ns[1] = clock_now_ns();
    kernel_call(walk, few->data, NULL, few->count, 0);
    ns[2] = clock_now_ns();
    draws(few->data, stride, FEW_LOADS, few->count, 1, 0);
    ns[3] = clock_now_ns();
    kernel_call(walk, few->data, NULL, FEW_LOADS, 0);
    const double few_ns = (double)(ns[3] - ns[2]) - (double)(clock_now_ns() - ns[3]);
    at->loads += lane->slice_passes;
    return (double)(ns[1] - ns[0]) / (double)lane->slice_passes - few_ns / FEW_LOADS;
}

/* Runs one slice; the last part of a pass takes the remainder. */
static void take_slice(void *context)
{
    struct ram_lane *lane = context;
    const uint64_t parts = lane->work.bytes / lane->slice_bytes, part = lane->slices.count % parts;
    struct ram_work work = lane->work;
    if (lane->slices.count >= lane->slice_count)
        return;
    if (work.kernel->operation == OPERATION_DRAW) {
        samples_add(&lane->slices, draw(lane));
        return;
    }
    work.source += part * lane->slice_bytes;
    work.target += part * lane->slice_bytes;
    work.bytes = part + 1 < parts ? lane->slice_bytes : work.bytes - part * lane->slice_bytes;
    const uint64_t begin_ns = clock_now_ns();
    if (work.kernel->operation == OPERATION_LATENCY) {
        struct ram_memory *at = work.memory;
        at->node = (void *)(uintptr_t)kernel_call(work.kernel, at->node, NULL, lane->slice_passes, 0);
        at->loads += lane->slice_passes;
    } else {
        lane->result |= ram_call(&work, lane->slice_passes);
    }
    const double ns = (double)(clock_now_ns() - begin_ns),
                 share = (double)work.bytes / (double)lane->work.bytes;
    samples_add(&lane->slices, ns / share / (double)lane->slice_passes);
}

/* Takes a sample in slices of equal work, each right before readings of the core clock, so that they show the
 * kernel's clock: after 512-bit arithmetic it stays lower for 2 to 10 us only. The median of the slices drops most
 * interruptions. Beyond the core a slice may be a part of a pass; within it, pauses for the clock would let pending
 * write-backs finish and make parts faster than the whole. Returns ns of a pass (of a load). */
static double take_slices(struct ram_lane *lane, uint64_t passes, const struct core_clock *core_clock)
{
    struct samples cycles = {0};
    /* Whole elements and lines. */
    const uint64_t bits = kernel_bits(lane->work.kernel), unit = LINE_MOST * (bits ? bits / 8 : 1),
                   part = lane->work.bytes / SLICES / unit * unit;
    const bool divided = passes < SLICES && part > 0;
    lane->slice_bytes = divided ? part : lane->work.bytes;
    lane->slice_passes = passes < SLICES ? 1 : passes / SLICES;
    lane->slice_count = passes < SLICES ? passes * (lane->work.bytes / lane->slice_bytes) : SLICES;
    lane->slices.count = 0;
    lane->result = 0;
    while (lane->slices.count < lane->slice_count) {
        const size_t first = lane->slices.count;
        const double clock = core_clock_ghz_under(core_clock, take_slice, lane);
        samples_add(&cycles, clock * median_of(lane->slices.value + first, lane->slices.count - first));
    }
    const double ns = median_of(lane->slices.value, lane->slices.count);
    lane->ghz = median_of(cycles.value, cycles.count) / ns;
    samples_free(&cycles);
    return ns;
}

/* The state after that many draws from 1 on. */
static uint64_t drawn_state(uint64_t draws)
{
    uint64_t state = 1;
    for (uint64_t factor = KERNEL_DRAW; draws > 0; draws /= 2, factor *= factor)
        state *= draws % 2 ? factor : 1;
    return state;
}

/* ram_prepare proved copy and write on poisoned memory; later checks are made only where they cost little. The value
 * that other kernels return is computed once and must stay the same. */
static bool was_right(const struct ram_point *point, const struct ram_lane *lane)
{
    const struct ram_work *work = &lane->work;
    struct ram_memory *memory = work->memory;
    if (point->kernel->operation == OPERATION_DRAW)
        return memory->result == drawn_state(memory->loads);
    if (ram_is_latency(point))
        return memory->node == chase_node(&work->chase, memory->loads);
    if (ram_tasks[work->kernel->operation].stores)
        return !ram_is_near(point) || ram_is_right(work, lane->result);
    if (memory->checked)
        return lane->result == memory->result;
    memory->result = lane->result;
    return memory->checked = ram_is_right(work, lane->result);
}

/* In L1 and L2 an untimed pass comes first; a chain's lines are read twice. */
static void sample_lane(struct ram *ram, struct ram_lane *lane)
{
    const bool latency = ram_is_latency(ram->point), near = ram_is_near(ram->point);
    lane->work = work_of(ram, lane);
    if (latency) {
        const struct chase *chase = &lane->work.chase;
        for (uint64_t i = 0; near && i < 2 * chase->count; i++)
            (void)*(const volatile unsigned char *)(chase->data + i % chase->count * chase->stride);
    } else {
        ram_begin(&lane->work, near);
        if (near)
            ram_call(&lane->work, 1);
    }
    const uint64_t switches = pin_involuntary_switches();
    lane->begin_ns = clock_now_ns();
    lane->ns = take_slices(lane, ram->passes, ram->run->core_clock);
    lane->end_ns = clock_now_ns();
    lane->preempted = pin_involuntary_switches() != switches;
    lane->right = was_right(ram->point, lane);
    if (!latency)
        ram_toggle_marks(&lane->work);
}

static bool all_right(const struct ram *ram, struct fault *fault)
{
    bool right = true;
    for (int i = 0; i < ram->count; i++)
        right = right && ram->lane[i].right;
    if (!right)
        fault_set(fault, STATUS_FAILED,
                  "%s did not do its work on %" PRIu64
                  " bytes: its results are wrong; "
                  "please report this with the output of `uarchprobe info`",
                  ram->point->kernel->name, ram->point->kernel_bytes);
    return right;
}

/* ns of that many passes in the fastest lane: a late lane waited for the others. INFINITY: a fault. */
static double time_passes(struct ram *ram, struct ram_point *point, uint64_t passes, struct fault *fault)
{
    const uint64_t begin_ns = clock_now_ns();
    double ns = INFINITY;
    if (run_all(ram, point, passes, sample_lane, fault))
        return ns;
    point->expected_s = (double)(clock_now_ns() - begin_ns) * 1e-9;
    for (int i = 0; i < ram->count; i++)
        ns = fmin(ns, ram->lane[i].ns);
    return ns * (double)passes;
}

enum status ram_prepare(struct ram *ram, struct ram_point *point, struct fault *fault)
{
    const bool latency = ram_is_latency(point), near = ram_is_near(point);
    const bool drawn = point->kernel->operation == OPERATION_DRAW;
    const uint64_t least = drawn ? SLICES * DRAWS : latency ? 64 : near ? SLICES : 1;
    const double sample_ns = ram_sample_ns(ram->run->common, point);
    const struct ram_plan *plan = ram->plan;
    const uint64_t near_bytes = plan->near_source > plan->near_target ? plan->near_source : plan->near_target;
    const uint64_t bytes = point->chain_offset + ram_span(point->kernel, point->kernel_bytes);
    const uint64_t end = near ? RAM_PLACEMENTS * near_bytes : bytes + TARGET_OFFSET + SLACK_BYTES;
    if (!fill(ram, end, fault) || clock_now_ns() >= ram->deadline_ns ||
        run_all(ram, point, 1, latency ? build_chain : prove_lane, fault))
        return fault->status;
    if (!all_right(ram, fault))
        return fault->status;
    point->passes = least;
    time_passes(ram, point, point->passes, fault); /* a warm-up */
    double ns = time_passes(ram, point, point->passes, fault);
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
    struct ram *ram = context;
    ram->placement = placement;
    for (size_t i = 0; i < ram->plan->point_count; i++) {
        struct ram_point *point = &ram->plan->points[i];
        if (point->kernel->operation == OPERATION_LATENCY && point->passes > 0 &&
            run_all(ram, point, 1, build_chain, fault))
            return false;
    }
    return true;
}

/* The share of the shortest thread's time that all threads must have in common. */
static const double TOGETHER = 0.9;

double ram_lanes_ns(const struct ram_lane *lane, int count)
{
    uint64_t begin = 0, end = UINT64_MAX;
    double rate = 0, shortest = INFINITY;
    for (int i = 0; i < count; i++) {
        begin = lane[i].begin_ns > begin ? lane[i].begin_ns : begin;
        end = lane[i].end_ns < end ? lane[i].end_ns : end;
        shortest = fmin(shortest, (double)(lane[i].end_ns - lane[i].begin_ns));
        rate += 1 / lane[i].ns;
    }
    const double together = end > begin ? (double)(end - begin) : 0;
    return together >= TOGETHER * shortest ? count / rate : NAN;
}

/* The clock is the mean of the lanes with a valid reading. */
bool ram_sample(void *context, size_t index, size_t count, double *value, struct fault *fault)
{
    struct ram *ram = context;
    struct ram_point *point = &ram->plan->points[index];
    (void)count; /* each point alone */
    time_passes(ram, point, point->passes, fault);
    if (fault->status || !all_right(ram, fault))
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
    value[RAM_NS] = ram_lanes_ns(ram->lane, ram->count);
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
    ram->deadline_ns = UINT64_MAX;
    ram->lane = memory_zeroed((size_t)threads, sizeof *ram->lane);
    for (int i = 0; i < threads; i++) {
        struct ram_lane *lane = &ram->lane[i];
        lane->memory = memory_zeroed(plan->point_count, sizeof *lane->memory);
        request.bytes = ram_source_bytes(plan, (uint64_t)i) + SLACK_BYTES + FEW_BYTES;
        if (memory_map(&lane->source, &request, fault))
            return fault->status;
        lane->few =
            (struct chase){.data = lane->source.data + (request.bytes - FEW_BYTES) / LINE_MOST * LINE_MOST,
                           .count = FEW_BYTES / plan->line_bytes,
                           .stride = plan->line_bytes};
        request.bytes = ram_target_bytes(plan, (uint64_t)i) + TARGET_OFFSET + SLACK_BYTES;
        if (memory_map(&lane->target, &request, fault))
            return fault->status;
    }
    ram->sibling = sibling_new(run->cpu, run->clock);
    ram->team = team_new(run->cpus.id, threads, fault);
    return ram->team ? STATUS_OK : fault->status;
}

void ram_close(struct ram *ram)
{
    if (ram->team)
        team_free(ram->team);
    for (uint64_t i = 0; ram->lane && i < ram_all(ram->plan)->threads; i++) {
        memory_release(&ram->lane[i].source);
        memory_release(&ram->lane[i].target);
        samples_free(&ram->lane[i].slices);
        free(ram->lane[i].memory);
    }
    free(ram->lane);
    sibling_free(ram->sibling);
}
