/* SPDX-License-Identifier: MIT */
#include "scale.h"

#include <float.h>
#include <math.h>

/* Every sixteenth of the map, which runs in OKLCh (B. Ottosson, "A perceptual color space for image processing",
 * 2020): lightness from 0.96 down to 0.28, hue from 100 to -70 degrees, chroma up to 0.20 or the limit of sRGB. */
static const struct rgb map[] = {
    {252, 244, 190}, {253, 225, 154}, {255, 205, 123}, {254, 184, 103}, {255, 161, 85}, {255, 136, 72},
    {254, 107, 67},  {245, 82, 78},   {228, 64, 94},   {209, 48, 107},  {188, 33, 118}, {166, 20, 126},
    {143, 4, 132},   {117, 2, 133},   {92, 4, 129},    {68, 3, 121},    {46, 2, 110}};

enum { MAP_STEPS = sizeof(map) / sizeof(map[0]) - 1 };

static unsigned char between(unsigned char from, unsigned char to, double share)
{
    return (unsigned char)lround(from + (to - from) * share);
}

struct rgb color_at(double share)
{
    const double at = isnan(share) ? 0 : fmin(fmax(share, 0), 1) * MAP_STEPS;
    const int step = (int)fmin(at, MAP_STEPS - 1);
    const struct rgb *from = &map[step], *to = &map[step + 1];
    return (struct rgb){between(from->red, to->red, at - step), between(from->green, to->green, at - step),
                        between(from->blue, to->blue, at - step)};
}

static double srgb_to_linear(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

double color_luminance(struct rgb color)
{
    return 0.2126 * srgb_to_linear(color.red / 255.0) + 0.7152 * srgb_to_linear(color.green / 255.0) +
           0.0722 * srgb_to_linear(color.blue / 255.0);
}

bool color_wants_black(struct rgb color)
{
    static const double AS_FAR_FROM_BOTH = 0.179;
    return color_luminance(color) >= AS_FAR_FROM_BOTH;
}

struct scale scale_make(double low, double high, bool log)
{
    if (!isfinite(low) || !isfinite(high))
        low = high = 0;
    if (low > high) {
        const double swap = low;
        low = high;
        high = swap;
    }
    log = log && low > DBL_MIN;
    if (!(high - low > fabs(high) * 1e-12)) {
        high = log ? low * 2 : low + (fabs(low) > DBL_MIN ? fabs(low) : 1);
        low = log ? low / 2 : low;
    }
    return (struct scale){low, high, log};
}

double scale_share(const struct scale *scale, double value)
{
    double share = (value - scale->low) / (scale->high - scale->low);
    if (scale->log)
        share = value > 0 ? log2(value / scale->low) / log2(scale->high / scale->low) : 0;
    return fmin(fmax(share, 0), 1);
}

double scale_value(const struct scale *scale, double share)
{
    return scale->log ? scale->low * pow(scale->high / scale->low, share)
                      : scale->low + (scale->high - scale->low) * share;
}

static size_t log_ticks(const struct scale *scale, int wanted, double tick[TICKS_MAX])
{
    const int first = (int)ceil(log2(scale->low) - 1e-9), last = (int)floor(log2(scale->high) + 1e-9);
    const int step = (int)fmax(1, ceil((last - first) / (double)(wanted > 1 ? wanted : 1)));
    size_t count = 0;
    /* Multiples of the step, which include 1 KiB and 1 MiB in any interval. */
    for (int power = (int)ceil(first / (double)step) * step; power <= last && count < TICKS_MAX;
         power += step)
        tick[count++] = exp2(power);
    return count;
}

size_t scale_ticks(const struct scale *scale, int wanted, double tick[TICKS_MAX])
{
    static const double round[] = {1, 2, 5, 10};
    if (scale->log)
        return log_ticks(scale, wanted, tick);
    const double rough = (scale->high - scale->low) / (wanted > 1 ? wanted : 1);
    const double power = pow(10, floor(log10(rough)));
    double step = power;
    for (int i = 0; i < 4 && step < rough * (1 - 1e-9); i++)
        step = power * round[i];
    size_t count = 0;
    for (double at = ceil(scale->low / step - 1e-9);
         at * step <= scale->high + step * 1e-9 && count < TICKS_MAX; at++)
        tick[count++] = at * step + 0.0;
    return count;
}
