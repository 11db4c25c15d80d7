/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <stdio.h>
#include <string.h>

/* Kernel and microcode change on one machine, and their effect is often the question: they decide nothing. */
static const struct {
    const char *path, *word;
    bool decides;
    const char *named; /* prefix of its value in the name of equal machines; NULL: no part of it */
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
enum { FACTS = sizeof(facts) / sizeof(facts[0]) };

/* "isa" of "run.settings.isa"; NULL: no option. */
static const char *option_of(const struct fact *fact)
{
    static const char settings[] = "run.settings.";
    return strncmp(fact->path, settings, strlen(settings)) == 0 ? fact->path + strlen(settings) : NULL;
}

static void add(struct differences *differences, struct difference own, const char *path,
                const struct record *const *records)
{
    for (int side = 0; side < 2; side++) {
        const struct fact *fact = record_fact_find(records[side], path);
        struct text value = {0};
        if (fact && cell_has_value(&fact->value))
            text_add_cell_human(&value, &fact->value, 6);
        snprintf(own.of[side], sizeof(own.of[side]), "%s",
                 value.data           ? value.data
                 : own.what[0] == '-' ? "as by default"
                                      : "unknown");
        text_free(&value);
    }
    bool known = strcmp(own.of[0], own.of[1]) == 0;
    for (size_t i = 0; i < differences->count && !known; i++)
        known = memcmp(&differences->of[i], &own, sizeof(own)) == 0;
    if (!known)
        LIST_ADD(*differences, own);
}

void settings_compare(struct differences *differences, const struct record *before,
                      const struct record *after)
{
    const struct record *const records[] = {before, after};
    for (size_t i = 0; i < FACTS; i++) {
        struct difference own = {.decides = facts[i].decides};
        snprintf(own.what, sizeof(own.what), "%s", facts[i].word);
        add(differences, own, facts[i].path, records);
    }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < records[side]->facts.count; i++) {
            const char *path = records[side]->facts.of[i].path,
                       *option = option_of(&records[side]->facts.of[i]);
            struct difference own = {.decides = true};
            snprintf(own.what, sizeof(own.what), "--%s", option ? option : "");
            if (option)
                add(differences, own, path, records);
        }
}

static void add_named(struct text *out, size_t begun, const char *dashes, const char *named,
                      const struct cell *value)
{
    if (!named || !cell_has_value(value))
        return;
    text_printf(out, "%s%s%s%s", out->length > begun ? ", " : "", dashes, named, *dashes ? " " : "");
    text_add_cell_human(out, value, 0);
}

void settings_name(const struct record *record, struct text *out)
{
    const size_t begun = out->length;
    for (size_t i = 0; i < FACTS; i++) {
        const struct fact *fact = record_fact_find(record, facts[i].path);
        add_named(out, begun, "", facts[i].named, fact ? &fact->value : &NO_CELL);
    }
    for (size_t i = 0; i < record->facts.count; i++)
        add_named(out, begun, "--", option_of(&record->facts.of[i]), &record->facts.of[i].value);
    if (out->length == begun)
        text_add(out, "machines that say nothing of themselves");
}

void settings_write(const struct differences *differences, bool deciding, struct text *out)
{
    const size_t begun = out->length;
    for (size_t i = 0; i < differences->count; i++) {
        const struct difference *of = &differences->of[i];
        if (of->decides != deciding)
            continue;
        text_printf(out, "%s%s", out->length > begun ? ", " : "", of->what);
        if (!deciding)
            text_printf(out, " (%.40s, %.40s)", of->of[0], of->of[1]);
    }
}
