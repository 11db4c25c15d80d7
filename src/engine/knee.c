/* SPDX-License-Identifier: MIT */
/* Where a curve breaks; and a histogram of such breaks: which of its values stand out, how far the rounds agree on one, and how far
 * that is trusted. */
#include "uarchprobe/knee.h"

#include <math.h>

#include "uarchprobe/stats.h"

enum { STEP_SIDE = 8, LINE_SIDE = 4 };

struct knee knee_step(const double *value, size_t count)
{
    struct knee knee = {.found = false};
    double sum = 0, left_sum = 0, best = 0;

    for (size_t i = 0; i < count; i++)
        sum += value[i];
    for (size_t left = 1; left < count; left++) {
        double n_left = (double)left, n_right = (double)(count - left), explained;

        left_sum += value[left - 1];
        explained = left_sum / n_left - (sum - left_sum) / n_right;
        explained *= explained * n_left * n_right / (double)count;
        if (explained > best) {
            best = explained;
            knee.last = left - 1;
        }
    }
    if (best <= 0)
        return knee;
    /* Of the points next to the break, at most STEP_SIDE on each side. */
    const size_t left = knee.last + 1, right = count - left;
    const size_t before = left < STEP_SIDE ? left : STEP_SIDE, after = right < STEP_SIDE ? right : STEP_SIDE;
    knee.found = true;
    knee.jump = median_of(value + left, after) - median_of(value + left - before, before);
    return knee;
}

/* Sums of a run of points, from which its least-squares line follows. */
struct sums {
    double n, x, y, xx, xy, yy;
};

static void sums_add(struct sums *sums, double x, double y, double weight)
{
    sums->n += weight;
    sums->x += weight * x;
    sums->y += weight * y;
    sums->xx += weight * x * x;
    sums->xy += weight * x * y;
    sums->yy += weight * y * y;
}

static double sums_slope(const struct sums *s)
{
    return (s->n * s->xy - s->x * s->y) / (s->n * s->xx - s->x * s->x);
}

static double sums_at(const struct sums *s, double x)
{
    return s->y / s->n + sums_slope(s) * (x - s->x / s->n);
}

/* Squared residues; never below 0, which rounding could do. */
static double sums_residue(const struct sums *s)
{
    double centred = s->yy - s->y * s->y / s->n;

    return fmax(0, centred - sums_slope(s) * (s->xy - s->x * s->y / s->n));
}

struct knee knee_line2(const double *value, size_t count)
{
    struct knee knee = {.found = false};
    struct sums left = {0}, right = {0};
    double best = INFINITY, centre = (double)count / 2, offset = median_of(value, count);

    if (count < 2 * LINE_SIDE)
        return knee;
    /* Centred, so that the differences of sums keep their digits. */
    for (size_t i = 0; i < count; i++)
        sums_add(&right, (double)i - centre, value[i] - offset, 1);
    for (size_t i = 0; i + LINE_SIDE < count; i++) {
        double two;

        sums_add(&left, (double)i - centre, value[i] - offset, 1);
        sums_add(&right, (double)i - centre, value[i] - offset, -1);
        if (i + 1 < LINE_SIDE)
            continue;
        two = sums_residue(&left) + sums_residue(&right);
        if (two < best) {
            best = two;
            knee.found = true;
            knee.last = i;
            knee.jump = sums_at(&right, (double)i + 0.5 - centre) - sums_at(&left, (double)i + 0.5 - centre);
        }
    }
    knee.noise = sqrt(best / (double)(count - 5));
    return knee;
}

double knee_beyond(const double *value, size_t before, size_t count)
{
    enum { TAIL = 8 };
    const size_t tail = count - before < TAIL ? count - before : TAIL;
    struct sums line = {0};

    for (size_t i = 0; i < before; i++)
        sums_add(&line, (double)i, value[i], 1);
    return median_of(value + count - tail, tail) - sums_at(&line, (double)count - (double)(tail + 1) / 2);
}

struct knee knee_sweep(const double *value, size_t count, double chain)
{
    enum { MOST = KNEE_VALUES, END = KNEE_END };
    double smooth[MOST];
    struct knee knee = {.found = false};

    if (count < 2 * (END + 1) || count > MOST)
        return knee;
    /* The median of three takes single outliers out and leaves a step where it is. */
    smooth[0] = fmin(value[0], value[1]);
    smooth[count - 1] = value[count - 1];
    for (size_t i = 1; i + 1 < count; i++) {
        const double low = fmin(value[i - 1], value[i]), high = fmax(value[i - 1], value[i]);
        smooth[i] = fmax(low, fmin(high, value[i + 1]));
    }
    knee = knee_step(smooth, count);
    if (knee.last < END || knee.last + 1 + END > count - 1 || knee.jump < 0.4 * chain ||
        knee.jump > 1.6 * chain)
        knee.found = false;
    return knee;
}

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

/* Of sweeps in the order in which they were made. The promise is one entry, so that neighbours of a value agree with it. */
static double share_between(const struct knee_counts *counts, size_t begin, size_t end, size_t value)
{
    size_t agreeing = 0;

    for (size_t i = begin; i < end; i++)
        agreeing +=
            counts->in_order[i] && counts->in_order[i] + 1u >= value && counts->in_order[i] <= value + 1;
    return (double)agreeing / (double)(end - begin);
}

struct agreement knee_agreement(const struct knee_counts *counts, size_t value)
{
    const size_t middle = counts->kept / 2, agreeing = counts->at[value] + counts->at[value + 1] +
                                                       (value > 1 ? counts->at[value - 1] : 0);
    struct agreement agreement = {.share = (double)agreeing / (double)counts->sweeps,
                                  .least = fmin(share_between(counts, 0, middle, value),
                                                share_between(counts, middle, counts->kept, value))};

    for (size_t v = 1; v < KNEE_VALUES; v++)
        if ((v + 1 < value || v > value + 1) && TENTH * counts->at[v] >= counts->sweeps &&
            counts->at[v] > counts->at[agreement.other] && knee_is_peak(counts, v))
            agreement.other = v;
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
