/* SPDX-License-Identifier: MIT */

#include "compare/judge.h"

#include "test.h"

/* A value of a run, its trust and its parts; by default a rate of high trust whose parts and interval lie within 1 % of it. */
struct population {
    double value;
    double within, half, ghz; /* 0: 2 % of the value, 1 % of the value, 3 GHz; half below 0: no interval */
    enum trust trust;
    enum limited_by limited_by;
    int parts;        /* 0: twelve; below 0: none */
    double around;    /* that the parts lie around; 0: the value */
    int others;       /* so many of the parts, every third from the first on, ... */
    double at;        /* ... are this instead */
    const char *unit; /* NULL: bytes a second */
    const char *key;  /* NULL: of all threads, whose ranges alone say nothing */
    bool busy;
};

static struct answer answer_of(const struct population *of)
{
    const double value = of->value, half = of->half > 0 ? of->half : 0.01;
    struct answer answer = {.key = of->key ? of->key : "ram.all.k",
                            .unit = of->unit ? of->unit : "Byte/s",
                            .value = REAL_CELL(value),
                            .low = of->half < 0 ? NO_CELL : REAL_CELL((1 - half) * value),
                            .high = of->half < 0 ? NO_CELL : REAL_CELL((1 + half) * value),
                            .trust = of->trust,
                            .limited_by = of->limited_by,
                            .within = of->within > 0 ? of->within : 0.02,
                            .ghz = of->ghz > 0 ? of->ghz : 3,
                            .state = state_names[of->busy ? STATE_ACTIVE : STATE_IDLE],
                            .parts.count = of->parts < 0   ? 0
                                           : of->parts > 0 ? (size_t)of->parts
                                                           : 12};
    for (size_t i = 0; i < answer.parts.count; i++)
        answer.parts.value[i] = (float)(i % 3 == 0 && i / 3 < (size_t)of->others
                                            ? of->at
                                            : (of->around > 0 ? of->around : value) *
                                                  (0.995 + 0.01 * (double)((i * 7) % 12) / 12));
    return answer;
}

static struct answer rate(double value)
{
    return answer_of(&(struct population){.value = value, .trust = TRUST_HIGH});
}

static struct answer beyond(double value)
{
    return answer_of(&(struct population){.value = value, .trust = TRUST_HIGH, .within = 0.05});
}

/* No threshold, a run of unknown length. */
static const struct terms any = {NAN, NAN, false};

static enum outcome outcome(struct answer before, struct answer after, double threshold)
{
    return judge(&before, &after, &(struct terms){.threshold = threshold, .seconds = NAN}).outcome;
}

TEST(units_have_a_direction)
{
    assert_int_equal(direction_of_unit("ns"), DIRECTION_LOWER);
    assert_int_equal(direction_of_unit("cycles"), DIRECTION_LOWER);
    assert_int_equal(direction_of_unit("Byte/s"), DIRECTION_HIGHER);
    assert_int_equal(direction_of_unit("GiByte/s"), DIRECTION_HIGHER);
    assert_int_equal(direction_of_unit("entries"), DIRECTION_NONE);
    assert_int_equal(direction_of_unit(""), DIRECTION_NONE);
    assert_int_equal(direction_of_unit(NULL), DIRECTION_NONE);
}

/* There may be as many as the other has, but not fewer. */
TEST(a_bound_differs_from_less_alone)
{
    struct answer bound = answer_of(&(struct population){251, .unit = "branches", .trust = TRUST_MEDIUM}),
                  other;
    bound.high = NO_CELL;
    for (double value = 100; value < 400; value += 156) {
        other = answer_of(&(struct population){value, .unit = "branches", .trust = TRUST_HIGH});
        const enum outcome expected = value < 251 ? OUTCOME_CHANGED : OUTCOME_APART;
        assert_int_equal(outcome(bound, other, NAN), expected);
        assert_int_equal(outcome(other, bound, NAN), expected);
        other.high = NO_CELL;
        assert_int_equal(outcome(bound, other, NAN), OUTCOME_APART);
    }
}

TEST(cycles_follow_no_clock)
{
    struct answer before = rate(100), after = rate(100);
    before.unit = after.unit = "cycles";
    after.ghz = 2.4;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_SAME);
}

#define HIGH(...)                                                                                            \
    {                                                                                                        \
        .trust = TRUST_HIGH, .value = __VA_ARGS__                                                            \
    }
