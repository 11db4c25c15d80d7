/* SPDX-License-Identifier: MIT */
#include "cli/glossary.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/embedded.h"

EMBED(words_table, WORDS_TSV);

const struct explanation *explanations(size_t *count)
{
    static const struct explanation *rows; /* each member is a column */
    static size_t number;
    if (!rows)
        rows = (const void *)embedded_rows(words_table, sizeof *rows / sizeof(char *), &number);
    *count = number;
    return rows;
}

const char *explained_name(const char *list, char name[static EXPLAINED_NAME])
{
    const size_t length = strcspn(list, ";");
    snprintf(name, EXPLAINED_NAME, "%.*s", (int)length, list);
    return list + length + strspn(list + length, "; ");
}

/* A name or a pattern that fits; "Store-Buffer" and "store_buffer" are "store buffer". */
static bool is_named(const struct explanation *row, const char *word)
{
    char name[EXPLAINED_NAME];
    for (const char *list = row->word; *list;) {
        size_t i = 0;
        list = explained_name(list, name);
        while (name[i] && (tolower(word[i]) == tolower(name[i]) ||
                           (word[i] && strchr("-_ ", word[i]) && strchr("-_ ", name[i]))))
            i++;
        if ((!name[i] && !word[i]) || (strchr(name, '*') && fnmatch(name, word, 0) == 0))
            return true;
    }
    return false;
}

const struct explanation *explanation_find(const char *word)
{
    size_t count, length = strlen(word);
    const struct explanation *row = explanations(&count);
    char shorter[EXPLAINED_NAME];
    for (size_t i = 0; i < count; i++)
        if (is_named(&row[i], word))
            return &row[i];
    const size_t comma = strcspn(word, ",;");
    length = comma < length ? comma : length - (length > 1 && strchr("s?.", word[length - 1]));
    if (!word[length] || length >= sizeof shorter)
        return NULL;
    snprintf(shorter, sizeof shorter, "%.*s", (int)length, word);
    return explanation_find(shorter);
}
