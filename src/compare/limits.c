/* SPDX-License-Identifier: MIT */
#include "limits.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A value of low trust breaks a limit only where it lies off by a share of itself beyond its interval. */
static const double FAR = 0.25;

static const struct {
    const char *unit, *base;
    double factor;
} units[] = {{"GiB/s", "Byte/s", 1073741824.0},
             {"MiB/s", "Byte/s", 1048576.0},
             {"GB/s", "Byte/s", 1e9},
             {"cycles", "core cycles", 1},
             {"us", "ns", 1e3}};

bool limit_parse(const char *line, struct limit *limit)
{
    char text[256], sign[3] = "", rest[2] = "";
    *limit = (struct limit){.value = NAN};
    snprintf(text, sizeof(text), "%s", line);
    text[strcspn(text, "#\r\n")] = '\0';
    const int read =
        sscanf(text, " %95s %2[<>=] %lf %23[^\n\t ] %1s", limit->key, sign, &limit->value, limit->unit, rest);
    limit->sign = sign[0];
    const bool known = strcmp(sign, ">=") == 0 || strcmp(sign, "<=") == 0 || strcmp(sign, "=") == 0;
    return read < 1 || (known && read >= 3 && read <= 4 && isfinite(limit->value));
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

bool limit_is_of(const struct limit *limit, const struct finding *finding)
{
    return fnmatch(limit->key, finding->key, 0) == 0 && !isnan(factor_of(limit, finding->unit)) &&
           !isnan(cell_number(&finding->value));
}

static bool breaks(const struct limit *limit, double value, double bound)
{
    return limit->sign == '>' ? value < bound : limit->sign == '<' ? value > bound : value != bound;
}

enum limit_answer limit_judge(const struct limit *limit, const struct finding *finding)
{
    const double bound = limit->value * factor_of(limit, finding->unit);
    const double low = cell_number(&finding->low), high = cell_number(&finding->high);
    const double best = limit->sign == '>' ? high : low;
    if (!breaks(limit, cell_number(&finding->value), bound))
        return finding->trust == TRUST_LOW ? LIMIT_UNKNOWN : LIMIT_HELD;
    const double margin = finding->trust == TRUST_LOW ? FAR : 0;
    const double kind = isnan(best) ? cell_number(&finding->value) : best;
    const bool clear = limit->sign == '='
                           ? finding->trust != TRUST_LOW
                           : breaks(limit, kind * (limit->sign == '>' ? 1 + margin : 1 - margin), bound);
    return clear ? LIMIT_BROKEN : LIMIT_UNKNOWN;
}
