/* SPDX-License-Identifier: MIT */
/* Dumps of other CPUs, and files that are none. */
#include "test.h"

#include <dirent.h>
#include <unistd.h>

#include "uarchprobe/cpu.h"
#include "uarchprobe/topology.h"

#define SSE4 (FEATURE_BIT(SSE2) | FEATURE_BIT(SSE4_1) | FEATURE_BIT(INVARIANT_TSC))
#define YMM (SSE4 | FEATURE_BIT(AVX) | FEATURE_BIT(AVX2))
#define ZMM (YMM | FEATURE_BIT(AVX512F))
#define NO_CLOCK(set) ((set) & ~FEATURE_BIT(INVARIANT_TSC))

static const struct {
    const char *file, *vendor;
    int family, model;
    const char *codename, *core;
    feature_set features;
    int l1_kib, l2_kib; /* 0: libcpuid 0.6.2 does not know */
} dumps[] = {
    {"haswell", "GenuineIntel", 6, 0x3c, "Haswell", "Haswell", YMM, 32, 256},
    {"skylake_avx512", "GenuineIntel", 6, 0x55, "Skylake-SP", "Skylake", ZMM, 32, 1024},
    {"ice_lake", "GenuineIntel", 6, 0x7e, "Ice Lake", "Sunny Cove", ZMM, 48, 512},
    {"alder_lake", "GenuineIntel", 6, 0x97, "Alder Lake", "Golden Cove", YMM, 48, 1280},
    {"gracemont", "GenuineIntel", 6, 0xbe, "Gracemont", "Gracemont", YMM, 32, 2048},
    /* A guest of which the hypervisor shows model 167 and AMX at once, and the same without both. */
    {"guest_model_167_amx", "GenuineIntel", 6, 167, "", CPU_CORE_AMX, ZMM, 48, 2048},
    {"model_167_plain", "GenuineIntel", 6, 167, "Rocket Lake", "Cypress Cove", ZMM, 48, 2048},
    {"qemu", "GenuineIntel", 6, 0xd, "", NULL, FEATURE_BIT(SSE2), 32, 4096},
    {"k10", "AuthenticAMD", 16, 2, "", NULL, FEATURE_BIT(SSE2) | FEATURE_BIT(INVARIANT_TSC), 64, 512},
    {"zen", "AuthenticAMD", 23, 1, "Zen", "Zen", YMM, 32, 512},
    {"zen_2", "AuthenticAMD", 23, 0x71, "Matisse (Zen 2)", "Zen 2", YMM, 32, 512},
    {"zen_4", "AuthenticAMD", 25, 0x61, "Zen 4", "Zen 4", ZMM, 32, 1024},
    {"zen_5", "AuthenticAMD", 26, 0x44, "Zen 5", "Zen 5", ZMM, 48, 1024},
    {"dhyana", "HygonGenuine", 24, 0, "Dhyana", "Dhyana", YMM, 32, 512},
    {"via_nano", "CentaurHauls", 6, 0xf, "", NULL, FEATURE_BIT(SSE2), 0, 0},
    /* Zhaoxin's family 7 has extended models. */
    {"lujiazui", "CentaurHauls", 7, 59, "Lujiazui", NULL, SSE4 | FEATURE_BIT(AVX), 0, 0},
    {"lujiazui_leaf_4", "CentaurHauls", 7, 59, "Lujiazui", NULL, NO_CLOCK(SSE4) | FEATURE_BIT(AVX), 32, 4096},
    /* The first of three rows of leaf 13 has the states that the CPU saves. */
    {"zen_3_without_subleaves", "AuthenticAMD", 25, 0x21, "Vermeer (Zen 3)", "Zen 3", NO_CLOCK(YMM), 32, 512},
    {"yongfeng", "CentaurHauls", 7, 91, "Yongfeng", NULL, YMM, 0, 0},
    /* Large cores alone: the hybrid bit is clear and leaf 0x1a answers 0. */
    {"alder_lake_large_cores", "GenuineIntel", 6, 0x97, "Alder Lake", "Golden Cove", NO_CLOCK(ZMM), 48, 1280},
    {"bartlett_lake", "GenuineIntel", 6, 0xd7, "Bartlett Lake", "Raptor Cove", NO_CLOCK(YMM), 48, 2048},
    {"arrow_lake", "GenuineIntel", 6, 0xc6, "Arrow Lake", "Lion Cove", NO_CLOCK(YMM), 48, 3072},
    {"meteor_lake", "GenuineIntel", 6, 0xaa, "Meteor Lake", "Redwood Cove", NO_CLOCK(YMM), 48, 2048},
};

