/* SPDX-License-Identifier: MIT */
/* The meanings of keys and words. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "cli/commands.h"
#include "cli/glossary.h"
#include "engine/published.h"
#include "result/subject.h"

extern const struct command explain_command;

/* "Zen 3 126, 238 disputed (this core); Zen 5 104 entries": cores that many readers know. */
static void add_published(struct text *text, const char *quantity, const char *own)
{
    static const char *const known[] = {NULL,          "Zen 5",   "Zen 4",       "Zen 3",
                                        "Golden Cove", "Skylake", "Neoverse V2", "Firestorm"};
    for (size_t i = 0; *quantity && i < sizeof known / sizeof *known; i++) {
        const char *core = i ? known[i] : own;
        const struct published_range range = published_range(core, quantity);
        if (range.agreement == AGREEMENT_UNKNOWN ||
            (i > 0 && (range.agreement == AGREEMENT_MISSING || (own && strcmp(core, own) == 0))))
            continue;
        text_printf(text, "%s%s ", text->length ? "; " : "", core);
        if (range.agreement == AGREEMENT_MISSING)
            text_add(text, "not published");
        else
            text_printf(text, "%g", range.least);
        if (range.least < range.most)
            text_printf(text, range.agreement == AGREEMENT_DISPUTED ? ", %g disputed" : " to %g", range.most);
        text_add(text, i ? "" : " (this core)");
    }
    if (text->length > 0)
        text_printf(text, " %s", core_published("*", quantity, 0)->unit);
}

static void explain(struct record *record, const char *word, const struct explanation *row)
{
    struct text published = {0}, command = {0}, text = {0};
    struct cpu cpu;
    char name[EXPLAINED_NAME];
    explained_name(row->word, name);
    const bool is_key = strpbrk(name, ".*"), is_first = strcasecmp(name, word) == 0;
    if (is_key || is_first)
        text_printf(&text, "%s: %s", word, row->what);
    else
        text_printf(&text, "%s (%s): %s", name, word, row->what);
    cpu_identify_host(&cpu);
    add_published(&published, row->quantity, cpu_core(&cpu));
    if (strcmp(row->command, "-") != 0)
        text_printf(&command, "uarchprobe %s", row->command);
    const struct fact facts[] = {{"explanation.key", NULL, NULL, TEXT_CELL(word)},
                                 {"explanation.text", NULL, NULL, TEXT_CELL(text.data)},
                                 {"explanation.what", NULL, NULL, TEXT_CELL(row->what)},
                                 {"explanation.timed", "measured", NULL, TEXT_CELL(row->timed)},
                                 {"explanation.counted", "counted", NULL, TEXT_CELL(row->counted)},
                                 {"explanation.moved", "moved by", NULL, TEXT_CELL(row->moved)},
                                 {"explanation.typical", "typical", NULL, TEXT_CELL(row->typical)},
                                 {"explanation.published", "published", NULL, TEXT_CELL(published.data)},
                                 {"explanation.command", "command", NULL, TEXT_CELL(command.data)},
                                 {"explanation.see", "see also", NULL, TEXT_CELL(row->see)}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *part = cell_text(&facts[i].value);
        if (part && *part)
            record_fact(record, facts[i]);
    }
    text_free(&published);
    text_free(&command);
    text_free(&text);
}

/* The words of one command ("ram", "sb-capacity -m litmus"); NULL: those of all that stand for something
 * timed, or belong to no command alone. */
static void list(struct record *record, const struct command *command)
{
    const struct command *of = command ? command : &explain_command;
    struct text words = {0}, text = {0};
    size_t count;
    const struct explanation *row = explanations(&count);
    for (size_t i = 0; i < count; i++) {
        char word[EXPLAINED_NAME];
        explained_name(row[i].word, word);
        if (command ? strncmp(row[i].command, command->name, strlen(command->name)) == 0
                    : !strpbrk(word, ".*") && (*row[i].timed || strcmp(row[i].command, "-") == 0))
            text_printf(&words, "%s%s", words.length ? "; " : "", word);
    }
    text_printf(&text, "%s: %s", of->name, of->summary);
    RECORD_FACTS(record, {"explanation.key", .value = TEXT_CELL(of->name)},
                 {"explanation.text", .value = TEXT_CELL(text.data)},
                 {"explanation.what", .value = TEXT_CELL(of->summary)},
                 {"explanation.words", "words", NULL, TEXT_CELL(words.data ? words.data : "none")});
    text_free(&words);
    text_free(&text);
}

