/* SPDX-License-Identifier: MIT */
/* Completion for three shells, from the same rows as the help. */
#include "cli/help.h"

#include <string.h>

#include "base/text.h"
#include "cli/explain.h"
#include "uarchprobe/feature.h"
#include "uarchprobe/kernel.h"

static bool is_file(const char *argument)
{
    return argument && (strstr(argument, "FILE") || strstr(argument, "DIR") || strstr(argument, "BEFORE"));
}

/* A word behind a blank, with a backslash before what the shells would take for a pattern. */
static void add_word(struct text *out, const char *word)
{
    text_add(out, " ");
    for (; *word; word++) {
        text_add(out, *word == '*' ? "\\" : "");
        text_add_bytes(out, word, 1);
    }
}

static void add_levels(struct text *out)
{
    for (const struct isa_level *level = isa_levels; level->name; level++)
        add_word(out, level->name);
}

static void add_kernels(struct text *out)
{
    for (size_t i = 0; i < kernel_count; i++)
        add_word(out, kernels[i].name);
}

static void add_keys(struct text *out)
{
    size_t count;
    const struct explanation *row = explanations(&count);
    for (size_t i = 0; i < count; i++) {
        char word[80];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(row[i].word, ";"), row[i].word);
        for (char *at = word; *at; at++)
            *at = *at == ' ' ? '-' : *at;
        add_word(out, word);
    }
}

/* Arguments that are no choice of their row, but of a list kept elsewhere. */
static const struct {
    const char *argument;
    void (*add)(struct text *out);
} listed[] = {{"LEVEL", add_levels}, {"KERNEL", add_kernels}, {"[WORD...]", add_keys}};

static void add_listed(struct text *out, const char *argument)
{
    for (size_t i = 0; argument && i < sizeof(listed) / sizeof(listed[0]); i++) {
        if (strcmp(listed[i].argument, argument) == 0)
            listed[i].add(out);
    }
}

/* What an option takes, a blank before each; nothing where that is no choice. */
static void add_words(struct text *out, const struct option_row *row)
{
    add_listed(out, row->argument);
    for (int i = 0; row->choices && row->choices[i]; i++)
        add_word(out, row->choices[i]);
    if (row->choices && row->kind == OPTION_CHOICES)
        add_word(out, "all");
}

/* What a command takes besides options: files, or a key, or, as in "[commands|levels]...", a choice between words. */
static void add_operands(struct text *out, const struct command *command, const char *files,
                         const char *before, const char *after)
{
    const char *at = command->operands ? command->operands : "";
    struct text words = {0};
    if (is_file(at))
        text_add(out, files);
    add_listed(&words, at);
    for (bool choice = strchr(at, '|'); choice && *at; at++) {
        if (!strchr("[].", *at))
            text_add_bytes(&words, *at == '|' ? " " : at, 1);
    }
    if (words.length > 0) {
        text_add(out, before);
        text_add_bytes(out, words.data, words.length);
        text_add(out, after);
    }
    text_free(&words);
}

/* Inside single quotes of a shell; a backslash before what the completion itself would read. */
static void add_quoted(struct text *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            text_add(out, "'\\''");
            continue;
        }
        text_add(out, strchr(special, *text) ? "\\" : "");
        text_add_bytes(out, text, 1);
    }
}

static void each_row(struct text *out, const struct command *command,
                     void (*add)(struct text *, const struct command *, const struct option_row *))
{
    const struct option_parser groups = help_groups(command, NULL, NULL);
    for (int g = 0; g < groups.group_count; g++) {
        for (const struct option_row *row = NULL; (row = option_next(&groups.group[g], row));)
            add(out, command, row);
    }
}

static void add_bash_name(struct text *out, const struct command *command, const struct option_row *row)
{
    text_printf(out, " --%s", row->name);
}

/* What may follow the option, where it takes something. */
static void add_bash_row(struct text *out, const struct command *command, const struct option_row *row)
{
    if (row->kind == OPTION_FLAG || row->kind == OPTION_HELP)
        return;
    text_printf(out, "        --%s", row->name);
    if (row->letter)
        text_printf(out, " | -%c", row->letter);
    text_add(out, ") words='");
    add_words(out, row);
    text_printf(out, "' files=%s ;;\n", is_file(row->argument) ? "1" : "");
}

