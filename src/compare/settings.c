/* SPDX-License-Identifier: MIT */
/* What differs between two results but their values: machine, tool, settings. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "compare.h"

/* What is named when it differs. Where it decides, results are not of the same thing. Kernel and microcode come and go on the
 * same machine, and what they change is what one wants judged. */
enum weight { REMARK, DECIDES };
static const struct {
    const char *path, *word;
    enum weight weight;
} facts[] = {
    {"host.arch", "architecture", DECIDES},
    {"host.cpu.vendor", "CPU vendor", DECIDES},
    {"host.cpu.brand", "CPU", DECIDES},
    {"host.cpu.family", "CPU family", DECIDES},
    {"host.cpu.model", "CPU model", DECIDES},
    {"host.cpu.stepping", "CPU stepping", DECIDES},
    {"host.cpu.microcode", "microcode", REMARK},
    {"host.topology.cpus", "CPUs", REMARK},
    {"host.topology.allowed", "CPUs allowed", REMARK},
    {"host.kernel", "kernel", REMARK},
    {"host.hypervisor", "hypervisor", DECIDES},
    {"host.governor", "governor", REMARK},
    {"host.turbo", "turbo", REMARK},
    {"host.thp", "transparent huge pages", REMARK},
    {"tool.version", "uarchprobe", REMARK},
    {"tool.git", "uarchprobe's commit", REMARK},
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

static bool is_said(const struct comparison *comparison, const struct cell *row)
{
    const struct record_table *table = &comparison->record->tables.of[comparison->settings];
    for (size_t i = 0; i < table->row_count; i++) {
        int same = 0;
        while (same < table->spec->column_count && cell_equal(record_cell(table, i, same), &row[same]))
            same++;
        if (same == table->spec->column_count)
            return true;
    }
    return false;
}

/* A row where they differ, and a word where it is not there yet. */
static void compare_fact(struct comparison *comparison, const char *word, const struct fact *before,
                         const struct fact *after, const char *otherwise, enum weight weight)
{
    char first[256], second[256];
    value_text(before, otherwise, first, sizeof(first));
    value_text(after, otherwise, second, sizeof(second));
    const struct cell row[] = {TEXT_CELL(comparison->file), TEXT_CELL(word), TEXT_CELL(first),
                               TEXT_CELL(second)};
    if (strcmp(first, second) == 0 || is_said(comparison, row))
        return;
    record_row(comparison->record, comparison->settings, row);
    if (weight == DECIDES)
        text_printf(&comparison->deciding, "%s%s", comparison->deciding.length ? ", " : "", word);
    else
        text_printf(&comparison->remarks, "%s%s (%.40s, %.40s)", comparison->remarks.length ? ", " : "", word,
                    first, second);
}

/* Those that one has; of those that both have, where `other` is NULL too. */
static void compare_options(struct comparison *comparison, const struct record *record,
                            const struct record *other, bool swapped)
{
    for (size_t i = 0; i < record->facts.count; i++) {
        const struct fact *fact = &record->facts.of[i];
        if (strncmp(fact->path, settings, strlen(settings)) != 0)
            continue;
        const struct fact *its = record_fact_find(other, fact->path);
        char word[64];
        snprintf(word, sizeof(word), "--%s", fact->path + strlen(settings));
        if (!swapped || !its)
            compare_fact(comparison, word, swapped ? its : fact, swapped ? fact : its, "as by default",
                         DECIDES);
    }
}

void compare_settings(struct comparison *comparison, const struct record *before, const struct record *after)
{
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        compare_fact(comparison, facts[i].word, record_fact_find(before, facts[i].path),
                     record_fact_find(after, facts[i].path), "unknown", facts[i].weight);
    compare_options(comparison, before, after, false);
    compare_options(comparison, after, before, true);
}
