/* SPDX-License-Identifier: MIT */
/* Limits of this process's control group, v1 and v2. Those of its ancestors apply, too, so each function
 * asks the own group and all visible ancestors. */
#pragma once

#include <stdint.h>

/* Bytes that may still be used before a limit is met, page cache that can be dropped not counted as used;
 * UINT64_MAX: no limit. */
uint64_t cgroup_memory_room(void);
/* CPUs' worth of time per period, 0.5 is half a CPU; 0: no quota, or none that can be seen. */
double cgroup_cpu_quota(void);
/* Periods in which this group or an ancestor was throttled, since the groups were made. */
uint64_t cgroup_throttled(void);
