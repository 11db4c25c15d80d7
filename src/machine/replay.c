/* SPDX-License-Identifier: MIT */
/* The CPU of a dump: a file that anybody may have written. libcpuid's own reader overflows on a long
 * version. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/text_file.h"
#include "base/words.h"
#include "machine/cpu_internal.h"
#include "uarchprobe/topology.h"

struct dump {
    struct dumped_cpu *cpu;
    int count;
};

/* A dump of 384 CPUs of Turin has 2.6 MiB. */
enum { TEXT_MOST = 32 << 20, DUMPED_CPUS_MOST = 4096 };

static enum status read_text(const char *path, struct text *text, struct fault *fault)
{
    char piece[1 << 14];
    size_t length;
    FILE *file = text_file_open(path, fault);
    if (!file)
        return fault->status;
    while (text->length <= TEXT_MOST && (length = fread(piece, 1, sizeof piece, file)) > 0) {
        for (size_t i = 0; i < length; i++)
            piece[i] = piece[i] ? piece[i] : ' ';
        text_add_bytes(text, piece, length);
    }
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error)
        return fault_set(fault, STATUS_USAGE, "cannot read %s: %s", quote(path).text, strerror(error));
    if (text->length > TEXT_MOST)
        return fault_set(fault, STATUS_USAGE,
                         "%s is longer than any dump of CPUID, which have %d MiB at most", quote(path).text,
                         TEXT_MOST >> 20);
    return STATUS_OK;
}

/* The CPU whose lines follow; NULL where its lines were read before, as some dumps have another part for
 * each CPU. */
static struct dumped_cpu *begin_cpu(struct dump *dump, int id)
{
    for (int i = 0; i < dump->count; i++)
        if (dump->cpu[i].id == id)
            return NULL;
    if ((dump->count & (dump->count - 1)) == 0)
        dump->cpu = memory_grow(dump->cpu, (dump->count ? 2 * (size_t)dump->count : 1) * sizeof *dump->cpu);
    dump->cpu[dump->count] = (struct dumped_cpu){.id = id};
    return &dump->cpu[dump->count++];
}

static int by_id(const void *a, const void *b)
{
    return ((const struct dumped_cpu *)a)->id - ((const struct dumped_cpu *)b)->id;
}

/* Leaves the CPUs that have what identifies one, by ascending number. */
static void tidy(struct dump *dump)
{
    int kept = 0;
    for (int i = 0; i < dump->count; i++)
        if (dump->cpu[i].raw.basic_cpuid[0][EAX] > 0 && dump->cpu[i].raw.basic_cpuid[1][EAX] > 0)
            dump->cpu[kept++] = dump->cpu[i];
    dump->count = kept;
    if (kept > 1)
        qsort(dump->cpu, (size_t)kept, sizeof *dump->cpu, by_id);
}

static bool is_answer(const char *line)
{
    struct dumped_cpu none = {0};
    return cpuid_scan(&none, line);
}

static void read_cpus(char *text, struct dump *dump)
{
    static const char header[] = "Logical CPU #";
    struct dumped_cpu *cpu = NULL;
    bool is_begun = false; /* a line behind the last header was an answer */
    int id = 0;
    char *state, *piece = strtok_r(text, "\n{,", &state); /* JSON has several answers in a line */

    for (; piece && dump->count <= DUMPED_CPUS_MOST; piece = strtok_r(NULL, "\n{,", &state)) {
        const char *at = strstr(piece, header);
        if (at && sscanf(at + sizeof header - 1, "%5d", &id) == 1) {
            is_begun = false;
        } else if (!is_begun && is_answer(piece)) {
            cpu = begin_cpu(dump, id);
            is_begun = true;
        }
        if (is_begun && cpu)
            cpuid_scan(cpu, piece);
    }
}

static enum status read_dump(const char *path, struct dump *dump, struct fault *fault)
{
    struct text text = {0};
    if (read_text(path, &text, fault) == STATUS_OK && text.data)
        read_cpus(text.data, dump);
    text_free(&text);
    if (dump->count > DUMPED_CPUS_MOST)
        return fault_set(fault, STATUS_USAGE, "%s has more CPUs than the %d that are read", quote(path).text,
                         DUMPED_CPUS_MOST);
    tidy(dump);
    if (fault->status != STATUS_OK || dump->count > 0)
        return fault->status;
    return fault_set(fault, STATUS_USAGE,
                     "%s is no dump of CPUID with its leaves 0 and 1, as uarchprobe info --raw and "
                     "libcpuid's cpuid_tool --raw write them",
                     quote(path).text);
}

enum status cpu_replay(const char *path, struct cpu *cpu, struct topology **topology, struct fault *fault)
{
    enum { XSAVE_LEAF = 13 };
    struct dump dump = {0};

    if (read_dump(path, &dump, fault) == STATUS_OK) {
        const struct cpu_raw_data_t *raw = &dump.cpu[0].raw;
        *cpu = (struct cpu){.arch = "x86_64"};
        cpu_identify_cpuid(raw, cpu);
        /* A system that saves states at all is taken to save all that the CPU has: XCR0 is in no dump. */
        const bool saves = cpuid_saves_state(raw) && raw->basic_cpuid[0][EAX] >= XSAVE_LEAF;
        cpu->features = cpuid_features(raw, saves ? raw->basic_cpuid[XSAVE_LEAF][EAX] : 0);
        *topology = dump_topology(cpu, dump.cpu, dump.count);
        cpu->core = cpu_core_of(cpu, raw);
    }
    free(dump.cpu);
    return fault->status;
}
