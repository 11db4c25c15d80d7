/* SPDX-License-Identifier: MIT */
/* The facts got.*: what the machine shows of its CPUs, caches and memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/facts.h"

/* From far to near. */
static const struct {
    const char *name;
    size_t offset;
} levels[] = {{"package", offsetof(struct cpu_place, package)},
              {"node", offsetof(struct cpu_place, node)},
              {"L3", offsetof(struct cpu_place, l3)},
              {"core", offsetof(struct cpu_place, core)}};
enum { LEVELS = sizeof levels / sizeof *levels, L3 = 2, CORE = 3, GROUPS_SHOWN = 8 };

static int group_of(const struct cpu_place *place, int level)
{
    return *(const int *)((const char *)place + levels[level].offset);
}

/* " {0-3,8} {4-7}" of a level, and how many groups it has. */
static int add_groups(struct text *out, const struct topology *topology, int level)
{
    int count = 0;
    struct topology group = {.place = memory_zeroed((size_t)topology->place_count, sizeof *group.place)};
    for (int i = 0; i < topology->place_count; i++) {
        const int number = group_of(&topology->place[i], level);
        int first = 0;
        while (group_of(&topology->place[first], level) != number)
            first++;
        if (number < 0 || first < i || ++count > GROUPS_SHOWN)
            continue;
        char cpus[256];
        group.place_count = 0;
        for (int k = i; k < topology->place_count; k++)
            if (group_of(&topology->place[k], level) == number)
                group.place[group.place_count++] = topology->place[k];
        topology_allowed_text(&group, cpus, sizeof cpus);
        text_printf(out, " {%s}", cpus);
    }
    if (count > GROUPS_SHOWN)
        text_printf(out, " and %d more", count - GROUPS_SHOWN);
    free(group.place);
    return count;
}

/* Leaves out a level with the groups of the one before, as the nodes of most machines are its packages. */
static struct cell layout(const struct topology *topology, struct text *text)
{
    for (int level = 0, before = 1; level < LEVELS; level++) {
        struct text groups = {0};
        const int count = add_groups(&groups, topology, level);
        if (count > 0 && (count != before || level >= L3)) {
            const bool apart = level == CORE && count == topology->place_count;
            text_printf(text, "%s%s%s", text->length ? "; " : "",
                        apart ? "each CPU a core" : levels[level].name, apart ? "" : groups.data);
            before = count;
        }
        text_free(&groups);
    }
    return text->data ? TEXT_CELL(text->data) : NO_CELL;
}

/* "48 KiB", or, where CPUs have several, "96 MiB of 0-1, 32 MiB of 2-3"; empty: none of them has the
 * level. */
static void add_level(struct text *out, const struct topology *topology, uint64_t rows, int level)
{
    int count = 0, added = 0;
    for (int i = 0; i < topology->cache_count; i++)
        count += rows >> i & 1 && topology->cache[i].level == level && topology->cache[i].type != 'i';
    for (int i = 0; i < topology->cache_count; i++) {
        const struct cache *cache = &topology->cache[i];
        if (!(rows >> i & 1) || cache->level != level || cache->type == 'i')
            continue;
        if (added == 0)
            text_printf(out, "%sL%d%s ", out->length && out->data[out->length - 1] != ' ' ? "   " : "", level,
                        cache->type == 'd' ? "d" : "");
        text_add(out, added++ ? ", " : "");
        text_add_size_rounded(out, (int64_t)cache->bytes);
        if (count > 1 && cache->cpus)
            text_printf(out, " of %s", cache->cpus);
    }
}

