/* SPDX-License-Identifier: MIT */
/* All points, in one run of the engine. */
#include <math.h>

#include "engine/published.h"
#include "ram.h"

/* Of the time that a budget leaves: filling, proofs and chains. What has none of these by then is left out. */
static const double PREPARING = 0.3;

static uint64_t switches(void *context)
{
    const struct ram *ram = context;
    return ram->preempted;
}

static void show(void *context, double done, double eta_s)
{
    const struct ram *ram = context;
    run_progress(ram->run, done, eta_s, "bandwidth, latency");
}

static double expected_s(void *context, size_t index)
{
    const struct ram *ram = context;
    return ram->plan->points[index].expected_s;
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
            if (run_has_ended(ram->run))
                continue;
            if (ram_prepare(ram, point, fault))
                return 0;
            done += point->passes > 0;
        }
    return done;
}

/* budget_s: that is left; 0: none was given. */
static void run_engine(struct ram *ram, size_t prepared, double budget_s, struct fault *fault)
{
    struct run *run = ram->run;
    const bool bound = run->common->time_budget > 0;
    struct core_clock probes; /* readings of whatever ran before: those under each kernel are reported */
    struct engine_host host = {.core_clock = &probes,
                               .sibling = ram->sibling,
                               .team = ram->team,
                               .context = ram,
                               .interrupted = run->interrupted,
                               .taken = run->taken,
                               .switches = switches};
    const struct engine_bench bench = {.context = ram,
                                       .points = ram->plan->point_count,
                                       .width = RAM_WIDTH,
                                       .sample = ram_sample,
                                       .expected_s = bound ? expected_s : NULL,
                                       .remap = ram_remap,
                                       .wants = ram_wants,
                                       .progress = show};
    struct engine_effort effort = ram_effort(run->common);
    effort.budget_s = bound ? budget_s : effort.budget_s;
    ram->deadline_ns = UINT64_MAX;
    core_clock_init(&probes, run->clock);
    const struct engine_machine machine = engine_host_machine(&host);
    const enum engine_end end = engine_run(&bench, &machine, &effort, &ram->data, fault);
    run->core_clock->probing_s += probes.probing_s;
    run->core_clock->stopped_s += probes.stopped_s;
    core_clock_free(&probes);
    ram_estimate(ram->plan, &ram->data);
    const size_t left_out = ram->plan->point_count - prepared;
    const bool ended = end == ENGINE_INTERRUPTED || end == ENGINE_FAILED,
               cut_short = bound && end == ENGINE_BUDGET && ram->data.rounds < effort.least;
    run->left_out |= ended || left_out > 0 || cut_short;
    if (!ended && left_out > 0)
        record_warning(run->record, "time_budget",
                       "the time budget left out %zu of %zu points, the largest working sets first", left_out,
                       ram->plan->point_count);
    else if (cut_short)
        record_warning(run->record, "time_budget", "the time budget ended in round %llu of %llu",
                       (unsigned long long)ram->data.rounds + 1, (unsigned long long)effort.least);
}

enum status ram_measure(struct run *run, struct ram_plan *plan, enum page_kind pages, int node,
                        struct fault *fault)
{
    const double budget_s = run->common->time_budget;
    const uint64_t begin_ns = clock_now_ns();
    struct ram ram = {.run = run, .plan = plan};
    if (ram_open(&ram, pages, node, fault) == STATUS_OK) {
        if (budget_s > 0)
            ram.deadline_ns = begin_ns + (uint64_t)(PREPARING * budget_s * 1e9);
        const size_t prepared = prepare(&ram, fault);
        const double left_s = budget_s - (double)(clock_now_ns() - begin_ns) * 1e-9;
        if (fault->status == STATUS_OK)
            run_engine(&ram, prepared, fmax(left_s, 1e-9), fault);
        ram_rows(run->record, plan, &ram.data, memory_page_bytes(&ram.lane[0].source));
        ram_answers(run->record, plan);
        PUBLISHED_QUOTE(run->record, cpu_core(run->cpu), {"ram.L1.read", "load_bytes"},
                        {"ram.L1.write", "store_bytes"}, {"ram.L2.latency", "l2_latency"});
    }
    sibling_record(ram.sibling, run->record);
    ram_close(&ram);
    engine_data_free(&ram.data);
    return fault->status;
}
