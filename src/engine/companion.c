/* SPDX-License-Identifier: MIT */
#include "engine/companion.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uarchprobe/clock.h"
#include "uarchprobe/pin.h"

enum companion_state { STARTING, BUSY, FAILED, ENDING };

/* A CPU whose real-time threads leave no time to others starts none of ours. */
static const uint64_t START_NS = 5000000000;

struct companion {
    pthread_t thread;
    int cpu;
    void (*work)(void *context);
    void *context;    /* of the work */
    atomic_int state; /* an enum companion_state */
    struct fault fault;
};

static void add(void *context)
{
    uint64_t sum = 1;
    for (int i = 0; i < 64; i++)
        __asm__ volatile("" : "+r"(sum) : :); /* a loop that stays one */
}

static void *keep_busy(void *context)
{
    struct companion *companion = context;
    int starting = STARTING;
    const bool pinned = pin_self(companion->cpu, &companion->fault) == STATUS_OK;
    atomic_compare_exchange_strong(&companion->state, &starting, pinned ? BUSY : FAILED);
    while (atomic_load_explicit(&companion->state, memory_order_relaxed) == BUSY)
        companion->work(companion->context);
    return NULL;
}

struct companion *companion_new(int cpu, void (*work)(void *context), void *context, struct fault *fault)
{
    struct companion *companion = memory_zeroed(1, sizeof *companion);
    companion->cpu = cpu;
    companion->work = work ? work : add;
    companion->context = context;
    const int error = pthread_create(&companion->thread, NULL, keep_busy, companion);
    const uint64_t begin_ns = clock_now_ns();
    while (!error && atomic_load(&companion->state) == STARTING && clock_now_ns() - begin_ns < START_NS)
        continue;
    int state = STARTING;
    if (error || atomic_compare_exchange_strong(&companion->state, &state, ENDING)) {
        fault_set(fault, STATUS_NO_RESOURCE, "no thread can be made for CPU %d: %s", cpu,
                  error ? strerror(error) : "it did not start within 5 s");
        if (error)
            free(companion);
        else /* what it reads when it runs at last stays */
            pthread_detach(companion->thread);
        return NULL;
    }
    if (state == BUSY)
        return companion;
    *fault = companion->fault;
    companion_free(companion);
    return NULL;
}

void companion_free(struct companion *companion)
{
    if (!companion)
        return;
    atomic_store(&companion->state, ENDING);
    pthread_join(companion->thread, NULL);
    free(companion);
}

enum status companion_pair(const struct run *run, struct cpu_choice choice, int cpu[2], struct fault *fault)
{
    cpu[0] = run->cpus.id[0];
    cpu[1] = choice.id;
    if (choice.named && cpu[1] == cpu[0])
        return fault_set(fault, STATUS_USAGE,
                         "--smt=%d: CPU %d is the one that measures; name another one, or leave --smt out",
                         cpu[1], cpu[1]);
    if (choice.named)
        return STATUS_OK;
    for (int i = 0; i < run->cpus.count; i++)
        for (int j = 0; j < run->topology->place_count; j++) {
            cpu[0] = run->cpus.id[i];
            cpu[1] = run->topology->place[j].id;
            if (topology_relation(run->topology, cpu[0], cpu[1]) == SAME_CORE)
                return STATUS_OK;
        }
    return fault_set(
        fault, STATUS_NO_RESOURCE,
        "--smt needs two allowed CPUs that are SMT siblings, and the topology shows none: name the "
        "sibling of CPU %d as in --smt=1 where the topology hides it",
        run->cpus.id[0]);
}
