/* SPDX-License-Identifier: MIT */
/* Loads and passes over memory that take a known time. */
#include "test.h"

#include "../scripted.h"
#include "bench/ram/modes.h"
#include "bench/ram/ram.h"
#include "engine/arena.h"
#include "uarchprobe/run.h"

/* Ticks of a load: in a chain; drawn from few lines, from many, from as many pages. */
enum { CHASED = 8, FEW = 14, MANY = 60, PAGES = 100, FEW_LINES = 64 };

static uint64_t walk(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(n * CHASED);
    return (uint64_t)(uintptr_t)a;
}

static uint64_t draw(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(n * (m <= FEW_LINES ? FEW : (uintptr_t)b == RAM_LINE ? MANY : PAGES));
    return x;
}

static const struct kernel walks = {.name = "walk", .operation = OPERATION_LATENCY, .entry = walk},
                           draws = {.name = "draw", .operation = OPERATION_DRAW, .entry = draw};

/* Two ticks, a nanosecond, for each byte of a pass. */
static uint64_t pass(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(2 * n * m);
    return 0;
}

static const struct kernel reads = {
    .name = "pass", .operation = OPERATION_READ, .method = METHOD_VECTOR, .bits = 256, .entry = pass};

static double ns(double ticks)
{
    return ticks * scripted_clock.ns_per_tick;
}

static const struct kernel *scripted_update; /* NULL: those of the program */

static void begin(void)
{
    script_begin();
    scripted.is_of_all = scripted.is_ns = true;
    scripted.kernel[0] = &walks;
    scripted.kernel[1] = &draws;
    scripted.kernel[2] = &reads;
    scripted.kernel[3] = scripted_update;
}

TEST(a_draw_takes_what_it_takes)
{
    static unsigned char data[1 << 20];
    struct ram_set set = {
        .memory.data = data, .bytes = sizeof data, .draw = &draws, .state = 1, .clock = &scripted_clock};
    begin();
    assert_float_equal(ram_set_draw(&set, 0, sizeof data, 100), ns(MANY), 1e-9);
    assert_float_equal(ram_set_draw(&set, 4096, 8192, 100), ns(FEW), 1e-9); /* 64 lines */
    assert_float_equal(ram_set_median(&set, 0, sizeof data, 10, 5), ns(MANY), 1e-9);
    const struct point few = {.clock = &scripted_clock};
    assert_float_equal(time_work(&few, &ram_drawn_few), ns(FEW), 1e-9);
    assert_float_equal(time_work(&few, &ram_chased_few), ns(CHASED), 1e-9);
    assert_float_equal(ram_drawing_ns(&scripted_clock), ns(FEW - CHASED), 1e-9);
}

/* In L1 a slice is whole passes, of memory a part of one, the last of which is larger. A load of a draw is
 * less the drawing. */
TEST(a_lane_takes_what_it_takes)
{
    enum { BYTES = (1 << 20) - RAM_LINE_MOST };
    static const struct {
        const struct kernel *kernel;
        int level;
        uint64_t bytes, passes;
        double ticks; /* of a pass, or of a load */
    } rows[] = {{&reads, 1, 4096, 40, 2 * 4096},
                {&reads, 4, BYTES, 3, 2.0 * BYTES},
                {&walks, 4, BYTES, 100, CHASED},
                {&draws, 4, BYTES, 100, MANY - FEW + CHASED}};
    struct core_clock core_clock = {.clock = &scripted_clock};
    struct run run = {.core_clock = &core_clock};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct ram_crew crew = {.threads = 1, .beyond = BYTES};
        const struct working_set set = {.crew = &crew, .level = rows[i].level};
        struct ram_point point = {.kernel = rows[i].kernel,
                                  .set = &set,
                                  .bytes = rows[i].bytes,
                                  .kernel_bytes = rows[i].bytes,
                                  .level = rows[i].level};
        struct ram_plan plan = {
            .last_level = 3, .line_bytes = RAM_LINE, .page_bytes = 4096, .points = &point};
        struct ram_memory memory = {.loads = 0};
        unsigned char *data = aligned_alloc(4096, 2 << 20);
        struct ram_lane lane = {
            .source.data = data, .target.data = data, .chain.data = data, .memory = &memory};
        struct ram ram = {.run = &run, .plan = &plan, .point = &point, .passes = rows[i].passes};
        memset(data, 0, 2 << 20);
        begin();
        ram_sample_lane(&ram, &lane);
        print_message("row %zu: %.2f ns\n", i, lane.ns);
        assert_float_equal(lane.ns, ns(rows[i].ticks), 0.1);
        samples_free(&lane.slices);
        free(data);
    }
}

