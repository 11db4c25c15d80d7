/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/host.h"

static void add(struct record *record, const char *path, const char *title, struct cell value)
{
    record_fact(record, (struct fact){.path = path, .title = title, .value = value});
}

static struct cell text_cell(const char *text)
{
    return *text ? TEXT_CELL(text) : NO_CELL;
}

static struct cell number_cell(int number)
{
    return number >= 0 ? INTEGER_CELL(number) : NO_CELL;
}

static void add_features(const struct cpu *cpu, struct record *record)
{
    char path[48];
    int index = 0;

    for (int feature = 0; feature < FEATURE_COUNT; feature++) {
        if (!(cpu->features >> feature & 1))
            continue;
        snprintf(path, sizeof(path), "host.features.%d", index++);
        add(record, path, "Features usable", TEXT_CELL(feature_name((enum feature)feature)));
    }
}

void host_cpu_record(const struct cpu *cpu, struct record *record)
{
    struct utsname name;

    add(record, "host.arch", "Architecture", text_cell(cpu->arch));
    add(record, "host.kernel", "Kernel", uname(&name) == 0 ? TEXT_CELL(name.release) : NO_CELL);
    add(record, "host.hypervisor", "Hypervisor", text_cell(cpu->hypervisor));
    add(record, "host.cpu.vendor", "CPU vendor", text_cell(cpu->vendor));
    add(record, "host.cpu.brand", "CPU", text_cell(cpu->brand));
    add(record, "host.cpu.family", "Family", number_cell(cpu->family));
    add(record, "host.cpu.model", "Model", number_cell(cpu->model));
    add(record, "host.cpu.stepping", "Stepping", number_cell(cpu->stepping));
    add(record, "host.cpu.microcode", "Microcode", text_cell(cpu->microcode));
    add(record, "host.cpu.codename", "Code name", text_cell(cpu->codename));
    add(record, "host.cpu.codename_note", *cpu->codename_note ? "Code name, note" : NULL,
        text_cell(cpu->codename_note));
    add(record, "host.cpu.codename_libcpuid",
        *cpu->libcpuid_codename ? "Code name by libcpuid (a hint)" : NULL, text_cell(cpu->libcpuid_codename));
    add_features(cpu, record);
    add(record, RECORD_EMULATED, cpu->emulated ? "Emulated" : NULL, BOOL_CELL(cpu->emulated));
}

/* "basic_cpuid[0]=00000024 756e6547 ...", a line each. */
static void add_dump_lines(char *text, struct record *record)
{
    char path[96], *state = NULL;

    for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value++ = '\0';
        snprintf(path, sizeof(path), "host.cpuid_raw.%s", line);
        add(record, path, line, TEXT_CELL(value));
    }
}

enum status host_cpu_dump_record(struct record *record, struct fault *fault)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    if (!stream)
        return fault_set(fault, STATUS_NO_RESOURCE, "no memory for the CPUID dump");
    const enum status status = cpu_dump_raw(stream, fault);
    fclose(stream);
    if (status == STATUS_OK)
        add_dump_lines(text, record);
    free(text);
    return status;
}
