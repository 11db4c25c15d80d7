/* SPDX-License-Identifier: MIT */
#include "cli/facts.h"

#include "../output/fixture.h"

static const struct cpu guest = {.hypervisor = "KVM"}, host = {.hypervisor = "none"};
static struct cpu_place four_cores[] = {
    {.id = 0}, {.id = 1, .core = 1}, {.id = 2, .core = 2}, {.id = 3, .core = 3}};
static struct cpu_place two_cores[] = {
    {.id = 0}, {.id = 1, .core = 1, .l3 = 1}, {.id = 2}, {.id = 3, .core = 1, .l3 = 1}};
static struct cpu_place unknown[] = {{.core = -1, .l3 = -1, .node = -1, .package = -1}};
static const struct topology four = {
    .cores = 4, .cpus = 4, .l3_groups = 1, .place_count = 4, .place = four_cores};
static const struct topology siblings = {
    .cores = 2, .cpus = 4, .l3_groups = 2, .place_count = 4, .place = two_cores};
static const struct topology one = {
    .cores = 1, .cpus = 1, .l3_groups = 1, .place_count = 1, .place = unknown};

/* Readings of the core clock whose middle is so wide, by their median. */
static struct record *judged(const struct cpu *cpu, const struct topology *topology, struct conditions seen,
                             double spread)
{
    struct record *record = record_of(NULL), *child = record_child_add(record);
    double readings[] = {3 - 3 * spread / 1.8, 3, 3 + 3 * spread / 1.8}; /* 5 and 95 % quantile of three */
    const struct samples ghz = {readings, spread < 0 ? 0 : 3, 3};
    child->conditions = seen;
    fitness_record(record, record, cpu, topology, &ghz);
    return record;
}

static char verdict_of(const struct record *record, const char *key)
{
    const struct answer *answer = record_answer_find(record, key, NULL);
    assert_non_null(answer);
    return cell_is(&answer->value, true) ? 'y' : cell_is(&answer->value, false) ? 'n' : '?';
}

/* Which of fit, whole_core, own_cores, not_moved, as_claimed, steady is yes, no or unknown. */
static void assert_verdicts(const struct record *record, const char *wanted)
{
    static const char *const keys[] = {"got.fit",       "got.whole_core", "got.own_cores",
                                       "got.not_moved", "got.as_claimed", "got.steady"};
    char found[COUNT_OF(keys) + 1] = "";
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        found[i] = verdict_of(record, keys[i]);
    assert_string_equal(found, wanted);
}

static const struct conditions nothing = {.sibling_share = NAN, .moves = -1};

/* A host that moves CPUs is often not seen to within three seconds. */
TEST(verdicts_follow_from_what_was_seen)
{
    static const struct {
        const struct cpu *cpu;
        const struct topology *topology;
        double busy, seconds;
        int moves;
        double shared_core;
        int hidden_l3;
        const char *verdicts;
    } cases[] = {
        {&guest, &four, 0.7, 0.5, 0, 0, 0, "nn??ny"},   {&guest, &four, 0.0049, 0.5, 0, 0, 0, "????yy"},
        {&guest, &four, 0.005, 0.5, 0, 0, 0, "nn??ny"}, {&host, &four, 0, 0.5, 0, 0, 0, "yyyyyy"},
        {&host, &siblings, 0, 0.5, 0, 0, 0, "ynnyyy"},  {&host, &siblings, 0.2, 0.5, 0, 0, 0, "nnnyyy"},
        {&guest, &siblings, 0, 10, 0, 0, 0, "ynnyyy"},  {&guest, &four, 0, 0.5, 6, 0, 0, "n??nyy"},
        {&guest, &four, 0, 0.5, 6, 0.016, 2, "n?nnny"}, {&guest, &four, 0, 0.5, 0, 0, 2, "n???ny"},
        {&guest, &four, NAN, 0.5, 3, 0, 0, "n??n?y"},   {&guest, &four, 0, 0.5, -1, 0, 0, "?????y"},
        {&guest, &four, 0, 9.9, 0, 0, 0, "????yy"},     {&guest, &four, 0, 10, 0, 0, 0, "??yyyy"},
        {&guest, &one, 0, 0.5, -1, 0, 0, "??y??y"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct conditions seen = {.sibling_share = cases[i].busy,
                                        .seconds = cases[i].seconds,
                                        .moves = cases[i].moves,
                                        .shared_core = cases[i].shared_core,
                                        .hidden_l3 = cases[i].hidden_l3};
        assert_verdicts(judged(cases[i].cpu, cases[i].topology, seen, 0.04), cases[i].verdicts);
    }
    assert_verdicts(judged(&guest, &four, nothing, -1), "??????");
}

static char undisturbed(struct conditions seen)
{
    seen.seconds = 10;
    seen.moves = -1;
    seen.sibling_share = NAN;
    const struct record *record = judged(&host, &four, seen, 0);
    assert_true(verdict_of(record, "got.undisturbed") == 'n' || !record_fact_find(record, "got.reasons.0"));
    return verdict_of(record, "got.undisturbed");
}

/* A hundredth of the time stolen, a twentieth waited for a CPU, one stop by a quota. */
TEST(what_takes_time_is_a_reason)
{
    assert_int_equal(undisturbed((struct conditions){.stolen_s = 0.0999}), 'y');
    assert_int_equal(undisturbed((struct conditions){.stolen_s = 0.1001}), 'n');
    assert_int_equal(undisturbed((struct conditions){.stolen_s = NAN}), '?');
    assert_int_equal(undisturbed((struct conditions){.stolen_s = NAN, .throttled = 1}), 'n');
    assert_int_equal(undisturbed((struct conditions){.waited_s = 0.499}), 'y');
    assert_int_equal(undisturbed((struct conditions){.waited_s = 0.501}), 'n');
    assert_int_equal(undisturbed((struct conditions){.waited_s = 12}), 'n');
    assert_int_equal(undisturbed((struct conditions){.waited_s = NAN}), '?');
    assert_int_equal(undisturbed((struct conditions){.throttled = 1}), 'n');
}

/* Whoever took it moved what was pinned to it: no host did. */
TEST(a_cpu_that_was_taken_is_named_first)
{
    const struct conditions taken = {.sibling_share = 0.5, .seconds = 5, .moves = 1, .cpu_was_taken = true};
    const struct record *record = judged(&guest, &four, taken, 0);
    assert_int_equal(verdict_of(record, "got.fit"), 'n');
    assert_int_equal(verdict_of(record, "got.not_moved"), '?');
    assert_string_equal(value_of(record, "got.reasons.0").text, "a CPU was taken away");
}

/* All of them, the gravest first; siblings that are shown are none. */
TEST(reasons_are_ordered)
{
    const struct conditions worst = {.sibling_share = 0.43,
                                     .seconds = 15,
                                     .stolen_s = 3,
                                     .moves = 19,
                                     .pairs_seconds = 15,
                                     .shared_core = 0.02,
                                     .hidden_l3 = 2};
    static const char *const parts[] = {"half cores, sibling busy 43 %", "met in",
                                        "moved 19 times in 15 s",        "20 % stolen",
                                        "1 L3 shown, 2 found",           "GHz"};
    struct record *record = judged(&guest, &four, worst, 0.1);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        char path[32];
        snprintf(path, sizeof path, "got.reasons.%zu", i);
        assert_has(value_of(record, path).text, parts[i]);
    }
    assert_string_equal(record_answer_find(record, "got.fit", NULL)->remark, parts[0]);
    record = judged(&host, &siblings, (struct conditions){.seconds = 15, .moves = 0}, 0);
    assert_null(record_fact_find(record, "got.reasons.0"));
}

