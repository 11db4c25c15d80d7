/* SPDX-License-Identifier: MIT */
/* The threads of `ram`, their buffers, and the proof that each kernel moved what it claims. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/autoscale.h"
#include "ram.h"
#include "uarchprobe/chase.h"

enum {
    LINE_BYTES = 64,
    SLACK_BYTES = 4096,
    /* Keeps loads and stores of one loop from hitting the same 4 KiB offset (4K aliasing) or the same cache
       sets. */
    TARGET_OFFSET = 2112,
    PIECE_BYTES = 1 << 20,
    STEPS_AT_ONCE = 1 << 12
};

static const double DEADLINE_S = 300;

/* A task for all lanes: `work` runs in each of them. */
struct job {
    struct ram_lanes *lanes;
    struct ram_point *point;
    uint64_t passes;
    unsigned char value; /* that write writes */
    void (*work)(const struct job *job, struct ram_lane *lane);
};

static void run_lane(void *context, int member)
{
    const struct job *job = context;
    job->work(job, &job->lanes->lane[member]);
}

static enum status run_all(struct job *job, struct fault *fault)
{
    if (team_run(job->lanes->team, job->lanes->count, run_lane, job, DEADLINE_S))
        return STATUS_OK;
    return fault_set(fault, STATUS_FAILED,
                     "%s did not end within %.0f s: a CPU is overcommitted or was taken away",
                     job->point ? job->point->kernel->name : "filling the buffers", DEADLINE_S);
}

static unsigned char *source_of(const struct ram_lane *lane, const struct ram_point *point)
{
    return lane->source.data + (point->kernel->load == ACCESS_UNALIGNED);
}

static unsigned char *target_of(const struct ram_lane *lane, const struct ram_point *point)
{
    const bool compare = point->kernel->operation == OPERATION_COMPARE;
    const enum access_mode mode = compare ? point->kernel->load : point->kernel->store;
    return lane->target.data + TARGET_OFFSET + (mode == ACCESS_UNALIGNED);
}

/* Every byte is non-zero and depends on its address; the three high bits are kept free for marks. */
static void fill_source(struct memory part, uint64_t seed)
{
    memory_touch(&part, seed);
    uint64_t *word = (uint64_t *)part.data;
    for (uint64_t i = 0; i < part.bytes / 8; i++)
        word[i] = (word[i] & UINT64_C(0x1f1f1f1f1f1f1f1f)) | UINT64_C(0x0101010101010101);
}

/* The next piece of a buffer; no bytes: there is none. */
static struct memory piece_of(const struct memory *memory, uint64_t from)
{
    const uint64_t left = from < memory->bytes ? memory->bytes - from : 0;
    return (struct memory){.data = memory->data + from, .bytes = left < PIECE_BYTES ? left : PIECE_BYTES};
}

static void fill_lane(const struct job *job, struct ram_lane *lane)
{
    const uint64_t most = lane->source.bytes > lane->target.bytes ? lane->source.bytes : lane->target.bytes;
    for (lane->filled = 0; lane->filled < most; lane->filled += PIECE_BYTES) {
        if (clock_now_ns() >= job->lanes->deadline_ns)
            return;
        struct memory target = piece_of(&lane->target, lane->filled);
        fill_source(piece_of(&lane->source, lane->filled), 1 + lane->filled);
        memory_touch(&target, 2 + lane->filled);
    }
}

/* Sets bits that stand only in the first, middle and last byte of what the point at hand reads, and clears them
 * when called again: an OR that misses one of these bytes is wrong, and a copy that misses one differs. Left
 * standing they would lie inside every larger set, and its end could go unread. */
static void toggle_marks(const struct ram_lane *lane, const struct ram_point *point)
{
    unsigned char *source = source_of(lane, point);
    const uint64_t bytes = point->kernel_bytes;
    if (point->kernel->operation == OPERATION_WRITE)
        return; /* reads nothing, and the source may be shorter */
    source[0] ^= 0x20;
    source[bytes / 2] ^= 0x40;
    source[bytes - 1] ^= 0x80;
}

static struct chase chase_of(const struct ram_lane *lane, const struct ram_point *point)
{
    return (struct chase){.data = lane->source.data + point->chain_offset,
                          .count = point->bytes / LINE_BYTES,
                          .stride = LINE_BYTES};
}

static void build_chain(const struct job *job, struct ram_lane *lane)
{
    const struct chase chase = chase_of(lane, job->point);
    const size_t index = (size_t)(job->point - job->lanes->plan->points);
    lane->position[index] = chase_node(&chase, 0);
    lane->walked[index] = 0;
    lane->right = false;
    for (uint64_t first = 0; first < chase.count; first += STEPS_AT_ONCE) {
        if (first > 0 && clock_now_ns() >= job->lanes->deadline_ns)
            return;
        chase_link_some(&chase, first,
                        first + STEPS_AT_ONCE < chase.count ? first + STEPS_AT_ONCE : chase.count);
    }
    lane->right = true;
}

