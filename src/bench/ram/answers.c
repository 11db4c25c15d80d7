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

/* The fewest cycles of a pass, by the bytes that the core moves in a cycle. NaN: no bound, as for
 * microcode (which libraries use, too): it may move whole lines. */
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
    const double memory_ns = ram_ns(plan, OPERATION_LATENCY, point->set->crew, NULL);
    struct promise promise = near ? promise_core : promise_beyond;
    if (!latency)
        promise.absolute = 0;
    else if (!value->by_cycles)
        promise.absolute *= value->of[RAM_NS] / value->of[RAM_CYCLES];
    promise.placements = near ? PLACEMENTS_LEAST : WINDOWS;
    promise.floor = true;
    if ((near && value->judged.state == STATE_MIXED) || group->of_some)
        promise.refusal = LIMITED_BY_PRECISION;
    /* Within three quarters of an hour neighbours moved the plateau of memory by a tenth (46 runs, Zen 4
     * guest: 14 of 95 pairs beyond 5 %). */
    if (!ram_in_cache(plan, point))
        promise.doubt = LIMITED_BY_REPETITION;
    /* In a guest the host chooses which neighbours share an L3, and for how long: of 5 MiB each run had a
     * steady rate, for 4 to 20 s the same, and 62 of 105 pairs of copies of high trust were further apart
     * than 5 %, 48 of 120 of high or medium trust further than 10 % (58.6, 54.6, 49.0 GB/s: 15.9 bytes a
     * cycle at 3.7 and 3.4 GHz, then 14.7; Zen 5 guest, 20 runs). On a Zen 4 guest none of 1,505 pairs
     * was. */
    if (plan->guest && !near && ram_in_cache(plan, point))
        promise.refusal = LIMITED_BY_REPETITION;
    /* What several CPUs get of memory depends on the cores that the host gives them, and one run sees one
     * choice: writes by all CPUs were steady at 32 or 68 GB/s and broke medium trust in 4 of 250 pairs
     * (Zen 5 guest, 10 runs). */
    if (!ram_in_cache(plan, point) && point->set->crew->threads > 1)
        promise.refusal = LIMITED_BY_REPETITION;
    if (group->implausible ||
        (latency && ram_in_cache(plan, point) && value->of[RAM_NS] > NEARLY_MEMORY * memory_ns))
        promise.refusal = LIMITED_BY_PLAUSIBILITY;
    promise.at_least = value->by_cycles ? least_cycles(plan, point) : NAN;
    struct verdict verdict = trust_judge(&value->judged, &promise);
    verdict.within = promise.relative;
    return verdict;
}

static const char *kept(struct record *record, struct text *text)
{
    const char *copy = record_text(record, "%s", text->data ? text->data : "");
    text_free(text);
    return copy;
}

static const char *size_text(struct record *record, uint64_t bytes)
{
    struct text text = {0};
    text_add_size(&text, (int64_t)bytes);
    return kept(record, &text);
}

/* Writes which kernels are alike, in so many words: "avx2, avx512 alike", "avx2 of 5 alike", "5 alike";
 * the name of a single one, and where there is room for one word. */
static void add_ties(struct text *text, const struct ram_plan *plan, const struct ram_group *group,
                     size_t words)
{
    const struct ram_point *of = &plan->points[group->first];
    size_t ties = 0, named = 0;
    for (size_t i = 0; i < group->candidates.count; i++)
        ties += of[i].tie;
    if (ties < 2 || words < 2) {
        text_add(text, group->best->kernel->name);
        return;
    }
    const bool all = ties < words;
    for (size_t i = 0; i < group->candidates.count; i++)
        if (all ? of[i].tie : &of[i] == group->best && words > 3) {
            text_add(text, named++ ? ", " : "");
            /* The way in which it does its task: "avx2", "avx2_streaming". */
            static const char ALIGNED[] = "_aligned";
            for (const char *at = of[i].kernel->name + strlen(ram_task_names[of[i].kernel->operation]) + 1;
                 *at;)
                if (strncmp(at, ALIGNED, sizeof ALIGNED - 1) == 0)
                    at += sizeof ALIGNED - 1;
                else
                    text_add_bytes(text, at++, 1);
        }
    if (!all)
        text_printf(text, words > 3 ? " of %zu" : "%zu", ties);
    text_add(text, " alike");
}

/* "31.9 B/cycle, sse2, avx2 alike" or, of two modes, "64.1 or 61.9 B/cycle, read_avx2_aligned", in six
 * words at most; no cycles without a valid reading of the core clock. Of a latency the second mode alone.
 * NULL: nothing. */
