/* SPDX-License-Identifier: MIT */
/* From ticks to cycles: samples of many points, taken in passes over all of them, with readings of the core
 * clock in between. Pure. */
#ifndef UARCHPROBE_STLF_SAMPLES_H
#define UARCHPROBE_STLF_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

/* Points share a row's readings; in a grid a row is one store offset. */
enum { STLF_ROW = 64 };

struct stlf_samples {
    size_t points, rows, room; /* room: passes that fit */
    size_t passes;             /* whole ones that were taken */
    float *ticks;              /* pass * points + point */
    float *clock;              /* pass * rows + row: ticks per core cycle; NaN: reading thrown away */
    float *overhead;           /* pass * rows + row: ticks of a sample without pairs */
    unsigned char *state;      /* pass: what the caller knows of the machine's state during it */
};

/* False: out of memory, nothing to free. */
bool stlf_samples_init(struct stlf_samples *samples, size_t points, size_t passes);
void stlf_samples_free(struct stlf_samples *samples);

struct stlf_selection {
    int state;  /* passes of this state only; -1: of any */
    int parity; /* passes of this parity only; -1: all */
};

/* cycles: receives one value a point, the 10 % quantile over the selected passes; pairs: pairs in a sample of
 * each point. A sample is converted by the clock readings around it, as the core clock moves during a run; a
 * sample whose own row's reading is off by more than 1 % from those is left out where enough others remain.
 * False: out of memory, or no such passes. */
bool stlf_cycles(const struct stlf_samples *samples, struct stlf_selection selection, const double *pairs,
                 double *cycles);
/* Also the distance of the 90 % from the 10 % quantile. */
bool stlf_cycles_and_spread(const struct stlf_samples *samples, struct stlf_selection selection,
                            const double *pairs, double *cycles, double *spread);
size_t stlf_passes_of(const struct stlf_samples *samples, struct stlf_selection selection);
/* Whether two readings of the same thing stand for the same plateau: 0.1 cycle apart below 1.5, 0.25 cycle or
 * 5 % above. */
bool stlf_same_reading(double a, double b);

#endif