/* What an untimed pass of the kernel itself does for bandwidth, a look at every line does for a chain. */
static void warm_chain(const struct ram_lane *lane, const struct ram_point *point)
{
    const unsigned char *begin = lane->source.data + point->chain_offset;
    for (int round = 0; round < 2; round++)
        for (uint64_t at = 0; at < point->bytes; at += LINE_BYTES)
            (void)*(const volatile unsigned char *)(begin + at);
}

static struct lane_time *time_of(const struct job *job, const struct ram_lane *lane)
{
    return &job->lanes->time[lane - job->lanes->lane];
}

static void walk_chain(const struct job *job, struct ram_lane *lane)
{
    const struct ram_point *point = job->point;
    const struct chase chase = chase_of(lane, point);
    const size_t index = (size_t)(point - job->lanes->plan->points);
    if (point->in_cache)
        warm_chain(lane, point);
    const uint64_t switches = pin_involuntary_switches();
    time_of(job, lane)->begin_ns = clock_now_ns();
    const uint64_t last = kernel_call(point->kernel, (void *)lane->position[index], NULL, job->passes,
                                      0); /* NOLINT: read only */
    time_of(job, lane)->end_ns = clock_now_ns();
    lane->walked[index] += job->passes;
    lane->position[index] = (const void *)(uintptr_t)last;
    lane->right = lane->position[index] == chase_node(&chase, lane->walked[index]);
    lane->ghz = core_clock_ghz(job->lanes->core_clock);
    lane->preempted = pin_involuntary_switches() != switches;
}

static uint64_t call(const struct job *job, const struct ram_lane *lane, uint64_t passes)
{
    const struct ram_point *point = job->point;
    unsigned char *source = source_of(lane, point), *target = target_of(lane, point);
    const uint64_t n = point->kernel_bytes;
    switch (point->kernel->operation) {
    case OPERATION_COPY:
        return kernel_call(point->kernel, target, source, n, passes);
    case OPERATION_WRITE:
        return kernel_call(point->kernel, target, (const void *)(uintptr_t)job->value, n, passes);
    case OPERATION_COMPARE:
        return kernel_call(point->kernel, target, source, n, passes);
    default:
        return kernel_call(point->kernel, source, NULL, n, passes);
    }
}

enum { CLOCK_BYTES = 1 << 16, CLOCK_TRAFFIC = 1 << 20 };

struct burst {
    const struct job *job;
    const struct ram_lane *lane;
};

/* Some 20 us of the kernel. */
static void run_burst(void *context)
{
    const struct burst *burst = context;
    call(burst->job, burst->lane, CLOCK_TRAFFIC / burst->job->point->kernel_bytes + 1);
}

/* The clock in the state of the kernel: after 512-bit arithmetic it stays lower for 2 us on one core (Granite
 * Rapids class: 3.1, then 3.6 GHz), for 10 us on another (Emerald Rapids class: 2.9, then 3.0). */
static double clock_under(const struct job *job, const struct ram_lane *lane)
{
    struct ram_point part = *job->point;
    struct job work = *job;
    struct burst burst = {&work, lane};
    if (part.kernel_bytes > CLOCK_BYTES)
        part.kernel_bytes = CLOCK_BYTES;
    work.point = &part;
    return core_clock_ghz_under(job->lanes->core_clock, run_burst, &burst);
}

/* compare needs equal buffers; everything else can do with what is there. */
static void restore_target(struct ram_lane *lane, const struct ram_point *point)
{
    if (point->kernel->operation != OPERATION_COMPARE)
        return;
    memcpy(target_of(lane, point), source_of(lane, point), point->kernel_bytes);
}

static void poison_target(const struct ram_lane *lane, const struct ram_point *point)
{
    const enum operation operation = point->kernel->operation;
    if (operation == OPERATION_COPY || operation == OPERATION_WRITE)
        memset(target_of(lane, point), 0xaa, point->kernel_bytes);
}

static bool moved_right(const struct job *job, const struct ram_lane *lane, uint64_t result)
{
    const struct ram_point *point = job->point;
    const uint64_t n = point->kernel_bytes;
    switch (point->kernel->operation) {
    case OPERATION_COPY:
        return memcmp(target_of(lane, point), source_of(lane, point), n) == 0;
    case OPERATION_WRITE:
        return ram_all_bytes_are(target_of(lane, point), n, job->value);
    case OPERATION_AGG_OR:
        return result == ram_expected_or(source_of(lane, point), n, kernel_bits(point->kernel) / 8);
    default:
        return result == 0; /* compare: equal; read: nothing to say */
    }
}

