/* SPDX-License-Identifier: MIT */
#include "machine/sysfile.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_below_root(const char *format, va_list arguments)
{
    char name[PATH_MAX], path[PATH_MAX];
    const char *root = getenv("UARCHPROBE_SYSROOT");
    int length = vsnprintf(name, sizeof(name), format, arguments);

    if (length < 0 || (size_t)length >= sizeof(name))
        return NULL;
    length = snprintf(path, sizeof(path), "%s%s", root ? root : "", name);
    return length < 0 || (size_t)length >= sizeof(path) ? NULL : fopen(path, "re");
}

FILE *sys_open(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    FILE *file = open_below_root(format, arguments);
    va_end(arguments);
    return file;
}

static void copy_trimmed(char *out, size_t size, const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length >= size)
        length = size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

static bool first_line(char *line, size_t size, const char *format, va_list arguments)
{
    char text[4096];
    FILE *file = open_below_root(format, arguments);

    line[0] = '\0';
    if (!file)
        return false;
    if (fgets(text, sizeof(text), file))
        copy_trimmed(line, size, text);
    fclose(file);
    return line[0] != '\0';
}

bool sys_line(char *line, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool found = first_line(line, size, format, arguments);
    va_end(arguments);
    return found;
}

bool text_number(const char *text, uint64_t *value)
{
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, NULL, 10);
    if (errno != 0)
        return false;
    *value = number;
    return true;
}

bool sys_number(uint64_t *value, const char *format, ...)
{
    char line[64];
    va_list arguments;
    va_start(arguments, format);
    bool found = first_line(line, sizeof(line), format, arguments);
    va_end(arguments);
    return found && text_number(line, value);
}

bool sys_field(char *value, size_t size, const char *key, const char *format, ...)
{
    char line[4096];
    const size_t length = strlen(key);
    bool found = false;
    va_list arguments;
    va_start(arguments, format);
    FILE *file = open_below_root(format, arguments);
    va_end(arguments);

    value[0] = '\0';
    while (file && !found && fgets(line, sizeof(line), file)) {
        const char *rest = line + length;
        if (strncmp(line, key, length) != 0 || (*rest != ':' && !isspace((unsigned char)*rest)))
            continue;
        copy_trimmed(value, size, rest + strspn(rest, ": \t"));
        found = value[0] != '\0';
    }
    if (file)
        fclose(file);
    return found;
}
