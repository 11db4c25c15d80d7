/* SPDX-License-Identifier: MIT */
/* What keys and words mean, from data/words.tsv. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/explain.h"
#include "engine/published.h"
#include "result/subject.h"

EMBED(words_table, WORDS_TSV);

const struct explanation *explanations(size_t *count)
{
    enum { WORD, COMMAND, WHAT, TIMED, COUNTED, MOVED, TYPICAL, QUANTITY, SEE, COLUMNS };
    static struct explanation *row;
    static size_t rows;
    static char **field; /* of which rows are made */
    if (!row) {
        char *const *column = field = embedded_rows(words_table, COLUMNS, &rows);
        row = memory_zeroed(rows, sizeof *row);
        for (size_t i = 0; i < rows; i++, column += COLUMNS)
            row[i] = (struct explanation){column[WORD],    column[COMMAND],  column[WHAT],
                                          column[TIMED],   column[COUNTED],  column[MOVED],
                                          column[TYPICAL], column[QUANTITY], column[SEE]};
    }
    *count = rows;
    return row;
}

/* Whether a word is one of a list: as it is, or "Store-Buffer" and "store_buffer" for "store buffer". */
static bool is_named(const char *list, const char *word)
{
    for (const char *at = list; at; at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL) {
        const size_t length = strcspn(at, ";");
        size_t i = 0;
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        while (i < length && word[i] &&
               (tolower(word[i]) == tolower(at[i]) || (strchr("-_ ", word[i]) && strchr("-_ ", at[i]))))
            i++;
        if ((i == length && !word[i]) || (strchr(name, '*') && fnmatch(name, word, 0) == 0))
            return true;
    }
    return false;
}

const struct explanation *explanation_find(const char *word)
{
    char before[80];
    const size_t comma = strcspn(word, ",;"), length = strlen(word);
    size_t count;
    const struct explanation *row = explanations(&count);
    for (size_t i = 0; i < count; i++)
        if (is_named(row[i].word, word))
            return &row[i];
    if (comma == length || comma >= sizeof before)
        return NULL;
    snprintf(before, sizeof before, "%.*s", (int)comma, word);
    return explanation_find(before);
}

/* Of a command; "-" is none. */
static bool is_of(const struct explanation *row, const char *command)
{
    return strcmp(row->command, command) == 0;
}

/* "this core (Zen 3) 64; Zen 5 104": cores that many readers know, one value each. */
static void add_published(struct text *text, const char *quantity)
{
    static const char *const known[] = {NULL,          "Zen 5",   "Zen 4",       "Zen 3",
                                        "Golden Cove", "Skylake", "Neoverse V2", "Firestorm"};
    struct cpu cpu;
    cpu_identify_host(&cpu);
    const char *own = cpu_core(&cpu);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *core = i ? known[i] : own;
        const struct published *row = core_published(core, quantity, 0);
        if (row && (i == 0 || !own || strcmp(core, own) != 0))
            text_printf(text, row->low < row->high ? "%s%s %g to %g" : "%s%s %g", text->length ? "; " : "",
                        core, row->low, row->high);
        if (row && i == 0)
            text_add(text, " (this core)");
    }
    if (text->length > 0)
        text_printf(text, " %s", core_published("*", quantity, 0)->unit);
}

/* "store buffer 64 entries; while the sibling is busy 32 entries": the answers of a result that the row explains, by key or label. */
static void add_yours(struct text *text, const struct record *result, const struct explanation *row)
{
    enum { MOST = 240 };
    for (size_t i = 0; i < result->answers.count && text->length < MOST; i++) {
        const struct answer *answer = &result->answers.of[i];
        if (explanation_find(answer->key) != row &&
            (!answer->label || explanation_find(answer->label) != row))
            continue;
        text_printf(text, "%s%s ", text->length ? "; " : "",
                    answer_is_busy(answer) ? "while the sibling is busy"
                    : answer->label        ? answer->label
                                           : answer->key);
        text_add_value(text, &answer->value, answer->unit);
        text_add(text, answer->trust == TRUST_HIGH ? "" : answer->trust == TRUST_MEDIUM ? "~" : "?");
    }
    for (size_t i = 0; i < result->children.count; i++)
        add_yours(text, result->children.of[i], row);
}