/* The share of both words in their longest common run, in per cent; runs of one and two letters are in all
 * words. */
static size_t likeness_of(const char *a, const char *b)
{
    enum { RUN_LEAST = 3 };
    size_t longest = 0;
    for (const char *i = a; *i; i++)
        for (const char *j = b; *j; j++) {
            size_t length = 0;
            while (i[length] && tolower(i[length]) == tolower(j[length]))
                length++;
            longest = length > longest ? length : longest;
        }
    return longest < RUN_LEAST ? 0 : 200 * longest / (strlen(a) + strlen(b));
}

/* With the names that are most alike, one of each row. */
static enum status refuse(const char *word, struct fault *fault)
{
    enum { NEAREST = 3, LIKE_LEAST = 30 };
    struct near {
        size_t likeness;
        char name[EXPLAINED_NAME];
    } nearest[NEAREST] = {{LIKE_LEAST, ""}, {LIKE_LEAST, ""}, {LIKE_LEAST, ""}};
    struct text text = {0};
    size_t count;
    const struct explanation *row = explanations(&count);
    for (size_t k = 0; k < count; k++) {
        struct near own, best = {0};
        for (const char *list = row[k].word; *list;) {
            list = explained_name(list, own.name);
            own.likeness = strchr(own.name, '*') && !strchr(word, '.') ? 0 : likeness_of(word, own.name);
            best = own.likeness > best.likeness ? own : best;
        }
        for (int i = 0; i < NEAREST; i++)
            if (best.likeness > nearest[i].likeness) {
                const struct near less = nearest[i];
                nearest[i] = best;
                best = less;
            }
    }
    for (int i = 0; i < NEAREST && *nearest[i].name; i++)
        text_printf(&text, "%s%s", i ? ", " : "; nearest: ", nearest[i].name);
    fault_set(fault, STATUS_USAGE, "no word or key is called %s%s (uarchprobe explain lists them all)",
              quote(word).text, text.data ? text.data : "");
    text_free(&text);
    return fault->status;
}

static enum status explain_run(struct run *run, struct fault *fault)
{
    const struct command *command = NULL;
    struct text words = {0};
    for (int i = 0; i < run->operand_count; i++)
        text_printf(&words, "%s%s", i ? " " : "", run->operands[i]);
    const struct explanation *row = words.data ? explanation_find(words.data) : NULL;
    for (int i = 0; commands[i] && words.data; i++)
        if (strcmp(commands[i]->name, words.data) == 0)
            command = commands[i];
    if (row && run->operand_count > 1 && strchr(run->operands[1], '.'))
        fault_set(fault, STATUS_USAGE, "unexpected argument %s: explain takes one key",
                  quote(run->operands[1]).text);
    else if (row)
        explain(run->record, words.data, row);
    else if (command || !words.data)
        list(run->record, command);
    else
        refuse(words.data, fault);
    text_free(&words);
    return fault->status;
}

const struct command explain_command = {
    .name = "explain",
    .summary = "what does a word or a key mean, and what is published?",
    .description =
        "WORD is one that is printed, the key of an answer in a result (-f json), or the name of a command: "
        "store buffer, "
        "trust, ram.L2.read. Without WORD those of all commands are listed.",
    .examples = {"uarchprobe explain store buffer", "uarchprobe explain trust",
                 "uarchprobe explain ram.L2.read", "uarchprobe explain core-latency", "uarchprobe explain"},
    .operands = "[WORD...]",
    .offline = true,
    .run = explain_run,
};
