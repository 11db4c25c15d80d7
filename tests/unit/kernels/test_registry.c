/* SPDX-License-Identifier: MIT */
/* The table of kernels: each row is consistent with itself and with its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "uarchprobe/kernel.h"

static bool has_word(const char *name, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(name, word); at; at = strstr(at + 1, word)) {
        if ((at == name || at[-1] == '_') && (at[length] == '_' || at[length] == '\0'))
            return true;
    }
    return false;
}

static void test_names_are_unique_and_found(void **state)
{
    assert_true(kernel_count > 0);
    for (size_t i = 0; i < kernel_count; i++)
        assert_ptr_equal(kernel_find(kernels[i].name), &kernels[i]);
    assert_null(kernel_find("no_such_kernel"));
    assert_null(kernel_find(""));
}

static void test_entries_are_unique(void **state)
{
    for (size_t i = 0; i < kernel_count; i++) {
        assert_true(kernels[i].entry != NULL);
        for (size_t j = 0; j < i; j++)
            assert_true(kernels[i].entry != kernels[j].entry);
    }
}

static void test_every_enumerator_has_a_name(void **state)
{
    for (int i = 0; i < OPERATION_COUNT; i++)
        assert_non_null(operation_names[i]);
    assert_null(operation_names[OPERATION_COUNT]);
    for (int i = 0; i <= METHOD_REP; i++)
        assert_non_null(method_names[i]);
    assert_null(method_names[METHOD_REP + 1]);
    for (int i = 0; i <= ACCESS_STREAMING; i++)
        assert_non_null(access_names[i]);
    assert_null(access_names[ACCESS_STREAMING + 1]);
}

static void test_every_operation_has_a_kernel_that_runs_anywhere(void **state)
{
    const struct kernel_filter baseline = {.allowed = FEATURE_BIT(SSE2) | FEATURE_BIT(ASIMD)};
    for (int i = 0; i < OPERATION_COUNT; i++)
        if (i != OPERATION_FORWARD_PAIR) /* x86_64 has no such instructions */
            assert_non_null(kernel_next(&baseline, (enum operation)i, NULL));
}

static void test_names_tell_the_facts(void **state)
{
    for (size_t i = 0; i < kernel_count; i++) {
        const struct kernel *kernel = &kernels[i];
        assert_true(strncmp(kernel->name, operation_names[kernel->operation],
                            strlen(operation_names[kernel->operation])) == 0);
        /* What is out of the ordinary is said; the tasks of `ram` say both modes. */
        const bool both = kernel->operation <= OPERATION_READ;
        if (kernel->load > ACCESS_ALIGNED || (both && kernel->load != ACCESS_NONE))
            assert_true(has_word(kernel->name, access_names[kernel->load]));
        if (kernel->store > ACCESS_ALIGNED || (both && kernel->store != ACCESS_NONE))
            assert_true(has_word(kernel->name, access_names[kernel->store]));
        if (both)
            assert_int_equal(kernel->method == METHOD_VECTOR,
                             kernel->load != ACCESS_NONE || kernel->store != ACCESS_NONE);
    }
}

static void test_element_size_is_known_where_it_can_run(void **state)
{
    for (size_t i = 0; i < kernel_count; i++) {
        unsigned bits = kernel_bits(&kernels[i]);
        if (kernels[i].method == METHOD_LIBC)
            assert_int_equal(bits, 0);
        else if (!(kernels[i].needs & ~features_usable()))
            assert_true(bits % 8 == 0 && (bits > 0 || kernels[i].operation == OPERATION_FORWARD_MOVES));
    }
}

/* Modes come in every combination: as many copies as loads times stores, for each vector size. */
static void test_modes_are_complete(void **state)
{
    size_t count[OPERATION_COUNT] = {0};
    for (size_t i = 0; i < kernel_count; i++)
        count[kernels[i].operation] += kernels[i].method == METHOD_VECTOR;
    assert_int_equal(count[OPERATION_COPY], 3 * count[OPERATION_WRITE]);
    assert_int_equal(count[OPERATION_READ], count[OPERATION_WRITE]);
    assert_int_equal(count[OPERATION_AGG_OR], count[OPERATION_READ]);
    assert_int_equal(count[OPERATION_COMPARE], count[OPERATION_READ]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_unique_and_found),
        cmocka_unit_test(test_entries_are_unique),
        cmocka_unit_test(test_every_enumerator_has_a_name),
        cmocka_unit_test(test_every_operation_has_a_kernel_that_runs_anywhere),
        cmocka_unit_test(test_names_tell_the_facts),
        cmocka_unit_test(test_element_size_is_known_where_it_can_run),
        cmocka_unit_test(test_modes_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