static uint64_t kib_of(const struct topology *topology, int level)
{
    for (int i = 0; i < topology->cache_count; i++)
        if (topology->cache[i].level == level && topology->cache[i].type != 'i')
            return topology->cache[i].bytes / 1024;
    return 0;
}

TEST(each_dump_is_replayed)
{
    for (size_t i = 0; i < sizeof dumps / sizeof *dumps; i++) {
        struct fault fault = {0};
        struct topology *topology = NULL;
        struct cpu cpu;
        char path[256];

        snprintf(path, sizeof path, TEST_DATA "/cpuid/%s.txt", dumps[i].file);
        print_message("%s\n", dumps[i].file);
        assert_int_equal(cpu_replay(path, &cpu, &topology, &fault), STATUS_OK);
        assert_string_equal(cpu.arch, "x86_64");
        assert_string_equal(cpu.vendor, dumps[i].vendor);
        assert_int_equal(cpu.family, dumps[i].family);
        assert_int_equal(cpu.model, dumps[i].model);
        assert_string_equal(cpu.codename, dumps[i].codename);
        assert_int_equal(cpu.core != NULL, dumps[i].core != NULL);
        if (cpu.core)
            assert_string_equal(cpu.core, dumps[i].core);
        /* These are in no row: nothing but a kernel asks for them. */
        const feature_set others = FEATURE_BIT(RDPID) | FEATURE_BIT(RDTSCP) | FEATURE_BIT(ZERO_LINE);
        assert_int_equal(cpu.features & ~others, dumps[i].features);
        if (cpu_library_version() && dumps[i].l1_kib > 0) {
            assert_int_equal(kib_of(topology, 1), dumps[i].l1_kib);
            assert_int_equal(kib_of(topology, 2), dumps[i].l2_kib);
        }
        topology_free(topology);
    }
}

/* Sizes in KiB; sharing by the APIC numbers of the CPUs that the dump holds. instances 0: unknown of one
 * CPU. */
TEST(caches_are_those_of_each_cpu_by_leaf_4_or_0x8000001d)
{
    static const struct {
        const char *file;
        struct {
            int level;
            char type;
            uint64_t kib;
            int line, ways, instances;
            const char *cpus;
        } rows[12];
    } all[] = {
        {"zen_3_without_subleaves",
         {{1, 'd', 32, 64, 8, 0, "0"},
          {1, 'i', 32, 64, 8, 0, "0"},
          {2, 'u', 512, 64, 8, 0, "0"},
          {3, 'u', 98304, 64, 16, 0, "0"}}},
        {"lujiazui_leaf_4",
         {{1, 'd', 32, 64, 8, 0, "0"}, {1, 'i', 32, 64, 8, 0, "0"}, {2, 'u', 4096, 64, 16, 0, "0"}}},
        {"arrow_lake",
         {{1, 'd', 48, 64, 12, 1, "0"},
          {1, 'd', 32, 64, 8, 1, "1"},
          {1, 'i', 64, 64, 16, 1, "0"},
          {1, 'i', 64, 64, 8, 1, "1"},
          {2, 'u', 3072, 64, 12, 1, "0"},
          {2, 'u', 4096, 64, 16, 1, "1"},
          {3, 'u', 30720, 64, 10, 1, "0-1"}}},
        {"meteor_lake",
         {{1, 'd', 48, 64, 12, 1, "0"},
          {1, 'd', 32, 64, 8, 2, "1-2"},
          {1, 'i', 64, 64, 16, 1, "0"},
          {1, 'i', 64, 64, 8, 2, "1-2"},
          {2, 'u', 2048, 64, 16, 3, "0-2"},
          {3, 'u', 24576, 64, 12, 1, "0-1"}}},
    };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct fault fault = {0};
        struct topology *topology = NULL;
        struct cpu cpu;
        char path[256];
        int row = 0;
        snprintf(path, sizeof path, TEST_DATA "/cpuid/%s.txt", all[i].file);
        assert_int_equal(cpu_replay(path, &cpu, &topology, &fault), STATUS_OK);
        for (; all[i].rows[row].level; row++) {
            const struct cache *cache = &topology->cache[row];
            print_message("%s, row %d\n", all[i].file, row);
            assert_int_equal(cache->level, all[i].rows[row].level);
            assert_int_equal(cache->type, all[i].rows[row].type);
            assert_int_equal(cache->bytes, all[i].rows[row].kib << 10);
            assert_int_equal(cache->line, all[i].rows[row].line);
            assert_int_equal(cache->ways, all[i].rows[row].ways);
            assert_int_equal(cache->instances, all[i].rows[row].instances);
            assert_string_equal(cache->cpus, all[i].rows[row].cpus);
        }
        assert_int_equal(topology->cache_count, row);
        topology_free(topology);
    }
}

