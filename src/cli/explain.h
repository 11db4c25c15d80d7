/* SPDX-License-Identifier: MIT */
#pragma once

#include "cli/commands.h"

/* What an answer of that key means and, in *command, who makes it: NULL where it holds of all of them. NULL: nobody
 * explains it. */
const struct explanation *explanation_find(const char *key, const struct command **command);
/* All that it explains, ended by a NULL key; command NULL: what holds of all of them. */
const struct explanation *explanations_of(const struct command *command);