/* The caches of data of these rows, as the machine shows them. */
static void add_caches(struct text *out, const struct topology *topology, uint64_t rows)
{
    enum { LEVELS_MOST = 5 };
    int line = 0;
    uint64_t side = 0;
    for (int i = 0; i < topology->cache_count; i++)
        if (topology->cache[i].type == 'm') {
            side = rows >> i & 1 && topology->cache[i].bytes > side ? topology->cache[i].bytes : side;
            rows &= ~((uint64_t)1 << i);
        } else if (rows >> i & 1 && topology->cache[i].line > line)
            line = topology->cache[i].line;
    for (int level = 1; level <= LEVELS_MOST; level++)
        add_level(out, topology, rows, level);
    if (out->length && line > 0)
        text_printf(out, "   line %d B", line);
    if (side > 0) {
        text_printf(out, "%smemory-side ", out->length ? "   " : "");
        text_add_size_rounded(out, (int64_t)side);
    }
}

/* A row of all kinds of cores, "2 x Golden Cove, 4 x Gracemont", and one for each with its caches. */
static void add_kinds(const struct topology *topology, struct record *record)
{
    struct text all = {0};
    char letter[2], name[KIND_NAME_LENGTH];
    for (int kind = 0; kind < topology->kind_count; kind++)
        text_printf(&all, "%s%d x %s", kind ? ", " : "", topology->kind[kind].cores,
                    topology_kind_name(topology, kind, name));
    RECORD_FACTS(record, {"got.cores", "Cores", NULL, TEXT_CELL(all.data)});
    text_free(&all);
    for (int kind = 0; kind < topology->kind_count; kind++) {
        const char *const cpus = topology->kind[kind].cpus;
        struct text caches = {0};
        uint64_t rows = 0;
        char path[32], title[32];
        for (int i = 0; i < topology->place_count; i++)
            rows |= topology->place[i].kind == kind ? topology->place[i].caches : 0;
        topology_kind_letter(topology, kind, letter);
        snprintf(path, sizeof path, "got.kind_%s", letter);
        snprintf(title, sizeof title, "%s core", letter);
        text_printf(&caches, "CPUs %s   ", cpus ? cpus : "unknown");
        add_caches(&caches, topology, rows);
        RECORD_FACTS(record, {path, title, NULL, TEXT_CELL(caches.data)});
        text_free(&caches);
    }
}

/* ", 61 GiB of it in node 8 without CPUs". */
static void add_lone_nodes(struct text *out, const struct topology *topology)
{
    enum { NODES_MOST = 64 };
    struct numa_node node[NODES_MOST];
    const int count = topology->machine ? topology_nodes(topology, node, NODES_MOST) : 0;
    for (int i = 0; i < count; i++) {
        if (node[i].bytes == 0 && count > 1)
            text_printf(out, ", none in node %d", node[i].id);
        if (node[i].bytes == 0 || node[i].cpus > 0)
            continue;
        text_add(out, ", ");
        text_add_size_rounded(out, (int64_t)node[i].bytes);
        text_printf(out, " of it in node %d without CPUs", node[i].id);
    }
}

void shown_record(const struct topology *topology, struct record *record)
{
    struct text caches = {0}, places = {0}, size = {0};
    const int cpus = topology->cpus > topology->place_count ? topology->cpus : topology->place_count;
    uint64_t rows = 0;
    text_printf(&size, "%d CPU%s", cpus, cpus == 1 ? "" : "s");
    if (topology->memory_bytes > 0) {
        text_add(&size, ", ");
        text_add_size_rounded(&size, (int64_t)topology->memory_bytes);
        add_lone_nodes(&size, topology);
    }
    for (int i = 0; i < topology->place_count; i++)
        rows |= topology->place[i].caches;
    add_caches(&caches, topology, rows);
    RECORD_FACTS(record, {"got.size", "Size", NULL, TEXT_CELL(size.data)});
    if (topology->kind_count > 1)
        add_kinds(topology, record);
    else
        RECORD_FACTS(record, {"got.caches", "Caches", NULL, caches.data ? TEXT_CELL(caches.data) : NO_CELL});
    RECORD_FACTS(record, {"got.where", "Layout", NULL, layout(topology, &places)});
    text_free(&caches);
    text_free(&places);
    text_free(&size);
}
