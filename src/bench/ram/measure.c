/* SPDX-License-Identifier: MIT */
/* All points, in one run of the engine. */
#include <math.h>

#include "engine/published.h"
#include "ram.h"

struct ram {
    struct run *run;
    struct ram_plan *plan;
    struct ram_lanes lanes;
    uint64_t end_ns; /* by the time budget; UINT64_MAX: none */
    struct core_clock
        looks; /* its readings are of whatever ran before: those under each kernel are reported */
};

static bool was_interrupted(void *context)
{
    const struct ram *ram = context;
    return run_has_ended(ram->run);
}

static uint64_t switches(void *context)
{
    const struct ram *ram = context;
    return ram->lanes.preempted;
}

static void show(void *context, double done, double eta_s)
{
    const struct ram *ram = context;
    run_progress(ram->run, done, eta_s, "bandwidth, latency");
}

static bool remap(void *context, unsigned placement, struct fault *fault)
{
    struct ram *ram = context;
    return ram_remap(&ram->lanes, placement, fault);
}

/* Seconds of a pass, and its core cycles. A sample that cannot count has neither, and no line. */
static bool sample(void *context, size_t index, size_t count, double *value, struct fault *fault)
{
    struct ram *ram = context;
    struct ram_point *point = &ram->plan->points[index];
    double ghz;
    if (ram_sample(&ram->lanes, point, &value[0], &ghz, fault))
        return false;
    value[1] = value[0] * 1e9 * ghz;
    core_clock_keep(ram->run->core_clock, ghz);
    if (isnan(value[0]))
        return true;
    samples_add(&point->seconds, value[0]);
    samples_add(&point->ghz, ghz);
    return true;
}

static double seconds_left(const struct ram *ram)
{
    const uint64_t now_ns = clock_now_ns();
    return ram->end_ns > now_ns ? (double)(ram->end_ns - now_ns) * 1e-9 : 0;
}

static double expected_s(void *context, size_t index)
{
    const struct ram *ram = context;
    return ram->plan->points[index].expected_s;
}

static bool may_prepare(const struct ram *ram, const struct ram_point *point)
{
    return !was_interrupted((void *)ram) &&
           (ram->lanes.deadline_ns == UINT64_MAX ||
            (ram_is_filled(&ram->lanes, point) &&
             clock_now_ns() + ram_check_ns(&ram->lanes, point) < ram->lanes.deadline_ns));
}

/* Proves and scales all kernels, then builds all chains, which lie where the kernels read; what an interruption or
 * lanes.deadline_ns leave out has no passes. Returns how many have. */
static size_t prepare(struct ram *ram, struct fault *fault)
{
    const size_t count = ram->plan->point_count;
    size_t looked = 0, done = 0;
    for (int chains = 0; chains < 2; chains++)
        for (size_t i = 0; i < count; i++) {
            struct ram_point *point = &ram->plan->points[i];
            if (ram_is_latency(point) != chains)
                continue;
            run_progress(ram->run, (double)looked++ / (double)count, -1, "checking kernels");
            if (!may_prepare(ram, point))
                continue;
            if (ram_prepare(&ram->lanes, point, ram_sample_ns(ram->run->common, point), fault))
                return 0;
            done += point->passes > 0;
        }
    return done;
}

static bool wants(void *context, size_t index, uint64_t round)
{
    const struct ram *ram = context;
    return ram_wants(ram->plan, ram->run->common, index, round);
}

static void warn_of_budget(struct ram *ram, size_t prepared, const struct engine_data *data)
{
    const uint64_t least = ram_effort(ram->run->common).least;
    const size_t count = ram->plan->point_count;
    if (prepared < count)
        record_warning(ram->run->record, "time_budget",
                       "the time budget left out %zu of %zu points, the largest working sets first",
                       count - prepared, count);
    else if (data->end == ENGINE_BUDGET && data->rounds < least)
        record_warning(ram->run->record, "time_budget", "the time budget ended in round %llu of %llu",
                       (unsigned long long)data->rounds + 1, (unsigned long long)least);
    else
        return;
    ram->run->left_out = true;
}

/* The time budget of the user bounds everything. */
static void run_engine(struct ram *ram, size_t prepared, struct fault *fault)
{
    const struct common *common = ram->run->common;
    const bool bound = common->time_budget > 0;
    struct engine_host host = {.core_clock = &ram->looks,
                               .sibling = ram->lanes.sibling,
                               .team = ram->lanes.team,
                               .context = ram,
                               .interrupted = was_interrupted,
                               .taken = ram->run->taken,
                               .switches = switches};
    const struct engine_machine machine = engine_host_machine(&host);
    const struct engine_bench bench = {.context = ram,
                                       .points = ram->plan->point_count,
                                       .width = 2,
                                       .sample = sample,
                                       .expected_s = bound ? expected_s : NULL,
                                       .remap = remap,
                                       .wants = wants,
                                       .progress = show};
    struct engine_effort effort = ram_effort(common);
    if (bound)
        effort.budget_s = fmax(seconds_left(ram), 1e-9);
    ram->lanes.deadline_ns = UINT64_MAX;
    struct engine_data data = {0};
    const enum engine_end end = engine_run(&bench, &machine, &effort, &data, fault);
    ram_estimate(ram->plan, &data);
    if (end == ENGINE_INTERRUPTED || end == ENGINE_FAILED)
        ram->run->left_out = true;
    else if (bound)
        warn_of_budget(ram, prepared, &data);
    engine_data_free(&data);
}

/* Of the time that is left. What has no proof or chain by then is left out, so they have more of it than the samples. */
static const double FILLING = 0.5, PREPARING = 0.6;

/* By then filling must have ended, or proofs and chains; the rest is for the samples. */
static void end_after(struct ram *ram, double share)
{
    if (ram->end_ns != UINT64_MAX)
        ram->lanes.deadline_ns = clock_now_ns() + (uint64_t)(share * seconds_left(ram) * 1e9);
}

static void measure(struct ram *ram, struct fault *fault)
{
    end_after(ram, FILLING);
    if (ram_lanes_fill(&ram->lanes, fault))
        return;
    end_after(ram, PREPARING);
    const size_t prepared = prepare(ram, fault);
    if (fault->status == STATUS_OK)
        run_engine(ram, prepared, fault);
    ram_relabel(ram->plan);
    ram_rows(ram->run->record, ram->plan, memory_page_bytes(&ram->lanes.lane[0].source));
    ram_answers(ram->run->record, ram->plan);
    PUBLISHED_QUOTE(ram->run->record, cpu_core(ram->run->cpu), {"ram.L1.read", "load_bytes"},
                    {"ram.L1.write", "store_bytes"}, {"ram.L2.latency", "l2_latency"});
}

enum status ram_measure(struct run *run, struct ram_plan *plan, enum page_kind pages, int node,
                        struct fault *fault)
{
    const double budget_s = run->common->time_budget;
    struct ram ram = {.run = run,
                      .plan = plan,
                      .end_ns = budget_s > 0 ? clock_now_ns() + (uint64_t)(budget_s * 1e9) : UINT64_MAX};
    core_clock_init(&ram.looks, run->clock);
    if (ram_lanes_open(&ram.lanes, plan, run, pages, node, fault) == STATUS_OK)
        measure(&ram, fault);
    sibling_record(ram.lanes.sibling, run->record);
    ram_lanes_close(&ram.lanes);
    run->core_clock->looking_s += ram.looks.looking_s;
    run->core_clock->stopped_s += ram.looks.stopped_s;
    core_clock_free(&ram.looks);
    return fault->status;
}
