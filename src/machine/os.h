/* SPDX-License-Identifier: MIT */
/* What only the operating system can tell, from /proc and /sys. */
#ifndef MACHINE_OS_H
#define MACHINE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MemAvailable; UINT64_MAX where the kernel does not say. */
uint64_t os_memory_available(void);
/* MemTotal; 0 where the kernel does not say. */
uint64_t os_memory_total(void);
/* The kernel runs on another ISA than this program's ("aarch64"), as where qemu-user, Rosetta or box64 translate. False
 * where nothing says so. */
bool os_emulated(const char *arch);
/* False: unknown, or there is none. */
bool os_governor(int cpu, char *name, size_t size);
bool os_turbo(bool *on);
/* When the kernel gives transparent huge pages: "always", "madvise", "never". */
bool os_huge_pages(char *word, size_t size);
bool os_isolated_cpus(char *list, size_t size);

#endif
