/* SPDX-License-Identifier: MIT */
/* `ram --curve`: the latency of a load by the size of the set that it is drawn from. */
#include "curve.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The x of each series with sizes: 2, 3, 4, 6, 8, 12 ... KiB, and four for each doubling of blocks. */
static const struct series series[] = {
    {.name = "chase", .range = {1, 1}, .timed = {&ram_chased_few}},
    {.name = "2 MiB pages",
     .range = {CURVE_FIRST, CURVE_LARGEST, .per_octave = 2, .is_rounded = true, .period = CURVE_PERIOD,
               .x_of_every_round = CURVE_CORE},
     .apart = true,
     .row = &curve_lines,
     .buffer = CURVE_HUGE,
     .timed = {&ram_chased_few, &curve_line_loads},
     .less = &ram_drawn_few},
    {.name = "4 KiB pages",
     .range = {CURVE_FIRST, CURVE_LARGEST, .per_octave = 2, .is_rounded = true, .period = CURVE_PERIOD,
               .x_of_every_round = CURVE_CORE},
     .apart = true,
     .row = &curve_lines,
     .buffer = CURVE_BASE,
     .timed = {&ram_chased_few, &curve_line_loads},
     .less = &ram_drawn_few},
    {.name = "blocks",
     .range = {2 * CURVE_BLOCK, CURVE_LARGEST, .per_octave = 4, .is_rounded = true, .period = CURVE_PERIOD,
               .x_of_every_round = 2 * CURVE_CORE},
     .apart = true,
     .row = &curve_lines,
     .buffer = CURVE_HUGE,
     .timed = {&curve_block_loads}},
    {.name = "pages",
     .range = {CURVE_PAGES_FIRST, CURVE_PAGES_LAST, .per_octave = 4, .is_rounded = true},
     .apart = true,
     .row = &curve_pages,
     .buffer = CURVE_BASE,
     .timed = {&ram_chased_few, &curve_page_loads},
     .less = &curve_line_loads},
    {.name = "huge pages",
     .range = {CURVE_PAGES_FIRST, CURVE_PAGES_LAST, .per_octave = 4, .is_rounded = true},
     .apart = true,
     .row = &curve_pages,
     .buffer = CURVE_HUGE,
     .timed = {&ram_chased_few, &curve_page_loads},
     .less = &curve_line_loads},
    {0}};

/* Lines count up to 48 pages, which the first TLB holds, blocks behind that. Both units of a latency are
 * answers. Ranges: memory took 170 to 247 ns in 10 runs, and the last level held 9 to 23 of 32 MiB in 20 (Zen
 * 4 guest). */
