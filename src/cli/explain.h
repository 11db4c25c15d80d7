/* SPDX-License-Identifier: MIT */
/* What keys and words mean. */
#pragma once

#include "cli/commands.h"

/* A row of data/words.tsv, which says what its fields hold. */
struct explanation {
    const char *word, *command, *what, *timed, *counted, *moved, *typical, *quantity, *see;
};

const struct explanation *explanations(size_t *count);
/* The first row with that word, or a pattern that fits; of "CAS, one L3", which has none, that of "CAS"; or NULL. */
const struct explanation *explanation_find(const char *word);
