/* SPDX-License-Identifier: MIT */
/* Where pairs of a store and a load are timed, in which order, and what their samples amount to. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/companion.h"
#include "stlf.h"
#include "uarchprobe/pin.h"

enum {
    PAGES = 8,  /* of a placement: two up to a window; pairs apart and wide accesses above it */
    NODES = 61, /* of the chain of loads, fewer where a page has not so many lines */
    TRAINING =
        3 * STLF_PAIRS_A_SAMPLE, /* pairs before a sample, for a predictor to learn that addresses agree */
    FORGOTTEN = 16,              /* times as many where the sample before was of the other kind */
    EMPTY_CALLS = 64,            /* of which the middle half is averaged */
    FEW_ROUNDS = 8,              /* too few for each point to have samples left when some are disturbed */
    SCALE_MOST = 64,             /* samples are at most so many times longer */
    LEAST_ROUNDS = 2             /* without which a set has no answers, unless fewer were asked for */
};
/* No pair takes less than half a cycle. */
static const double SHORT_NS = STLF_PAIRS_A_SAMPLE * 0.5 / 5;
/* Probes of the machine cost less than a tenth of the time then. */
static const double BATCH_S = 1.5e-3;
/* Of a few rounds, one change of the clock shall not take all samples. */
static const double BATCH_OF_FEW_S = 0.2e-3;
/* Of the costs of a pair: noise only adds to them, but the fewer samples lie below, the less is known of where they end. */
static const double QUANTILE = 0.25;
/* Of the probes: what a state must have for its values to be reported. */
static const double BOTH_SHARE = 0.1;

/* Each member, of which 1 is the SMT sibling, has memory of its own: first the chains of loads, a page for each placement,
 * where no store reaches them. */
static unsigned char *chain_of(const struct stlf *stlf, int member)
{
    return stlf->memory.data + (size_t)member * stlf->member_bytes +
           (size_t)stlf->placement * (size_t)stlf->page;
}

struct chase stlf_chain(unsigned char *page, long page_bytes, long line_bytes)
{
    const long lines = page_bytes / line_bytes;
    return (struct chase){
        .data = page, .count = (uint64_t)(lines < NODES ? lines : NODES), .stride = (uint64_t)line_bytes};
}

/* Lines are those of L1, which an access may cross; those of other caches may be longer. A sample should last fifty steps
 * of the clock. Under an emulator, which has steps of 1 us and takes longer for a pair, that would be minutes for nothing. */
enum status stlf_open(struct stlf *stlf, struct fault *fault)
{
    const struct run *run = stlf->run;
    const struct topology *topology = run->topology;
    const int members = stlf->params->smt.given ? 2 : 1;
    stlf->page = (long)topology->page_bytes;
    stlf->line = topology->cache_count > 0 && topology->cache[0].line > 0 ? topology->cache[0].line : 64;
    stlf->member_bytes = (size_t)(stlf->page * (PAGES + 2 * STLF_PLACEMENTS) + STLF_FAR);
    stlf->least_ns = run->cpu->emulated ? 0 : 50 * run->clock->resolution_ns;
    stlf->begin_ns = clock_now_ns();
    stlf->deadline_ns = UINT64_MAX;
    const struct memory_request request = {
        .bytes = (size_t)members * stlf->member_bytes, .pages = PAGES_4K, .node = -1};
    stlf->cpu[0] = run->cpus.id[0];
    if (members == 2 && companion_pair(run, stlf->params->smt, stlf->cpu, fault))
        return fault->status;
    if (pin_self(stlf->cpu[0], fault) || memory_map(&stlf->memory, &request, fault))
        return fault->status;
    memory_touch(&stlf->memory, 1);
    stlf->witness = sibling_new(run->cpu, run->clock);
    for (unsigned i = STLF_PLACEMENTS; i-- > 0;) {
        stlf->placement = i;
        for (int member = 0; member < members; member++) {
            const struct chase chain = stlf_chain(chain_of(stlf, member), stlf->page, stlf->line);
            chase_link(&chain);
        }
    }
    return STATUS_OK;
}

void stlf_close(struct stlf *stlf)
{
    sibling_free(stlf->witness);
    memory_release(&stlf->memory);
}

void stlf_order(const struct stlf_set *set, size_t *order)
{
    size_t at = 0;
    for (int renamed = 0; renamed < 2; renamed++) {
        for (size_t i = 0; i < set->count; i++) {
            if (stlf_may_be_renamed(&set->point[i]) == renamed)
                order[at++] = i;
        }
    }
}

