/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"

enum { WIDTH = 79, COMMAND_COLUMN = 17, TEXT_COLUMN = 28, HEAD_SIZE = 96 };

const char *help_exit_status(const struct command *command)
{
    return command && command->exit_status
               ? command->exit_status
               : "0 done; 1 failed while running; 2 the command line is wrong; 3 too few CPUs or too little "
                 "memory; 4 not possible on this CPU or kernel; 5 not to be trusted (with --strict); 128+N "
                 "ended by signal N.";
}

struct option_parser help_groups(const struct command *command, void *params, struct common *common)
{
    struct option_parser groups = {.leading = command == NULL};
    if (command) {
        groups.who = command->name;
        groups.tables = common ? &common->verbose : NULL;
        groups.given = common ? &common->given : NULL;
        options_add(&groups, (struct option_group){command->options, params, .title = "Options"});
        options_add(&groups,
                    (struct option_group){common_options, common, "Common options", command->honours});
    }
    options_add(&groups, (struct option_group){general_options, common, .title = "General options"});
    return groups;
}

void help_option_head(const struct option_row *row, char *text, size_t size)
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

static void add_row(struct text *out, const struct option_row *row)
{
    char head[HEAD_SIZE];
    struct text text = {0};
    help_option_head(row, head, sizeof(head));
    help_option_text(row, &text);
    text_printf(out, "  %-*s", TEXT_COLUMN - 3, head);
    text_add(out, strlen(head) > TEXT_COLUMN - 3 ? "\n" : " ");
    text_repeat(out, ' ', strlen(head) > TEXT_COLUMN - 3 ? TEXT_COLUMN : 0);
    text_add_wrapped(out, text.data, TEXT_COLUMN, TEXT_COLUMN, WIDTH);
    text_add(out, "\n");
    text_free(&text);
}

/* In one line: the first part of its help, its choices, both where there is room, and its default. */
static void add_brief(struct text *out, const struct option_row *row)
{
    const size_t room = WIDTH - TEXT_COLUMN, length = strcspn(row->help, ";");
    char head[HEAD_SIZE], choices[HEAD_SIZE] = "";
    const char *fallback = row->fallback && row->kind != OPTION_FLAG ? row->fallback : NULL;
    struct text text = {0};
    help_option_head(row, head, sizeof(head));
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

static void add_groups(struct text *out, const struct option_parser *groups)
{
    for (int g = 0; g < groups->group_count; g++) {
        text_printf(out, "\n%s:\n", groups->group[g].title);
        for (const struct option_row *row = NULL; (row = option_next(&groups->group[g], row));)
            add_row(out, row);
    }
}

static void add_lines(struct text *out, const char *lines)
{
    for (size_t length; lines && *lines; lines += length + (lines[length] == '\n')) {
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
    add_lines(out, command->summary);
}

static void add_examples(struct text *out, const struct command *command, int most)
{
    text_add(out, command->examples[0] ? "\n" : "");
    for (int i = 0; i < most && command->examples[i]; i++)
        text_printf(out, "  %s\n", command->examples[i]);
}

static void add_program(struct text *out)
{
    text_add(out,
             "Usage: uarchprobe COMMAND [OPTION]...\n"
             "Measures what data sheets leave out of a CPU.\n\n"
             "Commands:\n");
    for (int i = 0; commands[i]; i++) {
        text_printf(out, "  %-15s", commands[i]->name);
        text_add_wrapped(out, commands[i]->summary, COMMAND_COLUMN, COMMAND_COLUMN, WIDTH);
        text_add(out, "\n");
    }
    text_add(out,
             "\n  uarchprobe info\n"
             "  uarchprobe report --quick -o report.html\n\n"
             "options of one: uarchprobe COMMAND --help    of all: uarchprobe help options\n"
             "what a word means: uarchprobe explain WORD   version: uarchprobe --version\n");
}

/* One screen: own options in a line each, common ones by their names. */
static void add_command(struct text *out, const struct command *command)
{
    enum { EXAMPLES = 3 };
    struct option_parser groups = help_groups(command, NULL, NULL);
    struct text common = {0};
    add_usage(out, command);
    text_add(out, command->options ? "\n" : "");
    for (int g = 0; g < groups.group_count; g++)
        for (const struct option_row *row = NULL; (row = option_next(&groups.group[g], row));)
            if (groups.group[g].rows == command->options)
                add_brief(out, row);
            else
                text_printf(&common, "%s%s--%s", common.length ? " " : "",
                            row->letter ? (char[]){'-', row->letter, '/', 0} : "", row->name);
    add_examples(out, command, EXAMPLES);
    text_add(out, "\nalso ");
    text_add_wrapped(out, common.data, 5, 5, WIDTH);
    text_printf(out, "\nthese: uarchprobe help options   in full: uarchprobe %s --help=all\n", command->name);
    text_free(&common);
}

/* All that is known of a command; NULL: of the options that they share. */
static void add_whole(struct text *out, const struct command *command)
{
    struct option_parser groups = help_groups(command, NULL, NULL);
    if (command) {
        add_usage(out, command);
        text_add(out, command->description ? "\n" : "");
        add_lines(out, command->description);
        add_examples(out, command, COMMAND_EXAMPLES);
    } else {
        groups.group_count = 0;
        options_add(&groups, (struct option_group){common_options, NULL, "Common options", ~0U});
        options_add(&groups, (struct option_group){general_options, NULL, "General options", 0});
    }
    add_groups(out, &groups);
    text_add(out, "\nExit status: ");
    text_add_wrapped(out, help_exit_status(command), strlen("Exit status: "), 0, WIDTH);
    text_add(out, "\n");
}

void help_print(FILE *stream, enum help_kind kind, const struct command *command)
{
    struct text out = {0};
    if (kind == HELP_MAN)
        help_add_man(&out, command);
    else if (kind == HELP_ALL)
        add_whole(&out, command);
    else if (kind != HELP_TEXT)
        help_add_completion(&out, kind);
    else if (command)
        add_command(&out, command);
    else
        add_program(&out);
    fputs(out.data, stream);
    text_free(&out);
}
