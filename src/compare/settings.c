/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <stdio.h>
#include <string.h>

/* Kernel and microcode come and go on the same machine, and what they change is what one wants judged: they decide nothing. */
static const struct {
    const char *path, *word;
    bool decides;
    const char *named; /* before its value in the name of machines that are alike; NULL: no part of that */
} facts[] = {
    {"host.arch", "architecture", true, ""},
    {"host.cpu.vendor", "CPU vendor", true},
    {"host.cpu.brand", "CPU", true, ""},
    {"host.cpu.family", "CPU family", true, "family "},
    {"host.cpu.model", "CPU model", true, "model "},
    {"host.cpu.stepping", "CPU stepping", true, "stepping "},
    {"host.cpu.microcode", "microcode", false},
    {"host.topology.cpus", "CPUs", false, "CPUs "},
    {"host.topology.allowed", "CPUs allowed", false},
    {"host.kernel", "kernel", false},
    {"host.hypervisor", "hypervisor", true, ""},
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

static void add(struct differences *differences, const char *what, const struct fact *before,
                const struct fact *after, const char *otherwise, bool decides)
{
    struct difference own = {.decides = decides};
    snprintf(own.what, sizeof(own.what), "%s", what);
    value_text(before, otherwise, own.before, sizeof(own.before));
    value_text(after, otherwise, own.after, sizeof(own.after));
    bool known = strcmp(own.before, own.after) == 0;
    for (size_t i = 0; i < differences->count && !known; i++) {
        const struct difference *other = &differences->of[i];
        known = strcmp(other->what, own.what) == 0 && strcmp(other->before, own.before) == 0 &&
                strcmp(other->after, own.after) == 0;
    }
    if (!known)
        LIST_ADD(*differences, own);
}

/* The options of `record`, the second result where swapped; those that both have only once. */
static void compare_options(struct differences *differences, const struct record *record,
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
            add(differences, word, swapped ? its : fact, swapped ? fact : its, "as by default", true);
    }
}

void settings_compare(struct differences *differences, const struct record *before,
                      const struct record *after)
{
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        add(differences, facts[i].word, record_fact_find(before, facts[i].path),
            record_fact_find(after, facts[i].path), "unknown", facts[i].decides);
    compare_options(differences, before, after, false);
    compare_options(differences, after, before, true);
}

static void add_named(struct text *out, const char *named, const struct cell *value)
{
    if (!cell_has_value(value))
        return;
    text_printf(out, "%s%s", out->length ? ", " : "", named);
    text_add_cell_human(out, value, 0);
}

void settings_name(const struct record *record, struct text *out)
{
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        const struct fact *fact = record_fact_find(record, facts[i].path);
        if (fact && facts[i].named)
            add_named(out, facts[i].named, &fact->value);
    }
    for (size_t i = 0; i < record->facts.count; i++) {
        const struct fact *fact = &record->facts.of[i];
        char option[64];
        if (strncmp(fact->path, settings, strlen(settings)) != 0)
            continue;
        snprintf(option, sizeof(option), "--%s ", fact->path + strlen(settings));
        add_named(out, option, &fact->value);
    }
    if (out->length == 0)
        text_add(out, "machines that say nothing of themselves");
}

void settings_write(const struct differences *differences, bool deciding, struct text *out)
{
    const size_t begun = out->length;
    for (size_t i = 0; i < differences->count; i++) {
        const struct difference *difference = &differences->of[i];
        if (difference->decides != deciding)
            continue;
        text_printf(out, "%s%s", out->length > begun ? ", " : "", difference->what);
        if (!deciding)
            text_printf(out, " (%.40s, %.40s)", difference->before, difference->after);
    }
}
