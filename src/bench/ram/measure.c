/* SPDX-License-Identifier: MIT */
/* All points, in two runs of the engine. */
#include <math.h>

#include "ram.h"

enum { ROUNDS_LEAST = 8, ROUNDS_MOST = 60, ROUNDS_OF_ALL = 4, ROUNDS_OF_LARGE = 3, LARGE_BYTES = 4 << 20 };

/* What is slower than the fastest kernel of its operation by more, after the rounds of all, will not be the fastest. */
static const double MAY_WIN = 1.15;

struct ram {
    struct run *run;
    struct ram_plan *plan;
    struct ram_lanes lanes;
    struct ram_point *part; /* the points being sampled: bandwidth, then latency */
    size_t part_count;
    uint64_t begin_ns;
    uint64_t end_ns; /* of what is being done, by the time budget; UINT64_MAX: none */
    struct core_clock
        looks; /* its readings are of whatever ran before: those under each kernel are reported */
    bool complete;
};

static bool was_interrupted(void *context)
{
    const struct ram *ram = context;
    return ram->run->interrupted(NULL);
}

static uint64_t switches(void *context)
{
    const struct ram *ram = context;
    return ram->lanes.preempted;
}

static void show(void *context, double done, double eta_s)
{
    const struct ram *ram = context;
    const bool latency = ram->part != ram->plan->points;
    run_progress(ram->run, done, eta_s, latency ? "latency" : "bandwidth");
}

/* Seconds of a pass, and its core cycles. A sample that cannot count has neither, and no line. */
static bool sample(void *context, size_t index, size_t count, double *value, struct fault *fault)
{
    struct ram *ram = context;
    struct ram_point *point = &ram->part[index];
    double ghz;
    if (ram_sample(&ram->lanes, point, &value[0], &ghz, fault))
        return false;
    value[1] = value[0] * 1e9 * ghz;
    core_clock_keep(ram->run->core_clock, ghz);
    return isnan(value[0]) || (samples_add(&point->seconds, value[0]) && samples_add(&point->ghz, ghz));
}

/* The time budget of the user bounds everything, the command's own the rounds after the first one. */
static double budget_s(const struct common *common)
{
    return common->repeat ? 0 : common->quick ? 5 : 60;
}

uint64_t ram_rounds_least(const struct common *common)
{
    return common->repeat ? common->repeat : ROUNDS_LEAST;
}

static double seconds_left(const struct ram *ram)
{
    const uint64_t now_ns = clock_now_ns();
    return ram->end_ns > now_ns ? (double)(ram->end_ns - now_ns) * 1e-9 : 0;
}

static double expected_s(void *context, size_t index)
{
    const struct ram *ram = context;
    return ram->part[index].expected_s;
}

/* A cache level needs 2 ms to drown the two clock reads and a preemption's odds; memory is passed once
 * anyway. */
double ram_sample_ns(const struct common *common, const struct ram_point *point)
{
    const double full = point->footprint <= LARGE_BYTES ? 2e6 : 10e6;
    return common->quick ? full / 4 : full;
}

/* Half of the time of a part is for its samples. */
static bool may_prepare(const struct ram *ram, const struct ram_point *point, double half_s)
{
    const bool bound = ram->run->common->time_budget > 0;
    return !bound || (ram_is_filled(&ram->lanes, point) &&
                      seconds_left(ram) - ram_check_seconds(&ram->lanes, point) > half_s);
}

/* Points that are checked and scaled: all of them, or those that an interruption or half of the time budget
 * given by the user leave. */
static size_t prepare(struct ram *ram, struct ram_point *points, size_t count, struct fault *fault)
{
    const struct common *common = ram->run->common;
    const double half_s = seconds_left(ram) / 2;
    size_t done = 0;
    for (; done < count && !was_interrupted(ram) && may_prepare(ram, &points[done], half_s); done++) {
        run_progress(ram->run, (double)done / (double)count, -1, "checking kernels");
        if (ram_prepare(&ram->lanes, &points[done], ram_sample_ns(common, &points[done]), fault))
            return done;
        if (points[done].passes == 0)
            break;
    }
    if (done == count || was_interrupted(ram))
        return done;
    done = ram_whole_operations(points, done, count);
    record_warning(ram->run->record, "time_budget",
                   "the time budget left out %zu of %zu points, the largest working sets first", count - done,
                   count);
    return done;
}

static bool rivals(const struct ram_point *a, const struct ram_point *b)
{
    return a->kernel->operation == b->kernel->operation && a->set == b->set && a->zero == b->zero;
}

/* Findings rest on the fastest kernels, so these get the time that is left once each has a median; and as a pass over a
 * large set takes as long as all samples of small ones, large sets have fewer rounds. */
static bool wants(void *context, size_t index, uint64_t round)
{
    const struct ram *ram = context;
    const struct ram_point *point = &ram->part[index];
    if (ram->run->common->repeat || round < ROUNDS_OF_ALL)
        return true;
    if (point->footprint > LARGE_BYTES && round % ROUNDS_OF_LARGE)
        return false;
    const double own = median_of(point->seconds.value, point->seconds.count) / (double)point->bytes;
    for (size_t i = 0; i < ram->part_count; i++) {
        const struct ram_point *other = &ram->part[i];
        if (rivals(point, other) &&
            own > MAY_WIN * median_of(other->seconds.value, other->seconds.count) / (double)other->bytes)
            return false;
    }
    return true;
}

