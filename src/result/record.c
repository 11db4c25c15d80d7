/* SPDX-License-Identifier: MIT */
#include "uarchprobe/record.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/record_internal.h"
#include "result/table.h"

/* A list that doubles. */
#define LIST(type)                                                                                           \
    struct {                                                                                                 \
        size_t count, capacity;                                                                              \
        type *of;                                                                                            \
    }

struct record {
    LIST(struct fact) fact;
    LIST(struct record_table) table;
    LIST(struct answer) answer;
    LIST(struct warning) warning;
    LIST(struct place) place;
    LIST(struct record *) child;
    LIST(void *) owned; /* specs that were loaded, and their parts */
    const struct record *parent;
    struct conditions conditions;
    bool emulated;
};

static void *list_grow(void *of, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return of;
    *capacity = *capacity ? 2 * *capacity : 8;
    return memory_grow(of, *capacity * size);
}

#define LIST_ADD(list, item)                                                                                 \
    ((list).of = list_grow((list).of, (list).count, &(list).capacity, sizeof(*(list).of)),                   \
     (list).of[(list).count++] = (item))

#define GETTERS(type, name)                                                                                  \
    size_t record_##name##_count(const struct record *record)                                                \
    {                                                                                                        \
        return record->name.count;                                                                           \
    }                                                                                                        \
    const type *record_##name##_at(const struct record *record, size_t index)                                \
    {                                                                                                        \
        return &record->name.of[index];                                                                      \
    }
GETTERS(struct fact, fact)
GETTERS(struct record_table, table)
GETTERS(struct answer, answer)
GETTERS(struct warning, warning)

struct record *record_new(void)
{
    struct record *record = memory_zeroed(1, sizeof *record);
    record->conditions.sibling_share = NAN;
    return record;
}

struct conditions record_conditions(const struct record *record)
{
    return record->conditions;
}

void record_conditions_set(struct record *record, struct conditions conditions)
{
    record->conditions = conditions;
}

static void free_text(const char *text)
{
    free((void *)(uintptr_t)text);
}

static void fact_free(struct fact *fact)
{
    free_text(fact->path);
    free_text(fact->title);
    free_text(fact->unit);
    cell_free(&fact->value);
}

static void quote_free(struct quote *quote)
{
    cell_free(&quote->value);
    free_text(quote->unit);
    free_text(quote->source);
}

static void answer_free(struct answer *answer)
{
    free_text(answer->key);
    free_text(answer->unit);
    free_text(answer->label);
    free_text(answer->remark);
    free_text(answer->slot);
    free_text(answer->text);
    free_text(answer->state);
    cell_free(&answer->value);
    quote_free(&answer->published);
}

static void warning_free(struct warning *warning)
{
    free_text(warning->code);
    free_text(warning->text);
}

static void owned_free(void **owned)
{
    free(*owned);
}

static void child_free(struct record **child)
{
    record_free(*child);
}

#define LIST_FREE(list, free_one)                                                                            \
    do {                                                                                                     \
        for (size_t i = 0; i < (list).count; i++)                                                            \
            free_one(&(list).of[i]);                                                                         \
        free((list).of);                                                                                     \
    } while (0)

static void content_free(struct record *record)
{
    LIST_FREE(record->child, child_free);
    LIST_FREE(record->fact, fact_free);
    LIST_FREE(record->table, table_free);
    LIST_FREE(record->answer, answer_free);
    LIST_FREE(record->warning, warning_free);
    LIST_FREE(record->owned, owned_free);
    free(record->place.of);
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
    LIST_ADD(record->owned, memory);
    return memory;
}

static struct fact *own_fact(const struct record *record, const char *path)
{
    for (size_t i = 0; i < record->fact.count; i++) {
        if (strcmp(record->fact.of[i].path, path) == 0)
            return &record->fact.of[i];
    }
    return NULL;
}

static void note_emulated(struct record *record, const struct fact *fact)
{
    if (strcmp(fact->path, RECORD_EMULATED) == 0)
        record->emulated = cell_is(&fact->value, true);
}

void record_fact_new(struct record *record, struct fact fact)
{
    note_emulated(record, &fact);
    const struct fact copy = {.path = text_copy_valid(fact.path),
                              .title = text_copy_valid(fact.title),
                              .unit = text_copy_valid(fact.unit),
                              .value = cell_copy(fact.value)};
    LIST_ADD(record->fact, copy);
}

void record_fact(struct record *record, struct fact fact)
{
    struct fact *taken = own_fact(record, fact.path);
    if (!taken) {
        record_fact_new(record, fact);
        return;
    }
    note_emulated(record, &fact);
    const struct cell value = cell_copy(fact.value);
    cell_free(&taken->value);
    taken->value = value;
}

void record_facts(struct record *record, const struct fact *facts)
{
    for (; facts->path; facts++)
        record_fact(record, *facts);
}

const struct fact *record_fact_find(const struct record *record, const char *path)
{
    const struct fact *own = own_fact(record, path);
    return own || !record->parent ? own : record_fact_find(record->parent, path);
}

double record_fact_number(const struct record *record, const char *path)
{
    const struct fact *fact = record_fact_find(record, path);
    return fact ? cell_number(&fact->value) : NAN;
}

size_t record_table_add(struct record *record, const struct table_spec *spec)
{
    LIST_ADD(record->table, table_new(record, spec));
    return record->table.count - 1;
}

