/* SPDX-License-Identifier: MIT */
/* Help, manual and completion, all of it from the option rows that also drive the parsing. */
#pragma once

#include <stdio.h>

#include "base/text.h"
#include "cli/commands.h"

/* command NULL: the program, with the list of commands. A manual page is in the man(7) language,
 * completions are those of the whole program. */
void help_print(FILE *stream, enum help_kind kind, const struct command *command);
/* The script by which a shell asks the program itself: HELP_BASH, _ZSH or _FISH. */
const char *completion_script(enum help_kind shell);
/* The completions of the last of these words of a command line: each in a line, a tab and its meaning
 * behind it. None: a file, or anything. */
void completion_print(FILE *stream, int count, char *const *words);
/* Adds the sentence of a row and, in brackets, its choices, bounds and default. */
void help_option_text(const struct option_row *row, struct text *text);
