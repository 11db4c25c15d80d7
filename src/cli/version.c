/* SPDX-License-Identifier: MIT */
#include "cli/facts.h"

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

void version_record(struct record *record)
{
    RECORD_FACTS(record, {"tool.version", "uarchprobe", NULL, TEXT_CELL(UARCHPROBE_VERSION)},
                 {"tool.git", .value = TEXT_CELL(UARCHPROBE_GIT)},
                 {"tool.compiler", .value = TEXT_CELL(compiler)},
                 {"tool.libcpuid", .value = TEXT_CELL(cpu_library_version())},
                 {"tool.hwloc", .value = TEXT_CELL(topology_library_version())});
}
