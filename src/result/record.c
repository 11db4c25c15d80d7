/* SPDX-License-Identifier: MIT */
#include "uarchprobe/record.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "result/record_internal.h"

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

static void content_free(struct record *record)
{
    for (size_t i = 0; i < record->child.count; i++)
        record_free(record->child.of[i]);
    for (size_t i = 0; i < record->table.count; i++)
        table_free(&record->table.of[i]);
    for (size_t i = 0; i < record->owned.count; i++)
        free(record->owned.of[i]);
    free(record->child.of);
    free(record->table.of);
    free(record->owned.of);
    free(record->fact.of);
    free(record->answer.of);
    free(record->warning.of);
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

const char *record_own_text(struct record *record, const char *text)
{
    return text ? record_own(record, text_copy_valid(text)) : NULL;
}

static struct cell own_cell(struct record *record, struct cell cell)
{
    struct cell copy = cell_copy(cell);
    if (cell_text(&copy))
        record_own(record, (void *)(uintptr_t)copy.text);
    else if (copy.type == CELL_SUMMARY)
        record_own(record, (void *)(uintptr_t)copy.summary);
    return copy;
}

static struct fact *own_fact(const struct record *record, const char *path)
{
    size_t i = 0;
    while (i < record->fact.count && strcmp(record->fact.of[i].path, path) != 0)
        i++;
    return i < record->fact.count ? &record->fact.of[i] : NULL;
}

void record_fact_new(struct record *record, struct fact fact)
{
    if (strcmp(fact.path, RECORD_EMULATED) == 0)
        record->emulated = cell_is(&fact.value, true);
    fact.path = record_own_text(record, fact.path);
    fact.title = record_own_text(record, fact.title);
    fact.unit = record_own_text(record, fact.unit);
    fact.value = own_cell(record, fact.value);
    LIST_ADD(record->fact, fact);
}

void record_fact(struct record *record, struct fact fact)
{
    struct fact *taken = own_fact(record, fact.path);
    if (!taken) {
        record_fact_new(record, fact);
        return;
    }
    if (strcmp(fact.path, RECORD_EMULATED) == 0)
        record->emulated = cell_is(&fact.value, true);
    taken->value = own_cell(record, fact.value);
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

static struct quote quote_copy(struct record *record, struct quote quote)
{
    quote.value = own_cell(record, quote.value);
    quote.unit = record_own_text(record, quote.unit);
    quote.source = record_own_text(record, quote.source);
    return quote;
}

void record_answer(struct record *record, struct answer answer)
{
    answer.key = record_own_text(record, answer.key);
    answer.value = own_cell(record, answer.value);
    answer.unit = record_own_text(record, answer.unit);
    answer.label = record_own_text(record, answer.label);
    answer.remark = record_own_text(record, answer.remark);
    answer.slot = record_own_text(record, answer.slot);
    answer.text = record_own_text(record, answer.text);
    answer.state = record_own_text(record, answer.state);
    answer.published = quote_copy(record, answer.published);
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
    record->answer.of[found - record->answer.of].published = quote_copy(record, quote);
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
    record->answer.of[index].text = NULL;
}

void record_warning_new(struct record *record, const char *code, const char *text)
{
    const struct warning warning = {record_own_text(record, code), record_own_text(record, text)};
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