/* compare must also see a difference in the last byte, or it may have looked at nothing. */
static bool sees_a_difference(const struct job *job, const struct ram_lane *lane)
{
    if (job->point->kernel->operation != OPERATION_COMPARE)
        return true;
    unsigned char *last = target_of(lane, job->point) + job->point->kernel_bytes - 1;
    *last ^= 1;
    const bool seen = call(job, lane, 1) != 0;
    *last ^= 1;
    return seen;
}

static void check_lane(const struct job *job, struct ram_lane *lane)
{
    toggle_marks(lane, job->point);
    poison_target(lane, job->point);
    restore_target(lane, job->point);
    const uint64_t result = call(job, lane, 1);
    lane->right = moved_right(job, lane, result) && sees_a_difference(job, lane);
    toggle_marks(lane, job->point);
}

/* The result of reading kernels is checked in every sample: it costs nothing. Copy and write were checked on
 * poisoned memory by ram_prepare and are looked at again here only where a look costs little. */
static void sample_lane(const struct job *job, struct ram_lane *lane)
{
    const struct ram_point *point = job->point;
    const enum operation operation = point->kernel->operation;
    const bool writes = operation == OPERATION_COPY || operation == OPERATION_WRITE;
    toggle_marks(lane, point);
    restore_target(lane, point);
    if (point->in_cache)
        call(job, lane, 1);
    const uint64_t switches = pin_involuntary_switches();
    time_of(job, lane)->begin_ns = clock_now_ns();
    const uint64_t result = call(job, lane, job->passes);
    time_of(job, lane)->end_ns = clock_now_ns();
    lane->ghz = clock_under(job, lane);
    lane->preempted = pin_involuntary_switches() != switches;
    lane->right = (writes && !point->in_cache) || moved_right(job, lane, result);
    toggle_marks(lane, point);
}

static enum status check_right(const struct ram_lanes *lanes, const struct ram_point *point,
                               struct fault *fault)
{
    for (int i = 0; i < lanes->count; i++)
        if (!lanes->lane[i].right)
            return fault_set(fault, STATUS_FAILED,
                             "%s did not do its work on %" PRIu64
                             " bytes (thread %d): nothing it says can be used; "
                             "please report this with the output of `uarchprobe info`",
                             point->kernel->name, point->kernel_bytes, i);
    return STATUS_OK;
}

/* The shortest: a thread that came late had the time of the others, but not the passes. */
static double shortest_ns(const struct ram_lanes *lanes)
{
    double ns = INFINITY;
    for (int i = 0; i < lanes->count; i++)
        ns = fmin(ns, (double)(lanes->time[i].end_ns - lanes->time[i].begin_ns));
    return ns;
}

static struct job sample_job(struct ram_lanes *lanes, struct ram_point *point, uint64_t passes)
{
    const bool latency = point->kernel->operation == OPERATION_LATENCY;
    return (struct job){.lanes = lanes,
                        .point = point,
                        .passes = passes,
                        .value = point->zero ? 0 : 0x5a,
                        .work = latency ? walk_chain : sample_lane};
}

struct scaling {
    struct ram_lanes *lanes;
    struct ram_point *point;
    struct fault *fault;
};

static double seconds_since(uint64_t begin_ns)
{
    return (double)(clock_now_ns() - begin_ns) * 1e-9;
}

static double time_passes(void *context, uint64_t passes)
{
    const struct scaling *scaling = context;
    struct job job = sample_job(scaling->lanes, scaling->point, passes);
    const uint64_t begin_ns = clock_now_ns();
    if (run_all(&job, scaling->fault))
        return INFINITY; /* ends the scaling; the fault is looked at by its caller */
    scaling->point->expected_s = seconds_since(begin_ns);
    return shortest_ns(scaling->lanes);
}

static bool all_right(const struct ram_lanes *lanes)
{
    for (int i = 0; i < lanes->count; i++)
        if (!lanes->lane[i].right)
            return false;
    return true;
}

double ram_check_seconds(const struct ram_lanes *lanes, const struct ram_point *point)
{
    const bool latency =
        point->kernel->operation == OPERATION_LATENCY; /* its chain is built up to the deadline */
    return latency ? 0 : lanes->check_s_per_byte * (double)point->kernel_bytes;
}

enum status ram_prepare(struct ram_lanes *lanes, struct ram_point *point, double sample_ns,
                        struct fault *fault)
{
    const bool latency = point->kernel->operation == OPERATION_LATENCY;
    const uint64_t begin_ns = clock_now_ns();
    struct job job = sample_job(lanes, point, 1);
    job.work = latency ? build_chain : check_lane;
    if (run_all(&job, fault) || (!latency && check_right(lanes, point, fault)))
        return fault->status;
    if (!all_right(lanes))
        return STATUS_OK;
    struct scaling scaling = {lanes, point, fault};
    point->passes = autoscale(time_passes, &scaling, latency ? 64 : 1, UINT64_C(1) << 40, sample_ns);
    const double per_byte = (seconds_since(begin_ns) + point->expected_s) / (double)point->kernel_bytes;
    if (!latency && !point->in_cache && per_byte > lanes->check_s_per_byte)
        lanes->check_s_per_byte = per_byte;
    return fault->status;
}

