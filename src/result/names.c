/* SPDX-License-Identifier: MIT */
#include "result/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* From the last one, because rows that follow each other are mostly of one class. */
int64_t names_index(struct names *names, const char *name)
{
    for (size_t i = names->count; i-- > 0;) {
        if (strcmp(names->name[i], name) == 0)
            return (int64_t)i;
    }
    names->name = memory_grow(names->name, (names->count + 1) * sizeof(*names->name));
    names->name[names->count] = text_copy_valid(name);
    return (int64_t)names->count++;
}

void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free((void *)(uintptr_t)names->name[i]);
    free(names->name);
    *names = (struct names){0};
}
