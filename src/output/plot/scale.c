/* SPDX-License-Identifier: MIT */
#include "scale.h"

#include <float.h>
#include <math.h>

/* The map runs in OKLCh (B. Ottosson, "A perceptual color space for image processing", 2020). */
static const double LIGHTEST = 0.96, DARKEST = 0.28, HUE_FIRST = 100, HUE_LAST = -70;
static const double PALE = 0.07, CHROMA = 0.20; /* wanted chroma at the light end, and from a third on */

static double linear_to_srgb(double value)
{
    return value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055;
}

static double srgb_to_linear(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* Linear RGB; a component outside 0..1 cannot be shown. */
static void oklch_to_linear(double lightness, double chroma, double hue, double rgb[3])
{
    const double a = chroma * cos(hue * M_PI / 180), b = chroma * sin(hue * M_PI / 180);
    const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static bool can_be_shown(const double rgb[3])
{
    for (int i = 0; i < 3; i++) {
        if (rgb[i] < 0 || rgb[i] > 1)
            return false;
    }
    return true;
}

static unsigned char to_byte(double linear)
{
    const double clipped = fmin(fmax(linear, 0), 1);
    return (unsigned char)lround(255 * linear_to_srgb(clipped));
}

struct rgb color_at(double share)
{
    const double at = isnan(share) ? 0 : fmin(fmax(share, 0), 1);
    const double lightness = LIGHTEST + (DARKEST - LIGHTEST) * at;
    const double hue = HUE_FIRST + (HUE_LAST - HUE_FIRST) * at;
    double rgb[3], chroma = fmin(PALE + (CHROMA - PALE) * 3 * at, CHROMA);
    oklch_to_linear(lightness, chroma, hue, rgb);
    /* Grey of the lightness can always be shown. */
    while (!can_be_shown(rgb) && chroma > 0) {
        chroma -= 0.004;
        oklch_to_linear(lightness, fmax(chroma, 0), hue, rgb);
    }
    return (struct rgb){to_byte(rgb[0]), to_byte(rgb[1]), to_byte(rgb[2])};
}

double color_luminance(struct rgb color)
{
    return 0.2126 * srgb_to_linear(color.red / 255.0) + 0.7152 * srgb_to_linear(color.green / 255.0) +
           0.0722 * srgb_to_linear(color.blue / 255.0);
}

double color_contrast(struct rgb a, struct rgb b)
{
    const double first = color_luminance(a) + 0.05, second = color_luminance(b) + 0.05;
    return first > second ? first / second : second / first;
}

bool color_wants_black(struct rgb color)
{
    return color_contrast(color, (struct rgb){0, 0, 0}) >= color_contrast(color, (struct rgb){255, 255, 255});
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
    /* Multiples of the step, so that 1 KiB and 1 MiB are met whatever the interval. */
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
