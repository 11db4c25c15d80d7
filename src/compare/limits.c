/* SPDX-License-Identifier: MIT */
#include "limits.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A value of low trust says something only where its interval lies off the limit by this, on either side. */
static const double FAR = 0.25;

static const struct {
    const char *unit, *base;
    double factor;
} units[] = {
    {"GiB/s", "Byte/s", 1073741824.0}, {"MiB/s", "Byte/s", 1048576.0},         {"GB/s", "Byte/s", 1e9},
    {"cycles", "core cycles", 1},      {"bytes/cycle", "bytes/core cycle", 1}, {"us", "ns", 1e3}};

/* Of one word, or as it is printed. */
static bool is_unit(const char *text)
{
    bool known = !strpbrk(text, " \t");
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        known |= strcmp(text, units[i].base) == 0;
    return known;
}

bool limit_parse(const char *line, struct limit *limit)
{
    char text[256], sign[3] = "";
    *limit = (struct limit){.value = NAN};
    snprintf(text, sizeof(text), "%s", line);
    text[strcspn(text, "#\r\n")] = '\0';
    for (size_t i = strlen(text); i > 0 && strchr(" \t", text[i - 1]); i--)
        text[i - 1] = '\0';
    const int read = sscanf(text, " %95s %2[<>=] %lf %23[^\n]", limit->key, sign, &limit->value, limit->unit);
    limit->sign = sign[0];
    const bool known = strcmp(sign, ">=") == 0 || strcmp(sign, "<=") == 0 || strcmp(sign, "=") == 0;
    return read < 1 || (known && read >= 3 && is_unit(limit->unit) && isfinite(limit->value));
}

/* What the value is to be multiplied by; NaN: another unit. */
static double factor_of(const struct limit *limit, const char *unit)
{
    if (strcmp(limit->unit, unit ? unit : "") == 0)
        return 1;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (unit && strcmp(units[i].unit, limit->unit) == 0 && strcmp(units[i].base, unit) == 0)
            return units[i].factor;
    }
    return NAN;
}

bool limit_is_of(const struct limit *limit, const struct answer *answer)
{
    return fnmatch(limit->key, answer->key, 0) == 0 && !isnan(factor_of(limit, answer->unit)) &&
           !isnan(cell_number(&answer->value));
}

static bool breaks(const struct limit *limit, double value, double bound)
{
    return limit->sign == '>' ? value < bound : limit->sign == '<' ? value > bound : value != bound;
}

/* A value of low trust is held as far from the limit as it has to lie beyond it to break it. */
enum limit_outcome limit_judge(const struct limit *limit, const struct answer *answer)
{
    const double bound = limit->value * factor_of(limit, answer->unit), value = cell_number(&answer->value);
    const bool low = answer->trust == TRUST_LOW, broken = breaks(limit, value, bound);
    const double far = !low ? 1 : limit->sign == '>' ? 1 + FAR : 1 - FAR;
    /* The end of its interval that lies towards the limit. */
    const double end = cell_number((limit->sign == '>') == broken ? &answer->high : &answer->low);
    const double near = isnan(end) ? value : end;
    if (low && answer->leg == LEG_PLAUSIBILITY)
        return LIMIT_UNKNOWN;
    if (limit->sign == '=')
        return low ? LIMIT_UNKNOWN : broken ? LIMIT_BROKEN : LIMIT_HELD;
    if (broken)
        return breaks(limit, near * far, bound) ? LIMIT_BROKEN : LIMIT_UNKNOWN;
    return !low || !breaks(limit, near, bound * far) ? LIMIT_HELD : LIMIT_UNKNOWN;
}