static void check_rounds(struct ram *ram, const struct engine_data *data)
{
    const uint64_t least = ram_rounds_least(ram->run->common);
    if (data->end != ENGINE_BUDGET || ram->run->common->time_budget <= 0 || data->rounds >= least)
        return;
    ram->complete = false;
    record_warning(ram->run->record, "time_budget", "the time budget ended the %s in round %llu of %llu",
                   ram->part == ram->plan->points ? "bandwidths" : "latencies",
                   (unsigned long long)data->rounds + 1, (unsigned long long)least);
}

/* What the samples of each point amount to, in the state that is reported. */
static void estimate(struct ram_point *points, size_t count, const struct engine_data *data)
{
    const enum state state = engine_main_state(data);
    const enum state other = state == STATE_IDLE ? STATE_ACTIVE : STATE_IDLE;
    for (size_t i = 0; i < count; i++) {
        struct ram_point *point = &points[i];
        point->measured = engine_estimate(data, 2 * i, state, 0.5, &point->seconds_of_pass);
        if (!point->measured || !engine_estimate(data, 2 * i + 1, state, 0.5, &point->cycles_of_pass))
            point->cycles_of_pass.value = NAN;
        if (!(engine_share(data, other) >= 0.1) ||
            !engine_estimate(data, 2 * i, other, 0.5, &point->otherwise))
            point->otherwise.value = NAN;
    }
}

static enum status run_engine(struct ram *ram, size_t prepared, double share, struct fault *fault)
{
    const struct common *common = ram->run->common;
    const bool bound = common->time_budget > 0;
    struct engine_host host = {.core_clock = &ram->looks,
                               .sibling = ram->lanes.sibling,
                               .team = ram->lanes.team,
                               .context = ram,
                               .interrupted = was_interrupted,
                               .switches = switches};
    const struct engine_machine machine = engine_host_machine(&host);
    const struct engine_bench bench = {.context = ram,
                                       .points = prepared,
                                       .width = 2,
                                       .sample = sample,
                                       .expected_s = bound ? expected_s : NULL,
                                       .wants = wants,
                                       .progress = show};
    const struct engine_effort effort = {.rounds = common->repeat,
                                         .samples = common->samples,
                                         .least = ROUNDS_LEAST,
                                         .most = ROUNDS_MOST,
                                         .budget_s =
                                             bound ? fmax(seconds_left(ram), 1e-9) : budget_s(common) * share,
                                         .settled = 0.02};
    struct engine_data data = {0};
    const enum engine_end end = engine_run(&bench, &machine, &effort, &data, fault);
    check_rounds(ram, &data);
    estimate(ram->part, prepared, &data);
    ram->complete = ram->complete && end != ENGINE_INTERRUPTED && end != ENGINE_FAILED;
    engine_data_free(&data);
    return fault->status;
}

/* Latency has rounds of its own: its chains lie where the bandwidth kernels read. */
static enum status sample_part(struct ram *ram, struct ram_point *points, size_t count, double share,
                               struct fault *fault)
{
    const size_t prepared = prepare(ram, points, count, fault);
    ram->complete = ram->complete && prepared == count;
    if (prepared == 0 || fault->status)
        return fault->status;
    ram->part = points;
    ram->part_count = prepared;
    return run_engine(ram, prepared, share, fault);
}

/* The part, and the building of chains in it, ends after that share of the time budget. */
static void end_after(struct ram *ram, double share)
{
    if (ram->run->common->time_budget > 0)
        ram->end_ns = ram->begin_ns + (uint64_t)(share * ram->run->common->time_budget * 1e9);
}

static enum status sample_all(struct ram *ram, struct fault *fault)
{
    const size_t bandwidth = ram->plan->bandwidth_count, latency = ram->plan->point_count - bandwidth;
    const double share = latency ? 0.85 : 1;
    ram->complete = true;
    end_after(ram, bandwidth ? 0.4 : 0.6);
    ram->lanes.deadline_ns = ram->end_ns;
    if (ram_lanes_fill(&ram->lanes, fault))
        return fault->status;
    end_after(ram, share);
    if (bandwidth && sample_part(ram, ram->plan->points, bandwidth, share, fault))
        return fault->status;
    end_after(ram, 1);
    ram->lanes.deadline_ns =
        ram->end_ns == UINT64_MAX ? UINT64_MAX : ram->end_ns - (uint64_t)(seconds_left(ram) / 2 * 1e9);
    return latency ? sample_part(ram, ram->plan->points + bandwidth, latency, 1 - share, fault) : STATUS_OK;
}

static void measure(struct ram *ram, struct fault *fault)
{
    struct record *record = ram->run->record;
    struct ram_sink sink = {.record = record,
                            .plan = ram->plan,
                            .table = record_table_add(record, &ram_table),
                            .page_bytes = memory_page_bytes(&ram->lanes.lane[0].source)};
    if (ram->plan->bandwidth_count > 0)
        sink.best_table = record_table_add(record, &ram_best_table);
    if (ram->plan->bandwidth_count < ram->plan->point_count)
        sink.latency_table = record_table_add(record, &ram_latency_table);
    sample_all(ram, fault);
    ram_rows(&sink);
    ram_findings(&sink);
    ram->run->left_out = !ram->complete;
}

enum status ram_measure(struct run *run, struct ram_plan *plan, enum page_kind pages, int node,
                        struct fault *fault)
{
    struct ram ram = {.run = run, .plan = plan, .begin_ns = clock_now_ns(), .end_ns = UINT64_MAX};
    core_clock_init(&ram.looks, run->clock);
    if (ram_lanes_open(&ram.lanes, plan, run, pages, node, fault) == STATUS_OK)
        measure(&ram, fault);
    sibling_record(ram.lanes.sibling, run->record);
    ram_lanes_close(&ram.lanes);
    run->core_clock->looking_s += ram.looks.looking_s;
    core_clock_free(&ram.looks);
    return fault->status;
}
