/* SPDX-License-Identifier: MIT */
#include "result/subject.h"

#include "test.h"

/* In a file anything may stand there: only a bool is an answer. */
TEST(facts_are_true_false_or_neither)
{
    const struct {
        struct cell value;
        bool is_true, is_false;
    } cases[] = {{BOOL_CELL(true), true, false},
                 {BOOL_CELL(false), false, true},
                 {TEXT_CELL("true"), false, false},
                 {INTEGER_CELL(1), false, false},
                 {NO_CELL, false, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct record *record = record_new();
        RECORD_FACTS(record, {"run.complete", .value = cases[i].value});
        assert_int_equal(fact_is(record, "run.complete", true), cases[i].is_true);
        assert_int_equal(fact_is(record, "run.complete", false), cases[i].is_false);
        assert_int_equal(fact_is(record, "run.complete", false), cases[i].is_false);
        assert_false(fact_is(record, "run.none", true) || fact_is(record, "run.none", false));
        record_free(record);
    }
}

/* Of machines with caches that differ, those of the first CPU that was measured, in a report's commands,
 * too. */
TEST(caches_are_those_of_the_cpu)
{
    static const struct {
        const char *asked; /* by --cpus; NULL: nothing */
        int64_t bytes[2];
    } cases[] = {{NULL, {48 << 10, 96 << 20}},
                 {"all-kinds", {48 << 10, 96 << 20}},
                 {"2-5", {32 << 10, 32 << 20}},
                 {"3", {32 << 10, 32 << 20}}};
    static const struct {
        int64_t level, bytes;
        const char *cpus;
    } caches[] = {{1, 48 << 10, "0-1"}, {1, 32 << 10, "2-5"}, {3, 96 << 20, "0-1"}, {3, 32 << 20, "2-5"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct record *record = record_new(), *child = record_child_add(record);
        struct host_cache cache;
        char path[32];
        for (int cpu = 0; cpu < 6; cpu++)
            record_place_add(record, (struct place){.cpu = cpu});
        for (int k = 0; k < 4; k++) {
            snprintf(path, sizeof path, "host.caches.%d.level", k);
            RECORD_FACTS(record, {path, .value = INTEGER_CELL(caches[k].level)});
            snprintf(path, sizeof path, "host.caches.%d.bytes", k);
            RECORD_FACTS(record, {path, .value = INTEGER_CELL(caches[k].bytes)});
            snprintf(path, sizeof path, "host.caches.%d.cpus", k);
            RECORD_FACTS(record, {path, .value = TEXT_CELL(caches[k].cpus)});
        }
        if (cases[i].asked)
            RECORD_FACTS(record, {"run.settings.cpus", .value = TEXT_CELL(cases[i].asked)});
        for (int k = 0; k < 2; k++) {
            assert_true(subject_cache(child, k, &cache));
            assert_int_equal(cache.bytes, cases[i].bytes[k]);
        }
        assert_false(subject_cache(child, 2, &cache));
        record_free(record);
    }
}

TEST(a_cache_of_unknown_cpus_serves_all)
{
    struct record *record = record_new();
    struct host_cache cache;
    record_place_add(record, (struct place){.cpu = 7});
    RECORD_FACTS(record, {"host.caches.0.level", .value = INTEGER_CELL(1)},
                 {"host.caches.0.bytes", .value = INTEGER_CELL(4096)});
    assert_true(subject_cache(record, 0, &cache));
    record_free(record);
}
