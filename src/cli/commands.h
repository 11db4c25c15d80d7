/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/options.h"
#include "uarchprobe/command.h"

/* --help and --help=KIND; none: not asked for. */
enum help_kind { HELP_NONE = -1, HELP_TEXT, HELP_ALL, HELP_MAN, HELP_BASH, HELP_ZSH, HELP_FISH, HELP_WORDS };

/* Ended by NULL. */
extern const struct command *const commands[];
/* All that a command takes: its own options, those of all commands as far as it honours them, those of the program; their parameters get
 * their defaults. command NULL: the program itself. params and common are NULL where nothing is parsed: without a command that is all that
 * commands share. */
struct option_set command_options(const struct command *command, void *params, struct common *common);
extern const char own_options[]; /* the title of the first group */

/* A column of a table. */
#define COLUMN(name, heading, kind, part)                                                                    \
    {                                                                                                        \
        .key = (name), .title = (heading), .type = CELL_##kind, .role = ROLE_##part                          \
    }
