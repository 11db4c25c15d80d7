/* SPDX-License-Identifier: MIT */
/* What differs between two results but their values: machine, tool, settings. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"

/* Facts that are named when they differ; `decides`: results are then not of the same thing. */
static const struct {
    const char *path, *word;
    bool decides;
} facts[] = {
    {"host.arch", "architecture", true},
    {"host.cpu.vendor", "CPU vendor", true},
    {"host.cpu.brand", "CPU", true},
    {"host.cpu.family", "CPU family", true},
    {"host.cpu.model", "CPU model", true},
    {"host.cpu.stepping", "CPU stepping", true},
    {"host.cpu.microcode", "microcode", false},
    {"host.topology.cpus", "CPUs", false},
    {"host.topology.allowed", "CPUs allowed", false},
    {"host.kernel", "kernel", true},
    {"host.hypervisor", "hypervisor", true},
    {"host.governor", "governor", false},
    {"host.turbo", "turbo", false},
    {"host.thp", "transparent huge pages", false},
    {"tool.version", "uarchprobe", false},
    {"tool.git", "uarchprobe's commit", false},
};

static const char settings[] = "run.settings.";

static void value_text(const struct fact *fact, const char *otherwise, char *text, size_t size)
{
    struct text value = {0};
    if (fact && cell_has_value(&fact->value))
        text_add_cell_human(&value, &fact->value, 6);
    snprintf(text, size, "%s", value.data ? value.data : otherwise);
    text_free(&value);
}

/* A row where they differ. */
static void compare_fact(struct comparison *comparison, const char *word, const struct fact *before,
                         const struct fact *after, const char *otherwise, char *deciding, size_t size)
{
    char first[256], second[256];
    value_text(before, otherwise, first, sizeof(first));
    value_text(after, otherwise, second, sizeof(second));
    if (strcmp(first, second) == 0)
        return;
    record_row(comparison->record, comparison->settings,
               (const struct cell[]){TEXT_CELL(comparison->file), TEXT_CELL(word), TEXT_CELL(first),
                                     TEXT_CELL(second)});
    const size_t used = deciding ? strlen(deciding) : 0;
    if (deciding)
        snprintf(deciding + used, size - used, "%s%s", used ? ", " : "", word);
}

/* Those that one has; of those that both have, where `other` is NULL too. */
static void compare_options(struct comparison *comparison, const struct record *record,
                            const struct record *other, bool swapped, char *deciding, size_t size)
{
    for (size_t i = 0; i < record_fact_count(record); i++) {
        const struct fact *fact = record_fact_at(record, i);
        if (strncmp(fact->path, settings, strlen(settings)) != 0)
            continue;
        const struct fact *its = record_fact_find(other, fact->path);
        char word[64];
        snprintf(word, sizeof(word), "--%s", fact->path + strlen(settings));
        if (!swapped || !its)
            compare_fact(comparison, word, swapped ? its : fact, swapped ? fact : its, "as by default",
                         deciding, size);
    }
}

void compare_settings(struct comparison *comparison, const struct record *before, const struct record *after,
                      char *deciding, size_t size)
{
    deciding[0] = '\0';
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        compare_fact(comparison, facts[i].word, record_fact_find(before, facts[i].path),
                     record_fact_find(after, facts[i].path), "unknown", facts[i].decides ? deciding : NULL,
                     size);
    compare_options(comparison, before, after, false, deciding, size);
    compare_options(comparison, after, before, true, deciding, size);
}
