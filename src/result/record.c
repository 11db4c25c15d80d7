/* SPDX-License-Identifier: MIT */
#include "uarchprobe/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "names.h"
#include "record_internal.h"
#include "table.h"

/* A list that doubles. */
struct pile {
    size_t count, capacity;
};

struct record {
    struct pile fact_pile, table_pile, finding_pile, warning_pile, place_pile;
    struct fact *fact;
    struct place *place;
    struct record_table *table;
    struct finding *finding;
    struct warning *warning;
    struct pile owned_pile;
    void **owned; /* specs that were loaded, and their parts */
    const struct record *parent;
    struct pile child_pile;
    struct record **child;
};

static void *pile_push(void *items, struct pile *pile, size_t size)
{
    if (pile->count == pile->capacity) {
        pile->capacity = pile->capacity ? 2 * pile->capacity : 8;
        items = memory_grow(items, pile->capacity * size);
    }
    pile->count++;
    return items;
}

static void free_text(const char *text)
{
    free((void *)(uintptr_t)text);
}

struct record *record_new(void)
{
    return memory_zeroed(1, sizeof(struct record));
}

static void facts_free(struct record *record)
{
    for (size_t i = 0; i < record->fact_pile.count; i++) {
        free_text(record->fact[i].path);
        free_text(record->fact[i].title);
        free_text(record->fact[i].unit);
        cell_free(&record->fact[i].value);
    }
    free(record->fact);
}

static void tables_free(struct record *record)
{
    for (size_t i = 0; i < record->table_pile.count; i++)
        table_free(&record->table[i]);
    free(record->table);
}

static void findings_free(struct record *record)
{
    for (size_t i = 0; i < record->finding_pile.count; i++) {
        free_text(record->finding[i].key);
        free_text(record->finding[i].unit);
        free_text(record->finding[i].text);
        free_text(record->finding[i].state);
        cell_free(&record->finding[i].value);
    }
    free(record->finding);
}

static void content_free(struct record *record)
{
    for (size_t i = 0; i < record->child_pile.count; i++)
        record_free(record->child[i]);
    free(record->child);
    facts_free(record);
    free(record->place);
    tables_free(record);
    findings_free(record);
    for (size_t i = 0; i < record->warning_pile.count; i++) {
        free_text(record->warning[i].code);
        free_text(record->warning[i].text);
    }
    free(record->warning);
    for (size_t i = 0; i < record->owned_pile.count; i++)
        free(record->owned[i]);
    free(record->owned);
}

void record_free(struct record *record)
{
    if (!record)
        return;
    content_free(record);
    free(record);
}

void *record_own(struct record *record, void *memory)
{
    record->owned = pile_push(record->owned, &record->owned_pile, sizeof(*record->owned));
    record->owned[record->owned_pile.count - 1] = memory;
    return memory;
}

static struct fact *fact_find(const struct record *record, const char *path)
{
    for (size_t i = 0; i < record->fact_pile.count; i++) {
        if (strcmp(record->fact[i].path, path) == 0)
            return &record->fact[i];
    }
    return NULL;
}

void record_fact(struct record *record, struct fact fact)
{
    struct fact *taken = fact_find(record, fact.path);
    struct cell value = cell_copy(fact.value);
    if (taken) {
        cell_free(&taken->value);
        taken->value = value;
        return;
    }
    record->fact = pile_push(record->fact, &record->fact_pile, sizeof(*record->fact));
    record->fact[record->fact_pile.count - 1] = (struct fact){.path = text_copy_valid(fact.path),
                                                              .title = text_copy_valid(fact.title),
                                                              .unit = text_copy_valid(fact.unit),
                                                              .value = value};
}

void record_facts(struct record *record, const struct fact *facts)
{
    for (; facts->path; facts++)
        record_fact(record, *facts);
}

size_t record_table_add(struct record *record, const struct table_spec *spec)
{
    record->table = pile_push(record->table, &record->table_pile, sizeof(*record->table));
    record->table[record->table_pile.count - 1] = table_new(record, spec);
    return record->table_pile.count - 1;
}

int64_t record_class(struct record *record, size_t table, int column, const char *name)
{
    return names_index(&record->table[table].names[column], name);
}

void record_row(struct record *record, size_t table, const struct cell *cells)
{
    table_row(&record->table[table], cells);
}

/* What a translator makes of code is no CPU's doing, however steady it is. */
static enum trust trust_here(struct record *record, enum trust trust)
{
    const struct fact *fact = record_fact_find(record, RECORD_EMULATED);

