/* SPDX-License-Identifier: MIT */
/* Rows of the operating system, and two threads that wake each other. */
#pragma once

#include <stdatomic.h>

#include "cost.h"

/* One value, whose context begins as a copy of `id`; `more` of its claim. It outlasts modes of the kernel of
 * some 10 ms; `modes`: others outlast a run. Of high trust were a first touch of 1735 and 1848 ns, and a wake
 * of 2437 and 2578; the way into the kernel took 351 and 390 cycles at medium trust, 1 of 20,604 pairs (Zen 3
 * guest). */
#define COST_ROW(id, which, words, in, asked, place, modes, more, ...)                                       \
    static const struct series id##_series[] = {{.name = which, .range = {1, 1}}, {0}};                      \
    static const struct claim id##_claims[] = {{.key = "cost." which,                                        \
                                                .label = words,                                              \
                                                .unit = in,                                                  \
                                                .series = which,                                             \
                                                .beyond = true,                                              \
                                                .classes = modes,                                            \
                                                .at_least = 1,                                               \
                                                .slot = place,                                               \
                                                .operand = asked,                                            \
                                                more},                                                       \
                                               {0}};                                                         \
    const struct experiment id##_experiment = {.name = words,                                                \
                                               .context_bytes = sizeof id,                                   \
                                               .context_template = &id,                                      \
                                               .series = id##_series,                                        \
                                               .claims = id##_claims,                                        \
                                               .pace = {400, 80, 0.25, 0.06},                                \
                                               __VA_ARGS__}

/* Two threads that wake each other. */
struct wake_post {
    _Alignas(128) atomic_int full;
    int pipe[2];
};
struct wake {
    bool is_pipe, is_far, is_mute; /* far: on another CPU; mute: the partner never answers */
    double ticks;
    struct team *team;
    struct companion *partner;
    struct wake_post post[2];
    atomic_bool is_over; /* nobody is awaited any more */
};
enum status wake_open(struct wake *wake, const int cpu[2], struct fault *fault);
void wake_close(void *wake);
/* Half of a round trip; NaN where there is no answer in that time, and from then on. */
double wake_ticks(struct wake *wake, double patience_s);
