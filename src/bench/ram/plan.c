/* SPDX-License-Identifier: MIT */
/* Chooses kernels and working sets. Pure, but for the warning about a set that does not fit. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ram.h"

const char *const ram_bits_choices[] = {"8", "16", "32", "64", "128", "256", "512", "1024", "2048", NULL};

/* SET_UNIT: whole lines and vectors, of any size. */
enum { MEMORY_LEAST = 128 << 20, MIB = 1 << 20, SET_UNIT = 4096, NEAR_PAGES = 32 };

static uint64_t round_down(uint64_t value, uint64_t to)
{
    return value - value % to;
}

/* Whole pages, or MiB. */
static uint64_t whole(uint64_t bytes)
{
    return round_down(bytes, bytes > 4 * MIB ? MIB : SET_UNIT);
}

/* Adds a set once, in ascending order: a time budget then cuts off the large ones. Of equal ones that of
 * fewer threads comes first. */
static void add_set(struct ram_plan *plan, const struct ram_crew *crew, int level, uint64_t bytes)
{
    int at = plan->set_count;
    for (; at > 0 && plan->sets[at - 1].bytes >= bytes; at--)
        if (plan->sets[at - 1].bytes == bytes && plan->sets[at - 1].crew == crew)
            return;
    while (at < plan->set_count && plan->sets[at].bytes == bytes)
        at++;
    for (int i = plan->set_count++; i > at; i--)
        plan->sets[i] = plan->sets[i - 1];
    plan->sets[at] = (struct working_set){crew, bytes, level};
}

const struct ram_point *ram_point_of_one(const struct ram_plan *plan, const struct ram_point *point)
{
    for (const struct ram_point *one = point; ram_is_of_all(plan, point->set) && one-- > plan->points;)
        if (one->kernel == point->kernel && one->passes > 0 && !ram_is_of_all(plan, one->set))
            return one;
    return NULL;
}

/* Eight times the level before, or four times if that is more than three eighths of the level: the more of
 * a cache is used, the more of its sets are overfull by the run's physical pages; on the less, the longer
 * lasts how the level before was left (Zen 5 writes 192 KiB at 47.7 or 61.5 bytes a cycle for seconds, 384
 * KiB at 58 to 62). Memory: four times the last level, or what there is room for. */
static void default_sets(struct ram_plan *plan, const struct ram_crew *crew, uint64_t room)
{
    const int last = plan->last_level;
    /* Source and target of each crew, and those in the core in each placement. */
    const uint64_t limit = room / 10 / crew->threads, far = 4 * crew->beyond,
                   least = MEMORY_LEAST / crew->threads, dram = far > least ? far : least;
    for (int level = 1; level <= last; level++) {
        const uint64_t before = crew->most[level - 1], half = crew->share[level] / 2,
                       most = half < limit ? half : limit;
        const uint64_t wanted = !before                                    ? most
                                : 8 * before <= crew->share[level] / 8 * 3 ? 8 * before
                                                                           : 4 * before;
        if (most > before)
            add_set(plan, crew, level, whole(wanted < most ? wanted : most));
    }
    if ((dram < limit ? dram : limit) > crew->beyond)
        add_set(plan, crew, last + 1, whole(dram < limit ? dram : limit));
}

bool ram_is_memory(const struct working_set *set)
{
    return set->bytes + MIB > 4 * set->crew->beyond;
}

static int level_of(const struct ram_plan *plan, const struct ram_crew *crew, uint64_t footprint)
{
    int level = 1;
    while (level <= plan->last_level && footprint > crew->share[level])
        level++;
    return level;
}

/* Sets the bytes of a point by those of its set. False: they are below one element. */
static bool fit(const struct ram_plan *plan, struct ram_point *point)
{
    const struct working_set *set = point->set;
    const struct ram_task *task = &ram_tasks[ram_task_of(point->kernel)];
    const uint64_t size = set->level ? set->bytes / task->footprint : set->bytes;
    const uint64_t element = ram_is_latency(point)        ? plan->line_bytes
                             : kernel_bits(point->kernel) ? kernel_bits(point->kernel) / 8
                                                          : 1;
    point->kernel_bytes = round_down(size / task->divisor, element);
    point->bytes = point->kernel_bytes * task->divisor;
    point->footprint = point->bytes * task->footprint;
    point->level = level_of(plan, set->crew, point->footprint);
    return point->kernel_bytes > 0;
}

static bool add_point(struct ram_plan *plan, const struct kernel *kernel, const struct working_set *set)
{
    struct ram_point point = {.kernel = kernel, .set = set};
    if (!fit(plan, &point))
        return false;
    if (plan->apart && ram_in_cache(plan, &point) && kernel->store == ACCESS_STREAMING)
        return true;
    plan->points = memory_grow(plan->points, (plan->point_count + 1) * sizeof *plan->points);
    plan->points[plan->point_count++] = point;
    return true;
}

