/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_AUTOSCALE_H
#define ENGINE_AUTOSCALE_H

#include <stdint.h>

/* The number of iterations, a power of two times `start`, at which measure(context, iterations) reaches
 * target_ns. measure returns ns, and is called at least twice: the first call is a warm-up. limit: never
 * beyond. */
uint64_t autoscale(double (*measure)(void *context, uint64_t iterations), void *context, uint64_t start,
                   uint64_t limit, double target_ns);

#endif