static const struct metric metrics[] = {{.key = "ram.curve.L1.bytes",
                                         .label = "L1",
                                         .unit = "Byte",
                                         .kind = METRIC_CACHE_SIZE,
                                         .series = "2 MiB pages",
                                         .last = 48 * CURVE_PAGE,
                                         .cache = {1, "blocks"},
                                         .sheet_cell = "curve/L1/size"},
                                        {.key = "ram.curve.L1.latency_cycles",
                                         .label = "L1 latency",
                                         .unit = "cycles",
                                         .kind = METRIC_VALUE,
                                         .series = "chase",
                                         .published = "l1_latency",
                                         .sheet_cell = "curve/L1/cycles"},
                                        {.key = "ram.curve.L1.latency",
                                         .label = "L1 latency",
                                         .unit = "ns",
                                         .kind = METRIC_VALUE,
                                         .series = "chase",
                                         .sheet_cell = "curve/L1/ns"},
                                        {.key = "ram.curve.L2.bytes",
                                         .label = "L2",
                                         .unit = "Byte",
                                         .kind = METRIC_CACHE_SIZE,
                                         .series = "2 MiB pages",
                                         .last = 48 * CURVE_PAGE,
                                         .cache = {2, "blocks"},
                                         .sheet_cell = "curve/L2/size"},
                                        {.key = "ram.curve.L2.latency_cycles",
                                         .label = "L2 latency",
                                         .unit = "cycles",
                                         .kind = METRIC_LEVEL_LATENCY,
                                         .series = "2 MiB pages",
                                         .last = 48 * CURVE_PAGE,
                                         .cache = {2, "blocks"},
                                         .published = "l2_latency",
                                         .sheet_cell = "curve/L2/cycles"},
                                        {.key = "ram.curve.L2.latency",
                                         .label = "L2 latency",
                                         .unit = "ns",
                                         .kind = METRIC_LEVEL_LATENCY,
                                         .series = "2 MiB pages",
                                         .last = 48 * CURVE_PAGE,
                                         .cache = {2, "blocks"},
                                         .sheet_cell = "curve/L2/ns"},
                                        {.key = "ram.curve.L3.bytes",
                                         .label = "L3",
                                         .unit = "Byte",
                                         .kind = METRIC_CACHE_SIZE,
                                         .series = "2 MiB pages",
                                         .last = 48 * CURVE_PAGE,
                                         .cache = {3, "blocks"},
                                         .range = true,
                                         .beyond = true,
                                         .sheet_cell = "curve/L3/size"},
                                        {.key = "ram.curve.L3.latency_cycles",
                                         .label = "L3 latency",
                                         .unit = "cycles",
                                         .kind = METRIC_LEVEL_LATENCY,
                                         .series = "2 MiB pages",
                                         .last = 48 * CURVE_PAGE,
                                         .cache = {3, "blocks"},
                                         .beyond = true,
                                         .published = "l3_latency",
                                         .sheet_cell = "curve/L3/cycles"},
                                        {.key = "ram.curve.L3.latency",
                                         .label = "L3 latency",
                                         .unit = "ns",
                                         .kind = METRIC_LEVEL_LATENCY,
                                         .series = "2 MiB pages",
                                         .last = 48 * CURVE_PAGE,
                                         .cache = {3, "blocks"},
                                         .beyond = true,
                                         .sheet_cell = "curve/L3/ns"},
                                        {.key = "ram.curve.DRAM.latency_cycles",
                                         .label = "DRAM latency",
                                         .unit = "cycles",
                                         .kind = METRIC_VALUE,
                                         .series = "2 MiB pages",
                                         .range = true,
                                         .beyond = true,
                                         .of_all = true,
                                         .sheet_cell = "curve/DRAM/cycles"},
                                        {.key = "ram.curve.DRAM.latency",
                                         .label = "DRAM latency",
                                         .unit = "ns",
                                         .kind = METRIC_VALUE,
                                         .series = "2 MiB pages",
                                         .range = true,
                                         .beyond = true,
                                         .of_all = true,
                                         .sheet_cell = "curve/DRAM/ns"},
                                        {.key = "ram.curve.DRAM_4_KiB.latency_cycles",
                                         .label = "DRAM 4 KiB latency",
                                         .unit = "cycles",
                                         .kind = METRIC_VALUE,
                                         .series = "4 KiB pages",
                                         .range = true,
                                         .beyond = true,
                                         .of_all = true,
                                         .sheet_cell = "curve/DRAM_4_KiB/cycles"},
                                        {.key = "ram.curve.DRAM_4_KiB.latency",
                                         .label = "DRAM 4 KiB latency",
                                         .unit = "ns",
                                         .kind = METRIC_VALUE,
                                         .series = "4 KiB pages",
                                         .range = true,
                                         .beyond = true,
                                         .of_all = true,
                                         .sheet_cell = "curve/DRAM_4_KiB/ns"},
                                        {.key = "ram.curve.tlb1.entries",
                                         .label = "first data TLB",
                                         .unit = "entries",
                                         .kind = METRIC_CACHE_SIZE,
                                         .series = "pages",
                                         .cache.level = 1,
                                         .published = "l1_dtlb",
                                         .sheet_cell = "curve/TLB_miss/size"},
                                        {.key = "ram.curve.tlb1.miss",
                                         .label = "first data TLB missed",
                                         .unit = "cycles",
                                         .kind = METRIC_NEXT_LEVEL_COST,
                                         .series = "pages",
                                         .cache.level = 1,
                                         .published = "l1_dtlb_miss",
                                         .sheet_cell = "curve/TLB_miss/cycles"},
                                        {.key = "ram.curve.backing.entries",
                                         .label = "2 MiB pages as 4 KiB",
                                         .unit = "entries",
                                         .kind = METRIC_CACHE_SIZE,
                                         .series = "huge pages",
                                         .cache.level = 1,
                                         .optional = true,
                                         .sheet_cell = "curve/2_MiB_as_4_KiB/size"},
                                        {.key = "ram.curve.backing.miss",
                                         .label = "2 MiB pages missed as 4 KiB",
                                         .unit = "cycles",
                                         .kind = METRIC_NEXT_LEVEL_COST,
                                         .series = "huge pages",
                                         .cache.level = 1,
                                         .optional = true,
                                         .sheet_cell = "curve/2_MiB_as_4_KiB/cycles"},
                                        {0}};

