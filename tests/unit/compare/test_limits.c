/* SPDX-License-Identifier: MIT */

#include "compare/limits.h"

#include "test.h"

static struct answer rate(double gib, enum trust trust)
{
    const double value = gib * 1073741824.0;
    return (struct answer){.key = "ram.DRAM.read",
                           .unit = "Byte/s",
                           .value = REAL_CELL(value),
                           .low = REAL_CELL(0.95 * value),
                           .high = REAL_CELL(1.05 * value),
                           .trust = trust};
}

TEST(lines_are_read)
{
    struct limit limit;
    assert_true(limit_parse("ram.DRAM.read >= 20 GiB/s\n", &limit));
    assert_string_equal(limit.key, "ram.DRAM.read");
    assert_string_equal(limit.unit, "GiB/s");
    assert_true(limit.sign == '>' && limit.value == 20);
    assert_true(limit_parse("store_buffer.entries = 112 # entries", &limit));
    assert_true(limit.sign == '=' && !limit.unit[0]);
    assert_true(limit_parse("  # nothing\n", &limit) && !limit.key[0]);
    assert_true(limit_parse("", &limit) && !limit.key[0]);
    assert_true(limit_parse("stlf.forwarded <= 8 core cycles \t# as it is printed\n", &limit));
    assert_string_equal(limit.unit, "core cycles");
    assert_false(limit_parse("stlf.forwarded <= 8 cycles core", &limit));
    assert_false(limit_parse("ram.DRAM.read 20", &limit));
    assert_false(limit_parse("ram.DRAM.read >= much", &limit));
    assert_false(limit_parse("ram.DRAM.read > 20 GiB/s", &limit));
    assert_false(limit_parse("ram.DRAM.read >= 20 GiB/s or so", &limit));
    assert_false(limit_parse("ram.DRAM.read >= nan", &limit));
}

static enum limit_outcome outcome(const char *line, struct answer answer)
{
    struct limit limit;
    assert_true(limit_parse(line, &limit));
    assert_true(limit_is_of(&limit, &answer));
    return limit_judge(&limit, &answer);
}

TEST(limits_are_held_or_broken)
{
    assert_int_equal(outcome("ram.*.read >= 20 GiB/s", rate(21, TRUST_HIGH)), LIMIT_HELD);
    assert_int_equal(outcome("ram.*.read >= 20 GiB/s", rate(18, TRUST_MEDIUM)), LIMIT_BROKEN);
    assert_int_equal(outcome("ram.*.read >= 20 GiB/s", rate(19.5, TRUST_HIGH)), LIMIT_UNKNOWN);
    assert_int_equal(outcome("ram.*.read <= 20 GiB/s", rate(22, TRUST_HIGH)), LIMIT_BROKEN);
    assert_int_equal(outcome("ram.*.read >= 20 GiB/s", rate(21, TRUST_LOW)), LIMIT_UNKNOWN);
    assert_int_equal(outcome("ram.*.read >= 20 GiB/s", rate(17, TRUST_LOW)), LIMIT_UNKNOWN);
    assert_int_equal(outcome("ram.*.read >= 20 GiB/s", rate(10, TRUST_LOW)), LIMIT_BROKEN);
}

/* A limit of 20, an interval of 5 % and a quarter of either side of it. */
TEST(low_trust_says_as_much_of_good_as_of_bad)
{
    assert_int_equal(outcome("ram.*.read >= 20 GiB/s", rate(26.4, TRUST_LOW)), LIMIT_HELD);
    assert_int_equal(outcome("ram.*.read >= 20 GiB/s", rate(26.2, TRUST_LOW)), LIMIT_UNKNOWN);
    assert_int_equal(outcome("ram.*.read >= 20 GiB/s", rate(15.3, TRUST_LOW)), LIMIT_UNKNOWN);
    assert_int_equal(outcome("ram.*.read >= 20 GiB/s", rate(15.2, TRUST_LOW)), LIMIT_BROKEN);
    assert_int_equal(outcome("ram.*.read <= 20 GiB/s", rate(14.2, TRUST_LOW)), LIMIT_HELD);
    assert_int_equal(outcome("ram.*.read <= 20 GiB/s", rate(14.4, TRUST_LOW)), LIMIT_UNKNOWN);
    assert_int_equal(outcome("ram.*.read <= 20 GiB/s", rate(28, TRUST_LOW)), LIMIT_UNKNOWN);
    assert_int_equal(outcome("ram.*.read <= 20 GiB/s", rate(28.2, TRUST_LOW)), LIMIT_BROKEN);
    struct answer count = {.key = "n", .unit = "entries", .value = INTEGER_CELL(112)};
    assert_int_equal(outcome("n = 112 entries", count), LIMIT_UNKNOWN);
    assert_int_equal(outcome("n >= 10 entries", count), LIMIT_HELD);
    count.leg = LEG_PLAUSIBILITY; /* it cannot be true */
    assert_int_equal(outcome("n >= 10 entries", count), LIMIT_UNKNOWN);
}

TEST(counts_are_exact)
{
    const struct answer count = {
        .key = "n", .unit = "entries", .value = INTEGER_CELL(112), .trust = TRUST_HIGH};
    assert_int_equal(outcome("n = 112 entries", count), LIMIT_HELD);
    assert_int_equal(outcome("n = 64 entries", count), LIMIT_BROKEN);
}

TEST(units_have_to_fit)
{
    struct limit limit;
    const struct answer answer = rate(20, TRUST_HIGH);
    assert_true(limit_parse("ram.DRAM.read >= 20 ns", &limit));
    assert_false(limit_is_of(&limit, &answer));
    assert_true(limit_parse("ram.L1.read >= 20 GiB/s", &limit));
    assert_false(limit_is_of(&limit, &answer));
    const struct answer cycles = {.key = "stlf.forwarded", .unit = "core cycles", .value = REAL_CELL(6)};
    assert_true(limit_parse("stlf.forwarded <= 8 core cycles", &limit));
    assert_true(limit_is_of(&limit, &cycles));
    assert_true(limit_parse("stlf.forwarded <= 8 cycles", &limit));
    assert_true(limit_is_of(&limit, &cycles));
    assert_true(limit_parse("ram.DRAM.read >= 20000 MiB/s", &limit));
    assert_true(limit_is_of(&limit, &answer));
}
