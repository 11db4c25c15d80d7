/* SPDX-License-Identifier: MIT */
#include "base/embedded.h"

#include <string.h>

#include "base/text.h"

char **embedded_rows(const char *text, size_t columns, size_t *rows)
{
    const size_t bytes = strlen(text) + 1;
    char *rest = memcpy(memory_grow(NULL, bytes), text, bytes), *line, **field = NULL;
    *rows = 0;
    while ((line = strsep(&rest, "\n")) != NULL) {
        size_t column = 0;
        field = memory_grow(field, (*rows + 1) * columns * sizeof *field);
        for (line = line[0] == '#' ? NULL : line; line && column < columns; column++)
            field[*rows * columns + column] = strsep(&line, "\t");
        *rows += column == columns && !line;
    }
    return field;
}