/* Makes a set that large, and its points; returns the longest span that one of them needs of a buffer. */
static uint64_t resize(struct ram_plan *plan, struct working_set *set, uint64_t bytes)
{
    uint64_t longest = 0;
    set->bytes = bytes;
    for (struct ram_point *point = plan->points; point < plan->points + plan->point_count; point++)
        if (point->set == set && fit(plan, point)) {
            const uint64_t span = ram_span(point->kernel, point->kernel_bytes);
            longest = span > longest ? span : longest;
        }
    return longest;
}

/* A span follows the size of its set but for what pages and elements round, so that a few steps find the
 * size. The span of update is twice its set, that of copy half of it. */
bool ram_plan_shrink(struct ram_plan *plan, const struct working_set *set, uint64_t bytes)
{
    struct working_set *smaller = &plan->sets[set - plan->sets];
    const uint64_t before = set->bytes, least = set->crew->beyond;
    for (uint64_t span = resize(plan, smaller, before); span > bytes;) {
        const uint64_t most = (uint64_t)((double)set->bytes * ((double)bytes / (double)span)),
                       next = whole(most < set->bytes ? most : set->bytes - 1);
        if (next <= least) {
            resize(plan, smaller, before);
            return false;
        }
        span = resize(plan, smaller, next);
    }
    return true;
}

/* Beyond the core lines are drawn. A chain must be built for each size, and under a replacement like LRU
 * neighbours take from it what a stream would keep. */
static enum operation operation_for(const struct ram_plan *plan, const struct working_set *set,
                                    enum operation task)
{
    const bool near = level_of(plan, set->crew, set->bytes) <= RAM_LAST_NEAR;
    return task == OPERATION_LATENCY && !near ? OPERATION_DRAW : task;
}

static enum status add_points(struct ram_plan *plan, const struct ram_params *params, const struct run *run,
                              struct fault *fault)
{
    for (int i = 0; i < plan->set_count; i++) {
        const size_t before = plan->point_count;
        size_t too_wide = 0;
        for (int task = 0; task < RAM_TASK_COUNT; task++) {
            const enum operation operation = (enum operation)task;
            if (!ram_runs_task(params, run, operation) ||
                (operation == OPERATION_LATENCY && plan->sets[i].crew != plan->crew))
                continue;
            const enum operation kind = operation_for(plan, &plan->sets[i], operation);
            for (int streaming = 0; streaming <= plan->apart; streaming++)
                for (const struct kernel *kernel = NULL; (kernel = kernel_next(&run->kernels, kind, kernel));)
                    if ((!plan->apart || streaming == (kernel->store == ACCESS_STREAMING)) &&
                        (operation == OPERATION_LATENCY || (ram_has_way(params, run, kernel, plan->apart) &&
                                                            (plan->sets[i].level <= plan->last_level ||
                                                             ram_has_way_in_memory(params, run, kernel)))))
                        too_wide += !add_point(plan, kernel, &plan->sets[i]);
        }
        if (too_wide && plan->point_count == before)
            return fault_set(fault, STATUS_USAGE,
                             "--size %" PRIu64
                             " is less than any kernel that was asked for needs for one element: "
                             "give a larger size, or narrower kernels with --bits or --task",
                             plan->sets[i].bytes);
        if (too_wide)
            record_warning(run->record, "size_too_small",
                           "--size %" PRIu64 " is less than one element of %zu kernel%s, left out there",
                           plan->sets[i].bytes, too_wide, too_wide == 1 ? "" : "s");
    }
    return plan->point_count
               ? STATUS_OK
               : fault_set(fault, STATUS_UNSUPPORTED,
                           "no kernel is left by --task, --method, --load-mode, --store-mode, --bits, "
                           "--isa and --kernel together: `uarchprobe list` names those that can run here");
}

/* A chain stays on as many pages as any TLB holds, or it would measure the TLB: 18 to 20 cycles instead of
 * 16 in an L2. */
struct chase ram_chain(const struct ram_plan *plan, const struct ram_point *point)
{
    return (struct chase){.count = point->bytes / plan->line_bytes,
                          .stride = plan->line_bytes,
                          .group = ram_is_near(point) ? NEAR_PAGES * plan->page_bytes / plan->line_bytes : 0};
}

static void make_room(struct ram_bytes *all, const struct ram_point *point)
{
    const struct ram_task *task = &ram_tasks[ram_task_of(point->kernel)];
    const uint64_t bytes = point->kernel_bytes, span = ram_span(point->kernel, bytes);
    if (point->kernel->operation == OPERATION_LATENCY)
        all->chain = bytes > all->chain ? bytes : all->chain;
    else if (task->loads && bytes > all->source)
        all->source = bytes;
    if (task->on_target && span > all->target)
        all->target = span;
}

/* All of one thread begin at the same place, those of L1 and L2 at one of RAM_PLACEMENTS, with room for
 * their offsets. */