bool curve_has_size(const struct run *run, uint64_t x, uint64_t bytes)
{
    const struct size_list *asked = &((const struct ram_params *)run->params)->sizes;
    return x <= bytes && (asked->count == 0 || (x >= asked->bytes[0] && x <= asked->bytes[1]));
}

static bool has_place(const void *own, const struct series *of, uint64_t x, const struct memory *memory)
{
    const struct set_kind *kind = of->row;
    if (!kind)
        return true;
    return kind->counts_places ? memory->bytes >= CURVE_PAGES_LAST * kind->step
                               : curve_has_size(((const struct curve_run *)own)->run, x, memory->bytes);
}

/* Returns what ends the curves at so many bytes of a buffer. */
static const char *limit_of(const struct run *run, uint64_t bytes)
{
    const struct ram_params *params = run->params;
    return bytes >= CURVE_LARGEST     ? "the largest set has 1 GiB"
           : bytes < curve_bytes(run) ? "no more was filled in time"
           : params->force            ? "the memory limit leaves no more"
                                      : "half of what the memory limit leaves; --force takes all";
}

/* Says where the curves end before the size that was asked for. */
static void warn_of_end(struct run *run, const struct memory *memory)
{
    const struct size_list *asked = &((const struct ram_params *)run->params)->sizes;
    uint64_t filled = 0;
    for (int i = 0; i < CURVE_BUFFERS; i++)
        filled = memory[i].bytes > filled ? memory[i].bytes : filled;
    if (asked->count == 0 || filled >= asked->bytes[1])
        return;
    struct text size = {0};
    text_add_size_rounded(&size, (int64_t)filled);
    record_warning(run->record, "curve_end", "--size: the curves end at %s: %s", size.data,
                   limit_of(run, filled));
    text_free(&size);
}

static double shown(void *own, const struct metric *metric)
{
    const struct run *run = ((const struct curve_run *)own)->run;
    return (double)topology_cache_bytes(run->topology, run->cpus.id[0],
                                        metric->cache.continued_by ? (int)metric->cache.level : 0);
}

/* Sizes of the table of levels that nobody measures. A set of DRAM is as large as what was filled in time, so
 * that another run may have another one. */
static const struct {
    struct answer answer;
    int level;          /* that the machine shows; 0: none */
    const char *series; /* whose last set is in DRAM; NULL: none */
} sizes[] = {
    {{.key = "ram.curve.L1.shown", .label = "L1 shown", .sheet_cell = "curve/L1/shown"}, .level = 1},
    {{.key = "ram.curve.L2.shown", .label = "L2 shown", .sheet_cell = "curve/L2/shown"}, .level = 2},
    {{.key = "ram.curve.L3.shown", .label = "L3 shown", .sheet_cell = "curve/L3/shown"}, .level = 3},
    {{.key = "ram.curve.DRAM.set", .label = "DRAM set", .sheet_cell = "curve/DRAM/size", .unpromised = true},
     .series = "2 MiB pages"},
    {{.key = "ram.curve.DRAM_4_KiB.set",
      .label = "DRAM 4 KiB set",
      .sheet_cell = "curve/DRAM_4_KiB/size",
      .unpromised = true},
     .series = "4 KiB pages"},
    {{.key = "ram.curve.TLB_2.size",
      .label = "TLB 2 size",
      .sheet_cell = "curve/TLB_2/size",
      .remark = "see capacity tlb-l2"}}};

