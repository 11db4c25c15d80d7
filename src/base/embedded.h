/* SPDX-License-Identifier: MIT */
/* Tables of the folder data, embedded as they are. */
#pragma once

#include <stddef.h>

/* Defines `name`, the text of a file. */
#define EMBED(name, path)                                                                                    \
    extern const char name[];                                                                                \
    __asm__(".pushsection .rodata\n.globl " #name "\n.hidden " #name "\n" #name ":\n.incbin \"" path         \
            "\"\n.byte 0\n.popsection\n")

/* The fields of all lines of so many columns, between tabs, row by row; # begins a comment. One
 * allocation, the caller's to free. */
char **embedded_rows(const char *text, size_t columns, size_t *rows);