static void place_all(struct ram_plan *plan)
{
    const uint64_t unit = plan->page_bytes > 1 << 16 ? plan->page_bytes : 1 << 16;
    struct ram_bytes near = {0};
    for (size_t i = 0; i < plan->point_count; i++)
        if (ram_is_near(&plan->points[i]))
            make_room(&near, &plan->points[i]);
    near =
        (struct ram_bytes){round_down(near.source, unit) + 2 * unit, round_down(near.target, unit) + 2 * unit,
                           round_down(near.chain, unit) + 2 * unit};
    plan->near = near;
    for (struct ram_crew *crew = plan->crew; crew < plan->crew + plan->crew_count; crew++) {
        crew->each = (struct ram_bytes){RAM_PLACEMENTS * near.source, RAM_PLACEMENTS * near.target};
        for (size_t i = 0; i < plan->point_count; i++)
            if (!ram_is_near(&plan->points[i]) && plan->points[i].set->crew == crew)
                make_room(&crew->each, &plan->points[i]);
    }
    plan->crew->each.chain = RAM_PLACEMENTS * near.chain;
}

/* The first threads' buffers serve each crew. */
struct ram_bytes ram_buffers(const struct ram_plan *plan, uint64_t thread)
{
    const struct ram_bytes all = ram_all(plan)->each,
                           first = thread < plan->crew->threads ? plan->crew->each : all;
    return (struct ram_bytes){first.source > all.source ? first.source : all.source,
                              first.target > all.target ? first.target : all.target, first.chain};
}

uint64_t ram_plan_memory(const struct ram_plan *plan)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < ram_all(plan)->threads; i++) {
        const struct ram_bytes of = ram_buffers(plan, i);
        bytes += of.source + of.target + of.chain;
    }
    return bytes;
}

void ram_plan_free(struct ram_plan *plan)
{
    free(plan->points);
    free(plan->candidate);
    free(plan->groups);
    engine_data_free(&plan->data);
}

/* For the crews that it has. */
static enum status build(struct ram_plan *plan, const struct ram_params *params, const struct run *run,
                         uint64_t room, struct fault *fault)
{
    for (struct ram_crew *crew = plan->crew; crew < plan->crew + plan->crew_count; crew++) {
        ram_share_caches(plan, crew, run);
        for (int i = 0; i < params->sizes.count; i++)
            add_set(plan, crew, 0, params->sizes.bytes[i]);
        if (params->sizes.count == 0)
            default_sets(plan, crew, room);
    }
    if (plan->set_count == 0)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "%" PRIu64
                         " threads leave too little memory to each: give a smaller --threads, or --size",
                         ram_all(plan)->threads);
    if (add_points(plan, params, run, fault) == STATUS_OK)
        place_all(plan);
    return fault->status;
}

bool ram_is_given(const struct run *run, const char *option)
{
    bool given = false;
    for (int i = 0; i < run->common->given.count; i++)
        given |= strcmp(run->common->given.of[i].row->name, option) == 0;
    return given;
}

enum status ram_plan_make(struct ram_plan *plan, const struct ram_params *params, const struct run *run,
                          uint64_t room, struct fault *fault)
{
    const uint64_t all = (uint64_t)run->cpus.count, threads = params->threads ? params->threads : all;
    const bool both = !params->sizes.count && threads < all && !ram_is_given(run, "threads");
    static const struct ram_params every = {.all = true};
    const bool apart = ram_is_apart(params, run);
    struct ram_plan empty = {.crew = {{.threads = threads}, {.threads = all}},
                             .crew_count = both ? 2 : 1,
                             .apart = apart,
                             .ways = ram_count_ways(params, run, apart),
                             .all_ways = ram_count_ways(&every, run, false),
                             .guest = cpu_may_be_guest(run->cpu),
                             .page_bytes = run->topology->page_bytes};
    ram_find_levels(&empty, run);
    run_kind_name(run, empty.kind);
    *plan = empty;
    build(plan, params, run, room, fault);
    if (both && ram_plan_memory(plan) > room / 2) {
        record_warning(run->record, "all_cpus_left_out",
                       "all CPUs together are not measured: their buffers need %" PRIu64
                       " MiB, a quarter of the free memory is %" PRIu64 " MiB",
                       ram_plan_memory(plan) >> 20, room >> 21);
        free(plan->points);
        *plan = empty;
        plan->crew_count = 1;
        *fault = (struct fault){0};
        build(plan, params, run, room, fault);
    }
    if (plan->hidden && params->sizes.count == 0)
        record_warning(run->record, "caches_not_shown",
                       "this machine does not show all caches: sets that may lie in one of them are named by "
                       "their size; `uarchprobe ram --curve` finds where the caches end");
    if (fault->status == STATUS_OK) {
        ram_plan_group(plan);
        ram_plan_stage(plan);
    }
    return fault->status;
}
