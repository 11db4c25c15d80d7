/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/ram/ram.h"
#include "uarchprobe/cycles.h"

enum { UNITS_MOST = 3 * RAM_SLICES };

/* A mark in the last byte of what is read is in the result, however the pass is divided. */
TEST(one_pass_reaches_the_end)
{
    const struct kernel_filter any = {0};
    const struct kernel *kernel = kernel_next(&any, OPERATION_AGG_OR, NULL);
    const uint64_t unit = RAM_LINE_MOST * kernel_bits(kernel) / 8;
    unsigned char *data = calloc(UNITS_MOST, unit);
    struct clock clock;
    struct core_clock core_clock;

    clock_calibrate(&clock);
    core_clock_init(&core_clock, &clock);
    for (uint64_t units = 1; units <= UNITS_MOST; units++) {
        struct samples slices = {0};
        struct ram_slicing slicing = {
            .work = {.kernel = kernel, .source = data, .target = data, .bytes = units * unit},
            .slices = &slices};
        double ghz;

        data[units * unit - 1] = 0x80;
        ram_take_slices(&slicing, 1, &core_clock, &ghz);
        assert_true(slicing.result != 0);
        data[units * unit - 1] = 0;
        samples_free(&slices);
    }
    core_clock_free(&core_clock);
    free(data);
}
