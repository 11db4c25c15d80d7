/* SPDX-License-Identifier: MIT */
/* What `ram` says: the best kernel of every task on every working set. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "ram.h"

static const double GIB = 1 << 30;

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

/* The latency of memory, where it was measured; NaN where not. */
static double memory_seconds(const struct ram_plan *plan)
{
    const struct ram_point *memory = ram_plateau_of(plan, plan->last_level + 1).first;
    return memory ? memory->seconds_of_pass.value : NAN;
}

/* Beyond the core another run finds what parts of this one found, all but the extreme ones. */
static void widen_to_parts(struct estimate *e)
{
    double low, high;
    if (!ram_range(&e->parts, &low, &high))
        return;
    e->low = fmin(e->low, low);
    e->high = fmax(e->high, high);
}

bool ram_range(const struct parts *parts, double *low, double *high)
{
    double value[PARTS_MOST] = {0};
    for (size_t i = 0; i < parts->count; i++)
        value[i] = (double)parts->value[i];
    *low = quantile_of(value, parts->count, 0.1);
    *high = quantile_of(value, parts->count, 0.9);
    return parts->count > 0;
}

/* Within the core, time follows the core clock, so what repeats, and what is judged, are cycles; they are given as the time
 * that they take at the clock of the samples. */
static struct estimate judged_of(const struct ram_point *point)
{
    struct estimate e = point->cycles_of_pass;
    if (!ram_is_near(point) || isnan(e.value)) {
        e = point->seconds_of_pass;
        if (!ram_is_near(point))
            widen_to_parts(&e);
        return e;
    }
    const double cycle_s = point->seconds_of_pass.value / e.value;
    double *const scaled[] = {&e.value,  &e.low,           &e.high,          &e.first,
                              &e.second, &e.placement_low, &e.placement_high};
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        *scaled[i] *= cycle_s;
    for (size_t i = 0; i < e.parts.count; i++)
        e.parts.value[i] *= (float)cycle_s;
    return e;
}

/* What moves time beyond the core are neighbours, and those of a guest are not seen: they come and go within minutes. */
static unsigned placements_of(const struct ram_plan *plan, const struct ram_point *point)
{
    return ram_is_near(point) ? PLACEMENTS_LEAST : plan->guest ? WINDOWS_LEAST : 0;
}

static bool is_contradicted(const struct ram_plan *plan, const struct ram_point *point, double seconds)
{
    if (point->implausible || !ram_is_latency(point) || !ram_in_cache(plan, point))
        return point->implausible;
    return seconds > NEARLY_MEMORY * memory_seconds(plan) || ram_plateau_of(plan, point->level).falls;
}

/* The fewest seconds that a pass can take at the clock of the samples: by what the core moves in a cycle. Microcode, which
 * libraries use, too, may move whole lines. NaN: no bound. */
static double least_seconds(const struct ram_plan *plan, const struct ram_point *point)
{
    static const double CLOCK_ERROR = 0.02; /* of a reading, in steps of the tick */
    const enum operation operation = point->kernel->operation;
    const bool loads = operation != OPERATION_WRITE,
               stores = operation == OPERATION_WRITE || operation == OPERATION_COPY;
    const double most = fmin(loads ? plan->loads : INFINITY, stores ? plan->stores : INFINITY);
    if (point->level != 1 || ram_is_latency(point) || !(most > 0) || isinf(most) ||
        point->kernel->method == METHOD_REP || point->kernel->method == METHOD_LIBC)
        return NAN;
    const double cycle_s = point->seconds_of_pass.value / point->cycles_of_pass.value;
    return (double)point->bytes / most * cycle_s * (1 - CLOCK_ERROR);
}

static struct verdict verdict_in(const struct ram_plan *plan, const struct ram_point *point,
                                 const struct estimate *seconds)
{
    static const struct verdict of_several_states = {.trust = TRUST_LOW, .leg = LEG_PRECISION};
    /* Neighbours and other clocks move L3 and memory. */
    struct promise promise = ram_is_near(point) ? promise_core : promise_beyond;
    promise.absolute = 0;
    promise.placements = placements_of(plan, point);
    if (ram_is_latency(point))
        promise.absolute = 0.1 * point->seconds_of_pass.value / point->cycles_of_pass.value;
    promise.contradicted = is_contradicted(plan, point, seconds->value);
    promise.at_least = least_seconds(plan, point);
    struct verdict verdict = trust_judge(seconds, &promise);
    if (ram_is_near(point) && seconds->state == STATE_MIXED)
        verdict = verdict_lesser(verdict, of_several_states);
    verdict.within = promise.relative;
    return verdict;
}

/* The value of an answer: ns of a load, or GiB/s of all threads. */
static double value_of(const struct ram_plan *plan, const struct ram_point *point, double seconds)
{
    return ram_is_latency(point) ? seconds * 1e9 : (double)(point->bytes * plan->threads) / GIB / seconds;
}

/* Where no reading of the core clock stands, there are no cycles. */
static void add_cycles(struct text *text, const struct ram_point *point)
{
    const struct estimate *cycles = &point->cycles_of_pass;
    const bool latency = ram_is_latency(point);
    const char *unit = latency ? "core cycles" : "bytes/core cycle";
    const double ghz = cycles->value / point->seconds_of_pass.value * 1e-9;
    if (isnan(cycles->value))
        text_printf(text, "unknown %s", unit);
    else
        text_printf(text, "%.1f %s", latency ? cycles->value : (double)point->bytes / cycles->value, unit);
    if (!isnan(cycles->value) && ram_is_near(point))
        text_printf(text, " at %.2f GHz", ghz);
}

