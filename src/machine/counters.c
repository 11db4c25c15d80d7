/* SPDX-License-Identifier: MIT */
#include "machine/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct counters {
    int count;
    int fd[COUNTERS_MAX]; /* fd[0] leads the group: all count at the same times */
};

struct group_reading {
    uint64_t count, enabled, running;
    uint64_t value[COUNTERS_MAX];
};

static const char *reason_of(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return "the kernel forbids counters (sysctl kernel.perf_event_paranoid must be 2 or lower)";
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return "this CPU or hypervisor shows no such hardware counter";
    case ENOSYS:
        return "the kernel has no perf_event_open, or a sandbox hides it";
    case EMFILE:
        return "too many files are open";
    case EINVAL:
        return "the kernel does not take the event";
    default:
        return "perf_event_open failed";
    }
}

static int open_event(const struct counter_event *event, int leader)
{
    struct perf_event_attr attributes = {
        .size = sizeof(attributes),
        .type = event->generic ? PERF_TYPE_HARDWARE : PERF_TYPE_RAW,
        .config = event->generic ? PERF_COUNT_HW_CPU_CYCLES : event->config,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, leader, (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

struct counters *counters_open(const struct counter_event *events, int count, const char **reason)
{
    struct counters *counters = count > 0 && count <= COUNTERS_MAX ? calloc(1, sizeof(*counters)) : NULL;

    if (!counters) {
        *reason = "no counters were asked for, or too many, or no memory is left";
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        const int fd = open_event(&events[i], i ? counters->fd[0] : -1);
        if (fd < 0) {
            *reason = reason_of(errno);
            counters_close(counters);
            return NULL;
        }
        counters->fd[counters->count++] = fd;
    }
    return counters;
}

bool counters_read(struct counters *counters, uint64_t *values)
{
    struct group_reading reading;
    const size_t wanted = (3 + (size_t)counters->count) * sizeof(uint64_t);

    if (read(counters->fd[0], &reading, sizeof(reading)) < (ssize_t)wanted || reading.running == 0)
        return false;
    const double scale = (double)reading.enabled / (double)reading.running;
    for (int i = 0; i < counters->count; i++)
        values[i] = reading.enabled == reading.running ? reading.value[i]
                                                       : (uint64_t)((double)reading.value[i] * scale);
    return true;
}

void counters_close(struct counters *counters)
{
    if (!counters)
        return;
    for (int i = 0; i < counters->count; i++)
        close(counters->fd[i]);
    free(counters);
}
