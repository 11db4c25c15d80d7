/* SPDX-License-Identifier: MIT */
/* The sled of asm.h: entered for n units it runs n units, and every sled in the table is as long as its row
 * says. */
#include "test.h"

#include "checked_call.h"

enum { UNITS = 100 };

extern kernel_entry count_units;
extern const unsigned char count_units_begin[], count_units_end[];

static void has_whole_units(const char *name, const struct sled *sled)
{
    const long bytes = sled->end - sled->begin;
    if (sled->units == 0 || bytes <= 0 || bytes % sled->units != 0)
        fail_msg("the sled of %s has %ld bytes for %u units", name, bytes, sled->units);
}

TEST(as_many_units_run_as_asked_for)
{
    for (uint64_t n = 0; n <= UNITS; n++)
        assert_int_equal(count_units(NULL, NULL, n, 1, 0, 0), n);
}

TEST(sleds_have_whole_units)
{
    has_whole_units("count_units", &(struct sled){count_units_begin, count_units_end, UNITS});
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].sled.begin)
            has_whole_units(kernels[i].name, &kernels[i].sled);
}
