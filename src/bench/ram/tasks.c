/* SPDX-License-Identifier: MIT */
/* The operations as tasks of `ram`, and the proof that their kernels move what they metric. */
#include <string.h>

#include "ram.h"

enum { WRITTEN = 0x5a }; /* by write, each byte */

/* Of doubles: exact whether a product is rounded by itself or not, and any number of updates stays in
 * range. */
static const double FACTOR = -1;

static double double_at(const unsigned char *at)
{
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* The second source of add and triad. */
static unsigned char *second_of(const struct ram_work *work)
{
    return work->source + (work->source - work->target);
}

/* Whether each element is what one pass makes of the sources; update: what any passes make of the same
 * elements. */
static bool is_mixed(const struct ram_work *work)
{
    const enum operation operation = work->kernel->operation;
    const double sign = double_at(work->target) < 0 ? -1 : 1;
    for (uint64_t i = 0; i < work->bytes; i += sizeof(double)) {
        const double b = double_at(work->source + i);
        const double x = operation >= OPERATION_ADD ? double_at(second_of(work) + i) : 0;
        const double is = operation == OPERATION_UPDATE  ? sign * b
                          : operation == OPERATION_SCALE ? FACTOR * b
                          : operation == OPERATION_ADD   ? b + x
                                                         : b + FACTOR * x;
        if (memcmp(work->target + i, &is, sizeof is) != 0)
            return false;
    }
    return true;
}

/* The OR over elements of `width` bytes, folded to 64 bits by OR-ing every 8 bytes; narrower elements keep
 * their width. */
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
    case OPERATION_UPDATE:
    case OPERATION_SCALE:
    case OPERATION_ADD:
    case OPERATION_TRIAD:
        return is_mixed(work);
    default: /* compare: equal; read: nothing to say */
        return result == 0;
    }
}

/* In the order of enum operation. */
const char *const ram_task_names[] = {"copy",  "write", "compare", "agg-or",  "read", "update",
                                      "scale", "add",   "triad",   "latency", "mix",  NULL};

/* RAMOMETER's compare reads the first half of both buffers; STREAM counts what is read and what is
 * written. */
const struct ram_task ram_tasks[] = {
    [OPERATION_COPY] = {2, 1, 1, 1, 1, .loads = true, .on_target = true, .stores = true},
    [OPERATION_WRITE] = {1, 1, 0, 1, 1, .on_target = true, .stores = true},
    [OPERATION_COMPARE] = {1, 1, 1, 0, 2, .loads = true, .on_target = true},
    [OPERATION_AGG_OR] = {1, 1, 1, 0, 1, .loads = true},
    [OPERATION_READ] = {1, 1, 1, 0, 1, .loads = true},
    [OPERATION_UPDATE] = {1, 2, 1, 1, 1, .on_target = true, .stores = true, .buffers = 2, .in_place = true},
    [OPERATION_SCALE] = {2, 2, 1, 1, 1, .on_target = true, .stores = true, .buffers = 2},
    [OPERATION_ADD] = {3, 3, 2, 1, 1, .on_target = true, .stores = true, .buffers = 3},
    [OPERATION_TRIAD] = {3, 3, 2, 1, 1, .on_target = true, .stores = true, .buffers = 3},
    [OPERATION_LATENCY] = {1, 1, 1, 0, 1, .loads = true},
};

/* Not at one offset in their pages, as loads behind a store there would wait for it. */
uint64_t ram_stride(uint64_t n)
{
    enum { PAGE = 4096, APART = 2304 };
    return (n + PAGE - 1) / PAGE * PAGE + APART;
}

uint64_t ram_span(const struct kernel *kernel, uint64_t n)
{
    const unsigned buffers = ram_tasks[ram_task_of(kernel)].buffers;
    return buffers ? (buffers - 1) * ram_stride(n) + n : n;
}

uint64_t ram_call(const struct ram_work *work, uint64_t passes)
{
    const struct ram_task *task = &ram_tasks[work->kernel->operation];
    uint64_t factor;
    memcpy(&factor, &FACTOR, sizeof factor);
    return work->kernel->entry(task->on_target ? work->target : work->source,
                               task->loads || task->buffers ? work->source : (void *)(uintptr_t)WRITTEN,
                               work->bytes, passes, (uintptr_t)second_of(work), factor);
}

/* Marks that stay would lie inside every larger set, and its end could go unread. A kernel without loads
 * may have a shorter source. */
void ram_toggle_marks(const struct ram_work *work)
{
    if (!ram_tasks[work->kernel->operation].loads)
        return;
    work->source[0] ^= 0x20;
    work->source[work->bytes / 2] ^= 0x40;
    work->source[work->bytes - 1] ^= 0x80;
}

/* Between 1 and 2: of the pointers and marks that other tasks leave behind some take many cycles each, and
 * of sums of another size one part could be left out. The elements of update are also kept in a source, which
 * it does not access. */
static void settle(const struct ram_work *work)
{
    const struct ram_task *task = &ram_tasks[work->kernel->operation];
    unsigned char *const source[] = {work->source, second_of(work)};
    for (unsigned i = 0; i + 1 < task->buffers; i++)
        for (uint64_t at = 0; at < work->bytes; at += sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, source[i] + at, sizeof word);
            word = (word & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000);
            memcpy(source[i] + at, &word, sizeof word);
        }
    if (task->in_place)
        memcpy(work->target, work->source, work->bytes);
}

void ram_begin(const struct ram_work *work, bool settled)
{
    if (settled)
        settle(work);
    ram_toggle_marks(work);
    if (work->kernel->operation == OPERATION_COMPARE)
        memcpy(work->target, work->source, work->bytes);
}

bool ram_proves(const struct ram_work *work)
{
    if (ram_tasks[work->kernel->operation].stores)
        memset(work->target, 0xaa, work->bytes);
    ram_begin(work, true);
    bool right = ram_is_right(work, ram_call(work, 1));
    if (work->kernel->operation == OPERATION_UPDATE)
        right = right && double_at(work->target) < 0;
    if (work->kernel->operation == OPERATION_COMPARE) { /* or it may have read nothing */
        work->target[work->bytes - 1] ^= 1;
        right = right && ram_call(work, 1) != 0;
        work->target[work->bytes - 1] ^= 1;
    }
    ram_toggle_marks(work);
    return right;
}
