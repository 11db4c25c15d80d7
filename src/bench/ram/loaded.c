/* SPDX-License-Identifier: MIT */
/* `ram --loaded`: the latency of one CPU while the others read or write memory, at rates set by dependent
 * additions between their lines. All threads stay awake, so that the core clocks stay as they are. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "modes.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"

/* A batch is CHUNKS chunks of so many loads. */
enum { L1_BYTES = 8 << 10, CHUNK = 64, CHUNKS = 16, SPINS = 4096, WARM = 1024, PAGE = 4096 };
enum { SETTLE_NS = 1000000 };
static const double POINT_S = 0.012;

/* Of each point the additions between lines, or one of these. */
enum { ASLEEP = -1, SPINNING = -2, IN_L1 = -3, HALF_OF_THEM = -4 };
static const int work_of[LOADED_POINTS] = {ASLEEP, SPINNING, IN_L1, 1024, 512,          256, 128,   64,
                                           ASLEEP, 32,       16,    8,    HALF_OF_THEM, 0,   ASLEEP};

struct loader {
    struct memory memory;
    uint64_t position;             /* byte of the next line */
    _Atomic uint64_t lines, turns; /* turns: also of spinning */
    uint64_t turns_before;         /* a batch */
    char apart[256];               /* from the next loader's */
};

struct loaded {
    struct loaded_source source;
    const struct run *run;
    const struct kernel *add;
    struct ram_set set;
    double drawing_ns; /* in each load */
    int stores;        /* of 12 lines */
    int loaders;
    struct loader *loader;
    _Atomic int work;
    /* Of the point under way: */
    uint64_t lines_before; /* a batch */
    uint64_t lines;        /* in the batches that count */
    double seconds;        /* that these took */
    struct disturbance before;
};

/* Reads or writes the next lines of the set. */
static void load_lines(const struct loaded *own, struct loader *loader, uint64_t bytes, uint64_t adds)
{
    enum { LINES = 60, PATTERN = 12, TOGETHER = 4 };
    for (int i = 0; i < LINES; i++, loader->position += RAM_LINE) {
        loader->position = loader->position < bytes ? loader->position : 0;
        volatile uint64_t *line = (void *)(loader->memory.data + loader->position);
        if (i * own->stores / PATTERN != (i + 1) * own->stores / PATTERN)
            *line = loader->position + 1;
        else
            (void)*line;
        if (adds > 0 && i % TOGETHER == 0) /* the call takes as long as 20 additions */
            own->add->entry(NULL, NULL, adds * TOGETHER, 0, 0, 0);
    }
    atomic_fetch_add_explicit(&loader->lines, LINES, memory_order_relaxed);
}

/* A loader's work, again and again. Half of them are those with an even number. */
static void load(void *context, int number)
{
    struct loaded *own = context;
    struct loader *loader = &own->loader[number];
    const int work = atomic_load_explicit(&own->work, memory_order_relaxed);
    atomic_fetch_add_explicit(&loader->turns, 1, memory_order_relaxed);
    if (work == ASLEEP)
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    else if (work == SPINNING || (work == HALF_OF_THEM && number % 2 == 0))
        own->add->entry(NULL, NULL, SPINS, 0, 0, 0);
    else
        load_lines(own, loader, work == IN_L1 ? L1_BYTES : loader->memory.bytes,
                   work > 0 ? (uint64_t)work : 0);
}

static uint64_t lines_of(const struct loaded *own)
{
    uint64_t lines = 0;
    for (int i = 0; i < own->loaders; i++)
        lines += atomic_load_explicit(&own->loader[i].lines, memory_order_relaxed);
    return lines;
}

static void begin_batch(const struct point *point)
{
    struct loaded *own = point->own;
    disturbance_read(&own->before);
    for (int i = 0; i < own->loaders; i++)
        own->loader[i].turns_before = atomic_load_explicit(&own->loader[i].turns, memory_order_relaxed);
    own->lines_before = lines_of(own);
}

/* It counts unless meanwhile this thread was switched, a CPU stolen, or a loader away from its own. */
static bool end_batch(const struct point *point, double ns)
{
    struct loaded *own = point->own;
    const uint64_t lines = lines_of(own) - own->lines_before;
    bool counts = true;
    for (int i = 0; i < own->loaders; i++)
        counts &=
            atomic_load_explicit(&own->loader[i].turns, memory_order_relaxed) > own->loader[i].turns_before ||
            atomic_load_explicit(&own->work, memory_order_relaxed) == ASLEEP;
    const struct disturbance since = disturbance_since(&own->before);
    counts &= since.involuntary_switches + since.steal_ticks == 0;
    own->lines += counts ? lines : 0;
    own->seconds += counts ? ns / 1e9 : 0;
    return counts;
}

static void count_loads(struct point *point)
{
    point->iterations = CHUNK;
}

static void draw_lines(const struct point *point)
{
    struct loaded *own = point->own;
    ram_set_load(&own->set, 0, own->set.bytes, point->iterations);
}

static void take_round(struct loaded_source *source, const struct point *point)
{
    static const struct timed_work draws = {.work = draw_lines, .prepare = count_loads, .parts = CHUNKS};
    static const struct timed_batches batches = {
        .timed = &draws, .seconds = POINT_S, .begin = begin_batch, .end = end_batch};
    struct loaded *own = (struct loaded *)source;
    for (int i = 0; i < LOADED_POINTS; i++) {
        atomic_store(&own->work, work_of[i]);
        nanosleep(&(struct timespec){.tv_nsec = SETTLE_NS}, NULL);
        ram_set_load(&own->set, 0, own->set.bytes, WARM);
        own->lines = 0;
        own->seconds = 0;
        source->round.latency[i] = time_batches(point, &batches) - own->drawing_ns;
        source->round.rate[i] = work_of[i] == IN_L1 ? 0 : (double)(own->lines * RAM_LINE) / own->seconds;
    }
    atomic_store(&own->work, ASLEEP);
}