#define LOW(...)                                                                                             \
    {                                                                                                        \
        .trust = TRUST_LOW, .limited_by = LIMITED_BY_REPETITION, .value = __VA_ARGS__                        \
    }

#define MEDIUM(...)                                                                                          \
    {                                                                                                        \
        .trust = TRUST_MEDIUM, .value = __VA_ARGS__                                                          \
    }
#define FEW(...)                                                                                             \
    {                                                                                                        \
        .trust = TRUST_LOW, .limited_by = LIMITED_BY_PRECISION, .value = __VA_ARGS__                         \
    }

static const struct {
    const char *promise;
    struct population before, after;
    double threshold; /* 0: none */
    enum outcome outcome;
    double seconds; /* 0: unknown */
    bool machines;
} cases[] = {
    {"three times 2 % in the core", HIGH(100), HIGH(94.5), 0, OUTCOME_SAME},
    {"three times 2 % in the core", HIGH(100), HIGH(93.5), 0, OUTCOME_WORSE},
    {"three times 2 % in the core", HIGH(100), HIGH(110), 0, OUTCOME_BETTER},
    {"a threshold tolerates", HIGH(100), HIGH(85), 0.2, OUTCOME_SAME},
    {"a threshold tolerates", HIGH(100), HIGH(75), 0.2, OUTCOME_WORSE},
    {"6 % is what could be seen", HIGH(100), HIGH(97), 0.01, OUTCOME_UNKNOWN},
    {"6 % is what could be seen", HIGH(100), HIGH(90), 0.01, OUTCOME_WORSE},
    {"medium trust in the core allows 9 %", HIGH(100), MEDIUM(95), 0, OUTCOME_SAME},
    {"medium trust in the core allows 9 %", HIGH(100), MEDIUM(91.5), 0, OUTCOME_UNKNOWN},
    {"medium trust in the core allows 9 %", HIGH(100), MEDIUM(90.5), 0, OUTCOME_WORSE},
    {"medium trust beyond it allows 15 %", MEDIUM(100, .within = 0.05), MEDIUM(86, .within = 0.05), 0,
     OUTCOME_UNKNOWN},
    {"medium trust beyond it allows 15 %", MEDIUM(100, .within = 0.05), MEDIUM(84, .within = 0.05), 0,
     OUTCOME_WORSE},
    {"same: 10 % would have been seen, off by half of the noise", HIGH(100), MEDIUM(94.6), 0, OUTCOME_SAME},
    {"same: 10 % would have been seen, off by half of the noise", HIGH(100), MEDIUM(94.3), 0,
     OUTCOME_UNKNOWN},
    {"same: 10 % would have been seen, off by the interval", HIGH(100, .half = 0.05),
     HIGH(96.2, .half = 0.03), 0, OUTCOME_SAME},
    {"same: 10 % would have been seen, off by the interval", HIGH(100, .half = 0.05),
     HIGH(95.5, .half = 0.03), 0, OUTCOME_UNKNOWN},
    {"beyond the core 15 % would have been seen", HIGH(100, .within = 0.05), HIGH(92.6, .within = 0.05), 0,
     OUTCOME_SAME},
    {"beyond the core 15 % would have been seen", HIGH(100, .within = 0.05), HIGH(92.4, .within = 0.05), 0,
     OUTCOME_UNKNOWN},
    {"what cannot be is not judged",
     HIGH(100),
     {.value = 50, .limited_by = LIMITED_BY_PLAUSIBILITY},
     0,
     OUTCOME_UNKNOWN},
    {"low trust by placements allows 25 % in the core", HIGH(100), LOW(74), 0, OUTCOME_WORSE},
    {"low trust by placements allows 25 % in the core", HIGH(100), LOW(76), 0, OUTCOME_UNKNOWN},
    {"low trust by placements allows 25 % in the core", HIGH(100), LOW(100), 0, OUTCOME_UNKNOWN},
    {"low trust by placements allows 25 % in the core", LOW(74), HIGH(100), 0, OUTCOME_BETTER},
    {"low trust by few samples is judged by its interval", HIGH(100), FEW(90.5), 0, OUTCOME_WORSE},
    {"low trust by few samples is judged by its interval", HIGH(100), FEW(98), 0, OUTCOME_SAME},
    {"low trust by few samples is judged by its interval", HIGH(100), FEW(90.5, .half = 0.07), 0,
     OUTCOME_UNKNOWN},
    {"low trust by few samples is judged by its interval", HIGH(100), FEW(98, .half = 0.07), 0,
     OUTCOME_UNKNOWN},
    {"low trust in both", LOW(100), LOW(52), 0, OUTCOME_WORSE},
    {"the intervals together", HIGH(100, .half = 0.07), HIGH(100, .half = 0.07), 0, OUTCOME_SAME},
    {"the intervals together", HIGH(100, .half = 0.072), HIGH(100, .half = 0.072), 0, OUTCOME_UNKNOWN},
    {"the intervals together", HIGH(100, .half = 0.107), HIGH(100, .half = 0.107), 0.2, OUTCOME_SAME},
    {"wide intervals are taken for wider", LOW(100, .half = 0.14), LOW(72, .half = 0.14), 0, OUTCOME_UNKNOWN},
    {"wide intervals are taken for wider", LOW(100, .half = 0.14), LOW(67, .half = 0.14), 0, OUTCOME_WORSE},
    {"machines are each at their own clock", HIGH(100), HIGH(80, .ghz = 2.4), 0, OUTCOME_WORSE, 0, true},
    {"the core follows its clock", HIGH(100), HIGH(80, .ghz = 2.4), 0, OUTCOME_SAME},
    {"what promises more than 2 % does not", HIGH(100, .within = 0.025),
     HIGH(80, .within = 0.025, .ghz = 2.4), 0, OUTCOME_UNKNOWN},
    {"beyond the core a clock explains four times as much", HIGH(100, .within = 0.05),
     HIGH(82, .within = 0.05, .ghz = 2.85), 0, OUTCOME_UNKNOWN},
    {"beyond the core a clock explains four times as much", HIGH(100, .within = 0.05),
     HIGH(78, .within = 0.05, .ghz = 2.85), 0, OUTCOME_WORSE},
    {"beyond the core at one clock", HIGH(100, .within = 0.05), HIGH(80, .within = 0.05), 0, OUTCOME_WORSE},
    {"of a time less is better", HIGH(100, .unit = "ns"), HIGH(110, .unit = "ns"), 0, OUTCOME_WORSE},
    {"a rank test is asked", HIGH(100), HIGH(75, .around = 100), 0, OUTCOME_UNKNOWN},
    {"where there are no parts, the intervals say it", HIGH(100, .parts = -1), HIGH(75, .parts = -1), 0,
     OUTCOME_WORSE},
    {"where there are no parts, the intervals say it", HIGH(100, .parts = -1),
     HIGH(75, .half = 0.35, .parts = -1), 0, OUTCOME_UNKNOWN},
    {"where there are three parts, the intervals say it", HIGH(100, .parts = 3), HIGH(80, .parts = 3), 0,
     OUTCOME_WORSE},
    {"one in a hundred is significant", HIGH(100, .parts = 4), HIGH(80, .parts = 4), 0, OUTCOME_UNKNOWN},
    {"one in a hundred is significant", HIGH(100, .parts = 5), HIGH(80, .parts = 5), 0, OUTCOME_WORSE},
    {"beyond the core others explain what the best tenth of the parts does not show",
     HIGH(100, .within = 0.05), HIGH(80, .within = 0.05, .others = 2, .at = 100), 0, OUTCOME_UNKNOWN},
    {"one part in twelve is not the better end", HIGH(100, .within = 0.05),
     HIGH(80, .within = 0.05, .others = 1, .at = 100), 0, OUTCOME_WORSE},
    {"eight parts have a better end, seven have none", HIGH(100, .within = 0.05, .parts = 7),
     HIGH(80, .within = 0.05, .parts = 7, .others = 2, .at = 99), 0, OUTCOME_WORSE},
    {"eight parts have a better end, seven have none", HIGH(100, .within = 0.05, .parts = 8),
     HIGH(80, .within = 0.05, .parts = 8, .others = 2, .at = 99), 0, OUTCOME_UNKNOWN},
    {"beyond the core less than a second is a moment", HIGH(100, .within = 0.05), HIGH(80, .within = 0.05), 0,
     OUTCOME_UNKNOWN, 0.9},
    {"beyond the core less than a second is a moment", HIGH(100, .within = 0.05), HIGH(80, .within = 0.05), 0,
     OUTCOME_WORSE, 1.1},
    {"low trust in the core is judged beyond both intervals", LOW(100), LOW(52, .half = 0.54), 0,
     OUTCOME_UNKNOWN},
    {"... and by its parts, where it has no interval, too", LOW(100), LOW(52, .parts = 6), 0, OUTCOME_WORSE},
    {"... and by its parts, where it has no interval, too", LOW(100), LOW(52, .half = -1, .parts = 6), 0,
     OUTCOME_WORSE},
    {"... and by its parts, where it has no interval, too", LOW(100),
     LOW(52, .half = -1, .parts = 6, .others = 1, .at = 90), 0, OUTCOME_UNKNOWN},
    {"... of which five are too few", LOW(100), LOW(52, .parts = 5), 0, OUTCOME_UNKNOWN},
    {"states are not mixed", HIGH(100), HIGH(50, .busy = true), 0, OUTCOME_UNKNOWN},
    {"of low trust next to a busy sibling nothing is known", LOW(100, .busy = true), HIGH(50, .busy = true),
     0, OUTCOME_UNKNOWN},
};

