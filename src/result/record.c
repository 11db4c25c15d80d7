/* SPDX-License-Identifier: MIT */
#include "uarchprobe/record.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "result/record_internal.h"

struct record *record_new(void)
{
    struct record *record = memory_zeroed(1, sizeof *record);
    record->conditions = (struct conditions){.sibling_share = NAN, .moves = -1};
    return record;
}

static void content_free(struct record *record)
{
    for (size_t i = 0; i < record->children.count; i++)
        record_free(record->children.of[i]);
    for (size_t i = 0; i < record->tables.count; i++)
        table_free(&record->tables.of[i]);
    for (size_t i = 0; i < record->owned.count; i++)
        free(record->owned.of[i]);
    free(record->children.of);
    free(record->tables.of);
    free(record->owned.of);
    free(record->facts.of);
    free(record->answers.of);
    free(record->warnings.of);
    free(record->places.of);
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

void *record_own_bytes(struct record *record, const void *from, size_t bytes)
{
    return record_own(record, memcpy(memory_grow(NULL, bytes), from, bytes));
}

const char *record_own_text(struct record *record, const char *text)
{
    return text ? record_own(record, text_copy_valid(text)) : NULL;
}

const char *record_text(struct record *record, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    return record_own(record, text_take(&text));
}

struct cell record_own_cell(struct record *record, struct cell cell)
{
    if (!cell_has_value(&cell))
        return NO_CELL;
    if (cell.type == CELL_TEXT)
        cell.text = record_own_text(record, cell.text);
    else if (cell.type == CELL_SUMMARY)
        cell.summary = record_own_bytes(record, cell.summary, sizeof(*cell.summary));
    return cell;
}

static struct fact *own_fact(const struct record *record, const char *path)
{
    size_t i = 0;
    while (i < record->facts.count && strcmp(record->facts.of[i].path, path) != 0)
        i++;
    return i < record->facts.count ? &record->facts.of[i] : NULL;
}

void record_fact_new(struct record *record, struct fact fact)
{
    fact.path = record_own_text(record, fact.path);
    fact.title = record_own_text(record, fact.title);
    fact.unit = record_own_text(record, fact.unit);
    fact.value = record_own_cell(record, fact.value);
    LIST_ADD(record->facts, fact);
}

void record_fact(struct record *record, struct fact fact)
{
    struct fact *taken = own_fact(record, fact.path);
    if (taken)
        taken->value = record_own_cell(record, fact.value);
    else
        record_fact_new(record, fact);
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
    LIST_ADD(record->places, place);
}

const struct record *record_whole(const struct record *record)
{
    return record->parent ? record_whole(record->parent) : record;
}

bool record_is_emulated(const struct record *record)
{
    const struct fact *fact = record_fact_find(record, RECORD_EMULATED);
    return fact && cell_is(&fact->value, true);
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
    quote.value = record_own_cell(record, quote.value);
    quote.unit = record_own_text(record, quote.unit);
    quote.source = record_own_text(record, quote.source);
    return quote;
}

void record_answer(struct record *record, struct answer answer)
{
    const char **const texts[] = {&answer.key,        &answer.unit, &answer.label, &answer.remark,
                                  &answer.sheet_cell, &answer.text, &answer.state, &answer.kind};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = record_own_text(record, *texts[i]);
    answer.value = record_own_cell(record, answer.value);
    answer.published = quote_copy(record, answer.published);
    if (record_warn_emulated(record))
        answer.trust = answer.proved_trust = TRUST_LOW;
    LIST_ADD(record->answers, answer);
}

static bool is_kind(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

const struct answer *record_answer_find(const struct record *record, const char *key, const char *state)
{
    size_t first = 0;
    while (first < record->answers.count && strcmp(record->answers.of[first].key, key) != 0)
        first++;
    return first < record->answers.count
               ? record_answer_find_kind(record, key, record->answers.of[first].kind, state)
               : NULL;
}

const struct answer *record_answer_find_kind(const struct record *record, const char *key, const char *kind,
                                             const char *state)
{
    const struct answer *found = NULL;
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const char *own = answer->state ? answer->state : state_names[STATE_UNKNOWN];
        const bool idle = strcmp(own, state_names[STATE_IDLE]) == 0;
        if (strcmp(answer->key, key) != 0 || !is_kind(answer->kind, kind) ||
            (state && strcmp(own, state) != 0))
            continue;
        if (state || idle)
            return answer;
        if (!found || (answer_is_busy(found) && !answer_is_busy(answer)))
            found = answer;
    }
    return found;
}

void record_prove(struct record *record, size_t store_buffer)
{
    for (size_t i = 0; store_buffer > 0 && i < record->answers.count; i++) {
        struct answer *answer = &record->answers.of[i];
        if (answer->store_buffer == store_buffer && answer->proved_trust > answer->trust) {
            answer->trust = answer->proved_trust;
            answer->limited_by = answer->proved_limited_by;
        }
    }
}

void record_quote(struct record *record, const char *key, struct quote quote)
{
    const struct answer *found = record_answer_find(record, key, NULL);
    if (!found)
        return;
    record->answers.of[found - record->answers.of].published = quote_copy(record, quote);
}

void record_remark(struct record *record, const char *key, enum quote_agreement agreement, const char *remark)
{
    const struct answer *found = record_answer_find(record, key, NULL);
    if (found && found->published.agreement == agreement && !answer_is_bound(found))
        record->answers.of[found - record->answers.of].remark = record_own_text(record, remark);
}

void record_answer_first(struct record *record, size_t index)
{
    struct answer *of = record->answers.of;
    const struct answer newest = of[record->answers.count - 1];
    memmove(&of[index + 1], &of[index], (record->answers.count - 1 - index) * sizeof(*of));
    of[index] = newest;
}

void record_warning(struct record *record, const char *code, const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    const struct warning warning = {record_own_text(record, code), record_own_text(record, text.data)};
    text_free(&text);
    size_t same = 0;
    while (same < record->warnings.count && (strcmp(record->warnings.of[same].code, warning.code) != 0 ||
                                             strcmp(record->warnings.of[same].text, warning.text) != 0))
        same++;
    if (same == record->warnings.count)
        LIST_ADD(record->warnings, warning);
}

bool record_has_results(const struct record *record)
{
    bool has = record->answers.count > 0;
    for (size_t i = 0; i < record->tables.count; i++)
        has |= record->tables.of[i].row_count > 0;
    for (size_t i = 0; i < record->children.count; i++)
        has |= record_has_results(record->children.of[i]);
    return has;
}

static bool answers_have_values(const struct record *record)
{
    bool has = false;
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        has |= cell_has_value(&answer->value) && (answer->samples > 0 || cell_has_value(&answer->low));
    }
    return has;
}