/* result: one that is at hand; or NULL. */
static void explain(struct record *record, const char *word, const struct explanation *row,
                    const struct record *result)
{
    struct text published = {0}, yours = {0};
    if (*row->quantity)
        add_published(&published, row->quantity);
    if (result)
        add_yours(&yours, result, row);
    const struct fact facts[] = {
        {"explanation.key", NULL, NULL, TEXT_CELL(word)},
        {"explanation.what", word, NULL, TEXT_CELL(row->what)},
        {"explanation.timed", "what is timed", NULL, TEXT_CELL(row->timed)},
        {"explanation.counted", "what counts", NULL, TEXT_CELL(row->counted)},
        {"explanation.moved", "what moves it", NULL, TEXT_CELL(row->moved)},
        {"explanation.typical", "typical values", NULL, TEXT_CELL(row->typical)},
        {"explanation.published", "published", NULL, TEXT_CELL(published.data ? published.data : "")},
        {"explanation.yours", "yours", NULL, TEXT_CELL(yours.data ? yours.data : "")},
        {"explanation.command", "found by", NULL, TEXT_CELL(is_of(row, "-") ? "" : row->command)},
        {"explanation.see", "see also", NULL, TEXT_CELL(row->see)}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (*cell_text(&facts[i].value))
            record_fact(record, facts[i]);
    text_free(&published);
    text_free(&yours);
}

static const struct column columns[] = {COLUMN("key", "word or key", TEXT, PARAMETER),
                                        COLUMN("command", "found by", TEXT, LABEL),
                                        COLUMN("what", "what it is", TEXT, LABEL)};

static const struct table_spec keys_table = {.name = "explanations",
                                             .title = "What words and findings mean",
                                             .columns = columns,
                                             .column_count = sizeof columns / sizeof *columns,
                                             .view = {.kind = VIEW_HIDDEN}};

/* The words of one command, or of all where it is NULL: for people the words alone, but for keys and remarks with numbers where there are
 * many. False: there is no such command. */
static bool list(struct record *record, const char *command)
{
    struct text words = {0};
    size_t count, table = SIZE_MAX;
    const struct explanation *row = explanations(&count);
    for (size_t i = 0; i < count; i++) {
        char word[80];
        if (command && (is_of(&row[i], "-") || !is_of(&row[i], command)))
            continue;
        table = table == SIZE_MAX ? record_table_add(record, &keys_table) : table;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(row[i].word, ";"), row[i].word);
        record_row(record, table,
                   (const struct cell[]){TEXT_CELL(word), TEXT_CELL(row[i].command), TEXT_CELL(row[i].what)});
        if (command || !strpbrk(word, ".*"))
            text_printf(&words, "%s%s", words.length ? ", " : "", word);
    }
    if (words.data)
        RECORD_FACTS(record, {"explanation.key", NULL, NULL, TEXT_CELL(command ? command : "words")},
                     {"explanation.words", command ? command : "words", NULL, TEXT_CELL(words.data)});
    text_free(&words);
    return table != SIZE_MAX;
}

/* Length of the longest run of characters that both have. */
static size_t likeness_of(const char *a, const char *b)
{
    size_t longest = 0;
    for (const char *i = a; *i; i++)
        for (const char *j = b; *j; j++) {
            size_t length = 0;
            while (i[length] && tolower(i[length]) == tolower(j[length]))
                length++;
            longest = length > longest ? length : longest;
        }
    return longest;
}

/* With the three words that are most alike. */
static enum status refuse(const char *word, struct fault *fault)
{
    enum { NEAREST = 3, LIKE_LEAST = 3 };
    const struct explanation *nearest[NEAREST] = {NULL};
    struct text text = {0};
    size_t count;
    const struct explanation *row = explanations(&count);
    for (size_t k = 0; k < count; k++) {
        const struct explanation *rest = &row[k];
        for (int i = 0; i < NEAREST && rest; i++)
            if (likeness_of(word, rest->word) >
                (nearest[i] ? likeness_of(word, nearest[i]->word) : LIKE_LEAST - 1)) {
                const struct explanation *old = nearest[i];
                nearest[i] = rest;
                rest = old;
            }
    }
    for (int i = 0; i < NEAREST && nearest[i]; i++)
        text_printf(&text, "%s%.*s", i ? ", " : "; nearest: ", (int)strcspn(nearest[i]->word, ";"),
                    nearest[i]->word);
    fault_set(fault, STATUS_USAGE, "no word or key is called %s%s (uarchprobe explain lists them all)",
              quote(word).text, text.data ? text.data : "");
    text_free(&text);
    return fault->status;
}

struct params {
    const char *from;
};

static enum status explain_run(struct run *run, struct fault *fault)
{
    const struct params *params = run->params;
    struct record *result = NULL;
    struct text words = {0};
    if (params->from && record_load(params->from, &result, fault) != STATUS_OK)
        return fault->status;
    for (int i = 0; i < run->operand_count; i++)
        text_printf(&words, "%s%s", i ? " " : "", run->operands[i]);
    const struct explanation *row = words.data ? explanation_find(words.data) : NULL;
    if (row && run->operand_count > 1 && strchr(run->operands[1], '.'))
        fault_set(fault, STATUS_USAGE, "unexpected argument %s: explain takes one key",
                  quote(run->operands[1]).text);
    else if (row)
        explain(run->record, words.data, row, result);
    else if (!list(run->record, words.data))
        refuse(words.data, fault);
    text_free(&words);
    if (result)
        record_free(result);
    return fault->status;
}

static const struct option_row options[] = {
    {"from", 0, OPTION_TEXT, .offset = offsetof(struct params, from), .argument = "FILE",
     .help = "a result, for what it has of the word; see yours"},
    {0},
};

extern const struct command explain_command;
const struct command explain_command = {
    .name = "explain",
    .summary = "what does a word or a key mean, and what is published?",
    .description =
        "WORD is one that is printed, the key of a finding in a result (-f json), or the name of a command: "
        "store buffer, "
        "trust, ram.L2.read. Without WORD all of them are listed.",
    .examples = {"uarchprobe explain store buffer", "uarchprobe explain trust",
                 "uarchprobe explain ram.L2.read", "uarchprobe explain core-latency", "uarchprobe explain",
                 "uarchprobe explain --from report.html forwarding"},
    .options = options,
    .params_size = sizeof(struct params),
    .operands = "[WORD...]",
    .offline = true,
    .run = explain_run,
};
