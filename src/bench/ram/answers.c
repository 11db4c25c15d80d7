/* SPDX-License-Identifier: MIT */
/* The answers of `ram`: the best kernel of every task on every working set. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ram.h"

/* Physical pages decide which lines compete in an L2, and each placement has others. */
enum { PLACEMENTS_LEAST = 3 };
/* A load with this share of memory's latency ran in memory, whatever the shown size of the cache. */
static const double NEARLY_MEMORY = 0.7;

/* The fewest cycles of a pass, by the bytes that the core moves in a cycle. NaN: no bound, as for microcode (which
 * libraries use, too): it may move whole lines. */
static double least_cycles(const struct ram_plan *plan, const struct ram_point *point)
{
    static const double CLOCK_ERROR = 0.02; /* of a reading, in steps of the tick */
    const struct ram_task *task = &ram_tasks[ram_task_of(point->kernel)];
    const double most = fmax(task->read / plan->loads, task->written / plan->stores); /* cycles of a byte */
    if (point->level != 1 || ram_is_latency(point) || !(most > 0) || isinf(most) ||
        point->kernel->method == METHOD_REP || point->kernel->method == METHOD_LIBC)
        return NAN;
    return (double)point->bytes * most * (1 - CLOCK_ERROR);
}

/* Neighbours move times beyond the core: there the plateau counts, in each quarter of the run. */
static struct verdict verdict_of(const struct ram_plan *plan, const struct ram_group *group,
                                 const struct ram_value *value)
{
    const struct ram_point *point = group->best;
    const bool near = ram_is_near(point), latency = ram_is_latency(point);
    const double memory_ns = ram_memory_ns(plan, point->set->crew, OPERATION_LATENCY);
    struct promise promise = near ? promise_core : promise_beyond;
    if (!latency)
        promise.absolute = 0;
    else if (!value->by_cycles)
        promise.absolute *= value->of[RAM_NS] / value->of[RAM_CYCLES];
    promise.placements = near ? PLACEMENTS_LEAST : WINDOWS;
    promise.floor = true;
    if (near && value->judged.state == STATE_MIXED)
        promise.refusal = LEG_PRECISION;
    /* Within three quarters of an hour neighbours moved the plateau of memory by a tenth, that of a cache never by 5 %. */
    if (!ram_in_cache(plan, point))
        promise.doubt = LEG_REPETITION;
    /* What several CPUs get of memory depends on the cores that the host gives them: one run sees one choice. */
    if (!ram_in_cache(plan, point) && point->set->crew->threads > 1)
        promise.refusal = LEG_REPETITION;
    if (group->implausible ||
        (latency && ram_in_cache(plan, point) && value->of[RAM_NS] > NEARLY_MEMORY * memory_ns))
        promise.refusal = LEG_PLAUSIBILITY;
    promise.at_least = value->by_cycles ? least_cycles(plan, point) : NAN;
    struct verdict verdict = trust_judge(&value->judged, &promise);
    verdict.within = promise.relative;
    return verdict;
}

/* Writes in which way a kernel does its task: "avx2", "avx2_streaming". */
static void add_way(struct text *text, const struct kernel *kernel)
{
    static const char ALIGNED[] = "_aligned";
    for (const char *at = kernel->name + strlen(ram_task_names[kernel->operation]) + 1; *at;)
        if (strncmp(at, ALIGNED, sizeof ALIGNED - 1) == 0)
            at += sizeof ALIGNED - 1;
        else
            text_printf(text, "%c", *at++);
}

/* Writes which kernels are alike, in so many words: "avx2, avx512 alike", "avx2 of 5 alike"; the name of a single one,
 * and where there is room for one word. */
