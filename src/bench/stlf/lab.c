/* SPDX-License-Identifier: MIT */
#include "lab.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum {
    PAGES = 8,  /* of a placement: two up to a window; pairs apart and wide accesses above it */
    NODES = 61, /* of the chain of loads, fewer where a page has not so many lines */
    TRAINING =
        3 * STLF_PAIRS_A_SAMPLE, /* pairs before a sample, for a predictor to learn that addresses agree */
    FORGOTTEN = 16,              /* times as many where the sample before was of the other kind */
    EMPTY_CALLS = 64,            /* of which the middle half is averaged */
    FEW_ROUNDS = 8,              /* too few for each point to have samples left when some are disturbed */
    SCALE_MOST = 64,             /* samples are at most so many times longer */
    LEAST_ROUNDS = 2             /* without which nothing is said of a set, unless fewer were asked for */
};
/* No pair takes less than half a cycle. */
static const double SHORT_NS = STLF_PAIRS_A_SAMPLE * 0.5 / 5;
static const double TEAM_DEADLINE_S = 120, SAMPLE_DEADLINE_S = 1e-3;
/* Looks cost less than a tenth of the time then. */
static const double BATCH_S = 1.5e-3;
/* Of a few rounds, one change of the clock shall not take all samples. */
static const double BATCH_OF_FEW_S = 0.2e-3;

/* Each member, of which 1 is the SMT sibling, has memory of its own. The chains of loads come first, a page for each
 * placement, where no store reaches them. */
static unsigned char *chain_of(const struct stlf_lab *lab, int member)
{
    return lab->memory.data + (size_t)member * lab->member_bytes + (size_t)lab->placement * (size_t)lab->page;
}

struct chase stlf_chain(unsigned char *page, long page_bytes, long line_bytes)
{
    const long lines = page_bytes / line_bytes;
    return (struct chase){
        .data = page, .count = (uint64_t)(lines < NODES ? lines : NODES), .stride = (uint64_t)line_bytes};
}

static void make_chains(struct stlf_lab *lab, int members)
{
    for (unsigned i = STLF_PLACEMENTS; i-- > 0;) {
        lab->placement = i;
        for (int member = 0; member < members; member++) {
            const struct chase chain = stlf_chain(chain_of(lab, member), lab->page, lab->line);
            chase_link(&chain);
        }
    }
}

/* A sample should last fifty steps of the clock. Under an emulator, which has steps of 1 us and takes longer for a pair, that
 * would be minutes for nothing. */
static double least_ns(const struct run *run)
{
    return run->cpu->emulated ? 0 : 50 * run->clock->resolution_ns;
}

static int sibling_of(const struct topology *topology, int cpu)
{
    for (int i = 0; i < topology->place_count; i++) {
        if (topology->place[i].id != cpu &&
            topology_relation(topology, cpu, topology->place[i].id) == SAME_CORE)
            return topology->place[i].id;
    }
    return -1;
}

static enum status open_team(struct stlf_lab *lab, int cpu, struct cpu_choice smt, struct fault *fault)
{
    const int pair[2] = {cpu, smt.named ? smt.id : sibling_of(lab->run->topology, cpu)};
    if (pair[1] < 0)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "--smt needs two CPUs of one core, CPU %d shows no SMT sibling that may be used: name it as "
            "in --smt=1 where the topology hides it, or name another CPU with --cpus",
            cpu);
    if (pair[1] == cpu)
        return fault_set(fault, STATUS_USAGE,
                         "--smt=%d: CPU %d is the one that measures; name another one, or leave --smt out",
                         cpu, cpu);
    lab->team = team_new(pair, 2, fault);
    return lab->team ? STATUS_OK : fault->status;
}

/* Of L1, whose lines an access may cross; those of other caches may be longer. */
static long line_of(const struct topology *topology)
{
    return topology->cache_count > 0 && topology->cache[0].line > 0 ? topology->cache[0].line : 64;
}

enum status stlf_lab_open(struct stlf_lab *lab, const struct run *run, bool far_loads, struct cpu_choice smt,
                          struct fault *fault)
{
    const long page = (long)run->topology->page_bytes;
    *lab = (struct stlf_lab){.run = run,
                             .page = page,
                             .line = line_of(run->topology),
                             .member_bytes =
                                 (size_t)(page * (PAGES + 2 * STLF_PLACEMENTS) + (far_loads ? STLF_FAR : 0)),
                             .least_ns = least_ns(run),
                             .begin_ns = clock_now_ns(),
                             .deadline_ns = UINT64_MAX,
                             .complete = true,
                             .share = 1};
    const struct memory_request request = {
        .bytes = (smt.given ? 2 : 1) * lab->member_bytes, .pages = PAGES_4K, .node = -1};
    if (pin_self(run->cpus.id[0], fault) || memory_map(&lab->memory, &request, fault))
        return fault->status;
    memory_touch(&lab->memory, 1);
    lab->witness = sibling_new(run->cpu, run->clock);
    make_chains(lab, smt.given ? 2 : 1);
    return smt.given ? open_team(lab, run->cpus.id[0], smt, fault) : STATUS_OK;
}

