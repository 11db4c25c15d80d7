/* SPDX-License-Identifier: MIT */
/* `ram --loaded`: the latency of one CPU while the others read or write memory, at rates set by dependent additions between their lines. All
 * threads stay awake, so that the core clocks stay as they are. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "engine/companion.h"
#include "modes.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/stats.h"

enum { L1_BYTES = 8 << 10, CHUNK = 64, CHUNKS = 16, CHUNKS_MOST = 4096, SPINS = 4096, WARM = 1024 };
static const uint64_t SETTLE_NS = 1000000, POINT_NS = 12000000;
/* Filling takes a loader FILL_S, next to other work up to FILL_TIMES as long. */
static const double FILL_S = 1, FILL_TIMES = 10;

/* Of each point the additions between lines, or one of these. */
enum { ASLEEP = -1, SPINNING = -2, IN_L1 = -3, HALF_OF_THEM = -4 };
static const int work_of[LOADED_POINTS] = {ASLEEP, SPINNING, IN_L1, 1024, 512,          256, 128,   64,
                                           ASLEEP, 32,       16,    8,    HALF_OF_THEM, 0,   ASLEEP};

struct loader {
    struct loaded *own;
    struct companion *companion;
    struct ram_set set;
    struct fault fault; /* its set could not be had */
    uint64_t at;        /* byte of the next line */
    bool is_half;
    _Atomic uint64_t lines, turns; /* turns: also of spinning */
    uint64_t seen;                 /* turns before a batch */
    char apart[256];               /* from the next loader's */
};

struct loaded {
    struct loaded_source source;
    const struct run *run;
    const struct kernel *add;
    struct ram_set set;
    uint64_t each;     /* bytes of a loader */
    double drawing_ns; /* in each load */
    int stores;        /* of 12 lines */
    int loaders;
    struct loader *loader;
    _Atomic int work, ready;
};

/* Reads or writes the next lines of the set. */
static void load_lines(struct loader *loader, uint64_t bytes, uint64_t adds)
{
    enum { LINES = 60, PATTERN = 12, TOGETHER = 4 };
    const struct loaded *own = loader->own;
    for (int i = 0; i < LINES; i++, loader->at += RAM_LINE) {
        loader->at = loader->at < bytes ? loader->at : 0;
        volatile uint64_t *line = (void *)(loader->set.memory.data + loader->at);
        if (i * own->stores / PATTERN != (i + 1) * own->stores / PATTERN)
            *line = loader->at + 1;
        else
            (void)*line;
        if (adds > 0 && i % TOGETHER == 0) /* the call takes as long as 20 additions */
            own->add->entry(NULL, NULL, adds * TOGETHER, 0, 0, 0);
    }
    atomic_fetch_add_explicit(&loader->lines, LINES, memory_order_relaxed);
}

/* Again and again; the first time it fills the set. */
static void load(void *context)
{
    struct loader *loader = context;
    struct loaded *own = loader->own;
    const int work = atomic_load_explicit(&own->work, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&loader->turns, 1, memory_order_relaxed) == 0) {
        ram_set_open(&loader->set, own->run, own->each, -1, FILL_S, &loader->fault);
        atomic_fetch_add(&own->ready, 1);
    } else if (work == ASLEEP)
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    else if (work == SPINNING || (work == HALF_OF_THEM && loader->is_half) || loader->set.bytes == 0)
        own->add->entry(NULL, NULL, SPINS, 0, 0, 0);
    else
        load_lines(loader, work == IN_L1 ? L1_BYTES : loader->set.bytes, work > 0 ? (uint64_t)work : 0);
}

static uint64_t lines_of(const struct loaded *own)
{
    uint64_t lines = 0;
    for (int i = 0; i < own->loaders; i++)
        lines += atomic_load_explicit(&own->loader[i].lines, memory_order_relaxed);
    return lines;
}

