/* SPDX-License-Identifier: MIT */
/* Words of the user in messages: quoted at a bounded length, and the known word that is nearest to one. */
#pragma once

#include <stddef.h>

enum { QUOTE_LENGTH = 40 };

struct quoted {
    char text[QUOTE_LENGTH + 8];
};

/* The first QUOTE_LENGTH bytes in single quotes, with "..." where more was left out. */
struct quoted quote_span(const char *text, size_t length);
struct quoted quote(const char *text);
/* "a, b, c" of a NULL-terminated list, cut where it does not fit. */
void join_words(const char *const *words, char *text, size_t size);

/* Zero-initialise but for word and length, offer every known name, then read best: NULL where none is near
 * enough to be meant. Names are borrowed. */
struct suggestion {
    const char *word;
    size_t length;
    const char *best;
    unsigned distance;
};
void suggestion_offer(struct suggestion *suggestion, const char *name);
