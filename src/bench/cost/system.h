/* SPDX-License-Identifier: MIT */
/* Rows of the operating system, and two threads that wake each other. */
#pragma once

#include <stdatomic.h>

#include "cost.h"

/* The one point of an operation of the kernel, the same for all of them. */
extern const struct series cost_once[];

/* Two threads that wake each other. */
struct wake_post {
    _Alignas(128) atomic_int full;
    int pipe[2];
};
struct wake {
    bool is_pipe, is_far, is_mute; /* far: on another CPU; mute: the partner never answers */
    const struct point *point;     /* of the present sample */
    double ns;                     /* of a wake in it */
    bool goes_on;                  /* each round trip of the sample was answered */
    struct team *team;
    struct companion *partner;
    struct wake_post post[2];
    atomic_bool is_over; /* nobody is awaited any more */
};
enum status wake_open(struct wake *wake, const int cpu[2], struct fault *fault);
void wake_close(void *wake);
/* ns of half of a round trip; NaN where there is no answer in that time, and from then on. */
double wake_ns(const struct point *point, double patience_s);