void loaded_values(struct loaded_round *round)
{
    /* Idle latencies of a round that differ by more say nothing. Memory is the limit where all loaders
     * bring less than BENT times the rate of half of them, and wait for it. */
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

static void sample_round(const struct point *point, double *value)
{
    struct loaded_source *source = point->own;
    source->take(source, point);
    loaded_values(&source->round);
    for (size_t i = 0; i < sizeof source->round / sizeof *value; i++)
        value[i] = ((const double *)&source->round)[i];
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

/* Ranges: 210 to 275 ns idle in 20 runs, of which 27 of 190 pairs of ranges do not meet (Zen 4 guest). Where
 * the loaders do not reach memory's limit, the first metric on the peak says so for all. */
static const struct metric metrics[] = {
    {"loaded.none", NULL, NULL, METRIC_VALUE, "round", .last = VALUE + LOADED_NONE, .range = true},
    {"loaded.control", NULL, NULL, METRIC_VALUE, "round", .last = VALUE + LOADED_CONTROL, .range = true},
    {"ram.loaded.idle", "idle latency", "ns", METRIC_VALUE, "round", .last = VALUE + LOADED_IDLE,
     .range = true, .above = "loaded.none", .refused = "drifts within a round"},
    {"ram.loaded.rise", "rise at the full rate", "times idle", METRIC_VALUE, "round",
     .last = VALUE + LOADED_RISE, .range = true, .above = "loaded.control",
     .refused = "no more than its control"},
    {"ram.loaded.peak", "peak of the load", "Byte/s", METRIC_VALUE, "round", .last = VALUE + LOADED_PEAK,
     .range = true, .above = "loaded.none", .refused = "not reached by these loaders"},
    {"ram.loaded.half", "latency at half the peak", "ns", METRIC_VALUE, "round", .last = VALUE + LOADED_HALF,
     .range = true, .above = "loaded.none"},
    {"ram.loaded.nine_tenths", "latency at 90 % of the peak", "ns", METRIC_VALUE, "round",
     .last = VALUE + LOADED_NINE_TENTHS, .range = true, .above = "loaded.none"},
    {"ram.loaded.knee", "knee", "Byte/s", METRIC_VALUE, "round", .last = VALUE + LOADED_KNEE, .range = true,
     .above = "loaded.none"},
    {0}};

const struct experiment loaded_experiment = {.name = "loaded",
                                             .series = series,
                                             .metrics = metrics,
                                             .sample_all = sample_round,
                                             .answers = add_curve,
                                             .pace = {12, 6, 8, 3},
                                             .any_state = true,
                                             .two_cpus = true};

/* Sixteen times the last cache for the thread that waits, four times all last caches for all loaders. Of less
 * than twice the last cache the former would hold too much. */
static bool buffer_of(const struct run *run, const void *context, int n, struct buffer *buffer)
{
    const struct loaded *own = context;
    const struct cache last = ram_last_cache(run, run->cpus.count);
    const uint64_t all = 4 * last.bytes * (uint64_t)last.instances;
    *buffer = n == 0 ? (struct buffer){.bytes = 16 * last.bytes, .least = 2 * last.bytes, .cpu = -1}
                     : (struct buffer){.bytes = all / (uint64_t)own->loaders,
                                       .least = PAGE,
                                       .margin = 1 << 20,
                                       .cpu = run->cpus.id[n <= own->loaders ? n : 0]};
    return n <= own->loaders;
}

static void take_memory(const struct run *run, void *context, const struct memory *memory)
{
    struct loaded *own = context;
    own->set = ram_set_of(run, memory);
    own->drawing_ns = ram_drawing_ns(run->clock);
    for (int i = 0; i < own->loaders; i++)
        own->loader[i].memory = memory[i + 1];
    RECORD_FACTS(run->record, {"run.loaded.bytes", .value = INTEGER_CELL((int64_t)own->set.bytes)},
                 {"run.loaded.loaders", .value = INTEGER_CELL(own->loaders)});
}

const char *const ram_mix_names[] = {"read", "3:1", "2:1", "1:1", "write", NULL};

enum status ram_loaded(struct run *run, struct fault *fault)
{
    static const int stores[] = {0, 3, 4, 6, 12};
    const struct kernel_filter any = {.allowed = ~(feature_set)0};
    const struct ram_params *params = run->params;
    const struct memory_row memory = {.buffer = buffer_of,
                                      .pages = (enum page_kind)params->pages,
                                      .content = MEMORY_FILLED,
                                      .fill_s = 1,
                                      .lay_out = take_memory};
    struct loaded own = {.source = {.record = run->record, .take = take_round},
                         .run = run,
                         .add = kernel_next(&any, OPERATION_CHAIN_ADD, NULL),
                         .stores = stores[params->mix],
                         .loaders = run->cpus.count - 1};
    struct experiment experiment = loaded_experiment;
    if (own.loaders < 1)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "--loaded needs a CPU that waits and another that loads, one can be used here: give more --cpus");
    own.loader = memory_zeroed((size_t)own.loaders, sizeof *own.loader);
    atomic_init(&own.work, ASLEEP);
    experiment.own = &own;
    experiment.memory = &memory;
    experiment.helpers = (struct team_row){run->cpus.id + 1, own.loaders};
    experiment.help = load;
    experiment_run(&experiment, 1, run, NULL, fault);
    free(own.loader);
    return fault->status;
}
