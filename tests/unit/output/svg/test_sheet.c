/* SPDX-License-Identifier: MIT */
#include "../fixture.h"
#include "output/svg/sheet.h"

static void found(struct record *record, const char *key, struct cell value, const char *unit,
                  enum trust trust)
{
    record_answer(record, (struct answer){.key = key, .value = value, .unit = unit, .trust = trust});
}

static char *sheet_of(const struct record *record)
{
    struct text out = {0};
    svg_sheet(record, &out);
    return text_take(&out);
}

static size_t occurrences(const char *text, const char *of)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, of)); at += strlen(of))
        count++;
    return count;
}

/* The answers of a report's commands, each with the line of its trust. */
TEST(numbers_stand_in_their_blocks)
{
    struct record *record = record_new();
    struct record *ram = record_child_add(record), *stores = record_child_add(record);
    add_facts(record);
    found(ram, "ram.L1.latency", REAL_CELL(1.25), "ns", TRUST_HIGH);
    found(ram, "ram.L1.read", REAL_CELL(300.0 * (1 << 30)), "Byte/s", TRUST_MEDIUM);
    found(stores, "store_buffer.entries", INTEGER_CELL(64), "entries", TRUST_LOW);
    found(stores, "store_buffer.state", TEXT_CELL("mixed"), NULL, TRUST_LOW);
    record_quote(stores, "store_buffer.entries", (struct quote){.value = INTEGER_CELL(72)});
    char *sheet = sheet_of(record);
    assert_non_null(strstr(sheet, ">1.2</text>"));
    assert_non_null(strstr(sheet, ">300</text>"));
    assert_non_null(strstr(sheet, ">64</text>"));
    assert_non_null(strstr(sheet, ">published 72</text>"));
    assert_non_null(strstr(sheet, ">48 KiB</text>"));
    assert_non_null(strstr(sheet, ">full size; half while the sibling works</text>"));
    assert_int_equal(occurrences(sheet, "v14h-"), 64);
    /* Of each trust one number, and its sample in the foot. */
    assert_int_equal(occurrences(sheet, "class=\"u\""), 2);
    assert_int_equal(occurrences(sheet, "class=\"u u1\""), 2);
    assert_int_equal(occurrences(sheet, "class=\"u u0\""), 2);
    assert_non_null(strstr(sheet, "Made up &lt;CPU&gt;"));
    free(sheet);
    record_free(record);
}

TEST(what_does_not_repeat_has_its_range)
{
    for (enum trust trust = TRUST_LOW; trust <= TRUST_MEDIUM; trust++) {
        struct record *record = record_new();
        record_answer(record, (struct answer){.key = "ram.L3.latency",
                                              .value = REAL_CELL(40),
                                              .low = REAL_CELL(17),
                                              .high = REAL_CELL(130),
                                              .ghz = 3.7,
                                              .unit = "ns",
                                              .trust = trust,
                                              .text = "a sentence"});
        char *sheet = sheet_of(record);
        assert_int_equal(occurrences(sheet,
                                     ">17\xe2\x80\x93"
                                     "130<"),
                         trust == TRUST_LOW);
        assert_int_equal(occurrences(sheet, "148 cycles"), trust != TRUST_LOW);
        free(sheet);
        record_free(record);
    }
}

TEST(what_was_not_measured_is_a_dash)
{
    struct record *record = record_new();
    char *sheet = sheet_of(record);
    assert_int_equal(occurrences(sheet, ">\xe2\x80\x93<"), 4 * 4 + 3 + 1);
    assert_null(strstr(sheet, "nan"));
    assert_null(strstr(sheet, ">0"));
    free(sheet);
    record_free(record);
}

/* Null is what the machine does not say of itself. */
TEST(what_is_unknown_of_the_machine_is_left_out)
{
    struct record *record = record_new();
    RECORD_FACTS(record, {"host.memory_bytes", .value = NO_CELL}, {"host.topology.cores", .value = NO_CELL},
                 {"host.topology.cpus", .value = NO_CELL});
    char *sheet = sheet_of(record);
    assert_null(strstr(sheet, "nan"));
    assert_null(strstr(sheet, " B</text>"));
    free(sheet);
    record_free(record);
}