/* Of the lanes whose reading stands; NaN: of none. */
static double mean_ghz(const struct ram_lanes *lanes)
{
    double sum = 0;
    int known = 0;
    for (int i = 0; i < lanes->count; i++) {
        if (isnan(lanes->lane[i].ghz))
            continue;
        sum += lanes->lane[i].ghz;
        known++;
    }
    return known ? sum / known : NAN;
}

enum status ram_sample(struct ram_lanes *lanes, struct ram_point *point, double *seconds, double *ghz,
                       struct fault *fault)
{
    struct job job = sample_job(lanes, point, point->passes);
    const uint64_t begin_ns = clock_now_ns();
    if (run_all(&job, fault) || check_right(lanes, point, fault))
        return fault->status;
    point->expected_s = seconds_since(begin_ns);
    bool preempted = false;
    for (int i = 0; i < lanes->count; i++)
        preempted = preempted || lanes->lane[i].preempted;
    lanes->preempted += preempted;
    *ghz = mean_ghz(lanes);
    *seconds = lanes_ns(lanes->time, lanes->count) / (double)point->passes / 1e9;
    return STATUS_OK;
}

static enum status map_lane(struct ram_lane *lane, const struct ram_plan *plan, struct memory_request request,
                            struct fault *fault)
{
    request.bytes = plan->source_bytes + SLACK_BYTES;
    lane->position = calloc(plan->point_count, sizeof *lane->position);
    lane->walked = calloc(plan->point_count, sizeof *lane->walked);
    if (!lane->position || !lane->walked)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %zu points", plan->point_count);
    if (memory_map(&lane->source, &request, fault))
        return fault->status;
    request.bytes = plan->target_bytes + TARGET_OFFSET + SLACK_BYTES;
    return memory_map(&lane->target, &request, fault);
}

enum status ram_lanes_fill(struct ram_lanes *lanes, struct fault *fault)
{
    struct job job = {.lanes = lanes, .work = fill_lane};
    const uint64_t begin_ns = clock_now_ns();
    if (run_all(&job, fault))
        return fault->status;
    /* A check passes over the set some four times, as filling does, but over pages that are there already. */
    if (lanes->lane[0].filled)
        lanes->check_s_per_byte = seconds_since(begin_ns) / (double)lanes->lane[0].filled / 2;
    return STATUS_OK;
}

bool ram_is_filled(const struct ram_lanes *lanes, const struct ram_point *point)
{
    const uint64_t end = point->chain_offset + point->kernel_bytes + TARGET_OFFSET + SLACK_BYTES;
    for (int i = 0; i < lanes->count; i++) {
        const struct ram_lane *lane = &lanes->lane[i];
        const bool whole = lane->filled >= lane->source.bytes && lane->filled >= lane->target.bytes;
        if (!whole && end > lane->filled)
            return false;
    }
    return true;
}

enum status ram_lanes_open(struct ram_lanes *lanes, const struct ram_plan *plan, const struct run *run,
                           enum page_kind pages, int node, struct fault *fault)
{
    const struct memory_request request = {.pages = pages, .node = node, .topology = run->topology};
    *lanes = (struct ram_lanes){
        .plan = plan, .core_clock = run->core_clock, .count = (int)plan->threads, .deadline_ns = UINT64_MAX};
    lanes->lane = calloc(plan->threads, sizeof *lanes->lane);
    lanes->time = calloc(plan->threads, sizeof *lanes->time);
    if (!lanes->lane || !lanes->time)
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %d threads", lanes->count);
    for (int i = 0; i < lanes->count; i++)
        if (map_lane(&lanes->lane[i], plan, request, fault))
            return fault->status;
    lanes->sibling = sibling_new(run->cpu, run->clock);
    lanes->team = team_new(run->cpus.id, lanes->count, fault);
    return lanes->team ? STATUS_OK : fault->status;
}

void ram_lanes_close(struct ram_lanes *lanes)
{
    if (lanes->team)
        team_free(lanes->team);
    for (int i = 0; lanes->lane && i < lanes->count; i++) {
        memory_release(&lanes->lane[i].source);
        memory_release(&lanes->lane[i].target);
        free(lanes->lane[i].position);
        free(lanes->lane[i].walked);
    }
    free(lanes->lane);
    free(lanes->time);
    sibling_free(lanes->sibling);
}
