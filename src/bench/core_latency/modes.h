/* SPDX-License-Identifier: MIT */
/* One value out of several rounds, and whether it may be believed: a host that moves virtual CPUs gives the
 * same pair two or three sharply different values, and neither their mean nor their median is true. Pure. */
#ifndef UARCHPROBE_MODES_H
#define UARCHPROBE_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODES_MAX = 4 };

/* A cluster of values with no wide gap inside. */
struct mode {
    double value; /* median of its members */
    double low, high;
    size_t count;
};

struct modes {
    int count;
    int main; /* the one with most members; of equals the lower, as disturbances only ever add */
    struct mode mode[MODES_MAX];
};

/* Splits where a value exceeds its lower neighbour by more than `gap` (0.25: a quarter). When more clusters
 * than MODES_MAX come out, the nearest ones are joined. */
struct modes modes_of(const double *value, size_t count, double gap);

enum cell_flag {
    FLAG_REGIME = 1,    /* rounds of two or more kinds: the CPUs were moved, or something as sharp */
    FLAG_NOISY = 2,     /* rounds of one kind that spread widely, or few rounds and one far off */
    FLAG_PREEMPTED = 4, /* many samples, or most rounds, were disturbed by something else that ran */
    FLAG_THROTTLED = 8, /* a CPU quota stopped the process */
    FLAG_PLACEMENT = 16 /* the value contradicts the topology that the machine shows */
};

/* What one round says of one cell. A round without any usable sample has the value NaN. */
struct cell_round {
    float value;
    uint16_t samples, dropped; /* taken; left out as disturbed */
    bool throttled;            /* a quota stopped the process during the round */
    bool contended;            /* something else ran on one of the CPUs during the turn */
    bool mixed;                /* within this one round the samples went over from one mode to another */
};

struct cell_rules {
    size_t min_rounds;
    double agree;     /* two rounds this near to each other settle the cell: 0.01 */
    double gap;       /* between modes: 0.25 */
    double noisy;     /* interquartile range over the median: 0.10 */
    double preempted; /* share of dropped samples: 0.05 */
    bool use_median;  /* the value is the median of the main mode's rounds, else their mean */
};

struct cell_verdict {
    double value;   /* of the main mode; NaN: no round counts */
    unsigned flags; /* of enum cell_flag */
    bool settled;   /* enough rounds, agreement, no flag: no further round is needed */
    struct modes modes;
    double spread; /* (max - min) / median over the main mode's rounds; NaN below two */
    size_t rounds; /* that count */
    uint64_t samples, dropped;
};

extern const struct cell_rules cell_rules_default;

struct cell_verdict cell_judge(const struct cell_round *round, size_t count, const struct cell_rules *rules);
/* By the bits of enum cell_flag, ended by NULL. */
extern const char *const cell_flag_names[];
/* Words for the flags, comma-separated, "" for none; returns buffer. */
const char *cell_flags_text(unsigned flags, char *buffer, size_t size);

/* "4.1 ns (2), 23.4 ns (6)": each mode with its number of rounds; returns buffer. */
const char *cell_modes_text(const struct modes *modes, char *buffer, size_t size);

/* Sets samples and dropped, both cut to what their fields hold, in proportion. */
void cell_round_count(struct cell_round *round, size_t samples, size_t dropped);
/* Whether the values of one round, in the order of time, are of one mode up to some moment and of another,
 * far off, from then on; each for a quarter of them or more. */
bool modes_switched(const double *value, size_t count);

/* Leaves out the samples above 4 times the median (in place, order kept) and returns how many are left. */
size_t drop_disturbed(double *value, size_t count);

#endif