TEST(differences_are_what_repeated_runs_do_not_show)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct answer before = answer_of(&cases[i].before), after = answer_of(&cases[i].after);
        const struct terms terms = {.threshold = cases[i].threshold > 0 ? cases[i].threshold : NAN,
                                    .seconds = cases[i].seconds > 0 ? cases[i].seconds : NAN,
                                    .machines = cases[i].machines};
        const struct judgement j = judge(&before, &after, &terms);
        if (j.outcome != cases[i].outcome)
            fail_msg("%s: %g, %g", cases[i].promise, cases[i].before.value, cases[i].after.value);
    }
}

/* Beyond the core a difference of low trust is one of now, whatever the trust is low for: nothing would be seen. */
TEST(ranges_apart_are_said)
{
    struct answer before = beyond(100), after = beyond(52);
    before.trust = after.trust = TRUST_LOW;
    before.limited_by = after.limited_by = LIMITED_BY_PRECISION;
    assert_true(judge(&before, &after, &any).differs_now && isnan(judge(&before, &after, &any).allowed));
    assert_false(judge(&before, &after, &any).core);
    after.parts.value[2] = 99; /* within the range of the other */
    assert_int_equal(outcome(before, after, NAN), OUTCOME_UNKNOWN);
    assert_false(judge(&before, &after, &any).differs_now);
}