/* A machine of two levels below the last cache, one thread of it. */
static struct cpu_place place = {.caches = 7};
static struct topology topology = {
    .cpus = 1,
    .place_count = 1,
    .place = &place,
    .page_bytes = 4096,
    .l3_groups = 1,
    .cache_count = 3,
    .cache = {{1, 'd', 32 << 10, 64, 8, 1}, {2, 'u', 64 << 10, 64, 8, 1}, {3, 'u', 1 << 20, 64, 16, 1}}};
static struct common common;
static struct ram_params params;
static int cpus = 1; /* 2: the same one, twice */

static bool never(void *context)
{
    return false;
}

static void release_record(void *record, size_t count)
{
    record_free(record);
}

/* Runs a mode, whose experiments the script's `run` then gets. */
static void take(enum status (*mode)(struct run *run, struct fault *fault),
                 void (*run_in_its_place)(const struct experiment *, size_t, struct run *))
{
    static const struct cpu cpu = {.hypervisor = "none"};
    struct run run = {.common = &common,
                      .cpu = &cpu,
                      .interrupted = never,
                      .params = &params,
                      .topology = &topology,
                      .clock = &scripted_clock,
                      .record = own(record_new(), 1, release_record),
                      .kernels.allowed = features_usable()};
    struct fault fault = {0}, taken = {0};
    run.taken = &taken;
    run.cpus.count = cpus;
    run.cpus.id[0] = run.cpus.id[1] = place.id = sched_getcpu();
    begin();
    scripted.run = run_in_its_place;
    if (mode(&run, &fault) != STATUS_OK)
        fail_msg("%s", fault.text);
}

/* What a run promises is what its samples show, but for rows that a series showed to be others in the next
 * run. */
static void expect_caps(const struct experiment *experiments, size_t count)
{
    static const struct {
        const char *key;
        bool is_range, is_capped;
    } rows[] = {{"ram.crossover.copy.string", true},
                {"ram.zero.L2.vector"},
                {"ram.zero.memory.vector", false, true},
                {"ram.zero.memory.pages", false, true}};
    size_t seen = 0;
    for (size_t i = 0; i < count; i++)
        for (const struct metric *metric = experiments[i].metrics; metric->key; metric++)
            for (size_t row = 0; row < COUNT_OF(rows); row++)
                if (strcmp(metric->key, rows[row].key) == 0) {
                    seen++;
                    assert_int_equal(metric->range, rows[row].is_range);
                    assert_int_equal(metric->classes, rows[row].is_capped);
                }
    assert_int_equal(seen, COUNT_OF(rows));
}

/* Members of a team begin at the same time. */
static bool run_script_team(void *context, struct team *team, const int *member, int count, team_task *task,
                            void *task_context, double planned_s)
{
    const uint64_t begin = atomic_load(&scripted.ticks);
    uint64_t end = begin;
    for (int i = 0; i < count; i++) {
        atomic_store(&scripted.ticks, begin);
        task(task_context, member ? member[i] : i);
        end = atomic_load(&scripted.ticks) > end ? atomic_load(&scripted.ticks) : end;
    }
    atomic_store(&scripted.ticks, end);
    return true;
}

static uint64_t script_now_ns(void *context)
{
    return clock_now_ns();
}

