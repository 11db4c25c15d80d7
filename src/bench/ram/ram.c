/* SPDX-License-Identifier: MIT */
/* `uarchprobe ram`: how fast memory is copied, written, compared and read, per instruction set and cache
 * level. The tasks, modes and columns are RAMOMETER's; docs/method-ram.md tells what differs. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "engine/sampler.h"
#include "ram.h"
#include "uarchprobe/trust.h"

static const char *const mode_choices[] = {"aligned", "unaligned", "streaming", NULL};

struct ram {
    const struct run *run;
    struct ram_plan plan;
    struct ram_lanes lanes;
    struct ram_sink sink;
    struct ram_point *part; /* the points being sampled: bandwidth, then latency */
    uint64_t begin_ns;
    uint64_t end_ns; /* of what is being done, by the time budget; UINT64_MAX: none */
    bool complete;
    bool left_out;
};

static uint64_t now_ns(void *context)
{
    return clock_now_ns();
}

static bool was_interrupted(void *context)
{
    const struct ram *ram = context;
    return ram->run->interrupted(NULL);
}

static void show(void *context, double done, double eta_s)
{
    const struct ram *ram = context;
    const bool latency = ram->part != ram->plan.points;
    run_progress(ram->run, done, eta_s, latency ? "latency" : "bandwidth");
}

static bool sample(void *context, size_t index, double *value, struct fault *fault)
{
    struct ram *ram = context;
    struct ram_point *point = &ram->part[index];
    return ram_sample(&ram->lanes, point, value, fault) == STATUS_OK && samples_add(&point->seconds, *value);
}

static void after_round(void *context, uint64_t round)
{
    struct ram *ram = context;
    ram_watch_sibling(&ram->lanes);
}

/* The time budget of the user bounds everything, the command's own the rounds after the first one. */
static double budget_s(const struct common *common)
{
    return common->repeat ? 0 : common->quick ? 5 : 60;
}

