/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "uarchprobe/experiment.h"

enum { WIDTH = 79, COMMAND_COLUMN = 17, TEXT_COLUMN = 28, HEAD_SIZE = 96 };

static const char exit_status[] =
    "0 done; 1 failed while running; 2 the command line is wrong; 3 too few CPUs or too little memory; 4 not "
    "possible on this CPU or kernel; 5 not to be trusted (with --strict); 128+N ended by signal N.";
static const char purpose[] = "measures what data sheets leave out of a CPU";

/* "  -r, --repeat N" without the indent. */
static void option_head(const struct option_row *row, char *text, size_t size)
{
    char letter[] = "    ";
    if (row->letter)
        memcpy(letter, (char[]){'-', row->letter, ',', ' '}, 4);
    if (row->kind == OPTION_HELP || row->kind == OPTION_CPU)
        snprintf(text, size, "%s--%s[=%s]", letter, row->name, row->argument);
    else
        snprintf(text, size, "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
}

void help_option_text(const struct option_row *row, struct text *text)
{
    struct text note = {0};
    const char *before = row->kind == OPTION_CHOICES ? "any of, or all: " : "one of: ";
    for (int i = 0; row->choices && row->choices[i]; i++) {
        text_printf(&note, "%s%s", before, row->choices[i]);
        before = ", ";
    }
    if (row->max > 0)
        text_printf(&note, "%sfrom %.15g to %.15g", note.length ? "; " : "", row->min, row->max);
    if (row->fallback && row->kind != OPTION_FLAG)
        text_printf(&note, "%sdefault: %s", note.length ? "; " : "", row->fallback);
    text_printf(text, note.length ? "%s (%s)" : "%s", row->help, note.data);
    text_free(&note);
}

/* In one line: the first part of its help, its choices, its default; both of the former where there is
 * room. */
static void add_brief(struct text *out, const struct option_row *row)
{
    const size_t room = WIDTH - TEXT_COLUMN, length = strcspn(row->help, ";");
    char head[HEAD_SIZE], choices[HEAD_SIZE] = "";
    const char *fallback = row->fallback && row->kind != OPTION_FLAG ? row->fallback : NULL;
    struct text text = {0};
    option_head(row, head, sizeof(head));
    if (row->choices)
        join_words((const char *const *)row->choices, choices, sizeof(choices));
    if (!row->choices || length + 2 + strlen(choices) <= room || strlen(choices) > room)
        text_printf(&text, "%.*s", (int)length, row->help);
    if (row->choices && text.length + 2 + strlen(choices) <= room)
        text_printf(&text, "%s%s", text.length ? ": " : "", choices);
    if (fallback && text.length + strlen(fallback) + 3 <= room)
        text_printf(&text, " (%s)", fallback);
    text_printf(out, "  %-*s %s\n", TEXT_COLUMN - 3, head, text.data);
    text_free(&text);
}

/* Text that man(7) would take for a request or an escape is escaped. */
static void add_roff(struct text *out, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && strchr(".'", *text))
            text_add(out, "\\&");
        if (*text == '-' || *text == '\\')
            text_add(out, *text == '-' ? "\\-" : "\\e");
        else
            text_add_bytes(out, text, 1);
        line_start = *text == '\n';
    }
    text_add(out, "\n");
}

static void add_heading(struct text *out, bool man, const char *heading)
{
    text_printf(out, man ? ".SH \"%s\"\n" : "\n%s:\n", heading);
}

/* A term, and its explanation next to it or, in a manual, below. */
static void add_item(struct text *out, bool man, const char *term, size_t column, const char *words)
{
    const int width = (int)column - 3;
    if (man) {
        text_add(out, ".TP\n.B ");
        add_roff(out, term + strspn(term, " "));
        add_roff(out, words);
        return;
    }
    text_printf(out, "  %-*s", width, term);
    text_add(out, (int)strlen(term) > width ? "\n" : " ");
    text_repeat(out, ' ', (int)strlen(term) > width ? column : 0);
    text_add_wrapped(out, words, column, column, WIDTH);
    text_add(out, "\n");
}

/* A paragraph a line. */
static void add_lines(struct text *out, bool man, const char *lines)
{
    if (man)
        add_roff(out, lines);
    for (size_t length; !man && *lines; lines += length + (lines[length] == '\n')) {
        length = strcspn(lines, "\n");
        struct text line = {0};
        text_add_bytes(&line, lines, length);
        text_add_wrapped(out, line.data, 0, 0, WIDTH);
        text_add(out, "\n");
        text_free(&line);
    }
}

static void add_usage(struct text *out, const struct command *command)
{
    text_printf(out, "Usage: uarchprobe %s [OPTION]...%s%s\n", command->name, command->operands ? " " : "",
                command->operands ? command->operands : "");
    add_lines(out, false, command->summary);
}

/* The words that stand for the operands of a command that is rows alone. */
static void add_operands(struct text *out, bool man, const struct command *command)
{
    struct text words = {0};
    const char *operand;
    for (size_t n = 0; command->experiments && (operand = experiments_operand(command->experiments, n)); n++)
        text_printf(&words, "%s%s", n ? ", " : "any of ", operand);
    if (words.length > 0)
        add_item(out, man, command->operands, TEXT_COLUMN, words.data);
    text_free(&words);
}