void stlf_lab_close(struct stlf_lab *lab)
{
    if (lab->team)
        team_free(lab->team);
    sibling_free(lab->witness);
    memory_release(&lab->memory);
}

static void call_point(struct stlf_lab *lab, int member, const struct stlf_point *point, uint64_t passes)
{
    unsigned char *chain = chain_of(lab, member), *boundary = chain + STLF_PLACEMENTS * lab->page;
    if (stlf_has_no_store(point))
        kernel_call(point->kernel, chain, NULL, point->pairs * passes, 1);
    else
        point->kernel->entry(boundary + point->store, boundary + point->load, point->pairs, passes,
                             point->added, 0);
}

struct job {
    struct stlf_lab *lab;
    struct stlf_set *set;
    size_t *order;        /* of the points as they are sampled */
    unsigned char *scale; /* by point: its samples are so many times longer, for the clock's sake */
    double overhead_ns;   /* of a call */
    size_t taken, last;   /* samples so far, and the point of the last one */
    struct engine_effort effort;
    struct engine_data data;
    struct fault *fault;
    _Atomic(const struct stlf_point *) current; /* what the sibling runs */
    atomic_bool stop;
};

static uint64_t passes_for(uint64_t pairs, const struct stlf_point *point)
{
    return pairs > point->pairs ? pairs / point->pairs : 1;
}

static uint64_t passes_of(const struct job *job, const struct stlf_point *point)
{
    return passes_for((uint64_t)job->set->pairs * job->scale[point - job->set->point], point);
}

static double ns_of_call(struct stlf_lab *lab, const struct stlf_point *point, uint64_t passes)
{
    const uint64_t begin = clock_ticks();
    call_point(lab, 0, point, passes);
    return (double)(clock_ticks() - begin) * lab->run->clock->ns_per_tick;
}

/* What a sample without pairs takes; a mean, as a coarse clock knows but two values of it. */
static double ns_of_nothing(struct stlf_lab *lab, const struct stlf_point *point)
{
    double ns[EMPTY_CALLS], sum = 0;
    struct stlf_point empty = *point;
    empty.pairs = 0;
    for (int i = 0; i < EMPTY_CALLS; i++)
        ns[i] = ns_of_call(lab, &empty, 1);
    values_sort(ns, EMPTY_CALLS);
    for (int i = EMPTY_CALLS / 4; i < EMPTY_CALLS * 3 / 4; i++)
        sum += ns[i];
    return sum / (EMPTY_CALLS / 2);
}

/* What a predictor has to learn is run untimed; so is the first sample of each point, which is cold. In a set of a few
 * points neighbours differ in more than an offset: without this, contained loads that follow renamed ones fall into a
 * rhythm of 6.3 cycles instead of 5.0 for whole placements on Golden Cove. */
static void prepare(struct job *job, const struct stlf_point *point)
{
    const bool renamed = stlf_may_be_renamed(point), few = job->set->pairs > STLF_PAIRS_A_SAMPLE;
    const bool other = job->taken > 0 && stlf_may_be_renamed(&job->set->point[job->last]) != renamed;
    uint64_t pairs = job->taken < job->set->count ? STLF_PAIRS_A_SAMPLE : 0;
    if (other)
        pairs = (uint64_t)TRAINING * FORGOTTEN;
    else if (renamed || few)
        pairs = TRAINING;
    if (pairs)
        call_point(job->lab, 0, point, passes_for(pairs, point));
}

static bool take_sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    struct job *job = context;
    const size_t index = job->order[first];
    const struct stlf_point *point = &job->set->point[index];
    const uint64_t passes = passes_of(job, point);
    atomic_store_explicit(&job->current, point, memory_order_relaxed);
    prepare(job, point);
    const double ns = ns_of_call(job->lab, point, passes) - job->overhead_ns;
    *value = ns / (double)(point->pairs * passes);
    job->last = index;
    job->taken++;
    return true;
}

static bool move(void *context, unsigned placement, struct fault *fault)
{
    ((struct job *)context)->lab->placement = placement;
    return true;
}

static void show_progress(void *context, double done, double eta_s)
{
    const struct stlf_lab *lab = ((const struct job *)context)->lab;
    const double all = lab->done + done * lab->share;
    const double seconds = (double)(clock_now_ns() - lab->begin_ns) / 1e9;
    run_progress(lab->run, all, all > 0 ? seconds * (1 - all) / all : -1, "store-to-load forwarding");
}

static bool is_enough(void *context, const struct engine_data *data)
{
    const struct job *job = context;
    return stlf_set_estimate(job->set, data, job->order) && job->set->enough(job->set);
}

/* By how long each point takes the first time but one. Few points are that short, and the others would take all the time. */
static void find_scales(struct job *job)
{
    const double least_ns = job->lab->least_ns;
    for (size_t i = 0; i < job->set->count; i++) {
        const struct stlf_point *point = &job->set->point[job->order[i]];
        unsigned char *scale = &job->scale[job->order[i]];
        *scale = 1;
        if (least_ns < SHORT_NS)
            continue;
        call_point(job->lab, 0, point, passes_for(job->set->pairs, point));
        const double ns = ns_of_call(job->lab, point, passes_for(job->set->pairs, point));
        *scale = (unsigned char)fmin(SCALE_MOST, ceil(least_ns / fmax(ns, 1)));
    }
}

