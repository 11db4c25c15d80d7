/* SPDX-License-Identifier: MIT */
/* Answers of CPUID and of MIDR_EL1, of any machine and of none: names that end, and a dump that is read back as it was. */
#include "../unit/machine/dump.h"
#include "fuzz.h"
#include "machine/cpu_internal.h"

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

static void require_printed(const struct cpuid_dump *dump)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    require(stream != NULL);
    cpuid_answers(dump, dump_write, stream);
    fclose(stream);
    require_plain(text, strlen(text));
    stream = fmemopen(text, strlen(text), "r");
    require(stream != NULL);
    const struct cpuid_dump again = dump_read(stream);
    require(memcmp(again.basic, dump->basic, sizeof(dump->basic)) == 0);
    require(memcmp(again.extended, dump->extended, sizeof(dump->extended)) == 0);
    fclose(stream);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cpuid_dump dump = {0};
    struct cpu cpu = {.family = -1}, arm = cpu;
    uint64_t midr = 0;
    char signature[13] = "";
    memcpy(&dump, data, size < sizeof(dump) ? size : sizeof(dump));
    memcpy(&midr, data, size < sizeof(midr) ? size : sizeof(midr));
    memcpy(signature, data, size < 12 ? size : 12);
    hypervisor_name(signature);
    codename_hybrid((uint32_t)midr);
    cpu_identify_cpuid(&dump, &cpu);
    cpu_name_arm(&arm, midr);
    require_names(&cpu);
    require_names(&arm);
    if (size % 16 == 0)
        require_printed(&dump);
    return 0;
}