/* In a guest they may be threads of cores; what was found of that stands in the answers. */
TEST(cores_are_counted_where_no_host_hides_them)
{
    for (int guest = 0; guest < 2; guest++) {
        struct record *record = record_new();
        RECORD_FACTS(record, {"host.hypervisor", .value = TEXT_CELL(guest ? "KVM" : "none")},
                     {"host.topology.cores", .value = INTEGER_CELL(2)},
                     {"host.topology.cpus", .value = INTEGER_CELL(2)});
        char *sheet = sheet_of(record);
        assert_int_equal(occurrences(sheet, "2 CPUs"), 1);
        assert_int_equal(occurrences(sheet, "2 cores"), !guest);
        free(sheet);
        record_free(record);
    }
}

TEST(distances_have_their_names)
{
    struct record *record = record_new();
    struct answer near = {.key = "cas.one_core", .value = REAL_CELL(10.3), .unit = "ns", .state = "one core"};
    record_answer(record, near);
    record_answer(record, (struct answer){.key = "cas.beyond_one_l3",
                                          .value = REAL_CELL(105),
                                          .unit = "ns",
                                          .state = "beyond one L3"});
    char *sheet = sheet_of(record);
    assert_non_null(strstr(sheet, ">10.3</text>"));
    assert_non_null(strstr(sheet, ">105</text>"));
    assert_non_null(strstr(sheet, ">beyond one L3</text>"));
    free(sheet);
    record_free(record);
}

/* What a clock makes of a time and of a rate, and what others have published. */
TEST(numbers_have_their_context)
{
    struct record *record = record_new();
    record_answer(record,
                  (struct answer){.key = "ram.L2.latency", .value = REAL_CELL(5), .unit = "ns", .ghz = 3.2});
    record_answer(record, (struct answer){
                              .key = "ram.L2.read", .value = REAL_CELL(1e11), .unit = "Byte/s", .ghz = 2.5});
    found(record, "stlf.forwarded", REAL_CELL(5), "core cycles", TRUST_HIGH);
    found(record, "stlf.failed_forward_penalty", REAL_CELL(14), "core cycles", TRUST_HIGH);
    record_quote(record, "ram.L2.latency", (struct quote){.value = REAL_CELL(14)});
    found(record, "stlf.forwarded_loops", REAL_CELL(5.2), "core cycles", TRUST_HIGH);
    found(record, "ram.L1.read", REAL_CELL(1e11), "Byte/s", TRUST_HIGH);
    record_quote(record, "ram.L1.read", (struct quote){REAL_CELL(64), "bytes/core cycle", NULL});
    record_quote(record, "stlf.forwarded_loops", (struct quote){.value = REAL_CELL(5.1)});
    char *sheet = sheet_of(record);
    assert_non_null(strstr(sheet, ">16 cycles</text>"));
    assert_non_null(strstr(sheet, ">40.0 B</text>"));
    assert_non_null(strstr(sheet, ">published 14</text>"));
    assert_non_null(strstr(sheet, ">loops 5.2, publ. 5.1</text>"));
    assert_non_null(strstr(sheet, ">of 64</text>"));
    assert_int_equal(occurrences(sheet, "published"), 1);
    free(sheet);
    record_free(record);
}

/* What a load takes that is not renamed is no number of renaming. */
TEST(renaming_has_its_cycles_and_its_pairs)
{
    struct record *record = record_new();
    found(record, "stlf.fast_address", REAL_CELL(6.88), "core cycles", TRUST_HIGH);
    found(record, "stlf.renamed", REAL_CELL(1.0), "core cycles", TRUST_HIGH);
    found(record, "stlf.renamed_pairs", INTEGER_CELL(24), "pairs", TRUST_HIGH);
    char *sheet = sheet_of(record);
    assert_non_null(strstr(sheet, ">1.0</text>"));
    assert_non_null(strstr(sheet, ">up to 24 pairs</text>"));
    assert_null(strstr(sheet, "6.9"));
    free(sheet);
    record_free(record);
    record = record_new();
    found(record, "stlf.renamed_pairs", INTEGER_CELL(24), "pairs", TRUST_LOW);
    sheet = sheet_of(record);
    assert_null(strstr(sheet, "24 pairs"));
    free(sheet);
    record_free(record);
    record = record_new();
    found(record, "stlf.renamed_pairs", INTEGER_CELL(0), "pairs", TRUST_HIGH);
    sheet = sheet_of(record);
    assert_non_null(strstr(sheet, ">no load is renamed</text>"));
    free(sheet);
    record_free(record);
}
