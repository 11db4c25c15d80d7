/* SPDX-License-Identifier: MIT */
#include "engine/companion.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/text.h"
#include "uarchprobe/pin.h"

struct companion {
    pthread_t thread;
    int cpu;
    void (*work)(void *context);
    void *context;    /* of the work */
    atomic_int state; /* 0: not yet pinned; 1: busy; 2: to end; 3: could not be pinned */
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
    if (pin_self(companion->cpu, &companion->fault) != STATUS_OK) {
        atomic_store(&companion->state, 3);
        return NULL;
    }
    atomic_store(&companion->state, 1);
    while (atomic_load_explicit(&companion->state, memory_order_relaxed) == 1)
        companion->work(companion->context);
    return NULL;
}

struct companion *companion_new(int cpu, void (*work)(void *context), void *context, struct fault *fault)
{
    struct companion *companion = memory_zeroed(1, sizeof *companion);
    companion->cpu = cpu;
    companion->work = work ? work : add;
    companion->context = context;
    if (pthread_create(&companion->thread, NULL, keep_busy, companion)) {
        fault_set(fault, STATUS_NO_RESOURCE, "no thread can be made for CPU %d", cpu);
        free(companion);
        return NULL;
    }
    while (atomic_load(&companion->state) == 0)
        continue;
    if (companion->fault.status == STATUS_OK)
        return companion;
    *fault = companion->fault;
    companion_free(companion);
    return NULL;
}

void companion_free(struct companion *companion)
{
    if (!companion)
        return;
    atomic_store(&companion->state, 2);
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
