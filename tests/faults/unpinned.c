/* SPDX-License-Identifier: MIT */
/* A library to preload: a sandbox whose affinity is made up. It shows two CPUs, keeps the mask of each thread, and tells the kernel of
 * none. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CPUS = 2, THREADS = 4096, UNKNOWN = 0, BOTH = 3 };

/* By the number of the thread: bits of the CPUs that it asked for. */
static struct {
    atomic_int thread, mask;
} kept[THREADS];

static atomic_int *mask_of(int thread)
{
    const int wanted = thread ? thread : (int)syscall(SYS_gettid);
    for (int i = 0; i < THREADS; i++) {
        int owner = UNKNOWN;
        if (atomic_compare_exchange_strong(&kept[i].thread, &owner, wanted))
            atomic_store(&kept[i].mask, BOTH);
        if (owner == UNKNOWN || owner == wanted)
            return &kept[i].mask;
    }
    return NULL;
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set)
{
    int mask = 0;
    for (size_t cpu = 0; cpu < CPUS; cpu++)
        mask |= CPU_ISSET_S(cpu, size, set) ? 1 << cpu : 0;
    if (mask == 0) {
        errno = EINVAL;
        return -1;
    }
    atomic_store(mask_of(thread), mask);
    return 0;
}

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set)
{
    const int mask = atomic_load(mask_of(thread));
    memset(set, 0, size);
    for (size_t cpu = 0; cpu < CPUS; cpu++)
        if (mask >> cpu & 1)
            CPU_SET_S(cpu, size, set);
    return 0;
}

int sched_getcpu(void)
{
    return atomic_load(mask_of(0)) == 2 ? 1 : 0;
}