static void add_sizes(const struct lab *lab)
{
    const struct run *run = lab->run;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct answer answer = sizes[i].answer;
        const struct course *course = sizes[i].series ? course_named(lab, sizes[i].series) : NULL;
        uint64_t bytes = topology_cache_bytes(run->topology, run->cpus.id[0], sizes[i].level);
        if (course && course_x(course, course->count) >= curve_dram_bytes(run))
            bytes = course_x(course, course->count);
        else if (course)
            answer.remark = "no set that large";
        answer.unit = "Byte";
        answer.value = bytes > 0 ? REAL_CELL((double)bytes) : NO_CELL;
        if (bytes > 0 || answer.remark)
            record_known(run->record, answer);
    }
}

static void add_answers(struct lab *lab, void *own)
{
    warn_of_end(lab->run, lab->memory);
    add_sizes(lab);
    curve_record(lab, 0);
}

/* Refuses what --size does not ask for here. */
static enum status check_sizes(const struct run *run, struct fault *fault)
{
    const struct size_list *asked = &((const struct ram_params *)run->params)->sizes;
    const uint64_t bytes = curve_bytes(run);
    if (asked->count > 0 && !asked->is_range)
        return fault_set(fault, STATUS_USAGE, "--size: --curve takes a range, as in 2ki-1gi");
    if (asked->count > 0 && asked->bytes[0] > bytes)
        return fault_set(fault, STATUS_NO_RESOURCE, "--size: no size of the range fits: %s",
                         limit_of(run, bytes));
    size_t count, fitting = 0;
    struct x_place *place = x_range_places(&series[1].range, 0, &count);
    for (size_t i = 0; i < count; i++)
        fitting += curve_has_size(run, place[i].x, bytes);
    free(place);
    return fitting > 0
               ? STATUS_OK
               : fault_set(fault, STATUS_USAGE,
                           "--size: no set lies in the range: they have 2, 3, 4, 6, 8, 12 ... KiB up to "
                           "1 GiB");
}

enum status ram_curve(struct run *run, struct fault *fault)
{
    static const struct kernel_filter any = {.allowed = ~(feature_set)0};
    struct curve_run curve = {.run = run,
                              .draw = kernel_next(&any, OPERATION_DRAW, NULL),
                              .chase = kernel_next(&any, OPERATION_LATENCY, NULL),
                              .draw_state = 1};
    struct metric own_metrics[sizeof metrics / sizeof *metrics];
    struct experiment experiment[2] = {{.name = "latency",
                                        .own = &curve,
                                        .series = series,
                                        .metrics = own_metrics,
                                        .quantile = 0.1,
                                        .pace = {40, 12, 5, 2},
                                        .memory = &curve_memory,
                                        .has_place = has_place,
                                        .shown = shown,
                                        .answers = add_answers}};
    memcpy(own_metrics, metrics, sizeof metrics);
    /* Of DRAM the points count whose sets hardly hit the last cache; levels that are not there have no
     * points. */
    const int last = topology_last_level(run->topology, run->cpus.id[0]);
    for (struct metric *metric = own_metrics; metric->key; metric++)
        if (metric->of_all)
            metric->first = curve_dram_bytes(run);
        else if (metric->cache.continued_by && last > 0 && metric->cache.level > (unsigned)last)
            metric->first = UINT64_MAX;
    if (check_sizes(run, fault) == STATUS_OK &&
        curve_bandwidth(run, &curve, &experiment[1], fault) == STATUS_OK)
        experiment_run(experiment, 2, run, NULL, fault);
    return fault->status;
}
