/* SPDX-License-Identifier: MIT */
#include "lab.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "uarchprobe/chase.h"

enum {
    MARGIN = 1 << 16, /* below and above the reach: pairs apart, wide accesses, the chain of loads */
    NODES = 61,       /* of the chain of loads, in one page */
    TRAINING = 3, /* calls before a sample at which a predictor may have to learn that the addresses agree */
    RARE = 5,     /* passes in a state below which nothing is said of it */
    ASK_EVERY_NS = 1000000,
    CLOCK_EVERY_NS = 100000,
    LEAST_ROUNDS = 2,   /* without which nothing is said of a set, unless fewer were asked for */
    ROUNDS_AT_ONCE = 64 /* between looks at the progress line, and for a thread that waits for the other */
};

static void make_chain(unsigned char *page)
{
    chase_link(&(struct chase){.data = page, .count = NODES, .stride = 64});
}

/* A sample should last fifty steps of the clock even at half a cycle a pair. Under an emulator, which has steps of
 * 1 us and takes longer for a pair, that would be minutes for nothing. */
static unsigned scale_for(const struct run *run)
{
    const double shortest_ns = STLF_PAIRS_A_SAMPLE * 0.5 / 3;
    if (run->cpu->emulated)
        return 1;
    return (unsigned)fmin(64, fmax(1, ceil(50 * run->clock->resolution_ns / shortest_ns)));
}

static int sibling_of(const struct topology *topology, int cpu)
{
    for (int i = 0; i < topology->place_count; i++) {
        if (topology->place[i].id != cpu && topology_kinship(topology, cpu, topology->place[i].id) == KIN_SMT)
            return topology->place[i].id;
    }
    return -1;
}

static enum status open_team(struct stlf_lab *lab, int cpu, struct fault *fault)
{
    const int pair[2] = {cpu, sibling_of(lab->run->topology, cpu)};
    if (pair[1] < 0)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "--smt needs two CPUs of one core, CPU %d shows no SMT sibling that may be used: leave "
            "--smt out, or name another CPU with --cpus",
            cpu);
    lab->team = team_new(pair, 2, fault);
    return lab->team ? STATUS_OK : fault->status;
}

enum status stlf_lab_open(struct stlf_lab *lab, const struct run *run, bool smt, struct fault *fault)
{
    const struct kernel_filter any = {.allowed = run->cpu->features};
    const size_t members = smt ? 2 : 1;
    const struct memory_request request = {
        .bytes = members * (STLF_REACH + MARGIN) + 2 * MARGIN, .pages = PAGES_4K, .node = -1};
    *lab = (struct stlf_lab){.run = run,
                             .latency = kernel_next(&any, OPERATION_LATENCY, NULL),
                             .scale = scale_for(run),
                             .deadline_ticks = UINT64_MAX,
                             .share = 1,
                             .what = "store-to-load forwarding"};
    if (pin_self(run->cpus.id[0], fault) || memory_map(&lab->memory, &request, fault))
        return fault->status;
    memory_touch(&lab->memory, 1);
    lab->witness = sibling_new(run->cpu, run->clock);
    make_chain(lab->memory.data);
    if (smt)
        make_chain(lab->memory.data + lab->memory.bytes / 2 / STLF_PAGE * STLF_PAGE);
    return smt ? open_team(lab, run->cpus.id[0], fault) : STATUS_OK;
}

void stlf_lab_close(struct stlf_lab *lab)
{
    if (lab->team)
        team_free(lab->team);
    sibling_free(lab->witness);
    lab->witness = NULL;
    if (lab->memory.data)
        memory_release(&lab->memory);
    lab->team = NULL;
    lab->memory.data = NULL;
}

/* member 1, the SMT sibling, has addresses of its own in the upper half. */
static unsigned char *origin_of(const struct stlf_lab *lab, int member)
{
    return lab->memory.data + (member ? lab->memory.bytes / 2 / STLF_PAGE * STLF_PAGE : 0);
}

