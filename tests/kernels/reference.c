/* SPDX-License-Identifier: MIT */
#include "reference.h"

uint64_t reference_or(const unsigned char *data, size_t bytes, size_t width)
{
    size_t lane = width < 8 ? width : 8;
    uint64_t all = 0;
    for (size_t i = 0; i < bytes; i++)
        all |= (uint64_t)data[i] << (i % lane * 8);
    return all;
}

uint64_t reference_power(uint64_t base, uint64_t exponent)
{
    uint64_t power = 1;
    for (uint64_t i = 0; i < exponent; i++)
        power *= base;
    return power;
}
