/* SPDX-License-Identifier: MIT */
/* What a histogram of knees says of a capacity that may be halved for a part of the time. */
#include <math.h>

#include "uarchprobe/knee.h"

enum { NEIGHBOURS = 4, BACKGROUND = 16 };

void knee_count(struct knee_counts *counts, size_t value)
{
    counts->sweeps++;
    if (value > 0 && value < KNEE_VALUES)
        counts->at[value]++;
}

void knee_count_none(struct knee_counts *counts)
{
    counts->sweeps++;
}

/* The chance of `hits` or more where `mean` are expected. */
static double poisson_tail(size_t hits, double mean)
{
    double term, sum = 0;

    if ((double)hits <= mean)
        return 1;
    /* From the first term down: they fall faster than a geometric row. */
    term = exp(-mean + (double)hits * log(mean) - lgamma((double)hits + 1));
    for (size_t k = hits; term > 1e-12 * sum && k < hits + 1000; k++) {
        sum += term;
        term *= mean / (double)(k + 1);
    }
    return sum;
}

static double background_of(const struct knee_counts *counts, size_t value)
{
    double sum = 0, n = 0;

    for (size_t v = value > BACKGROUND ? value - BACKGROUND : 1; v <= value + BACKGROUND && v < KNEE_VALUES;
         v++) {
        if (v == value)
            continue;
        sum += (double)counts->at[v];
        n++;
    }
    return sum / n < 0.25 ? 0.25 : sum / n;
}

static bool is_highest(const struct knee_counts *counts, size_t value)
{
    for (size_t v = value > NEIGHBOURS ? value - NEIGHBOURS : 1; v <= value + NEIGHBOURS && v < KNEE_VALUES;
         v++)
        if (counts->at[v] > counts->at[value] || (counts->at[v] == counts->at[value] && v < value))
            return false;
    return true;
}

bool knee_is_peak(const struct knee_counts *counts, size_t value)
{
    if (value == 0 || value >= KNEE_VALUES || counts->at[value] == 0)
        return false;
    return is_highest(counts, value) && poisson_tail(counts->at[value], background_of(counts, value)) < 1e-6;
}

size_t knee_largest_peak(const struct knee_counts *counts)
{
    for (size_t value = KNEE_VALUES - 1; value > 0; value--)
        if (knee_is_peak(counts, value))
            return value;
    return 0;
}

size_t knee_top_peak(const struct knee_counts *counts)
{
    size_t top = 0;

    for (size_t value = 1; value < KNEE_VALUES; value++)
        if ((top == 0 || counts->at[value] > counts->at[top]) && knee_is_peak(counts, value))
            top = value;
    return top;
}

static enum trust trust_in(const struct capacity *capacity)
{
    enum { MANY = 100 };

    if (capacity->agreeing < 0.3)
        return TRUST_LOW;
    if (capacity->sweeps < MANY || capacity->agreeing < 0.7)
        return TRUST_MEDIUM;
    /* A full size in very few sweeps is real, but only its half proves that it is no accident. */
    if (capacity->full < 20 && capacity->state != BUFFER_HALVED)
        return capacity->half_seen && capacity->full >= 8 ? TRUST_MEDIUM : TRUST_LOW;
    return TRUST_HIGH;
}

/* A rare peak may be an accident of many looks. It is taken for a size where a tenth of the sweeps saw it, or
 * saw its half: a busy sibling can leave the full size to one sweep in a hundred. */
static bool is_supported(const struct knee_counts *counts, size_t value)
{
    size_t half = value / 2;

    return 10 * counts->at[value] >= counts->sweeps ||
           (knee_is_peak(counts, half) && 10 * counts->at[half] >= counts->sweeps);
}

size_t knee_size(const struct knee_counts *counts)
{
    for (size_t value = KNEE_VALUES - 1; value > 0; value--)
        if (knee_is_peak(counts, value) && is_supported(counts, value))
            return value;
    return 0;
}

struct capacity knee_capacity(const struct knee_counts *counts, size_t minimum_knee, size_t documented)
{
    struct capacity capacity = {.sweeps = counts->sweeps, .halved_share = NAN, .trust = TRUST_LOW};
    size_t value = knee_size(counts);

    if (value == 0 || minimum_knee != value)
        return capacity;
    capacity.entries = value;
    capacity.half_seen = knee_is_peak(counts, value / 2);
    if (documented > 1 && documented / 2 == value) {
        capacity.state = BUFFER_HALVED;
        capacity.halved = counts->at[value];
    } else {
        capacity.full = counts->at[value];
        capacity.halved = value / 2 > 0 ? counts->at[value / 2] : 0;
        capacity.state = capacity.half_seen ? BUFFER_MIXED : BUFFER_FULL;
    }
    capacity.halved_share = (double)capacity.halved / (double)(capacity.full + capacity.halved);
    capacity.agreeing = (double)(capacity.full + capacity.halved) / (double)counts->sweeps;
    capacity.trust = trust_in(&capacity);
    return capacity;
}
