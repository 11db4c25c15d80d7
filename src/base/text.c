/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* STATUS_NO_RESOURCE of status.h, which is made of texts. */
enum { NO_RESOURCE = 3 };

/* A process has one end. */
static void (*clean_up)(void);
static void (*save)(size_t bytes);
static atomic_flag is_ending = ATOMIC_FLAG_INIT;
static pthread_t ending;

void memory_at_exhaustion(void (*clean)(void))
{
    clean_up = clean;
}

void memory_rescue(void (*rescue)(size_t bytes))
{
    save = rescue;
}

_Noreturn void memory_exhausted(size_t bytes)
{
    static const char message[] = "uarchprobe: out of memory\n";
    const bool is_first = !atomic_flag_test_and_set(&is_ending);
    if (is_first) {
        ending = pthread_self();
        if (save) {
            save(bytes);
            _exit(NO_RESOURCE);
        }
    }
    while (!is_first &&
           !pthread_equal(ending, pthread_self())) /* the thread that was first ends the process */
        pause();
    if (clean_up)
        clean_up();
    ssize_t ignored = write(STDERR_FILENO, message, sizeof(message) - 1);
    (void)ignored;
    _exit(NO_RESOURCE);
}

void *memory_grow(void *memory, size_t bytes)
{
    void *grown = realloc(memory, bytes ? bytes : 1);
    if (!grown)
        memory_exhausted(bytes);
    return grown;
}

void *memory_zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes ? bytes : 1);
    if (!memory)
        memory_exhausted(count * bytes);
    return memory;
}

static void text_reserve(struct text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    text->data = memory_grow(text->data, capacity);
    text->capacity = capacity;
}

void text_add_bytes(struct text *text, const char *more, size_t length)
{
    text_reserve(text, length);
    memcpy(text->data + text->length, more, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *more)
{
    text_add_bytes(text, more, strlen(more));
}

void text_repeat(struct text *text, char byte, size_t count)
{
    text_reserve(text, count);
    memset(text->data + text->length, byte, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return;
    text_reserve(text, (size_t)length);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

/* The end, or a blank but that between a number and its unit. */
static bool is_break(const char *text, size_t at)
{
    static const char *const units[] = {"%", "B", "KiB", "MiB", "GiB", "GiB/s", "GHz", "cycles", "ns", "s"};
    if (text[at] != ' ' || at == 0 || text[at - 1] < '0' || text[at - 1] > '9')
        return text[at] == ' ' || !text[at];
    const size_t length = strcspn(text + at + 1, " ,;:.)");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == length && strncmp(units[i], text + at + 1, length) == 0)
            return false;
    return true;
}

void text_add_wrapped(struct text *text, const char *words, size_t column, size_t indent, size_t width)
{
    for (words += strspn(words, " "); *words; column = indent) {
        const size_t fit = text_fit(words, width > column ? width - column : 0);
        text_add_bytes(text, words, fit);
        words += fit + strspn(words + fit, " ");
        if (*words) {
            text_add(text, "\n");
            text_repeat(text, ' ', indent);
        }
    }
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

char *text_take(struct text *text)
{
    text_add(text, "");
    char *data = memory_grow(text->data, text->length + 1);
    *text = (struct text){0};
    return data;
}

/* Length of the well-formed sequence at `at`, 0 if it is malformed: overlong forms, surrogates and values
 * above U+10FFFF are (Unicode, table 3-7). */
static size_t utf8_length(const unsigned char *at)
{
    if (at[0] < 0x80)
        return 1;
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    unsigned char low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

/* Bytes of the character there if a terminal acts upon it: C0 but tab and line breaks, DEL, C1, and
 * characters that turn the direction of others (embeddings, overrides and isolates, U+202A to E and U+2066 to
 * 9). 0: it does not. */
static size_t control_length(const unsigned char *at)
{
    if ((at[0] < 0x20 && at[0] != '\t' && at[0] != '\n' && at[0] != '\r') || at[0] == 0x7f)
        return 1;
    if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
        return 2;
    return at[0] == 0xe2 && ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
                             (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9))
               ? 3
               : 0;
}

char *text_copy_valid(const char *from)
{
    if (!from)
        return NULL;
    struct text copy = {0};
    while (*from) {
        const unsigned char *at = (const unsigned char *)from;
        const size_t length = utf8_length(at);
        if (length && control_length(at) == 0)
            text_add_bytes(&copy, from, length);
        else
            text_add(&copy, "\xef\xbf\xbd");
        from += length ? length : 1;
    }
    return text_take(&copy);
}

void text_add_printable(struct text *text, const char *more)
{
    for (size_t length; *more; more += length ? length : 1) {
        length = control_length((const unsigned char *)more);
        if (*more == '\t' || *more == '\n' || *more == '\r')
            text_add(text, " ");
        else if (length == 0)
            text_add_bytes(text, more, 1);
    }
}

size_t text_whole(const char *text, size_t bytes)
{
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80)
        bytes--;
    return bytes;
}

size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

size_t text_fit(const char *text, size_t width)
{
    size_t fit = 0, used = 0;
    for (size_t i = 0;; i++) {
        if (is_break(text, i)) {
            if (used > width && fit > 0)
                return fit;
            fit = i;
            if (used > width || !text[i])
                return fit;
        }
        used += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
}

void text_add_size(struct text *text, int64_t bytes)
{
    static const struct {
        int64_t base, least;
        const char *names[4];
    } systems[] = {{1024, 1024, {"KiB", "MiB", "GiB", "TiB"}}, {1000, 10000, {"kB", "MB", "GB", "TB"}}};
    for (size_t system = 0; system < 2; system++) {
        const int64_t base = systems[system].base;
        int64_t unit = base * base * base * base;
        for (int power = 3; power >= 0; power--, unit /= base) {
            /* rest < unit <= 2^40: no overflow. */
            const int64_t rest = bytes % unit;
            const int hundredths = (int)(rest * 100 / unit);
            if (bytes < unit || bytes < systems[system].least || rest * 100 % unit)
                continue;
            text_printf(text, "%lld", (long long)(bytes / unit));
            if (hundredths)
                text_printf(text, hundredths % 10 ? ".%02d" : ".%d",
                            hundredths % 10 ? hundredths : hundredths / 10);
            text_printf(text, " %s", systems[system].names[power]);
            return;
        }
    }
    text_printf(text, "%lld B", (long long)bytes);
}

/* Without the zeros at the end of the decimals. */
static void add_decimals(struct text *text, double value, int decimals)
{
    char digits[64];
    snprintf(digits, sizeof(digits), "%.*f", decimals, value);
    size_t length = strlen(digits);
    while (decimals > 0 && digits[length - 1] == '0')
        length--;
    text_add_bytes(text, digits, digits[length - 1] == '.' ? length - 1 : length);
}

void text_add_rounded(struct text *text, double value)
{
    const double size = fabs(value);
    if (value != 0 && (size < 0.1 || size >= 1e15))
        text_printf(text, "%.3g", value);
    else
        add_decimals(text, value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

static void add_in_units(struct text *text, double value, double base, const char *const *names)
{
    size_t power = 0;
    for (; names[power + 1] && value >= fmin(base, 999.5); power++)
        value /= base;
    text_add_rounded(text, value);
    text_printf(text, " %s", names[power]);
}

void text_add_size_rounded(struct text *text, int64_t bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", NULL};
    add_in_units(text, (double)bytes, 1024, names);
}

void text_add_rate(struct text *text, double hertz)
{
    static const char *const names[] = {"Hz", "kHz", "MHz", "GHz", NULL};
    add_in_units(text, hertz, 1000, names);
}