static void add_ties(struct text *text, const struct ram_plan *plan, const struct ram_group *group,
                     size_t words)
{
    const struct ram_point *of = &plan->points[group->first];
    size_t ties = 0;
    for (size_t i = 0; i < group->rivals.count; i++)
        ties += of[i].tie;
    if (ties < 2 || words < 2) {
        text_add(text, group->best->kernel->name);
        return;
    }
    const bool all = ties < words;
    for (size_t i = 0, named = 0; i < group->rivals.count; i++)
        if (all ? of[i].tie : &of[i] == group->best && words > 3) {
            text_add(text, named++ ? ", " : "");
            add_way(text, of[i].kernel);
        }
    if (!all)
        text_printf(text, words > 3 ? " of %zu" : "%zu", ties);
    text_add(text, " alike");
}

/* Writes "31.9 B/cycle, sse2, avx2 alike" or, of two modes, "64.1 or 61.9 B/cycle, read_avx2_aligned" in six words at most; no
 * cycles without a valid reading of the core clock. */
static void add_kernels(struct text *text, const struct ram_plan *plan, const struct ram_group *group,
                        const struct ram_value *value)
{
    const double bytes = (double)ram_counted(group->best), slow = value->judged.mode[1];
    const bool has_cycles = !isnan(value->of[RAM_CYCLES]), has_modes = value->by_cycles && slow > 0;
    const bool is_each = has_cycles && group->best->set->crew->threads > 1;
    if (has_cycles)
        text_printf(text, "%.1f", bytes / value->of[RAM_CYCLES]);
    if (has_modes)
        text_printf(text, " or %.1f", bytes / slow);
    if (has_cycles)
        text_printf(text, " B/cycle%s, ", is_each ? " each" : "");
    add_ties(text, plan, group, (size_t)(6 - 2 * has_cycles - 2 * has_modes - is_each));
}

/* Records an answer in the row of its level or of the typed size; column NULL: not in the matrix. stores: of the kind of stores,
 * which has a key and a row of its own; or "". */
static void record_placed(struct record *record, const struct ram_plan *plan, const struct working_set *set,
                          const char *name, const char *column, const char *stores, struct answer answer)
{
    const bool of_all = ram_is_of_all(plan, set);
    char key[RAM_NAME + 32], slot[RAM_NAME + 32];
    struct text row = {0};
    if (!set->level)
        text_add_size(&row, (int64_t)set->bytes);
    else if (set->level <= plan->last_level)
        text_printf(&row, "L%d", set->level);
    else if (set->bytes && !ram_is_memory(plan, set))
        text_printf(&row, "L%d or DRAM", plan->last_level);
    else
        text_add(&row, "DRAM");
    for (char *at = row.data; (at = strchr(at, ' '));)
        *at = '_';
    snprintf(key, sizeof key, "ram.%s%s.%s%s%s", of_all ? "all." : "", row.data, name, *stores ? "_" : "",
             stores);
    snprintf(slot, sizeof slot, "memory/%s%s%s%s/%s", row.data, of_all ? "_all" : "", *stores ? "_" : "",
             stores, column ? column : "");
    answer.key = key;
    answer.slot = column ? slot : NULL;
    record_answer(record, answer);
    text_free(&row);
}

/* Converts ns of a pass or load to the printed value: ns of a load, or bytes a second of all threads. */
static double shown_of(const struct ram_point *point, double ns)
{
    return ram_is_latency(point) ? ns : (double)(ram_counted(point) * point->set->crew->threads) / ns * 1e9;
}

/* An end below zero makes the other one unknown, too. */
static void set_range(struct answer *answer, bool known, double one, double other)
{
    answer->low = known ? REAL_CELL(fmin(one, other)) : NO_CELL;
    answer->high = known ? REAL_CELL(fmax(one, other)) : NO_CELL;
}

/* The same passes by the traffic of the bus: plain stores read their lines first. */
static void add_allocated(struct record *record, const struct ram_plan *plan, const struct ram_point *point,
                          struct answer answer)
{
    const char *const task = ram_task_names[ram_task_of(point->kernel)];
    const double more = (double)(ram_traffic(point) + point->bytes) / (double)ram_counted(point);
    struct cell *const values[] = {&answer.value, &answer.low, &answer.high};
    struct text label = {0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i]->real *= more;
    for (size_t i = 0; i < answer.parts.count; i++)
        answer.parts.value[i] *= (float)more;
    text_printf(&label, "DRAM %s with write-allocate, ", task);
    text_add_size(&label, (int64_t)point->set->bytes);
    answer.label = label.data;
    answer.remark = NULL;
    record_placed(record, plan, point->set, task, task, "allocated", answer);
    text_free(&label);
}

