/* SPDX-License-Identifier: MIT */
/* Threads sleep between tasks (a spinning one would disturb whoever measures alone) and spin only while the
 * members of a task gather, so that all of them leave within a cache line's travel. */
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

#include "uarchprobe/clock.h"
#include "uarchprobe/pin.h"

enum { STACK_BYTES = 512 * 1024, SPINS_BETWEEN_LOOKS = 20000, LONGEST_DEADLINE_S = 1000000000 };

/* On two CPUs a member that yields to a busy process is away when the others come. */
static const uint64_t YIELD_AFTER_NS = 2000000;

struct member {
    struct team *team;
    pthread_t thread;
    int index, cpu, id; /* id: of gettid */
    pthread_cond_t wake;
    /* guarded by the team's lock */
    bool called; /* there is a task to begin */
    bool busy;   /* in a task, or on the way into it */
    struct fault fault;
};

struct team {
    pthread_mutex_t lock;
    pthread_cond_t done;
    /* guarded by lock */
    int ready, members, remaining, ran; /* ran: of the members that were called those that did the task */
    bool quit;
    team_task *task;
    void *context;
    /* the barrier */
    atomic_int arrived;
    atomic_bool abandoned;
    /* one for the owner, one for each thread: a stuck member may outlive team_free */
    atomic_int references;
    int count;
    struct member member[];
};

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

/* False when the team was given up while some had not come. */
static bool gather(struct team *team, int members)
{
    uint64_t since_ns = 0;

    atomic_fetch_add(&team->arrived, 1);
    for (unsigned spins = 0; atomic_load_explicit(&team->arrived, memory_order_acquire) < members; spins++) {
        if (atomic_load_explicit(&team->abandoned, memory_order_relaxed))
            return false;
        if (spins % SPINS_BETWEEN_LOOKS < SPINS_BETWEEN_LOOKS - 1)
            continue;
        /* Two members that share one CPU would otherwise wait out a time slice each. */
        since_ns = since_ns ? since_ns : clock_now_ns();
        if (clock_now_ns() - since_ns > YIELD_AFTER_NS)
            sched_yield();
    }
    return true;
}

/* Sleeps until a task for this member comes; false: time to go. Called and left with the lock held. */
static bool await_task(struct team *team, struct member *self)
{
    while (!team->quit && !self->called)
        pthread_cond_wait(&self->wake, &team->lock);
    self->called = false;
    return !team->quit;
}

static void work(struct team *team, struct member *self)
{
    pthread_mutex_lock(&team->lock);
    while (await_task(team, self)) {
        team_task *task = team->task;
        void *context = team->context;
        const int members = team->members;
        pthread_mutex_unlock(&team->lock);
        const bool together = gather(team, members);
        if (together)
            task(context, self->index);
        pthread_mutex_lock(&team->lock);
        team->ran += together;
        self->busy = false;
        if (--team->remaining == 0)
            pthread_cond_signal(&team->done);
    }
    pthread_mutex_unlock(&team->lock);
}

static void *member_main(void *argument)
{
    struct member *self = argument;
    struct team *team = self->team;
    const bool pinned = pin_self(self->cpu, &self->fault) == STATUS_OK;
    self->id = (int)syscall(SYS_gettid);

    pthread_mutex_lock(&team->lock);
    team->ready++;
    pthread_cond_signal(&team->done);
    pthread_mutex_unlock(&team->lock);
    if (pinned)
        work(team, self);
    release(team);
    return NULL;
}

