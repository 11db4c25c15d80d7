/* SPDX-License-Identifier: MIT */
/* What is said of a capacity. */
#include "test.h"

#include "bench/sb_capacity/sb_capacity.h"

struct said {
    struct record *record;
    const struct answer *entries, *state;
    const struct cell *published;
    struct conditions conditions;
};

static const struct answer *find(const struct record *record, const char *key)
{
    for (size_t i = 0; i < record_answer_count(record); i++)
        if (strcmp(record_answer_at(record, i)->key, key) == 0)
            return record_answer_at(record, i);
    return NULL;
}

static bool certain; /* the published size is that of this very core */

static struct said say_of_range(const struct capacity *capacity, size_t documented, size_t last, bool masked)
{
    static struct cpu cpu;
    struct said said = {.record = record_new()};
    struct run run = {.record = said.record, .cpu = &cpu};
    const struct sb_bench bench = {
        .run = &run, .core = documented > 0 ? "Zen 5" : NULL, .expected = {.entries = documented}};
    struct sb_sweeps sweeps = {.bench = &bench,
                               .last = last,
                               .published = {.entries = documented, .certain = certain},
                               .capacity = *capacity};

    cpu = (struct cpu){.model_masked = masked};
    sweeps.capacity.opinion = OPINION_AGREES;
    sweeps.capacity.proved = capacity->half_seen || (certain && capacity->entries == documented);
    sb_capacity_answers(&sweeps, "of a reason");
    said.entries = find(said.record, "store_buffer.entries");
    said.state = find(said.record, "store_buffer.state");
    said.conditions = record_conditions(said.record);
    assert_non_null(said.entries);
    said.published = &said.entries->published.value;
    return said;
}

static struct said say(const struct capacity *capacity, size_t documented, bool masked)
{
    return say_of_range(capacity, documented, 2 * capacity->entries + 16, masked);
}

static struct capacity capacity_of(enum buffer_state state, size_t entries, size_t full, size_t halved)
{
    return (struct capacity){.state = state,
                             .entries = entries,
                             .sweeps = full + halved,
                             .full = full,
                             .halved = halved,
                             .halved_share = (double)halved / (double)(full + halved),
                             .agreement = {.share = 1, .least = 1},
                             .half_seen = state == BUFFER_MIXED};
}

TEST(full_and_as_published)
{
    const struct capacity capacity = capacity_of(BUFFER_FULL, 104, 500, 0);
    certain = true;
    struct said said = say(&capacity, 104, false);
    certain = false;

    assert_int_equal(said.entries->value.integer, 104);
    assert_int_equal(said.entries->trust, TRUST_HIGH);
    assert_true(said.entries->within_absolute == 1 && said.entries->within == 0);
    assert_true(said.state->within_absolute == 0); /* a word has none */
    assert_string_equal(said.state->value.text, "full");
    assert_int_equal(said.published->integer, 104);
    assert_true(said.conditions.sibling_share == 0 && said.conditions.sibling_readings == 500);
    record_free(said.record);
}

/* The model number is the guest's story, and what is measured may be the half of another core's. */
TEST(in_a_guest_an_equal_number_proves_nothing)
{
    const struct capacity capacity = capacity_of(BUFFER_FULL, 104, 1000, 0);
    struct said said = say(&capacity, 104, false);

    assert_int_equal(said.entries->trust, TRUST_MEDIUM);
    assert_string_equal(said.state->value.text, "unproved");
    assert_int_equal(said.published->integer, 104);
    assert_true(isnan(said.conditions.sibling_share));
    record_free(said.record);
}

TEST(the_minimum_tells_what_few_sweeps_saw)
{
    struct capacity capacity = capacity_of(BUFFER_MIXED, 104, 3, 900);

    capacity.by_minimum = true;
    struct said said = say(&capacity, 0, false);
    assert_int_equal(said.entries->value.integer, 104);
    assert_non_null(strstr(said.entries->text, "in the minimum over 903 sweeps, halved to 52 in 900"));
    record_free(said.record);
}

TEST(halved_throughout_says_so_and_what_was_measured)
{
    const struct capacity capacity = capacity_of(BUFFER_HALVED, 52, 0, 900);
    struct said said = say(&capacity, 104, false);

    assert_int_equal(said.entries->value.integer, 52);
    assert_non_null(strstr(said.entries->text, "measured 52 = half of the published 104"));
    assert_string_equal(said.state->value.text, "halved");
    assert_true(said.conditions.sibling_share == 1 && said.conditions.sibling_readings == 900);
    record_free(said.record);
}

TEST(mixed_tells_the_share)
{
    const struct capacity capacity = capacity_of(BUFFER_MIXED, 104, 160, 19200);
    struct said said = say(&capacity, 0, false);

    assert_int_equal(said.entries->value.integer, 104);
    assert_int_equal(said.entries->trust, TRUST_HIGH);
    assert_non_null(strstr(said.entries->text, "halved to 52"));
    assert_string_equal(said.state->value.text, "mixed");
    assert_non_null(strstr(said.state->text, "99.2 %"));
    record_free(said.record);
}

TEST(unproved_is_trusted_less)
{
    const struct capacity capacity = capacity_of(BUFFER_FULL, 52, 1000, 0);
    struct said said = say(&capacity, 0, true);

    assert_int_equal(said.entries->trust, TRUST_MEDIUM);
    assert_string_equal(said.state->value.text, "unproved");
    assert_int_equal(said.published->type, CELL_NULL);
    assert_true(isnan(said.conditions.sibling_share));
    record_free(said.record);
}

TEST(another_number_is_named)
{
    struct capacity capacity = capacity_of(BUFFER_MIXED, 192, 700, 200);

    capacity.agreement.other = 174;
    capacity.agreement.other_share = 0.1;
    struct said said = say(&capacity, 0, false);
    assert_int_equal(said.entries->value.integer, 192);
    assert_int_equal(said.entries->trust, TRUST_MEDIUM);
    assert_non_null(strstr(said.entries->text, "174 in 10 %"));
    record_free(said.record);
}

/* What no sweep could see was not excluded. */
TEST(nothing_is_said_beyond_the_range)
{
    const struct capacity capacity = capacity_of(BUFFER_FULL, 52, 1000, 0);
    struct said said = say_of_range(&capacity, 104, 80, false);

    assert_string_equal(said.state->value.text, "unproved");
    assert_non_null(strstr(said.state->text, "beyond the range"));
    assert_null(strstr(said.state->text, "104"));
    assert_true(isnan(said.conditions.sibling_share));
    record_free(said.record);
}

TEST(unresolved_has_a_reason_and_no_number)
{
    const struct capacity capacity = {.state = BUFFER_UNRESOLVED, .entries = 90, .sweeps = 300};
    struct said said = say(&capacity, 104, false);

    assert_int_equal(said.entries->value.type, CELL_NULL);
    assert_int_equal(said.entries->trust, TRUST_LOW);
    assert_non_null(strstr(said.entries->text, "not resolved, because of a reason"));
    assert_null(strstr(said.entries->text, "90"));
    assert_null(said.state);
    assert_true(isnan(said.conditions.sibling_share));
    assert_true(record_has_low_trust(said.record));
    record_free(said.record);
}
