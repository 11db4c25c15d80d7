/* SPDX-License-Identifier: MIT */

#include "uarchprobe/random.h"

#include "test.h"

/* From the reference implementation of splitmix64, seed 1234567. */
TEST(it_is_splitmix64)
{
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};
    uint64_t random = 1234567;

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(random_next(&random) == expected[i]);
}

TEST(numbers_stay_below_their_bound)
{
    uint64_t random = 1;
    bool seen[7] = {false};

    for (int i = 0; i < 1000; i++) {
        assert_int_equal(random_below(&random, 1), 0);
        const uint64_t value = random_below(&random, 7);
        assert_true(value < 7);
        seen[value] = true;
        assert_true(random_below(&random, UINT64_C(1) << 32) < UINT64_C(1) << 32);
    }
    for (int i = 0; i < 7; i++)
        assert_true(seen[i]);
}

TEST(an_order_holds_each_number_once)
{
    enum { COUNT = 50, ORDERS = 2000 };
    uint64_t random = 2;
    int first_is_zero = 0;

    random_order(&random, NULL, 0);
    for (int n = 0; n < ORDERS; n++) {
        int order[COUNT];
        bool seen[COUNT] = {false};
        random_order(&random, order, COUNT);
        for (int i = 0; i < COUNT; i++) {
            assert_in_range(order[i], 0, COUNT - 1);
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
        }
        first_is_zero += order[0] == 0;
    }
    /* 40 are expected. */
    assert_in_range(first_is_zero, 10, 90);
}
