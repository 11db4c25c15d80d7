/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <float.h>

#include "uarchprobe/option.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum parser { SIZES, CPUS, RANGE, COUNT, REAL, NAMES };

/* Counts from 1 to 10, reals from 0.5 to 10. */
static enum status parse(enum parser parser, const char *text, struct fault *fault)
{
    struct size_list sizes;
    struct cpu_list cpus;
    struct range range;
    struct name_list names;
    uint64_t number = 77;
    double real = 77;
    const enum status status = parser == SIZES   ? parse_size_list(text, &sizes, fault)
                               : parser == CPUS  ? parse_cpu_list(text, &cpus, fault)
                               : parser == RANGE ? parse_range(text, &range, fault)
                               : parser == COUNT ? parse_count(text, 1, 10, &number, fault)
                               : parser == REAL  ? parse_real(text, 0.5, 10, &real, fault)
                                                 : parse_name_list(text, &names, fault);
    assert_true(status == STATUS_OK || (number == 77 && real == 77));
    return status;
}

/* A refusal is one line, says what was wrong with which text, and is a usage error. */
static void assert_refused(enum parser parser, const char *text, const char *named)
{
    struct fault fault = {0};
    if (parse(parser, text, &fault) != STATUS_USAGE || fault.status != STATUS_USAGE)
        fail_msg("'%s' is taken", text);
    assert_null(strchr(fault.text, '\n'));
    if (!strstr(fault.text, named))
        fail_msg("'%s' does not name '%s'", fault.text, named);
}

TEST(bad_texts_are_refused)
{
    /* named NULL: the text itself, in quotes. */
    static const struct {
        enum parser parser;
        const char *named, *text[36];
    } bad[] = {
        {SIZES,
         "size",
         {"0", "0k", "-1", "+1", "1e99", "10xb", "0x10", "1.5g", " 1", "1 ", "1 k", "k", "ki", "b", "ib"}},
        {SIZES,
         "size",
         {"1i", "1ib", "1kk", "1bk", "1kib1", "1t", "1kbi", "\t1", "1\n", "all", "auto", "8589934592gi"}},
        {SIZES, "size", {"9223372036854775808", "18446744073709551616", "18446744073709551617k"}},
        {SIZES, NULL, {"", ",", "64mi,,1gi", "1,", ",1"}},
        {SIZES, "'0'", {"1,0,2"}},
        {SIZES, "'2x'", {"1,2x,3"}},
        {SIZES, "' 2'", {"1, 2"}},
        {CPUS,
         NULL,
         {"", "0,,1", "0,", "3-1", "0-", "-1", "0-3:", "0-3:0", "3:2", "8192", "a", "0 1", "ALL", "0x1",
          "1.5", "0-3:2/4", "0-1-2", "+1", "18446744073709551616"}},
        {CPUS, "CPU 0", {"0,1,0"}},
        {CPUS, "CPU 2", {"0-3,2"}},
        {CPUS, "8191", {"0-8192"}},
        {CPUS, "'all'", {"all,1"}},
        {RANGE,
         NULL,
         {"", "-", "5-", "-5", "5-1", "1-2-3", "a", "1.", "1 2", "0x1", "1--2", "1-9223372036854775808"}},
        {COUNT, "from 1 to 10", {"", "0", "11", "-1", "+3", "1e1", " 5", "5 ", "3x", "0x3", "3.0"}},
        {REAL,
         "from 0.5 to 10",
         {"", ".", "-1", "+1", "1e3", "inf", "nan", "0x1p3", "1,5", "1 ", " 1", "1.2.3", "0.4", "11",
          "10.1"}},
        {NAMES,
         "names",
         {"", ",", "a,,b", "a,", "a b", "a\nb", "012345678901234567890123456789012345678901234567"}},
    };
    for (size_t i = 0; i < LENGTH(bad); i++) {
        for (size_t k = 0; bad[i].text[k]; k++) {
            char quoted[64];
            snprintf(quoted, sizeof(quoted), "'%s'", bad[i].text[k]);
            assert_refused(bad[i].parser, bad[i].text[k], bad[i].named ? bad[i].named : quoted);
        }
    }
}

TEST(sizes_are_read)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"1", 1},
                {"007", 7},
                {"12b", 12},
                {"3k", 3000},
                {"3K", 3000},
                {"3kb", 3000},
                {"3ki", 3072},
                {"3KiB", 3072},
                {"3kIb", 3072},
                {"2m", 2000000},
                {"2MB", 2000000},
                {"64mi", 67108864},
                {"1g", 1000000000},
                {"1GIB", 1073741824},
                {"8589934591gi", INT64_MAX - 1073741823},
                {"9223372036854775807", INT64_MAX}};
    for (size_t i = 0; i < LENGTH(good); i++) {
        struct fault fault = {0};
        struct size_list list;
        assert_int_equal(parse_size_list(good[i].text, &list, &fault), STATUS_OK);
        assert_true(fault.status == STATUS_OK && list.count == 1 && list.bytes[0] == good[i].bytes);
    }
}

