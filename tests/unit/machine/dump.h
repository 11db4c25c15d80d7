/* SPDX-License-Identifier: MIT */
/* The text of a CPUID dump, as libcpuid writes it, a line for each answer. */
#ifndef UARCHPROBE_TESTS_DUMP_H
#define UARCHPROBE_TESTS_DUMP_H

#include <stdio.h>
#include <string.h>

#include "machine/cpuid.h"

static inline void dump_write(void *stream, const char *name, const char *registers)
{
    fprintf(stream, "%s=%s\n", name, registers);
}

/* The leaves that identify a CPU. */
static inline struct cpuid_dump dump_read(FILE *stream)
{
    struct cpuid_dump dump = {0};
    char line[256], name[24];
    uint32_t one[CPUID_REGISTERS];
    unsigned index;

    while (fgets(line, sizeof(line), stream)) {
        if (sscanf(line, "%23[a-z0-9_][%u]=%x %x %x %x", name, &index, &one[0], &one[1], &one[2], &one[3]) !=
                2 + CPUID_REGISTERS ||
            index >= sizeof(dump.basic) / sizeof(dump.basic[0]))
            continue;
        if (strcmp(name, "basic_cpuid") == 0)
            memcpy(dump.basic[index], one, sizeof(one));
        else if (strcmp(name, "ext_cpuid") == 0)
            memcpy(dump.extended[index], one, sizeof(one));
    }
    return dump;
}

#endif
