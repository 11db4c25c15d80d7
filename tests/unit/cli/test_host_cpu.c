/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/host.h"

static void test_emulation_is_a_condition_of_the_run(void **state)
{
    for (int emulated = 0; emulated < 2; emulated++) {
        const struct cpu cpu = {.family = -1, .model = -1, .stepping = -1, .emulated = emulated};
        struct record *record = record_new();

        host_cpu_record(&cpu, record);
        assert_int_equal(record_fact_find(record, RECORD_EMULATED)->value.boolean, emulated);
        assert_null(record_fact_find(record, "host.cpu.codename_libcpuid")->title);
        record_free(record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_emulation_is_a_condition_of_the_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
