/* SPDX-License-Identifier: MIT */
/* --isa and --kernel on CPUs that this one need not be. */
#include "test.h"

#include "uarchprobe/kernel.h"

/* The lowest and the highest level of this ISA. */
static const struct isa_level *lowest(void)
{
    return isa_levels;
}

static const struct isa_level *highest(void)
{
    const struct isa_level *level = isa_levels;
    while (level[1].name)
        level++;
    return level;
}

/* A kernel that a CPU of the lowest level lacks something for. */
static const struct kernel *advanced_kernel(void)
{
    for (size_t i = 0; i < kernel_count; i++) {
        if (kernels[i].needs & ~lowest()->features)
            return &kernels[i];
    }
    return NULL;
}

static size_t count_passing(const struct kernel_filter *filter)
{
    size_t count = 0;
    for (int operation = 0; operation < OPERATION_COUNT; operation++) {
        const struct kernel *kernel = NULL;
        while ((kernel = kernel_next(filter, (enum operation)operation, kernel))) {
            assert_int_equal(kernel->operation, operation);
            assert_true(kernel_passes(filter, kernel));
            count++;
        }
    }
    return count;
}

TEST(test_no_wish_leaves_all_that_can_run)
{
    struct kernel_filter filter;
    struct fault fault = {0};
    assert_int_equal(kernel_filter_init(&filter, highest()->features, NULL, NULL, &fault), STATUS_OK);
    assert_int_equal(count_passing(&filter), kernel_count);
    assert_int_equal(kernel_filter_init(&filter, lowest()->features, NULL, NULL, &fault), STATUS_OK);
    assert_true(count_passing(&filter) < kernel_count);
    assert_true(count_passing(&filter) > 0);
}

TEST(test_isa_caps)
{
    struct kernel_filter filter;
    struct fault fault = {0};
    assert_int_equal(kernel_filter_init(&filter, highest()->features, lowest()->name, NULL, &fault),
                     STATUS_OK);
    assert_int_equal(filter.allowed, lowest()->features);
    assert_false(kernel_passes(&filter, advanced_kernel()));
}

TEST(test_isa_never_adds)
{
    struct kernel_filter filter;
    struct fault fault = {0};
    assert_int_equal(kernel_filter_init(&filter, 0, lowest()->name, NULL, &fault), STATUS_OK);
    assert_int_equal(filter.allowed, 0);
}

TEST(test_unknown_level_names_the_known_ones)
{
    struct kernel_filter filter;
    struct fault fault = {0};
    assert_int_equal(kernel_filter_init(&filter, highest()->features, "mmx", NULL, &fault), STATUS_USAGE);
    assert_non_null(strstr(fault.text, "mmx"));
    assert_non_null(strstr(fault.text, lowest()->name));
    assert_non_null(strstr(fault.text, highest()->name));
}

TEST(test_level_that_cannot_run_names_those_that_can)
{
    struct kernel_filter filter;
    struct fault fault = {0};
    assert_int_equal(kernel_filter_init(&filter, lowest()->features, highest()->name, NULL, &fault),
                     STATUS_UNSUPPORTED);
    const char *usable = strstr(fault.text, "usable here: ");
    assert_non_null(usable);
    assert_non_null(strstr(usable, lowest()->name));
    assert_null(strstr(usable, highest()->name));
}

TEST(test_pattern_selects)
{
    struct kernel_filter filter;
    struct fault fault = {0};
    assert_int_equal(kernel_filter_init(&filter, highest()->features, NULL, "copy_scalar*", &fault),
                     STATUS_OK);
    assert_int_equal(count_passing(&filter), 4);
    assert_int_equal(kernel_filter_init(&filter, highest()->features, NULL, "read_scalar64", &fault),
                     STATUS_OK);
    assert_int_equal(count_passing(&filter), 1);
}

TEST(test_pattern_without_a_match_is_a_usage_fault)
{
    struct kernel_filter filter;
    struct fault fault = {0};
    assert_int_equal(kernel_filter_init(&filter, highest()->features, NULL, "nothing*", &fault),
                     STATUS_USAGE);
    assert_non_null(strstr(fault.text, "nothing*"));
}

TEST(test_kernel_that_cannot_run_is_named_with_what_it_lacks)
{
    struct kernel_filter filter;
    struct fault fault = {0};
    const char *name = advanced_kernel()->name;
    assert_int_equal(kernel_filter_init(&filter, lowest()->features, NULL, name, &fault), STATUS_UNSUPPORTED);
    assert_non_null(strstr(fault.text, name));
    assert_non_null(strstr(fault.text, "needs "));
    const char *usable = strstr(fault.text, "usable here: ");
    assert_non_null(usable);
    assert_non_null(strstr(usable, "copy_scalar8"));
    assert_null(strchr(fault.text, '\n'));
}

TEST(test_kernel_that_the_cap_excludes_says_so)
{
    struct kernel_filter filter;
    struct fault fault = {0};
    assert_int_equal(
        kernel_filter_init(&filter, highest()->features, lowest()->name, advanced_kernel()->name, &fault),
        STATUS_UNSUPPORTED);
    assert_non_null(strstr(fault.text, "--isa"));
}
