/* SPDX-License-Identifier: MIT */
/* The answers of `ram`: the best kernel of every task on every working set. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "ram.h"

/* Which lines of an L2 compete is up to the physical pages, which are others in each placement. */
enum { PLACEMENTS_LEAST = 3 };
/* Windows of time in a guest. */
enum { WINDOWS_LEAST = 12 };

/* A chain that takes nearly as long as one in memory ran there, whatever size of the cache is shown. */
static const double NEARLY_MEMORY = 0.7;

/* Within the core, time follows the core clock, so what repeats, and what is judged, are cycles. */
static const struct estimate *judged_of(const struct ram_point *point, const struct estimate e[RAM_WIDTH])
{
    return ram_is_near(point) && !isnan(e[RAM_CYCLES].value) ? &e[RAM_CYCLES] : &e[RAM_NS];
}

/* The fewest cycles that a pass can take, by what the core moves in one. Microcode, which libraries use, too, may move whole lines. NaN:
 * no bound. */
static double least_cycles(const struct ram_plan *plan, const struct ram_point *point)
{
    static const double CLOCK_ERROR = 0.02; /* of a reading, in steps of the tick */
    const struct ram_task *task = &ram_tasks[point->kernel->operation];
    const double most = fmin(task->loads ? plan->loads : INFINITY, task->stores ? plan->stores : INFINITY);
    if (point->level != 1 || ram_is_latency(point) || !(most > 0) || isinf(most) ||
        point->kernel->method == METHOD_REP || point->kernel->method == METHOD_LIBC)
        return NAN;
    return (double)point->bytes / most * (1 - CLOCK_ERROR);
}

/* What moves time beyond the core are neighbours, and those of a guest are not seen: they come and go within minutes. */
static struct verdict verdict_of(const struct ram_plan *plan, const struct ram_group *group,
                                 const struct estimate e[RAM_WIDTH])
{
    const struct ram_point *point = group->best;
    const struct estimate *judged = judged_of(point, e);
    const struct ram_plateau memory = ram_plateau_of(plan, plan->last_level + 1);
    const bool near = ram_is_near(point), cycles = judged == &e[RAM_CYCLES];
    struct promise promise = near ? promise_core : promise_beyond;
    promise.absolute *= !ram_is_latency(point) ? 0 : cycles ? 1 : e[RAM_NS].value / e[RAM_CYCLES].value;
    promise.placements = near ? PLACEMENTS_LEAST : plan->guest ? WINDOWS_LEAST : 0;
    if (near && judged->state == STATE_MIXED)
        promise.refusal = LEG_PRECISION;
    if (group->implausible || (ram_is_latency(point) && ram_in_cache(plan, point) &&
                               (ram_plateau_of(plan, point->level).falls ||
                                (memory.first && e[RAM_NS].value > NEARLY_MEMORY * memory.first_ns))))
        promise.refusal = LEG_PLAUSIBILITY;
    promise.at_least = cycles ? least_cycles(plan, point) : NAN;
    struct verdict verdict = trust_judge(judged, &promise);
    verdict.within = promise.relative;
    return verdict;
}

/* "12 cycles, also 256 KiB; 1 MiB: 16.3 ns": longer chains of the level. They are slow, so that neighbours take lines from them which a
 * stream keeps: where they get slower is no size of the cache. */
static void add_reach(struct text *text, const struct ram_plan *plan, const struct ram_point *point)
{
    const struct ram_plateau plateau = ram_plateau_of(plan, point->level);
    if (!point->set->level || !ram_in_cache(plan, point))
        return;
    if (plateau.falls) {
        text_add(text, ", no plateau");
        return;
    }
    if (plateau.holds != point->footprint) {
        text_add(text, ", also ");
        text_add_size_rounded(text, (int64_t)plateau.holds);
    }
    if (!plateau.after)
        return;
    text_add(text, "; ");
    text_add_size_rounded(text, (int64_t)plateau.after);
    text_printf(text, ": %.*f ns", plateau.after_ns < 10 ? 2 : 1, plateau.after_ns);
}

