/* SPDX-License-Identifier: MIT */
/* What every cmocka program includes: TEST(name) { ... } declares a test and adds it to those that main runs. */
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

/* Once in a file: what runs before the first and after the last test; either may be NULL. */
#define AROUND_ALL(before, after)                                                                            \
    __attribute__((constructor)) static void set_around_all(void)                                            \
    {                                                                                                        \
        before_all = before;                                                                                 \
        after_all = after;                                                                                   \
    }

/* Once in a file: what runs before and after each test. */
#define AROUND_EACH(before, after)                                                                           \
    __attribute__((constructor)) static void set_around_each(void)                                           \
    {                                                                                                        \
        before_each = before;                                                                                \
        after_each = after;                                                                                  \
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
        tests[i].teardown_func = after_each;
    }
    return _cmocka_run_group_tests("tests", tests, test_count, before_all, after_all);
}
