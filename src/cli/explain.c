/* SPDX-License-Identifier: MIT */
/* What keys and words mean, from data/words.tsv. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/explain.h"

EMBED(words_table, WORDS_TSV);

const struct explanation *explanations(size_t *count)
{
    enum { KEY, COMMAND, WHAT, TIMED, COUNTED, MOVED, TYPICAL, COLUMNS };
    static struct explanation *row;
    static size_t rows;
    static char **field; /* of which rows are made */
    if (!row) {
        char *const *column = field = embedded_rows(words_table, COLUMNS, &rows);
        row = memory_zeroed(rows, sizeof *row);
        for (size_t i = 0; i < rows; i++, column += COLUMNS)
            row[i] = (struct explanation){column[KEY],     column[COMMAND], column[WHAT],   column[TIMED],
                                          column[COUNTED], column[MOVED],   column[TYPICAL]};
    }
    *count = rows;
    return row;
}

const struct explanation *explanation_find(const char *key)
{
    size_t count;
    const struct explanation *row = explanations(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(row[i].key, key) == 0 || fnmatch(row[i].key, key, 0) == 0)
            return &row[i];
    return NULL;
}

/* Of a command; "-" is none. */
static bool is_of(const struct explanation *row, const char *command)
{
    return strcmp(row->command, command) == 0;
}

static void explain(struct record *record, const char *key, const struct explanation *row)
{
    RECORD_FACTS(record, {"explanation.key", NULL, NULL, TEXT_CELL(key)},
                 {"explanation.what", key, NULL, TEXT_CELL(row->what)},
                 {"explanation.timed", "what is timed", NULL, TEXT_CELL(row->timed)},
                 {"explanation.counted", "what counts", NULL, TEXT_CELL(row->counted)},
                 {"explanation.moved", "what moves it", NULL, TEXT_CELL(row->moved)},
                 {"explanation.typical", "typical values", NULL, TEXT_CELL(row->typical)});
    if (!is_of(row, "-"))
        RECORD_FACTS(record, {"explanation.command", "found by", NULL, TEXT_CELL(row->command)});
}

static const struct column columns[] = {COLUMN("key", "key", TEXT, PARAMETER),
                                        COLUMN("command", "found by", TEXT, LABEL),
                                        COLUMN("what", "what it is", TEXT, LABEL)};

static const struct table_spec keys_table =
    TABLE("explanations", "What findings mean",
          "\"uarchprobe explain KEY\" has all of one; * is any part of a key.", columns);

/* Of one command, or of all where it is NULL. False: there is none. */
static bool list(struct record *record, const char *command)
{
    size_t count, table = SIZE_MAX;
    const struct explanation *row = explanations(&count);
    for (size_t i = 0; i < count; i++) {
        if (command && (is_of(&row[i], "-") || !is_of(&row[i], command)))
            continue;
        table = table == SIZE_MAX ? record_table_add(record, &keys_table) : table;
        record_row(record, table,
                   (const struct cell[]){TEXT_CELL(row[i].key),
                                         is_of(&row[i], "-") ? NO_CELL : TEXT_CELL(row[i].command),
                                         TEXT_CELL(row[i].what)});
    }
    return table != SIZE_MAX;
}

/* Length of the longest run of characters that both have. */
static size_t likeness_of(const char *a, const char *b)
{
    size_t longest = 0;
    for (const char *i = a; *i; i++) {
        for (const char *j = b; *j; j++) {
            size_t length = 0;
            while (i[length] && i[length] == j[length])
                length++;
            longest = length > longest ? length : longest;
        }
    }
    return longest;
}

static enum status refuse(const char *key, struct fault *fault)
{
    enum { NEAREST = 3, LIKE_LEAST = 4 };
    const char *nearest[NEAREST] = {NULL};
    struct text text = {0};
    size_t count;
    const struct explanation *row = explanations(&count);
    for (size_t k = 0; k < count; k++) {
        const char *rest = row[k].key;
        for (int i = 0; i < NEAREST; i++) {
            const char *old = nearest[i];
            if (likeness_of(key, rest) <= (old ? likeness_of(key, old) : LIKE_LEAST - 1))
                continue;
            nearest[i] = rest;
            rest = old ? old : "";
        }
    }
    for (int i = 0; i < NEAREST && nearest[i]; i++)
        text_printf(&text, "%s%s", i ? ", " : "; nearest: ", nearest[i]);
    fault_set(fault, STATUS_USAGE, "no finding is called %s%s (uarchprobe explain lists them all)",
              quote(key).text, text.data ? text.data : "");
    text_free(&text);
    return fault->status;
}

static enum status explain_run(struct run *run, struct fault *fault)
{
    const char *key = run->operand_count > 0 ? run->operands[0] : NULL;
    if (run->operand_count > 1)
        return fault_set(fault, STATUS_USAGE, "unexpected argument %s: explain takes one KEY",
                         quote(run->operands[1]).text);
    if (list(run->record, key))
        return STATUS_OK;
    const struct explanation *row = explanation_find(key);
    if (!row)
        return refuse(key, fault);
    explain(run->record, key, row);
    return STATUS_OK;
}

extern const struct command explain_command;
const struct command explain_command = {
    .name = "explain",
    .summary = "show what a number means: what is timed, what counts, what moves it, what is typical",
    .description =
        "KEY is that of a finding in a result (-f json), the name of a command, or a word such as "
        "trust, state or interval. Without KEY all of them are listed.",
    .examples = {"uarchprobe explain", "uarchprobe explain ram.L2.read", "uarchprobe explain core-latency",
                 "uarchprobe explain trust"},
    .operands = "[KEY]",
    .offline = true,
    .run = explain_run,
};