bool record_has_answers(const struct record *record)
{
    bool has = answers_have_values(record);
    for (size_t i = 0; i < record->children.count; i++)
        has |= record_has_answers(record->children.of[i]);
    return has;
}

bool record_has_values(const struct record *record)
{
    bool has = answers_have_values(record);
    for (size_t i = 0; i < record->tables.count; i++) {
        const struct record_table *table = &record->tables.of[i];
        for (size_t cell = 0; cell < table->row_count * (size_t)table->spec->column_count; cell++) {
            const struct column *column = &table->spec->columns[cell % (size_t)table->spec->column_count];
            /* Whole numbers count samples, taken or not. */
            has |= column->role == ROLE_MEASURE && column->type != CELL_INTEGER &&
                   cell_has_value(&table->cells[cell]);
        }
    }
    for (size_t i = 0; i < record->children.count; i++)
        has |= record_has_values(record->children.of[i]);
    return has;
}

bool record_has_low_trust(const struct record *record)
{
    bool low = false;
    for (size_t i = 0; i < record->answers.count; i++)
        low |= record->answers.of[i].trust == TRUST_LOW && !record->answers.of[i].unpromised;
    for (size_t i = 0; i < record->children.count; i++)
        low |= record_has_low_trust(record->children.of[i]);
    return low;
}

struct record *record_child_add(struct record *record)
{
    struct record *child = record_new();
    LIST_ADD(record->children, child);
    child->parent = record;
    return child;
}

struct record *record_part_new(const struct record *record)
{
    struct record *part = record_new();
    part->parent = record;
    return part;
}

void record_part_take(struct record *record, struct record *part, const char *kind)
{
    kind = record_own_text(record, kind);
    for (size_t i = 0; i < part->facts.count; i++)
        if (!own_fact(record, part->facts.of[i].path))
            LIST_ADD(record->facts, part->facts.of[i]);
    for (size_t i = 0; i < part->tables.count; i++) {
        part->tables.of[i].record = record;
        part->tables.of[i].kind = kind;
        LIST_ADD(record->tables, part->tables.of[i]);
    }
    for (size_t i = 0; i < part->answers.count; i++) {
        part->answers.of[i].kind = kind;
        LIST_ADD(record->answers, part->answers.of[i]);
    }
    for (size_t i = 0; i < part->owned.count; i++)
        LIST_ADD(record->owned, part->owned.of[i]);
    part->facts.count = part->tables.count = part->answers.count = part->owned.count = 0;
}

void record_replace(struct record *record, struct record *from)
{
    struct record old = *record;
    *record = *from;
    record->parent = old.parent;
    for (size_t i = 0; i < record->children.count; i++)
        record->children.of[i]->parent = record;
    content_free(&old);
    free(from);
    for (size_t table = 0; table < record->tables.count; table++)
        record->tables.of[table].record = record;
}
