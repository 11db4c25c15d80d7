/* SPDX-License-Identifier: MIT */
/* What an answer means, from the rows that stand next to the benches that make it. */
#include <fnmatch.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "cli/explain.h"

static const struct explanation general[] = {
#include "explain.def"
    {0},
};

const struct explanation *explanations_of(const struct command *command)
{
    static const struct explanation none = {0};
    if (!command)
        return general;
    return command->explanations ? command->explanations : &none;
}

static const struct explanation *find_in(const struct explanation *row, const char *key)
{
    while (row->key && strcmp(row->key, key) != 0 && fnmatch(row->key, key, 0) != 0)
        row++;
    return row->key ? row : NULL;
}

const struct explanation *explanation_find(const char *key, const struct command **command)
{
    const struct explanation *found = NULL;
    *command = NULL;
    for (int i = 0; commands[i] && !found; i++) {
        found = find_in(explanations_of(commands[i]), key);
        *command = found ? commands[i] : NULL;
    }
    return found ? found : find_in(general, key);
}

static void explain(struct record *record, const char *key, const struct explanation *row,
                    const struct command *command)
{
    RECORD_FACTS(record, {"explanation.key", NULL, NULL, TEXT_CELL(key)},
                 {"explanation.what", key, NULL, TEXT_CELL(row->what)},
                 {"explanation.timed", "what is timed", NULL, TEXT_CELL(row->timed)},
                 {"explanation.counted", "what counts", NULL, TEXT_CELL(row->counted)},
                 {"explanation.moved", "what moves it", NULL, TEXT_CELL(row->moved)},
                 {"explanation.typical", "typical values", NULL, TEXT_CELL(row->typical)});
    if (command)
        RECORD_FACTS(record, {"explanation.command", "found by", NULL, TEXT_CELL(command->name)});
}

static const struct column columns[] = {COLUMN("key", "key", TEXT, PARAMETER),
                                        COLUMN("command", "found by", TEXT, LABEL),
                                        COLUMN("what", "what it is", TEXT, LABEL)};

static const struct table_spec keys_table =
    TABLE("explanations", "What findings mean",
          "\"uarchprobe explain KEY\" has all of one; * is any part of a key.", columns);

static void list_rows(struct record *record, size_t table, const struct explanation *row, const char *name)
{
    for (; row->key; row++)
        record_row(record, table,
                   (const struct cell[]){TEXT_CELL(row->key), name ? TEXT_CELL(name) : NO_CELL,
                                         TEXT_CELL(row->what)});
}

/* Of one command, or of all where it is NULL. */
static void list(struct record *record, const struct command *only)
{
    const size_t table = record_table_add(record, &keys_table);
    for (int i = 0; commands[i]; i++) {
        if (!only || commands[i] == only)
            list_rows(record, table, explanations_of(commands[i]), commands[i]->name);
    }
    if (!only)
        list_rows(record, table, general, NULL);
}

static const struct command *command_named(const char *name)
{
    for (int i = 0; commands[i]; i++) {
        if (commands[i]->explanations && strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
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

enum { NEAREST = 3, LIKE_LEAST = 4 };

static void sort_in(const char *key, const char *nearest[static NEAREST], const struct explanation *row)
{
    for (; row->key; row++) {
        const char *rest = row->key;
        for (int i = 0; i < NEAREST; i++) {
            const char *old = nearest[i];
            if (likeness_of(key, rest) <= (old ? likeness_of(key, old) : LIKE_LEAST - 1))
                continue;
            nearest[i] = rest;
            rest = old ? old : "";
        }
    }
}

static enum status refuse(const char *key, struct fault *fault)
{
    const char *nearest[NEAREST] = {NULL};
    struct text text = {0};
    for (int i = 0; commands[i]; i++)
        sort_in(key, nearest, explanations_of(commands[i]));
    sort_in(key, nearest, general);
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
    const struct command *command = key ? command_named(key) : NULL;
    if (run->operand_count > 1)
        return fault_set(fault, STATUS_USAGE, "unexpected argument %s: explain takes one KEY",
                         quote(run->operands[1]).text);
    if (!key || command) {
        list(run->record, command);
        return STATUS_OK;
    }
    const struct explanation *row = explanation_find(key, &command);
    if (!row)
        return refuse(key, fault);
    explain(run->record, key, row, command);
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
