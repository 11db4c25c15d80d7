/* SPDX-License-Identifier: MIT */
#include "ram.h"

#include <string.h>

uint64_t ram_expected_or(const unsigned char *source, uint64_t bytes, unsigned width)
{
    uint64_t all = 0, word;
    uint64_t at = 0;
    for (; at + 8 <= bytes; at += 8) {
        memcpy(&word, source + at, 8);
        all |= word;
    }
    for (unsigned shift = 0; at < bytes; at++, shift += 8)
        all |= (uint64_t)source[at] << shift;
    for (unsigned bits = 32; bits >= 8 * width; bits /= 2)
        all = (all | all >> bits) & ((UINT64_C(1) << bits) - 1);
    return all;
}

bool ram_all_bytes_are(const unsigned char *data, uint64_t bytes, unsigned char value)
{
    return bytes == 0 || (data[0] == value && memcmp(data, data + 1, bytes - 1) == 0);
}
