/* SPDX-License-Identifier: MIT */
/* The witness on whatever machine this is: shares are shares, and nothing is known that was not seen. */

#include "uarchprobe/sibling.h"

#include "test.h"

TEST(without_a_witness_nothing_is_known)
{
    struct record *record = record_new();

    assert_int_equal(sibling_sample(NULL), STATE_UNKNOWN);
    sibling_record(NULL, record);
    assert_true(isnan(record_conditions(record).sibling_share));
    assert_int_equal(record_warning_count(record), 0);
    sibling_free(NULL);
    record_free(record);
}

TEST(an_emulator_has_no_witness)
{
    const struct cpu cpu = {.features = features_usable(), .family = -1, .model = -1, .emulated = true};
    const struct clock clock = {.ns_per_tick = 1, .resolution_ns = 1};

    assert_null(sibling_new(&cpu, &clock));
}

TEST(an_unused_witness_knows_nothing)
{
    const struct cpu cpu = {.features = features_usable(), .family = -1, .model = -1};
    const struct clock clock = {.ns_per_tick = 1, .resolution_ns = 1};
    struct sibling *sibling = sibling_new(&cpu, &clock);
    struct record *record = record_new();

    assert_non_null(sibling);
    sibling_record(sibling, record);
    assert_true(isnan(record_conditions(record).sibling_share));
    sibling_free(sibling);
    record_free(record);
}

TEST(samples_become_a_share_or_nothing)
{
    const struct cpu cpu = {.features = features_usable(), .family = -1, .model = -1};
    const struct clock clock = {.ns_per_tick = 1, .resolution_ns = 1};
    struct sibling *sibling = sibling_new(&cpu, &clock);
    struct record *record = record_new();

    for (int i = 0; i < 20; i++) {
        enum state reading = sibling_sample(sibling);

        assert_true(reading == STATE_UNKNOWN || reading == STATE_IDLE || reading == STATE_ACTIVE);
    }
    sibling_record(sibling, record);
    const struct conditions seen = record_conditions(record);
    assert_true(isnan(seen.sibling_share) || (seen.sibling_share >= 0 && seen.sibling_share <= 1));
    /* Where no store buffer shows, as in an emulator, no reading counts. */
    assert_true(seen.sibling_readings == 0 ? isnan(seen.sibling_share) : seen.sibling_readings >= 20);
    sibling_free(sibling);
    record_free(record);
}