    if (!fact || fact->value.type != CELL_BOOL || !fact->value.boolean)
        return trust;
    record_warning(record, "emulated",
                   "an emulator runs this program: every time is the emulator's, no CPU's");
    return TRUST_LOW;
}

void record_samples(struct record *record, size_t table, int column, const struct samples *samples,
                    const struct summary *summary)
{
    table_samples(&record->table[table], column, samples, summary);
}

void record_finding(struct record *record, struct finding finding)
{
    record->finding = pile_push(record->finding, &record->finding_pile, sizeof(*record->finding));
    finding.key = text_copy_valid(finding.key);
    finding.value = cell_copy(finding.value);
    finding.unit = text_copy_valid(finding.unit);
    finding.text = text_copy_valid(finding.text);
    finding.state = text_copy_valid(finding.state);
    finding.trust = trust_here(record, finding.trust);
    record->finding[record->finding_pile.count - 1] = finding;
}

static bool warning_known(const struct record *record, const char *code, const char *text)
{
    for (size_t i = 0; i < record->warning_pile.count; i++) {
        if (strcmp(record->warning[i].code, code) == 0 && strcmp(record->warning[i].text, text) == 0)
            return true;
    }
    return false;
}

void record_warning(struct record *record, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *raw = memory_zeroed((size_t)(length < 0 ? 0 : length) + 1, 1);
    va_start(arguments, format);
    vsnprintf(raw, (size_t)(length < 0 ? 0 : length) + 1, format, arguments);
    va_end(arguments);
    char *text = text_copy_valid(raw);
    free(raw);
    if (warning_known(record, code, text)) {
        free(text);
        return;
    }
    record->warning = pile_push(record->warning, &record->warning_pile, sizeof(*record->warning));
    record->warning[record->warning_pile.count - 1] = (struct warning){text_copy_valid(code), text};
}

size_t record_fact_count(const struct record *record)
{
    return record->fact_pile.count;
}

const struct fact *record_fact_at(const struct record *record, size_t index)
{
    return &record->fact[index];
}

const struct fact *record_fact_find(const struct record *record, const char *path)
{
    const struct fact *own = fact_find(record, path);
    return own || !record->parent ? own : record_fact_find(record->parent, path);
}

size_t record_table_count(const struct record *record)
{
    return record->table_pile.count;
}

const struct record_table *record_table_at(const struct record *record, size_t index)
{
    return &record->table[index];
}

void record_place_add(struct record *record, struct place place)
{
    record->place = pile_push(record->place, &record->place_pile, sizeof(*record->place));
    record->place[record->place_pile.count - 1] = place;
}

size_t record_place_count(const struct record *record)
{
    return record->parent ? record_place_count(record->parent) : record->place_pile.count;
}

const struct place *record_place_at(const struct record *record, size_t index)
{
    return record->parent ? record_place_at(record->parent, index) : &record->place[index];
}

size_t record_finding_count(const struct record *record)
{
    return record->finding_pile.count;
}

const struct finding *record_finding_at(const struct record *record, size_t index)
{
    return &record->finding[index];
}

size_t record_warning_count(const struct record *record)
{
    return record->warning_pile.count;
}

const struct warning *record_warning_at(const struct record *record, size_t index)
{
    return &record->warning[index];
}

bool record_has_low_trust(const struct record *record)
{
    for (size_t i = 0; i < record->finding_pile.count; i++) {
        if (record->finding[i].trust == TRUST_LOW)
            return true;
    }
    for (size_t i = 0; i < record->child_pile.count; i++) {
        if (record_has_low_trust(record->child[i]))
            return true;
    }
    return false;
}

struct record *record_child_add(struct record *record)
{
    struct record *child = record_new();
    record->child = pile_push(record->child, &record->child_pile, sizeof(struct record *));
    record->child[record->child_pile.count - 1] = child;
    child->parent = record;
    return child;
}

size_t record_child_count(const struct record *record)
{
    return record->child_pile.count;
}

struct record *record_child_at(const struct record *record, size_t index)
{
    return record->child[index];
}

void record_replace(struct record *record, struct record *from)
{
    struct record old = *record;
    *record = *from;
    record->parent = old.parent;
    for (size_t i = 0; i < record->child_pile.count; i++)
        record->child[i]->parent = record;
    content_free(&old);
    free(from);
    for (size_t table = 0; table < record->table_pile.count; table++)
        record->table[table].record = record;
}

const char *const state_names[] = {"unknown", "sibling idle", "sibling active", "mixed", NULL};

const char *trust_name(enum trust trust)
{
    static const char *const names[] = {
        [TRUST_LOW] = "low", [TRUST_MEDIUM] = "medium", [TRUST_HIGH] = "high"};
    return names[trust];
}
