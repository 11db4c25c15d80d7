/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "machine/cpu_internal.h"

void cpu_set_text(char *out, size_t size, const char *text)
{
    const size_t begin = strspn(text, " ");
    snprintf(out, size, "%s", text + begin);
    for (size_t length = strlen(out); length > 0 && out[length - 1] == ' '; length--)
        out[length - 1] = '\0';
}

void cpu_name_x86(struct cpu *cpu, unsigned traits)
{
    const struct identity identity = {.vendor = cpu->vendor,
                                      .family = cpu->family,
                                      .model = cpu->model,
                                      .stepping = cpu->stepping,
                                      .traits = traits};
    bool masked;
    const struct codename *row = codename_x86(&identity, &masked);

    cpu->shows_amx = (traits & TRAIT_AMX) != 0;
    cpu->model_masked = masked;
    cpu->core = row && !masked ? row->core : NULL;
    /* No number is as good as what the CPU executes. */
    if ((!row || masked) && cpu->shows_amx && cpu->family == 6)
        cpu->core = CPU_CORE_AMX;
    if (row && masked)
        snprintf(cpu->codename_note, sizeof(cpu->codename_note),
                 "masked: model %d is %s, which lacks features that this CPU has", cpu->model, row->name);
    else if (row)
        snprintf(cpu->codename, sizeof(cpu->codename), "%s", row->name);
    if (row && !masked && *cpu->hypervisor && cpu_may_be_guest(cpu))
        snprintf(cpu->codename_note, sizeof(cpu->codename_note),
                 "by the model number that the hypervisor shows");
}

void cpu_name_arm(struct cpu *cpu, uint64_t midr)
{
    static const uint64_t apple_guest = 0x610f0000;
    const int implementer = (int)(midr >> 24 & 0xff);

    if (implementer == 0)
        return;
    cpu->family = implementer;
    const char *vendor = implementer_name(implementer);
    if (vendor)
        snprintf(cpu->vendor, sizeof(cpu->vendor), "%s", vendor);
    /* Parts are numbered by each implementer, and 0 is one of them. */
    if (midr == apple_guest)
        return;
    cpu->model = (int)(midr >> 4 & 0xfff);
    cpu->stepping = (int)((midr >> 20 & 0xf) << 4 | (midr & 0xf));
    const struct codename *row = codename_arm(implementer, cpu->model);
    cpu->core = row ? row->core : NULL;
    if (row)
        snprintf(cpu->codename, sizeof(cpu->codename), "%s", row->name);
}
