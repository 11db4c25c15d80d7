/* SPDX-License-Identifier: MIT */
/* Hardware counters through perf_event_open, where there are some. Most guests have none: then everything is
 * null. */
#ifndef MACHINE_COUNTERS_H
#define MACHINE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { COUNTERS_MAX = 4 };

/* config: raw event code, (umask << 8 | event) on x86; with generic = true it is not asked, and core cycles are counted. */
struct counter_event {
    const char *name;
    uint64_t config;
    bool generic;
};

struct counters;
/* Counts user mode of the calling thread. NULL where the kernel gives no counter; *reason then says why, in a
 * string that lives as long as the program. */
struct counters *counters_open(const struct counter_event *events, int count, const char **reason);
/* Values since counters_open, scaled where the kernel multiplexed; false: not read. */
bool counters_read(struct counters *counters, uint64_t *values);
void counters_close(struct counters *counters);

#endif