/* Nothing, or the state that the value is of, and the value of the other state where that was there, too. */
static void add_state(struct text *text, const struct ram_plan *plan, const struct ram_point *point)
{
    const enum state state = point->seconds_of_pass.state;
    if (!isnan(point->otherwise.value) && !point->implausible)
        text_printf(text, "; %.1f while the SMT sibling is %s", value_of(plan, point, point->otherwise.value),
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
    text_add(text, ", one of ");
    text_add_size_rounded(text, (int64_t)plateau.after->footprint);
    text_printf(text, " %.*f ns", text_decimals(plateau.after->seconds_of_pass.value * 1e9),
                plateau.after->seconds_of_pass.value * 1e9);
}

/* Those that are as fast, as far as can be told. */
static void add_alike(struct text *text, const struct ram_plan *plan, const struct ram_point *best)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *point = &plan->points[i];
        if (point != best && point->alike && ram_rivals(point, best))
            text_printf(text, "%s%s", count++ ? ", " : "; alike: ", point->kernel->name);
    }
}

/* Of what a later run cannot be expected to repeat, what parts of this one came to. */
static void add_range(struct text *text, const struct ram_plan *plan, const struct ram_point *point,
                      const struct estimate *seconds)
{
    double low, high;
    if (!ram_range(&seconds->parts, &low, &high))
        return;
    const double first = value_of(plan, point, low), second = value_of(plan, point, high);
    text_printf(text, " (%.*f to %.*f over the run)", text_decimals(fmin(first, second)), fmin(first, second),
                text_decimals(fmax(first, second)), fmax(first, second));
}

static void add_sentence(struct text *text, const struct ram_plan *plan, const struct ram_point *point,
                         const struct estimate *seconds, enum trust trust)
{
    const double value = value_of(plan, point, seconds->value);
    const bool latency = ram_is_latency(point);
    text_printf(text, "%s %s (", ram_level(plan, point), ram_task_names[point->kernel->operation]);
    text_add_size(text, (int64_t)point->set->bytes);
    text_printf(text, "): %.*f %s", text_decimals(value), value, latency ? "ns" : "GiB/s");
    if (trust == TRUST_LOW || !ram_is_near(point))
        add_range(text, plan, point, seconds);
    text_add(text, ", ");
    add_cycles(text, point);
    if (latency)
        add_reach(text, plan, point);
    else
        text_printf(text, "%s, by %s", plan->threads > 1 ? " on each core" : "", point->kernel->name);
    add_alike(text, plan, point);
    add_state(text, plan, point);
}

static void key_of(const struct ram_plan *plan, const struct ram_point *point, char key[128])
{
    const char *task = ram_task_names[point->kernel->operation];
    if (!point->set->level)
        snprintf(key, 128, "ram.%s.%s", point->set->label, task);
    else if (ram_in_cache(plan, point))
        snprintf(key, 128, "ram.L%d.%s", point->level, task);
    else
        snprintf(key, 128, "ram.DRAM.%s", task);
}

/* An interval that is judged is that of a median, which knows no bound where it is wide; what is not trusted has the range of the run
 * instead. Where one reaches below zero, its other end is unknown, too. */
static void set_interval(const struct ram_plan *plan, const struct ram_point *point,
                         const struct estimate *seconds, struct answer *answer)
{
    const double unit = ram_is_latency(point) ? 1 : GIB;
    double low = seconds->low, high = seconds->high;
    if (answer->trust == TRUST_LOW && seconds->parts.count > 0) {
        ram_range(&seconds->parts, &low, &high);
        low = fmin(low, seconds->value);
        high = fmax(high, seconds->value);
    }
    const double first = value_of(plan, point, low), second = value_of(plan, point, high);
    answer->low = low > 0 ? REAL_CELL(unit * fmin(first, second)) : NO_CELL;
    answer->high = low > 0 ? REAL_CELL(unit * fmax(first, second)) : NO_CELL;
}

static void say(struct record *record, const struct ram_plan *plan, const struct ram_point *point)
{
    const bool latency = ram_is_latency(point);
    const struct estimate seconds = judged_of(point);
    const double unit = latency ? 1 : GIB;
    const struct verdict verdict = verdict_in(plan, point, &seconds);
    struct answer answer = answer_of(&seconds, verdict);
    char key[128];
    struct text text = {0};
    add_sentence(&text, plan, point, &seconds, verdict.trust);
    key_of(plan, point, key);
    answer.key = key;
    answer.text = text.data;
    answer.unit = latency ? "ns" : "Byte/s";
    answer.value = REAL_CELL(unit * value_of(plan, point, seconds.value));
    set_interval(plan, point, &seconds, &answer);
    answer.ghz = point->cycles_of_pass.value / seconds.value * 1e-9;
    for (size_t i = 0; i < answer.parts.count; i++)
        answer.parts.value[i] = (float)(unit * value_of(plan, point, seconds.parts.value[i]));
    record_answer(record, answer);
    text_free(&text);
}

/* Of the default chains of a level the smallest alone is said. */
static bool says_level(const struct ram_plan *plan, const struct ram_point *point)
{
    return !ram_is_latency(point) || !point->set->level || point == ram_plateau_of(plan, point->level).first;
}

static enum operation said_at(unsigned place)
{
    enum operation operation = 0;
    while (ram_tasks[operation].said != place)
        operation++;
    return operation;
}

void ram_answers(struct record *record, const struct ram_plan *plan)
{
    for (int set = 0; set < plan->set_count; set++)
        for (unsigned place = 0; place < RAM_TASK_COUNT; place++) {
            const struct ram_point *best = ram_best(plan, said_at(place), &plan->sets[set]);
            if (best && best->measured && says_level(plan, best))
                say(record, plan, best);
        }
}
