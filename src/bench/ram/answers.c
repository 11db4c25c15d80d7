/* SPDX-License-Identifier: MIT */
/* The answers of `ram`: the best kernel of every task on every working set. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "engine/select.h"
#include "ram.h"

/* Which lines of an L2 compete is up to the physical pages, which are others in each placement. */
enum { PLACEMENTS_LEAST = 3 };
/* Windows of time in a guest. */
enum { WINDOWS_LEAST = 12 };

/* A chain that takes nearly as long as one in memory ran there, whatever the size of the cache is said to be. */
static const double NEARLY_MEMORY = 0.7;

const struct ram_point *ram_best(const struct ram_plan *plan, enum operation operation,
                                 const struct working_set *set)
{
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *point = &plan->points[i];
        if (point->fastest && point->kernel->operation == operation && point->set == set && !point->zero)
            return point;
    }
    return NULL;
}

/* Within the core, time follows the core clock, so what repeats, and what is judged, are cycles. */
static const struct estimate *judged_of(const struct ram_point *point)
{
    return &point->estimate[ram_is_near(point) && !isnan(point->estimate[RAM_CYCLES].value) ? RAM_CYCLES
                                                                                            : RAM_NS];
}

/* The fewest cycles that a pass can take, by what the core moves in one. Microcode, which libraries use, too, may move whole lines. NaN:
 * no bound. */
static double least_cycles(const struct ram_plan *plan, const struct ram_point *point)
{
    static const double CLOCK_ERROR = 0.02; /* of a reading, in steps of the tick */
    const enum operation operation = point->kernel->operation;
    const bool loads = operation != OPERATION_WRITE,
               stores = operation == OPERATION_WRITE || operation == OPERATION_COPY;
    const double most = fmin(loads ? plan->loads : INFINITY, stores ? plan->stores : INFINITY);
    if (point->level != 1 || ram_is_latency(point) || !(most > 0) || isinf(most) ||
        point->kernel->method == METHOD_REP || point->kernel->method == METHOD_LIBC)
        return NAN;
    return (double)point->bytes / most * (1 - CLOCK_ERROR);
}

static bool is_contradicted(const struct ram_plan *plan, const struct ram_point *point)
{
    const struct ram_point *memory = ram_plateau_of(plan, plan->last_level + 1).first;
    if (point->implausible || !ram_is_latency(point) || !ram_in_cache(plan, point))
        return point->implausible;
    return ram_plateau_of(plan, point->level).falls ||
           (memory && point->estimate[RAM_NS].value > NEARLY_MEMORY * memory->estimate[RAM_NS].value);
}

/* What moves time beyond the core are neighbours, and those of a guest are not seen: they come and go within minutes. */
static struct verdict verdict_of(const struct ram_plan *plan, const struct ram_point *point)
{
    static const struct verdict of_several_states = {.trust = TRUST_LOW, .leg = LEG_PRECISION};
    const struct estimate *judged = judged_of(point);
    const bool near = ram_is_near(point), cycles = judged == &point->estimate[RAM_CYCLES];
    const double cycle_ns = point->estimate[RAM_NS].value / point->estimate[RAM_CYCLES].value;
    struct promise promise = near ? promise_core : promise_beyond;
    promise.absolute = !ram_is_latency(point) ? 0 : promise.absolute * (cycles ? 1 : cycle_ns);
    promise.placements = near ? PLACEMENTS_LEAST : plan->guest ? WINDOWS_LEAST : 0;
    promise.contradicted = is_contradicted(plan, point);
    promise.at_least = cycles ? least_cycles(plan, point) : NAN;
    struct verdict verdict = trust_judge(judged, &promise);
    if (near && judged->state == STATE_MIXED)
        verdict = verdict_lesser(verdict, of_several_states);
    verdict.within = promise.relative;
    return verdict;
}

/* The value of an answer: ns of a load, or bytes a second of all threads. */
static double value_of(const struct ram_plan *plan, const struct ram_point *point, double ns)
{
    return ram_is_latency(point) ? ns : (double)(point->bytes * plan->threads) / ns * 1e9;
}

/* As a sentence has it, in ns or GiB/s. */
static double shown_of(const struct ram_point *point, double value)
{
    return ram_is_latency(point) ? value : value / 0x1p30;
}

struct extent {
    double low, high;
};

/* In the unit of the answer, of two values of what was judged. */
static struct extent extent_of(const struct ram_plan *plan, const struct ram_point *point, double low,
                               double high)
{
    const double unit = point->estimate[RAM_NS].value / judged_of(point)->value;
    const double first = value_of(plan, point, low * unit), second = value_of(plan, point, high * unit);
    return (struct extent){fmin(first, second), fmax(first, second)};
}

/* Where no reading of the core clock stands, there are no cycles. */
static void add_cycles(struct text *text, const struct ram_point *point)
{
    const double cycles = point->estimate[RAM_CYCLES].value;
    const bool latency = ram_is_latency(point);
    const char *unit = latency ? "core cycles" : "bytes/core cycle";
    if (isnan(cycles)) {
        text_printf(text, "unknown %s", unit);
        return;
    }
    text_printf(text, "%.1f %s", latency ? cycles : (double)point->bytes / cycles, unit);
    if (ram_is_near(point))
        text_printf(text, " at %.2f GHz", cycles / point->estimate[RAM_NS].value);
}

