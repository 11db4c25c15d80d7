/* SPDX-License-Identifier: MIT */
/* Help text, all of it from the option rows that also drive the parsing. */
#pragma once

#include <stdio.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"

/* The groups of a command's rows in the order of its help: own ones, common ones, general ones. params and
 * common may be NULL when nothing is parsed. command NULL: the program itself. */
struct option_parser help_groups(const struct command *command, void *params, struct common *common);
/* command NULL: the program, with the list of commands. */
void help_print(FILE *stream, enum help_kind kind, const struct command *command);
/* What each kind prints: a manual page is in the man(7) language, completions are those of the whole program. */
void help_add_man(struct text *out, const struct command *command);
void help_add_completion(struct text *out, enum help_kind kind);
/* What its exit codes mean; command NULL: those of most. */
const char *help_exit_status(const struct command *command);
/* "  -r, --repeat N" without the indent. */
void help_option_head(const struct option_row *row, char *text, size_t size);
/* Adds its sentence and, in brackets, what else is to be known: choices, bounds, default. */
void help_option_text(const struct option_row *row, struct text *text);