bool stlf_set_estimate(struct stlf_set *set, const struct engine_data *data, const size_t *order)
{
    struct estimate none;
    bool any = false;
    estimate_of(NULL, 0, QUANTILE, &none);
    set->state = engine_main_state(data);
    set->both =
        engine_share(data, STATE_IDLE) >= BOTH_SHARE && engine_share(data, STATE_ACTIVE) >= BOTH_SHARE;
    set->counted = set->disturbed = 0;
    for (size_t i = 0; i < set->count; i++) {
        struct estimate *found = &set->estimate[order[i]], *active = &set->active[order[i]];
        if (!engine_estimate(data, i, set->state, QUANTILE, found) &&
            !engine_estimate(data, i, STATE_MIXED, QUANTILE, found))
            *found = none;
        any |= !isnan(found->value);
        set->counted += found->summary.count;
        set->disturbed += found->disturbed;
        if (!set->both || !engine_estimate(data, i, STATE_ACTIVE, QUANTILE, active))
            *active = none;
        else if (set->state != STATE_ACTIVE)
            set->counted += active->summary.count;
    }
    return any;
}

struct job {
    struct stlf *stlf;
    struct stlf_set *set;
    size_t *order;        /* of the points as they are sampled */
    unsigned char *scale; /* by point: its samples are so many times longer, for the clock's sake */
    double overhead_ns;   /* of a call */
    size_t taken, last;   /* samples so far, and the point of the last one */
    struct engine_effort effort;
    struct engine_data data;
    struct fault *fault;
    _Atomic(const struct stlf_point *) current; /* for the companion */
};

static uint64_t passes_for(uint64_t pairs, const struct stlf_point *point)
{
    return pairs > point->pairs ? pairs / point->pairs : 1;
}

static uint64_t passes_of(const struct job *job, const struct stlf_point *point)
{
    return passes_for((uint64_t)job->set->pairs * job->scale[point - job->set->point], point);
}

static void call_point(struct stlf *stlf, int member, const struct stlf_point *point, uint64_t passes)
{
    unsigned char *chain = chain_of(stlf, member), *boundary = chain + STLF_PLACEMENTS * stlf->page;
    if (stlf_has_no_store(point))
        kernel_call(point->kernel, chain, NULL, point->pairs * passes, 1);
    else
        point->kernel->entry(boundary + point->store, boundary + point->load, point->pairs, passes,
                             point->added, 0);
}

static double ns_of_call(struct stlf *stlf, const struct stlf_point *point, uint64_t passes)
{
    const uint64_t begin = clock_ticks();
    call_point(stlf, 0, point, passes);
    return (double)(clock_ticks() - begin) * stlf->run->clock->ns_per_tick;
}

/* Predictors learn untimed; so does the first sample of each point, which is cold. In a set of a few points neighbours
 * differ in more than an offset: without this, contained loads that follow renamed ones fall into a rhythm of 6.3 cycles
 * instead of 5.0 for whole placements on Golden Cove. */
static bool take_sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    struct job *job = context;
    const size_t index = job->order[first];
    const struct stlf_point *point = &job->set->point[index];
    const uint64_t passes = passes_of(job, point);
    const bool renamed = stlf_may_be_renamed(point), few = job->set->pairs > STLF_PAIRS_A_SAMPLE;
    const bool other = job->taken > 0 && stlf_may_be_renamed(&job->set->point[job->last]) != renamed;
    uint64_t untimed = job->taken < job->set->count ? STLF_PAIRS_A_SAMPLE : 0;
    if (other)
        untimed = (uint64_t)TRAINING * FORGOTTEN;
    else if (renamed || few)
        untimed = TRAINING;
    atomic_store_explicit(&job->current, point, memory_order_relaxed);
    if (untimed)
        call_point(job->stlf, 0, point, passes_for(untimed, point));
    *value = (ns_of_call(job->stlf, point, passes) - job->overhead_ns) / (double)(point->pairs * passes);
    job->last = index;
    job->taken++;
    return true;
}

static bool move(void *context, unsigned placement, struct fault *fault)
{
    ((struct job *)context)->stlf->placement = placement;
    return true;
}

static void show_progress(void *context, double done, double eta_s)
{
    const struct stlf *stlf = ((const struct job *)context)->stlf;
    const double all = ((double)stlf->sets_begun - 1 + done) / (double)stlf->sets;
    const double seconds = (double)(clock_now_ns() - stlf->begin_ns) / 1e9;
    run_progress(stlf->run, all, all > 0 ? seconds * (1 - all) / all : -1, "store-to-load forwarding");
}

static bool is_enough(void *context, const struct engine_data *data)
{
    const struct job *job = context;
    return stlf_set_estimate(job->set, data, job->order) && job->set->enough(job->set);
}

/* Finds the cost of a call, a mean, as a coarse clock knows but two values of it; how much longer samples must be, by how
 * long each point takes the first time but one (few points are that short, and the others would take all the time); and how
 * many rounds fit with a fifth to spare, so that each placement has its part of them: by a round that is not counted, or what
 * an eighth of the time has room for. */
