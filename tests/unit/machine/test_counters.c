/* SPDX-License-Identifier: MIT */

#include "machine/counters.h"

#include "test.h"

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
