/* SPDX-License-Identifier: MIT */
#include "base/embedded.h"

#include <string.h>

#include "base/text.h"

char **embedded_rows(const char *text, size_t columns, size_t *rows)
{
    size_t lines = 1;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    char **field = memory_zeroed(lines * columns * sizeof *field + strlen(text) + 1, 1), *line;
    char *rest = strcpy((char *)(field + lines * columns), text);
    *rows = 0;
    while ((line = strsep(&rest, "\n")) != NULL) {
        size_t column = 0;
        for (line = line[0] == '#' ? NULL : line; line && column < columns; column++)
            field[*rows * columns + column] = strsep(&line, "\t");
        *rows += column == columns && !line;
    }
    return field;
}
