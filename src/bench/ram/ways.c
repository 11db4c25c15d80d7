/* SPDX-License-Identifier: MIT */
/* The ways to do a task: which kernels a run of these options measures. */
#include "ram.h"

static bool in_set(uint64_t set, unsigned index)
{
    return set >> index & 1;
}

enum {
    MIXES = 1 << OPERATION_UPDATE | 1 << OPERATION_SCALE | 1 << OPERATION_ADD | 1 << OPERATION_TRIAD,
    ALL_OF_MIX = MIXES | 1 << OPERATION_READ | 1 << OPERATION_COPY
};

/* The mixes join a run where they are asked for, RAMOMETER's compare and agg-or also one of typed sizes. */
static uint64_t tasks_of(const struct ram_params *params, const struct run *run)
{
    const uint64_t usual =
        1 << OPERATION_READ | 1 << OPERATION_WRITE | 1 << OPERATION_COPY | 1 << OPERATION_LATENCY;
    if (!params->tasks)
        return params->sizes.count || params->all || run->kernels.name ? ~(uint64_t)MIXES : usual;
    return in_set(params->tasks, RAM_TASK_MIX) ? params->tasks | ALL_OF_MIX : params->tasks;
}

/* With --kernel the name decides, with --all nothing that is not given. A library's copy is neither plain nor
 * streaming. By default the table is short: aligned accesses, streaming stores, no kernel that is measured by
 * name only. */
static bool wanted(const struct ram_params *params, const struct kernel *kernel, bool named, bool apart)
{
    named |= params->all;
    const uint64_t everything = ~UINT64_C(0);
    const uint64_t aligned = 1, streaming = 4;
    const uint64_t loads = params->loads ? params->loads : named ? everything : aligned;
    const uint64_t stores = params->stores ? params->stores : named ? everything : aligned | streaming;
    const uint64_t own =
        apart && kernel->operation == OPERATION_COPY && !named ? 1 << METHOD_VECTOR : everything;
    const uint64_t methods = params->methods ? params->methods : own;
    if ((kernel->by_name && !named && !params->bits) || !in_set(methods, kernel->method))
        return false;
    if (kernel->load != ACCESS_NONE && !in_set(loads, kernel->load - ACCESS_ALIGNED))
        return false;
    if (kernel->store != ACCESS_NONE && !in_set(stores, kernel->store - ACCESS_ALIGNED))
        return false;
    const unsigned width = kernel_bits(kernel);
    const bool has_width = kernel->method == METHOD_SCALAR || kernel->method == METHOD_VECTOR;
    return !has_width || !params->bits || in_set(params->bits, (unsigned)__builtin_ctz(width) - 3);
}

bool ram_runs_task(const struct ram_params *params, const struct run *run, enum operation task)
{
    return in_set(tasks_of(params, run), task);
}

bool ram_is_apart(const struct ram_params *params, const struct run *run)
{
    return params->tasks && tasks_of(params, run) & MIXES && !params->stores;
}

bool ram_has_way(const struct ram_params *params, const struct run *run, const struct kernel *kernel,
                 bool apart)
{
    return wanted(params, kernel, run->kernels.name != NULL, apart);
}

bool ram_has_way_in_memory(const struct ram_params *params, const struct run *run,
                           const struct kernel *kernel)
{
    const bool stores = ram_tasks[ram_task_of(kernel)].stores,
               plain = kernel->method == METHOD_LIBC || kernel->method == METHOD_REP;
    unsigned wider = 0;
    for (const struct kernel *other = NULL; (other = kernel_next(&run->kernels, kernel->operation, other));)
        wider += wanted(params, other, false, false) && other->store == kernel->store &&
                 kernel_bits(other) > kernel_bits(kernel);
    return params->methods || params->bits || params->all || run->kernels.name ||
           (!plain && wider < (stores ? 1 : 2));
}

size_t ram_count_ways(const struct ram_params *params, const struct run *run, bool apart)
{
    size_t count = 0;
    for (int task = 0; task < RAM_TASK_COUNT; task++)
        for (const struct kernel *kernel = NULL;
             ram_runs_task(params, run, (enum operation)task) &&
             (kernel = kernel_next(&run->kernels, (enum operation)task, kernel));)
            count += task == OPERATION_LATENCY || ram_has_way(params, run, kernel, apart);
    return count;
}
