/* SPDX-License-Identifier: MIT */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uarchprobe/option.h"

const char *fact_text(const struct record *record, const char *path, const char *otherwise)
{
    const struct fact *fact = record_fact_find(record, path);
    return fact && fact->value.type == CELL_TEXT && *fact->value.text ? fact->value.text : otherwise;
}

bool fact_is(const struct record *record, const char *path, bool value)
{
    const struct fact *fact = record_fact_find(record, path);
    return fact && cell_is(&fact->value, value);
}

static const struct cell *cache_fact(const struct record *record, int index, const char *key)
{
    static const struct cell none = {.type = CELL_NULL};
    char path[64];
    snprintf(path, sizeof(path), "host.caches.%d.%s", index, key);
    const struct fact *fact = record_fact_find(record, path);
    return fact ? &fact->value : &none;
}

/* The first of the CPUs that were measured; -1: unknown. */
static int first_cpu(const struct record *record)
{
    const char *asked = fact_text(record, "run.settings.cpus", "all");
    const struct record *whole = record_whole(record);
    return *asked >= '0' && *asked <= '9' ? (int)strtol(asked, NULL, 10)
           : whole->places.count > 0      ? whole->places.of[0].cpu
                                          : -1;
}

/* Older results do not say which CPUs a cache serves, and of very many the text is cut. */
static bool may_serve(const struct record *record, int index, int cpu)
{
    struct cpu_list list;
    const char *cpus = cell_text(cache_fact(record, index, "cpus"));
    if (cpu < 0 || !cpus || parse_cpu_list(cpus, &list, &(struct fault){0}) != STATUS_OK)
        return true;
    while (list.count > 0 && list.id[list.count - 1] != cpu)
        list.count--;
    return list.count > 0;
}

static bool read_cache(const struct record *record, int index, struct host_cache *cache)
{
    const struct cell *level = cache_fact(record, index, "level"), *type = cache_fact(record, index, "type");
    const struct cell *bytes = cache_fact(record, index, "bytes");
    if (level->type != CELL_INTEGER || bytes->type != CELL_INTEGER)
        return false;
    *cache = (struct host_cache){(int)level->integer, bytes->integer,
                                 type->type == CELL_TEXT ? type->text : "unified"};
    return true;
}

bool subject_cache(const struct record *record, int index, struct host_cache *cache)
{
    const int cpu = first_cpu(record);
    for (int i = 0; read_cache(record, i, cache); i++)
        if (may_serve(record, i, cpu) && index-- == 0)
            return true;
    return false;
}

const char subject_incomplete[] = "Incomplete: the run ended early; this is what was measured until then.";

char *subject_cpu(const struct record *record)
{
    const char *codename = fact_text(record, "host.cpu.codename", NULL);
    struct text text = {0};
    static const char *const paths[] = {"run.subject", "host.cpu.brand", "host.cpu.vendor", "run.command"};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && !name; i++)
        name = fact_text(record, paths[i], NULL);
    text_add_printable(&text, name ? name : "unnamed CPU");
    if (codename) {
        text_add(&text, ", ");
        text_add_printable(&text, codename);
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

const char *const trust_names[] = {"low", "medium", "high", NULL};
const char *const state_names[] = {"unknown", "sibling idle", "sibling active", "mixed", NULL};

bool answer_is_busy(const struct answer *answer)
{
    return answer->state && strcmp(answer->state, state_names[STATE_ACTIVE]) == 0;
}

bool answer_is_bound(const struct answer *answer)
{
    return cell_has_value(&answer->low) && !cell_has_value(&answer->high);
}