/* A round for nothing, or what an eighth of the time has room for: what is cold is not sampled, and as many rounds are planned as
 * there is time for, each placement having its part of them. */
static void time_a_round(struct job *job)
{
    const uint64_t begin_ns = clock_now_ns();
    const size_t count = job->set->count;
    double value, seconds = 0;
    size_t i = 0;
    if (job->effort.rounds)
        return;
    for (; i < count && seconds <= job->effort.budget_s / 8; i++) {
        take_sample(job, i, 1, &value, job->fault);
        seconds = (double)(clock_now_ns() - begin_ns) / 1e9;
    }
    job->effort.least = stlf_rounds_within(&job->effort, seconds * (double)count / (double)i);
}

static void take_rounds(struct job *job)
{
    const struct run *run = job->lab->run;
    struct engine_host host = {.core_clock = run->core_clock,
                               .sibling = job->lab->witness,
                               .with = job->lab->team,
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
    job->overhead_ns = ns_of_nothing(job->lab, &job->set->point[job->set->count - 1]);
    find_scales(job);
    time_a_round(job);
    engine_run(&bench, &machine, &job->effort, &job->data, job->fault);
}

/* Member 0 measures, member 1 keeps the other half of the core busy with the same pairs. */
static void share_the_core(void *context, int member)
{
    struct job *job = context;
    if (member == 0) {
        take_rounds(job);
        atomic_store(&job->stop, true);
        return;
    }
    while (!atomic_load_explicit(&job->stop, memory_order_relaxed)) {
        const struct stlf_point *point = atomic_load_explicit(&job->current, memory_order_relaxed);
        if (point)
            call_point(job->lab, 1, point, passes_of(job, point));
    }
}

/* Many times what all samples take: how many there are is up to the user. */
static double deadline_s(const struct job *job)
{
    const struct engine_effort *effort = &job->effort;
    const uint64_t rounds = effort->rounds ? effort->rounds : effort->most;
    return TEAM_DEADLINE_S +
           SAMPLE_DEADLINE_S * (double)rounds * (double)effort->samples * (double)job->set->count;
}

/* False: the sibling's thread may still be at it, so nothing of the job may be freed. */
static bool take(struct job *job, struct fault *fault)
{
    if (!job->lab->team) {
        take_rounds(job);
        return true;
    }
    if (team_run(job->lab->team, 2, share_the_core, job, deadline_s(job)))
        return true;
    team_check(job->lab->team, fault);
    fault_set(fault, STATUS_FAILED,
              "the SMT sibling did not run at the same time within %.0f s: something else holds that CPU",
              deadline_s(job));
    return false;
}

static void evaluate(struct job *job)
{
    struct stlf_set *set = job->set;
    struct stlf_lab *lab = job->lab;
    const uint64_t wanted = job->effort.rounds;
    set->rounds = job->data.rounds;
    lab->idle += job->data.seen[STATE_IDLE];
    lab->active += job->data.seen[STATE_ACTIVE];
    set->complete = set->rounds >= (wanted && wanted < LEAST_ROUNDS ? wanted : LEAST_ROUNDS);
    lab->done += lab->share;
    lab->thin_sets += set->complete && wanted && job->data.end == ENGINE_BUDGET;
    set->complete = set->complete && stlf_set_estimate(set, &job->data, job->order);
    lab->complete = lab->complete && set->complete;
    lab->samples += job->data.sweeps * set->count;
    lab->counted += set->counted;
    lab->disturbed += set->disturbed;
}

static struct engine_effort effort_for(struct engine_effort effort, double share_s)
{
    effort.batch_s = effort.rounds && effort.rounds < FEW_ROUNDS ? BATCH_OF_FEW_S : BATCH_S;
    effort.placements = STLF_PLACEMENTS;
    effort.budget_s = share_s > 0 ? share_s : effort.budget_s;
    return effort;
}

enum status stlf_measure(struct stlf_lab *lab, struct stlf_set *set, const struct engine_effort *effort,
                         struct fault *fault)
{
    const double share_s = stlf_lab_share(lab);
    set->complete = set->count == 0;
    if (set->count == 0)
        return STATUS_OK;
    struct job *job = memory_zeroed(1, sizeof *job);
    job->lab = lab;
    job->set = set;
    job->order = memory_zeroed(set->count, sizeof *job->order);
    job->scale = memory_zeroed(set->count, sizeof *job->scale);
    job->effort = effort_for(*effort, share_s);
    job->fault = fault;
    stlf_order(set, job->order);
    if (!take(job, fault))
        return fault->status;
    if (fault->status == STATUS_OK)
        evaluate(job);
    free(job->order);
    free(job->scale);
    engine_data_free(&job->data);
    free(job);
    return fault->status;
}
