/* SPDX-License-Identifier: MIT */
/* A growing text and the spellings of values that the formats share. Nothing here depends on the locale. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. data is NULL while empty, else ends with a NUL that length does not count. */
struct text {
    char *data;
    size_t length, capacity;
};

/* Like realloc and calloc, but running out of memory ends the process with exit code 3. */
void *memory_grow(void *memory, size_t bytes);
void *memory_zeroed(size_t count, size_t bytes);
/* Ends the process so. bytes: that were asked for; 0: unknown. */
_Noreturn void memory_exhausted(size_t bytes);
/* Before that, `rescue` saves what there is, and says on standard error what was missing; it may use memory,
 * and where that runs out again, or there is no rescue, `clean` is called, to remove a half-written file.
 * NULL: none. */
void memory_at_exhaustion(void (*clean)(void));
void memory_rescue(void (*rescue)(size_t bytes));
/* A copy with U+FFFD for malformed UTF-8, control characters (C0, DEL, C1) but tabs and line breaks, and
 * characters that turn the direction of others; NULL stays NULL. All texts of a record are such copies. Freed
 * by the caller. */
char *text_copy_valid(const char *from);

void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const char *more, size_t length);
void text_repeat(struct text *text, char byte, size_t count);
void text_vprintf(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Without control characters (C0, DEL, C1, of direction): tabs and line breaks become blanks, others go. */
void text_add_printable(struct text *text, const char *more);
/* Words, a new line of `indent` blanks before one that would end beyond `width`; the line
 * that they begin on has `column` characters already. */
void text_add_wrapped(struct text *text, const char *words, size_t column, size_t indent, size_t width);
void text_free(struct text *text);
/* Gives the bytes to the caller, never NULL, and leaves the text empty. */
char *text_take(struct text *text);

/* At most so many of its leading bytes, which there must be, that no character is cut. */
size_t text_whole(const char *text, size_t bytes);
/* Characters, not bytes; combining and double-width characters are counted as one. */
size_t text_width(const char *text);

/* How many bytes of leading words are at most that wide, the first whatever its width; words end at blanks,
 * but a number and its unit are one. */
size_t text_fit(const char *text, size_t width);

/* To be read: three digits, or all before the point, without zeros at the end: "0.952", "147", "2100". */
void text_add_rounded(struct text *text, double value);
/* An exact size in the largest unit that needs at most two decimals: "64 MiB", "1.5 KiB", "1000 B". */
void text_add_size(struct text *text, int64_t bytes);
/* Rounded to two decimals of the largest unit: "6.34 GiB". */
void text_add_size_rounded(struct text *text, int64_t bytes);
/* "2.6 GHz". */
void text_add_rate(struct text *text, double hertz);
