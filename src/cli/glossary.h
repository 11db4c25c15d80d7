/* SPDX-License-Identifier: MIT */
/* The rows of data/words.tsv, by word. */
#pragma once

#include <stddef.h>

/* A row of data/words.tsv, which says what its fields hold. */
struct explanation {
    const char *word, *command, *what, *timed, *counted, *moved, *typical, *quantity, *see;
};

const struct explanation *explanations(size_t *count);
enum { EXPLAINED_NAME = 80 };
/* The first name of "store buffer; sb", cut to its size; returns what stands behind it, "" at the end. */
const char *explained_name(const char *list, char name[static EXPLAINED_NAME]);
/* The first row with that word, or a pattern that fits; of "CAS, one L3", which has none, that of "CAS",
 * of "cycles?" that of "cycle"; or NULL. */
const struct explanation *explanation_find(const char *word);
