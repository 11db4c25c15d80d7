/* SPDX-License-Identifier: MIT */
#include "base/text_file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* U+FEFF in UTF-8. */
static const char MARK[] = "\xef\xbb\xbf";
enum { MARK_BYTES = 3, UTF_16_BYTES = 2 };

/* UTF-16 begins with a mark, or with a character of ASCII, whose other byte is 0. */
static bool is_utf_16(const unsigned char *head)
{
    return (head[0] == 0xff && head[1] == 0xfe) || (head[0] == 0xfe && head[1] == 0xff) ||
           (head[0] == 0) != (head[1] == 0);
}

FILE *text_file_open(const char *path, struct fault *fault)
{
    unsigned char head[MARK_BYTES] = {0};
    int byte;
    size_t length = 0;
    FILE *file = fopen(path, "re");
    if (!file) {
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    /* A pipe cannot seek: no more is read than tells what it is. */
    while (length < (head[0] == 0xef ? MARK_BYTES : UTF_16_BYTES) && (byte = getc(file)) != EOF)
        head[length++] = (unsigned char)byte;
    if (length >= UTF_16_BYTES && is_utf_16(head)) {
        fault_set(fault, STATUS_USAGE,
                  "'%s' is text in UTF-16: write it in UTF-8, as iconv -f UTF-16 -t UTF-8 does", path);
        fclose(file);
        return NULL;
    }
    clearerr(file);
    if (length == MARK_BYTES && memcmp(head, MARK, MARK_BYTES) == 0)
        return file;
    while (length > 0)
        ungetc(head[--length], file);
    return file;
}
