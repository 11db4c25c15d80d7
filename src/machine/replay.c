/* SPDX-License-Identifier: MIT */
/* The CPU of a dump: a file that anybody may have written. libcpuid's own reader overflows on a long version. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text_file.h"
#include "base/words.h"
#include "machine/cpu_internal.h"
#include "uarchprobe/topology.h"

static void read_caches(const struct cpu_raw_data_t *raw, struct topology *topology)
{
#ifdef WITH_LIBCPUID
    struct cpu_raw_data_t copy = *raw;
    struct cpu_id_t id;

    /* Keeps libcpuid from counting cores: 0.6.2 to 0.8.1 divide by a number of threads that a dump can give as 0. */
    memset(copy.intel_fn11, 0, sizeof(copy.intel_fn11));
    if (cpu_identify(&copy, &id) != 0)
        return;
    const struct {
        int level;
        char type;
        int kib, line, ways;
    } rows[] = {
        {1, 'd', id.l1_data_cache, id.l1_data_cacheline, id.l1_data_assoc},
        {1, 'i', id.l1_instruction_cache, id.l1_instruction_cacheline, id.l1_instruction_assoc},
        {2, 'u', id.l2_cache, id.l2_cacheline, id.l2_assoc},
        {3, 'u', id.l3_cache, id.l3_cacheline, id.l3_assoc},
        {4, 'u', id.l4_cache, id.l4_cacheline, id.l4_assoc},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kib > 0)
            topology->cache[topology->cache_count++] = (struct cache){
                rows[i].level, rows[i].type, (uint64_t)rows[i].kib * 1024, rows[i].line, rows[i].ways, 0,
                NULL};
#endif
}

/* Of the first CPU in the dump, which a file has among its first bytes. */
static enum status read_dump(const char *path, struct cpu_raw_data_t *raw, struct fault *fault)
{
    static char text[1 << 18];
    FILE *file = text_file_open(path, fault);
    if (!file)
        return fault->status;
    const size_t length = fread(text, 1, sizeof(text) - 1, file);
    const int error = ferror(file) ? errno : 0;
    int answers = 0;

    fclose(file);
    if (error)
        return fault_set(fault, STATUS_USAGE, "cannot read %s: %s", quote(path).text, strerror(error));
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] ? text[i] : ' ';
    text[length] = '\0';
    char *state, *piece = strtok_r(text, "\n{,", &state); /* JSON has several answers in a line */
    for (; piece; piece = strtok_r(NULL, "\n{,", &state)) {
        if (answers > 0 && strstr(piece, "Logical CPU #"))
            break;
        answers += cpuid_scan(raw, piece);
    }
    if (raw->basic_cpuid[0][EAX] > 0 && raw->basic_cpuid[1][EAX] > 0)
        return STATUS_OK;
    return fault_set(fault, STATUS_USAGE,
                     "%s is no dump of CPUID with its leaves 0 and 1, as uarchprobe info --raw and "
                     "libcpuid's cpuid_tool --raw write them",
                     quote(path).text);
}

enum status cpu_replay(const char *path, struct cpu *cpu, struct topology *topology, struct fault *fault)
{
    enum { XSAVE_LEAF = 13 };
    struct cpu_raw_data_t raw = {0};

    if (read_dump(path, &raw, fault) != STATUS_OK)
        return fault->status;
    *cpu = (struct cpu){.arch = "x86_64"};
    cpu_identify_cpuid(&raw, cpu);
    const uint32_t last = raw.basic_cpuid[0][EAX];
    /* A system that saves states at all is taken to save all that the CPU has: XCR0 is in no dump. */
    const bool saves = cpuid_saves_state(&raw) && last >= XSAVE_LEAF;
    cpu->features = cpuid_features(&raw, saves ? raw.basic_cpuid[XSAVE_LEAF][EAX] : 0);
    cpu->core = cpu_core_of(cpu, &raw);
    *topology = (struct topology){0};
    read_caches(&raw, topology);
    return STATUS_OK;
}
