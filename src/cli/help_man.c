/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/help.h"

/* Text that man(7) would take for a request or an escape is escaped. */
static void roff(struct text *out, const char *text)
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
}

/* What is known of a term stands indented below it. */
static void add_paragraph(struct text *out, const char *term, const char *words)
{
    text_add(out, ".TP\n.B ");
    roff(out, term);
    text_add(out, "\n");
    roff(out, words);
    text_add(out, "\n");
}

static void add_head(struct text *out, const struct command *command)
{
    const char *name = command ? command->name : "", *dash = command ? "\\-" : "";
    text_printf(out, ".TH UARCHPROBE%s%s 1 \"\" \"uarchprobe %s\"\n.SH NAME\n", dash, name,
                UARCHPROBE_VERSION);
    text_printf(out, "uarchprobe%s%s \\- ", dash, name);
    roff(out, command ? command->summary : "measures what data sheets leave out of a CPU");
    text_add(out, "\n.SH SYNOPSIS\n.B uarchprobe ");
    roff(out, command ? name : "COMMAND");
    text_printf(out, "\n[OPTION]... %s\n", command && command->operands ? command->operands : "");
    if (!command || !command->description)
        return;
    text_add(out, ".SH DESCRIPTION\n");
    roff(out, command->description);
    text_add(out, "\n");
}

/* Exit status and the other pages. */
static void add_further(struct text *out, const struct command *command)
{
    text_add(out, ".SH \"EXIT STATUS\"\n");
    roff(out, help_exit_status(command));
    text_add(out, "\n.SH \"SEE ALSO\"\n");
    text_add(out, command ? ".BR uarchprobe (1)\n" : "");
    for (int i = 0; !command && commands[i]; i++) {
        text_add(out, ".BR uarchprobe\\-");
        roff(out, commands[i]->name);
        text_printf(out, " (1)%s\n", commands[i + 1] ? "," : "");
    }
}

void help_add_man(struct text *out, const struct command *command)
{
    const struct option_parser groups = help_groups(command, NULL, NULL);
    add_head(out, command);
    text_add(out, command ? "" : ".SH COMMANDS\n");
    for (int i = 0; !command && commands[i]; i++)
        add_paragraph(out, commands[i]->name, commands[i]->summary);
    if (command && command->examples[0]) {
        text_add(out, ".SH EXAMPLES\n.nf\n");
        for (int i = 0; i < COMMAND_EXAMPLES && command->examples[i]; i++) {
            roff(out, command->examples[i]);
            text_add(out, "\n");
        }
        text_add(out, ".fi\n");
    }
    for (int g = 0; g < groups.group_count; g++) {
        text_printf(out, ".SH \"%s\"\n", groups.group[g].title);
        for (const struct option_row *row = NULL; (row = option_next(&groups.group[g], row));) {
            char head[96];
            struct text words = {0};
            help_option_head(row, head, sizeof(head));
            help_option_text(row, &words);
            add_paragraph(out, head + strspn(head, " "), words.data);
            text_free(&words);
        }
    }
    add_further(out, command);
}
