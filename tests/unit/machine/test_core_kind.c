/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "machine/topology_internal.h"

static void free_topology(void *topology, size_t count)
{
    (void)count;
    topology_free(topology);
}

static struct topology *load(const char *file)
{
    struct fault fault = {0};
    char path[256];
    snprintf(path, sizeof path, TEST_DATA "/topology/%s.xml", file);
    setenv("HWLOC_XMLFILE", path, 1);
    struct topology *topology = topology_load(&fault);
    unsetenv("HWLOC_XMLFILE");
    assert_non_null(topology);
    return own(topology, 1, free_topology);
}

struct row {
    int level;
    uint64_t kib;
    int instances;
    const char *cpus;
};

static void has_caches(const char *file, const struct row *rows, int count)
{
    const struct topology *topology = load(file);
    assert_int_equal(topology->cache_count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(topology->cache[i].level, rows[i].level);
        assert_int_equal(topology->cache[i].bytes, rows[i].kib << 10);
        assert_int_equal(topology->cache[i].instances, rows[i].instances);
        assert_string_equal(topology->cache[i].cpus, rows[i].cpus);
    }
}

TEST(caches_are_those_of_each_cpu)
{
    static const struct row hybrid[] = {{1, 48, 2, "0-1"},
                                        {1, 32, 4, "2-5"},
                                        {2, 1280, 2, "0-1"},
                                        {2, 2048, 1, "2-5"},
                                        {3, 24576, 1, "0-5"}},
                            stacked[] = {{1, 32, 4, "0-3"},
                                         {2, 1024, 4, "0-3"},
                                         {3, 98304, 1, "0-1"},
                                         {3, 32768, 1, "2-3"}};
    has_caches("two-large-four-small", hybrid, 5);
    has_caches("two-l3-sizes", stacked, 4);
    has_caches("no-caches", NULL, 0);
    const struct topology *topology = load("two-l3-sizes");
    assert_int_equal(topology_cache_bytes(topology, 1, 3), 96 << 20);
    assert_int_equal(topology_cache_bytes(topology, 2, 3), 32 << 20);
    topology = load("no-caches");
    assert_int_equal(topology_last_level(topology, 0), 0);
}

TEST(other_caches_near_the_core_make_a_kind)
{
    const struct topology *topology = load("two-large-four-small");
    assert_int_equal(topology->kind_count, 2);
    assert_string_equal(topology->kind[0].cpus, "0-1");
    assert_int_equal(topology->kind[0].cores, 2);
    assert_int_equal(topology->kind[0].rank, 1);
    assert_string_equal(topology->kind[1].cpus, "2-5");
    assert_int_equal(topology->kind[1].cores, 4);
    assert_int_equal(topology->kind[1].rank, 0);
    assert_ptr_equal(topology_kind(topology, 3), &topology->kind[1]);
}

TEST(neither_a_frequency_nor_a_last_cache_makes_a_kind)
{
    static const char *const files[] = {"preferred-cores", "two-l3-sizes", "no-caches", "memory-only-node"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct topology *topology = load(files[i]);
        assert_int_equal(topology->kind_count, 1);
        assert_int_equal(topology->kind[0].cores, topology->cores);
    }
}

/* Two CPUs of which this is known. */
static int kinds_of(uint64_t caches_a, uint64_t caches_b, struct core_evidence a, struct core_evidence b)
{
    struct topology topology = {.cache_count = 4,
                                .cache = {{.level = 1, .type = 'd', .bytes = 48 << 10},
                                          {.level = 1, .type = 'd', .bytes = 32 << 10},
                                          {.level = 3, .type = 'u', .bytes = 96 << 20},
                                          {.level = 3, .type = 'u', .bytes = 32 << 20}}};
    struct cpu_place place[] = {{.id = 0, .caches = caches_a}, {.id = 1, .core = 1, .caches = caches_b}};
    const struct core_evidence evidence[] = {a, b};
    topology_find_kinds(&topology, place, evidence, 2);
    return topology.kind_count;
}

TEST(a_number_proves_more_than_a_type_and_a_type_more_than_caches)
{
    const struct core_evidence nothing = {.rank = -1}, fast = {.rank = 1}, slow = {.rank = 0},
                               one = {.number = 1, .type = "IntelCore"},
                               same = {.number = 1, .type = "IntelAtom"},
                               two = {.number = 2, .type = "IntelCore"}, core = {.type = "IntelCore"},
                               atom = {.type = "IntelAtom"};
    assert_int_equal(kinds_of(1, 2, one, same), 1);
    assert_int_equal(kinds_of(1, 1, one, two), 2);
    assert_int_equal(kinds_of(1, 2, core, core), 1);
    assert_int_equal(kinds_of(1, 1, core, atom), 2);
    assert_int_equal(kinds_of(1, 2, nothing, nothing), 2);
    assert_int_equal(kinds_of(1, 2, one, nothing), 2);
    assert_int_equal(kinds_of(1, 1, fast, slow), 1);
    assert_int_equal(kinds_of(1 | 4, 1 | 8, nothing, nothing), 1);
}

/* A control group refuses the first and the last CPU, and only CPUID knows the caches. */
TEST(a_cpu_that_nobody_could_ask_is_no_kind_of_its_own)
{
    struct topology alike = {.cache_count = 1, .cache = {{.level = 1, .type = 'd', .bytes = 48 << 10}}},
                    hybrid = {.cache_count = 2,
                              .cache = {{.level = 1, .type = 'd', .bytes = 48 << 10},
                                        {.level = 1, .type = 'd', .bytes = 32 << 10}}},
                    dark = {0};
    const struct core_evidence nothing[4] = {{.rank = -1}, {.rank = -1}, {.rank = -1}, {.rank = -1}};
    struct cpu_place place[] = {{.core = 0}, {.core = 1, .caches = 1}, {.core = 2, .caches = 1}, {.core = 3}};
    topology_find_kinds(&alike, place, nothing, 4);
    assert_int_equal(alike.kind_count, 1);
    assert_int_equal(alike.kind[0].cores, 4);
    assert_int_equal(place[0].kind, 0);
    place[2].caches = 2;
    topology_find_kinds(&hybrid, place, nothing, 4);
    assert_int_equal(hybrid.kind_count, 2);
    assert_int_equal(hybrid.kind[0].cores, 1);
    assert_int_equal(place[1].kind, 0);
    assert_int_equal(place[2].kind, 1);
    assert_int_equal(place[0].kind, -1);
    assert_int_equal(place[3].kind, -1);
    topology_find_kinds(&dark, place, nothing, 4);
    assert_int_equal(dark.kind_count, 1);
    assert_int_equal(dark.kind[0].cores, 4);
}
