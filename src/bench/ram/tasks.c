/* SPDX-License-Identifier: MIT */
/* What each operation is as a task of `ram`, and the proof that its kernels move what they claim. */
#include <string.h>

#include "ram.h"

uint64_t ram_expected_or(const unsigned char *source, uint64_t bytes, unsigned width)
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

bool ram_all_bytes_are(const unsigned char *data, uint64_t bytes, unsigned char value)
{
    return bytes == 0 || (data[0] == value && memcmp(data, data + 1, bytes - 1) == 0);
}

static bool is_copied(const struct ram_work *work, uint64_t result)
{
    return memcmp(work->target, work->source, work->bytes) == 0;
}

static bool is_written(const struct ram_work *work, uint64_t result)
{
    return ram_all_bytes_are(work->target, work->bytes, work->value);
}

static bool is_or(const struct ram_work *work, uint64_t result)
{
    return result == ram_expected_or(work->source, work->bytes, kernel_bits(work->kernel) / 8);
}

/* compare: equal; read: nothing to say. */
static bool is_zero(const struct ram_work *work, uint64_t result)
{
    return result == 0;
}

/* operation, name, footprint, traffic, divisor, arguments, stores, proof. RAMOMETER's compare reads
 * the first half of both buffers. */
#define TASKS(X)                                                                                             \
    X(COPY, "copy", 2, 2, 1, TARGET, SOURCE, true, is_copied)                                                \
    X(WRITE, "write", 1, 1, 1, TARGET, VALUE, true, is_written)                                              \
    X(COMPARE, "compare", 1, 1, 2, TARGET, SOURCE, false, is_zero)                                           \
    X(AGG_OR, "agg-or", 1, 1, 1, SOURCE, NOTHING, false, is_or)                                              \
    X(READ, "read", 1, 1, 1, SOURCE, NOTHING, false, is_zero)                                                \
    X(LATENCY, "latency", 1, 1, 1, SOURCE, NOTHING, false, NULL)

#define NAME(id, name, ...) [OPERATION_##id] = (name),
const char *const ram_task_names[] = {TASKS(NAME)[RAM_TASK_COUNT] = NULL};

#define TASK(id, name, space, moved, part, a, b, puts, proof)                                                \
    [OPERATION_##id] = {space, moved, part, RAM_##a, RAM_##b, puts, proof},
const struct ram_task ram_tasks[] = {TASKS(TASK)};

static const struct ram_task *task_of(const struct ram_work *work)
{
    return &ram_tasks[work->kernel->operation];
}

static void *argument(const struct ram_work *work, enum ram_argument which)
{
    void *const arguments[] = {NULL, work->source, work->target, (void *)(uintptr_t)work->value};
    return arguments[which];
}

uint64_t ram_call(const struct ram_work *work, uint64_t passes)
{
    const struct ram_task *task = task_of(work);
    return kernel_call(work->kernel, argument(work, task->first), argument(work, task->second), work->bytes,
                       passes);
}

/* What only compares is given equal buffers. */
static bool compares(const struct ram_work *work)
{
    return task_of(work)->second == RAM_SOURCE && !task_of(work)->stores;
}

static bool loads(const struct ram_work *work)
{
    return task_of(work)->first == RAM_SOURCE || task_of(work)->second == RAM_SOURCE;
}

/* Left standing, the marks would lie inside every larger set, and its end could go unread. */
static void toggle_marks(const struct ram_work *work)
{
    if (!loads(work))
        return; /* the source may be shorter */
    work->source[0] ^= 0x20;
    work->source[work->bytes / 2] ^= 0x40;
    work->source[work->bytes - 1] ^= 0x80;
}

void ram_begin(const struct ram_work *work)
{
    toggle_marks(work);
    if (compares(work))
        memcpy(work->target, work->source, work->bytes);
}

void ram_end(const struct ram_work *work)
{
    toggle_marks(work);
}

/* A difference in the last byte, or it may have looked at nothing. */
static bool sees_a_difference(const struct ram_work *work)
{
    unsigned char *last = work->target + work->bytes - 1;
    *last ^= 1;
    const bool seen = ram_call(work, 1) != 0;
    *last ^= 1;
    return seen;
}

bool ram_proves(const struct ram_work *work)
{
    ram_begin(work);
    if (task_of(work)->stores)
        memset(work->target, 0xaa, work->bytes);
    const bool right =
        task_of(work)->is_right(work, ram_call(work, 1)) && (!compares(work) || sees_a_difference(work));
    ram_end(work);
    return right;
}