/* A difference within the allowed one is not worse, however far the best tenth of its parts is off; the text names the judged number. */
TEST(what_is_shown_is_judged)
{
    static const struct population was = {100, .trust = TRUST_HIGH, .within = 0.05};
    static const struct {
        struct population is;
        enum outcome outcome;
        bool basis;
        double change;
    } shown[] = {{HIGH(93, .within = 0.05, .around = 80), OUTCOME_SAME, false, -0.07},
                 {HIGH(70, .within = 0.05, .around = 80), OUTCOME_WORSE, true, -0.2}};
    for (size_t i = 0; i < COUNT_OF(shown); i++) {
        const struct answer before = answer_of(&was), after = answer_of(&shown[i].is);
        const struct judgement j = judge(&before, &after, &any);
        assert_int_equal(j.outcome, shown[i].outcome);
        assert_int_equal(j.basis != NULL, shown[i].basis);
        assert_true(fabs(j.change - shown[i].change) < 0.001);
    }
    struct answer before = rate(100), after = rate(100);
    after.ghz = 2.7;
    const struct judgement j = judge(&before, &after, &any);
    assert_int_equal(j.outcome, OUTCOME_BETTER);
    assert_true(j.basis && fabs(j.change - 1 / 0.9 + 1) < 1e-9);
}

static struct judgement counted(struct answer before, double value, double threshold)
{
    struct answer after = before;
    after.value = before.value.type == CELL_INTEGER ? INTEGER_CELL((int64_t)value) : REAL_CELL(value);
    return judge(&before, &after, &(struct terms){.threshold = threshold, .seconds = NAN});
}

