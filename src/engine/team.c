/* SPDX-License-Identifier: MIT */
/* Threads sleep between tasks (spinning would disturb a thread that measures alone) and spin only while
 * the members of a task gather, so that all leave within a cache line's travel. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "engine/meeting.h"
#include "uarchprobe/clock.h"
#include "uarchprobe/crash.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/own_time.h"
#include "uarchprobe/pin.h"

enum { STACK_BYTES = 512 * 1024, SPINS_BETWEEN_CHECKS = 20000 };

/* A wait lasts at most PATIENCE times as long as planned. Nothing is planned to take less than LEAST_S, as
 * next to other work a thread gets its CPU late. */
static const double PATIENCE = 10, LEAST_S = 0.5;

/* A wait looks at each slice's end whether a signal came, and then lasts until GRACE_S after it: a member
 * that needs longer is stopped. */
static const double SLICE_S = 0.1, GRACE_S = 0.3;

/* Whether members were moved is checked only when they are late, as a check of a thousand takes longer than
 * most tasks. */
static const double CHECK_S = 1;

/* A member that runs stops within microseconds; one that waits for a CPU stops before it runs again. */
static const double STOP_S = 0.02;

/* Stops a member that is late. By default it is ignored, so nobody else's does harm. */
enum { STOP_SIGNAL = SIGURG };

/* A member that yields too early to a busy process is away when the others come. */
static const uint64_t YIELD_AFTER_NS = 2000000;

struct member {
    struct team *team;
    pthread_t thread;
    int index, cpu, id; /* id: of gettid */
    pthread_cond_t wake;
    /* guarded by the team's lock */
    bool called; /* there is a task to begin */
    bool busy;   /* in a task, on the way into it, or not yet started */
    struct fault fault;
    atomic_bool in_task; /* it may use the context of the task */
};

struct team {
    pthread_mutex_t lock;
    pthread_cond_t done;
    /* guarded by lock */
    int members, remaining, ran; /* of a task: its members, those still in it, those that did it */
    bool quit;
    team_task *task;
    void *context;
    bool broken; /* members were late: no more tasks */
    /* the barrier */
    atomic_int arrived;
    atomic_bool abandoned; /* nobody waits for the others any more */
    atomic_bool is_late;   /* nobody begins the task any more, and who is in it stops */
    atomic_int stopped;    /* members that never return */
    /* one for the owner, one for each thread: a stuck member may outlive team_free */
    atomic_int references;
    struct team *next; /* in the list of all */
    int count;
    struct member member[];
};

/* Those that live, so that whoever asks whether CPUs were taken away knows them all. Teams are made and
 * freed by one thread. */
static struct team *teams;

/* Of the calling thread; NULL: it is of no team. */
static _Thread_local struct member *own;

/* Holds a late member for ever where it is, so that it never touches again what the owner then frees. Within
 * a task it has none of the team's locks. */
static void stop_here(int number)
{
    sigset_t all;
    if (!own || !atomic_load(&own->in_task) || !atomic_load(&own->team->is_late))
        return;
    atomic_fetch_add(&own->team->stopped, 1);
    sigfillset(&all);
    for (;;)
        sigsuspend(&all);
}

