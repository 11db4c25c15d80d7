/* SPDX-License-Identifier: MIT */
/* How often each point is sampled, and the run of the engine that samples them. */
#include <math.h>

#include "engine/published.h"
#include "ram.h"
#include "uarchprobe/experiment.h"

/* OF_ALL: of each stage, until the next one joins. IN_COMMON: rounds in which a kernel that lost to a
 * candidate still takes part where some samples do not count (threads came late): without four rounds in
 * common with the fastest there is no answer. */
enum { ROUNDS_LEAST = 8, ROUNDS_MOST = 60, ROUNDS_OF_ALL = 4, ROUNDS_IN_COMMON = 12, LARGE_BYTES = 4 << 20 };

/* A kernel slower than MAY_WIN times the fastest of its task after the rounds of all will not win. Within
 * the core a busy sibling slows even the best one by MAY_WIN_NEAR, at times in each of its first samples. */
static const double MAY_WIN = 1.15, MAY_WIN_NEAR = 1.5;
/* The share of the time that is left for filling, proofs and chains of a stage; points without them by then
 * are left out. */
static const double PREPARING = 0.5;
/* Bytes that a plan expects a thread to fill, to prove and to pass in a second, where a server of 2024 has
 * 1.5e9, 1e9 and 1e10; the samples' worth of passes that find how many make one; and the share of kernels
 * that stay after ROUNDS_OF_ALL. */
static const double FILLED_PER_S = 1.5e9, PROVED_PER_S = 1e9, PASSED_PER_S = 1e10, SCALED = 1.5,
                    WINNERS = 0.5;
/* All that a default run takes, of typed sizes the rounds alone. */
static const double QUICK_S = 4.5, DEFAULT_S = 14, TYPED_S = 60;

/* The command's own limit binds the rounds after those that an answer needs: until the kernels of each stage
 * have theirs, some answers may be of others than the fastest. */
static struct engine_effort effort_for(const struct run *run, const struct ram_plan *plan)
{
    const struct common *common = run->common;
    const struct ram_params *params = run->params;
    const double usual_s = params->sizes.count > 0 ? TYPED_S : common->quick ? QUICK_S : DEFAULT_S;
    struct engine_effort effort =
        effort_of(common, common->repeat ? common->repeat : ROUNDS_OF_ALL * plan->stages, 0);
    const bool is_typed = common->time_budget > 0 && !common->is_share;
    effort.patience_s = common->repeat || is_typed ? 0 : common->is_share ? common->time_budget : usual_s;
    effort.budget_s = is_typed ? common->time_budget : 0;
    effort.most = ROUNDS_MOST;
    effort.placements = RAM_PLACEMENTS;
    effort.placing_rounds = ROUNDS_OF_ALL;
    effort.settled = 0.02;
    return effort;
}

/* A cache level needs 2 ms to drown the clock reads and a preemption's odds; memory is passed once anyway.
 * Trust beyond the core asks for 16 samples, in all quarters of the run: short ones, so that a default run
 * has time for as many. */
double ram_sample_ns(const struct common *common, const struct ram_point *point)
{
    const double full = point->footprint <= LARGE_BYTES ? 2e6 : 4e6;
    return common->quick ? full / 4 : full;
}

/* Answers rest on the fastest kernels, so these get the time that is left once each has a median. Kernels
 * of one task share rounds, to be compared. Within the core the sibling's state matters, and most rounds have
 * one state: so the best of the first rounds decides for a kernel. Beyond the core noise matters: the median
 * decides. */
bool ram_wants(void *context, size_t index, uint64_t round)
{
    const struct ram *ram = context;
    const struct ram_plan *plan = ram->plan;
    const struct ram_point *point = &plan->points[index];
    const bool near = ram_is_near(point);
    const struct ram_group *group = &plan->groups[point->group];
    const bool is_counted = ram->run->common->repeat > 0;
    if (round == ENGINE_LATER && point->stage >= ram->stages_joined)
        return true;
    if (point->passes == 0 || is_counted || round < ROUNDS_OF_ALL * point->stage)
        return point->passes > 0 && is_counted;
    struct candidates candidates = group->candidates;
    unsigned stage = 0; /* of the group's last kernels, which must meet all others */
    for (size_t i = 0; i < candidates.count; i++)
        stage = plan->points[group->first + i].stage > stage ? plan->points[group->first + i].stage : stage;
    const uint64_t joined = round < ROUNDS_OF_ALL * stage ? 0 : round - ROUNDS_OF_ALL * stage;
    candidates.value = near ? RAM_CYCLES : RAM_NS;
    candidates.pairs = ROUNDS_LEAST;
    bool loses = false, is_known = true;
    for (size_t i = 0; joined >= ROUNDS_OF_ALL && i < candidates.count; i++) {
        const double slower = candidates_ratio(&candidates, index - group->first, i, near ? 0 : 0.5);
        loses |= slower > (near ? MAY_WIN_NEAR : MAY_WIN);
        is_known &= !isnan(slower);
    }
    return !loses || (!is_known && joined < ROUNDS_IN_COMMON);
}

