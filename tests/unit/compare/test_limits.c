/* SPDX-License-Identifier: MIT */

#include "compare/limits.h"

#include "test.h"

static const double GIB = 1073741824.0;

TEST(lines_are_read)
{
    static const struct {
        const char *line, *key, *unit; /* key NULL: it is no limit */
        char sign;
    } lines[] = {{"ram.DRAM.read >= 20 GiB/s\n", "ram.DRAM.read", "GiB/s", '>'},
                 {"store_buffer.entries = 112 # entries", "store_buffer.entries", "", '='},
                 {"stlf.forwarded <= 8 cycles \t# as it is printed\n", "stlf.forwarded", "cycles", '<'},
                 {"  # nothing\n", "", "", 0},
                 {"", "", "", 0},
                 {"ram.DRAM.read 20"},
                 {"ram.DRAM.read >= much"},
                 {"ram.DRAM.read > 20 GiB/s"},
                 {"ram.DRAM.read >= nan"}};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct limit limit;
        assert_true(limit_parse(lines[i].line, &limit) == (lines[i].key != NULL));
        if (!lines[i].key)
            continue;
        assert_string_equal(limit.key, lines[i].key);
        assert_string_equal(limit.unit, lines[i].unit);
        assert_int_equal(limit.sign, lines[i].sign);
    }
}

static const char *const kinds[][2] = {
    {"ram.DRAM.read", "Byte/s"}, {"n.s", "ns"}, {"n.c", "cycles"}, {"n.e", "entries"}, {"n.b", "Byte"}};

/* A limit of 20, an interval of 5 %: of low trust a quarter of either side of the limit is too near to it. */
TEST(limits_are_held_or_broken)
{
    static const struct {
        const char *limit;
        double value;
        enum trust trust;
        enum outcome outcome; /* apart: the limit is of something else */
    } cases[] = {{"ram.*.read >= 20 GiB/s", 21, TRUST_HIGH, OUTCOME_SAME},
                 {"ram.*.read >= 20 GiB/s", 18, TRUST_MEDIUM, OUTCOME_WORSE},
                 {"ram.*.read >= 20 GiB/s", 19.5, TRUST_HIGH, OUTCOME_UNKNOWN},
                 {"ram.*.read <= 20 GiB/s", 22, TRUST_HIGH, OUTCOME_WORSE},
                 {"ram.*.read >= 20 GiB/s", 26.4, TRUST_LOW, OUTCOME_SAME},
                 {"ram.*.read >= 20 GiB/s", 26.2, TRUST_LOW, OUTCOME_UNKNOWN},
                 {"ram.*.read >= 20 GiB/s", 15.3, TRUST_LOW, OUTCOME_UNKNOWN},
                 {"ram.*.read >= 20 GiB/s", 15.2, TRUST_LOW, OUTCOME_WORSE},
                 {"ram.*.read <= 20 GiB/s", 14.2, TRUST_LOW, OUTCOME_SAME},
                 {"ram.*.read <= 20 GiB/s", 14.4, TRUST_LOW, OUTCOME_UNKNOWN},
                 {"ram.*.read <= 20 GiB/s", 28, TRUST_LOW, OUTCOME_UNKNOWN},
                 {"ram.*.read <= 20 GiB/s", 28.2, TRUST_LOW, OUTCOME_WORSE},
                 {"ram.*.read >= 20000 MiB/s", 21, TRUST_HIGH, OUTCOME_SAME},
                 {"ram.*.read >= 20 ns", 21, TRUST_HIGH, OUTCOME_APART},
                 {"ram.L1.read >= 20 GiB/s", 21, TRUST_HIGH, OUTCOME_APART},
                 {"n.s >= 2 us", 3000, TRUST_HIGH, OUTCOME_SAME},
                 {"n.c <= 8 cycles", 6, TRUST_HIGH, OUTCOME_SAME},
                 {"n.b >= 900 KiB", 1048576, TRUST_HIGH, OUTCOME_SAME},
                 {"n.b >= 2 MiB", 1048576, TRUST_HIGH, OUTCOME_WORSE},
                 {"n.b >= 2 GiB/s", 1048576, TRUST_HIGH, OUTCOME_APART},
                 {"n.e = 112 entries", 112, TRUST_HIGH, OUTCOME_SAME},
                 {"n.e = 64 entries", 112, TRUST_HIGH, OUTCOME_WORSE},
                 {"n.e = 112 entries", 112, TRUST_LOW, OUTCOME_UNKNOWN},
                 {"n.e >= 10 entries", 112, TRUST_LOW, OUTCOME_SAME}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t kind = 0;
        for (size_t k = 1; k < 5; k++)
            kind = strncmp(cases[i].limit, kinds[k][0], 3) == 0 ? k : kind;
        const double value = cases[i].value * (kind ? 1 : GIB), wide = kind == 3 ? 0 : 0.05;
        struct answer answer = {.key = kinds[kind][0],
                                .unit = kinds[kind][1],
                                .value = REAL_CELL(value),
                                .low = REAL_CELL((1 - wide) * value),
                                .high = REAL_CELL((1 + wide) * value),
                                .trust = cases[i].trust};
        struct limit limit;
        assert_true(limit_parse(cases[i].limit, &limit));
        const bool is_of = limit_is_of(&limit, &answer);
        if (is_of != (cases[i].outcome != OUTCOME_APART) ||
            (is_of && limit_judge(&limit, &answer) != cases[i].outcome))
            fail_msg("%s: %g", cases[i].limit, cases[i].value);
        answer.high = NO_CELL; /* a bound proves that there are many, never that there are few */
        const bool proves = limit.sign == '>' ? cases[i].outcome == OUTCOME_SAME
                                              : limit.sign == '<' && cases[i].outcome == OUTCOME_WORSE;
        assert_true(!is_of || proves || limit_judge(&limit, &answer) == OUTCOME_UNKNOWN);
        assert_true(!proves || limit_judge(&limit, &answer) == cases[i].outcome);
        answer.trust = TRUST_LOW;
        answer.limited_by = LIMITED_BY_PLAUSIBILITY; /* impossible */
        assert_true(!is_of || limit_judge(&limit, &answer) == OUTCOME_UNKNOWN);
    }
}

TEST(a_limit_may_name_a_kind_of_core)
{
    static const struct {
        const char *line, *kind; /* of the answer */
        bool is_of;
    } cases[] = {{"n.e{kind=Golden Cove} = 112 entries", "Golden Cove", true},
                 {"n.e{kind=Golden Cove} = 112 entries", "Gracemont", false},
                 {"n.e{kind=Golden Cove} = 112 entries", NULL, false},
                 {"n.e = 112 entries", "Gracemont", true},
                 {"n.e = 112 entries", NULL, true}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct answer answer = {
            .key = "n.e", .kind = cases[i].kind, .unit = "entries", .value = INTEGER_CELL(112)};
        struct limit limit;
        assert_true(limit_parse(cases[i].line, &limit));
        assert_string_equal(limit.key, "n.e");
        assert_int_equal(limit_is_of(&limit, &answer), cases[i].is_of);
    }
}