/* A count of high trust promises an entry; a result that says nothing of it promises one entry too. */
TEST(counts_keep_their_promise)
{
    struct answer count = {.key = "k", .unit = "entries", .value = INTEGER_CELL(64), .trust = TRUST_HIGH};
    assert_int_equal(counted(count, 65, NAN).outcome, OUTCOME_SAME);
    assert_int_equal(counted(count, 62, NAN).outcome, OUTCOME_CHANGED);
    assert_true(counted(count, 62, NAN).broken && counted(count, 32, NAN).broken);
    assert_int_equal(counted(count, 32, 0.6).outcome, OUTCOME_SAME);
    assert_true(counted(count, 32, 0.4).broken);
    count.within_absolute = 3;
    assert_int_equal(counted(count, 61, NAN).outcome, OUTCOME_SAME);
    assert_true(counted(count, 60, NAN).broken);
    count.within_absolute = 0;
    count.trust = TRUST_MEDIUM;
    assert_int_equal(counted(count, 58, NAN).outcome, OUTCOME_SAME); /* within a tenth */
    assert_int_equal(counted(count, 57, NAN).outcome, OUTCOME_CHANGED);
    assert_false(counted(count, 32, NAN).broken);
    /* A count of one plus one is a change; without a promise none is broken. */
    count = (struct answer){.key = "k", .unit = "Byte", .value = INTEGER_CELL(1), .trust = TRUST_HIGH};
    assert_int_equal(counted(count, 1, NAN).outcome, OUTCOME_SAME);
    assert_int_equal(counted(count, 2, NAN).outcome, OUTCOME_CHANGED);
    assert_false(counted(count, 2, NAN).broken);
    count.value = INTEGER_CELL(0);
    assert_int_equal(counted(count, 0, NAN).outcome, OUTCOME_SAME);
    assert_int_equal(counted(count, 1, NAN).outcome, OUTCOME_CHANGED);
}

TEST(words_change)
{
    struct answer before = {.key = "k", .value = TEXT_CELL("mixed"), .trust = TRUST_HIGH}, after = before;
    assert_int_equal(outcome(before, after, NAN), OUTCOME_SAME);
    after.value = TEXT_CELL("full");
    assert_int_equal(outcome(before, after, NAN), OUTCOME_CHANGED);
    assert_false(judge(&before, &after, &any).broken);
    /* What was measured is no result. */
    before.sheet_cell = "memory/L3/size";
    assert_int_equal(outcome(before, after, NAN), OUTCOME_APART);
    before.sheet_cell = NULL;
    after.value = INTEGER_CELL(1);
    assert_int_equal(outcome(before, after, NAN), OUTCOME_APART);
}

/* Neither way is better, and 1 is no small change of 2. */
TEST(ratios_change)
{
    struct answer ratio = rate(2);
    ratio.unit = "times";
    ratio.trust = TRUST_MEDIUM;
    ratio.within = 0.05;
    assert_int_equal(counted(ratio, 2.2, NAN).outcome, OUTCOME_SAME);
    assert_int_equal(counted(ratio, 2.4, NAN).outcome, OUTCOME_CHANGED);
    assert_false(counted(ratio, 4, NAN).broken);
    struct answer after = ratio;
    after.trust = TRUST_LOW;
    after.limited_by = LIMITED_BY_REPETITION;
    assert_int_equal(outcome(ratio, after, NAN), OUTCOME_UNKNOWN);
}

/* One answer far off changes no verdict; 5 % of all is seen. */
TEST(many_see_less_together)
{
    static const double off[] = {-0.3, 0.01, 0.0, -0.01, 0.005, 0.02, 0.4, 0.0, 0.01, -0.005, 0.0, 0.01};
    static const struct {
        double more, threshold;
        size_t count;
        enum outcome outcome;
    } rows[] = {{0, NAN, 12, OUTCOME_SAME},
                {0.04, NAN, 12, OUTCOME_SAME},
                {0.05, NAN, 12, OUTCOME_WORSE},
                {0.1, 0.2, 12, OUTCOME_SAME},
                {0.1, NAN, 5, OUTCOME_APART}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double loss[12];
        for (size_t k = 0; k < 12; k++)
            loss[k] = off[k] + rows[i].more;
        assert_int_equal(judge_together(loss, rows[i].count, rows[i].threshold).outcome, rows[i].outcome);
    }
}

/* Two runs of low trust, at 3 GHz, by key and unit, and the half of their ranges by their values. */
static enum outcome of_ranges(const char *key, const char *unit, double first, double second, double half)
{
    const double within = strstr(key, ".L3.") ? 0.05 : 0.02;
    const struct population was = LOW(first, .key = key, .unit = unit, .half = half, .within = within,
                                      .parts = -1),
                            is = LOW(second, .key = key, .unit = unit, .half = half, .within = within,
                                     .parts = -1);
    return outcome(answer_of(&was), answer_of(&is), NAN);
}