/* Where no reading of the core clock stands, there are no cycles. */
static void add_remark(struct text *text, const struct ram_plan *plan, const struct ram_group *group,
                       double cycles)
{
    const struct ram_point *point = group->best, *tie = NULL;
    const bool latency = ram_is_latency(point);
    const char *unit = latency ? "cycles" : plan->threads > 1 ? "B/cycle each, " : "B/cycle, ";
    size_t ties = 0;
    if (!isnan(cycles))
        text_printf(text, "%.1f %s", latency ? cycles : (double)point->bytes / cycles, unit);
    if (latency)
        add_reach(text, plan, point);
    else
        text_add(text, point->kernel->name);
    for (size_t i = group->first; i < group->first + group->rivals.count; i++)
        if (&plan->points[i] != point && plan->points[i].tie && ++ties)
            tie = &plan->points[i];
    if (ties == 1)
        text_printf(text, " or %s", tie->kernel->name);
    else if (ties > 1)
        text_printf(text, " or %zu more", ties);
}

/* The value of an answer: ns of a load, or bytes a second of all threads. */
static double value_of(const struct ram_plan *plan, const struct ram_point *point, double ns)
{
    return ram_is_latency(point) ? ns : (double)(point->bytes * plan->threads) / ns * 1e9;
}

/* An interval that is judged is that of a median, which knows no bound where it is wide; what is not trusted has the range of the run
 * instead. Where one reaches below zero, its other end is unknown, too. */
static void add_answer(struct record *record, const struct ram_plan *plan, const struct ram_group *group,
                       const struct estimate e[RAM_WIDTH])
{
    const struct ram_point *point = group->best;
    const struct estimate *judged = judged_of(point, e);
    const char *task = ram_task_names[point->kernel->operation];
    const struct verdict verdict = verdict_of(plan, group, e);
    struct answer answer = answer_of(judged, verdict);
    struct text key = {0}, label = {0}, remark = {0}, row = {0}, slot = {0};
    char level[RAM_NAME];
    if (!point->set->level)
        text_add_size(&row, (int64_t)point->set->bytes);
    else if (ram_in_cache(plan, point))
        text_printf(&row, "L%d", point->level);
    else
        text_add(&row, "DRAM");
    text_printf(&key, "ram.%s.%s", row.data, task);
    text_printf(&slot, "memory/%s/%s", row.data, task);
    for (char *at = slot.data; (at = strchr(at, ' '));)
        *at = '_';
    ram_level(plan, point, level);
    text_printf(&label, "%s %s, ", level, task);
    text_add_size(&label, (int64_t)point->set->bytes);
    add_remark(&remark, plan, group, e[RAM_CYCLES].value);
    answer.key = key.data;
    answer.label = label.data;
    answer.slot = slot.data;
    answer.remark = remark.data;
    answer.unit = ram_is_latency(point) ? "ns" : "Byte/s";
    answer.value = REAL_CELL(value_of(plan, point, e[RAM_NS].value));
    answer.ghz = e[RAM_CYCLES].value / e[RAM_NS].value;
    const double ns = e[RAM_NS].value / judged->value; /* of what was judged */
    double low, high;
    if (!verdict_is_low(verdict) || !parts_range(&judged->parts, &low, &high)) {
        low = judged->low;
        high = judged->high;
    }
    const double first = value_of(plan, point, ns * fmin(low, judged->value)),
                 second = value_of(plan, point, ns * fmax(high, judged->value));
    answer.low = low > 0 ? REAL_CELL(fmin(first, second)) : NO_CELL;
    answer.high = low > 0 ? REAL_CELL(fmax(first, second)) : NO_CELL;
    for (size_t i = 0; i < answer.parts.count; i++)
        answer.parts.value[i] = (float)value_of(plan, point, ns * (double)judged->parts.value[i]);
    record_answer(record, answer);
    text_free(&key);
    text_free(&label);
    text_free(&remark);
    text_free(&row);
    text_free(&slot);
}

/* Of the default chains of a level the smallest alone is an answer. The other state of the sibling is an answer of its own. */
void ram_answers(struct record *record, const struct ram_plan *plan)
{
    static const enum operation order[] = {OPERATION_READ, OPERATION_AGG_OR,  OPERATION_WRITE,
                                           OPERATION_COPY, OPERATION_COMPARE, OPERATION_LATENCY};
    for (int set = 0; set < plan->set_count; set++)
        for (size_t i = 0; i < RAM_TASK_COUNT; i++) {
            const struct ram_group *group = ram_group_of(plan, order[i], &plan->sets[set]);
            if (!group || (ram_is_latency(group->best) && group->best->set->level &&
                           group->best->footprint != ram_plateau_of(plan, group->best->level).first))
                continue;
            add_answer(record, plan, group, group->estimate);
            if (!isnan(group->otherwise[RAM_NS].value))
                add_answer(record, plan, group, group->otherwise);
        }
}
