/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "uarchprobe/topology.h"

static struct cpu_place places[] = {
    {.id = 2, .core = 0, .l2 = 0, .l3 = 0, .node = 0, .package = 0, .sibling = 0, .kind = -1},
    {.id = 4, .core = -1, .l2 = -1, .l3 = -1, .node = -1, .package = -1, .sibling = 0, .kind = -1},
    {.id = 6, .core = -1, .l2 = -1, .l3 = -1, .node = -1, .package = -1, .sibling = 0, .kind = -1},
};
static const struct topology scripted = {
    .place_count = 3,
    .place = places,
    .cache_count = 4,
    .cache = {{.level = 1, .type = 'd', .bytes = 32768},
              {.level = 1, .type = 'i', .bytes = 65536},
              {.level = 2, .type = 'u', .bytes = 1048576},
              {.level = 3, .type = 'u', .bytes = 33554432}},
};

TEST(test_unknown_places_are_not_related)
{
    assert_int_equal(topology_relation(&scripted, 4, 4), SAME_CPU);
    assert_int_equal(topology_relation(&scripted, 4, 6), SAME_MACHINE);
    assert_int_equal(topology_relation(&scripted, 2, 99), SAME_MACHINE);
}

TEST(test_select_keeps_the_users_order)
{
    static struct cpu_list wanted = {.count = 2, .id = {6, 2}}, chosen;
    struct fault fault = {0};

    assert_int_equal(topology_select(&scripted, &wanted, &chosen, &fault), STATUS_OK);
    assert_int_equal(chosen.count, 2);
    assert_int_equal(chosen.id[0], 6);
    assert_int_equal(chosen.id[1], 2);
    wanted = (struct cpu_list){.all = true};
    assert_int_equal(topology_select(&scripted, &wanted, &chosen, &fault), STATUS_OK);
    assert_int_equal(chosen.count, 3);
    assert_int_equal(chosen.id[0], 2);
}

static void refused(int cpu, const char *reason)
{
    static struct cpu_list wanted, chosen;
    struct fault fault = {0};

    wanted = (struct cpu_list){.count = 1, .id = {cpu}};
    assert_int_equal(topology_select(&scripted, &wanted, &chosen, &fault), STATUS_NO_RESOURCE);
    assert_non_null(strstr(fault.text, reason));
    assert_non_null(strstr(fault.text, "2,4,6"));
}

/* The tree shows CPUs 0-7 present, of which 0-2 and 4-7 online. */
TEST(test_refusal_names_the_reason)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    refused(9, "does not exist");
    refused(3, "is offline");
    refused(7, "not allowed");
    unsetenv("UARCHPROBE_SYSROOT");
}

TEST(test_allowed_text_is_cut_not_overrun)
{
    char text[8];

    topology_allowed_text(&scripted, text, sizeof(text));
    assert_string_equal(text, "2,4,...");
}

/* As where the CPUs of a package are every other one. */
TEST(a_step_is_spelt)
{
    static const struct {
        int count, id[8];
        const char *text;
    } cases[] = {{5, {0, 2, 4, 6, 8}, "0-8:2"},
                 {4, {0, 2, 4, 6}, "0,2,4,6"},
                 {8, {1, 2, 3, 8, 12, 16, 20, 24}, "1-3,8-24:4"},
                 {1, {7}, "7"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cpu_place place[8] = {{0}};
        struct topology topology = {.place = place, .place_count = cases[i].count};
        struct cpu_list list;
        struct fault fault = {0};
        char text[64];
        for (int k = 0; k < cases[i].count; k++)
            place[k].id = cases[i].id[k];
        topology_allowed_text(&topology, text, sizeof(text));
        assert_string_equal(text, cases[i].text);
        assert_int_equal(parse_cpu_list(text, &list, &fault), STATUS_OK);
        assert_int_equal(list.count, cases[i].count);
    }
}

TEST(the_longest_line_counts)
{
    static const int lines[] = {64, 128, 256};
    const struct topology bare = {0};

    assert_int_equal(topology_line_bytes(&bare, 0), 64);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct cpu_place place = {.id = 3, .caches = 3};
        const struct topology topology = {
            .place_count = 1,
            .place = &place,
            .cache = {{.level = 1, .line = 64}, {.level = 2, .line = lines[i]}, {.level = 3, .line = 512}},
            .cache_count = 3};
        assert_int_equal(topology_line_bytes(&topology, 3), lines[i]);
    }
}
