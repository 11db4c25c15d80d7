/* SPDX-License-Identifier: MIT */
#pragma once

#include "uarchprobe/command.h"

/* --help and --help=KIND; none: not asked for. */
enum help_kind { HELP_NONE = -1, HELP_TEXT, HELP_ALL, HELP_MAN, HELP_BASH, HELP_ZSH, HELP_FISH };

/* Ended by NULL. */
extern const struct command *const commands[];
/* All into struct common, no row twice: of commands, as far as each honours them; of the program itself too
 * (--help, --version). */
extern const struct option_row common_options[];
extern const struct option_row general_options[];

/* A column, and a table of those columns. */
#define COLUMN(name, heading, kind, part)                                                                    \
    {                                                                                                        \
        .key = (name), .title = (heading), .type = CELL_##kind, .role = ROLE_##part                          \
    }
#define TABLE(list, heading, text, of)                                                                       \
    {                                                                                                        \
        .name = (list), .title = (heading), .note = (text), .columns = (of),                                 \
        .column_count = sizeof(of) / sizeof((of)[0])                                                         \
    }
