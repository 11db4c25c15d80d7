/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "human.h"

/* What stands above the facts of "host.cpu.*"; a fact directly under "host" has no group of its own. */
static const struct {
    const char *component, *heading;
} groups[] = {{"cpu", "CPU"},
              {"topology", "Topology"},
              {"caches", "Caches"},
              {"features", "Features"},
              {"core_ghz", "Core clock"}};

/* "cpu" of "host.cpu.brand"; "host" of "host.arch". Returns its length. */
static size_t group_of(const char *path, const char **group)
{
    const char *second = strchr(path, '.');
    const char *third = second ? strchr(second + 1, '.') : NULL;
    *group = third ? second + 1 : path;
    return third ? (size_t)(third - second) - 1 : strcspn(path, ".");
}

static bool same_group(const char *path_a, const char *path_b)
{
    const char *a, *b;
    size_t length_a = group_of(path_a, &a), length_b = group_of(path_b, &b);
    return length_a == length_b && strncmp(a, b, length_a) == 0;
}

static void add_group_heading(const struct style *style, const char *path, struct text *out)
{
    const char *group;
    size_t length = group_of(path, &group);
    struct text name = {0};
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        if (strlen(groups[i].component) == length && strncmp(groups[i].component, group, length) == 0)
            text_add(&name, groups[i].heading);
    }
    if (name.length == 0) {
        text_add_bytes(&name, group, length);
        if (name.data && name.data[0] >= 'a' && name.data[0] <= 'z')
            name.data[0] = (char)(name.data[0] - 'a' + 'A');
    }
    char *heading = text_take(&name);
    human_bold(style, heading, out);
    text_add(out, "\n");
    free(heading);
}

/* Length of "host.features" in "host.features.3": the array that the fact is an element of; 0 if of none. */
static size_t array_of(const char *path)
{
    const char *last = strrchr(path, '.');
    if (!last || !last[1] || strspn(last + 1, "0123456789") != strlen(last + 1))
        return 0;
    return (size_t)(last - path);
}

static bool same_array(const struct fact *a, const struct fact *b)
{
    size_t length = array_of(a->path);
    return length > 0 && array_of(b->path) == length && strncmp(a->path, b->path, length) == 0;
}

/* A fact and, for an element of an array, all other elements of it. */
static void add_fact(const struct record *record, size_t index, size_t width, struct text *out)
{
    const struct fact *fact = record_fact_at(record, index);
    struct text title = {0};
    text_add_printable(&title, fact->title);
    char *shown = text_take(&title);
    text_printf(out, "  %s", shown);
    text_repeat(out, ' ', width - text_width(shown) + 2);
    free(shown);
    text_add_value(out, &fact->value, fact->unit);
    for (size_t i = index + 1; i < record_fact_count(record); i++) {
        const struct fact *other = record_fact_at(record, i);
        if (!same_array(fact, other))
            continue;
        text_add(out, " ");
        text_add_value(out, &other->value, other->unit);
    }
    text_add(out, "\n");
}

/* Where there is a plan, it alone is what was asked for. */
static const char *asked_for(const struct record *record)
{
    static const char plan[] = "plan.";
    for (size_t i = 0; i < record_fact_count(record); i++) {
        if (strncmp(record_fact_at(record, i)->path, plan, strlen(plan)) == 0)
            return plan;
    }
    return "";
}

/* Has a title and is not told with an earlier element of its array. */
static bool is_told(const struct record *record, size_t index)
{
    const struct fact *fact = record_fact_at(record, index);
    if (!fact->title)
        return false;
    for (size_t i = 0; i < index && array_of(fact->path); i++) {
        if (record_fact_at(record, i)->title && same_array(record_fact_at(record, i), fact))
            return false;
    }
    return true;
}

static bool group_was_told(const struct record *record, const bool *told, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (told[i] && same_group(record_fact_at(record, i)->path, record_fact_at(record, index)->path))
            return true;
    }
    return false;
}

void human_facts(const struct style *style, const struct record *record, struct text *out)
{
    size_t count = record_fact_count(record), width = 0;
    bool *told = memory_zeroed(count, sizeof(*told));
    const char *prefix = asked_for(record);
    for (size_t i = 0; i < count; i++) {
        told[i] = is_told(record, i) && strncmp(record_fact_at(record, i)->path, prefix, strlen(prefix)) == 0;
        size_t needed = told[i] ? text_width(record_fact_at(record, i)->title) : 0;
        width = needed > width ? needed : width;
    }
    for (size_t i = 0; i < count; i++) {
        if (!told[i] || group_was_told(record, told, i))
            continue;
        text_add(out, out->length ? "\n" : "");
        add_group_heading(style, record_fact_at(record, i)->path, out);
        for (size_t j = i; j < count; j++) {
            if (told[j] && same_group(record_fact_at(record, i)->path, record_fact_at(record, j)->path))
                add_fact(record, j, width, out);
        }
    }
    free(told);
}
