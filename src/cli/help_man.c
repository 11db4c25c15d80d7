/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/help.h"

/* Text that man(7) would take for a request or an escape is escaped. */
static void roff(FILE *stream, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && strchr(".'", *text))
            fputs("\\&", stream);
        if (*text == '-' || *text == '\\')
            fputs(*text == '-' ? "\\-" : "\\e", stream);
        else
            fputc(*text, stream);
        line_start = *text == '\n';
    }
}

static void print_row(FILE *stream, const struct option_row *row)
{
    char head[96], note[512];
    help_option_head(row, head, sizeof(head));
    help_option_note(row, note, sizeof(note));
    fputs(".TP\n.B ", stream);
    roff(stream, head + strspn(head, " "));
    fputc('\n', stream);
    roff(stream, row->help);
    if (note[0]) {
        fputs(" (", stream);
        roff(stream, note);
        fputc(')', stream);
    }
    fputc('\n', stream);
}

static void print_head(FILE *stream, const struct command *command)
{
    const char *name = command ? command->name : "";
    fprintf(stream, ".TH UARCHPROBE%s%s 1 \"\" \"uarchprobe %s\"\n.SH NAME\n", command ? "\\-" : "", name,
            UARCHPROBE_VERSION);
    fprintf(stream, "uarchprobe%s%s \\- ", command ? "\\-" : "", name);
    roff(stream, command ? command->summary : "measures what data sheets leave out of a CPU");
    fputs("\n.SH SYNOPSIS\n.B uarchprobe ", stream);
    roff(stream, command ? name : "COMMAND");
    fprintf(stream, "\n[OPTION]... %s\n", command && command->operands ? command->operands : "");
    if (!command || !command->description)
        return;
    fputs(".SH DESCRIPTION\n", stream);
    roff(stream, command->description);
    fputc('\n', stream);
}

static void print_examples(FILE *stream, const struct command *command)
{
    fputs(".SH EXAMPLES\n.nf\n", stream);
    for (int i = 0; i < COMMAND_EXAMPLES && command->examples[i]; i++) {
        roff(stream, command->examples[i]);
        fputc('\n', stream);
    }
    fputs(".fi\n", stream);
}

void help_print_man(FILE *stream, const struct command *command)
{
    struct option_parser groups = help_groups(command, NULL, NULL);
    print_head(stream, command);
    for (int i = 0; !command && commands[i]; i++) {
        fprintf(stream, "%s.TP\n.B %s\n", i ? "" : ".SH COMMANDS\n", commands[i]->name);
        roff(stream, commands[i]->summary);
        fputc('\n', stream);
    }
    if (command && command->examples[0])
        print_examples(stream, command);
    for (int g = 0; g < groups.group_count; g++) {
        fprintf(stream, ".SH \"%s\"\n", groups.group[g].title);
        for (const struct option_row *row = NULL; (row = option_next(&groups.group[g], row));)
            print_row(stream, row);
    }
}