static uint64_t samples_wanted(const struct common *common)
{
    return common->samples ? common->samples : 1;
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
static double sample_ns(const struct common *common, const struct ram_point *point)
{
    const double full = point->footprint <= 4 << 20 ? 2e6 : 10e6;
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
        if (ram_prepare(&ram->lanes, &points[done], sample_ns(common, &points[done]), fault))
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

/* Rounds that every point has. */
static uint64_t whole_rounds(const struct samples *samples, size_t count, uint64_t each)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        least = samples[i].count < least ? samples[i].count : least;
    return least / each;
}

static void check_rounds(struct ram *ram, const struct sampler *sampler, const struct samples *samples)
{
    const uint64_t rounds = whole_rounds(samples, sampler->points, sampler->samples);
    if (rounds >= sampler->min_rounds)
        return;
    ram->complete = false;
    record_warning(ram->run->record, "time_budget", "the time budget ended the %s in round %llu of %llu",
                   ram->part == ram->plan.points ? "bandwidths" : "latencies", (unsigned long long)rounds + 1,
                   (unsigned long long)sampler->min_rounds);
}

static enum status take_samples(struct ram *ram, const struct sampler *sampler, struct fault *fault)
{
    struct samples *samples = calloc(sampler->points, sizeof *samples);
    if (!samples)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %zu points", sampler->points);
    const enum sampler_end end = sampler_run(sampler, samples, fault);
    if (end == SAMPLER_BUDGET && ram->run->common->time_budget > 0)
        check_rounds(ram, sampler, samples);
    for (size_t i = 0; i < sampler->points; i++) {
        const struct samples *ghz = &ram->part[i].ghz;
        samples_free(&samples[i]);
        for (size_t k = 0; k < ghz->count; k++)
            core_clock_keep(ram->run->core_clock, ghz->value[k]);
    }
    free(samples);
    ram->complete = ram->complete && end != SAMPLER_INTERRUPTED && end != SAMPLER_FAILED;
    return fault->status;
}

/* Latency has rounds of its own: its chains lie where the bandwidth kernels read. */
static enum status sample_part(struct ram *ram, struct ram_point *points, size_t count, double share,
                               struct fault *fault)
{
    const struct common *common = ram->run->common;
    const bool bound = common->time_budget > 0;
    const size_t prepared = prepare(ram, points, count, fault);
    const struct sampler sampler = {
        .points = prepared,
        .min_rounds = common->repeat ? common->repeat : 3,
        .max_rounds = common->repeat ? common->repeat : 15,
        .samples = samples_wanted(common),
        .budget_s = bound ? fmax(seconds_left(ram), 1e-9) : budget_s(common) * share,
        .tolerance = common->repeat ? 0 : 0.01,
        .context = ram,
        .sample = sample,
        .expected_s = bound ? expected_s : NULL,
        .between = after_round,
        .now_ns = now_ns,
        .interrupted = was_interrupted,
        .progress = show,
    };
    ram->complete = ram->complete && prepared == count;
    if (prepared == 0 || fault->status)
        return fault->status;
    ram->part = points;
    return take_samples(ram, &sampler, fault);
}

/* The part, and the building of chains in it, ends after that share of the time budget. */
static void end_after(struct ram *ram, double share)
{
    if (ram->run->common->time_budget > 0)
        ram->end_ns = ram->begin_ns + (uint64_t)(share * ram->run->common->time_budget * 1e9);
}

static enum status sample_all(struct ram *ram, struct fault *fault)
{
    const size_t bandwidth = ram->plan.bandwidth_count, latency = ram->plan.point_count - bandwidth;
    const double share = latency ? 0.85 : 1;
    ram->complete = true;
    end_after(ram, bandwidth ? 0.4 : 0.6);
    ram->lanes.deadline_ns = ram->end_ns;
    if (ram_lanes_fill(&ram->lanes, fault))
        return fault->status;
    end_after(ram, share);
    if (bandwidth && sample_part(ram, ram->plan.points, bandwidth, share, fault))
        return fault->status;
    end_after(ram, 1);
    ram->lanes.deadline_ns =
        ram->end_ns == UINT64_MAX ? UINT64_MAX : ram->end_ns - (uint64_t)(seconds_left(ram) / 2 * 1e9);
    return latency ? sample_part(ram, ram->plan.points + bandwidth, latency, 1 - share, fault) : STATUS_OK;
}

static enum status measure(struct ram *ram, const struct ram_params *params, int node, struct fault *fault)
{
    const struct run *run = ram->run;
    struct disturbance start;
    ram->begin_ns = clock_now_ns();
    ram->end_ns = UINT64_MAX;
    disturbance_read(&start);
    if (ram_lanes_open(&ram->lanes, &ram->plan, run, (enum page_kind)params->pages, node, fault) ==
        STATUS_OK) {
        ram->sink = (struct ram_sink){.record = run->record,
                                      .plan = &ram->plan,
                                      .table = record_table_add(run->record, &ram_table),
                                      .page_bytes = memory_page_bytes(&ram->lanes.lane[0].source)};
        if (ram->plan.bandwidth_count > 0)
            ram->sink.best_table = record_table_add(run->record, &ram_best_table);
        if (ram->plan.bandwidth_count < ram->plan.point_count)
            ram->sink.latency_table = record_table_add(run->record, &ram_latency_table);
        sample_all(ram, fault);
        ram_rows(&ram->sink);
        ram_findings(&ram->sink, ram->complete);
        ram->left_out = !ram->complete;
    }
    sibling_record(ram->lanes.sibling, run->record);
    ram_lanes_close(&ram->lanes);
    const struct disturbance during = disturbance_since(&start);
    trust_warn(run->record, &during, (double)(clock_now_ns() - ram->begin_ns) / 1e9);
    return fault->status;
}

static void describe_plan(const struct ram *ram)
{
    const struct ram_plan *plan = &ram->plan;
    struct record *record = ram->run->record;
    const struct common *common = ram->run->common;
    const uint64_t rounds = common->repeat ? common->repeat : 3, samples = samples_wanted(common);
    const double seconds = ram_plan_seconds(plan, rounds * samples, 2e-3);
    record_fact(record, (struct fact){"plan.points", "kernels x working sets", NULL,
                                      INTEGER_CELL(plan->point_count)});
    record_fact(record, (struct fact){"plan.threads", "threads", NULL, INTEGER_CELL(plan->threads)});
    record_fact(record,
                (struct fact){"plan.memory_bytes", "memory", "Byte", INTEGER_CELL(ram_plan_memory(plan))});
    record_fact(record, (struct fact){"plan.cpu", "CPU of the first thread", NULL,
                                      INTEGER_CELL(ram->run->cpus.id[0])});
    record_fact(record, (struct fact){"plan.sample_seconds", "a sample takes, at least", "s",
                                      REAL_CELL(sample_ns(common, &plan->points[0]) * 1e-9)});
    record_fact(record, (struct fact){"plan.rounds", "rounds, at least", NULL, INTEGER_CELL(rounds)});
    record_fact(record,
                (struct fact){"plan.samples", "samples of a point in a round", NULL, INTEGER_CELL(samples)});
    record_fact(record, (struct fact){"plan.seconds", "time, roughly", "s", REAL_CELL(seconds)});
}

static enum status check_threads(const struct ram_params *params, const struct run *run, struct fault *fault)
{
    if (params->threads <= (uint64_t)run->cpus.count)
        return STATUS_OK;
    return fault_set(
        fault, STATUS_NO_RESOURCE,
        "--threads %llu needs as many CPUs, %d can be used here: give a smaller number or more --cpus",
        (unsigned long long)params->threads, run->cpus.count);
}

static uint64_t largest_set(const struct ram_plan *plan)
{
    uint64_t bytes = 0;
    for (int i = 0; i < plan->set_count; i++)
        bytes = plan->sets[i].bytes > bytes ? plan->sets[i].bytes : bytes;
    return bytes;
}

/* Says the largest --size that fits, as it is with these tasks, threads and other sizes shrunk alike, instead
 * of leaving it to the user to guess from the sum of all buffers. */
static enum status check_memory(const struct ram_plan *plan, const struct ram_params *params,
                                struct fault *fault)
{
    struct fault cause = {0};
    const uint64_t memory = ram_plan_memory(plan);
    if (memory_check(memory, params->force, &cause) == STATUS_OK)
        return STATUS_OK;
    const double fits = (double)largest_set(plan) * ((double)memory_room() / (double)memory);
    return fault_set(
        fault, cause.status,
        "the buffers of %llu thread(s) come to %llu MiB, too much for this machine or its limits: the "
        "largest --size that fits is %lluki; --force overrides",
        (unsigned long long)plan->threads, (unsigned long long)(memory >> 20),
        (unsigned long long)(fits / 1024));
}

static enum status parse_node(const char *text, int *node, struct fault *fault)
{
    uint64_t value;
    struct fault cause = {0}; /* says what a count is, not which option */
    *node = -1;
    if (!text)
        return STATUS_OK;
    if (parse_count(text, 0, 4095, &value, &cause))
        return fault_set(fault, STATUS_USAGE, "--mem-node: '%s' is not the number of a NUMA node", text);
    *node = (int)value;
    return STATUS_OK;
}

static enum status run_ram(struct run *run, struct fault *fault)
{
    const struct ram_params *params = run->params;
    struct ram ram = {.run = run};
    int node;
    if (check_threads(params, run, fault) || parse_node(params->mem_node, &node, fault))
        return fault->status;
    if (ram_plan_make(&ram.plan, params, run, memory_room(), fault) == STATUS_OK) {
        if (run->common->dry_run)
            describe_plan(&ram);
        else if (check_memory(&ram.plan, params, fault) == STATUS_OK)
            measure(&ram, params, node, fault);
    }
    run->left_out = ram.left_out;
    run->untrusted = record_has_low_trust(run->record);
    ram_plan_free(&ram.plan);
    return fault->status;
}

#define OFFSET(member) .offset = offsetof(struct ram_params, member)

static const struct option_row options[] = {
    {"size", 0, OPTION_SIZES, OFFSET(sizes), .argument = "LIST", .fallback = "auto",
     .help = "bytes of each of the two buffers, as in 64mi,1gi; auto: half of each cache level and four "
             "times the last one"},
    {"task", 0, OPTION_CHOICES, OFFSET(tasks), .argument = "LIST", .choices = ram_task_names,
     .help = "tasks to measure; all if not given"},
    {"method", 0, OPTION_CHOICES, OFFSET(methods), .argument = "LIST", .choices = method_names,
     .help = "how the task is done; all if not given"},
    {"load-mode", 0, OPTION_CHOICES, OFFSET(loads), .argument = "LIST", .choices = mode_choices,
     .help = "how kernels load; aligned if not given; unaligned is off by one byte, streaming uses "
             "non-temporal loads"},
    {"store-mode", 0, OPTION_CHOICES, OFFSET(stores), .argument = "LIST", .choices = mode_choices,
     .help = "how kernels store; aligned,streaming if not given; streaming uses non-temporal stores"},
    {"bits", 0, OPTION_CHOICES, OFFSET(bits), .argument = "LIST", .choices = ram_bits_choices,
     .help = "element widths; 64 and wider if not given"},
    {"threads", 't', OPTION_COUNT, OFFSET(threads), .argument = "N", .fallback = "1", .min = 1, .max = 4096,
     .help = "threads, each pinned to a CPU of --cpus with buffers of its own"},
    {"pages", 0, OPTION_CHOICE, OFFSET(pages), .argument = "KIND", .fallback = "auto",
     .choices = page_kind_names, .help = "page size of the buffers; what was obtained is printed"},
    {"mem-node", 0, OPTION_TEXT, OFFSET(mem_node), .argument = "N", .help = "NUMA node of the buffers"},
    {"zero", 0, OPTION_FLAG, OFFSET(zero),
     .help = "write zeros too, as rows of their own: some machines write them two to three times faster"},
    {"force", 0, OPTION_FLAG, OFFSET(force), .help = "use more memory than is safely free"},
    {0},
};

const struct command ram_command = {
    .name = "ram",
    .summary = "how fast are copy, write, compare and read, per instruction set and cache level?",
    .method =
        "Hand-written kernels copy, write, compare and read buffers of half of each cache level and "
        "four times the last one; every kernel's work is checked byte by byte before it is timed. A "
        "sample is as many passes as last 2 ms (10 ms in memory), all points are sampled once and "
        "then all again, and the median of the rounds is shown. Latency is a chain of dependent "
        "loads through all lines in random order.\n"
        "Tasks, modes and columns are those of RAMOMETER. Speed counts the bytes that the task "
        "handles: a copy of 1 GiB reads and writes 2 GiB.\n"
        "In a guest, cache sizes are what the hypervisor says, and neighbours share the last cache "
        "and the memory: the spread of the samples shows it and lowers the trust.",
    .examples = {"uarchprobe ram", "uarchprobe ram --size 64mi,1gi -r 10",
                 "uarchprobe ram --quick -f markdown",
                 "uarchprobe ram --task copy,write --bits 512 --load-mode all --store-mode all",
                 "uarchprobe ram -t 2 -f tsv -r 10 | grep AVG"},
    .options = options,
    .params_size = sizeof(struct ram_params),
    .honours = HONOURS_MEASURING | HONOURS_ISA | HONOURS_KERNEL,
    .measures = true,
    .run = run_ram,
};
