/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

const char *stlf_while(const struct stlf_set *set)
{
    if (set->state == STATE_ACTIVE)
        return ", while the sibling works";
    return set->state == STATE_IDLE && set->sibling_seen ? ", while the sibling idles" : "";
}

static void add_finding(struct stlf *stlf, struct finding finding, const char *format, va_list list)
{
    char text[FAULT_TEXT];
    vsnprintf(text, sizeof text, format, list);
    finding.text = text;
    record_finding(stlf->run->record, finding);
}

static const char *name_of(enum state state)
{
    return state == STATE_IDLE || state == STATE_ACTIVE ? state_names[state] : NULL;
}

void stlf_finding(struct stlf *stlf, const char *key, double value, const char *unit, enum state state,
                  struct verdict verdict, const char *format, ...)
{
    const struct finding finding = {.key = key,
                                    .value = REAL_CELL(value),
                                    .unit = unit,
                                    .trust = verdict.trust,
                                    .state = name_of(state),
                                    .leg = verdict.leg};
    va_list list;
    va_start(list, format);
    add_finding(stlf, finding, format, list);
    va_end(list);
}

void stlf_estimated(struct stlf *stlf, const char *key, const struct estimate *estimate,
                    struct verdict verdict, const char *format, ...)
{
    struct finding finding = finding_of(estimate, verdict);
    va_list list;
    finding.key = key;
    finding.unit = "core cycles";
    va_start(list, format);
    add_finding(stlf, finding, format, list);
    va_end(list);
}

void stlf_text(struct stlf *stlf, const char *key, const char *value, enum state state,
               struct verdict verdict, const char *text)
{
    record_finding(stlf->run->record, (struct finding){.key = key,
                                                       .value = TEXT_CELL(value),
                                                       .trust = verdict.trust,
                                                       .text = text,
                                                       .state = name_of(state),
                                                       .leg = verdict.leg});
}

unsigned stlf_bytes_a_pair(const struct kernel *kernel)
{
    return kernel->sled.units ? (unsigned)(kernel->sled.end - kernel->sled.begin) / kernel->sled.units : 0;
}

enum stlf_verdict stlf_verdict(const struct stlf *stlf, enum overlap overlap, double cycles)
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

const char *stlf_word(const struct stlf *stlf, bool late_address, double cycles)
{
    const enum stlf_verdict verdict = stlf_verdict(stlf, OVERLAP_SAME, cycles);
    if (isnan(cycles))
        return NULL;
    if (late_address && verdict != VERDICT_RENAMED && verdict != VERDICT_FLUSH)
        return "served";
    return verdict_names[verdict];
}

/* "renamed, 0.50 cycles up to 40 pairs; forwarded, 7 from 43" */
static void spell_plateaus(const struct stlf *stlf, bool late_address, const struct stlf_plateau *plateau,
                           int count, char *text, size_t size)
{
    int length = 0;
    text[0] = '\0';
    for (int i = 0; i < count && length < (int)size - 80 && !isnan(plateau[i].cycles); i++) {
        char cycles[STLF_LABEL];
        stlf_spell(plateau[i].cycles, cycles);
        length += snprintf(text + length, size - (size_t)length, "%s%s, %s cycles a pair", i ? "; " : "",
                           stlf_word(stlf, late_address, plateau[i].cycles), cycles);
        if (i + 1 < count)
            length += snprintf(text + length, size - (size_t)length,
                               i ? " from %zu to %zu pairs" : " up to %zu pairs",
                               i ? plateau[i].first + 1 : plateau[i].last + 1, plateau[i].last + 1);
        else if (i > 0)
            length += snprintf(text + length, size - (size_t)length, " from %zu pairs", plateau[i].first + 1);
        else
            length += snprintf(text + length, size - (size_t)length, " at any number of pairs up to %d",
                               STLF_UNROLL_MAX);
    }
}

/* Where the other state differs only in how far it goes, so much is said of it. */
static void spell_active(const struct stlf *stlf, const struct estimate *curve, bool late_address,
                         const struct stlf_plateau *idle, int count, char *text, size_t size)
{
    double value[STLF_UNROLL_MAX];
    struct stlf_plateau active[STLF_PLATEAU_MAX];
    char others[STLF_KNEES / 2];
    stlf_values(curve, STLF_UNROLL_MAX, STLF_WHOLE, value);
    const int actives = stlf_plateaus(value, STLF_UNROLL_MAX, active);
    spell_plateaus(stlf, late_address, active, actives, others, sizeof others);
    if (count > 1 && actives > 1 &&
        stlf_word(stlf, late_address, idle->cycles) == stlf_word(stlf, late_address, active->cycles))
        snprintf(text, size, "; up to %zu pairs while it works", active->last + 1);
    else if (actives && (count > 1 || actives > 1))
        snprintf(text, size, "; %s while it works", others);
}

void stlf_spell_knees(const struct stlf *stlf, const struct stlf_set *set, size_t first, bool late_address,
                      char text[STLF_KNEES])
{
    struct stlf_plateau plateau[STLF_PLATEAU_MAX];
    double value[STLF_UNROLL_MAX];
    stlf_values(&set->estimate[first], STLF_UNROLL_MAX, STLF_WHOLE, value);
    const int count = stlf_plateaus(value, STLF_UNROLL_MAX, plateau);
    spell_plateaus(stlf, late_address, plateau, count, text, STLF_KNEES / 2 - 40);
    size_t length = strlen(text);
    length += (size_t)snprintf(text + length, STLF_KNEES - length, "%s", stlf_while(set));
    if (set->both && set->state == STATE_IDLE)
        spell_active(stlf, &set->active[first], late_address, plateau, count, text + length,
                     STLF_KNEES - length);
}

void stlf_also(const struct stlf_set *set, size_t point, char text[STLF_ALSO])
{
    const double idle = set->estimate[point].value, active = set->active[point].value;
    char cycles[STLF_LABEL];
    text[0] = '\0';
    if (!set->both || set->state != STATE_IDLE ||
        !(fabs(active - idle) > fmax(claim_core.absolute, claim_core.relative * idle)))
        return;
    stlf_spell(active, cycles);
    snprintf(text, STLF_ALSO, "; %s while it works", cycles);
}
