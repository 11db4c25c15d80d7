/* SPDX-License-Identifier: MIT */
/* The operations as tasks of `ram`, and the proof that their kernels move what they claim. */
#include <string.h>

#include "ram.h"

enum { WRITTEN = 0x5a }; /* by write, each byte */

/* The OR over elements of `width` bytes, folded to 64 bits by OR-ing every 8 bytes; narrower elements keep their
 * width. */
static uint64_t expected_or(const unsigned char *source, uint64_t bytes, unsigned width)
{
    uint64_t all = 0, word;
    uint64_t at = 0;
    for (; at + 8 <= bytes; at += 8) {
        memcpy(&word, source + at, 8);
        all |= word;
    }
    for (unsigned shift = 0; at < bytes; at++, shift += 8)
        all |= (uint64_t)source[at] << shift;
    for (unsigned bits = 32; bits >= 8 * width; bits /= 2)
        all = (all | all >> bits) & ((UINT64_C(1) << bits) - 1);
    return all;
}

bool ram_is_right(const struct ram_work *work, uint64_t result)
{
    switch (work->kernel->operation) {
    case OPERATION_COPY:
        return memcmp(work->target, work->source, work->bytes) == 0;
    case OPERATION_WRITE:
        return work->target[0] == WRITTEN && memcmp(work->target, work->target + 1, work->bytes - 1) == 0;
    case OPERATION_AGG_OR:
        return result == expected_or(work->source, work->bytes, kernel_bits(work->kernel) / 8);
    default: /* compare: equal; read: nothing to say */
        return result == 0;
    }
}

/* In the order of enum operation. */
const char *const ram_task_names[] = {"copy", "write", "compare", "agg-or", "read", "latency", NULL};

/* RAMOMETER's compare reads the first half of both buffers. */
const struct ram_task ram_tasks[] = {
    [OPERATION_COPY] = {2, 2, 1, .loads = true, .on_target = true, .stores = true},
    [OPERATION_WRITE] = {1, 1, 1, .on_target = true, .stores = true},
    [OPERATION_COMPARE] = {1, 1, 2, .loads = true, .on_target = true},
    [OPERATION_AGG_OR] = {1, 1, 1, .loads = true},
    [OPERATION_READ] = {1, 1, 1, .loads = true},
    [OPERATION_LATENCY] = {1, 1, 1, .loads = true},
};

uint64_t ram_call(const struct ram_work *work, uint64_t passes)
{
    const struct ram_task *task = &ram_tasks[work->kernel->operation];
    return kernel_call(work->kernel, task->on_target ? work->target : work->source,
                       task->loads ? work->source : (void *)(uintptr_t)WRITTEN, work->bytes, passes);
}

/* Marks that stay would lie inside every larger set, and its end could go unread. A kernel without loads may have a
 * shorter source. */
void ram_toggle_marks(const struct ram_work *work)
{
    if (!ram_tasks[work->kernel->operation].loads)
        return;
    work->source[0] ^= 0x20;
    work->source[work->bytes / 2] ^= 0x40;
    work->source[work->bytes - 1] ^= 0x80;
}

void ram_begin(const struct ram_work *work)
{
    ram_toggle_marks(work);
    if (work->kernel->operation == OPERATION_COMPARE)
        memcpy(work->target, work->source, work->bytes);
}

bool ram_proves(const struct ram_work *work)
{
    ram_begin(work);
    if (ram_tasks[work->kernel->operation].stores)
        memset(work->target, 0xaa, work->bytes);
    bool right = ram_is_right(work, ram_call(work, 1));
    if (work->kernel->operation == OPERATION_COMPARE) { /* or it may have read nothing */
        work->target[work->bytes - 1] ^= 1;
        right = right && ram_call(work, 1) != 0;
        work->target[work->bytes - 1] ^= 1;
    }
    ram_toggle_marks(work);
    return right;
}
