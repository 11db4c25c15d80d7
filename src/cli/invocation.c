/* SPDX-License-Identifier: MIT */
#include "cli/invocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "cli/explain.h"

static const char program_help[] = "uarchprobe --help";

/* With the nearest name in the fault. */
static const struct command *command_find(const char *name, struct fault *fault)
{
    struct suggestion near = {.word = name, .length = strlen(name)};
    const struct explanation *row = explanation_find(name);
    for (int i = 0; commands[i]; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
        suggestion_offer(&near, commands[i]->name);
    }
    if (row && strcmp(row->command, "-") != 0)
        fault_set(fault, STATUS_USAGE,
                  "unknown command %s: try uarchprobe %s (uarchprobe explain %s: what it means)",
                  quote(name).text, row->command, name);
    else if (near.best)
        fault_set(fault, STATUS_USAGE, "unknown command %s: did you mean %s? (%s lists them all)",
                  quote(name).text, near.best, program_help);
    else
        fault_set(fault, STATUS_USAGE, "unknown command %s (see %s)", quote(name).text, program_help);
    return NULL;
}

static enum status parse_command(struct invocation *invocation, int argc, char **argv, struct fault *fault)
{
    const struct command *command = invocation->command;
    int first;
    invocation->params = memory_zeroed(1, command->params_size);
    struct option_set set = command_options(command, invocation->params, &invocation->common);
    if (options_parse(&set, argc, argv, &first, fault) != STATUS_OK)
        return fault->status;
    invocation->operand_count = argc - first;
    invocation->operands = argv + first;
    if (invocation->operand_count == 0 || command->operands || invocation->common.help != HELP_NONE)
        return STATUS_OK;
    return fault_set(fault, STATUS_USAGE,
                     "unexpected argument %s: %s takes options only (uarchprobe %s --help lists them)",
                     quote(invocation->operands[0]).text, command->name, command->name);
}

/* "help [COMMAND]" is "[COMMAND] --help", "help options" the options that commands share, and "help WORD" is "explain WORD". */
static enum status parse_help(struct invocation *invocation, int argc, char **argv, struct fault *fault)
{
    struct fault unknown = {0};
    invocation->common.help = argc == 2 && strcmp(argv[1], "options") == 0 ? HELP_ALL : HELP_TEXT;
    if (argc < 2 || invocation->common.help == HELP_ALL)
        return STATUS_OK;
    invocation->command = command_find(argv[1], &unknown);
    if (argc == 2 && invocation->command)
        return STATUS_OK;
    invocation->command = command_find("explain", fault);
    invocation->common.help = HELP_NONE;
    return parse_command(invocation, argc, argv, fault);
}

/* What comes before the command, and the command. */
static enum status parse_words(struct invocation *invocation, struct fault *fault)
{
    struct option_set set = command_options(NULL, NULL, &invocation->common);
    char **words = invocation->words;
    int first, count = invocation->argc;
    const enum status status = options_parse(&set, count, words, &first, fault);
    invocation->operand_count = count - first;
    invocation->operands = words + first;
    if (status != STATUS_OK || invocation->common.help != HELP_NONE || invocation->common.version)
        return status;
    if (first >= count)
        return fault_set(fault, STATUS_USAGE,
                         "no command given: usage is uarchprobe COMMAND [OPTION]... (%s lists the commands)",
                         program_help);
    if (strcmp(words[first], "help") == 0)
        return parse_help(invocation, count - first, words + first, fault);
    invocation->command = command_find(words[first], fault);
    if (!invocation->command)
        return STATUS_USAGE;
    return parse_command(invocation, count - first, words + first, fault);
}

char *word_without_folders(const char *word)
{
    struct text bare = {0};
    const char *value = strncmp(word, "--", 2) == 0 ? strchr(word, '=')
                        : word[0] == '-' && word[1] ? word + 1
                                                    : NULL;
    const char *rest = value ? value + 1 : word, *begin = rest;
    for (const char *at = rest; *at; at++) {
        if (*at == '/' && at[1] && at[1] != '/')
            begin = at + 1;
    }
    text_add_bytes(&bare, word, (size_t)(rest - word));
    text_add(&bare, begin);
    return text_take(&bare);
}

enum status invocation_parse(struct invocation *invocation, int argc, char *const *argv, struct fault *fault)
{
    invocation->argc = argc;
    invocation->argv = argv;
    invocation->words = memory_zeroed((size_t)argc + 1, sizeof(*invocation->words));
    memcpy(invocation->words, argv, (size_t)argc * sizeof(*argv));
    return parse_words(invocation, fault);
}

void invocation_free(struct invocation *invocation)
{
    free(invocation->params);
    free(invocation->words);
    invocation->params = NULL;
    invocation->words = NULL;
}