static const char *remark_of(struct record *record, const struct ram_plan *plan,
                             const struct ram_group *group, const struct ram_value *value)
{
    const double bytes = (double)ram_counted(group->best), slow = value->judged.mode[1];
    const bool has_cycles = !isnan(value->of[RAM_CYCLES]), has_modes = value->by_cycles && slow > 0;
    const bool is_each = has_cycles && group->best->set->crew->threads > 1;
    struct text text = {0};
    if (ram_is_latency(group->best))
        return has_modes ? record_text(record, "or %.1f cycles", slow) : NULL;
    if (has_cycles)
        text_printf(&text, "%.1f", bytes / value->of[RAM_CYCLES]);
    if (has_modes)
        text_printf(&text, " or %.1f", bytes / slow);
    if (has_cycles)
        text_printf(&text, " B/cycle%s, ", is_each ? " each" : "");
    add_ties(&text, plan, group, (size_t)(6 - 2 * has_cycles - 2 * has_modes - is_each));
    return kept(record, &text);
}

/* Names the row of a set: its level, or the size where that was typed or the level is not shown. */
static void row_of(struct record *record, const struct ram_plan *plan, const struct working_set *set,
                   char row[RAM_NAME])
{
    const bool may_be_cached = set->level > plan->last_level && set->bytes && !ram_is_memory(set);
    row[0] = '\0';
    if (set->level)
        ram_level_name(plan, set, set->level - may_be_cached, set->level, set->bytes, row);
    if (!*row)
        snprintf(row, RAM_NAME, "%s", size_text(record, set->bytes));
}

/* Records an answer in the row of its level or of the typed size; column NULL: not in the matrix. stores:
 * of the kind of stores, which has a key and a row of its own; or "". */
static void record_placed(struct record *record, const struct ram_plan *plan, const struct working_set *set,
                          const char *name, const char *column, const char *stores, struct answer answer)
{
    const bool of_all = ram_is_of_all(plan, set);
    const char *const between = *stores ? "_" : "";
    char row[RAM_NAME];
    row_of(record, plan, set, row);
    for (char *at = row; (at = strchr(at, ' '));)
        *at = '_';
    answer.key = record_text(record, "ram.%s%s.%s%s%s", of_all ? "all." : "", row, name, between, stores);
    answer.sheet_cell =
        column ? record_text(record, "memory/%s%s%s%s/%s", row, of_all ? "_all" : "", between, stores, column)
               : NULL;
    answer.kind = *plan->kind && set->crew->threads == 1 ? plan->kind : NULL;
    record_answer(record, answer);
}

/* The judged interval is that of a median and may be too wide to mean a bound: an answer of low trust has
 * the range of the run instead, as each beyond the core has, and none goes beyond all of a few samples, or
 * below `least`, which is NaN where nothing bounds it. */
static void range_of(const struct estimate *judged, struct verdict verdict, double least, double *low,
                     double *high)
{
    const bool is_low = verdict_is_low(verdict);
    if (judged->state == STATE_MIXED || !is_low || !parts_range(&judged->parts, low, high)) {
        *low = judged->low;
        *high = judged->high;
    }
    *low = fmin(fmax(is_low ? fmax(*low, judged->summary.min) : *low, least), judged->value);
    *high = fmax(is_low ? fmin(*high, judged->summary.max) : *high, judged->value);
}

/* Turns values into others, each into so many times as much or, of a rate, so much divided by it. */
static void convert(struct answer *answer, double times, bool is_rate)
{
    struct cell *const values[] = {&answer->value, is_rate ? &answer->high : &answer->low,
                                   is_rate ? &answer->low : &answer->high};
    const struct answer old = *answer;
    const double of[] = {old.value.real, old.low.real, old.high.real};
    for (size_t i = 0; i < 3; i++)
        values[i]->real = is_rate ? times / of[i] : times * of[i];
    for (size_t i = 0; i < answer->parts.count; i++)
        answer->parts.value[i] =
            (float)(is_rate ? times / (double)old.parts.value[i] : times * (double)old.parts.value[i]);
}

