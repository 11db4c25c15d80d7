/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/published.h"
#include "parts.h"

void stlf_spell(double cycles, char text[STLF_LABEL])
{
    snprintf(text, STLF_LABEL, isnan(cycles) ? "?" : "%.1f", cycles);
}

struct answer stlf_found(const char *key, struct cell value, const char *unit, enum state state,
                         struct verdict verdict)
{
    const bool known = state == STATE_IDLE || state == STATE_ACTIVE;
    return (struct answer){.key = key,
                           .value = value,
                           .unit = unit,
                           .trust = verdict.trust,
                           .leg = verdict.leg,
                           .within = verdict.within,
                           .within_absolute = verdict.within_absolute,
                           .state = known ? state_names[state] : NULL};
}

struct answer stlf_estimated(const char *key, const struct estimate *estimate, struct verdict verdict)
{
    struct answer answer = answer_of(estimate, verdict);
    answer.key = key;
    answer.unit = "core cycles";
    return answer;
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

void stlf_say(struct stlf *stlf, struct answer answer, const char *format, ...)
{
    struct text text = {0};
    va_list list;
    va_start(list, format);
    text_vprintf(&text, format, list);
    va_end(list);
    add_state(stlf, answer.state, &text);
    answer.text = text.data;
    record_answer(stlf->run->record, answer);
    text_free(&text);
}

unsigned stlf_bytes_a_pair(const struct kernel *kernel)
{
    return kernel->sled.units ? (unsigned)(kernel->sled.end - kernel->sled.begin) / kernel->sled.units : 0;
}

struct stlf_levels stlf_levels_in(const struct stlf *stlf, enum state state)
{
    static const enum state others[] = {STATE_IDLE, STATE_ACTIVE, STATE_UNKNOWN, STATE_MIXED};
    struct stlf_levels levels = stlf->levels[state];
    if (levels.l1 > 0)
        return levels;
    levels = (struct stlf_levels){NAN, NAN, NAN, NAN, NAN, {{0}}};
    for (int i = 0; i < 4 && isnan(levels.l1); i++)
        levels.l1 = stlf->levels[others[i]].l1 > 0 ? stlf->levels[others[i]].l1 : NAN;
    return levels;
}

/* Where the address is late the load waits for a prediction, not for the data alone: of what takes longer than L1, only
 * a flush is plain beyond doubt. */
const char *stlf_word(const struct stlf_levels *levels, const struct stlf_point *point, double cycles)
{
    const struct kernel *kernel = point->kernel;
    const bool late =
        kernel->operation >= OPERATION_FORWARD_FD && kernel->operation <= OPERATION_FORWARD_FD_POINTER_APART;
    const struct geometry geometry = {
        .overlap = overlap_of(point->store, kernel->bits / 8, point->load, kernel->load_bits / 8)};
    if (isnan(cycles) || kernel->operation == OPERATION_LATENCY)
        return NULL;
    if (geometry.overlap != OVERLAP_NONE && isnan(levels->blocked) && !is_renamed(cycles, levels->l1))
        return NULL;
    const enum stlf_verdict verdict = verdict_of(levels, geometry, cycles);
    if (late && (verdict == VERDICT_FORWARDED || verdict == VERDICT_BLOCKED))
        return "served";
    return verdict_names[verdict];
}

struct stlf_set stlf_active_set(const struct stlf_set *set)
{
    struct stlf_set active = *set;
    active.count = set->both && set->state == STATE_IDLE ? set->count : 0;
    active.estimate = set->active;
    active.state = STATE_ACTIVE;
    active.both = false;
    active.second = true;
    return active;
}

void stlf_say_of(struct stlf *stlf, const struct stlf_set *set, struct answer answer, const char *text)
{
    const enum state said = stlf->said;
    if (!set->second) {
        stlf_say(stlf, answer, "%s", text);
        return;
    }
    if (answer.trust == TRUST_LOW)
        return;
    stlf->said = STATE_ACTIVE; /* by the sentence itself */
    stlf_say(stlf, answer, "%s while the sibling works", text);
    stlf->said = said;
}

/* What high trust allows within the core. */
static const double L1_OFF = 0.02;

bool stlf_is_plausible_l1(double cycles, bool idle, double published)
{
    return !(cycles < (1 - L1_OFF) * published) && !(idle && fabs(cycles - round(cycles)) > L1_OFF * cycles);
}

/* A value that no core has is none, and what it was is said. */
static void say_l1(struct stlf *stlf, const struct stlf_set *set, size_t point, double published)
{
    const struct estimate *e = &set->estimate[point];
    const struct verdict contradicted = {TRUST_LOW, LEG_PLAUSIBILITY};
    const struct verdict verdict = stlf_judge(set, e);
    struct text text = {0};
    char cycles[STLF_LABEL];
    const bool plausible = stlf_is_plausible_l1(e->value, set->state == STATE_IDLE, published);
    stlf_spell(e->value, cycles);
    if (plausible)
        text_printf(&text, "L1 hit: %s cycles load to use", cycles);
    else
        text_printf(&text, "L1 hit: unknown, as %.2f cycles are %s", e->value,
                    e->value < published ? "less than what is published of this core" : "no whole number");
    stlf_say_of(stlf, set,
                plausible
                    ? stlf_estimated("stlf.l1_latency", e, verdict)
                    : stlf_found("stlf.l1_latency", REAL_CELL(NAN), "core cycles", set->state, contradicted),
                text.data);
    text_free(&text);
}

void stlf_say_l1(struct stlf *stlf, const struct stlf_set *set, size_t point)
{
    const double published = published_least(cpu_core(stlf->run->cpu), "l1_latency");
    const struct stlf_set active = stlf_active_set(set);
    say_l1(stlf, set, point, published);
    if (active.count > 0)
        say_l1(stlf, &active, point, published);
}
