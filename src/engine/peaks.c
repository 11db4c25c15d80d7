/* SPDX-License-Identifier: MIT */
/* A histogram of knees: which of its values stand out, how far the rounds agree on one, and how far that is trusted. */
#include <math.h>

#include "uarchprobe/knee.h"

enum { NEIGHBOURS = 4, BACKGROUND = 16, TENTH = 10 };
static const double BACKGROUND_LEAST = 0.25;

/* Where there is no room for all of them, one in two, and then of those to come as many. */
static void keep_in_order(struct knee_counts *counts, size_t value)
{
    if (counts->sweeps % ((size_t)1 << counts->halvings) != 0)
        return;
    if (counts->kept == KNEE_ORDER) {
        counts->kept /= 2;
        counts->halvings++;
        for (size_t i = 0; i < counts->kept; i++)
            counts->in_order[i] = counts->in_order[2 * i];
    }
    counts->in_order[counts->kept++] = (unsigned short)value;
}

void knee_count(struct knee_counts *counts, size_t value)
{
    const size_t known = value < KNEE_VALUES ? value : 0;

    keep_in_order(counts, known);
    counts->sweeps++;
    counts->at[known] += known > 0;
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

bool knee_is_peak(const struct knee_counts *counts, size_t value)
{
    double sum = 0, around = 0;
    if (value == 0 || value >= KNEE_VALUES || counts->at[value] == 0)
        return false;
    for (size_t v = value > BACKGROUND ? value - BACKGROUND : 1; v <= value + BACKGROUND && v < KNEE_VALUES;
         v++) {
        const size_t apart = v > value ? v - value : value - v;
        const bool higher =
            counts->at[v] > counts->at[value] || (counts->at[v] == counts->at[value] && v < value);
        if (apart > 0 && apart <= NEIGHBOURS && higher)
            return false;
        sum += apart > 0 ? (double)counts->at[v] : 0;
        around += apart > 0;
    }
    const double background = fmax(sum / around, BACKGROUND_LEAST);
    return poisson_tail(counts->at[value], background) < 1e-6;
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

/* A rare peak may be an accident of many sweeps. It is taken for a size where a tenth of the sweeps saw it, or
 * saw its half: a busy sibling can leave the full size to one sweep in a hundred. */
size_t knee_size(const struct knee_counts *counts)
{
    for (size_t value = KNEE_VALUES - 1; value > 0; value--)
        if (knee_is_peak(counts, value) &&
            (TENTH * counts->at[value] >= counts->sweeps ||
             (knee_is_peak(counts, value / 2) && TENTH * counts->at[value / 2] >= counts->sweeps)))
            return value;
    return 0;
}

/* Of sweeps in the order in which they were made. */
static double share_between(const struct knee_counts *counts, size_t begin, size_t end, size_t value,
                            size_t half)
{
    size_t agreeing = 0;

    for (size_t i = begin; i < end; i++) {
        const size_t knee = counts->in_order[i];
        agreeing += knee > 0 && (knee == value || knee == half);
    }
    return (double)agreeing / (double)(end - begin);
}

struct agreement knee_agreement(const struct knee_counts *counts, size_t value, size_t half)
{
    const size_t middle = counts->kept / 2, agreeing = counts->at[value] + (half > 0 ? counts->at[half] : 0);
    struct agreement agreement = {.share = (double)agreeing / (double)counts->sweeps,
                                  .least = fmin(share_between(counts, 0, middle, value, half),
                                                share_between(counts, middle, counts->kept, value, half))};

    for (size_t v = 1; v < KNEE_VALUES; v++)
        if (v != value && v != half && TENTH * counts->at[v] >= counts->sweeps &&
            counts->at[v] > counts->at[agreement.other] && knee_is_peak(counts, v))
            agreement.other = v;
    agreement.other_share = (double)counts->at[agreement.other] / (double)counts->sweeps;
    return agreement;
}

static struct verdict verdict_of(enum trust trust, enum leg leg)
{
    return (struct verdict){trust, trust == TRUST_HIGH ? LEG_NONE : leg, .within_absolute = 1};
}

static enum trust trust_in_share(double share)
{
    static const double few = 0.5, most = 0.7;

    return !(share >= few) ? TRUST_LOW : share < most ? TRUST_MEDIUM : TRUST_HIGH;
}

struct verdict count_judge(const struct agreement *agreement, size_t rounds)
{
    enum { MANY = 100 };
    struct verdict verdict = verdict_of(trust_in_share(agreement->share), LEG_PRECISION);

    if (rounds < MANY)
        verdict = verdict_lesser(verdict, verdict_of(TRUST_MEDIUM, LEG_PRECISION));
    if (agreement->other > 0)
        verdict = verdict_lesser(verdict, verdict_of(TRUST_MEDIUM, LEG_REPETITION));
    return verdict_lesser(verdict, verdict_of(trust_in_share(agreement->least), LEG_REPETITION));
}