TEST(kinds_of_a_dump_are_named)
{
    static const struct {
        const char *file, *names[3], *cpus[3];
    } all[] = {{"arrow_lake", {"Lion Cove", "Skymont"}, {"0", "1"}},
               {"meteor_lake", {"Redwood Cove", "Crestmont"}, {"0", "1-2"}},
               {"bartlett_lake", {"Raptor Cove"}, {"0"}},
               {"zen_5", {"Zen 5"}, {"0"}}};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct fault fault = {0};
        struct topology *topology = NULL;
        struct cpu cpu;
        char path[256];
        int kind = 0;
        snprintf(path, sizeof path, TEST_DATA "/cpuid/%s.txt", all[i].file);
        assert_int_equal(cpu_replay(path, &cpu, &topology, &fault), STATUS_OK);
        for (; all[i].names[kind]; kind++) {
            assert_string_equal(topology->kind[kind].name, all[i].names[kind]);
            assert_string_equal(topology->kind[kind].cpus, all[i].cpus[kind]);
        }
        assert_int_equal(topology->kind_count, kind);
        topology_free(topology);
    }
}

/* Zhaoxin's cores have no names of their own. The number may fall, and a dump that raises it needs a row
 * in codenames.def. */
TEST(a_code_name_without_a_core_is_zhaoxin)
{
    enum { NAMELESS_MOST = 3 };
    DIR *folder = opendir(TEST_DATA "/cpuid");
    int nameless = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct fault fault = {0};
        struct topology *topology = NULL;
        struct cpu cpu;
        char path[512];
        snprintf(path, sizeof path, TEST_DATA "/cpuid/%s", entry->d_name);
        if (!strstr(entry->d_name, ".txt"))
            continue;
        assert_int_equal(cpu_replay(path, &cpu, &topology, &fault), STATUS_OK);
        if (*cpu.codename && !cpu.core)
            print_message("no core: %s\n", entry->d_name);
        nameless += *cpu.codename && !cpu.core;
        topology_free(topology);
    }
    closedir(folder);
    assert_in_range(nameless, 0, NAMELESS_MOST);
}

static enum status replay_text(const char *text, size_t length, struct cpu *cpu, struct fault *fault)
{
    char path[] = "/tmp/uarchprobe-dump-XXXXXX";
    const int fd = mkstemp(path);
    struct topology *topology = NULL;

    assert_int_equal(write(fd, text, length), length);
    close(fd);
    *fault = (struct fault){0};
    const enum status status = cpu_replay(path, cpu, &topology, fault);
    remove(path);
    topology_free(topology);
    assert_null(strchr(fault->text, '\n'));
    return status;
}

