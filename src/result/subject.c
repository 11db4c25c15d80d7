/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <stdlib.h>

#include "base/text.h"

const char *fact_text(const struct record *record, const char *path, const char *otherwise)
{
    const struct fact *fact = record_fact_find(record, path);
    return fact && fact->value.type == CELL_TEXT && *fact->value.text ? fact->value.text : otherwise;
}

char *subject_cpu(const struct record *record)
{
    const char *codename = fact_text(record, "host.cpu.codename", NULL);
    struct text text = {0};
    text_add_printable(
        &text, fact_text(record, "host.cpu.brand", fact_text(record, "host.cpu.vendor", "unnamed CPU")));
    if (codename) {
        text_add(&text, " (");
        text_add_printable(&text, codename);
        text_add(&text, ")");
    }
    return text_take(&text);
}

char *subject_details(const struct record *record)
{
    static const char *const paths[][2] = {{"run.started", ""},
                                           {"host.kernel", "Linux "},
                                           {"host.hypervisor", "hypervisor "},
                                           {"tool.version", "uarchprobe "}};
    struct text text = {0};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        const char *value = fact_text(record, paths[i][0], NULL);
        if (!value)
            continue;
        text_add(&text, text.length ? ", " : "");
        text_add(&text, paths[i][1]);
        text_add_printable(&text, value);
    }
    return text_take(&text);
}

void subject_free(char *cpu, char *details)
{
    free(cpu);
    free(details);
}