/* The judged interval is that of a median and may be too wide to mean a bound: an answer of low trust has the range of the
 * run instead, as each beyond the core has, and none goes beyond all of a few samples. */
static void range_of(const struct estimate *judged, struct verdict verdict, double *low, double *high)
{
    const bool is_low = verdict_is_low(verdict);
    if (judged->state == STATE_MIXED || !is_low || !parts_range(&judged->parts, low, high)) {
        *low = judged->low;
        *high = judged->high;
    }
    *low = fmin(is_low ? fmax(*low, judged->summary.min) : *low, judged->value);
    *high = fmax(is_low ? fmin(*high, judged->summary.max) : *high, judged->value);
}

static void add_answer(struct record *record, const struct ram_plan *plan, const struct ram_group *group,
                       const struct ram_value *value)
{
    const struct ram_point *point = group->best;
    const enum operation operation = ram_task_of(point->kernel);
    const struct ram_task *task = &ram_tasks[operation];
    const struct estimate *judged = &value->judged;
    const struct verdict verdict = verdict_of(plan, group, value);
    struct answer answer = answer_of(judged, verdict), cycles = answer;
    struct text label = {0}, remark = {0};
    char level[RAM_NAME], set[RAM_NAME];
    double low, high;
    range_of(judged, verdict, &low, &high);
    ram_names(plan, point, level, set);
    /* In memory a mix of reads and writes depends on the kind of stores. */
    const bool is_apart = plan->apart && !ram_in_cache(plan, point) && task->stores && !task->in_place;
    const bool streams = point->kernel->store == ACCESS_STREAMING;
    const char *const stores = !is_apart ? "" : streams ? "streaming" : "plain";
    text_printf(&label, "%s %s%s%s, ", level, ram_task_names[operation], is_apart ? " " : "", stores);
    if (ram_is_of_all(plan, point->set))
        text_printf(&label, "all %" PRIu64 " CPUs, ", point->set->crew->threads);
    text_add_size(&label, (int64_t)point->set->bytes);
    text_add(&label, point->set->crew->threads > 1 ? " each" : "");
    if (!ram_is_latency(point))
        add_kernels(&remark, plan, group, value);
    else if (value->by_cycles && judged->mode[1] > 0)
        text_printf(&remark, "or %.1f cycles", judged->mode[1]);
    const double ns = value->of[RAM_NS] / judged->value; /* for one of the judged value */
    set_range(&answer, low > 0, shown_of(point, ns * low), shown_of(point, ns * high));
    for (size_t i = 0; i < answer.parts.count; i++)
        answer.parts.value[i] = (float)shown_of(point, ns * (double)judged->parts.value[i]);
    answer.label = label.data;
    answer.remark = remark.data;
    answer.unit = ram_is_latency(point) ? "ns" : "Byte/s";
    answer.value = REAL_CELL(shown_of(point, value->of[RAM_NS]));
    answer.ghz = value->of[RAM_CYCLES] / value->of[RAM_NS];
    /* A matrix of all tasks is wider than a screen; these two are as fast as reading. */
    const bool is_column = operation != OPERATION_AGG_OR && operation != OPERATION_COMPARE;
    record_placed(record, plan, point->set, ram_task_names[operation],
                  is_column ? ram_task_names[operation] : NULL, stores, answer);
    if (is_apart && !streams)
        add_allocated(record, plan, point, answer);
    if (ram_is_latency(point) && value->by_cycles) {
        text_free(&label);
        text_printf(&label, "%s cycles a load, ", level);
        text_add_size(&label, (int64_t)point->set->bytes);
        cycles.label = label.data;
        cycles.unit = "cycles";
        set_range(&cycles, low > 0, low, high);
        record_placed(record, plan, point->set, "latency_cycles", "cycles", "", cycles);
    }
    text_free(&label);
    text_free(&remark);
}