static void call_point(unsigned char *origin, const struct stlf_point *point, uint64_t passes)
{
    unsigned char *boundary = origin + MARGIN;
    if (point->kernel->operation == OPERATION_LATENCY)
        kernel_call(point->kernel, origin, NULL, point->pairs * passes, 1);
    else
        point->kernel->entry(boundary + point->store, boundary + point->load, point->pairs, passes,
                             point->added, 0);
}

struct job {
    struct stlf_lab *lab;
    struct stlf_set *set;
    const struct stlf_effort *effort;
    struct stlf_samples samples;
    double *pairs;      /* in a sample of each point */
    struct samples ghz; /* every reading of the core clock */
    double last_ghz;
    uint64_t read_again_ns;
    size_t rounds, wanted_rounds;
    uint64_t begin_ns;
    bool late; /* the deadline was reached, in the middle of a round */
    bool stopped;
    bool abandoned; /* the sibling's thread may still be at it, so nothing of this may be freed */
    _Atomic(const struct stlf_point *) current; /* what the sibling runs */
    atomic_bool stop;
};

static uint64_t passes_of(const struct job *job, const struct stlf_point *point)
{
    const uint64_t total =
        (uint64_t)(job->set->total ? job->set->total : STLF_PAIRS_A_SAMPLE) * job->lab->scale;
    const uint64_t passes = total / point->pairs;
    return passes ? passes : 1;
}

/* NaN: the reading was thrown away. It takes as long as some rows do, so rows share one, and where it takes very
 * long, as with a coarse clock, more of them do. */
static float ticks_per_cycle(struct job *job)
{
    const struct run *run = job->lab->run;
    const uint64_t now_ns = clock_now_ns();
    if (!(job->last_ghz > 0) || now_ns >= job->read_again_ns) {
        job->last_ghz = core_clock_ghz(run->core_clock);
        const uint64_t took_ns = clock_now_ns() - now_ns;
        job->read_again_ns = now_ns + (4 * took_ns > CLOCK_EVERY_NS ? 4 * took_ns : CLOCK_EVERY_NS);
        samples_add(&job->ghz, job->last_ghz);
    }
    return (float)(1 / (job->last_ghz * run->clock->ns_per_tick));
}

static double ticks_of_nothing(const struct stlf_lab *lab, const struct stlf_point *point)
{
    struct stlf_point empty = *point;
    empty.pairs = 0;
    const uint64_t begin = clock_ticks();
    call_point(origin_of(lab, 0), &empty, 1);
    return (double)(clock_ticks() - begin);
}

bool stlf_may_be_renamed(const struct stlf_point *point)
{
    return point->store == point->load || point->kernel->operation == OPERATION_FORWARD_SAME_BASE;
}

static float sample(struct job *job, size_t index, bool first)
{
    const struct stlf_point *point = &job->set->point[index];
    unsigned char *origin = origin_of(job->lab, 0);
    const uint64_t passes = passes_of(job, point);
    atomic_store_explicit(&job->current, point, memory_order_relaxed);
    for (int i = 0; i < (stlf_may_be_renamed(point) ? TRAINING : first); i++)
        call_point(origin, point, passes);
    const uint64_t begin = clock_ticks();
    call_point(origin, point, passes);
    const uint64_t end = clock_ticks();
    job->late = job->late || end >= job->lab->deadline_ticks;
    return (float)(end - begin);
}

static void take_row(struct job *job, size_t pass, size_t row)
{
    struct stlf_samples *samples = &job->samples;
    const size_t begin = row * STLF_ROW;
    const size_t end = begin + STLF_ROW < samples->points ? begin + STLF_ROW : samples->points;
    samples->clock[pass * samples->rows + row] = ticks_per_cycle(job);
    samples->overhead[pass * samples->rows + row] =
        (float)ticks_of_nothing(job->lab, &job->set->point[begin]);
    for (size_t i = begin; i < end && !job->late; i++)
        samples->ticks[pass * samples->points + i] = sample(job, i, pass == 0);
}