static uint64_t switches(void *context)
{
    return ((const struct ram *)context)->preempted;
}

static double expected_s(void *context, size_t index)
{
    return ((const struct ram *)context)->plan->points[index].expected_s;
}

/* Seconds that a thread takes to prepare each point and to sample it in so many rounds, from the sizes
 * alone: a plan measures nothing. */
double ram_plan_seconds(const struct ram_plan *plan, const struct common *common, double rounds)
{
    const double later = common->repeat ? 1 : WINNERS, all = fmin(rounds, ROUNDS_OF_ALL);
    double seconds = (double)ram_plan_memory(plan) / FILLED_PER_S;
    for (const struct ram_point *point = plan->points; point < plan->points + plan->point_count; point++) {
        const bool is_latency = ram_is_latency(point);
        const double bytes = (double)point->footprint, parts = (double)ram_parts(plan, point),
                     pass_s = is_latency ? 0 : bytes / parts / PASSED_PER_S,
                     sample_s = fmax(ram_sample_ns(common, point) * 1e-9, pass_s),
                     proof_s = is_latency ? 0 : bytes / PROVED_PER_S;
        seconds += proof_s + sample_s * (SCALED + all + (rounds - all) * later);
    }
    return seconds;
}

static void describe_plan(const struct ram *ram)
{
    const struct ram_plan *plan = ram->plan;
    const struct engine_effort effort = effort_for(ram->run, plan);
    const double samples = effort.samples ? (double)effort.samples : 1,
                 rounds = samples * (double)(effort.rounds ? effort.rounds : effort.most);
    const double seconds = ram_plan_seconds(plan, ram->run->common, rounds);
    RECORD_FACTS(ram->run->record,
                 {"plan.points", "kernels x working sets", NULL, INTEGER_CELL(plan->point_count)},
                 {"plan.threads", "threads", NULL, INTEGER_CELL(ram_all(plan)->threads)},
                 {"plan.memory_bytes", "memory", "Byte", INTEGER_CELL(ram_plan_memory(plan))},
                 {"plan.cpu", "CPU of the first thread", NULL, INTEGER_CELL(ram->run->cpus.id[0])},
                 {"plan.sample_seconds", "a sample takes, at least", "s",
                  REAL_CELL(ram_sample_ns(ram->run->common, &plan->points[0]) * 1e-9)});
    const double most_s = fmax(effort.budget_s, effort.patience_s);
    effort_plan(ram->run, &effort, most_s > 0 ? fmin(seconds, most_s) : seconds);
}

/* Whether one thread has a kernel of that level, without which all CPUs have nothing to be compared with. */
static bool one_thread_has(const struct ram_plan *plan, int level)
{
    for (const struct ram_point *point = plan->points; point < plan->points + plan->point_count; point++)
        if (point->set->crew == plan->crew && point->set->level == level && point->passes > 0)
            return true;
    return false;
}

/* Fills the buffers, proves and scales the kernels of a stage, or of all, builds the chains. A point that an
 * interruption or the limit of time leaves out has no passes. One thread comes before all CPUs, memory, which
 * takes long to fill, before the last cache; the very first point takes milliseconds, so that a process with
 * a tenth of a CPU has it, too. */
static void prepare(struct ram *ram, unsigned stage, bool all, struct fault *fault)
{
    const struct ram_plan *plan = ram->plan;
    const size_t count = plan->point_count, turns = 2 * (size_t)plan->crew_count;
    const double left_s = time_left_s(&ram->whole);
    const struct time_limit limit = {
        isinf(left_s) ? 0 : fmax(ram->whole.seconds - left_s + PREPARING * left_s, 1e-9), ram->whole.is_wall,
        ram->whole.since};
    bool is_first = stage == 0;
    ram->stages_joined = all ? plan->stages : stage + 1;
    for (size_t i = 0; i < turns * count && fault->status == STATUS_OK && !run_has_ended(ram->run); i++) {
        const bool far = i / count % 2;
        struct ram_point *point = &plan->points[far ? count - 1 - i % count : i % count];
        if ((point->stage != stage && !all) || point->set->crew != &plan->crew[i / count / 2] ||
            ram_is_near(point) == far ||
            (point->set->crew != plan->crew && !one_thread_has(plan, point->set->level)))
            continue;
        if (stage == 0)
            run_progress(ram->run, 0, -1, "checking kernels");
        ram->preparing = is_first && !far ? (struct time_limit){0} : limit;
        ram_prepare(ram, point, fault);
        is_first = is_first && point->passes == 0;
    }
    ram->preparing = (struct time_limit){0};
}