/* Signals that end the run are for the main thread; those of a faulting instruction stay with the thread. */
static void block_signals(sigset_t *before)
{
    sigset_t blocked;

    sigfillset(&blocked);
    sigdelset(&blocked, SIGSEGV);
    sigdelset(&blocked, SIGBUS);
    sigdelset(&blocked, SIGILL);
    sigdelset(&blocked, SIGFPE);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

static struct team *allocate(int count)
{
    struct team *team = calloc(1, sizeof(*team) + (size_t)count * sizeof(team->member[0]));
    pthread_condattr_t monotonic;

    if (!team)
        return NULL;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    atomic_init(&team->arrived, 0);
    atomic_init(&team->abandoned, false);
    atomic_init(&team->references, 1);
    return team;
}

/* Starts the members one by one and counts them in team->count; returns 0 or an errno. */
static int start_members(struct team *team, const int *cpu, int count)
{
    pthread_attr_t attributes;
    sigset_t before;
    int error = 0;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    block_signals(&before);
    for (int i = 0; i < count && error == 0; i++) {
        struct member *member = &team->member[i];
        member->team = team;
        member->index = i;
        member->cpu = cpu[i];
        pthread_cond_init(&member->wake, NULL);
        atomic_fetch_add(&team->references, 1);
        error = pthread_create(&member->thread, &attributes, member_main, member);
        if (error == 0)
            team->count++;
        else {
            pthread_cond_destroy(&member->wake);
            atomic_fetch_sub(&team->references, 1);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

static enum status first_fault(struct team *team, struct fault *fault)
{
    pthread_mutex_lock(&team->lock);
    while (team->ready < team->count)
        pthread_cond_wait(&team->done, &team->lock);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < team->count; i++) {
        const struct fault *theirs = &team->member[i].fault;
        if (theirs->status != STATUS_OK)
            return fault_set(fault, theirs->status, "%s", theirs->text);
    }
    return STATUS_OK;
}

struct team *team_new(const int *cpu, int count, struct fault *fault)
{
    struct team *team = count > 0 ? allocate(count) : NULL;

    if (!team) {
        fault_set(fault, STATUS_NO_RESOURCE, "cannot make a team of %d threads", count);
        return NULL;
    }
    const int error = start_members(team, cpu, count);
    if (error != 0)
        fault_set(fault, STATUS_NO_RESOURCE, "cannot make thread %d of %d: %s", team->count + 1, count,
                  strerror(error));
    if (error != 0 || first_fault(team, fault) != STATUS_OK) {
        team_free(team);
        return NULL;
    }
    return team;
}

static struct timespec moment_in(double seconds)
{
    const double bounded = fmin(fmax(seconds, 0), LONGEST_DEADLINE_S);
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    const double ns = (double)at.tv_nsec + (bounded - floor(bounded)) * 1e9;
    at.tv_sec += (time_t)bounded + (ns >= 1e9);
    at.tv_nsec = (long)(ns >= 1e9 ? ns - 1e9 : ns);
    return at;
}

enum status team_check(const struct team *team, struct fault *fault)
{
    for (int i = 0; i < team->count; i++)
        if (pin_check(team->member[i].id, team->member[i].cpu, fault) != STATUS_OK)
            return fault->status;
    return STATUS_OK;
}

/* Whether they have come back. With the lock held. */
static bool await_members(struct team *team, double seconds)
{
    const struct timespec until = moment_in(seconds);

    for (int error = 0; team->remaining > 0 && error == 0;)
        error = pthread_cond_timedwait(&team->done, &team->lock, &until);
    return team->remaining == 0;
}

static void call_members(struct team *team, const int *member, int count)
{
    atomic_store(&team->arrived, 0);
    atomic_store(&team->abandoned, false);
    team->members = team->remaining = count;
    team->ran = 0;
    for (int i = 0; i < count; i++) {
        struct member *one = &team->member[member ? member[i] : i];
        one->called = one->busy = true;
        pthread_cond_signal(&one->wake);
    }
}

bool team_run_on(struct team *team, const int *member, int count, team_task *task, void *context,
                 double deadline_s)
{
    struct fault moved = {0};

    pthread_mutex_lock(&team->lock);
    team->task = task;
    team->context = context;
    call_members(team, member, count);
    /* Members that were moved to one CPU may wait for each other for ever. Each is asked only where they do not come: of a
     * thousand that takes longer than most tasks. Seconds in which all was stopped count as one. */
    for (double left_s = deadline_s; left_s > 0 && !await_members(team, fmin(left_s, 1)); left_s -= 1) {
        if (team_check(team, &moved) != STATUS_OK)
            atomic_store(&team->abandoned, true);
    }
    if (team->remaining > 0)
        atomic_store(&team->abandoned, true);
    const bool finished = team->ran == count;
    pthread_mutex_unlock(&team->lock);
    return finished;
}

void team_free(struct team *team)
{
    if (!team)
        return;
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