int64_t record_class(struct record *record, size_t table, int column, const char *name)
{
    return names_index(&record->table.of[table].names[column], name);
}

void record_row(struct record *record, size_t table, const struct cell *cells)
{
    table_row(&record->table.of[table], cells);
}

void record_samples(struct record *record, size_t table, int column, const struct samples *samples,
                    const struct summary *summary)
{
    table_samples(&record->table.of[table], column, samples, summary);
}

void record_place_add(struct record *record, struct place place)
{
    LIST_ADD(record->place, place);
}

size_t record_place_count(const struct record *record)
{
    return record->parent ? record_place_count(record->parent) : record->place.count;
}

const struct place *record_place_at(const struct record *record, size_t index)
{
    return record->parent ? record_place_at(record->parent, index) : &record->place.of[index];
}

bool record_is_emulated(const struct record *record)
{
    return record->emulated || (record->parent && record_is_emulated(record->parent));
}

bool record_warn_emulated(struct record *record)
{
    if (!record_is_emulated(record))
        return false;
    record_warning(record, "emulated",
                   "an emulator runs this program: every time is the emulator's, no CPU's");
    return true;
}

static struct quote quote_copy(struct quote quote)
{
    return (struct quote){cell_copy(quote.value), text_copy_valid(quote.unit), text_copy_valid(quote.source)};
}

void record_answer(struct record *record, struct answer answer)
{
    answer.key = text_copy_valid(answer.key);
    answer.value = cell_copy(answer.value);
    answer.unit = text_copy_valid(answer.unit);
    answer.label = text_copy_valid(answer.label);
    answer.remark = text_copy_valid(answer.remark);
    answer.slot = text_copy_valid(answer.slot);
    answer.text = text_copy_valid(answer.text);
    answer.state = text_copy_valid(answer.state);
    answer.published = quote_copy(answer.published);
    if (record_warn_emulated(record))
        answer.trust = TRUST_LOW;
    LIST_ADD(record->answer, answer);
}

const struct answer *record_answer_find(const struct record *record, const char *key, const char *state)
{
    const struct answer *found = NULL;
    for (size_t i = 0; i < record->answer.count; i++) {
        const struct answer *answer = &record->answer.of[i];
        const char *own = answer->state ? answer->state : state_names[STATE_UNKNOWN];
        const bool idle = strcmp(own, state_names[STATE_IDLE]) == 0;
        if (strcmp(answer->key, key) != 0 || (state && strcmp(own, state) != 0))
            continue;
        if (state || idle)
            return answer;
        if (!found || (answer_is_busy(found) && !answer_is_busy(answer)))
            found = answer;
    }
    return found;
}

void record_quote(struct record *record, const char *key, struct quote quote)
{
    const struct answer *found = record_answer_find(record, key, NULL);
    if (!found)
        return;
    struct quote *published = &record->answer.of[found - record->answer.of].published;
    quote_free(published);
    *published = quote_copy(quote);
}

void record_answer_first(struct record *record, size_t index)
{
    struct answer *of = record->answer.of;
    const struct answer newest = of[record->answer.count - 1];
    memmove(&of[index + 1], &of[index], (record->answer.count - 1 - index) * sizeof(*of));
    of[index] = newest;
}

void record_answer_silence(struct record *record, size_t index)
{
    free_text(record->answer.of[index].text);
    record->answer.of[index].text = NULL;
}

void record_warning_new(struct record *record, const char *code, const char *text)
{
    const struct warning warning = {text_copy_valid(code), text_copy_valid(text)};
    LIST_ADD(record->warning, warning);
}

void record_warning(struct record *record, const char *code, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    char *valid = text_copy_valid(text.data);
    size_t same = 0;
    while (same < record->warning.count && (strcmp(record->warning.of[same].code, code) != 0 ||
                                            strcmp(record->warning.of[same].text, valid) != 0))
        same++;
    if (same == record->warning.count)
        record_warning_new(record, code, valid);
    free(valid);
    text_free(&text);
}

bool record_has_results(const struct record *record)
{
    bool has = record->answer.count > 0;
    for (size_t i = 0; i < record->table.count; i++)
        has |= record->table.of[i].row_count > 0;
    for (size_t i = 0; i < record->child.count; i++)
        has |= record_has_results(record->child.of[i]);
    return has;
}

bool record_has_low_trust(const struct record *record)
{
    bool low = false;
    for (size_t i = 0; i < record->answer.count; i++)
        low |= record->answer.of[i].trust == TRUST_LOW;
    for (size_t i = 0; i < record->child.count; i++)
        low |= record_has_low_trust(record->child.of[i]);
    return low;
}

struct record *record_child_add(struct record *record)
{
    struct record *child = record_new();
    LIST_ADD(record->child, child);
    child->parent = record;
    return child;
}

size_t record_child_count(const struct record *record)
{
    return record->child.count;
}

struct record *record_child_at(const struct record *record, size_t index)
{
    return record->child.of[index];
}

void record_replace(struct record *record, struct record *from)
{
    struct record old = *record;
    *record = *from;
    record->parent = old.parent;
    for (size_t i = 0; i < record->child.count; i++)
        record->child.of[i]->parent = record;
    content_free(&old);
    free(from);
    for (size_t table = 0; table < record->table.count; table++)
        record->table.of[table].record = record;
}
