/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sched.h>

#include "uarchprobe/topology.h"

static struct topology *load_synthetic(const char *description)
{
    struct fault fault = {0};

    setenv("HWLOC_SYNTHETIC", description, 1);
    struct topology *topology = topology_load(&fault);
    unsetenv("HWLOC_SYNTHETIC");
    assert_non_null(topology);
    assert_int_equal(fault.status, STATUS_OK);
    return topology;
}

TEST(test_smt_caches_nodes)
{
    struct topology *topology = load_synthetic(
        "pack:2 [numa] l3:2(size=33554432) l2:4(size=1048576) "
        "l1d:1(size=32768) core:1 pu:2");

    assert_int_equal(topology->packages, 2);
    assert_int_equal(topology->numa_nodes, 2);
    assert_int_equal(topology->l3_groups, 4);
    assert_int_equal(topology->cores, 16);
    assert_int_equal(topology->cpus, 32);
    assert_int_equal(topology->place_count, 32);
    assert_int_equal(topology_place(topology, 1)->sibling, 1);
    assert_int_equal(topology_cache_bytes(topology, 0, 1), 32768);
    assert_int_equal(topology_cache_bytes(topology, 0, 3), 33554432);
    assert_int_equal(topology_last_level(topology, 0), 3);
    topology_free(topology);
}

TEST(test_relations)
{
    static const struct {
        const char *machine;
        int with_0[4];
        enum relation relation[4];
    } rows[] = {
        {"pack:2 [numa] l3:2 l2:4 core:1 pu:2", {1, 2, 8, 16}, {SAME_CORE, SAME_L3, SAME_NODE, SAME_MACHINE}},
        {"pack:1 l3:1 l2:2 core:4 pu:1", {0, 3, 4, 7}, {SAME_CPU, SAME_L2, SAME_L3, SAME_L3}},
        {"pack:2 numa:2 core:2 pu:1", {0, 1, 2, 4}, {SAME_CPU, SAME_NODE, SAME_PACKAGE, SAME_MACHINE}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct topology *topology = load_synthetic(rows[i].machine);
        for (int k = 0; k < 4; k++)
            assert_int_equal(topology_relation(topology, 0, rows[i].with_0[k]), rows[i].relation[k]);
        topology_free(topology);
    }
}

TEST(test_numbers_with_holes_and_without_zero)
{
    struct topology *topology = load_synthetic("core:4 pu:1(indexes=9,3,5,4)");
    char text[64];

    assert_int_equal(topology->place_count, 4);
    assert_null(topology_place(topology, 0));
    assert_null(topology_place(topology, 6));
    assert_non_null(topology_place(topology, 9));
    topology_allowed_text(topology, text, sizeof(text));
    assert_string_equal(text, "3-5,9");
    topology_free(topology);
}

TEST(test_small_and_large_machines)
{
    struct topology *topology = load_synthetic("pu:1");
    assert_int_equal(topology->place_count, 1);
    assert_int_equal(topology->place[0].kind, 0);
    assert_int_equal(topology->place[0].sibling, 0);
    topology_free(topology);
    topology = load_synthetic("pack:2 numa:4 core:150 pu:2");
    assert_int_equal(topology->place_count, 2400);
    assert_int_equal(topology->place[2399].id, 2399);
    assert_int_equal(topology->place[2399].sibling, 1);
    assert_int_equal(topology->place[2399].node, 7);
    topology_free(topology);
}

TEST(test_this_machine_matches_the_affinity_mask)
{
    struct fault fault = {0};
    cpu_set_t mask;
    struct topology *topology = topology_load(&fault);

    assert_non_null(topology);
    if (sched_getaffinity(0, sizeof(mask), &mask) != 0)
        skip(); /* more CPUs than such a mask has */
    assert_int_equal(topology->place_count, CPU_COUNT(&mask));
    for (int i = 0; i < topology->place_count; i++) {
        assert_true(CPU_ISSET(topology->place[i].id, &mask));
        assert_true(i == 0 || topology->place[i].id > topology->place[i - 1].id);
    }
    topology_free(topology);
}

TEST(test_reduced_affinity_is_respected)
{
    struct fault fault = {0};
    cpu_set_t before, last;
    struct topology *whole = topology_load(&fault);

    assert_non_null(whole);
    const int cpu = whole->place[whole->place_count - 1].id;
    topology_free(whole);
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    CPU_ZERO(&last);
    CPU_SET(cpu, &last);
    assert_int_equal(sched_setaffinity(0, sizeof(last), &last), 0);
    struct topology *topology = topology_load(&fault);
    sched_setaffinity(0, sizeof(before), &before);
    assert_non_null(topology);
    assert_int_equal(topology->place_count, 1);
    assert_int_equal(topology->place[0].id, cpu);
    topology_free(topology);
}

/* A node near to CPUs that count for another one has none; and it may have no memory. */
TEST(test_nodes_with_and_without_cpus_or_memory)
{
    struct topology *topology = load_synthetic("[numa(memory=4GB)] package:2 [numa(memory=0)] core:2 pu:1");
    struct numa_node node[4];
    int cpus = 0, empty = 0;
    assert_int_equal(topology_nodes(topology, node, 4), 3);
    for (int i = 0; i < 3; i++) {
        cpus += node[i].cpus;
        empty += node[i].cpus == 0;
    }
    assert_int_equal(cpus, 4);
    assert_true(empty > 0);
    assert_int_equal(topology_nodes(topology, node, 1), 1);
    topology_free(topology);
}
