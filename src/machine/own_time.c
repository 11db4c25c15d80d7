/* SPDX-License-Identifier: MIT */
/* How long this process, or a program that it runs, waited for a CPU that other programs had. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "uarchprobe/own_time.h"

/* A limit on time of one's own ends after so many times as much wall time. */
static const double WALL_TIMES = 3;

double own_seconds(double wall_s, double waited_s)
{
    return fmax(wall_s - waited_s, wall_s / WALL_TIMES);
}

struct thread {
    int id;
    uint64_t used_ns, waited_ns;
};
struct threads {
    struct thread *of;
    size_t count;
};
/* Those of the call before. */
static struct threads threads;
static bool shows_waiting;

static uint64_t cpu_ns(clockid_t clock)
{
    struct timespec used = {0};
    clock_gettime(clock, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* Reads the ns for which the thread had a CPU, and for which it was ready to run. Never those of a replayed
 * machine. */
static bool read_thread(const char *process, struct thread *thread)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/task/%d/schedstat", process, thread->id);
    FILE *file = fopen(path, "re");
    const bool known =
        file && fscanf(file, "%" SCNu64 " %" SCNu64, &thread->used_ns, &thread->waited_ns) == 2;
    if (file)
        fclose(file);
    return known;
}

/* Adds the threads of a process. */
static void read_threads(const char *process, struct threads *all)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%.20s/task", process);
    DIR *directory = opendir(path);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        struct thread thread = {.id = (int)strtol(entry->d_name, NULL, 10)};
        if (thread.id <= 0 || !read_thread(process, &thread))
            continue;
        all->of = memory_grow(all->of, (all->count + 1) * sizeof *all->of);
        all->of[all->count++] = thread;
    }
    if (directory)
        closedir(directory);
}

/* NULL: not among them. */
static struct thread *thread_of(const struct threads *all, int id)
{
    for (size_t i = all->count; i-- > 0;)
        if (all->of[i].id == id)
            return &all->of[i];
    return NULL;
}

/* False: the kernel does not show it. */
static bool add_longest(uint64_t *total_ns)
{
    struct threads now = {0};
    uint64_t longest_ns = 0;
    read_threads("self", &now);
    for (size_t i = 0; i < now.count; i++) {
        const struct thread *before = thread_of(&threads, now.of[i].id);
        const uint64_t before_ns = before ? before->waited_ns : 0, now_ns = now.of[i].waited_ns,
                       since_ns = now_ns > before_ns ? now_ns - before_ns : 0;
        longest_ns = since_ns > longest_ns ? since_ns : longest_ns;
    }
    free(threads.of);
    threads = now;
    *total_ns += longest_ns;
    return now.count > 0;
}

uint64_t clock_waited_ns(void)
{
    static uint64_t total_ns, unused_ns;
    shows_waiting = add_longest(&total_ns);
    if (shows_waiting)
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

double stopwatch_waited_s(const struct stopwatch *since)
{
    const double waited_s = (double)(int64_t)(clock_waited_ns() - since->waited_ns) * 1e-9;
    return shows_waiting ? fmax(waited_s, 0) : NAN;
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

/* Threads that were seen speak for those that ended between two looks, if they used this share of all CPU
 * time. */
static const double SEEN_LEAST = 0.1;
/* Looks are so far apart, and so many times as much as one takes of a CPU. */
static const double LOOK_S = 0.1, LOOK_TIMES = 100;

double program_cpu_share(const struct program_time *time)
{
    if (time->seen_s < SEEN_LEAST * time->cpu_s)
        return NAN;
    const double all_waited_s = time->seen_wait_s * fmax(1, time->cpu_s / time->seen_s),
                 had_by_others_s = fmax(time->cpus * time->wall_s - time->cpu_s, 0),
                 lost_s = fmin(all_waited_s, had_by_others_s);
    return 1 - lost_s / fmax(time->wall_s, time->cpu_s + lost_s);
}

struct program_watch {
    int process;
    struct threads threads; /* also those that have ended */
    cpu_set_t cpus;
};

struct program_watch *program_watch_new(int process)
{
    struct program_watch *watch = memory_zeroed(1, sizeof *watch);
    watch->process = process;
    return watch;
}

/* A process and the one that started it. */
struct descent {
    int process, parent;
};

/* All processes; the caller frees. */
static struct descent *read_descents(size_t *count)
{
    struct descent *all = NULL;
    DIR *directory = opendir("/proc");
    *count = 0;
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[32], line[512];
        const int process = (int)strtol(entry->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/%d/stat", process);
        FILE *file = process > 0 ? fopen(path, "re") : NULL;
        /* "42 (name) S 7": a name may have parentheses of its own. */
        const char *name_end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
        if (name_end && strlen(name_end) > 4) {
            all = memory_grow(all, (*count + 1) * sizeof *all);
            all[(*count)++] = (struct descent){process, (int)strtol(name_end + 4, NULL, 10)};
        }
        if (file)
            fclose(file);
    }
    if (directory)
        closedir(directory);
    return all;
}

/* Adds what the threads of a process did since the last look. */
static void look_at(struct program_watch *watch, int process)
{
    struct threads now = {0};
    char name[16];
    snprintf(name, sizeof name, "%d", process);
    read_threads(name, &now);
    for (size_t i = 0; i < now.count; i++) {
        cpu_set_t cpus;
        struct thread *seen = thread_of(&watch->threads, now.of[i].id);
        if (sched_getaffinity(now.of[i].id, sizeof cpus, &cpus) == 0)
            CPU_OR(&watch->cpus, &watch->cpus, &cpus);
        /* The number of a thread that has ended is given to another one. */
        if (seen && seen->used_ns <= now.of[i].used_ns) {
            *seen = now.of[i];
            continue;
        }
        watch->threads.of =
            memory_grow(watch->threads.of, (watch->threads.count + 1) * sizeof *watch->threads.of);
        watch->threads.of[watch->threads.count++] = now.of[i];
    }
    free(now.of);
}

/* Each process once, whatever the list says. */
static void look_at_descendants(struct program_watch *watch, struct descent *all, size_t count, int parent)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].parent == parent) {
            all[i].parent = 0;
            look_at(watch, all[i].process);
            look_at_descendants(watch, all, count, all[i].process);
        }
}

double program_watch_look(struct program_watch *watch)
{
    const uint64_t begin_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    size_t count;
    struct descent *all = read_descents(&count);
    look_at(watch, watch->process);
    look_at_descendants(watch, all, count, watch->process);
    free(all);
    return fmax(LOOK_S, LOOK_TIMES * (double)(cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) * 1e-9);
}

void program_watch_end(struct program_watch *watch, struct program_time *time)
{
    for (size_t i = 0; i < watch->threads.count; i++) {
        time->seen_s += (double)watch->threads.of[i].used_ns * 1e-9;
        time->seen_wait_s += (double)watch->threads.of[i].waited_ns * 1e-9;
    }
    if (CPU_COUNT(&watch->cpus) > 0)
        time->cpus = CPU_COUNT(&watch->cpus);
    free(watch->threads.of);
    free(watch);
}
