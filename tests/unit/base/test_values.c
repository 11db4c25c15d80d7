/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <float.h>

#include "uarchprobe/values.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* A refusal is one line, says what was wrong with which text, and is a usage error. */
static void assert_refused(enum status status, const struct fault *fault, const char *item)
{
    assert_int_equal(status, STATUS_USAGE);
    assert_int_equal(fault->status, STATUS_USAGE);
    assert_null(strchr(fault->text, '\n'));
    if (!strstr(fault->text, item))
        fail_msg("'%s' does not name '%s'", fault->text, item);
}

TEST(sizes_are_read)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {
        {"1", 1},
        {"4096", 4096},
        {"007", 7},
        {"12b", 12},
        {"3k", 3000},
        {"3K", 3000},
        {"3kb", 3000},
        {"3ki", 3072},
        {"3KiB", 3072},
        {"3kIb", 3072},
        {"2m", 2000000},
        {"64mi", UINT64_C(64) << 20},
        {"2MB", 2000000},
        {"1g", 1000000000},
        {"1gi", UINT64_C(1) << 30},
        {"1GIB", UINT64_C(1) << 30},
        {"8589934591gi", UINT64_C(8589934591) << 30},
        {"9223372036854775807", INT64_MAX},
    };
    for (size_t i = 0; i < LENGTH(good); i++) {
        struct fault fault = {0};
        uint64_t bytes = 0;
        assert_int_equal(parse_size(good[i].text, &bytes, &fault), STATUS_OK);
        assert_int_equal(fault.status, STATUS_OK);
        assert_true(bytes == good[i].bytes);
    }
}

static const char *const bad_sizes[] = {
    "0",
    "0k",
    "-1",
    "+1",
    "1e99",
    "10xb",
    "0x10",
    "1.5g",
    "1,5",
    " 1",
    "1 ",
    "1 k",
    "k",
    "ki",
    "b",
    "ib",
    "1i",
    "1ib",
    "1kk",
    "1bk",
    "1kib1",
    "1t",
    "1kbi",
    "\t1",
    "1\n",
    "8589934592gi",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999999999",
    "18446744073709551617k",
    "all",
    "auto",
};

TEST(bad_sizes_are_refused)
{
    for (size_t i = 0; i < LENGTH(bad_sizes); i++) {
        struct fault fault = {0};
        uint64_t bytes = 77;
        assert_refused(parse_size(bad_sizes[i], &bytes, &fault), &fault, "size");
        assert_true(bytes == 77);
    }
    struct fault fault = {0};
    uint64_t bytes;
    assert_refused(parse_size("", &bytes, &fault), &fault, "''");
}

TEST(size_lists_are_read)
{
    struct size_list list;
    struct fault fault = {0};
    assert_int_equal(parse_size_list("64mi,1gi,5,5", &list, &fault), STATUS_OK);
    assert_int_equal(list.count, 4);
    assert_true(list.bytes[0] == UINT64_C(64) << 20 && list.bytes[1] == UINT64_C(1) << 30);
    assert_true(list.bytes[2] == 5 && list.bytes[3] == 5);
}

TEST(bad_size_lists_are_refused)
{
    static const struct {
        const char *text, *named;
    } bad[] = {
        {"", "''"},         {",", "','"},     {"64mi,,1gi", "'64mi,,1gi'"},
        {"1,", "'1,'"},     {",1", "',1'"},   {"1,0,2", "'0'"},
        {"1,2x,3", "'2x'"}, {"1, 2", "' 2'"}, {"4k,-1", "'-1'"},
    };
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct size_list list;
        struct fault fault = {0};
        assert_refused(parse_size_list(bad[i].text, &list, &fault), &fault, bad[i].named);
    }
}

TEST(lists_end_at_their_capacity)
{
    char text[4 * (SIZE_LIST_MAX + 1)] = "1";
    struct size_list list;
    struct fault fault = {0};
    for (int i = 1; i < SIZE_LIST_MAX; i++)
        strcat(text, ",1");
    assert_int_equal(parse_size_list(text, &list, &fault), STATUS_OK);
    assert_int_equal(list.count, SIZE_LIST_MAX);
    strcat(text, ",9");
    assert_refused(parse_size_list(text, &list, &fault), &fault, "'9'");
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
    assert_true(list.all);
    assert_int_equal(list.count, 0);
    assert_int_equal(parse_cpu_list("0-8191", &list, &fault), STATUS_OK);
    assert_int_equal(list.count, CPU_LIST_MAX);
    assert_int_equal(list.id[CPU_LIST_MAX - 1], CPU_LIST_MAX - 1);
}

