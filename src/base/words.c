/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct quoted quote_span(const char *text, size_t length)
{
    struct quoted quoted;
    const bool cut = length > QUOTE_LENGTH;
    const size_t shown = cut ? text_whole(text, QUOTE_LENGTH) : length;
    snprintf(quoted.text, sizeof(quoted.text), "'%.*s%s'", (int)shown, text, cut ? "..." : "");
    return quoted;
}

struct quoted quote(const char *text)
{
    return quote_span(text, strlen(text));
}

void join_words(const char *const *words, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; words[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", words[i]);
}

enum { WORD_MAX = 31 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that make b of a; of lengths beyond WORD_MAX
 * the larger. */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned cost[WORD_MAX + 1][WORD_MAX + 1];
    if (a_length > WORD_MAX || b_length > WORD_MAX)
        return (unsigned)(a_length > b_length ? a_length : b_length);
    for (unsigned i = 0; i <= a_length; i++)
        cost[i][0] = i;
    for (unsigned j = 0; j <= b_length; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        for (size_t j = 1; j <= b_length; j++) {
            unsigned replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least(replace, 1 + least(cost[i - 1][j], cost[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a_length][b_length];
}

void suggestion_offer(struct suggestion *suggestion, const char *name)
{
    enum { PREFIX_MIN = 3, LETTERS_PER_SLIP = 4 };
    size_t length = suggestion->length;
    unsigned distance = edit_distance(suggestion->word, length, name, strlen(name));
    if (length >= PREFIX_MIN && strncmp(name, suggestion->word, length) == 0)
        distance = least(distance, 1);
    if (distance > 1 + length / LETTERS_PER_SLIP || distance >= strlen(name))
        return;
    if (!suggestion->best || distance < suggestion->distance) {
        suggestion->best = name;
        suggestion->distance = distance;
    }
}
