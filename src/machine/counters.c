/* SPDX-License-Identifier: MIT */
#include "machine/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/os.h"
#include "uarchprobe/option.h"

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
    default:
        return strerror(error);
    }
}

uint32_t counter_type(int cpu)
{
    static const char *const small[] = {"cpu_atom", "cpu_lowpower"};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        char cpus[256];
        uint64_t type;
        struct cpu_list list;
        if (!sys_line(cpus, sizeof cpus, "/sys/bus/event_source/devices/%s/cpus", small[i]) ||
            !sys_number(&type, "/sys/bus/event_source/devices/%s/type", small[i]) ||
            parse_cpu_list(cpus, &list, &(struct fault){0}) != STATUS_OK)
            continue;
        for (int n = 0; n < list.count; n++)
            if (list.id[n] == cpu)
                return (uint32_t)type;
    }
    return PERF_TYPE_RAW;
}

int counter_open(uint64_t event, const char **reason)
{
    struct perf_event_attr attributes = {
        .size = sizeof(attributes),
        .type = counter_type(sched_getcpu()),
        .config = event,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    const int counter =
        (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);
    if (counter < 0)
        *reason = reason_of(errno);
    return counter;
}

bool counter_read(int counter, uint64_t *value)
{
    struct {
        uint64_t value, enabled, running;
    } is;
    if (read(counter, &is, sizeof is) != sizeof is || is.running == 0)
        return false;
    const double scale = (double)is.enabled / (double)is.running;
    *value = is.enabled == is.running ? is.value : (uint64_t)((double)is.value * scale);
    return true;
}