/* Adds an answer without a number: the size behind those of a crew's level, or why one is missing. Its unit is that of the column.
 * Of memory it is what was filled in time: another run may fill more. */
static void add_text(struct record *record, const struct ram_plan *plan, const struct working_set *set,
                     const char *name, const char *column, const char *unit, struct cell value,
                     const char *remark)
{
    const bool is_memory = set->level > plan->last_level, is_filled = is_memory && set->bytes > 0 && !remark;
    const enum leg leg = remark || is_filled ? LEG_REPETITION : LEG_NONE;
    struct text label = {0};
    text_printf(&label, is_memory ? "DRAM" : "L%d", set->level);
    text_printf(&label, " %s%s", name, ram_is_of_all(plan, set) ? ", all CPUs" : "");
    record_placed(record, plan, set, name, column, "",
                  (struct answer){.label = label.data,
                                  .value = value,
                                  .unit = unit,
                                  .remark = remark,
                                  .unpromised = is_filled,
                                  .trust = verdict_capped(LEG_NONE, leg).trust,
                                  .leg = leg});
    text_free(&label);
}

/* The groups of a task on a set; a default one without samples enough is an answer, too. */
static size_t add_task(struct record *record, const struct ram_plan *plan, enum operation operation,
                       const struct working_set *set)
{
    const char *const late = set->crew->threads > 1 ? "threads came late" : "not in time";
    const bool is_latency = operation == OPERATION_LATENCY;
    const char *const name = ram_task_names[operation];
    size_t answered = 0;
    for (const struct ram_group *group = plan->groups; group < plan->groups + plan->group_count; group++) {
        const struct ram_point *point = &plan->points[group->first];
        if (point->set != set || ram_task_of(point->kernel) != operation)
            continue;
        answered += group->best != NULL;
        if (group->best)
            add_answer(record, plan, group, &group->value);
        else if (set->level && record->answers.count > 0 && point->passes > 0) {
            add_text(record, plan, set, name, name, is_latency ? "ns" : "Byte/s", NO_CELL, late);
            if (is_latency && ram_is_near(point))
                add_text(record, plan, set, "latency_cycles", "cycles", "cycles", NO_CELL, late);
        }
        if (group->has_other)
            add_answer(record, plan, group, &group->other);
    }
    return answered;
}

/* Of a level the answers of one thread, then of all CPUs. The sibling's other state is an answer of its own. */
void ram_answers(struct record *record, const struct ram_plan *plan)
{
    static const enum operation order[] = {
        OPERATION_READ,  OPERATION_AGG_OR, OPERATION_WRITE, OPERATION_UPDATE,  OPERATION_COPY,
        OPERATION_SCALE, OPERATION_ADD,    OPERATION_TRIAD, OPERATION_COMPARE, OPERATION_LATENCY};
    for (int level = plan->sets[0].level ? 1 : 0; level <= (plan->sets[0].level ? plan->last_level + 1 : 0);
         level++)
        for (int crew = 0; crew < plan->crew_count; crew++) {
            struct working_set none = {.crew = &plan->crew[crew], .level = level};
            const struct working_set *of = &none;
            size_t answered = 0;
            struct text size = {0};
            for (const struct working_set *set = plan->sets; set < plan->sets + plan->set_count; set++)
                for (size_t i = 0; set->level == level && set->crew == of->crew && i < RAM_TASK_COUNT; i++) {
                    answered += add_task(record, plan, order[i], set);
                    none.bytes = set->bytes;
                }
            if (answered)
                text_add_size(&size, (int64_t)none.bytes);
            else
                text_add(&size, none.bytes ? "not in time" : "no room");
            if (level > 0 && record->answers.count > 0)
                add_text(record, plan, of, "size", "size", NULL, TEXT_CELL(size.data), NULL);
            text_free(&size);
        }
}
