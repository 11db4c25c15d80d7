/* SPDX-License-Identifier: MIT */
/* Answers of CPUID and of MIDR_EL1, of any machine and of none, and dumps that anybody wrote: names that end, one line of fault, and a
 * table that is read back as it was. */
#include <unistd.h>

#include "fuzz.h"
#include "machine/cpu_internal.h"
#include "uarchprobe/topology.h"

#define REQUIRE_ENDS(text) require(memchr((text), '\0', sizeof(text)) != NULL)

static void require_names(const struct cpu *cpu)
{
    REQUIRE_ENDS(cpu->vendor);
    REQUIRE_ENDS(cpu->brand);
    REQUIRE_ENDS(cpu->codename);
    REQUIRE_ENDS(cpu->codename_note);
    REQUIRE_ENDS(cpu->hypervisor);
    require_plain(cpu->codename, strlen(cpu->codename));
    require(!cpu->core || cpu->core[0]);
}

static void scan(void *again, const char *name, const char *registers)
{
    char line[96];
    snprintf(line, sizeof line, "%s=%s", name, registers);
    require(cpuid_scan(again, line));
}

static void replay(const char *path)
{
    struct fault fault = {0};
    struct topology *topology = NULL;
    struct cpu cpu;
    if (cpu_replay(path, &cpu, &topology, &fault) == STATUS_OK)
        require_names(&cpu);
    else
        require(fault.status == STATUS_USAGE && !strchr(fault.text, '\n'));
    topology_free(topology);
}

static void write_line(void *file, const char *name, const char *registers)
{
    fprintf(file, "%s=%s\n", name, registers);
}

/* The bytes as a dump, and as the table that a dump with them would be. */
static void replay_bytes(const uint8_t *data, size_t size, const struct cpu_raw_data_t *raw)
{
    char path[] = "/tmp/uarchprobe-fuzz-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    require(file && fwrite(data, 1, size, file) == size);
    fclose(file);
    replay(path);
    file = fopen(path, "w");
    require(file != NULL);
    cpuid_list(raw, write_line, file);
    fclose(file);
    replay(path);
    remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cpu_raw_data_t raw = {0};
    struct dumped_cpu again = {0};
    struct cpu cpu = {.family = -1}, arm = cpu;
    uint64_t midr = 0;
    char signature[13] = "";
    memcpy(&raw, data, size < sizeof(raw) ? size : sizeof(raw));
    memcpy(&midr, data, size < sizeof(midr) ? size : sizeof(midr));
    memcpy(signature, data, size < 12 ? size : 12);
    hypervisor_name(signature);
    cpu_identify_cpuid(&raw, &cpu);
    cpu_core_of(&cpu, &raw);
    cpu_identify_midr(midr, &arm);
    require_names(&cpu);
    require_names(&arm);
    if (size % 16 == 0) {
        cpuid_list(&raw, scan, &again);
        require(memcmp(again.raw.basic_cpuid, raw.basic_cpuid, sizeof(raw.basic_cpuid)) == 0);
        require(memcmp(again.raw.ext_cpuid, raw.ext_cpuid, sizeof(raw.ext_cpuid)) == 0);
        replay_bytes(data, size, &raw);
    }
    return 0;
}