/* Takes CHUNKS latencies. False: meanwhile this thread was switched, a CPU stolen, or a loader away from its own. */
static bool take_batch(struct loaded *own, double *ns)
{
    struct disturbance before;
    bool counts = true;
    disturbance_read(&before);
    for (int i = 0; i < own->loaders; i++)
        own->loader[i].seen = atomic_load_explicit(&own->loader[i].turns, memory_order_relaxed);
    for (int i = 0; i < CHUNKS; i++)
        ns[i] = ram_set_draw(&own->set, 0, own->set.bytes, CHUNK);
    for (int i = 0; i < own->loaders; i++)
        counts &= atomic_load_explicit(&own->loader[i].turns, memory_order_relaxed) > own->loader[i].seen ||
                  atomic_load_explicit(&own->work, memory_order_relaxed) == ASLEEP;
    const struct disturbance since = disturbance_since(&before);
    return counts && since.involuntary_switches + since.steal_ticks == 0;
}

static void take_point(struct loaded *own, int point)
{
    struct loaded_round *round = &own->source.round;
    double ns[CHUNKS_MOST], s = 0;
    uint64_t lines = 0;
    size_t count = 0;
    atomic_store(&own->work, work_of[point]);
    nanosleep(&(struct timespec){.tv_nsec = (long)SETTLE_NS}, NULL);
    ram_set_draw(&own->set, 0, own->set.bytes, WARM);
    const uint64_t end_ns = clock_now_ns() + POINT_NS;
    for (uint64_t now_ns; (now_ns = clock_now_ns()) < end_ns && count + CHUNKS <= CHUNKS_MOST;) {
        const uint64_t first = lines_of(own);
        if (!take_batch(own, ns + count))
            continue;
        count += CHUNKS;
        lines += lines_of(own) - first;
        s += (double)(clock_now_ns() - now_ns) * 1e-9;
    }
    round->latency[point] = median_of(ns, count) - own->drawing_ns;
    round->rate[point] = work_of[point] == IN_L1 ? 0 : (double)(lines * RAM_LINE) / s;
}

static void take_round(struct loaded_source *source)
{
    for (int point = 0; point < LOADED_POINTS; point++)
        take_point((struct loaded *)source, point);
    atomic_store(&((struct loaded *)source)->work, ASLEEP);
}

void loaded_values(struct loaded_round *round)
{
    /* Idle latencies of a round that differ by more say nothing. Memory is the limit where all loaders bring less than BENT times the rate
     * of half of them, and wait for it. */
    static const double DRIFT = 1.1, BENT = 1.25, WAITS = 1.3, SHARES[] = {0.5, 0.9};
    const double *latency = round->latency, *of = round->rate, first = latency[LOADED_ASLEEP],
                 middle = latency[LOADED_MIDDLE], last = latency[LOADED_LAST];
    const double idle = (first + middle + last) / 3, rise = latency[LOADED_FULL] / idle;
    const double control = fmax(latency[LOADED_SPINNING], latency[LOADED_IN_L1]) / idle;
    double value[LOADED_VALUES] = {[LOADED_CONTROL] = control, [LOADED_IDLE] = idle, [LOADED_RISE] = rise};
    double rate[LOADED_POINTS] = {0}, ns[LOADED_POINTS] = {idle}, peak = 0,
           bulge = 0; /* the curve, from idle on */
    int count = 1;
    for (int i = LOADED_FIRST; i <= LOADED_FULL; i++)
        if (work_of[i] >= 0) {
            rate[count] = of[i];
            ns[count++] = latency[i];
            peak = fmax(peak, of[i]);
        }
    const bool bent = of[LOADED_FULL] < BENT * of[LOADED_HALF_OF_THEM] && rise > WAITS * control;
    for (int i = 1; i < count && bent; i++) {
        for (int k = 0; k < 2; k++) /* between the first two points around that rate */
            if (value[LOADED_HALF + k] == 0 && rate[i] >= SHARES[k] * peak)
                value[LOADED_HALF + k] = ns[i - 1] + (ns[i] - ns[i - 1]) * (SHARES[k] * peak - rate[i - 1]) /
                                                         (rate[i] - rate[i - 1]);
        const double below =
            rate[i] / peak - (ns[i] - idle) / (ns[count - 1] - idle); /* the chord of the curve */
        value[LOADED_KNEE] = below > bulge ? rate[i] : value[LOADED_KNEE];
        bulge = fmax(bulge, below);
        value[LOADED_PEAK] = peak;
    }
    const bool drifts = !(fmax(fmax(first, middle), last) <= DRIFT * fmin(fmin(first, middle), last));
    for (int i = 0; i < LOADED_VALUES; i++)
        round->value[i] = drifts ? NAN : value[i];
}