static uint64_t script_ticks(void *context)
{
    return clock_ticks();
}

static const struct engine_machine machine = {
    .now_ns = script_now_ns, .ticks = script_ticks, .run_team = run_script_team};

/* An experiment on the script's machine, with its memory. */
struct bench {
    struct lab lab;
    struct arena arena;
};

static struct bench opened(const struct experiment *experiment, struct run *run)
{
    struct bench bench = {.lab = {.experiment = experiment,
                                  .run = run,
                                  .own = context_new(experiment, NULL),
                                  .machine = &machine,
                                  .cpus = 1}};
    struct fault fault = {0};
    const char *remark;
    if (experiment->team.count > 0)
        bench.lab.members = members_new(&experiment->team, true, &fault);
    if (arena_open(&bench.arena, experiment, run, &remark, &fault) != STATUS_OK ||
        (experiment->open && experiment->open(run, &bench.lab.own, &fault) != STATUS_OK))
        fail_msg("%s", fault.text);
    arena_lay_out(&bench.arena, run, bench.lab.own, &fault);
    bench.lab.memory = arena_memory(&bench.arena);
    return bench;
}

static void bench_close(struct bench *bench)
{
    const struct experiment *experiment = bench->lab.experiment;
    if (experiment->close)
        experiment->close(bench->lab.own);
    members_free(bench->lab.members);
    arena_close(&bench->arena);
    context_free(experiment, bench->lab.own);
}

/* x 0: the first of the series. */
static double taken(const struct bench *bench, const char *series, const struct kernel *kernel, uint64_t x)
{
    const struct series *row = bench->lab.experiment->series;
    while (row->name && strcmp(row->name, series) != 0)
        row++;
    assert_non_null(row->name);
    const struct course course = {.series = row, .kernel = kernel, .iterations = 1};
    return lab_sample(&bench->lab, &course, x ? x : row->range.first);
}

/* The work of the program's own kernel, in a nanosecond for each byte. */
static const struct kernel *updates;

static uint64_t update(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    script_pass(2 * n * m);
    return updates->entry(a, b, n, m, x, y);
}

/* By one thread and by two at once. An update reads and writes each byte. */
static void run_scale(const struct experiment *experiment, size_t count, struct run *run)
{
    enum { READ = 0, UPDATE = SCALE_TASKS - 1, TWO = SCALE_TASKS };
    double value[2 * SCALE_TASKS + 2];
    struct bench bench = opened(experiment, run);
    experiment->sample_all(&(struct point){.own = bench.lab.own,
                                           .clock = &scripted_clock,
                                           .machine = &machine,
                                           .members = bench.lab.members},
                           value);
    for (int threads = 1; threads <= 2; threads++) {
        const double *of = value + (threads - 1) * TWO;
        assert_float_equal(of[READ], threads * 1e9, 1e-3);
        assert_float_equal(of[UPDATE], threads * 2e9, 1e-3);
    }
    assert_int_equal(value[2 * SCALE_TASKS + 1], 0); /* the last thread adds more */
    bench_close(&bench);
}

TEST(a_thread_of_scale_takes_what_it_takes)
{
    static struct kernel kernel;
    const struct kernel_filter any = {.allowed = features_usable()};
    scripted.kernel[0] = NULL;
    updates = kernel_next(&any, OPERATION_UPDATE, NULL);
    kernel = *updates;
    kernel.entry = update;
    scripted_update = &kernel;
    params = (struct ram_params){0};
    cpus = 2;
    take(ram_scale, run_scale);
    cpus = 1;
    scripted_update = NULL;
}

/* From a node to the memory of one: x 1 is a load less its drawing, x 2 the bytes of a second. */
static void run_nodes(const struct experiment *experiment, size_t count, struct run *run)
{
    struct bench bench = opened(experiment, run);
    for (const struct series *s = experiment->series; s->name; s++)
        for (uint64_t x = s->range.first; x <= s->range.last; x++)
            assert_float_equal(taken(&bench, s->name, NULL, x), x == 1 ? ns(MANY - FEW + CHASED) : cpus * 1e9,
                               1e-3);
    bench_close(&bench);
}

