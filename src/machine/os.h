/* SPDX-License-Identifier: MIT */
/* Facts that only the operating system knows, from small text files of /proc and /sys. UARCHPROBE_SYSROOT
 * stands in front of every path, so that tests can replay another machine's tree. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* NULL when the file cannot be opened. Closed by the caller with fclose. */
FILE *sys_open(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The text behind "key" and its blanks or colon, of the first line that begins with it; key "": the first
 * line. Without blanks at its ends; false when there is no such file or line, or nothing in it. */
bool sys_field(char *value, size_t size, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define sys_line(line, size, ...) sys_field(line, size, "", __VA_ARGS__)
/* The decimal number that such a text begins with; false too when it is none ("max", "-1") or has a sign. */
bool sys_field_number(uint64_t *value, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define sys_number(value, ...) sys_field_number(value, "", __VA_ARGS__)

/* Has a system call write eight bytes into a page, and so brings it in. False where the program's own write
 * would end in SIGBUS. The call reads the mask of blocked signals: every sandbox allows it, and every kernel
 * has it. */
bool os_page_comes(void *page);

/* Without the blanks at its ends. */
void copy_trimmed(char *out, size_t size, const char *text);

/* Bytes of a line of /proc/meminfo. */
uint64_t os_memory(const char *key, uint64_t otherwise);
/* The kernel runs on another ISA than this program's ("aarch64"), as where qemu-user, Rosetta or box64
 * translate. False where nothing says so. */
bool os_emulated(const char *arch);
/* False: unknown, or there is none. */
bool os_governor(int cpu, char *name, size_t size);
bool os_turbo(bool *on);
/* By what the kernel keeps time: "tsc", "kvm-clock", "arch_sys_counter". */
bool os_clocksource(char *name, size_t size);
/* When the kernel gives transparent huge pages: "always", "madvise", "never". */
bool os_huge_pages(char *word, size_t size);
/* What the C library of this process chose when it began, by the list of its own loader:
 * "glibc.cpu.x86_rep_movsb_threshold". 0: unknown, as before glibc 2.33, of another library, or in a static
 * program. */
uint64_t os_library_setting(const char *name);
bool os_isolated_cpus(char *list, size_t size);
