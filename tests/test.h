/* SPDX-License-Identifier: MIT */
/* For every cmocka program: TEST(name) { ... } declares a test and adds it to those that main runs. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct CMUnitTest tests[64];
static size_t test_count;
static CMFixtureFunction before_all, after_all, before_each, after_each;

#define TEST(test)                                                                                           \
    static void test(void **state);                                                                          \
    __attribute__((constructor)) static void add_##test(void)                                                \
    {                                                                                                        \
        tests[test_count++] = (struct CMUnitTest)cmocka_unit_test(test);                                     \
    }                                                                                                        \
    static void test(void **state)

/* Once in a file: runs before the first and after the last test; either may be NULL. */
#define AROUND_ALL(before, after)                                                                            \
    __attribute__((constructor)) static void set_around_all(void)                                            \
    {                                                                                                        \
        before_all = before;                                                                                 \
        after_all = after;                                                                                   \
    }

/* Once in a file: runs before and after each test. */
#define AROUND_EACH(before, after)                                                                           \
    __attribute__((constructor)) static void set_around_each(void)                                           \
    {                                                                                                        \
        before_each = before;                                                                                \
        after_each = after;                                                                                  \
    }

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Frees what a test made, the last first, whether it passes or fails. */
static struct owned {
    void (*release)(void *thing, size_t count);
    void *thing;
    size_t count;
} * owned;
static size_t owned_count;

static inline void *own(void *thing, size_t count, void (*release)(void *thing, size_t count))
{
    owned = realloc(owned, (owned_count + 1) * sizeof(*owned));
    owned[owned_count++] = (struct owned){release, thing, count};
    return thing;
}

static inline void release_bytes(void *bytes, size_t count)
{
    free(bytes);
}

/* A text of the heap that the test owns from now on. */
static inline char *own_text(char *text)
{
    return own(text, 1, release_bytes);
}

/* The text of a file, which the test owns. NULL: the file is missing. */
static inline char *file_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t length = 0;
    for (size_t room = 4096, got = 1; got > 0; length += got, room *= 2) {
        text = realloc(text, length + room + 1);
        assert_non_null(text);
        got = fread(text + length, 1, room, file);
    }
    text[length] = 0;
    fclose(file);
    return own_text(text);
}

static inline void assert_has(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("no '%s' in '%s'", part, text ? text : "(nothing)");
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' in '%s'", part, text);
}

/* cmocka's own takes NaN for equal to any number. */
#undef assert_float_equal
#define assert_float_equal(value, expected, apart)                                                           \
    assert_near((double)(value), (double)(expected), (double)(apart), __FILE__, __LINE__)
static inline void assert_near(double value, double expected, double apart, const char *file, int line)
{
    if (!(fabs(value - expected) <= apart)) {
        print_error("%.9g is not %.9g, give or take %.3g\n", value, expected, apart);
        _fail(file, line);
    }
}

static inline size_t occurrences(const char *text, const char *of)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, of)); at += strlen(of))
        count++;
    return count;
}

static int end_test(void **state)
{
    const int result = after_each ? after_each(state) : 0;
    while (owned_count > 0) {
        const struct owned *last = &owned[--owned_count];
        last->release(last->thing, last->count);
    }
    free(owned);
    owned = NULL;
    return result;
}

/* cmocka's skip() with a reason, which scripts/test shows. */
#define SKIP_BECAUSE(reason)                                                                                 \
    do {                                                                                                     \
        print_message("skipped: %s\n", reason);                                                              \
        skip();                                                                                              \
    } while (0)

int main(void)
{
    for (size_t i = 0; i < test_count; i++) {
        tests[i].setup_func = before_each;
        tests[i].teardown_func = end_test;
    }
    return _cmocka_run_group_tests("tests", tests, test_count, before_all, after_all);
}
