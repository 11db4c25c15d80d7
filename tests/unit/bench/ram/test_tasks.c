/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/ram/ram.h"

TEST(the_or_is_as_wide_as_the_elements)
{
    const unsigned char source[16] = {[0] = 0x01, [5] = 0x02, [9] = 0x40, [15] = 0x80};
    assert_true(ram_expected_or(source, 16, 1) == 0xc3);
    assert_true(ram_expected_or(source, 16, 4) == UINT64_C(0x80004201));
    assert_true(ram_expected_or(source, 16, 8) == UINT64_C(0x8000020000004001));
    assert_true(ram_expected_or(source, 16, 16) == UINT64_C(0x8000020000004001));
}

TEST(a_rest_shorter_than_eight_bytes_counts)
{
    const unsigned char source[3] = {0x01, 0x02, 0x04};
    assert_true(ram_expected_or(source, 3, 1) == 0x07);
}

TEST(one_other_byte_is_seen)
{
    unsigned char data[64] = {0};
    assert_true(ram_all_bytes_are(data, 64, 0));
    assert_true(ram_all_bytes_are(data, 0, 9));
    data[63] = 1;
    assert_false(ram_all_bytes_are(data, 64, 0));
    assert_false(ram_all_bytes_are(data, 63, 1));
}
