/* SPDX-License-Identifier: MIT */
/* A hardware counter through perf_event_open. Most guests have none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The type of raw events that the counters of the CPU know. Each kind of core of a hybrid has a PMU of its
 * own, and the kernel's type of raw events is that of the large ones. */
uint32_t counter_type(int cpu);
/* Counts a raw event (umask << 8 | event on x86) in user mode of the calling thread; a descriptor to be
 * closed, or -1 where the kernel gives no counter: *reason then says why, in a string that lives as long as
 * the program. */
int counter_open(uint64_t event, const char **reason);
/* Since counter_open, scaled where the kernel multiplexed; false: not read. */
bool counter_read(int counter, uint64_t *value);