TEST(ranges_of_sizes_are_read)
{
    struct fault fault = {0};
    struct size_list list;
    assert_int_equal(parse_size_list("2ki-1GiB", &list, &fault), STATUS_OK);
    assert_true(list.is_range && list.count == 2 && list.bytes[0] == 2048 && list.bytes[1] == 1 << 30);
    assert_int_equal(parse_size_list("5,6", &list, &fault), STATUS_OK);
    assert_false(list.is_range);
    assert_refused(SIZES, "2ki-", "''");
    assert_refused(SIZES, "-2ki", "'-2ki'");
    assert_refused(SIZES, "1gi-2ki", "'1gi-2ki'");
    assert_refused(SIZES, "2ki-2ki", "'2ki-2ki'");
    assert_refused(SIZES, "2ki-4ki,8ki", "'2ki-4ki'");
}

TEST(lists_end_at_their_capacity)
{
    char text[4 * (SIZE_LIST_MAX + 1)] = "1";
    struct size_list list;
    struct fault fault = {0};
    for (int i = 1; i < SIZE_LIST_MAX; i++)
        strcat(text, ",5");
    assert_int_equal(parse_size_list(text, &list, &fault), STATUS_OK);
    assert_int_equal(list.count, SIZE_LIST_MAX);
    assert_true(list.bytes[0] == 1 && list.bytes[1] == 5 && list.bytes[2] == 5);
    strcat(text, ",9");
    assert_refused(SIZES, text, "'9'");
}

TEST(cpu_lists_are_read)
{
    static const struct {
        const char *text;
        int count, id[8];
    } good[] = {
        {"0", 1, {0}},           {"0-3,8", 5, {0, 1, 2, 3, 8}},
        {"8,0-1", 3, {8, 0, 1}}, {"0-6:2", 4, {0, 2, 4, 6}},
        {"1-6:2", 3, {1, 3, 5}}, {"3-3", 1, {3}},
        {"0-7:100", 1, {0}},     {"5-8:18446744073709551615", 1, {5}},
        {"8191", 1, {8191}},     {"0-4:2,1-3:2", 5, {0, 2, 4, 1, 3}},
    };
    for (size_t i = 0; i < LENGTH(good); i++) {
        struct cpu_list list;
        struct fault fault = {0};
        assert_int_equal(parse_cpu_list(good[i].text, &list, &fault), STATUS_OK);
        assert_false(list.all);
        assert_int_equal(list.count, good[i].count);
        assert_memory_equal(list.id, good[i].id, sizeof(int) * (size_t)good[i].count);
    }
}

TEST(all_cpus_and_the_whole_range)
{
    struct cpu_list list;
    struct fault fault = {0};
    assert_int_equal(parse_cpu_list("all", &list, &fault), STATUS_OK);
    assert_true(list.all && !list.all_kinds && list.count == 0);
    assert_int_equal(parse_cpu_list("all-kinds", &list, &fault), STATUS_OK);
    assert_true(list.all && list.all_kinds && list.count == 0);
    assert_int_equal(parse_cpu_list("0-8191", &list, &fault), STATUS_OK);
    assert_true(list.count == CPU_LIST_MAX && list.id[CPU_LIST_MAX - 1] == CPU_LIST_MAX - 1);
}

TEST(numbers_and_names_are_read)
{
    struct range range;
    struct name_list names;
    struct fault fault = {0};
    uint64_t value = 0;
    double real = 0;
    assert_true(parse_range("5", &range, &fault) == STATUS_OK && range.first == 5 && range.last == 5);
    assert_true(parse_range("1-140", &range, &fault) == STATUS_OK && range.first == 1 && range.last == 140);
    assert_true(parse_count("1", 1, 10, &value, &fault) == STATUS_OK && value == 1);
    assert_true(parse_count("10", 1, 10, &value, &fault) == STATUS_OK && value == 10);
    assert_true(parse_real(".5", 0.5, 10, &real, &fault) == STATUS_OK && real == 0.5);
    assert_true(parse_real("10", 0.5, 10, &real, &fault) == STATUS_OK && real == 10);
    assert_true(parse_name_list("sse2,avx2", &names, &fault) == STATUS_OK && names.count == 2);
    assert_true(strcmp(names.name[0], "sse2") == 0 && strcmp(names.name[1], "avx2") == 0);
}

/* Values that no type can hold. */
TEST(numbers_without_a_bound_end_at_their_type)
{
    char text[400];
    struct fault count = {0}, real = {0};
    uint64_t number;
    double value = 1;
    memset(text, '9', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(parse_count("9223372036854775808", 1, UINT64_MAX, &number, &count), STATUS_USAGE);
    assert_non_null(strstr(count.text, "from 1 up"));
    assert_int_equal(parse_real(text, 0, DBL_MAX, &value, &real), STATUS_USAGE);
    assert_non_null(strstr(real.text, "from 0 up"));
    assert_true(value == 1);
}

TEST(a_long_text_does_not_hide_the_reason)
{
    char text[4096];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_refused(SIZES, text, "...'");
    assert_refused(SIZES, text, "powers of 1024");
}
