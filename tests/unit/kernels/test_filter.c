/* SPDX-License-Identifier: MIT */
/* --isa and --kernel on any CPU. */
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

/* A kernel that needs more than a CPU of the lowest level has. */
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

static struct kernel_filter filter;
static struct fault fault;

static enum status init(feature_set features, const char *isa, const char *pattern)
{
    fault = (struct fault){0};
    return kernel_filter_init(&filter, features, isa, pattern, &fault);
}

TEST(test_what_is_wished_for_is_left)
{
    assert_int_equal(init(highest()->features, NULL, NULL), STATUS_OK);
    assert_int_equal(count_passing(&filter), kernel_count);
    assert_int_equal(init(lowest()->features, NULL, NULL), STATUS_OK);
    assert_in_range(count_passing(&filter), 1, kernel_count - 1);
    assert_int_equal(init(highest()->features, NULL, "copy_scalar*"), STATUS_OK);
    assert_int_equal(count_passing(&filter), 4);
    assert_int_equal(init(highest()->features, NULL, "read_scalar64"), STATUS_OK);
    assert_int_equal(count_passing(&filter), 1);
}

TEST(test_isa_caps_and_never_adds)
{
    assert_int_equal(init(highest()->features, lowest()->name, NULL), STATUS_OK);
    assert_int_equal(filter.allowed, lowest()->features);
    assert_false(kernel_passes(&filter, advanced_kernel()));
    assert_int_equal(init(0, lowest()->name, NULL), STATUS_OK);
    assert_int_equal(filter.allowed, 0);
}

/* A fault names the value and a way out. */
TEST(test_what_cannot_be_had_is_a_fault)
{
    const char *const low = lowest()->name, *const high = highest()->name,
                      *const name = advanced_kernel()->name;
    const struct {
        const struct isa_level *here;
        const char *isa, *pattern;
        enum status status;
        const char *named[4];
    } cases[] = {
        {highest(), "mmx", NULL, STATUS_USAGE, {"mmx", low, high}},
        {highest(), NULL, "nothing*", STATUS_USAGE, {"nothing*"}},
        {lowest(), high, NULL, STATUS_UNSUPPORTED, {"usable here: ", low}},
        {lowest(), NULL, name, STATUS_UNSUPPORTED, {name, "needs ", "usable here: ", "copy_scalar8"}},
        {highest(), low, name, STATUS_UNSUPPORTED, {"--isa"}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(init(cases[i].here->features, cases[i].isa, cases[i].pattern), cases[i].status);
        for (int k = 0; k < 4 && cases[i].named[k]; k++)
            assert_has(fault.text, cases[i].named[k]);
        assert_lacks(fault.text, "\n");
        if (i == 2)
            assert_lacks(strstr(fault.text, "usable here: "), high);
    }
}