/* A round that the deadline cuts does not count. */
static void take_round(struct job *job)
{
    struct stlf_samples *samples = &job->samples;
    for (size_t row = 0; row < samples->rows; row++) {
        for (size_t i = 0; i < job->effort->samples && !job->late; i++)
            take_row(job, samples->passes + i, row);
    }
    if (job->late)
        return;
    samples->passes += job->effort->samples;
    job->rounds++;
}

static size_t least_rounds(const struct stlf_effort *effort)
{
    return effort->most < LEAST_ROUNDS ? effort->most : LEAST_ROUNDS;
}

/* The time that the user gave binds all but the least rounds, the usual limit all but the first ones. */
static bool out_of_time(const struct job *job)
{
    const struct stlf_effort *effort = job->effort;
    const double spent_s = (double)(clock_now_ns() - job->begin_ns) * 1e-9;
    return job->late || (job->rounds >= least_rounds(effort) && stlf_share_is_over(job->lab)) ||
           (job->rounds >= effort->first && effort->budget_s > 0 && spent_s > effort->budget_s);
}

static bool must_stop(struct job *job)
{
    const struct run *run = job->lab->run;
    job->stopped = out_of_time(job) || (run->interrupted && run->interrupted(NULL));
    return job->stopped;
}

/* The state of passes is known where the witness says the same before and after them. It is asked once in a
 * millisecond: a sweep of its own takes a tenth of one. */
static void take_rounds(struct job *job)
{
    enum sibling_reading before = sibling_sample(job->lab->witness);
    uint64_t asked_ns = clock_now_ns();
    size_t since = job->samples.passes;
    for (bool last = must_stop(job); !last;) {
        take_round(job);
        last = must_stop(job) || job->rounds == job->wanted_rounds;
        if (!last && clock_now_ns() - asked_ns < ASK_EVERY_NS)
            continue;
        const enum sibling_reading after = sibling_sample(job->lab->witness);
        memset(job->samples.state + since, before == after ? (int)after : SIBLING_UNKNOWN,
               job->samples.passes - since);
        before = after;
        since = job->samples.passes;
        asked_ns = clock_now_ns();
    }
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
            call_point(origin_of(job->lab, 1), point, passes_of(job, point));
    }
}

static enum status take_some(struct job *job, size_t rounds, struct fault *fault)
{
    job->wanted_rounds = rounds;
    if (!job->lab->team) {
        take_rounds(job);
        return STATUS_OK;
    }
    atomic_store(&job->stop, false);
    if (team_run(job->lab->team, 2, share_the_core, job, 120))
        return STATUS_OK;
    job->abandoned = true;
    return fault_set(
        fault, STATUS_FAILED,
        "the SMT sibling did not run at the same time within 120 s: something else holds that CPU");
}

/* Share of the points whose two halves of the passes agree. */
static bool compare_halves(struct job *job)
{
    struct stlf_set *set = job->set;
    double *odd = set->active; /* free until the end */
    if (!stlf_cycles(&job->samples, (struct stlf_selection){-1, 0}, job->pairs, set->cycles) ||
        !stlf_cycles(&job->samples, (struct stlf_selection){-1, 1}, job->pairs, odd))
        return false;
    size_t steady = 0;
    for (size_t i = 0; i < set->count; i++) {
        set->steady[i] = stlf_same_reading(set->cycles[i], odd[i]);
        steady += set->steady[i];
    }
    set->agreement = (double)steady / (double)set->count;
    return true;
}

static void show_progress(const struct job *job)
{
    const struct stlf_lab *lab = job->lab;
    const double part = (double)job->rounds / (double)job->effort->most;
    run_progress(lab->run, lab->done + part * lab->share, -1, lab->what);
}