static void add_examples(struct text *out, bool man, const struct command *command, int most)
{
    if (!command->examples[0])
        return;
    text_add(out, man ? ".SH EXAMPLES\n.nf\n" : "\n");
    for (int i = 0; i < most && command->examples[i]; i++) {
        text_add(out, man ? "" : "  ");
        add_lines(out, man, command->examples[i]);
    }
    text_add(out, man ? ".fi\n" : "");
}

static void add_commands(struct text *out, bool man)
{
    add_heading(out, man, "Commands");
    for (int i = 0; commands[i]; i++)
        add_item(out, man, commands[i]->name, COMMAND_COLUMN, commands[i]->summary);
}

static void add_program(struct text *out)
{
    text_add(out,
             "Usage: uarchprobe COMMAND [OPTION]...\n"
             "Measures what data sheets leave out of a CPU.\n");
    add_commands(out, false);
    text_add(out,
             "\n  uarchprobe ram --size 64mi,1gi -r 10\n"
             "  uarchprobe core-latency -b cas\n"
             "  uarchprobe report --quick -o report.html\n\n"
             "options of one: uarchprobe COMMAND --help    of all: uarchprobe help options\n"
             "what a word means: uarchprobe explain WORD   version: uarchprobe --version\n");
}

/* One screen: own options in a line each, common ones by their names. */
static void add_command(struct text *out, const struct command *command)
{
    enum { EXAMPLES = 3 };
    const struct option_set set = command_options(command, NULL, NULL);
    struct text common = {0};
    add_usage(out, command);
    text_add(out, command->options || command->experiments ? "\n" : "");
    add_operands(out, false, command);
    for (int i = 0; i < set.count; i++) {
        const struct option_row *row = set.of[i].row;
        if (set.of[i].title == own_options)
            add_brief(out, row);
        else
            text_printf(&common, "%s%s--%s", common.length ? " " : "",
                        row->letter ? (char[]){'-', row->letter, '/', 0} : "", row->name);
    }
    add_examples(out, false, command, EXAMPLES);
    text_add(out, "\nalso ");
    text_add_wrapped(out, common.data, 5, 5, WIDTH);
    text_printf(out, "\nthese: uarchprobe help options   in full: uarchprobe %s --help=all\n", command->name);
    text_free(&common);
}

static void add_manual_head(struct text *out, const struct command *command)
{
    const char *name = command ? command->name : "", *dash = command ? "\\-" : "";
    text_printf(out, ".TH UARCHPROBE%s%s 1 \"\" \"uarchprobe %s\"\n.SH NAME\n", dash, name,
                UARCHPROBE_VERSION);
    text_printf(out, "uarchprobe%s%s \\- ", dash, name);
    add_roff(out, command ? command->summary : purpose);
    text_add(out, ".SH SYNOPSIS\n.B uarchprobe ");
    add_roff(out, command ? name : "COMMAND");
    text_printf(out, "[OPTION]... %s\n", command && command->operands ? command->operands : "");
}

/* Help in full of a command; NULL: of the program and the options that commands share. */
static void add_whole(struct text *out, bool man, const struct command *command)
{
    const struct option_set set = command_options(command, NULL, NULL);
    if (man)
        add_manual_head(out, command);
    else if (command)
        add_usage(out, command);
    if (command && command->description) {
        text_add(out, man ? ".SH DESCRIPTION\n" : "\n");
        add_lines(out, man, command->description);
    }
    if (command && command->experiments) {
        add_heading(out, man, "Operands");
        add_operands(out, man, command);
    }
    if (command)
        add_examples(out, man, command, COMMAND_EXAMPLES);
    else if (man)
        add_commands(out, man);
    for (int i = 0; i < set.count; i++) {
        char head[HEAD_SIZE];
        struct text words = {0};
        if (i == 0 || set.of[i].title != set.of[i - 1].title)
            add_heading(out, man, set.of[i].title);
        option_head(set.of[i].row, head, sizeof(head));
        help_option_text(set.of[i].row, &words);
        add_item(out, man, head, TEXT_COLUMN, words.data);
        text_free(&words);
    }
    add_heading(out, man, "Exit status");
    add_lines(out, man, command && command->exit_status ? command->exit_status : exit_status);
    if (man)
        text_add(out, ".SH \"SEE ALSO\"\n");
    if (man && command)
        text_add(out, ".BR uarchprobe (1)\n");
    for (int i = 0; man && !command && commands[i]; i++) {
        text_add(out, ".BR uarchprobe\\-");
        add_roff(out, commands[i]->name);
        text_printf(out, " (1)%s\n", commands[i + 1] ? "," : "");
    }
}

void help_print(FILE *stream, enum help_kind kind, const struct command *command)
{
    struct text out = {0};
    if (kind == HELP_MAN || kind == HELP_ALL)
        add_whole(&out, kind == HELP_MAN, command);
    else if (kind != HELP_TEXT)
        text_add(&out, completion_script(kind));
    else if (command)
        add_command(&out, command);
    else
        add_program(&out);
    fputs(out.data, stream);
    text_free(&out);
}
