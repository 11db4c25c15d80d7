/* SPDX-License-Identifier: MIT */
/* The sled of asm.h: entered for n units it runs n units, and every sled in the table is as long as its row
 * says. */
#include <stdio.h>

#include "checked_call.h"

enum { UNITS = 100 };

extern kernel_entry count_units;
extern const unsigned char count_units_begin[], count_units_end[];

static bool runs_as_many_as_asked(void)
{
    for (uint64_t n = 0; n <= UNITS; n++) {
        uint64_t ran = count_units(NULL, NULL, n, 1, 0, 0);
        if (ran != n) {
            printf("FAILED: %llu units asked for, %llu run\n", (unsigned long long)n,
                   (unsigned long long)ran);
            return false;
        }
    }
    return true;
}

static bool has_whole_units(const char *name, const struct sled *sled)
{
    long bytes = sled->end - sled->begin;
    if (sled->units > 0 && bytes > 0 && bytes % sled->units == 0)
        return true;
    printf("FAILED: the sled of %s has %ld bytes for %u units\n", name, bytes, sled->units);
    return false;
}

int main(void)
{
    const struct sled counted = {count_units_begin, count_units_end, UNITS};
    int passed = 0, failed = 0;
    runs_as_many_as_asked() ? passed++ : failed++;
    has_whole_units("count_units", &counted) ? passed++ : failed++;
    for (size_t i = 0; i < kernel_count; i++) {
        if (kernels[i].sled.begin)
            has_whole_units(kernels[i].name, &kernels[i].sled) ? passed++ : failed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
