/* SPDX-License-Identifier: MIT */
#include "engine/companion.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/text.h"
#include "uarchprobe/pin.h"

struct companion {
    struct team *team;
    struct companion_work work;
    atomic_bool ending;
    atomic_ulong turns;
};

static void count(void *context)
{
    uint64_t sum = 1;
    for (int i = 0; i < 64; i++)
        __asm__ volatile("" : "+r"(sum) : :); /* keeps the compiler from removing the loop */
}

static void keep_busy(void *context, int member)
{
    struct companion *companion = context;
    while (!atomic_load_explicit(&companion->ending, memory_order_relaxed)) {
        companion->work.once(companion->work.context);
        if (companion->work.is_counted)
            atomic_fetch_add(&companion->turns, 1);
    }
}

unsigned long companion_turns(const struct companion *companion)
{
    return atomic_load(&companion->turns);
}

struct companion *companion_new(int cpu, struct fault *fault)
{
    return companion_with(cpu, (struct companion_work){count}, fault);
}

struct companion *companion_with(int cpu, struct companion_work work, struct fault *fault)
{
    struct companion *companion = memory_zeroed(1, sizeof *companion);
    companion->work = work;
    if (pin_prove(pin_wanted(), cpu, fault) == STATUS_OK)
        companion->team = team_new(&cpu, 1, fault);
    if (companion->team) {
        team_begin(companion->team, NULL, 1, keep_busy, companion);
        return companion;
    }
    free(companion);
    return NULL;
}

void companion_dismiss(struct companion *companion)
{
    if (!companion)
        return;
    atomic_store(&companion->ending, true);
    if (companion->work.end)
        companion->work.end(companion->work.context);
}

void companion_free(struct companion *companion)
{
    if (!companion)
        return;
    companion_dismiss(companion);
    team_end(companion->team, 0);
    team_free(companion->team);
    free(companion);
}
