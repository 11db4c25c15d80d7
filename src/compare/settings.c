/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/subject.h"

/* A condition of each run, unknown of older results. */
#define CPU_SHARE "run.conditions.cpu_share"

/* Kernel and microcode change on one machine, and their effect is often the question. */
static const struct {
    const char *path, *word;
    enum weight weight;
    const char *named; /* prefix of its value in the name of equal machines; NULL: no part of it */
} facts[] = {
    {"host.arch", "architecture", WEIGHT_MACHINE, ""},
    {"host.cpu.vendor", "CPU vendor", WEIGHT_MACHINE},
    {"host.cpu.brand", "CPU", WEIGHT_MACHINE, ""},
    {"host.cpu.family", "CPU family", WEIGHT_MACHINE, "family "},
    {"host.cpu.model", "CPU model", WEIGHT_MACHINE, "model "},
    {"host.cpu.stepping", "CPU stepping", WEIGHT_MACHINE, "stepping "},
    {"run.node", "machine", WEIGHT_MACHINE},
    {"host.cpu.microcode", "microcode", WEIGHT_NAMED},
    {"host.topology.cpus", "CPUs", WEIGHT_NAMED, "CPUs "},
    {"host.topology.allowed", "CPUs allowed", WEIGHT_NAMED},
    {"host.kernel", "kernel", WEIGHT_NAMED},
    {"host.hypervisor", "hypervisor", WEIGHT_DECIDES, ""},
    {"host.governor", "governor", WEIGHT_NAMED},
    {"host.turbo", "turbo", WEIGHT_NAMED},
    {"host.thp", "transparent huge pages", WEIGHT_NAMED},
    {CPU_SHARE, "share of a CPU", WEIGHT_NAMED},
    {"tool.version", "uarchprobe", WEIGHT_NAMED},
    {"tool.git", "uarchprobe's commit", WEIGHT_NAMED},
};
enum { FACTS = sizeof(facts) / sizeof(facts[0]) };

/* "isa" of "run.settings.isa"; NULL: no option. */
static const char *option_of(const struct fact *fact)
{
    static const char settings[] = "run.settings.";
    return strncmp(fact->path, settings, strlen(settings)) == 0 ? fact->path + strlen(settings) : NULL;
}

static bool agree(const char *a, const char *b)
{
    return !a || !b || strcmp(a, b) == 0;
}

/* The value as it is shown; NULL: it is not known and differs from nothing. */
static char *value_text(const struct record *record, const char *path, bool is_option)
{
    const struct fact *fact = record_fact_find(record, path);
    struct text text = {0};
    if (strcmp(path, CPU_SHARE) == 0) {
        const double share = record_fact_number(record, path);
        if (isnan(share))
            return NULL;
        /* Runs that had nearly all of a CPU had the same. */
        text_printf(&text, share < CPU_SHARE_LEAST ? "%.0f %%" : "%.0f %% and more",
                    100 * fmin(share, CPU_SHARE_LEAST));
    } else if (fact && cell_has_value(&fact->value))
        text_add_cell_human(&text, &fact->value, 6);
    else
        text_add(&text, is_option ? "as by default" : "unknown");
    return text_take(&text);
}

/* Adds a fact or an option that differs. Commands that say the same share a row. */
static void add(struct settings *settings, struct setting own, const char *path,
                const struct record *const *records)
{
    const char *first = NULL;
    bool differs = false;
    own.of = record_own(settings->owner, memory_zeroed(settings->results, sizeof(*own.of)));
    for (size_t i = 0; i < settings->results; i++) {
        char *value = records[i] ? value_text(records[i], path, *own.what == '-') : NULL;
        if (!value)
            continue;
        own.of[i] = record_own(settings->owner, value);
        first = first ? first : own.of[i];
        differs |= !agree(first, own.of[i]);
    }
    for (size_t k = 0; differs && k < settings->count; k++) {
        const struct setting *of = &settings->of[k];
        bool same = strcmp(of->what, own.what) == 0;
        for (size_t i = 0; i < settings->results; i++)
            same &= agree(of->of[i], own.of[i]);
        for (size_t i = 0; same && i < settings->results; i++)
            of->of[i] = own.of[i] ? own.of[i] : of->of[i];
        differs &= !same;
    }
    if (differs)
        LIST_ADD(*settings, own);
}

void settings_compare(struct settings *settings, const struct record *const *of)
{
    for (size_t i = 0; i < FACTS; i++)
        add(settings, (struct setting){facts[i].word, facts[i].weight, NULL}, facts[i].path, of);
    for (size_t side = 0; side < settings->results; side++)
        for (size_t i = 0; of[side] && i < of[side]->facts.count; i++) {
            const char *option = option_of(&of[side]->facts.of[i]);
            struct text what = {0};
            if (!option)
                continue;
            text_printf(&what, "--%s", option);
            const char *name = record_own(settings->owner, text_take(&what));
            add(settings, (struct setting){name, WEIGHT_DECIDES, NULL}, of[side]->facts.of[i].path, of);
        }
}

enum weight settings_weight(const struct settings *settings, size_t other)
{
    enum weight weight = WEIGHT_NONE;
    for (size_t i = 0; i < settings->count; i++)
        if (!agree(settings->of[i].of[0], settings->of[i].of[other]) && settings->of[i].weight > weight)
            weight = settings->of[i].weight;
    return weight;
}

void settings_write(const struct settings *settings, size_t other, enum weight least, enum weight most,
                    struct text *out)
{
    const size_t begun = out->length;
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *of = &settings->of[i];
        if (agree(of->of[0], of->of[other]) || of->weight < least || of->weight > most)
            continue;
        text_printf(out, "%s%s", out->length > begun ? ", " : "", of->what);
        if (of->weight == WEIGHT_NAMED)
            text_printf(out, " (%.40s, %.40s)", of->of[0], of->of[other]);
    }
}

static bool are_identical(const struct answer *a, const struct answer *b)
{
    return strcmp(a->key, b->key) == 0 && strcmp(a->state ? a->state : "", b->state ? b->state : "") == 0 &&
           strcmp(a->kind ? a->kind : "", b->kind ? b->kind : "") == 0 && a->trust == b->trust &&
           cell_equal(&a->value, &b->value) && cell_equal(&a->low, &b->low) && cell_equal(&a->high, &b->high);
}

bool settings_are_of_one_run(const struct record *a, const struct record *b)
{
    bool same = strcmp(fact_text(a, "run.started", ""), fact_text(b, "run.started", "")) == 0 &&
                a->answers.count == b->answers.count;
    for (size_t i = 0; same && i < a->answers.count; i++)
        same = are_identical(&a->answers.of[i], &b->answers.of[i]);
    return same;
}
