/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "machine/topology_internal.h"

enum { FIRST_MASK = 1024, LARGEST_MASK = 1 << 20 };

static int list_mask(const cpu_set_t *mask, size_t bytes, int **cpus)
{
    const int count = CPU_COUNT_S(bytes, mask);
    int filled = 0;

    *cpus = malloc((size_t)(count > 0 ? count : 1) * sizeof(**cpus));
    if (!*cpus)
        return -1;
    for (int cpu = 0; filled < count; cpu++)
        if (CPU_ISSET_S(cpu, bytes, mask))
            (*cpus)[filled++] = cpu;
    return count;
}

int affinity_read(int **cpus)
{
    int count = -1;

    *cpus = NULL;
    for (int size = FIRST_MASK; size <= LARGEST_MASK; size *= 2) {
        cpu_set_t *mask = CPU_ALLOC(size);
        const size_t bytes = CPU_ALLOC_SIZE(size);
        if (!mask)
            return -1;
        const bool fits = sched_getaffinity(0, bytes, mask) == 0;
        const int error = errno;
        if (fits)
            count = list_mask(mask, bytes, cpus);
        CPU_FREE(mask);
        /* EINVAL: the kernel's mask is wider than ours. */
        if (fits || error != EINVAL)
            return count;
    }
    return -1;
}
