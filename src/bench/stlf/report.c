/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "stlf.h"

void stlf_spell(double cycles, char text[STLF_LABEL])
{
    const double nearest = round(cycles);
    if (isnan(cycles))
        snprintf(text, STLF_LABEL, "?");
    else if (cycles < 1.5)
        snprintf(text, STLF_LABEL, "%.2f", cycles);
    else if (fabs(cycles - nearest) <= fmin(0.15, 0.03 * cycles))
        snprintf(text, STLF_LABEL, "%.0f", nearest);
    else
        snprintf(text, STLF_LABEL, "%.1f", cycles);
}

enum trust stlf_trust(double agreement)
{
    if (!(agreement >= 0.99))
        return TRUST_LOW;
    return agreement >= 0.999 ? TRUST_HIGH : TRUST_MEDIUM;
}

void stlf_finding(struct stlf *stlf, const char *key, double value, const char *unit, enum trust trust,
                  const char *format, ...)
{
    char text[FAULT_TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    record_finding(stlf->run->record, (struct finding){.key = key,
                                                       .value = isnan(value) ? NO_CELL : REAL_CELL(value),
                                                       .unit = unit,
                                                       .trust = trust,
                                                       .text = text});
}

unsigned stlf_bytes_a_pair(const struct kernel *kernel)
{
    return kernel->sled.units ? (unsigned)(kernel->sled.end - kernel->sled.begin) / kernel->sled.units : 0;
}

enum verdict stlf_verdict(const struct stlf *stlf, enum overlap overlap, double cycles)
{
    const struct stlf_levels levels = {.l1 = stlf->facts.l1,
                                       .independent = stlf->facts.independent,
                                       .forwarded = stlf->facts.forwarded,
                                       .blocked = stlf->facts.blocked};
    return verdict_of(&levels, (struct geometry){.overlap = overlap}, cycles);
}

const char *stlf_verdict_name(const struct stlf *stlf, enum overlap overlap, double cycles)
{
    return isnan(cycles) ? NULL : verdict_names[stlf_verdict(stlf, overlap, cycles)];
}