/* Nothing, or the state that the value is of, and the value of the other state where that was there, too. */
static void add_state(struct text *text, const struct ram_plan *plan, const struct ram_point *point)
{
    const enum state state = point->estimate[RAM_NS].state;
    if (!isnan(point->otherwise.value) && !point->implausible)
        text_printf(text, "; %.1f while the SMT sibling is %s",
                    shown_of(point, value_of(plan, point, point->otherwise.value)),
                    state == STATE_IDLE ? "active" : "idle");
    else if (state == STATE_MIXED && ram_is_near(point))
        text_add(text, " (whatever the SMT sibling did)");
    else if (state == STATE_ACTIVE)
        text_add(text, " (with the SMT sibling active)");
}

/* Nothing, or what longer chains of the level took. They are slow, so that neighbours take lines from them which a stream keeps:
 * where they get slower is no size of the cache. */
static void add_reach(struct text *text, const struct ram_plan *plan, const struct ram_point *point)
{
    const struct ram_plateau plateau = ram_plateau_of(plan, point->level);
    if (!point->set->level || !ram_in_cache(plan, point))
        return;
    if (plateau.falls) {
        text_add(text, ", no plateau: a longer chain took less");
        return;
    }
    if (plateau.holds != point->footprint) {
        text_add(text, ", a chain of ");
        text_add_size_rounded(text, (int64_t)plateau.holds);
        text_add(text, " likewise");
    }
    if (!plateau.after)
        return;
    const double ns = plateau.after->estimate[RAM_NS].value;
    text_add(text, ", one of ");
    text_add_size_rounded(text, (int64_t)plateau.after->footprint);
    text_printf(text, " %.*f ns", text_decimals(ns), ns);
}

static void add_sentence(struct text *text, const struct ram_plan *plan, const struct ram_point *point,
                         enum trust trust)
{
    const double value = shown_of(point, value_of(plan, point, point->estimate[RAM_NS].value));
    const bool latency = ram_is_latency(point);
    const char *between = "; alike: ";
    char level[RAM_NAME];
    double low, high;
    ram_level(plan, point, level);
    text_printf(text, "%s %s (", level, ram_task_names[point->kernel->operation]);
    text_add_size(text, (int64_t)point->set->bytes);
    text_printf(text, "): %.*f %s", text_decimals(value), value, latency ? "ns" : "GiB/s");
    if ((trust == TRUST_LOW || !ram_is_near(point)) && parts_range(&judged_of(point)->parts, &low, &high)) {
        const struct extent extent = extent_of(plan, point, low, high);
        low = shown_of(point, extent.low);
        high = shown_of(point, extent.high);
        text_printf(text, " (%.*f to %.*f over the run)", text_decimals(low), low, text_decimals(high), high);
    }
    text_add(text, ", ");
    add_cycles(text, point);
    if (latency)
        add_reach(text, plan, point);
    else
        text_printf(text, "%s, by %s", plan->threads > 1 ? " on each core" : "", point->kernel->name);
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *other = &plan->points[i];
        if (other == point || !other->alike || !ram_rivals(other, point))
            continue;
        text_printf(text, "%s%s", between, other->kernel->name);
        between = ", ";
    }
    add_state(text, plan, point);
}

/* An interval that is judged is that of a median, which knows no bound where it is wide; what is not trusted has the range of the run
 * instead. Where one reaches below zero, its other end is unknown, too. */
static void set_interval(const struct ram_plan *plan, const struct ram_point *point, struct answer *answer)
{
    const struct estimate *judged = judged_of(point);
    double low, high;
    if (answer->trust != TRUST_LOW || !parts_range(&judged->parts, &low, &high)) {
        low = judged->low;
        high = judged->high;
    }
    const struct extent extent = extent_of(plan, point, fmin(low, judged->value), fmax(high, judged->value));
    answer->low = low > 0 ? REAL_CELL(extent.low) : NO_CELL;
    answer->high = low > 0 ? REAL_CELL(extent.high) : NO_CELL;
    for (size_t i = 0; i < answer->parts.count; i++) {
        const double part = (double)judged->parts.value[i];
        answer->parts.value[i] = (float)extent_of(plan, point, part, part).low;
    }
}

static void add_answer(struct record *record, const struct ram_plan *plan, const struct ram_point *point)
{
    const double ns = point->estimate[RAM_NS].value;
    const char *task = ram_task_names[point->kernel->operation];
    struct answer answer = answer_of(judged_of(point), verdict_of(plan, point));
    struct text text = {0};
    char key[128];
    add_sentence(&text, plan, point, answer.trust);
    if (!point->set->level)
        snprintf(key, sizeof key, "ram.%s.%s", point->set->label, task);
    else if (ram_in_cache(plan, point))
        snprintf(key, sizeof key, "ram.L%d.%s", point->level, task);
    else
        snprintf(key, sizeof key, "ram.DRAM.%s", task);
    answer.key = key;
    answer.text = text.data;
    answer.unit = ram_is_latency(point) ? "ns" : "Byte/s";
    answer.value = REAL_CELL(value_of(plan, point, ns));
    answer.ghz = point->estimate[RAM_CYCLES].value / ns;
    set_interval(plan, point, &answer);
    record_answer(record, answer);
    text_free(&text);
}

/* Of the default chains of a level the smallest alone is an answer. */
void ram_answers(struct record *record, const struct ram_plan *plan)
{
    static const enum operation order[] = {OPERATION_READ, OPERATION_AGG_OR,  OPERATION_WRITE,
                                           OPERATION_COPY, OPERATION_COMPARE, OPERATION_LATENCY};
    for (int set = 0; set < plan->set_count; set++)
        for (size_t i = 0; i < RAM_TASK_COUNT; i++) {
            const struct ram_point *best = ram_best(plan, order[i], &plan->sets[set]);
            if (best && (!ram_is_latency(best) || !best->set->level ||
                         best == ram_plateau_of(plan, best->level).first))
                add_answer(record, plan, best);
        }
}
