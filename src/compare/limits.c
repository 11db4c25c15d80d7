/* SPDX-License-Identifier: MIT */
#include "limits.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_file.h"
#include "output/answers.h"

/* How far off the limit the interval of a value of low trust must lie to decide, on either side. */
static const double FAR = 0.25;

bool limit_parse(const char *line, struct limit *limit)
{
    char text[256], sign[3] = "";
    *limit = (struct limit){.value = NAN};
    snprintf(text, sizeof(text), "%s", line);
    text[strcspn(text, "#\r\n")] = '\0';
    for (size_t i = strlen(text); i > 0 && strchr(" \t", text[i - 1]); i--)
        text[i - 1] = '\0';
    char *member = strstr(text, "{kind="), *end = member ? strchr(member, '}') : NULL;
    if (end && sscanf(member, "{kind=%63[^}]", limit->kind) == 1)
        memset(member, ' ', (size_t)(end + 1 - member));
    const int read = sscanf(text, " %95s %2[<>=] %lf %23[^\n]", limit->key, sign, &limit->value, limit->unit);
    limit->sign = sign[0];
    const bool known = strcmp(sign, ">=") == 0 || strcmp(sign, "<=") == 0 || strcmp(sign, "=") == 0;
    return read < 1 || (known && read >= 3 && isfinite(limit->value));
}

/* The limit in the unit of the answer; NaN: the units do not fit. The unit that is printed fits, too. */
static double bound_of(const struct limit *limit, const struct answer *answer)
{
    static const struct {
        const char *unit, *base;
        double factor;
    } units[] = {{"MiB/s", "Byte/s", 0x1p20}, {"GB/s", "Byte/s", 1e9}, {"KiB", "Byte", 0x1p10},
                 {"MiB", "Byte", 0x1p20},     {"GiB", "Byte", 0x1p30}, {"us", "ns", 1e3},
                 {"ms", "ns", 1e6},           {"MHz", "GHz", 1e-3}};
    const char *unit = answer->unit ? answer->unit : "", *shown;
    const double one = value_shown(1, unit, &shown);
    if (strcmp(limit->unit, unit) == 0)
        return limit->value;
    if (strcmp(limit->unit, shown) == 0 || strcmp(limit->unit, answers_unit(unit)) == 0)
        return limit->value / one;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(units[i].unit, limit->unit) == 0 && strcmp(units[i].base, unit) == 0)
            return limit->value * units[i].factor;
    return NAN;
}

bool limit_is_of(const struct limit *limit, const struct answer *answer)
{
    const bool is_of_kind = !*limit->kind || (answer->kind && strcmp(limit->kind, answer->kind) == 0);
    return is_of_kind && fnmatch(limit->key, answer->key, 0) == 0 && !isnan(bound_of(limit, answer)) &&
           !isnan(cell_number(&answer->value));
}

static bool breaks(const struct limit *limit, double value, double bound)
{
    return limit->sign == '>' ? value < bound : limit->sign == '<' ? value > bound : value != bound;
}

/* A value of low trust needs the same distance from the limit to hold it as to break it. */
enum outcome limit_judge(const struct limit *limit, const struct answer *answer)
{
    const double bound = bound_of(limit, answer), value = cell_number(&answer->value);
    const bool low = answer->trust == TRUST_LOW, broken = breaks(limit, value, bound);
    const double far = !low ? 1 : limit->sign == '>' ? 1 + FAR : 1 - FAR;
    /* The end of its interval that lies towards the limit. */
    const double end = cell_number((limit->sign == '>') == broken ? &answer->high : &answer->low);
    const double near = isnan(end) ? value : end;
    if (answer_is_bound(answer) && (limit->sign == '=' || (limit->sign == '>') == broken))
        return OUTCOME_UNKNOWN;
    if (low && (limit->sign == '=' || answer->limited_by == LIMITED_BY_PLAUSIBILITY))
        return OUTCOME_UNKNOWN;
    if (limit->sign == '=')
        return broken ? OUTCOME_WORSE : OUTCOME_SAME;
    if (broken)
        return breaks(limit, near * far, bound) ? OUTCOME_WORSE : OUTCOME_UNKNOWN;
    return !low || !breaks(limit, near, bound * far) ? OUTCOME_SAME : OUTCOME_UNKNOWN;
}

enum status limits_read(const char *path, void (*take)(void *context, const struct limit *limit),
                        void *context, struct fault *fault)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = text_file_open(path, fault);
    if (!file)
        return fault->status;
    for (int number = 1; fault->status == STATUS_OK && getline(&line, &room, file) > 0; number++) {
        struct limit limit;
        if (!limit_parse(line, &limit))
            fault_set(fault, STATUS_USAGE,
                      "%s: line %d is no limit; write a line such as: ram.L2.read >= 50 GiB/s", path, number);
        else if (!unit_is_known(limit.unit))
            fault_set(fault, STATUS_USAGE,
                      "%s: line %d: '%s' is no unit; as in: cycles, ns, GiB/s, MiB, entries", path, number,
                      limit.unit);
        else if (limit.key[0])
            take(context, &limit);
    }
    if (!feof(file) && fault->status == STATUS_OK)
        fault_set(fault, STATUS_USAGE, "cannot read '%s': %s", path, strerror(errno));
    free(line);
    fclose(file);
    return fault->status;
}

/* "DRAM read (busy) 14.0", "store buffer, Gracemont 80" */
void limit_add_named(struct text *out, const struct answer *answer)
{
    text_add_printable(out, answer->label ? answer->label : answer->key);
    if (answer->kind)
        text_printf(out, ", %s", answer->kind);
    text_add(out, answer_is_busy(answer) ? " (busy) " : " ");
    text_add(out, answers_number(&answer->value, answer->unit));
}
