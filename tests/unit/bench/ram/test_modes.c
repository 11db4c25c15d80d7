/* SPDX-License-Identifier: MIT */
/* The rows of crossover, nodes and share on simulated samples: which answers there are, where they stand, and
 * what their trust is. */
#include "test.h"

#include "../../engine/simulated_lab.h"
#include "../scripted.h"
#include "bench/ram/modes.h"

static struct sim sim;
static struct ram_params params;

static bool never(void *context)
{
    return false;
}

/* Replaces the samples of each experiment by simulated ones, whatever its kernels are. */
static double (*simulated)(const struct point *point);

static void run_simulated(const struct experiment *experiments, size_t count, struct run *run)
{
    static const struct sim_script quiet = {.name = "quiet"};
    for (size_t i = 0; i < count; i++) {
        struct series series[64] = {0};
        struct experiment experiment = experiments[i];
        for (size_t s = 0; experiment.series[s].name; s++) {
            series[s] = experiment.series[s];
            series[s].kernel = NULL;
            series[s].timed[0] = NULL;
        }
        experiment.series = series;
        experiment.sample = simulated;
        experiment.has_place = NULL;
        experiment.period_s = 0;
        sim_start(&sim, &quiet, i + 1);
        sim_measured(&sim, &experiment, experiment.own, run->record,
                     (struct engine_effort){.rounds = 40, .least = 40}, -1);
    }
}

/* What a mode answers on a machine. */
static struct record *measured(enum status (*mode)(struct run *run, struct fault *fault),
                               double (*sample)(const struct point *point), const struct topology *topology)
{
    static const struct cpu cpu = {.hypervisor = "none"};
    static const struct common common;
    struct run run = {.common = &common,
                      .cpu = &cpu,
                      .interrupted = never,
                      .params = &params,
                      .topology = topology,
                      .clock = &scripted_clock,
                      .record = record_new(),
                      .kernels.allowed = features_usable()};
    struct fault fault = {0}, taken = {0};
    run.taken = &taken;
    run.cpus.count = topology->place_count;
    for (int i = 0; i < run.cpus.count; i++)
        run.cpus.id[i] = topology->place[i].id;
    simulated = sample;
    script_begin();
    scripted.run = run_simulated;
    /* The mode may miss the memory that nobody made. */
    if (mode(&run, &fault) != STATUS_OK && fault.status != STATUS_NO_RESOURCE)
        fail_msg("%s", fault.text);
    return run.record;
}

static const struct answer *found(const struct record *record, const char *key)
{
    const struct answer *answer = record_answer_find(record, key, NULL);
    if (!answer)
        fail_msg("no %s", key);
    return answer;
}

static struct cpu_place place[] = {{.id = 0, .caches = 7}, {.id = 1, .caches = 7}};
static const struct topology small = {
    .cpus = 2,
    .place_count = 2,
    .place = place,
    .page_bytes = 4096,
    .l3_groups = 1,
    .cache_count = 3,
    .cache = {{1, 'd', 32 << 10, 64, 8, 2}, {2, 'u', 64 << 10, 64, 8, 2}, {3, 'u', 1 << 20, 64, 16, 1}}};

enum { STRING_FROM = 4096, STREAMING_FROM = 1 << 20 };

/* ns of a KiB, or bytes a second. */
static double copy(const struct point *point)
{
    const char *name = point->series->name;
    sim.now_s += 1e-4;
    if (point->x < 256)
        return point->x == 1 ? 100e9 : 20e9;
    return strcmp(name, "string") == 0         ? point->x < STRING_FROM ? 20 : 10.2
           : strcmp(name, "non-temporal") == 0 ? point->x < STREAMING_FROM ? 15 : 8
           : strcmp(name, "line") == 0         ? 9
                                               : 10;
}

TEST(a_crossover_lies_where_the_times_cross)
{
    static const struct {
        const char *key;
        double low, high;
        bool is_promised;
    } rows[] = {{"ram.crossover.copy.string", STRING_FROM / 1.5, STRING_FROM},
                {"ram.crossover.copy.nontemporal", STREAMING_FROM / 1.5, STREAMING_FROM},
                {"ram.crossover.copy.library", STREAMING_FROM / 1.5, STREAMING_FROM},
                {"ram.crossover.all.copy.nontemporal", STREAMING_FROM / 1.5, STREAMING_FROM},
                {"ram.crossover.zero.string", STRING_FROM / 1.5, STRING_FROM, true},
                {"ram.crossover.zero.nontemporal", STREAMING_FROM / 1.5, STREAMING_FROM},
                {"ram.zero.L2.vector", 100e9, 100e9, true},
                {"ram.zero.L2.library", 100e9, 100e9, true},
                {"ram.zero.memory.vector", 20e9, 20e9, true},
                {"ram.zero.memory.pages", 20e9, 20e9, true}};
    struct record *record = measured(ram_crossover, copy, &small);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct answer *answer = found(record, rows[i].key);
        const double value = cell_number(&answer->value);
        if (!(value >= rows[i].low * 0.999 && value <= rows[i].high * 1.001) ||
            (answer->trust > TRUST_LOW) != rows[i].is_promised)
            fail_msg("%s: %g, %s", rows[i].key, value, trust_names[answer->trust]);
    }
    record_free(record);
}

/* Of route a.b the latency is 100 ns, and 50 more to another node. */
static double reach(const struct point *point)
{
    const char *name = point->series->name;
    sim.now_s += 1e-4;
    return point->x == 1 ? 100 + 50 * (name[0] != name[2]) : 30e9 - 10e9 * (name[0] != name[2]);
}

TEST(each_node_reaches_each_memory)
{
    struct fault fault = {0};
    setenv("HWLOC_SYNTHETIC", "node:2 core:1 pu:1", 1);
    struct topology *two = topology_load(&fault);
    unsetenv("HWLOC_SYNTHETIC");
    assert_non_null(two);
    struct record *record = measured(ram_nodes, reach, two);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            char key[64];
            snprintf(key, sizeof key, "ram.nodes.%d.%d.latency", a, b);
            assert_float_equal(cell_number(&found(record, key)->value), a == b ? 100 : 150, 0.1);
            snprintf(key, sizeof key, "ram.nodes.%d.%d.read", a, b);
            const struct answer *read = found(record, key);
            assert_float_equal(cell_number(&read->value), a == b ? 30e9 : 20e9, 1e6);
            snprintf(key, sizeof key, "read/node_%d/memory_%d", a, b);
            assert_string_equal(read->sheet_cell, key);
        }
    assert_null(record_answer_find(record, "ram.nodes.0.cpus", NULL));
    record_free(record);
    topology_free(two);
}

static double half(const struct point *point)
{
    sim.now_s += 0.05;
    return 512 << 10;
}

TEST(a_share_is_a_range_and_what_is_shown_is_known)
{
    params = (struct ram_params){.share_s = 1};
    struct record *record = measured(ram_share, half, &small);
    assert_float_equal(cell_number(&found(record, "ram.share.bytes")->value), 512 << 10, 1);
    assert_int_equal(found(record, "ram.share.bytes")->trust, TRUST_LOW);
    assert_float_equal(cell_number(&found(record, "ram.share.shown")->value), 1 << 20, 1);
    assert_int_equal(found(record, "ram.share.shown")->trust, TRUST_HIGH);
    record_free(record);
}
