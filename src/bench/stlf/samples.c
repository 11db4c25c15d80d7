/* SPDX-License-Identifier: MIT */
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "uarchprobe/stats.h"

/* Clock readings on each side of a row that its samples are converted by: some 0.2 ms. */
enum { NEIGHBOURS = 4 };
static const double clock_tolerance = 0.01;

bool stlf_samples_init(struct stlf_samples *samples, size_t points, size_t passes)
{
    const size_t rows = (points + STLF_ROW - 1) / STLF_ROW;
    *samples = (struct stlf_samples){.points = points, .rows = rows, .room = passes};
    samples->ticks = calloc(points * passes, sizeof *samples->ticks);
    samples->clock = calloc(rows * passes, sizeof *samples->clock);
    samples->overhead = calloc(rows * passes, sizeof *samples->overhead);
    samples->state = calloc(passes, sizeof *samples->state);
    if (samples->ticks && samples->clock && samples->overhead && samples->state)
        return true;
    stlf_samples_free(samples);
    return false;
}

void stlf_samples_free(struct stlf_samples *samples)
{
    free(samples->ticks);
    free(samples->clock);
    free(samples->overhead);
    free(samples->state);
    memset(samples, 0, sizeof *samples);
}

static bool is_selected(const struct stlf_samples *samples, struct stlf_selection selection, size_t pass)
{
    return (selection.state < 0 || samples->state[pass] == selection.state) &&
           (selection.parity < 0 || (int)(pass % 2) == selection.parity);
}

size_t stlf_passes_of(const struct stlf_samples *samples, struct stlf_selection selection)
{
    size_t count = 0;
    for (size_t pass = 0; pass < samples->passes; pass++)
        count += is_selected(samples, selection, pass);
    return count;
}

/* NaN: all readings around were thrown away. */
static float median_around(const float *reading, size_t count, size_t at)
{
    double near[2 * NEIGHBOURS + 1];
    size_t known = 0;
    for (size_t i = at > NEIGHBOURS ? at - NEIGHBOURS : 0; i <= at + NEIGHBOURS && i < count; i++)
        if (!isnan(reading[i]))
            near[known++] = reading[i];
    return (float)quantile_reordering(near, known, 0.5);
}

struct conversion {
    float *clock; /* per pass and row: the median of the readings around it */
    bool *bad;    /* the row's own reading is off, or was thrown away */
    double overhead;
};

static void conversion_free(struct conversion *conversion)
{
    free(conversion->clock);
    free(conversion->bad);
}

static double pooled_overhead(const struct stlf_samples *samples)
{
    const size_t count = samples->passes * samples->rows;
    double *ticks = calloc(count, sizeof *ticks);
    if (!ticks)
        return NAN;
    for (size_t i = 0; i < count; i++)
        ticks[i] = samples->overhead[i];
    const double overhead = quantile_reordering(ticks, count, 0.1);
    free(ticks);
    return overhead;
}

static bool conversion_init(struct conversion *conversion, const struct stlf_samples *samples)
{
    const size_t count = samples->passes * samples->rows;
    *conversion = (struct conversion){.clock = calloc(count ? count : 1, sizeof *conversion->clock),
                                      .bad = calloc(count ? count : 1, sizeof *conversion->bad)};
    if (count == 0 || !conversion->clock || !conversion->bad)
        return false;
    for (size_t i = 0; i < count; i++) {
        conversion->clock[i] = median_around(samples->clock, count, i);
        conversion->bad[i] = !(fabs(samples->clock[i] / (double)conversion->clock[i] - 1) <= clock_tolerance);
    }
    conversion->overhead = pooled_overhead(samples);
    return !isnan(conversion->overhead);
}

/* The samples of a point in cycles a pair, undisturbed ones only unless those are fewer than half. */
static size_t gather(const struct stlf_samples *samples, const struct conversion *conversion,
                     struct stlf_selection selection, size_t point, double pairs, double *value)
{
    const size_t row = point / STLF_ROW;
    size_t good = 0, all = 0;
    for (int keep_bad = 0; keep_bad < 2; keep_bad++) {
        size_t count = 0;
        for (size_t pass = 0; pass < samples->passes; pass++) {
            const size_t at = pass * samples->rows + row;
            if (!is_selected(samples, selection, pass) || isnan(conversion->clock[at]))
                continue;
            all += !keep_bad;
            if (keep_bad || !conversion->bad[at])
                value[count++] = (samples->ticks[pass * samples->points + point] - conversion->overhead) /
                                 conversion->clock[at] / pairs;
        }
        good = count;
        if (good * 2 >= all)
            break;
    }
    return good;
}

bool stlf_cycles_and_spread(const struct stlf_samples *samples, struct stlf_selection selection,
                            const double *pairs, double *cycles, double *spread)
{
    struct conversion conversion;
    double *value = calloc(samples->passes ? samples->passes : 1, sizeof *value);
    const bool ok = conversion_init(&conversion, samples) && value && stlf_passes_of(samples, selection) > 0;
    for (size_t point = 0; ok && point < samples->points; point++) {
        const size_t count = gather(samples, &conversion, selection, point, pairs[point], value);
        cycles[point] = quantile_reordering(value, count, 0.1);
        if (spread)
            spread[point] = quantile_reordering(value, count, 0.9) - cycles[point];
    }
    conversion_free(&conversion);
    free(value);
    return ok;
}

bool stlf_cycles(const struct stlf_samples *samples, struct stlf_selection selection, const double *pairs,
                 double *cycles)
{
    return stlf_cycles_and_spread(samples, selection, pairs, cycles, NULL);
}

bool stlf_same_reading(double a, double b)
{
    const double lower = fmin(a, b), apart = fabs(a - b);
    return apart <= (lower < 1.5 ? 0.1 : fmax(0.25, 0.05 * lower));
}
