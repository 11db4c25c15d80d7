/* SPDX-License-Identifier: MIT */
/* What only the operating system can tell, from /proc and /sys. */
#ifndef MACHINE_OS_H
#define MACHINE_OS_H

#include <stdbool.h>
#include <stdint.h>

#include "uarchprobe/record.h"
#include "uarchprobe/topology.h"

/* MemAvailable; UINT64_MAX where the kernel does not say. */
uint64_t os_memory_available(void);
/* MemTotal; 0 where the kernel does not say. */
uint64_t os_memory_total(void);
/* The word in brackets: "madvise" of "always [madvise] never". False where there is none. */
bool os_bracketed(const char *line, char *word, int size);
/* The kernel runs on another ISA than this program's ("aarch64"), as where qemu-user, Rosetta or box64 translate. False
 * where nothing says so. */
bool os_emulated(const char *arch);
/* Adds host.governor, host.turbo, host.thp, host.cpu_quota and host.isolated_cpus; null: unknown or none. */
void os_record(const struct topology *topology, struct record *record);

#endif