static void release(struct team *team)
{
    if (atomic_fetch_sub(&team->references, 1) != 1)
        return;
    for (int i = 0; i < team->count; i++)
        pthread_cond_destroy(&team->member[i].wake);
    pthread_cond_destroy(&team->done);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

/* False: the team was abandoned before all had come, or is late. */
static bool gather(struct team *team, int members)
{
    uint64_t since_ns = 0;
    atomic_fetch_add(&team->arrived, 1);
    for (unsigned spins = 0; atomic_load_explicit(&team->arrived, memory_order_acquire) < members; spins++) {
        if (atomic_load_explicit(&team->abandoned, memory_order_relaxed))
            return false;
        if (spins % SPINS_BETWEEN_CHECKS < SPINS_BETWEEN_CHECKS - 1)
            continue;
        /* Two members on one CPU would otherwise wait out a time slice each. */
        since_ns = since_ns ? since_ns : clock_now_ns();
        if (clock_now_ns() - since_ns > YIELD_AFTER_NS)
            sched_yield();
    }
    return !atomic_load(&team->is_late);
}

/* With the lock held. Starting is the first task. */
static void end_task(struct member *self)
{
    self->busy = false;
    if (--self->team->remaining == 0)
        pthread_cond_signal(&self->team->done);
}

static void *member_main(void *argument)
{
    struct member *self = argument;
    struct team *team = self->team;
    crash_stack();
    own = self;
    const bool pinned = pin_self(self->cpu, &self->fault) == STATUS_OK;
    self->id = (int)syscall(SYS_gettid);

    pthread_mutex_lock(&team->lock);
    end_task(self);
    while (pinned && !team->quit) {
        if (!self->called) {
            pthread_cond_wait(&self->wake, &team->lock);
            continue;
        }
        self->called = false;
        team_task *task = team->task;
        void *context = team->context;
        const int members = team->members;
        pthread_mutex_unlock(&team->lock);
        atomic_store(&self->in_task, true);
        const bool together = gather(team, members);
        if (together)
            task(context, self->index);
        atomic_store(&self->in_task, false);
        pthread_mutex_lock(&team->lock);
        team->ran += together;
        end_task(self);
    }
    pthread_mutex_unlock(&team->lock);
    release(team);
    return NULL;
}

static struct team *allocate(const int *cpu, int count)
{
    struct team *team = memory_zeroed(1, sizeof *team + (size_t)count * sizeof team->member[0]);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    atomic_init(&team->references, 1);
    for (int i = 0; i < count; i++) {
        team->member[i].team = team;
        team->member[i].index = i;
        team->member[i].cpu = cpu[i];
        team->member[i].busy = true;
        pthread_cond_init(&team->member[i].wake, NULL);
    }
    return team;
}

/* Starts the members one by one and counts them in team->count; returns 0 or an errno. Signals that end
 * the run are for the main thread; those of a faulting instruction and the one that stops a late member stay
 * with the thread. */
static int start_members(struct team *team, int count)
{
    static const int open[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, STOP_SIGNAL};
    struct sigaction stop = {.sa_handler = stop_here, .sa_flags = SA_RESTART};
    pthread_attr_t attributes;
    sigset_t blocked, before;
    int error = 0;
    sigfillset(&stop.sa_mask);
    sigaction(STOP_SIGNAL, &stop, NULL);
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        sigdelset(&blocked, open[i]);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    while (team->count < count && error == 0) {
        struct member *member = &team->member[team->count];
        atomic_fetch_add(&team->references, 1);
        error = pthread_create(&member->thread, &attributes, member_main, member);
        if (error == 0)
            team->count++;
        else
            atomic_fetch_sub(&team->references, 1);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

/* Waits so long for all members that were not stopped. With the lock held. */
static void await_members(struct team *team, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double ns = (double)until.tv_nsec + seconds * 1e9;
    until.tv_sec += (time_t)(ns / 1e9);
    until.tv_nsec = (long)fmod(ns, 1e9);
    for (int error = 0; team->remaining > atomic_load(&team->stopped) && error == 0;)
        error = pthread_cond_timedwait(&team->done, &team->lock, &until);
}

static enum status check(const struct team *team, struct fault *fault)
{
    for (int i = 0; i < team->count; i++)
        if (pin_check(team->member[i].id, team->member[i].cpu, fault) != STATUS_OK)
            return fault->status;
    return STATUS_OK;
}

/* Less than seconds where a signal came. */
static double seconds_left(double seconds)
{
    const double since_s = interrupt_since_s();
    return since_s < 0 ? seconds : fmin(seconds, GRACE_S - since_s);
}

/* False: some members are not back. A slice in which all was stopped counts as one. Members that were moved
 * to one CPU may wait for each other for ever. With the lock held. */
static bool wait_for(struct team *team, double seconds)
{
    struct fault moved = {0};
    double waited_s = 0;
    do {
        await_members(team, fmin(SLICE_S, fmax(seconds_left(seconds - waited_s), STOP_S)));
        const double before_s = waited_s;
        waited_s += SLICE_S;
        if (team->remaining > 0 && floor(waited_s / CHECK_S) > floor(before_s / CHECK_S) &&
            check(team, &moved) != STATUS_OK)
            atomic_store(&team->abandoned, true);
    } while (team->remaining > 0 && seconds_left(seconds - waited_s) > 0);
    return team->remaining == 0;
}

static double patience_s(double planned_s)
{
    return PATIENCE * fmax(planned_s, LEAST_S);
}

/* With the lock held. */
static void stop_late_members(struct team *team)
{
    atomic_store(&team->abandoned, true);
    atomic_store(&team->is_late, true);
    for (int i = 0; i < team->count; i++)
        if (team->member[i].busy)
            pthread_kill(team->member[i].thread, STOP_SIGNAL);
    await_members(team, STOP_S);
    team->broken = team->remaining > 0;
}

struct team *team_new(const int *cpu, int count, struct fault *fault)
{
    struct team *team = allocate(cpu, count);
    pthread_mutex_lock(&team->lock);
    const int error = start_members(team, count);
    team->remaining = team->count;
    bool complete = wait_for(team, patience_s(0)) && error == 0;
    if (error != 0)
        fault_set(fault, STATUS_NO_RESOURCE, "cannot make thread %d of %d: %s", team->count + 1, count,
                  strerror(error));
    for (int i = 0; i < team->count; i++) {
        const struct member *member = &team->member[i];
        if (member->busy)
            fault_set(fault, STATUS_NO_RESOURCE, "a thread on CPU %d did not start within %g s", member->cpu,
                      patience_s(0));
        else if (member->fault.status != STATUS_OK)
            *fault = member->fault;
        complete = complete && member->fault.status == STATUS_OK;
    }
    pthread_mutex_unlock(&team->lock);
    team->next = teams;
    teams = team;
    if (complete && team_prove(team, cpu, count, fault) == STATUS_OK)
        return team;
    team_free(team);
    return NULL;
}

enum status teams_check(struct fault *fault)
{
    for (const struct team *team = teams; team && fault->status == STATUS_OK; team = team->next)
        check(team, fault);
    return fault->status;
}

void team_begin(struct team *team, const int *member, int count, team_task *task, void *context)
{
    const uint64_t switches = pin_involuntary_switches();
    pthread_mutex_lock(&team->lock);
    if (team->broken) {
        pthread_mutex_unlock(&team->lock);
        return;
    }
    team->task = task;
    team->context = context;
    team->members = team->remaining = count;
    team->ran = 0;
    atomic_store(&team->arrived, 0);
    atomic_store(&team->abandoned, false);
    for (int i = 0; i < count; i++) {
        struct member *one = &team->member[member ? member[i] : i];
        one->called = one->busy = true;
        pthread_cond_signal(&one->wake);
    }
    pthread_mutex_unlock(&team->lock);
    pin_forgive_switches(switches); /* a member on this CPU may begin at once */
}

bool team_wait(struct team *team, double seconds)
{
    pthread_mutex_lock(&team->lock);
    const bool are_back = wait_for(team, team->broken ? 0 : seconds);
    pthread_mutex_unlock(&team->lock);
    return are_back;
}

bool team_end(struct team *team, double planned_s)
{
    pthread_mutex_lock(&team->lock);
    if (!team->broken && !wait_for(team, patience_s(planned_s)))
        stop_late_members(team);
    const bool finished = !team->broken && team->ran == team->members;
    pthread_mutex_unlock(&team->lock);
    return finished;
}

void team_free(struct team *team)
{
    struct team **at = &teams;
    if (!team)
        return;
    clock_waited_ns(); /* counts what its threads waited before they are gone */
    while (*at != team)
        at = &(*at)->next;
    *at = team->next;
    pthread_mutex_lock(&team->lock);
    team->quit = true;
    for (int i = 0; i < team->count; i++)
        pthread_cond_signal(&team->member[i].wake);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->count; i++) {
        pthread_mutex_lock(&team->lock);
        const bool busy = team->member[i].busy;
        pthread_mutex_unlock(&team->lock);
        if (busy)
            pthread_detach(team->member[i].thread);
        else
            pthread_join(team->member[i].thread, NULL);
    }
    release(team);
}