static void add_answer(struct record *record, const struct ram_plan *plan, const struct ram_group *group,
                       const struct ram_value *value)
{
    const struct ram_point *point = group->best;
    const enum operation operation = ram_task_of(point->kernel);
    const struct ram_task *task = &ram_tasks[operation];
    const char *const name = ram_task_names[operation], *const size = size_text(record, point->set->bytes);
    const struct verdict verdict = verdict_of(plan, group, value);
    const bool latency = ram_is_latency(point);
    const uint64_t threads = point->set->crew->threads;
    struct answer answer = answer_of(&value->judged, verdict);
    char level[RAM_NAME], set[RAM_NAME];
    double low, high;
    range_of(&value->judged, verdict, value->by_cycles ? least_cycles(plan, point) : NAN, &low, &high);
    ram_names(plan, point, level, set);
    const bool has_range = !answer.remark && low > 0; /* an end below zero makes the other one unknown, too */
    answer.low = has_range ? REAL_CELL(low) : NO_CELL;
    answer.high = has_range ? REAL_CELL(high) : NO_CELL;
    struct answer cycles = answer;
    /* In memory a mix of reads and writes depends on the kind of stores. */
    const bool is_apart = plan->apart && !ram_in_cache(plan, point) && task->stores && !task->in_place;
    const bool streams = point->kernel->store == ACCESS_STREAMING;
    const char *const stores = !is_apart ? "" : streams ? "streaming" : "plain";
    const char *const cpus =
        ram_is_of_all(plan, point->set) ? record_text(record, "all %" PRIu64 " CPUs, ", threads) : "";
    answer.label = record_text(record, "%s%s%s%s%s, %s%s%s", level, *level ? " " : "", name,
                               is_apart ? " " : "", stores, cpus, size, threads > 1 ? " each" : "");
    const double ns = value->of[RAM_NS] / value->judged.value; /* for one of the judged value */
    convert(&answer, latency ? ns : 1e9 / ns * (double)(ram_counted(point) * threads), !latency);
    answer.remark = answer.remark ? answer.remark : remark_of(record, plan, group, value);
    answer.unit = latency ? "ns" : "Byte/s";
    answer.ghz = value->of[RAM_CYCLES] / value->of[RAM_NS];
    /* A matrix of all tasks is wider than a screen; these two are as fast as reading. */
    const bool is_column = operation != OPERATION_AGG_OR && operation != OPERATION_COMPARE;
    record_placed(record, plan, point->set, name, is_column ? name : NULL, stores, answer);
    if (is_apart &&
        !streams) { /* the same passes by the traffic of the bus: plain stores read their lines first */
        convert(&answer, (double)(ram_traffic(point) + point->bytes) / (double)ram_counted(point), false);
        answer.label = record_text(record, "DRAM %s with write-allocate, %s", name, size);
        answer.remark = NULL;
        record_placed(record, plan, point->set, name, name, "allocated", answer);
    }
    if (latency && value->by_cycles) {
        cycles.label = record_text(record, "%s%scycles a load, %s", level, *level ? " " : "", size);
        cycles.unit = "cycles";
        record_placed(record, plan, point->set, "latency_cycles", "cycles", "", cycles);
    }
}

/* Adds an answer without a number: the size behind those of a crew's level, or why one is missing. Its
 * unit is that of the column. Of memory it is what was filled in time: another run may fill more. */
static void add_text(struct record *record, const struct ram_plan *plan, const struct working_set *set,
                     const char *name, const char *column, const char *unit, const char *value,
                     const char *remark)
{
    const bool is_memory = set->level > plan->last_level, is_filled = is_memory && set->bytes > 0 && !remark;
    const enum limited_by limited_by = remark || is_filled ? LIMITED_BY_REPETITION : LIMITED_BY_NONE;
    char row[RAM_NAME];
    row_of(record, plan, set, row);
    record_placed(record, plan, set, name, column, "",
                  (struct answer){.label = record_text(record, "%s %s%s", row, name,
                                                       ram_is_of_all(plan, set) ? ", all CPUs" : ""),
                                  .value = TEXT_CELL(value),
                                  .unit = unit,
                                  .remark = remark,
                                  .unpromised = is_filled,
                                  .trust = verdict_capped(LIMITED_BY_NONE, limited_by).trust,
                                  .limited_by = limited_by});
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
            add_text(record, plan, set, name, name, is_latency ? "ns" : "Byte/s", NULL, late);
            if (is_latency && ram_is_near(point))
                add_text(record, plan, set, "latency_cycles", "cycles", "cycles", NULL, late);
        }
        if (group->has_other)
            add_answer(record, plan, group, &group->other);
    }
    return answered;
}

/* Of a level the answers of one thread, then of all CPUs. The sibling's other state is an answer of its
 * own. */
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
            for (const struct working_set *set = plan->sets; set < plan->sets + plan->set_count; set++)
                for (size_t i = 0; set->level == level && set->crew == of->crew && i < RAM_TASK_COUNT; i++) {
                    answered += add_task(record, plan, order[i], set);
                    none.bytes = set->bytes;
                }
            if (level > 0 && record->answers.count > 0 && (none.bytes || !(plan->hidden >> level & 1)))
                add_text(record, plan, of, "size", "size", NULL,
                         answered     ? size_text(record, none.bytes)
                         : none.bytes ? "not in time"
                                      : "no room",
                         NULL);
        }
}
