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
    bool contradicted;
    const char *name = codename_x86(&identity, &contradicted);

    cpu->shows_amx = (traits & TRAIT_AMX) != 0;
    cpu->model_masked = contradicted;
    if (name && contradicted)
        snprintf(cpu->codename_note, sizeof(cpu->codename_note),
                 "masked: model %d is %s, which lacks features that this CPU has", cpu->model, name);
    else if (name)
        snprintf(cpu->codename, sizeof(cpu->codename), "%s", name);
    if (name && !contradicted && *cpu->hypervisor && strcmp(cpu->hypervisor, "none") != 0)
        snprintf(cpu->codename_note, sizeof(cpu->codename_note),
                 "by the model number that the hypervisor shows");
}

static int unless_masked(uint64_t field)
{
    return field ? (int)field : -1;
}

void cpu_name_arm(struct cpu *cpu, uint64_t midr)
{
    cpu->family = unless_masked(midr >> 24 & 0xff);
    /* Parts are numbered by each implementer. */
    cpu->model = cpu->family >= 0 ? unless_masked(midr >> 4 & 0xfff) : -1;
    if (cpu->model >= 0)
        cpu->stepping = (int)((midr >> 20 & 0xf) << 4 | (midr & 0xf));
    const char *vendor = implementer_name(cpu->family);
    const char *name = codename_arm(cpu->family, cpu->model);
    if (vendor)
        snprintf(cpu->vendor, sizeof(cpu->vendor), "%s", vendor);
    if (name)
        snprintf(cpu->codename, sizeof(cpu->codename), "%s", name);
}
