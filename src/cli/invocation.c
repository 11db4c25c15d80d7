/* SPDX-License-Identifier: MIT */
#include "cli/invocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "cli/help.h"

static const char program_help[] = "uarchprobe --help";

const struct command *command_find(const char *name, struct fault *fault)
{
    struct suggestion near = {.word = name, .length = strlen(name)};
    for (int i = 0; commands[i]; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
        suggestion_offer(&near, commands[i]->name);
    }
    if (near.best)
        fault_set(fault, STATUS_USAGE, "unknown command %s: did you mean %s? (%s lists them all)",
                  quote(name).text, near.best, program_help);
    else
        fault_set(fault, STATUS_USAGE, "unknown command %s (see %s)", quote(name).text, program_help);
    return NULL;
}

static enum status no_command(struct fault *fault)
{
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; commands[i] && used < sizeof(names); i++)
        used +=
            (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", commands[i]->name);
    return fault_set(fault, STATUS_USAGE,
                     "no command given: usage is uarchprobe COMMAND [OPTION]..., and the "
                     "commands are %s (%s explains them)",
                     names, program_help);
}

/* "help [COMMAND]" is "[COMMAND] --help". */
static enum status parse_help(struct invocation *invocation, int argc, char **argv, struct fault *fault)
{
    if (argc > 2)
        return fault_set(fault, STATUS_USAGE, "unexpected argument %s: help takes one command",
                         quote(argv[2]).text);
    invocation->common.help = HELP_TEXT;
    if (argc < 2)
        return STATUS_OK;
    invocation->command = command_find(argv[1], fault);
    return invocation->command ? STATUS_OK : STATUS_USAGE;
}

static enum status check_operands(const struct invocation *invocation, struct fault *fault)
{
    const struct command *command = invocation->command;
    if (invocation->operand_count == 0 || command->operands || invocation->common.help != HELP_NONE)
        return STATUS_OK;
    return fault_set(fault, STATUS_USAGE,
                     "unexpected argument %s: %s takes options only (uarchprobe %s --help lists them)",
                     quote(invocation->operands[0]).text, command->name, command->name);
}

/* argv[0] is the command's name. */
static enum status parse_command(struct invocation *invocation, int argc, char **argv, struct fault *fault)
{
    const struct command *command = invocation->command;
    char help[64];
    int first;
    invocation->params = calloc(1, command->params_size ? command->params_size : 1);
    if (!invocation->params)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for the options of %s", command->name);
    struct option_parser parser = help_groups(command, invocation->params, &invocation->common);
    snprintf(help, sizeof(help), "uarchprobe %s --help", command->name);
    parser.help_command = help;
    enum status status = options_defaults(&parser, fault);
    if (status == STATUS_OK)
        status = options_parse(&parser, argc, argv, &first, fault);
    if (status != STATUS_OK)
        return status;
    invocation->operand_count = argc - first;
    invocation->operands = argv + first;
    return check_operands(invocation, fault);
}

/* What comes before the command, and the command. */
static enum status parse_words(struct invocation *invocation, struct fault *fault)
{
    struct option_parser parser = help_groups(NULL, NULL, &invocation->common);
    char **words = invocation->words;
    int first, count = invocation->argc;
    parser.help_command = program_help;
    enum status status = options_defaults(&parser, fault);
    if (status == STATUS_OK)
        status = options_parse(&parser, count, words, &first, fault);
    if (status != STATUS_OK || invocation->common.help != HELP_NONE || invocation->common.version)
        return status;
    if (first >= count)
        return no_command(fault);
    if (strcmp(words[first], "help") == 0)
        return parse_help(invocation, count - first, words + first, fault);
    invocation->command = command_find(words[first], fault);
    if (!invocation->command)
        return STATUS_USAGE;
    return parse_command(invocation, count - first, words + first, fault);
}

enum status invocation_parse(struct invocation *invocation, int argc, char *const *argv, struct fault *fault)
{
    invocation->argc = argc;
    invocation->argv = argv;
    invocation->words = calloc((size_t)argc + 1, sizeof(*invocation->words));
    if (!invocation->words)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for the command line");
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