TEST(a_steady_clock_stays_within_a_twentieth)
{
    assert_int_equal(verdict_of(judged(&host, &four, nothing, 0.049), "got.steady"), 'y');
    assert_int_equal(verdict_of(judged(&host, &four, nothing, 0.051), "got.steady"), 'n');
}

TEST(a_remark_is_at_most_six_words)
{
    const struct conditions worst = {
        .sibling_share = 1, .seconds = 60, .moves = 1000, .shared_core = 0.123456, .hidden_l3 = 12};
    const struct conditions least = {.sibling_share = 0, .seconds = 0.123, .moves = 0};
    const struct conditions *const seen[] = {&worst, &least, &nothing};
    const struct topology *const topologies[] = {&four, &siblings, &one};
    for (size_t i = 0; i < 18; i++) {
        struct record *record = judged(i < 9 ? &guest : &host, topologies[i % 3], *seen[i / 3 % 3], 0.1);
        for (size_t k = 0; k < record->answers.count; k++) {
            const char *remark = record->answers.of[k].remark;
            if (remark && occurrences(remark, " ") > 5)
                fail_msg("%s: %s", record->answers.of[k].key, remark);
        }
    }
}

TEST(caches_and_layout_are_those_shown)
{
    struct cpu_place places[COUNT_OF(two_cores)];
    memcpy(places, two_cores, sizeof places);
    for (size_t i = 0; i < COUNT_OF(places); i++)
        places[i].caches = 7;
    const struct topology cached = {
        .place_count = 4,
        .place = places,
        .cache_count = 3,
        .cache = {{1, 'd', 48 << 10, 64, 12, 1}, {1, 'i', 32 << 10, 64, 8, 1}, {2, 'u', 2 << 20, 64, 16, 1}}};
    struct record *record = judged(&host, &cached, nothing, 0);
    assert_has(value_of(record, "got.caches").text, "48 KiB");
    assert_has(value_of(record, "got.caches").text, "2 MiB");
    assert_null(strstr(value_of(record, "got.caches").text, "32 KiB"));
    assert_has(value_of(record, "got.where").text, "L3 {0,2} {1,3}");
    record = judged(&host, &one, nothing, 0);
    assert_int_equal(value_of(record, "got.caches").type, CELL_NULL);
    assert_int_equal(value_of(record, "got.where").type, CELL_NULL);
}

/* A system that does not say whether the clock may boost has no row for it. */
TEST(boost_is_named_where_the_system_says)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_string_equal(value_of(judged(&host, &four, (struct conditions){0}, 0), "got.boost").text, "off");
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v1", 1);
    assert_string_equal(value_of(judged(&host, &four, (struct conditions){0}, 0), "got.boost").text, "on");
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/bare", 1);
    assert_null(record_fact_find(judged(&host, &four, (struct conditions){0}, 0), "got.boost"));
    unsetenv("UARCHPROBE_SYSROOT");
}
