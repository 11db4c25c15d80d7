/* SPDX-License-Identifier: MIT */
/* Where a time rises along x: the step of one round, the bend of a curve, a histogram of steps, which of its values stand out, and how
 * far that is trusted. */
#include "engine/steps.h"

#include <math.h>

#include "engine/engine_internal.h"
#include "uarchprobe/stats.h"

/* Points on each side of a step, and those of them that its height is of; points of a line at least. */
enum { END = 2, STEP_SIDE = 8, LINE_SIDE = 4 };

static size_t at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

size_t step_find(const double *value, size_t count, double height)
{
    double smooth[STEP_VALUES], sum = 0, left_sum = 0, best = 0;
    size_t at = 0;
    if (count < 2 * (END + 1) || count > STEP_VALUES)
        return 0;
    /* The median of three takes single outliers out and leaves a step where it is. */
    smooth[0] = fmin(value[0], value[1]);
    smooth[count - 1] = value[count - 1];
    for (size_t i = 1; i + 1 < count; i++) {
        const double low = fmin(value[i - 1], value[i]), high = fmax(value[i - 1], value[i]);
        smooth[i] = fmax(low, fmin(high, value[i + 1]));
    }
    for (size_t i = 0; i < count; i++)
        sum += smooth[i];
    /* One mean on each side, least squares. */
    for (size_t left = 1; left < count; left++) {
        const double n_left = (double)left, n_right = (double)(count - left);
        left_sum += smooth[left - 1];
        const double apart = left_sum / n_left - (sum - left_sum) / n_right,
                     explained = apart * apart * n_left * n_right;
        if (explained > best) {
            best = explained;
            at = left;
        }
    }
    if (at <= END || count - at <= END)
        return 0;
    const size_t before = at_most(at, STEP_SIDE), after = at_most(count - at, STEP_SIDE);
    const double jump = median_of(smooth + at, after) - median_of(smooth + at - before, before);
    return jump >= 0.4 * height && jump <= 1.6 * height ? at : 0;
}

/* By least squares through values at 0, 1, ... */
struct line {
    double at_0, slope, residue;
};

static struct line line_through(const double *value, size_t count)
{
    const double n = (double)count, middle = (n - 1) / 2;
    double sum = 0, products = 0;
    for (size_t i = 0; i < count; i++) {
        sum += value[i];
        products += ((double)i - middle) * value[i];
    }
    struct line line = {.slope = products * 12 / (n * (n * n - 1))};
    line.at_0 = sum / n - line.slope * middle;
    for (size_t i = 0; i < count; i++) {
        const double off = value[i] - line.at_0 - line.slope * (double)i;
        line.residue += off * off;
    }
    return line;
}

size_t bend_find(const double *cycles, size_t count)
{
    enum { TAIL = 8 };
    static const double RISE_CYCLES = 1.5, RISE_SIGMAS = 5;
    double best = INFINITY;
    size_t at = 0;
    for (size_t left = LINE_SIDE; left + LINE_SIDE <= count; left++) {
        const double residue =
            line_through(cycles, left).residue + line_through(cycles + left, count - left).residue;
        if (residue < best) {
            best = residue;
            at = left;
        }
    }
    if (at == 0)
        return 0;
    /* How far the last points lie above the line through the first ones. */
    const size_t tail = at_most(count - at, TAIL);
    const struct line line = line_through(cycles, at);
    const double rise = median_of(cycles + count - tail, tail) - line.at_0 -
                        line.slope * ((double)count - (double)(tail + 1) / 2);
    const double noise = sqrt(best / (double)(count - 5));
    return rise >= fmax(RISE_CYCLES, RISE_SIGMAS * noise) ? at : 0;
}

enum { NEIGHBOURS = 4, BACKGROUND = 16, TENTH = 10, SEEN_LEAST = 6 };
static const double BACKGROUND_LEAST = 0.25;

void step_count(struct step_counts *counts, size_t value)
{
    const bool is_first = counts->rounds++ < counts->firsts;
    if (value == 0 || value >= STEP_VALUES) {
        counts->none++;
        return;
    }
    counts->at[value]++;
    counts->first[value] += is_first;
}

/* The chance of `hits` or more where `mean` are expected. */
static double poisson_tail(size_t hits, double mean)
{
    double sum = 0;
    if ((double)hits <= mean)
        return 1;
    /* From the first term down: they fall faster than a geometric row. */
    double term = exp(-mean + (double)hits * log(mean) - lgamma((double)hits + 1));
    for (size_t k = hits; term > 1e-12 * sum && k < hits + 1000; k++) {
        sum += term;
        term *= mean / (double)(k + 1);
    }
    return sum;
}

bool step_is_peak(const struct step_counts *counts, size_t value)
{
    double sum = 0, around = 0;
    if (value == 0 || value >= STEP_VALUES || counts->at[value] == 0)
        return false;
    for (size_t v = value > BACKGROUND ? value - BACKGROUND : 1; v <= value + BACKGROUND && v < STEP_VALUES;
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

size_t step_top(const struct step_counts *counts)
{
    size_t top = 0;
    for (size_t value = 1; value < STEP_VALUES; value++)
        if ((top == 0 || counts->at[value] > counts->at[top]) && step_is_peak(counts, value))
            top = value;
    return top;
}

/* A busy sibling can leave the full size to one round in a hundred. */
size_t step_size(const struct step_counts *counts)
{
    for (size_t value = STEP_VALUES - 1; value > 0; value--)
        if (step_is_peak(counts, value) &&
            (TENTH * counts->at[value] >= counts->rounds ||
             (step_is_peak(counts, value / 2) && TENTH * counts->at[value / 2] >= counts->rounds)))
            return value;
    return 0;
}

/* The promise is one entry, so that neighbours of a value agree with it. */
static size_t seen_near(const size_t at[STEP_VALUES], size_t value)
{
    return at[value] + at[value + 1] + at[value - 1];
}

struct agreement step_agreement(const struct step_counts *counts, size_t value)
{
    const size_t seen = seen_near(counts->at, value), first = seen_near(counts->first, value);
    struct agreement agreement = {.share = (double)seen / (double)counts->rounds};
    agreement.least = fmin((double)first / (double)counts->firsts,
                           (double)(seen - first) / (double)(counts->rounds - counts->firsts));
    /* Neighbours agree with another size as they do with this one, and the two may lie so close that it is no peak of its own. */
    for (size_t v = 1; v < STEP_VALUES; v++) {
        size_t rounds = 0;
        for (size_t near = v - 1; near <= v + 1 && near < STEP_VALUES; near++)
            rounds += near + 1 < value || near > value + 1 ? counts->at[near] : 0;
        if ((v + 1 < value || v > value + 1) && rounds >= SEEN_LEAST && TENTH * rounds >= counts->rounds &&
            counts->at[v] > counts->at[agreement.other])
            agreement.other = v;
    }
    if (agreement.other > 0)
        agreement.apart = fabs((double)agreement.other - (double)value) / (double)value;
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
        verdict = verdict_lesser(
            verdict, verdict_of(agreement->apart > MEDIUM ? TRUST_LOW : TRUST_MEDIUM, LEG_REPETITION));
    return verdict_lesser(verdict, verdict_of(trust_in_share(agreement->least), LEG_REPETITION));
}