static void warm_up(struct job *job)
{
    struct stlf *stlf = job->stlf;
    const size_t count = job->set->count;
    struct stlf_point empty = job->set->point[count - 1];
    double ns[EMPTY_CALLS], seconds = 0, value;
    size_t i = 0;
    empty.pairs = 0;
    for (int call = 0; call < EMPTY_CALLS; call++)
        ns[call] = ns_of_call(stlf, &empty, 1);
    values_sort(ns, EMPTY_CALLS);
    for (int call = EMPTY_CALLS / 4; call < EMPTY_CALLS * 3 / 4; call++)
        job->overhead_ns += ns[call] / (EMPTY_CALLS / 2);
    for (size_t at = 0; at < count; at++) {
        const struct stlf_point *point = &job->set->point[job->order[at]];
        job->scale[job->order[at]] = 1;
        if (stlf->least_ns < SHORT_NS)
            continue;
        call_point(stlf, 0, point, passes_for(job->set->pairs, point));
        const double once_ns = ns_of_call(stlf, point, passes_for(job->set->pairs, point));
        job->scale[job->order[at]] = (unsigned char)fmin(SCALE_MOST, ceil(stlf->least_ns / fmax(once_ns, 1)));
    }
    if (job->effort.rounds)
        return;
    const uint64_t begin_ns = clock_now_ns();
    for (; i < count && seconds <= job->effort.budget_s / 8; i++) {
        take_sample(job, i, 1, &value, job->fault);
        seconds = (double)(clock_now_ns() - begin_ns) / 1e9;
    }
    const double fit = floor(0.8 * job->effort.budget_s / (seconds * (double)count / (double)i));
    job->effort.least = (uint64_t)fmin(fmax(fit, STLF_PLACEMENTS), (double)job->effort.least);
}

static void take_rounds(struct job *job)
{
    const struct run *run = job->stlf->run;
    struct engine_host host = {.core_clock = run->core_clock,
                               .sibling = job->stlf->witness,
                               .interrupted = run->interrupted,
                               .taken = run->taken};
    const struct engine_machine machine = engine_host_machine(&host);
    const struct engine_bench bench = {.context = job,
                                       .points = job->set->count,
                                       .width = 1,
                                       .cycles = true,
                                       .sample = take_sample,
                                       .remap = move,
                                       .budget_binds_all = run->common->time_budget > 0,
                                       .enough = job->set->enough ? is_enough : NULL,
                                       .progress = run->progress ? show_progress : NULL};
    if (run->common->time_budget > 0)
        job->effort.begin_ns = clock_now_ns();
    warm_up(job);
    engine_run(&bench, &machine, &job->effort, &job->data, job->fault);
}

/* The companion's, on the SMT sibling: a sample of the pairs that are being measured. */
static void call_same_pairs(void *context)
{
    struct job *job = context;
    const struct stlf_point *point = atomic_load_explicit(&job->current, memory_order_relaxed);
    if (point)
        call_point(job->stlf, 1, point, passes_of(job, point));
}

/* A set that has no time left still has a nanosecond: 0 is no limit. */
static struct engine_effort effort_of_set(const struct stlf *stlf)
{
    struct engine_effort effort = stlf->effort;
    const uint64_t now_ns = clock_now_ns();
    const size_t sets = stlf->sets > stlf->sets_begun ? stlf->sets - stlf->sets_begun : 1;
    effort.batch_s = effort.rounds && effort.rounds < FEW_ROUNDS ? BATCH_OF_FEW_S : BATCH_S;
    effort.placements = STLF_PLACEMENTS;
    if (stlf->deadline_ns != UINT64_MAX)
        effort.budget_s =
            (stlf->deadline_ns > now_ns ? (double)(stlf->deadline_ns - now_ns) / (double)sets : 1) / 1e9;
    return effort;
}

enum status stlf_measure(struct stlf *stlf, struct stlf_set *set, struct fault *fault)
{
    struct job *job = memory_zeroed(1, sizeof *job);
    *job = (struct job){.stlf = stlf,
                        .set = set,
                        .order = memory_zeroed(set->count + 1, sizeof *job->order),
                        .scale = memory_zeroed(set->count + 1, sizeof *job->scale),
                        .effort = effort_of_set(stlf),
                        .fault = fault};
    const uint64_t wanted = job->effort.rounds;
    stlf->sets_begun++;
    stlf_order(set, job->order);
    struct companion *companion = NULL;
    if (set->count > 0 && stlf->params->smt.given)
        companion = companion_new(stlf->cpu[1], call_same_pairs, job, fault);
    if (set->count > 0 && fault->status == STATUS_OK)
        take_rounds(job);
    companion_free(companion);
    set->rounds = job->data.rounds;
    set->complete =
        set->count == 0 || set->rounds >= (wanted && wanted < LEAST_ROUNDS ? wanted : LEAST_ROUNDS);
    if (set->count > 0 && fault->status == STATUS_OK) {
        stlf->sets_cut += set->complete && wanted && job->data.end == ENGINE_BUDGET;
        set->complete = set->complete && stlf_set_estimate(set, &job->data, job->order);
        stlf->idle += job->data.seen[STATE_IDLE];
        stlf->active += job->data.seen[STATE_ACTIVE];
        stlf->complete = stlf->complete && set->complete;
        stlf->samples += job->data.sweeps * set->count;
        stlf->counted += set->counted;
        stlf->disturbed += set->disturbed;
    }
    free(job->order);
    free(job->scale);
    engine_data_free(&job->data);
    free(job);
    return fault->status;
}
