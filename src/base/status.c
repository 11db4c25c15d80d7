/* SPDX-License-Identifier: MIT */
#include "uarchprobe/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum status fault_set(struct fault *fault, enum status status, const char *format, ...)
{
    if (fault->status != STATUS_OK)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof(fault->text), format, arguments);
    va_end(arguments);
    /* Texts from command lines and files can hold anything; the message stays one line that no terminal
     * acts upon. */
    char *valid = text_copy_valid(fault->text);
    for (char *at = valid; (at = strpbrk(at, "\t\r\n")); at++)
        *at = '?';
    const size_t length = strlen(valid),
                 shown = length < FAULT_TEXT ? length : text_whole(valid, FAULT_TEXT - 1);
    memcpy(fault->text, valid, shown);
    fault->text[shown] = '\0';
    free(valid);
    fault->status = status;
    return status;
}
