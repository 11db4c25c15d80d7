/* SPDX-License-Identifier: MIT */
/* Completion: a shell hands its words to `uarchprobe --help=words WORD...`, so that all of them offer the
 * same. */
#include "cli/help.h"

#include <string.h>

#include "base/text.h"
#include "cli/glossary.h"
#include "uarchprobe/cpu.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/kernel.h"

const char *completion_script(enum help_kind shell)
{
    /* bash takes "=" for a word of its own. */
    static const char bash[] =
        "# bash completion for uarchprobe\n"
        "_uarchprobe() {\n"
        "    mapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" --help=words \"${COMP_WORDS[@]:1:COMP_CWORD}\" "
        "2>/dev/null | cut -f1)\n"
        "}\n"
        "complete -o default -F _uarchprobe uarchprobe\n";
    static const char zsh[] =
        "#compdef uarchprobe\n"
        "local -a offered\n"
        "offered=(${(f)\"$(\"$words[1]\" --help=words \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
        "if (( $#offered )); then\n"
        "    offered=(\"${(@)${(@)offered//:/\\\\:}//$'\\t'/:}\")\n"
        "    _describe uarchprobe offered\n"
        "else\n"
        "    _files\n"
        "fi\n";
    static const char fish[] =
        "# fish completion for uarchprobe\n"
        "function __uarchprobe\n"
        "    set -l typed (commandline -opc)\n"
        "    set -l last (commandline -ct)\n"
        "    set -l offered ($typed[1] --help=words $typed[2..-1] \"$last\" 2>/dev/null)\n"
        "    and set -q offered[1]; and printf '%s\\n' $offered; or __fish_complete_path \"$last\"\n"
        "end\n"
        "complete -c uarchprobe -f -a '(__uarchprobe)'\n";
    return shell == HELP_BASH ? bash : shell == HELP_ZSH ? zsh : fish;
}

/* The word that is completed, and how much of it stays as it is, as in "--task=copy," and "copy,". */
struct typed {
    FILE *stream;
    const char *word, *rest;
};

static void offer(const struct typed *typed, const char *word, const char *meaning)
{
    if (strncmp(word, typed->rest, strlen(typed->rest)) == 0)
        fprintf(typed->stream, "%.*s%s\t%s\n", (int)(typed->rest - typed->word), typed->word, word, meaning);
}

/* The choices of a row, or the words of a list kept elsewhere, for the argument that stands for them. */
static void offer_argument(const struct typed *typed, const char *argument, const char *const *choices)
{
    size_t count;
    for (; choices && *choices; choices++)
        offer(typed, *choices, "");
    if (strcmp(argument, "LEVEL") == 0)
        for (const struct isa_level *level = isa_levels; level->name; level++)
            offer(typed, level->name, "");
    if (strcmp(argument, "KERNEL") == 0)
        for (size_t i = 0; i < kernel_count; i++)
            offer(typed, kernels[i].name, "");
    if (strcmp(argument, "[kernels]") == 0)
        offer(typed, "kernels", "");
    if (strcmp(argument, "[WORD...]") == 0)
        for (const struct explanation *row = explanations(&count), *end = row + count; row < end; row++) {
            char word[EXPLAINED_NAME];
            explained_name(row->word, word);
            for (char *at = word; *at; at++)
                *at = *at == ' ' ? '-' : *at;
            offer(typed, word, row->what);
        }
}

/* Whether the word asks for an argument of that row: "--task", "-t"; of --help an argument is part of the
 * word. */
static bool is_option(const struct option_row *row, const char *word, size_t length)
{
    if (row->kind == OPTION_FLAG || !row->argument)
        return false;
    if (length == 2 && word[0] == '-' && word[1] == row->letter && row->kind != OPTION_HELP)
        return true;
    return length == strlen(row->name) + 2 && strncmp(word, "--", 2) == 0 &&
           strncmp(word + 2, row->name, length - 2) == 0;
}

/* The row of which an argument is completed: of "--task=co", or of "co" behind "--task"; NULL: none. */
static const struct option_row *row_of_argument(const struct option_set *set, const char *last,
                                                const char *before)
{
    const size_t name = strcspn(last, "=");
    for (int i = 0; i < set->count; i++) {
        const struct option_row *row = set->of[i].row;
        if ((last[name] && is_option(row, last, name)) ||
            (row->kind != OPTION_HELP && is_option(row, before, strlen(before))))
            return row;
    }
    return NULL;
}

void completion_print(FILE *stream, int count, char *const *words)
{
    const struct command *command = NULL;
    const char *last = count > 0 ? words[count - 1] : "", *before = count > 1 ? words[count - 2] : "";
    bool help = false;
    for (int i = 0; i < count - 1 && !command; i++) {
        help |= strcmp(words[i], "help") == 0;
        for (int k = 0; commands[k]; k++)
            command = strcmp(commands[k]->name, words[i]) == 0 ? commands[k] : command;
    }
    /* A shell for which "=" is a word. */
    if (strcmp(last, "=") == 0)
        last = "";
    else if (strcmp(before, "=") == 0 && count > 2)
        before = words[count - 3];
    struct common none;
    const struct option_set set = command_options(command, NULL, command ? NULL : &none);
    const struct option_row *row = row_of_argument(&set, last, before);
    struct typed typed = {.stream = stream, .word = last, .rest = last};
    if (row) {
        const char *equals = *last == '-' ? strchr(last, '=') : NULL;
        typed.rest = equals ? equals + 1 : last;
        const char *comma = row->kind == OPTION_CHOICES ? strrchr(typed.rest, ',') : NULL;
        typed.rest = comma ? comma + 1 : typed.rest;
        offer_argument(&typed, row->argument, row->choices);
        if (row->kind == OPTION_CHOICES)
            offer(&typed, "all", "");
        return;
    }
    for (int i = 0; *last == '-' && i < set.count; i++) {
        char option[64];
        snprintf(option, sizeof option, "--%s", set.of[i].row->name);
        offer(&typed, option, set.of[i].row->help);
    }
    for (int i = 0; !command && *last != '-' && commands[i]; i++)
        offer(&typed, commands[i]->name, commands[i]->summary);
    if (!command)
        offer(&typed, "help", "of a command, or of a word");
    else if (command->operands && !help)
        offer_argument(&typed, command->operands, NULL);
    const bool rows = command && command->experiments && !help && *last != '-';
    for (size_t n = 0; rows && experiments_operand(command->experiments, n); n++)
        offer(&typed, experiments_operand(command->experiments, n), "");
}
