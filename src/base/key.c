/* SPDX-License-Identifier: MIT */
#include "base/key.h"

#include <stdbool.h>

void text_add_key(struct text *text, const char *words)
{
    for (; *words; words++) {
        const bool is_upper = *words >= 'A' && *words <= 'Z';
        const char byte = *words == ' ' || *words == '/' ? '_'
                          : is_upper                     ? (char)(*words + 'a' - 'A')
                                                         : *words;
        text_add_bytes(text, &byte, 1);
    }
}