TEST(a_node_takes_what_it_takes)
{
    struct fault fault = {0};
    struct numa_node node[2];
    struct topology *here = topology_load(&fault);
    const struct cpu_place *at = here ? topology_place(here, sched_getcpu()) : NULL;
    params = (struct ram_params){0};
    /* Of several nodes a sandbox may not tell which has a page. */
    const bool has_one = at && topology_nodes(here, node, 2) == 1;
    if (has_one) {
        topology.machine = here->machine;
        place.node = at->node;
        for (cpus = 1; cpus <= 2; cpus++)
            take(ram_nodes, run_nodes);
        cpus = 1;
        topology.machine = NULL;
    }
    topology_free(here);
    if (!has_one)
        skip();
}

/* A KiB takes 1,024 ns, by one thread and by two at once. */
static void run_crossover(const struct experiment *experiments, size_t count, struct run *run)
{
    expect_caps(experiments, count);
    static const struct kernel copies = {.operation = OPERATION_COPY, .entry = pass};
    for (size_t i = 0; i < count; i++) {
        const bool is_zeros = strcmp(experiments[i].name, "zeros") == 0;
        struct bench bench = opened(&experiments[i], run);
        for (uint64_t x = 4096; x <= 1 << 20; x *= 4)
            assert_float_equal(taken(&bench, is_zeros ? "vector" : "non-temporal", &copies, x), 1024, 1e-6);
        if (is_zeros) {
            assert_float_equal(taken(&bench, "library in L2", &copies, 0), 1e9, 1);
            assert_float_equal(taken(&bench, "library in DRAM", &copies, 0), 1e9, 1);
        }
        bench_close(&bench);
    }
    assert_int_equal(count, 3);
}

TEST(a_copy_takes_what_it_takes)
{
    params = (struct ram_params){0};
    for (cpus = 1; cpus <= 2; cpus++)
        take(ram_crossover, run_crossover);
    cpus = 1;
}

/* The drawing is taken off, and what a chased load of L1 takes is added: a load of lines takes as long as in a
 * chain. Pages: less as many lines without gaps. All threads together stream a byte in the time of one of them
 * by their number. */
static void run_curve(const struct experiment *experiments, size_t count, struct run *run)
{
    struct bench latency = opened(&experiments[0], run);
    assert_float_equal(taken(&latency, "chase", NULL, 1), ns(CHASED), 1e-9);
    for (uint64_t x = 128 << 10; x <= 512 << 10; x *= 2) {
        assert_float_equal(taken(&latency, "2 MiB pages", NULL, x), ns(MANY + CHASED - FEW), 1e-9);
        assert_float_equal(taken(&latency, "4 KiB pages", NULL, x), ns(MANY + CHASED - FEW), 1e-9);
        assert_float_equal(taken(&latency, "blocks", NULL, x), ns(CHASED), 1e-9);
    }
    assert_float_equal(taken(&latency, "pages", NULL, 128), ns(PAGES + CHASED - MANY), 1e-9);
    bench_close(&latency);
    struct bench bandwidth = opened(&experiments[1], run);
    for (uint64_t x = 128 << 10; x <= 512 << 10; x *= 2)
        assert_float_equal(taken(&bandwidth, "read, 256 bits", NULL, x), 1.0 / cpus, 1e-6);
    bench_close(&bandwidth);
}

TEST(a_point_of_the_curve_takes_what_it_takes)
{
    params = (struct ram_params){.sizes = {.count = 2, .is_range = true, .bytes = {128 << 10, 8 << 20}}};
    for (cpus = 1; cpus <= 2; cpus++)
        take(ram_curve, run_curve);
    cpus = 1;
}

/* Ticks of single loads: of the part that certainly hits, of the one that never does, and of the rest, of
 * which three of eight hit. */
static uint64_t near_ticks, far_ticks, hit_ticks, miss_ticks;
static const unsigned char *whole;

