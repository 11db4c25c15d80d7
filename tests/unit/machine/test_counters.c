/* SPDX-License-Identifier: MIT */

#include "machine/counters.h"

#include "test.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

/* Either there is a counter and it rises, or there is a reason why there is none. */
TEST(counter_or_reason)
{
    const char *reason = NULL;
    const int counter = counter_open(0xc0, &reason); /* instructions, on x86 */
    uint64_t first, second;

    assert_int_equal(counter < 0, reason != NULL);
    if (counter < 0)
        return;
    if (counter_read(counter, &first)) {
        assert_true(counter_read(counter, &second));
        assert_true(second >= first);
    }
    close(counter);
    assert_false(counter_read(counter, &first));
}

TEST(small_cores_of_a_hybrid_have_a_type_of_their_own)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/hybrid", 1);
    assert_int_equal(counter_type(3), PERF_TYPE_RAW);
    assert_int_equal(counter_type(4), 10);
    assert_int_equal(counter_type(7), 10);
    assert_int_equal(counter_type(8), 11);
    assert_int_equal(counter_type(9), PERF_TYPE_RAW);
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/bare", 1);
    assert_int_equal(counter_type(4), PERF_TYPE_RAW);
}
