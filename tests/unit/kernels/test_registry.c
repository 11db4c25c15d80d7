/* SPDX-License-Identifier: MIT */
/* The table of kernels: each row is consistent with itself and with its name. */
#include "test.h"

#include "../../kernels/contracts.h"
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

TEST(test_names_and_entries_are_unique)
{
    assert_true(kernel_count > 0);
    for (size_t i = 0; i < kernel_count; i++) {
        assert_true(kernels[i].entry != NULL);
        for (size_t j = 0; j < i; j++) {
            assert_true(kernels[i].entry != kernels[j].entry);
            assert_string_not_equal(kernels[i].name, kernels[j].name);
        }
    }
}

TEST(test_every_enumerator_has_a_name)
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

TEST(test_every_operation_has_a_kernel_that_runs_anywhere)
{
    const struct kernel_filter baseline = {.allowed = FEATURE_BIT(SSE2) | FEATURE_BIT(ASIMD)};
    const bool aarch64 = features_usable() & FEATURE_BIT(ASIMD);
    for (int i = 0; i < OPERATION_COUNT; i++) {
        const bool here =
            (aarch64 || !facts_of[i].aarch64_only) && i != OPERATION_ZERO; /* no CPU needs to have it */
        if (here != (kernel_next(&baseline, (enum operation)i, NULL) != NULL))
            fail_msg("%s: %s", operation_names[i],
                     here ? "no kernel that runs anywhere" : "one that runs anywhere");
    }
}

/* Each operation has a program that tries its kernels. */
TEST(test_every_operation_has_a_contract_test)
{
    for (int i = 0; i < OPERATION_COUNT; i++)
        if (facts_of[i].contract == CONTRACT_NONE)
            fail_msg("no row of tests/kernels/contracts.h is for %s", operation_names[i]);
}

/* A name begins with what the kernel does, and the modes that it says are those of the row. */
TEST(test_names_tell_the_facts)
{
    for (size_t i = 0; i < kernel_count; i++) {
        const struct kernel *kernel = &kernels[i];
        assert_true(strncmp(kernel->name, operation_names[kernel->operation],
                            strlen(operation_names[kernel->operation])) == 0);
        for (enum access_mode mode = ACCESS_ALIGNED; mode <= ACCESS_STREAMING; mode++)
            if (has_word(kernel->name, access_names[mode]))
                assert_true(kernel->load == mode || kernel->store == mode);
    }
}

TEST(test_element_size_is_known_where_it_can_run)
{
    for (size_t i = 0; i < kernel_count; i++) {
        unsigned bits = kernel_bits(&kernels[i]);
        if (kernels[i].method == METHOD_LIBC)
            assert_int_equal(bits, 0);
        else if (!(kernels[i].needs & ~features_usable()))
            assert_true(bits % 8 == 0 && bits > 0);
    }
}
