/* SPDX-License-Identifier: MIT */
/* A library to preload: another machine's CPUs on the few that are here. CPU n is shown, and the thread
 * runs on the real CPU n modulo the number of those that it may use. With HWLOC_XMLFILE or
 * HWLOC_SYNTHETIC, commands run whole on any topology; which of their CPUs are one real CPU shows in their
 * times only. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CPUS = 1024, THREADS = 4096, SHOWN_ALL = -1 };

/* By the number of the thread, plus 2: the CPU to which it believes to be pinned. 0 and 1 are free and
 * SHOWN_ALL. */
static struct {
    atomic_int thread, shown;
} kept[THREADS];

static atomic_int *shown_of(int thread)
{
    const int wanted = thread ? thread : (int)syscall(SYS_gettid);
    for (int i = 0; i < THREADS; i++) {
        int owner = 0;
        if (atomic_compare_exchange_strong(&kept[i].thread, &owner, wanted) || owner == wanted)
            return &kept[i].shown;
    }
    return &kept[0].shown;
}

/* The real CPUs, as they were before any thread was pinned. */
static int real_cpus(int real[CPUS])
{
    static cpu_set_t all;
    static atomic_int known;
    int count = 0;
    if (!atomic_load(&known)) {
        syscall(SYS_sched_getaffinity, 0, sizeof all, &all);
        atomic_store(&known, 1);
    }
    for (int cpu = 0; cpu < CPUS; cpu++)
        if (CPU_ISSET((size_t)cpu, &all))
            real[count++] = cpu;
    return count;
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *mask)
{
    int real[CPUS], shown = SHOWN_ALL;
    const int count = real_cpus(real);
    cpu_set_t folded;
    CPU_ZERO(&folded);
    for (int cpu = 0; cpu < CPUS && (size_t)cpu < 8 * size; cpu++)
        if (CPU_ISSET_S((size_t)cpu, size, mask)) {
            CPU_SET((size_t)real[cpu % count], &folded);
            shown = CPU_COUNT_S(size, mask) == 1 ? cpu : SHOWN_ALL;
        }
    atomic_store(shown_of(thread), shown + 2);
    return (int)syscall(SYS_sched_setaffinity, thread, sizeof folded, &folded);
}

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *mask)
{
    const int shown = atomic_load(shown_of(thread)) - 2;
    int real[CPUS];
    memset(mask, 0, size);
    if (shown >= 0)
        CPU_SET_S((size_t)shown, size, mask);
    for (int i = 0; shown < 0 && i < real_cpus(real); i++)
        CPU_SET_S((size_t)real[i], size, mask);
    return 0;
}

int sched_getcpu(void)
{
    const int shown = atomic_load(shown_of(0)) - 2;
    unsigned cpu = 0;
    if (shown >= 0)
        return shown;
    return syscall(SYS_getcpu, &cpu, NULL, NULL) == 0 ? (int)cpu : -1;
}
