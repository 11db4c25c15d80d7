/* SPDX-License-Identifier: MIT */
/* What one turn of a pair says, and what is wrong with a cell. Pure. */
#ifndef UARCHPROBE_MODES_H
#define UARCHPROBE_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cell_flag {
    FLAG_REGIME = 1,    /* the pair was found at two or more distances: the CPUs were moved */
    FLAG_NOISY = 2,     /* its values do not repeat */
    FLAG_PREEMPTED = 4, /* many samples, or most turns, were disturbed by something else that ran */
    FLAG_PLACEMENT = 8  /* the distance contradicts the topology that the machine shows */
};

/* What one turn says of one series. */
struct cell_round {
    float value;               /* NaN: no usable sample */
    uint16_t samples, dropped; /* taken; left out as disturbed */
    bool mixed;                /* within this turn the samples went over from one mode to another */
};

/* By the bits of enum cell_flag, ended by NULL. */
extern const char *const cell_flag_names[];
/* Words for the flags, comma-separated, "" for none; returns buffer. */
const char *cell_flags_text(unsigned flags, char *buffer, size_t size);

/* Sets samples and dropped, both cut to what their fields hold, in proportion. */
void cell_round_count(struct cell_round *round, size_t samples, size_t dropped);
/* Whether the values of one turn, in the order of time, are of one mode up to some moment and of another,
 * far off, from then on; each for a quarter of them or more. */
bool modes_switched(const double *value, size_t count);
/* Leaves out the samples above 4 times the median (in place, order kept) and returns how many are left. */
size_t drop_disturbed(double *value, size_t count);

#endif