/* Vendor "  Shanghai  ", which libcpuid 0.6.2 does not take; as a table of `info --raw`, as JSON, as AIDA64 writes it. */
TEST(each_way_of_writing_is_read)
{
    static const char *const texts[] = {
        "basic_cpuid[0]=0000000d 68532020 20206961 68676e61\nbasic_cpuid[1]=000307b0 0 0 0\n",
        "Tool\n  basic_cpuid[0]        0000000d 68532020 20206961 68676e61\n  basic_cpuid[1]   000307b0 0 0 "
        "0\n",
        "{\n \"basic_cpuid[0]\": \"0000000d 68532020 20206961 68676e61\",\n \"basic_cpuid[1]\": \"000307b0 0 "
        "0 0\"}\n",
        "CPUID 00000000: 0000000D-68532020-20206961-68676E61 [  Shanghai  ]\nCPUID 00000001: "
        "000307B0-0-0-0\n",
        "CPUID 00000000  \t0000000D-68532020-20206961-68676E61\nCPUID 00000001 : 000307B0 0 0 0\n",
        "CPUID 00000000 :0000000D-68532020-20206961-68676E61\nCPUID 00000001: 000307B0-0-0-0\n",
        "version=0.7.0\n\n_________________ Logical CPU #0 _________________\n"
        "basic_cpuid[0]=0000000d 68532020 20206961 68676e61\nbasic_cpuid[1]=000307b0 0 0 0\n"
        "\n_________________ Logical CPU #1 _________________\nbasic_cpuid[1]=000306a0 0 0 0\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fault fault;
        struct cpu cpu;
        assert_int_equal(replay_text(texts[i], strlen(texts[i]), &cpu, &fault), STATUS_OK);
        assert_string_equal(cpu.vendor, "Shanghai");
        assert_int_equal(cpu.family, 7);
        assert_int_equal(cpu.model, 59);
        assert_string_equal(cpu.codename, "Lujiazui");
    }
}

TEST(what_is_no_dump_is_refused_in_one_line)
{
    static char zeros[1 << 16], version[70000];
    struct fault fault = {0};
    struct topology *topology = NULL;
    struct cpu cpu;

    memset(version, 'A', sizeof version);
    memcpy(version, "version=", 8);
    assert_int_equal(replay_text("", 0, &cpu, &fault), STATUS_USAGE);
    assert_int_equal(replay_text(zeros, sizeof zeros, &cpu, &fault), STATUS_USAGE);
    assert_int_equal(replay_text(version, sizeof version, &cpu, &fault), STATUS_USAGE);
    /* A line without a number, one beyond the table, a leaf 0 alone. */
    const char *half = "basic_cpuid[0]=0000000d 68532020\nbasic_cpuid[99]=1 1 1 1\nbasic_cpuid[0]=1 2 3 4\n";
    assert_int_equal(replay_text(half, strlen(half), &cpu, &fault), STATUS_USAGE);
    fault = (struct fault){0};
    assert_int_equal(cpu_replay("/nonexistent", &cpu, &topology, &fault), STATUS_USAGE);
    fault = (struct fault){0};
    assert_int_equal(cpu_replay("/", &cpu, &topology, &fault), STATUS_USAGE);
    fault = (struct fault){0};
    assert_int_equal(cpu_replay("/dev/zero", &cpu, &topology, &fault), STATUS_USAGE);
}

/* Leaf 11 of a hypervisor that shows no thread to a core: libcpuid divides by it. */
TEST(numbers_that_no_cpu_has_do_no_harm)
{
    const char *text =
        "basic_cpuid[0]=ffffffff 756e6547 6c65746e 49656e69\nbasic_cpuid[1]=ffffffff ffffffff ffffffff "
        "ffffffff\n"
        "basic_cpuid[7]=ffffffff ffffffff ffffffff ffffffff\next_cpuid[0]=ffffffff 0 0 0\n"
        "intel_fn11[0]=1 00010000 00000100 0\nintel_fn11[1]=4 00010000 00000200 0\n"
        "intel_fn4[0]=ffffff21 ffffffff ffffffff ffffffff\n";
    struct fault fault;
    struct cpu cpu;

    assert_int_equal(replay_text(text, strlen(text), &cpu, &fault), STATUS_OK);
    assert_int_equal(cpu.family, 270);
}
