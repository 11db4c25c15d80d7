/* SPDX-License-Identifier: MIT */
/* One sample, in slices of like work, each right before a round of readings of the core clock, which is that of the kernel
 * then: after 512-bit arithmetic it stays lower for 2 to 10 us only. The median of the slices is free of most of what
 * interrupts. Beyond the core a slice may be a part of a pass; within it, the pauses for the clock would empty what waits to
 * be written back, and parts of a pass be faster than the whole. */
#include <math.h>

#include "ram.h"

static void divide(struct ram_slicing *s, uint64_t passes)
{
    /* Whole elements and lines. */
    const uint64_t bits = kernel_bits(s->work.kernel), unit = RAM_LINE_MOST * (bits ? bits / 8 : 1);
    s->bytes = s->work.bytes;
    s->count = RAM_SLICES;
    s->passes = passes / RAM_SLICES;
    if (s->passes > 0)
        return;
    s->passes = 1;
    s->bytes = s->work.bytes / RAM_SLICES / unit * unit;
    if (!s->bytes)
        s->bytes = s->work.bytes;
    s->count = passes * (s->work.bytes / s->bytes);
}

/* The last part of a pass has what the others leave. */
static void take_slice(void *context)
{
    struct ram_slicing *s = context;
    const uint64_t parts = s->work.bytes / s->bytes, part = s->slices->count % parts;
    struct ram_work work = s->work;
    if (s->slices->count >= s->count)
        return;
    work.source += part * s->bytes;
    work.target += part * s->bytes;
    work.bytes = part + 1 < parts ? s->bytes : work.bytes - part * s->bytes;
    const uint64_t begin_ns = clock_now_ns();
    if (s->memory) {
        s->memory->node = (void *)(uintptr_t)kernel_call(work.kernel, s->memory->node, NULL, s->passes, 0);
        s->memory->loads += s->passes;
    } else {
        s->result |= ram_call(&work, s->passes);
    }
    const double ns = (double)(clock_now_ns() - begin_ns);
    const double share = s->memory ? 1 : (double)work.bytes / (double)s->work.bytes;
    samples_add(s->slices, ns / share / (double)s->passes);
}

double ram_take_slices(struct ram_slicing *s, uint64_t passes, const struct core_clock *core_clock,
                       double *ghz)
{
    struct samples cycles = {0};
    s->slices->count = 0;
    divide(s, passes);
    while (s->slices->count < s->count) {
        const size_t first = s->slices->count;
        const double clock = core_clock_ghz_under(core_clock, take_slice, s);
        samples_add(&cycles, clock * median_of(s->slices->value + first, s->slices->count - first));
    }
    const double ns = median_of(s->slices->value, s->slices->count);
    *ghz = median_of(cycles.value, cycles.count) / ns;
    samples_free(&cycles);
    return ns;
}
