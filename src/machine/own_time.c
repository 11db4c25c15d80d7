/* SPDX-License-Identifier: MIT */
/* How long this process waited for a CPU that other programs had. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "uarchprobe/own_time.h"

/* A limit on time of one's own ends after so many times as much wall time. */
static const double WALL_TIMES = 3;

double own_seconds(double wall_s, double waited_s)
{
    return fmax(wall_s - waited_s, wall_s / WALL_TIMES);
}

/* The threads of the call before. */
struct thread {
    int id;
    uint64_t waited_ns;
};
static struct thread *threads;
static size_t thread_count;

static uint64_t cpu_ns(clockid_t clock)
{
    struct timespec used = {0};
    clock_gettime(clock, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* The second number: ns for which the thread was ready to run. Never that of a replayed machine. */
static bool read_thread(int id, uint64_t *waited_ns)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", id);
    FILE *file = fopen(path, "re");
    const bool known = file && fscanf(file, "%*u %" SCNu64, waited_ns) == 1;
    if (file)
        fclose(file);
    return known;
}

static uint64_t waited_before(int id)
{
    for (size_t i = 0; i < thread_count; i++)
        if (threads[i].id == id)
            return threads[i].waited_ns;
    return 0;
}

/* False: the kernel does not show it. */
static bool add_longest(uint64_t *total_ns)
{
    struct thread *now = NULL;
    size_t count = 0;
    uint64_t longest_ns = 0;
    DIR *directory = opendir("/proc/self/task");
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        struct thread thread = {.id = (int)strtol(entry->d_name, NULL, 10)};
        if (thread.id <= 0 || !read_thread(thread.id, &thread.waited_ns))
            continue;
        const uint64_t before_ns = waited_before(thread.id),
                       since_ns = thread.waited_ns > before_ns ? thread.waited_ns - before_ns : 0;
        longest_ns = since_ns > longest_ns ? since_ns : longest_ns;
        now = memory_grow(now, (count + 1) * sizeof *now);
        now[count++] = thread;
    }
    if (directory)
        closedir(directory);
    free(threads);
    threads = now;
    thread_count = count;
    *total_ns += longest_ns;
    return count > 0;
}

uint64_t clock_waited_ns(void)
{
    static uint64_t total_ns, unused_ns;
    if (add_longest(&total_ns))
        return total_ns;
    /* Several threads use more CPU time than passes. */
    const uint64_t now_ns = clock_now_ns(), used_ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    unused_ns = now_ns > used_ns && now_ns - used_ns > unused_ns ? now_ns - used_ns : unused_ns;
    return unused_ns;
}

uint64_t clock_thread_waited_ns(void)
{
    return clock_now_ns() - cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

static double seconds_own(const struct stopwatch *since, uint64_t now_ns, uint64_t waited_ns)
{
    const double waited_s = (double)(int64_t)(waited_ns - since->waited_ns) * 1e-9;
    return own_seconds((double)(now_ns - since->begin_ns) * 1e-9, fmax(waited_s, 0));
}

double stopwatch_own_s(const struct stopwatch *since)
{
    return seconds_own(since, clock_now_ns(), clock_waited_ns());
}

double stopwatch_thread_s(const struct stopwatch *since)
{
    return seconds_own(since, clock_now_ns(), clock_thread_waited_ns());
}

double time_left_s(const struct time_limit *limit)
{
    if (!(limit->seconds > 0))
        return INFINITY;
    return limit->seconds - (limit->is_wall ? (double)(clock_now_ns() - limit->since.begin_ns) * 1e-9
                                            : stopwatch_own_s(&limit->since));
}