/* x is a cell of the round, from 1 on. */
enum { RATE = LOADED_POINTS, VALUE = 2 * LOADED_POINTS + 1 };

static double sample(const struct point *point)
{
    struct loaded_source *source = point->own;
    if (point->x == 1) {
        source->take(source);
        loaded_values(&source->round);
    }
    return ((const double *)&source->round)[point->x - 1];
}

static void add_curve(struct lab *lab, void *own)
{
    static const char *const names[] = {"all", "asleep", "spinning", "in L1", "half of them"};
    static const struct column columns[] = {
        {"load", "load", NULL, CELL_TEXT, ROLE_LABEL, 0, NULL, false},
        {"adds", "additions", NULL, CELL_INTEGER, ROLE_PARAMETER, 0, NULL, false},
        {"bandwidth_gib", "bandwidth", "GiByte/s", CELL_REAL, ROLE_PARAMETER, 1, NULL, false},
        {"latency", "latency", "ns", CELL_REAL, ROLE_MEASURE, 0, NULL, false},
        {"latency_p10", "10 %", "ns", CELL_REAL, ROLE_MEASURE, 0, NULL, false},
        {"latency_p90", "90 %", "ns", CELL_REAL, ROLE_MEASURE, 0, NULL, false}};
    static const struct table_spec spec = {
        .name = "loaded",
        .title = "latency of one CPU while the others load memory",
        .note = "additions: dependent ones between the lines of a loader",
        .columns = columns,
        .column_count = sizeof columns / sizeof *columns,
        .view = {VIEW_CURVE, .x = 2, .y = 3, .value = 3, .series = -1, .shown = 2}};
    struct record *record = ((struct loaded_source *)own)->record;
    struct engine_data data = *lab_data(lab);
    const size_t table = record_table_add(record, &spec);
    data.cycles = false;
    for (size_t i = 0; i < LOADED_POINTS; i++) {
        const int work = work_of[i];
        struct estimate ns, rate;
        engine_estimate(&data, i, STATE_MIXED, 0.5, &ns);
        engine_estimate(&data, RATE + i, STATE_MIXED, 0.5, &rate);
        record_row(record, table,
                   (const struct cell[]){
                       TEXT_CELL(names[work < 0 ? -work : 0]), work >= 0 ? INTEGER_CELL(work) : NO_CELL,
                       work >= 0 || i == 0 ? REAL_CELL(rate.summary.median * 0x1p-30) : NO_CELL,
                       REAL_CELL(ns.summary.median), REAL_CELL(ns.summary.p10), REAL_CELL(ns.summary.p90)});
    }
}

static const struct series series[] = {
    {.name = "round", .range = {1, VALUE + LOADED_VALUES - 1}, .hidden = true}, {0}};

/* Ranges: 210 to 275 ns idle in 20 runs, of which 27 of 190 pairs of ranges do not meet (Zen 4 guest). */
#define LOADED(id, which, words, of, ...)                                                                    \
    {                                                                                                        \
        .key = id, .label = words, .unit = of, .kind = METRIC_VALUE, .series = "round",                      \
        .last = VALUE + (which), .range = true, __VA_ARGS__                                                  \
    }
/* Where the loaders do not reach memory's limit, the first says so for all. */
#define OF_PEAK .above = "loaded.none"
static const struct claim claims[] = {
    LOADED("loaded.none", LOADED_NONE, NULL, NULL, .above = NULL),
    LOADED("loaded.control", LOADED_CONTROL, NULL, NULL, .above = NULL),
    LOADED("ram.loaded.idle", LOADED_IDLE, "idle latency", "ns", .above = "loaded.none",
           .refused = "drifts within a round"),
    LOADED("ram.loaded.rise", LOADED_RISE, "rise at the full rate", "times idle", .above = "loaded.control",
           .refused = "no more than its control"),
    LOADED("ram.loaded.peak", LOADED_PEAK, "peak of the load", "Byte/s", OF_PEAK,
           .refused = "not reached by these loaders"),
    LOADED("ram.loaded.half", LOADED_HALF, "latency at half the peak", "ns", OF_PEAK),
    LOADED("ram.loaded.nine_tenths", LOADED_NINE_TENTHS, "latency at 90 % of the peak", "ns", OF_PEAK),
    LOADED("ram.loaded.knee", LOADED_KNEE, "knee", "Byte/s", OF_PEAK),
    {0}};