static uint64_t draw_shared(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    static unsigned turn;
    const uint64_t lines = m * RAM_LINE, last = 1 << 20, l2 = 64 << 10;
    whole = whole ? whole : a;
    script_pass(lines == 2 * l2                                             ? near_ticks
                : (const unsigned char *)a - whole == (ptrdiff_t)(2 * last) ? far_ticks
                : turn++ % 8 < 3                                            ? hit_ticks
                                                                            : miss_ticks);
    return x;
}

static double shared_bytes;

static void run_share(const struct experiment *experiment, size_t count, struct run *run)
{
    static const struct kernel shared = {.operation = OPERATION_DRAW, .entry = draw_shared};
    scripted.kernel[1] = &shared;
    whole = NULL;
    struct bench bench = opened(experiment, run);
    shared_bytes = taken(&bench, "share", NULL, 1);
    bench_close(&bench);
}

/* Three eighths of twice the last cache. A hit is faster than halfway between the levels, 40 and 160
 * ticks, by ratio: 80. Levels less than twice apart tell no hit. */
TEST(a_share_of_the_cache_is_what_is_held)
{
    params = (struct ram_params){.share_s = 1};
    near_ticks = 40;
    far_ticks = 160;
    hit_ticks = 78;
    miss_ticks = 82;
    take(ram_share, run_share);
    assert_float_equal(shared_bytes, 2 * (1 << 20) * 3 / 8, 1);
    far_ticks = 78;
    take(ram_share, run_share);
    assert_true(isnan(shared_bytes));
    far_ticks = 82;
    take(ram_share, run_share);
    assert_false(isnan(shared_bytes));
}

/* The loader, which has its turns while lines are drawn. */
static void (*load)(void *context, int number);
static void *loaded;
static unsigned turn_every; /* draws */

static uint64_t draw_loaded(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    static unsigned calls;
    if (n == 64 && calls++ % turn_every == 0)
        load(loaded, 0);
    return draw(a, b, n, m, x, y);
}

static uint64_t add_nothing(void *a, const void *b, uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    return 0;
}

/* A batch of sixteen draws of 64 loads, in which the loader has 60 lines in its turn. A batch without a turn
 * does not count, unless the loader sleeps. */
static void run_loaded(const struct experiment *experiment, size_t count, struct run *run)
{
    static const struct kernel draws_of = {.name = "loaded",
                                           .operation = OPERATION_DRAW,
                                           .entry = draw_loaded},
                               adds = {.name = "add", .operation = OPERATION_CHAIN_ADD, .entry = add_nothing};
    enum { BATCH = 16, LOADS = 64, LINES = 60 };
    double value[sizeof(struct loaded_round) / sizeof(double)];
    const double rate = LINES * RAM_LINE / (BATCH * LOADS * ns(MANY)) * 1e9;
    scripted.kernel[1] = &draws_of;
    scripted.kernel[3] = &adds;
    struct bench bench = opened(experiment, run);
    load = experiment->help;
    loaded = bench.lab.own;
    const struct point point = {.own = loaded, .clock = &scripted_clock, .machine = &machine};
    for (turn_every = BATCH; turn_every <= 2 * BATCH; turn_every *= 2) {
        experiment->sample_all(&point, value);
        for (int i = 0; i < LOADED_POINTS; i++) {
            const bool is_load = (i >= LOADED_FIRST && i < LOADED_MIDDLE) ||
                                 (i > LOADED_MIDDLE && i < LOADED_HALF_OF_THEM) || i == LOADED_FULL;
            assert_float_equal(value[i], ns(MANY - FEW + CHASED), 1e-6);
            assert_float_equal(value[LOADED_POINTS + i], is_load ? rate : 0, 1);
        }
    }
    bench_close(&bench);
}

TEST(a_loader_brings_what_it_brings)
{
    params = (struct ram_params){0};
    cpus = 2;
    take(ram_loaded, run_loaded);
    cpus = 1;
}
