/* SPDX-License-Identifier: MIT */
/* Small text files of /proc and /sys. UARCHPROBE_SYSROOT, when set, is put in front of every path, so that
 * tests can replay another machine's tree. */
#ifndef MACHINE_SYSFILE_H
#define MACHINE_SYSFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* NULL when the file cannot be opened. Closed by the caller with fclose. */
FILE *sys_open(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The first line without blanks at its ends; false when there is no such file or the line is empty. */
bool sys_line(char *line, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The first line as a decimal number; false when it is none ("max", "-1", no file). */
bool sys_number(uint64_t *value, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text behind "key" and its blanks or colon, of the first line that begins with it. */
bool sys_field(char *value, size_t size, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A decimal number without a sign at the start of text. */
bool text_number(const char *text, uint64_t *value);

#endif
