/* SPDX-License-Identifier: MIT */
/* Which event counts a full store buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "bench/sb_capacity/sb_capacity.h"

static uint64_t event(const char *vendor, int family, int model, bool masked)
{
    struct cpu cpu = {.family = family, .model = model, .model_masked = masked};

    snprintf(cpu.vendor, sizeof cpu.vendor, "%s", vendor);
    return sb_stall_event(&cpu);
}

static void by_vendor_and_generation(void **state)
{
    assert_int_equal(event("GenuineIntel", 6, 0x55, false), 0x08a2);
    assert_int_equal(event("GenuineIntel", 6, 0x8f, false), 0x08a2);
    assert_int_equal(event("GenuineIntel", 6, 0xaf, false), 0x0104);
    assert_int_equal(event("AuthenticAMD", 26, 0x02, false), 0x04ae);
    assert_int_equal(event("AuthenticAMD", 21, 0x02, false), 0x00d8);
}

static void none_where_none_is_known(void **state)
{
    assert_int_equal(event("GenuineIntel", 6, 0xad, false), 0);
    assert_int_equal(event("GenuineIntel", 6, 0x55, true), 0);  /* masked: it could be any core */
    assert_int_equal(event("GenuineIntel", 6, 0xbe, false), 0); /* small cores */
    assert_int_equal(event("GenuineIntel", 6, 0x5c, false), 0);
    assert_int_equal(event("GenuineIntel", 6, 0x37, false), 0);
    assert_int_equal(event("AuthenticAMD", 23, 0x01, false), 0);
    assert_int_equal(event("ARM", 0x41, 0xd0c, false), 0);
    assert_int_equal(event("", -1, -1, false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_vendor_and_generation),
        cmocka_unit_test(none_where_none_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