static bool begins(void *context, uint64_t round, struct fault *fault)
{
    struct ram *ram = context;
    const uint64_t stage = round / ROUNDS_OF_ALL;
    if (round > 0 && round % ROUNDS_OF_ALL == 0 && stage < ram->plan->stages && !ram->run->common->repeat)
        prepare(ram, (unsigned)stage, false, fault);
    return fault->status == STATUS_OK;
}

static void run_engine(struct ram *ram, const struct engine_effort *effort, struct fault *fault)
{
    struct run *run = ram->run;
    struct core_clock probes; /* readings outside the kernels; those under each kernel are reported */
    struct engine_host host = {.run = run,
                               .what = "rounds",
                               .sibling = ram->sibling,
                               .team = ram->threads.team,
                               .core_clock = &probes,
                               .context = ram,
                               .switches = switches};
    const struct engine_bench bench = {.context = ram,
                                       .points = ram->plan->point_count,
                                       .width = RAM_WIDTH,
                                       .sample = ram_sample,
                                       .expected_s = run->common->time_budget > 0 ? expected_s : NULL,
                                       .remap = ram_remap,
                                       .wants = ram_wants,
                                       .begins = begins};
    core_clock_init(&probes, run->clock);
    engine_host_run(&host, &bench, effort, &ram->plan->data, fault);
    run->core_clock->probing_s += probes.probing_s;
    run->core_clock->stopped_s += probes.stopped_s;
    core_clock_free(&probes);
}

/* The ISA level of the widest kernel. */
static const char *isa_of(const struct ram_plan *plan)
{
    const struct isa_level *level = isa_levels;
    for (const struct isa_level *next = isa_levels + 1; next->name; next++)
        for (size_t i = 0; i < plan->point_count; i++)
            if (!(plan->points[i].kernel->needs & ~next->features) &&
                plan->points[i].kernel->needs & next->features & ~next[-1].features)
                level = next;
    return level->name;
}

static void measure(struct ram *ram, struct stopwatch begin, struct fault *fault)
{
    static const char *const quoted[][2] = {{"ram.L1.read", "load_bytes"},
                                            {"ram.L1.write", "store_bytes"},
                                            {"ram.L2.latency", "l2_latency"},
                                            {"ram.L2.latency_cycles", "l2_latency"}};
    struct run *run = ram->run;
    struct ram_plan *plan = ram->plan;
    struct engine_effort effort = effort_for(run, plan);
    size_t left_out = 0;
    ram->whole = (struct time_limit){effort.budget_s, effort.is_wall, begin};
    effort.begin = begin;
    prepare(ram, 0, run->common->repeat > 0, fault);
    /* Half of it is for rounds, even where an emulator prepares for minutes. */
    effort.patience_s = fmax(effort.patience_s / 2, effort.patience_s - stopwatch_own_s(&begin));
    if (fault->status == STATUS_OK) {
        run_engine(ram, &effort, fault);
        for (size_t i = 0; i < plan->point_count; i++)
            left_out += plan->points[i].passes == 0;
        if (left_out > 0 && !run->left_out)
            record_warning(run->record, "time_budget", "the time budget left out %zu of %zu points", left_out,
                           plan->point_count);
        else
            effort_warn(run, &effort, &plan->data);
        run->left_out |= left_out > 0;
        ram_estimate(plan);
    }
    const uint64_t all = plan->crew_count > 1 ? ram_all(plan)->threads : 0,
                   page_bytes = memory_page_bytes(&ram->threads.lane[0].source);
    RECORD_FACTS(
        run->record, {"run.threads", .value = INTEGER_CELL((int64_t)plan->crew->threads)},
        {"run.all_threads", .value = all ? INTEGER_CELL((int64_t)all) : NO_CELL},
        {"run.isa", .value = TEXT_CELL(isa_of(plan))},
        {"run.ways", .value = plan->sets[0].level ? NO_CELL : INTEGER_CELL((int64_t)plan->ways)},
        {"run.all_ways", .value = INTEGER_CELL((int64_t)plan->all_ways)},
        {"run.repeat", .value = run->common->repeat ? INTEGER_CELL((int64_t)run->common->repeat) : NO_CELL},
        {"run.page_bytes", .value = INTEGER_CELL((int64_t)page_bytes)});
    ram_rows(run->record, plan, page_bytes);
    ram_answers(run->record, plan);
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++)
        published_quote(run->record, cpu_core(run->cpu), quoted[i][0], quoted[i][1]);
}

enum status ram_measure(struct run *run, struct ram_plan *plan, int node, struct fault *fault)
{
    const struct stopwatch begin = stopwatch_start();
    struct ram ram = {.run = run, .plan = plan};
    if (ram_open(&ram, node, fault) == STATUS_OK && run->common->dry_run)
        describe_plan(&ram);
    else if (fault->status == STATUS_OK)
        measure(&ram, begin, fault);
    if (!run->common->dry_run)
        sibling_record(ram.sibling, run->record);
    ram_close(&ram);
    return fault->status;
}
