/* SPDX-License-Identifier: MIT */
/* A thread's part of a sample of `ram`, in slices. */
#include <math.h>

#include "modes.h"
#include "ram.h"
#include "uarchprobe/cycles.h"

/* ns of a draw, less what drawing takes. */
static double draw(const struct ram_lane *lane)
{
    const struct chase *set = &lane->work.chase;
    struct ram_memory *at = lane->work.memory;
    for (uint64_t i = 0; lane->work.streamed && i < set->count; i++)
        (void)*(const volatile unsigned char *)(set->data + i * set->stride);
    const uint64_t begin_ns = clock_now_ns();
    at->result = lane->work.kernel->entry(set->data, (const void *)(uintptr_t)set->stride, lane->slice_passes,
                                          set->count, at->result, 0);
    const double ns = (double)(clock_now_ns() - begin_ns) / (double)lane->slice_passes;
    at->loads += lane->slice_passes;
    return ns - ram_drawing_ns(lane->clock);
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

/* Takes a sample in slices of equal work, each right before readings of the core clock, so that they show
 * the kernel's clock: after 512-bit arithmetic it stays lower for 2 to 10 us only. The median of the slices
 * drops most interruptions. Beyond the core a slice may be a part of a pass; within it, pauses for the clock
 * would let pending write-backs finish and make parts faster than the whole. Returns ns of a pass (of a
 * load). */
static double take_slices(struct ram_lane *lane, uint64_t passes, const struct core_clock *core_clock)
{
    struct samples cycles = {0};
    /* Whole elements and lines. */
    const uint64_t bits = kernel_bits(lane->work.kernel), unit = RAM_LINE_MOST * (bits ? bits / 8 : 1),
                   part = lane->work.bytes / RAM_SLICES / unit * unit;
    const bool divided = passes < RAM_SLICES && part > 0;
    lane->slice_bytes = divided ? part : lane->work.bytes;
    lane->slice_passes = passes < RAM_SLICES ? 1 : passes / RAM_SLICES;
    lane->slice_count = passes < RAM_SLICES ? passes * (lane->work.bytes / lane->slice_bytes) : RAM_SLICES;
    lane->slices.count = 0;
    lane->result = 0;
    lane->clock = core_clock->clock;
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

/* ram_prepare proved copy and write on poisoned memory; later checks are made only where they cost little.
 * The value that other kernels return is computed once and must stay the same. */
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
    const bool right = ram_is_right(work, lane->result);
    memory->result = lane->result;
    memory->checked = right && work->bytes == point->kernel_bytes;
    return right;
}

/* Passes over the parts of memory before that of the sample, which is prepared first: that brings lines of
 * it into the caches. */
static void pass_before(const struct ram *ram, struct ram_lane *lane)
{
    const uint64_t last = lane->turn + ram_parts_before(ram->plan, ram->point);
    for (; lane->turn < last; lane->turn++) {
        const struct ram_work work = ram_work_of(ram, lane);
        ram_begin(&work, false);
        ram_call(&work, 1);
        ram_toggle_marks(&work);
    }
}

/* In L1 and L2 an untimed pass comes first; a chain's lines are read twice. */
void ram_sample_lane(struct ram *ram, struct ram_lane *lane)
{
    const bool latency = ram_is_latency(ram->point), near = ram_is_near(ram->point);
    lane->turn += ram_parts_before(ram->plan, ram->point);
    lane->work = ram_work_of(ram, lane);
    lane->turn -= ram_parts_before(ram->plan, ram->point);
    if (ram->point->kernel->operation == OPERATION_LATENCY) {
        const struct chase *chase = &lane->work.chase;
        chase_link(chase);
        for (uint64_t i = 0; i < 2 * chase->count; i++)
            (void)*(const volatile unsigned char *)(chase->data + i % chase->count * chase->stride);
        *lane->work.memory = (struct ram_memory){.node = chase_node(chase, 0)};
    } else if (latency) {
        lane->work.memory->result |= lane->work.memory->loads == 0; /* the first draw's state is 1 */
    } else {
        ram_begin(&lane->work, near);
        if (near)
            ram_call(&lane->work, 1);
        pass_before(ram, lane);
    }
    lane->turn++;
    const uint64_t switches = pin_involuntary_switches();
    lane->begin_ns = clock_now_ns();
    lane->ns = take_slices(lane, ram->passes, ram->run->core_clock);
    lane->end_ns = clock_now_ns();
    lane->preempted = pin_involuntary_switches() != switches;
    lane->right = was_right(ram->point, lane);
    if (!latency)
        ram_toggle_marks(&lane->work);
}
