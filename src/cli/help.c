/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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

static void add_rows(struct text *out, const struct command *command)
{
    struct option_parser groups = help_groups(command, NULL, NULL);
    for (int g = 0; g < groups.group_count; g++) {
        text_printf(out, "\n%s:\n", groups.group[g].title);
        for (const struct option_row *row = NULL; (row = option_next(&groups.group[g], row));)
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

static void add_exit_status(struct text *out, const struct command *command)
{
    text_add(out, "\nExit status: ");
    text_add_wrapped(out, help_exit_status(command), strlen("Exit status: "), 0, WIDTH);
    text_add(out, "\n");
}

static void add_program(struct text *out)
{
    text_add(out,
             "Usage: uarchprobe COMMAND [OPTION]...\n"
             "       uarchprobe help COMMAND\n\n"
             "Measures what data sheets leave out of a CPU.\n\n"
             "Examples:\n"
             "  uarchprobe info\n"
             "  uarchprobe ram --help\n\n"
             "Commands:\n");
    for (int i = 0; commands[i]; i++) {
        text_printf(out, "  %-15s", commands[i]->name);
        text_add_wrapped(out, commands[i]->summary, COMMAND_COLUMN, COMMAND_COLUMN, WIDTH);
        text_add(out, "\n");
    }
    add_rows(out, NULL);
    add_exit_status(out, NULL);
}

static void add_command(struct text *out, const struct command *command)
{
    text_printf(out, "Usage: uarchprobe %s [OPTION]...%s%s\n\n", command->name, command->operands ? " " : "",
                command->operands ? command->operands : "");
    add_lines(out, command->summary);
    text_add(out, command->description ? "\n" : "");
    add_lines(out, command->description);
    for (int i = 0; i < COMMAND_EXAMPLES && command->examples[i]; i++)
        text_printf(out, "%s  %s\n", i ? "" : "\nExamples:\n", command->examples[i]);
    add_rows(out, command);
    add_exit_status(out, command);
}

void help_print(FILE *stream, enum help_kind kind, const struct command *command)
{
    struct text out = {0};
    if (kind == HELP_MAN)
        help_add_man(&out, command);
    else if (kind != HELP_TEXT)
        help_add_completion(&out, kind);
    else if (command)
        add_command(&out, command);
    else
        add_program(&out);
    fputs(out.data, stream);
    text_free(&out);
}