static void add_bash(struct text *out)
{
    text_add(out,
             "# bash completion for uarchprobe\n"
             "_uarchprobe() {\n"
             "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= words= "
             "files= i\n"
             "    [ \"$cur\" != = ] || cur=\n"
             "    [ \"$prev\" != = ] || prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
             "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
             "        case ${COMP_WORDS[i]} in -*) ;; *) command=${COMP_WORDS[i]} && break ;; esac\n"
             "    done\n"
             "    case $command in\n");
    for (int i = 0; commands[i]; i++) {
        text_printf(out, "    %s)\n        words='", commands[i]->name);
        add_operands(out, commands[i], "", "", "");
        each_row(out, commands[i], add_bash_name);
        text_printf(out, "' files=%s\n        case $prev in\n", is_file(commands[i]->operands) ? "1" : "");
        each_row(out, commands[i], add_bash_row);
        text_add(out, "        esac ;;\n");
    }
    text_add(out, "    '' | help)\n        words='help");
    for (int i = 0; commands[i]; i++)
        text_printf(out, " %s", commands[i]->name);
    each_row(out, NULL, add_bash_name);
    text_add(out,
             "' ;;\n"
             "    esac\n"
             "    local before= -\n"
             "    set -f\n"
             "    case $cur in -*) files= ;; *,*) before=${cur%,*}, ;; esac\n"
             "    COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${cur##*,}\"))\n"
             "    [ -z \"$files\" ] || COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
             "}\n"
             "complete -o filenames -F _uarchprobe uarchprobe\n");
}

/* '(-f --format)'{-f,--format=}'[help]:FORMAT:(human tsv)' */
static void add_zsh_row(struct text *out, const struct command *command, const struct option_row *row)
{
    const bool takes = row->kind != OPTION_FLAG && row->kind != OPTION_HELP;
    if (row->letter)
        text_printf(out, "    '(-%c --%s)'{-%c,--%s%s}'[", row->letter, row->name, row->letter, row->name,
                    takes ? "=" : "");
    else
        text_printf(out, "    '--%s%s[", row->name, takes ? "=" : "");
    add_quoted(out, row->help, "[]:\\");
    text_add(out, "]");
    if (takes) {
        text_printf(out, ":%s:", row->argument);
        struct text words = {0};
        add_words(&words, row);
        text_add(out, is_file(row->argument) ? "_files" : words.length ? "(" : " ");
        text_add_bytes(out, words.data ? words.data : "", words.length);
        text_add(out, words.length ? ")" : "");
        text_free(&words);
    }
    text_add(out, "' \\\n");
}

static void add_zsh(struct text *out)
{
    text_add(out,
             "#compdef uarchprobe\n"
             "local curcontext=$curcontext state line\n"
             "local -a commands\n"
             "commands=(\n");
    for (int i = 0; commands[i]; i++) {
        text_printf(out, "    '%s:", commands[i]->name);
        add_quoted(out, commands[i]->summary, ":\\");
        text_add(out, "'\n");
    }
    text_add(out, ")\n_arguments -C \\\n");
    each_row(out, NULL, add_zsh_row);
    text_add(out,
             "    '1:command:->command' '*::argument:->rest'\n"
             "[ \"$state\" != command ] || _describe command commands\n"
             "[ \"$state\" = rest ] || return\n"
             "case $words[1] in\n");
    for (int i = 0; commands[i]; i++) {
        text_printf(out, "%s) _arguments \\\n", commands[i]->name);
        each_row(out, commands[i], add_zsh_row);
        add_operands(out, commands[i], "    '*:FILE:_files'", "    '*:operand:(", ")'");
        text_add(out, " ;;\n");
    }
    text_add(out, "help) _describe command commands ;;\nesac\n");
}

static void add_fish_row(struct text *out, const struct command *command, const struct option_row *row)
{
    const bool takes = row->kind != OPTION_FLAG && row->kind != OPTION_HELP;
    text_printf(out, "complete -c uarchprobe -n '%s%s' -l %s", command ? "__fish_seen_subcommand_from " : "",
                command ? command->name : "__fish_use_subcommand", row->name);
    if (row->letter)
        text_printf(out, " -s %c", row->letter);
    text_add(out, !takes ? "" : is_file(row->argument) ? " -r -F" : " -x");
    if (takes && !is_file(row->argument)) {
        text_add(out, " -a '");
        add_words(out, row);
        text_add(out, "'");
    }
    text_add(out, " -d '");
    add_quoted(out, row->help, "\\");
    text_add(out, "'\n");
}

static void add_fish(struct text *out)
{
    text_add(out, "# fish completion for uarchprobe\ncomplete -c uarchprobe -f\n");
    for (int i = 0; commands[i]; i++) {
        text_printf(out, "complete -c uarchprobe -n __fish_use_subcommand -a %s -d '", commands[i]->name);
        add_quoted(out, commands[i]->summary, "\\");
        text_add(out, "'\n");
        text_printf(out, "complete -c uarchprobe -n '__fish_seen_subcommand_from %s'", commands[i]->name);
        add_operands(out, commands[i], " -F", " -a '", "'");
        text_add(out, "\n");
    }
    each_row(out, NULL, add_fish_row);
    for (int i = 0; commands[i]; i++)
        each_row(out, commands[i], add_fish_row);
}

void help_add_completion(struct text *out, enum help_kind kind)
{
    if (kind == HELP_BASH)
        add_bash(out);
    else if (kind == HELP_ZSH)
        add_zsh(out);
    else
        add_fish(out);
}
