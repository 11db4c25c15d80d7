/* SPDX-License-Identifier: MIT */
#include "output/scratch.h"

#include <stdlib.h>
#include <string.h>

static void **kept;
static size_t kept_count;

void *scratch_keep(void *memory)
{
    if ((kept_count & (kept_count - 1)) == 0)
        kept = memory_grow(kept, (2 * kept_count + 1) * sizeof(*kept));
    return kept[kept_count++] = memory;
}

void *scratch_new(size_t count, size_t bytes)
{
    return scratch_keep(memory_zeroed(count, bytes));
}

void *scratch_more(void *array, size_t count, size_t bytes)
{
    if ((count & (count - 1)) != 0)
        return array;
    void *more = scratch_new(count ? 2 * count : 1, bytes);
    return count ? memcpy(more, array, count * bytes) : more;
}

char *scratch_text(struct text *text)
{
    return scratch_keep(text_take(text));
}

char *spell(const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    return scratch_text(&text);
}

const char *spell_heading(const char *title, const char *unit)
{
    return spell_line(unit && *unit ? spell("%s [%s]", title, unit) : title);
}

char *spell_line(const char *text)
{
    struct text line = {0};
    text_add_printable(&line, text);
    return scratch_text(&line);
}

void scratch_free(void)
{
    while (kept_count > 0)
        free(kept[--kept_count]);
    free(kept);
    kept = NULL;
}
