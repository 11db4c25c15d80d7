/* SPDX-License-Identifier: MIT */
#include "cli/version.h"

#include <sys/utsname.h>

#include "uarchprobe/cpu.h"
#include "uarchprobe/topology.h"

#ifndef UARCHPROBE_GIT
#define UARCHPROBE_GIT NULL /* built from an archive */
#endif

#ifdef __clang__
static const char compiler[] = __VERSION__;
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

void version_print(FILE *stream)
{
    const char *git = UARCHPROBE_GIT;
    struct utsname system;
    fprintf(stream, "uarchprobe %s (git %s)\n", UARCHPROBE_VERSION, git ? git : "unknown");
    fprintf(stream, "compiler: %s\n", compiler);
    fprintf(stream, "arch: %s\n", uname(&system) == 0 ? system.machine : "unknown");
    fprintf(stream, "libcpuid: %s\n", or_none(cpu_library_version()));
    fprintf(stream, "hwloc: %s\n", or_none(topology_library_version()));
}

static void add(struct record *record, const char *path, const char *title, const char *text)
{
    struct fact fact = {.path = path, .title = title, .value = NO_CELL};
    if (text)
        fact.value = TEXT_CELL(text);
    record_fact(record, fact);
}

void version_record(struct record *record)
{
    add(record, "tool.version", "uarchprobe", UARCHPROBE_VERSION);
    add(record, "tool.git", NULL, UARCHPROBE_GIT);
    add(record, "tool.compiler", NULL, compiler);
    add(record, "tool.libcpuid", NULL, cpu_library_version());
    add(record, "tool.hwloc", NULL, topology_library_version());
}
