/* SPDX-License-Identifier: MIT */
/* All points, in one run of the engine. */
#include <math.h>

#include "engine/published.h"
#include "ram.h"

struct ram {
    struct run *run;
    struct ram_plan *plan;
    struct ram_lanes lanes;
    struct engine_data data;
    uint64_t end_ns; /* by the time budget; UINT64_MAX: none */
    struct core_clock
        looks; /* its readings are of whatever ran before: those under each kernel are reported */
};

/* Of the time that a budget leaves: filling, proofs and chains. What has none of these by then is left out. */
static const double PREPARING = 0.3;

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

static bool sample(void *context, size_t index, size_t count, double *value, struct fault *fault)
{
    struct ram *ram = context;
    double ghz;
    if (ram_sample(&ram->lanes, &ram->plan->points[index], &value[RAM_NS], &ghz, fault))
        return false;
    value[RAM_CYCLES] = value[RAM_NS] * ghz;
    core_clock_keep(ram->run->core_clock, ghz);
    return true;
}

static double expected_s(void *context, size_t index)
{
    const struct ram *ram = context;
    return ram->plan->points[index].expected_s;
}

static bool wants(void *context, size_t index, uint64_t round)
{
    const struct ram *ram = context;
    return ram_wants(ram->plan, ram->run->common, &ram->data, index, round);
}

/* Fills the buffers, proves and scales all kernels, then builds all chains, which lie where the kernels read; what an interruption or
 * the deadline leave out has no passes. Returns how many have. */
static size_t prepare(struct ram *ram, struct fault *fault)
{
    const size_t count = ram->plan->point_count;
    size_t begun = 0, done = 0;
    for (int chains = 0; chains < 2; chains++)
        for (size_t i = 0; i < count; i++) {
            struct ram_point *point = &ram->plan->points[i];
            if (ram_is_latency(point) != chains)
                continue;
            run_progress(ram->run, (double)begun++ / (double)count, -1, "checking kernels");
            if (was_interrupted(ram))
                continue;
            if (ram_prepare(&ram->lanes, point, ram_sample_ns(ram->run->common, point), fault))
                return 0;
            done += point->passes > 0;
        }
    return done;
}

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
                                       .width = RAM_WIDTH,
                                       .sample = sample,
                                       .expected_s = bound ? expected_s : NULL,
                                       .remap = remap,
                                       .wants = wants,
                                       .progress = show};
    struct engine_effort effort = ram_effort(common);
    if (bound) {
        const uint64_t now_ns = clock_now_ns();
        effort.budget_s = ram->end_ns > now_ns ? (double)(ram->end_ns - now_ns) * 1e-9 : 1e-9;
    }
    ram->lanes.deadline_ns = UINT64_MAX;
    const enum engine_end end = engine_run(&bench, &machine, &effort, &ram->data, fault);
    ram_estimate(ram->plan, &ram->data);
    const size_t count = ram->plan->point_count;
    const bool cut_short = bound && ram->data.end == ENGINE_BUDGET && ram->data.rounds < effort.least;
    ram->run->left_out |= end == ENGINE_INTERRUPTED || end == ENGINE_FAILED || prepared < count || cut_short;
    if (end == ENGINE_INTERRUPTED || end == ENGINE_FAILED)
        return;
    if (prepared < count)
        record_warning(ram->run->record, "time_budget",
                       "the time budget left out %zu of %zu points, the largest working sets first",
                       count - prepared, count);
    else if (cut_short)
        record_warning(ram->run->record, "time_budget", "the time budget ended in round %llu of %llu",
                       (unsigned long long)ram->data.rounds + 1, (unsigned long long)effort.least);
}

static void measure(struct ram *ram, struct fault *fault)
{
    if (ram->end_ns != UINT64_MAX) {
        const uint64_t now_ns = clock_now_ns();
        ram->lanes.deadline_ns =
            now_ns + (uint64_t)(PREPARING * fmax((double)ram->end_ns - (double)now_ns, 0));
    }
    const size_t prepared = prepare(ram, fault);
    if (fault->status == STATUS_OK)
        run_engine(ram, prepared, fault);
    ram_relabel(ram->plan);
    ram_rows(ram->run->record, ram->plan, &ram->data, memory_page_bytes(&ram->lanes.lane[0].source));
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
    engine_data_free(&ram.data);
    run->core_clock->probing_s += ram.looks.probing_s;
    run->core_clock->stopped_s += ram.looks.stopped_s;
    core_clock_free(&ram.looks);
    return fault->status;
}
