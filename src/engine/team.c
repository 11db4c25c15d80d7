/* SPDX-License-Identifier: MIT */
/* Threads sleep between tasks (spinning would disturb a thread that measures alone) and spin only while the members of a
 * task gather, so that all leave within a cache line's travel. */
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
#include "uarchprobe/clock.h"
#include "uarchprobe/crash.h"
#include "uarchprobe/pin.h"

enum { STACK_BYTES = 512 * 1024, SPINS_BETWEEN_CHECKS = 20000 };

/* A CPU full of real-time threads never starts ours. */
static const double START_S = 30;

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
};

struct team {
    pthread_mutex_t lock;
    pthread_cond_t done;
    /* guarded by lock */
    int members, remaining, ran; /* of a task: its members, those still in it, those that did it */
    bool quit;
    team_task *task;
    void *context;
    /* the barrier */
    atomic_int arrived;
    atomic_bool abandoned;
    /* one for the owner, one for each thread: a stuck member may outlive team_free */
    atomic_int references;
    struct team *next; /* in the list of all */
    int count;
    struct member member[];
};

/* Those that live, so that whoever asks whether CPUs were taken away knows them all. Teams are made and freed by one thread. */
static struct team *teams;

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

/* False: the team was abandoned before all had come. */
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
    return true;
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
        const bool together = gather(team, members);
        if (together)
            task(context, self->index);
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

/* Starts the members one by one and counts them in team->count; returns 0 or an errno. Signals that end the run are for the
 * main thread; those of a faulting instruction stay with the thread. */
static int start_members(struct team *team, int count)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    pthread_attr_t attributes;
    sigset_t blocked, before;
    int error = 0;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&blocked, own[i]);
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

/* Waits for all members; false: some are not back in that time. With the lock held. */
static bool await_members(struct team *team, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double ns = (double)until.tv_nsec + seconds * 1e9;
    until.tv_sec += (time_t)(ns / 1e9);
    until.tv_nsec = (long)fmod(ns, 1e9);
    for (int error = 0; team->remaining > 0 && error == 0;)
        error = pthread_cond_timedwait(&team->done, &team->lock, &until);
    return team->remaining == 0;
}

struct team *team_new(const int *cpu, int count, struct fault *fault)
{
    struct team *team = allocate(cpu, count);
    pthread_mutex_lock(&team->lock);
    const int error = start_members(team, count);
    team->remaining = team->count;
    bool complete = await_members(team, START_S) && error == 0;
    if (error != 0)
        fault_set(fault, STATUS_NO_RESOURCE, "cannot make thread %d of %d: %s", team->count + 1, count,
                  strerror(error));
    for (int i = 0; i < team->count; i++) {
        const struct member *member = &team->member[i];
        if (member->busy)
            fault_set(fault, STATUS_NO_RESOURCE, "a thread on CPU %d did not start within %g s", member->cpu,
                      START_S);
        else if (member->fault.status != STATUS_OK)
            *fault = member->fault;
        complete = complete && member->fault.status == STATUS_OK;
    }
    pthread_mutex_unlock(&team->lock);
    team->next = teams;
    teams = team;
    if (complete)
        return team;
    team_free(team);
    return NULL;
}

static enum status check(const struct team *team, struct fault *fault)
{
    for (int i = 0; i < team->count; i++)
        if (pin_check(team->member[i].id, team->member[i].cpu, fault) != STATUS_OK)
            return fault->status;
    return STATUS_OK;
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

bool team_end(struct team *team, double deadline_s)
{
    struct fault moved = {0};
    pthread_mutex_lock(&team->lock);
    /* Members that were moved to one CPU may wait for each other for ever. Checks them only when they are late, as a check
     * of a thousand takes longer than most tasks. A second in which all was stopped counts as one. */
    for (double left_s = deadline_s; left_s > 0 && !await_members(team, fmin(left_s, 1)); left_s -= 1) {
        if (check(team, &moved) != STATUS_OK)
            atomic_store(&team->abandoned, true);
    }
    if (team->remaining > 0)
        atomic_store(&team->abandoned, true);
    const bool finished = team->ran == team->members;
    pthread_mutex_unlock(&team->lock);
    return finished;
}

void team_free(struct team *team)
{
    struct team **at = &teams;
    if (!team)
        return;
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
