/* SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* A handler is given no context, so this must be global. */
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    if (caught) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    caught = number;
}

static void watch(int number)
{
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void interrupt_watch(void)
{
    caught = 0;
    watch(SIGINT);
    watch(SIGTERM);
}

bool interrupted(void *context)
{
    return caught != 0;
}

int interrupt_signal(void)
{
    return caught;
}
