/* SPDX-License-Identifier: MIT */
#include "uarchprobe/interrupt.h"

#include <stdatomic.h>
#include <stdint.h>

#include "uarchprobe/clock.h"

/* A handler is given no context, so these must be global. The time is written first. */
static _Atomic uint64_t caught_ns;
static atomic_int caught;

void interrupt_note(int number)
{
    if (atomic_load(&caught))
        return;
    atomic_store(&caught_ns, clock_now_ns());
    atomic_store(&caught, number);
}

void interrupt_forget(void)
{
    atomic_store(&caught, 0);
}

int interrupt_signal(void)
{
    return atomic_load_explicit(&caught, memory_order_relaxed);
}

double interrupt_since_s(void)
{
    return atomic_load(&caught) ? (double)(clock_now_ns() - atomic_load(&caught_ns)) / 1e9 : -1;
}