TEST(ranges_of_one_thread_that_lie_apart_differ)
{
    static const struct {
        const char *key, *unit;
        double before, after, half;
        enum outcome outcome;
    } rows[] = {
        {"ram.L1.read", "Byte/s", 100, 50, 0.01, OUTCOME_WORSE},
        {"ram.L1.read", "Byte/s", 100, 200, 0.01, OUTCOME_BETTER},
        {"ram.L1.latency", "cycles", 4, 8, 0.01, OUTCOME_WORSE},
        /* Of all threads it is the neighbours that differ. */
        {"ram.all.L1.read", "Byte/s", 100, 50, 0.01, OUTCOME_UNKNOWN},
        {"ram.all.L3.read", "Byte/s", 100, 50, 0.01, OUTCOME_UNKNOWN},
        /* At twice their width they meet, or do not. */
        {"ram.L1.read", "Byte/s", 100, 90, 0.027, OUTCOME_UNKNOWN},
        {"ram.L1.read", "Byte/s", 100, 90, 0.026, OUTCOME_WORSE},
        /* 2 % apart, and 0.1 cycle of a time. */
        {"ram.L1.read", "Byte/s", 100, 98.1, 1e-4, OUTCOME_UNKNOWN},
        {"ram.L1.read", "Byte/s", 100, 97.9, 1e-4, OUTCOME_WORSE},
        {"stlf.forwarded", "cycles", 1, 1.099, 1e-4, OUTCOME_UNKNOWN},
        {"stlf.forwarded", "cycles", 1, 1.101, 1e-4, OUTCOME_WORSE},
        {"ram.L1.latency", "ns", 0.5, 0.533, 1e-4, OUTCOME_UNKNOWN},
        {"ram.L1.latency", "ns", 0.5, 0.534, 1e-4, OUTCOME_WORSE},
        /* 5 % in L3. */
        {"ram.L3.read", "Byte/s", 100, 95.1, 1e-4, OUTCOME_UNKNOWN},
        {"ram.L3.read", "Byte/s", 100, 94.9, 1e-4, OUTCOME_WORSE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (of_ranges(rows[i].key, rows[i].unit, rows[i].before, rows[i].after, rows[i].half) !=
            rows[i].outcome)
            fail_msg("%s: %g, %g", rows[i].key, rows[i].before, rows[i].after);
}

TEST(a_threshold_tolerates_ranges_apart)
{
    const struct population was = LOW(100, .key = "ram.L1.read"), is = LOW(50, .key = "ram.L1.read");
    assert_int_equal(outcome(answer_of(&was), answer_of(&is), 0.49), OUTCOME_WORSE);
    assert_int_equal(outcome(answer_of(&was), answer_of(&is), 0.51), OUTCOME_UNKNOWN);
}

TEST(what_cannot_be_has_no_range)
{
    const struct population was = {100, .key = "ram.L1.read", .limited_by = LIMITED_BY_PLAUSIBILITY},
                            is = LOW(50, .key = "ram.L1.read");
    assert_int_equal(outcome(answer_of(&was), answer_of(&is), NAN), OUTCOME_UNKNOWN);
}

/* A state that was not resolved counts as idle; a busy one is compared with its like alone. */
TEST(states_are_idle_or_busy)
{
    static const struct {
        const char *state[2];
        enum outcome outcome;
    } rows[] = {{{"unknown", "sibling idle"}, OUTCOME_WORSE},
                {{NULL, "sibling idle"}, OUTCOME_WORSE},
                {{"unknown", NULL}, OUTCOME_WORSE},
                {{"sibling active", "sibling active"}, OUTCOME_WORSE},
                {{"sibling active", "sibling idle"}, OUTCOME_UNKNOWN},
                {{"unknown", "sibling active"}, OUTCOME_UNKNOWN},
                {{NULL, "sibling active"}, OUTCOME_UNKNOWN}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct answer before = rate(100), after = rate(50);
        before.state = rows[i].state[0];
        after.state = rows[i].state[1];
        assert_int_equal(outcome(before, after, NAN), rows[i].outcome);
        assert_int_equal(outcome(after, before, NAN),
                         rows[i].outcome == OUTCOME_WORSE ? OUTCOME_BETTER : rows[i].outcome);
    }
}
