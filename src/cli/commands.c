/* SPDX-License-Identifier: MIT */
/* The one list of commands, the options that they share, and a command line taken apart. */
#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "cli/glossary.h"
#include "output/output.h"

/* In the order of --help; `report` runs those that measure. */
#define COMMANDS(X)                                                                                          \
    X(ram)                                                                                                   \
    X(sb_capacity)                                                                                           \
    X(core_latency)                                                                                          \
    X(stlf)                                                                                                  \
    X(capacity)                                                                                              \
    X(cost)                                                                                                  \
    X(info)                                                                                                  \
    X(explain)                                                                                               \
    X(list)                                                                                                  \
    X(report)                                                                                                \
    X(compare)                                                                                               \
    X(check)

#define X(name) extern const struct command name##_command;
COMMANDS(X)
#undef X

const struct command *const commands[] = {
#define X(name) &name##_command,
    COMMANDS(X)
#undef X
        NULL};

static const char *const help_kinds[] = {"text", "all",  "man",   "bash",
                                         "zsh",  "fish", "words", NULL}; /* enum help_kind */

#define FIELD(name) .offset = offsetof(struct common, name)

static const struct option_row common_options[] = {
    {"repeat", 'r', OPTION_COUNT, FIELD(repeat), .argument = "N", .fallback = "auto", .min = 1, .max = 1e6,
     .help = "rounds: every point once, then all again; auto: until the values are stable",
     .honours = HONOURS_REPEAT},
    {"samples", 's', OPTION_COUNT, FIELD(samples), .argument = "N", .fallback = "auto", .min = 1, .max = 1e9,
     .help = "samples of each point in a round; auto: the command's own number", .honours = HONOURS_SAMPLES},
    {"time-budget", 0, OPTION_REAL, FIELD(time_budget), .argument = "SECONDS", .fallback = "auto", .min = 0.1,
     .max = 1e6,
     .help = "the whole measurement ends within this time, and names what it left out; auto: the "
             "command's own limit",
     .honours = HONOURS_TIME_BUDGET},
    {"quick", 0, OPTION_FLAG, FIELD(quick), .help = "fewer points and rounds: seconds instead of minutes",
     .honours = HONOURS_QUICK},
    {"cpus", 'c', OPTION_CPUS, FIELD(cpus), .argument = "LIST", .fallback = "all",
     .help = "CPUs to use, as in 0-3,8 or 0-31:2; all: every CPU that this process may use; all-kinds: the "
             "same, and what measures one core measures one of each kind, as report does",
     .honours = HONOURS_CPUS},
    {"isa", 0, OPTION_TEXT, FIELD(isa), .argument = "LEVEL",
     .help = "only kernels that need no instructions beyond this level (\"uarchprobe list\")",
     .honours = HONOURS_ISA},
    {"kernel", 0, OPTION_TEXT, FIELD(kernel), .argument = "KERNEL",
     .help = "only kernels of this name or shell pattern (\"uarchprobe list\")", .honours = HONOURS_KERNEL},
    {"dry-run", 0, OPTION_FLAG, FIELD(dry_run),
     .help = "show the plan (points, CPUs, time) and measure nothing", .honours = HONOURS_DRY_RUN},
    {"strict", 0, OPTION_FLAG, FIELD(strict), .help = "exit with 5 where a result is not to be trusted",
     .honours = HONOURS_STRICT},
    {"no-progress", 0, OPTION_FLAG, FIELD(no_progress), .help = "no progress line on a terminal",
     .honours = HONOURS_NO_PROGRESS},
    {"verbose", 'v', OPTION_FLAG, FIELD(verbose), .help = "all answers and all tables in the human format",
     .honours = HONOURS_VERBOSE},
    {"quiet", 'q', OPTION_FLAG, FIELD(quiet), .help = "no warnings and no progress line on standard error",
     .honours = HONOURS_QUIET},
    {"format", 'f', OPTION_CHOICE, FIELD(format), .argument = "FORMAT", .choices = format_names,
     .help = "how to write the result; if not given, the extension of --output decides, else the first"},
    {"output", 'o', OPTION_TEXT, FIELD(output), .argument = "FILE",
     .help = "write the result to FILE, whole or not at all, instead of standard output"},
    {"color", 0, OPTION_CHOICE, FIELD(color), .argument = "WHEN", .fallback = "auto", .choices = color_names,
     .help = "colour the human format; auto: on a terminal, unless NO_COLOR is set"},
    {0},
};

static const struct option_row general_options[] = {
    {"help", 'h', OPTION_HELP, FIELD(help), .argument = "KIND", .choices = help_kinds,
     .help = "show a screen of help and exit, as -? does; all: each option in full; man: as the source of a "
             "manual "
             "page; a shell: its completion; words: completions of the last of the words that follow"},
    {"version", 'V', OPTION_FLAG, FIELD(version), .help = "show the version and exit"},
    {0},
};

const char own_options[] = "Options";

struct option_set command_options(const struct command *command, void *params, struct common *common)
{
    struct option_set set = {.command = command ? command->name : NULL, .common = command ? common : NULL};
    if (command)
        options_add(&set, command->options, params, own_options, 0);
    if (command || !common)
        options_add(&set, common_options, common, "Common options", command ? command->honours : ~0u);
    options_add(&set, general_options, common, "General options", 0);
    return set;
}

static const char program_help[] = "uarchprobe --help";

/* With the nearest name in the fault. */
static const struct command *command_find(const char *name, struct fault *fault)
{
    struct suggestion near = {.word = name, .length = strlen(name)};
    for (int i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    const struct explanation *row = explanation_find(name);
    for (int i = 0; commands[i]; i++)
        suggestion_offer(&near, commands[i]->name);
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

/* "help [COMMAND]" is "[COMMAND] --help", "help options" the options that commands share, and "help WORD"
 * is "explain WORD". */
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

enum status invocation_parse(struct invocation *invocation, int argc, char *const *argv, struct fault *fault)
{
    invocation->argc = argc;
    invocation->argv = argv;
    invocation->words = memory_zeroed((size_t)argc + 1, sizeof(*invocation->words));
    memcpy(invocation->words, argv, (size_t)argc * sizeof(*argv));
    struct option_set set = command_options(NULL, NULL, &invocation->common);
    char **words = invocation->words;
    int first, count = argc;
    const enum status status = options_parse(&set, count, words, &first, fault);
    invocation->operand_count = count - first;
    invocation->operands = words + first;
    if (status != STATUS_OK || invocation->common.help != HELP_NONE || invocation->common.version)
        return status;
    if (first >= count)
        return STATUS_USAGE;
    if (strcmp(words[first], "help") == 0)
        return parse_help(invocation, count - first, words + first, fault);
    invocation->command = command_find(words[first], fault);
    if (!invocation->command)
        return STATUS_USAGE;
    return parse_command(invocation, count - first, words + first, fault);
}

void invocation_free(struct invocation *invocation)
{
    free(invocation->params);
    free(invocation->words);
    invocation->params = NULL;
    invocation->words = NULL;
}