const struct experiment loaded_experiment = {.name = "loaded",
                                             .series = series,
                                             .claims = claims,
                                             .sample = sample,
                                             .answers = add_curve,
                                             .pace = {12, 6, 8, 3},
                                             .any_state = true,
                                             .two_cpus = true};

/* A quarter of the room for the chaser, and one for all loaders. */
static enum status open_loaded(struct run *run, void **context, struct fault *fault)
{
    struct loaded *own = *context;
    const struct cache last = ram_last_cache(run, run->cpus.count);
    const uint64_t quarter = memory_room() / 4, far = 16 * last.bytes,
                   all = 4 * last.bytes * (uint64_t)last.instances;
    if (ram_set_open(&own->set, run, far < quarter ? far : quarter, -1, FILL_S, fault) != STATUS_OK)
        return fault->status;
    if (own->set.bytes < 2 * last.bytes)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "--loaded has %.0f MiB, by its limits or by what a second fills, where the last "
                         "cache has %.0f MiB: raise the memory limit",
                         (double)own->set.bytes * 0x1p-20, (double)last.bytes * 0x1p-20);
    own->drawing_ns = ram_drawing_ns(run->clock);
    own->each = (all < quarter ? all : quarter) / (uint64_t)own->loaders + (1 << 20);
    own->loader = memory_zeroed((size_t)own->loaders, sizeof *own->loader);
    for (int i = 0; i < own->loaders; i++) {
        own->loader[i].own = own;
        own->loader[i].is_half = i % 2 == 0;
        own->loader[i].companion =
            companion_with(run->cpus.id[i + 1], (struct companion_work){load, &own->loader[i]}, fault);
        if (!own->loader[i].companion)
            return fault->status;
    }
    const uint64_t begin_ns = clock_now_ns();
    while (atomic_load(&own->ready) < own->loaders && !run_has_ended(run)) {
        if ((double)(clock_now_ns() - begin_ns) > FILL_TIMES * FILL_S * 1e9)
            return fault_set(fault, STATUS_NO_RESOURCE,
                             "--loaded: not every CPU filled its memory within %.0f s", FILL_TIMES * FILL_S);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    for (int i = 0; i < own->loaders && !run_has_ended(run); i++)
        if (own->loader[i].fault.status != STATUS_OK)
            return fault_set(fault, own->loader[i].fault.status, "%s", own->loader[i].fault.text);
    RECORD_FACTS(run->record, {"run.loaded.bytes", .value = INTEGER_CELL((int64_t)own->set.bytes)},
                 {"run.loaded.loaders", .value = INTEGER_CELL(own->loaders)});
    return STATUS_OK;
}

static void close_loaded(struct loaded *own)
{
    for (int i = 0; own->loader && i < own->loaders; i++)
        companion_dismiss(own->loader[i].companion);
    for (int i = 0; own->loader && i < own->loaders; i++) {
        companion_free(own->loader[i].companion);
        memory_release(&own->loader[i].set.memory);
    }
    free(own->loader);
    memory_release(&own->set.memory);
}

const char *const ram_mix_names[] = {"read", "3:1", "2:1", "1:1", "write", NULL};

enum status ram_loaded(struct run *run, struct fault *fault)
{
    static const int stores[] = {0, 3, 4, 6, 12};
    const struct kernel_filter any = {.allowed = ~(feature_set)0};
    struct loaded own = {.source = {.record = run->record, .take = take_round},
                         .run = run,
                         .add = kernel_next(&any, OPERATION_CHAIN_ADD, NULL),
                         .stores = stores[((const struct ram_params *)run->params)->mix],
                         .loaders = run->cpus.count - 1};
    struct experiment experiment = loaded_experiment;
    if (own.loaders < 1)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "--loaded needs a CPU that waits and another that loads, one can be used here: give more --cpus");
    atomic_init(&own.work, ASLEEP);
    experiment.own = &own;
    experiment.open = open_loaded;
    experiment_run(&experiment, 1, run, NULL, fault);
    close_loaded(&own);
    return fault->status;
}
