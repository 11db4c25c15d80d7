/* SPDX-License-Identifier: MIT */
#include "uarchprobe/status.h"

#include <stdarg.h>
#include <stdio.h>

/* Text from the command line can hold anything; the message stays one line that no terminal acts upon. */
static void keep_to_one_line(char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7f)
            *text = '?';
    }
}

enum status fault_set(struct fault *fault, enum status status, const char *format, ...)
{
    if (fault->status != STATUS_OK)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof(fault->text), format, arguments);
    va_end(arguments);
    keep_to_one_line(fault->text);
    fault->status = status;
    return status;
}