/* Up to so many rounds in all. */
static enum status take(struct job *job, size_t rounds, struct fault *fault)
{
    do {
        const size_t left = rounds - job->rounds;
        if (take_some(job, job->rounds + (left < ROUNDS_AT_ONCE ? left : ROUNDS_AT_ONCE), fault))
            return fault->status;
        show_progress(job);
    } while (!job->stopped && job->rounds < rounds);
    return STATUS_OK;
}

static enum status take_until_steady(struct job *job, struct fault *fault)
{
    const struct stlf_effort *effort = job->effort;
    size_t next = effort->first;
    job->begin_ns = clock_now_ns();
    do {
        if (take(job, next, fault))
            return fault->status;
        if (job->samples.passes >= 2 && !compare_halves(job))
            return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %zu points", job->set->count);
        next = next * 2 < effort->most ? next * 2 : effort->most;
    } while (!job->stopped && job->rounds < effort->most && job->set->agreement < effort->agreement);
    return STATUS_OK;
}

static void keep_clock(const struct job *job)
{
    for (size_t i = 0; i < job->ghz.count; i++)
        core_clock_keep(job->lab->run->core_clock, job->ghz.value[i]);
}

/* None where every reading of the core clock was thrown away. */
static bool has_values(const struct stlf_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        if (!isnan(set->cycles[i]))
            return true;
    }
    return false;
}

/* Values of the two states of the sibling are kept apart. Where both were seen for long enough, the idle one
 * is what is told first. */
static bool evaluate(struct job *job)
{
    struct stlf_set *set = job->set;
    const struct stlf_selection any = {-1, -1}, idle = {SIBLING_IDLE, -1}, busy = {SIBLING_ACTIVE, -1};
    set->passes = job->samples.passes;
    set->idle = stlf_passes_of(&job->samples, idle);
    set->busy = stlf_passes_of(&job->samples, busy);
    set->rounds = job->rounds;
    set->complete = job->rounds >= least_rounds(job->effort);
    for (size_t i = 0; i < set->count; i++)
        set->cycles[i] = set->spread[i] = set->active[i] = NAN;
    if (set->passes == 0)
        return true;
    if (set->busy >= RARE && !stlf_cycles(&job->samples, busy, job->pairs, set->active))
        return false;
    if (!stlf_cycles_and_spread(&job->samples, set->idle >= RARE && set->busy > 0 ? idle : any, job->pairs,
                                set->cycles, set->spread))
        return false;
    set->complete = set->complete && has_values(set);
    return true;
}

static void job_free(struct job *job)
{
    if (!job || job->abandoned)
        return;
    free(job->pairs);
    samples_free(&job->ghz);
    stlf_samples_free(&job->samples);
    free(job);
}

static struct job *job_new(struct stlf_lab *lab, struct stlf_set *set, const struct stlf_effort *effort)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->lab = lab;
    job->set = set;
    job->effort = effort;
    job->pairs = calloc(set->count, sizeof *job->pairs);
    if (!job->pairs || !stlf_samples_init(&job->samples, set->count, effort->most * effort->samples)) {
        job_free(job);
        return NULL;
    }
    for (size_t i = 0; i < set->count; i++)
        job->pairs[i] = (double)(set->point[i].pairs * passes_of(job, &set->point[i]));
    return job;
}

enum status stlf_measure_once(struct stlf_lab *lab, struct stlf_set *set, const struct stlf_effort *effort,
                              struct fault *fault)
{
    enum status status = STATUS_OK;
    if (set->count == 0)
        return STATUS_OK;
    struct job *job = job_new(lab, set, effort);
    if (!job)
        return fault_set(fault, STATUS_NO_RESOURCE,
                         "out of memory for %zu points: give a smaller --repeat or --samples", set->count);
    status = take_until_steady(job, fault);
    if (!job->abandoned)
        keep_clock(job);
    if (status == STATUS_OK && !evaluate(job))
        status = fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %zu points", set->count);
    job_free(job);
    return status;
}
