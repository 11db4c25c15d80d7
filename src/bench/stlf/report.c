/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "parts.h"

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

struct finding stlf_found(const char *key, struct cell value, const char *unit, enum state state,
                          struct verdict verdict)
{
    const bool known = state == STATE_IDLE || state == STATE_ACTIVE;
    return (struct finding){.key = key,
                            .value = value,
                            .unit = unit,
                            .trust = verdict.trust,
                            .leg = verdict.leg,
                            .within = verdict.within,
                            .within_absolute = verdict.within_absolute,
                            .state = known ? state_names[state] : NULL};
}

struct finding stlf_estimated(const char *key, const struct estimate *estimate, struct verdict verdict)
{
    struct finding finding = finding_of(estimate, verdict);
    finding.key = key;
    finding.unit = "core cycles";
    return finding;
}

/* Where the sibling was seen to work, a sentence says of which state it is unless the one before was of the same. */
static void add_state(struct stlf *stlf, const char *state, struct text *text)
{
    const bool idle = state && strcmp(state, state_names[STATE_IDLE]) == 0;
    const bool active = state && strcmp(state, state_names[STATE_ACTIVE]) == 0;
    const enum state now = idle ? STATE_IDLE : STATE_ACTIVE;
    if (stlf->lab.active == 0 || !(idle || active) || now == stlf->said)
        return;
    text_printf(text, " (the sibling %s where nothing else is said)", idle ? "idles" : "works");
    stlf->said = now;
}

void stlf_say(struct stlf *stlf, struct finding finding, const char *format, ...)
{
    struct text text = {0};
    va_list list;
    va_start(list, format);
    text_vprintf(&text, format, list);
    va_end(list);
    add_state(stlf, finding.state, &text);
    finding.text = text.data;
    record_finding(stlf->run->record, finding);
    text_free(&text);
}

unsigned stlf_bytes_a_pair(const struct kernel *kernel)
{
    return kernel->sled.units ? (unsigned)(kernel->sled.end - kernel->sled.begin) / kernel->sled.units : 0;
}

/* Where the address is late the load waits for a prediction, not for the data alone: of what takes longer than L1, only
 * a flush is plain beyond doubt. */
const char *stlf_word(const struct stlf *stlf, const struct stlf_point *point, double cycles)
{
    const struct kernel *kernel = point->kernel;
    const bool late =
        kernel->operation >= OPERATION_FORWARD_FD && kernel->operation <= OPERATION_FORWARD_FD_POINTER_APART;
    const struct geometry geometry = {
        .overlap = overlap_of(point->store, kernel->bits / 8, point->load, kernel->load_bits / 8)};
    if (isnan(cycles) || kernel->operation == OPERATION_LATENCY)
        return NULL;
    const enum stlf_verdict verdict = verdict_of(&stlf->levels, geometry, cycles);
    if (late && (verdict == VERDICT_FORWARDED || verdict == VERDICT_BLOCKED))
        return "served";
    return verdict_names[verdict];
}

/* "renamed, 0.50 cycles a pair up to 40 pairs; forwarded, 7 cycles a pair from 43 pairs" */
static void spell_plateaus(const struct stlf *stlf, const struct stlf_point *point,
                           const struct stlf_plateaus *plateaus, struct text *text)
{
    for (int i = 0; i < plateaus->count; i++) {
        const struct stlf_plateau *plateau = &plateaus->of[i];
        const char *word = stlf_word(stlf, point, plateau->cycles);
        const size_t first = plateau->first + 1, last = plateau->last + 1;
        char cycles[STLF_LABEL];
        if (!word)
            return;
        stlf_spell(plateau->cycles, cycles);
        text_printf(text, "%s%s, %s cycles a pair", i ? "; " : "", word, cycles);
        if (plateaus->count == 1)
            text_printf(text, " at any number of pairs up to %d", STLF_UNROLL_MAX);
        else if (i + 1 == plateaus->count)
            text_printf(text, " from %zu pairs", first);
        else if (i == 0)
            text_printf(text, " up to %zu pairs", last);
        else
            text_printf(text, " from %zu to %zu pairs", first, last);
    }
}

/* Where the other state differs only in how far it goes, so much is said of it. */
static void spell_active(const struct stlf *stlf, const struct stlf_point *point,
                         const struct stlf_plateaus *idle, const struct estimate *curve, struct text *text)
{
    const struct stlf_plateaus active = stlf_plateaus_of(curve, STLF_UNROLL_MAX, STLF_WHOLE);
    if (active.count == 0 || (idle->count < 2 && active.count < 2))
        return;
    text_add(text, "; ");
    if (idle->count > 1 && active.count > 1 &&
        stlf_word(stlf, point, idle->of->cycles) == stlf_word(stlf, point, active.of->cycles))
        text_printf(text, "up to %zu pairs", active.of->last + 1);
    else
        spell_plateaus(stlf, point, &active, text);
    text_add(text, " while the sibling works");
}

void stlf_spell_knees(const struct stlf *stlf, const struct stlf_set *set, size_t first, struct text *text)
{
    const struct stlf_point *point = &set->point[first];
    const struct stlf_plateaus plateaus =
        stlf_plateaus_of(&set->estimate[first], STLF_UNROLL_MAX, STLF_WHOLE);
    spell_plateaus(stlf, point, &plateaus, text);
    if (set->both && set->state == STATE_IDLE)
        spell_active(stlf, point, &plateaus, &set->active[first], text);
}

void stlf_also(const struct stlf_set *set, size_t point, char text[STLF_ALSO])
{
    const double idle = set->estimate[point].value, active = set->active[point].value;
    char cycles[STLF_LABEL], usual[STLF_LABEL];
    text[0] = '\0';
    if (!set->both || set->state != STATE_IDLE ||
        !(fabs(active - idle) > fmax(claim_core.absolute, claim_core.relative * idle)))
        return;
    stlf_spell(active, cycles);
    stlf_spell(idle, usual);
    if (strcmp(cycles, usual) == 0)
        return;
    snprintf(text, STLF_ALSO, "; %s while the sibling works", cycles);
}