TEST(bad_cpu_lists_are_refused)
{
    static const struct {
        const char *text, *named;
    } bad[] = {
        {"", "''"},
        {"0,,1", "'0,,1'"},
        {"0,", "'0,'"},
        {"3-1", "'3-1'"},
        {"0-", "'0-'"},
        {"-1", "'-1'"},
        {"0-3:", "'0-3:'"},
        {"0-3:0", "'0-3:0'"},
        {"3:2", "'3:2'"},
        {"0,1,0", "CPU 0"},
        {"0-3,2", "CPU 2"},
        {"8192", "'8192'"},
        {"0-8192", "8191"},
        {"a", "'a'"},
        {"0 1", "'0 1'"},
        {"all,1", "'all'"},
        {"ALL", "'ALL'"},
        {"0x1", "'0x1'"},
        {"1.5", "'1.5'"},
        {"0-3:2/4", "'0-3:2/4'"},
        {"0-1-2", "'0-1-2'"},
        {"+1", "'+1'"},
        {"18446744073709551616", "'18446744073709551616'"},
    };
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct cpu_list list;
        struct fault fault = {0};
        assert_refused(parse_cpu_list(bad[i].text, &list, &fault), &fault, bad[i].named);
    }
}

TEST(ranges)
{
    static const char *const bad[] = {"",  "-",  "5-",  "-5",  "5-1",  "1-2-3",
                                      "a", "1.", "1 2", "0x1", "1--2", "1-9223372036854775808"};
    struct range range;
    struct fault fault = {0};
    assert_int_equal(parse_range("5", &range, &fault), STATUS_OK);
    assert_true(range.first == 5 && range.last == 5);
    assert_int_equal(parse_range("1-140", &range, &fault), STATUS_OK);
    assert_true(range.first == 1 && range.last == 140);
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct fault refusal = {0};
        assert_refused(parse_range(bad[i], &range, &refusal), &refusal, bad[i]);
    }
}

TEST(counts)
{
    static const char *const bad[] = {"", "0", "11", "-1", "+3", "1e1", " 5", "5 ", "3x", "0x3", "3.0"};
    struct fault fault = {0};
    uint64_t value = 0;
    assert_int_equal(parse_count("1", 1, 10, &value, &fault), STATUS_OK);
    assert_true(value == 1);
    assert_int_equal(parse_count("10", 1, 10, &value, &fault), STATUS_OK);
    assert_true(value == 10);
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct fault refusal = {0};
        assert_refused(parse_count(bad[i], 1, 10, &value, &refusal), &refusal, "from 1 to 10");
        assert_true(value == 10);
    }
    assert_refused(parse_count("9223372036854775808", 1, UINT64_MAX, &value, &fault), &fault, "from 1 up");
}

TEST(reals)
{
    static const char *const bad[] = {"",    ".",  "-1", "+1",    "1e3", "inf", "nan", "0x1p3",
                                      "1,5", "1 ", " 1", "1.2.3", "0.4", "11",  "10.1"};
    struct fault fault = {0};
    double value = 0;
    assert_int_equal(parse_real("2.5", 0.5, 10, &value, &fault), STATUS_OK);
    assert_true(value == 2.5);
    assert_int_equal(parse_real(".5", 0.5, 10, &value, &fault), STATUS_OK);
    assert_int_equal(parse_real("10", 0.5, 10, &value, &fault), STATUS_OK);
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct fault refusal = {0};
        assert_refused(parse_real(bad[i], 0.5, 10, &value, &refusal), &refusal, "from 0.5 to 10");
        assert_true(value == 10);
    }
}

TEST(a_real_too_large_for_a_double_is_refused)
{
    char text[400];
    double value = 1;
    struct fault fault = {0};
    memset(text, '9', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_refused(parse_real(text, 0, DBL_MAX, &value, &fault), &fault, "from 0 up");
    assert_true(value == 1);
}

TEST(names)
{
    static const char *const bad[] = {"", ",", "a,,b", "a,", "a b", "a\nb"};
    char long_name[NAME_MAX_LENGTH + 1] = {0};
    struct name_list list;
    struct fault fault = {0};
    assert_int_equal(parse_name_list("sse2,avx2", &list, &fault), STATUS_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.name[0], "sse2");
    assert_string_equal(list.name[1], "avx2");
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct fault refusal = {0};
        assert_refused(parse_name_list(bad[i], &list, &refusal), &refusal, "names");
    }
    memset(long_name, 'x', NAME_MAX_LENGTH);
    assert_refused(parse_name_list(long_name, &list, &fault), &fault, "names");
}

TEST(a_long_text_does_not_hide_the_reason)
{
    char text[4096];
    uint64_t bytes;
    struct fault fault = {0};
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_refused(parse_size(text, &bytes, &fault), &fault, "...'");
    assert_non_null(strstr(fault.text, "powers of 1024"));
}
