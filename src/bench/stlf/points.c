/* SPDX-License-Identifier: MIT */
/* Series of points as rows: made, and written as rows of a table; and how answers about them are added. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "stlf.h"

const struct column stlf_point_columns[C_COUNT] = {
    [C_SERIES] = {"series", "series", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [C_STORE] = {"store_bytes", "store", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_LOAD] = {"load_bytes", "load", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_PAIRS] = {"pairs", "pairs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_CODE] = {"code_bytes", "code a pair", "Byte", CELL_SIZE, ROLE_LABEL, 0},
    [C_CYCLES] = {"cycles", "a pair takes", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [C_SPREAD] = {"spread", "p90 - p10", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [C_VERDICT] = {"verdict", "verdict", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [C_ACTIVE] = {"cycles_sibling_active", "sibling active", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [C_STORE_AT] = {"store_offset", "store offset", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_LOAD_AT] = {"load_offset", "load above store", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_GAP] = {"gap", "gap", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_ADDED] = {"added", "added", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
};

enum { SURE_SAMPLES = 8 };

/* The kernel of an operation as wide as another; NULL: none that can run here. */
static const struct kernel *as_wide(const struct kernel_filter *any, enum operation operation,
                                    const struct kernel *other)
{
    const struct kernel *kernel = kernel_next(any, operation, NULL);
    while (kernel && (kernel->bits != other->bits || kernel->load_bits != other->load_bits))
        kernel = kernel_next(any, operation, kernel);
    return kernel;
}

/* Loads less stores: a reader needs no more of them than fit a line. */
static const long offsets[STLF_OFFSETS] = {-4, -1, 1, 2, 3, 4, 5, 7};

/* Of each kernel of an operation: itself, or the one of the series that is as wide. */
static void add_series(struct stlf_part *part, const struct stlf_series *series)
{
    const struct kernel_filter any = {.allowed = part->stlf->run->kernels.allowed};
    const enum stlf_over over = series->over;
    const enum operation each = over == OVER_DISPLACEMENTS ? OPERATION_FORWARD_DISPLACED
                                : over == OVER_WIDTHS      ? OPERATION_FORWARD_SAME_BASE
                                                           : series->operation;
    const unsigned steps = over == OVER_DISTANCES ? STLF_DISTANCES
                           : over == OVER_OFFSETS ? STLF_OFFSETS
                           : over == OVER_VALUES  ? 2
                                                  : 1;
    const unsigned numbers =
        series->pairs[0] ? (unsigned)strlen((const char *)series->pairs) : STLF_UNROLL_MAX;
    for (const struct kernel *one = NULL; (one = kernel_next(&any, each, one));) {
        const struct kernel *kernel = each == series->operation ? one : as_wide(&any, series->operation, one);
        if (!kernel || (series->store_bytes > 0 &&
                        (one->bits != 8 * series->store_bytes || one->load_bits != 8 * series->load_bytes)))
            continue;
        for (unsigned i = 0; i < numbers * steps; i++) {
            part->point = memory_grow(part->point, (part->count + 1) * sizeof *part->point);
            struct stlf_point *point = &part->point[part->count++];
            *point = (struct stlf_point){.kernel = kernel,
                                         .store = series->store,
                                         .load = series->load,
                                         .pairs = series->pairs[0] ? series->pairs[i / steps] : i / steps + 1,
                                         .series = series->name};
            if (over == OVER_DISPLACEMENTS)
                point->load = one->gap;
            else if (over == OVER_OFFSETS)
                point->load += offsets[i % steps];
            else if (over == OVER_DISTANCES)
                point->load += 64L << i % steps;
            else if (over == OVER_VALUES)
                point->added = i % steps;
        }
    }
}

void stlf_points_add(struct stlf_part *part)
{
    for (int i = 0; i < part->sweep->count; i++)
        add_series(part, &part->sweep->series[i]);
}

struct stlf_curve stlf_curve(const struct stlf_set *set, const char *series)
{
    size_t first = 0, end;
    while (first < set->count && strcmp(set->point[first].series, series) != 0)
        first++;
    for (end = first; end < set->count && strcmp(set->point[end].series, series) == 0;)
        end++;
    return (struct stlf_curve){&set->point[first], &set->estimate[first], end - first};
}

unsigned stlf_bytes_a_pair(const struct kernel *kernel)
{
    return kernel->sled.units ? (unsigned)(kernel->sled.end - kernel->sled.begin) / kernel->sled.units : 0;
}

/* Places on the core sheet. */
static const struct {
    const char *key, *slot;
} slots[] = {{"stlf.l1_latency", "core/l1-latency"},
             {"stlf.forwarded", "core/forwarded"},
             {"stlf.forwarded_loops", "core/forwarded-loops"},
             {"stlf.failed_forward", "core/failed-forward"},
             {"stlf.renamed", "core/renamed"},
             {"stlf.renamed_pairs", "core/renamed-pairs"}};

void stlf_say(const struct stlf_set *set, struct answer answer, struct verdict verdict)
{
    if (set->is_second && verdict.trust == TRUST_LOW)
        return;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (strcmp(answer.key, slots[i].key) == 0)
            answer.slot = slots[i].slot;
    answer.trust = verdict.trust;
    answer.leg = verdict.leg;
    answer.within = verdict.within;
    answer.within_absolute = verdict.within_absolute;
    answer.state = set->state == STATE_IDLE || set->state == STATE_ACTIVE ? state_names[set->state] : NULL;
    record_answer(set->stlf->run->record, answer);
}

void stlf_add(const struct stlf_set *set, const char *key, const char *label, const char *remark,
              const struct estimate *estimate, struct verdict verdict)
{
    struct answer answer = answer_of(estimate, verdict);
    answer.key = key;
    answer.label = label;
    answer.remark = remark;
    answer.unit = "core cycles";
    stlf_say(set, answer, verdict);
}

char *stlf_words(const char *format, ...)
{
    enum { TEXTS = 8 };
    static char texts[TEXTS][192];
    static unsigned at;
    va_list arguments;
    char *text = texts[at++ % TEXTS];
    va_start(arguments, format);
    vsnprintf(text, sizeof texts[0], format, arguments);
    va_end(arguments);
    return text;
}

char *stlf_key(char *words)
{
    for (char *at = words; *at; at++)
        *at = strchr(" ,/-", *at) ? '_' : *at;
    return words;
}

struct verdict stlf_judge(const struct estimate *e, unsigned placements)
{
    struct promise promise = promise_core;
    promise.placements = placements;
    return trust_judge(e, &promise);
}

struct verdict stlf_judge_side(const struct estimate *e, double limit)
{
    const bool below = e->value < limit;
    if (isnan(e->value) || e->summary.count < SURE_SAMPLES)
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    if ((e->first < limit) != below || (e->second < limit) != below)
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    if ((e->low < limit) != below || (e->high < limit) != below || e->unproved)
        return (struct verdict){TRUST_MEDIUM, LEG_PRECISION};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

/* The parts of the two vary on their own. */
struct estimate stlf_difference(const struct estimate *a, const struct estimate *b)
{
    struct estimate e = *a;
    e.value = a->value - b->value;
    e.low = e.value - root_of_squares(a->value - a->low, b->high - b->value);
    e.high = e.value + root_of_squares(a->high - a->value, b->value - b->low);
    e.first = a->first - b->first;
    e.second = a->second - b->second;
    e.placement_low = a->placement_low - b->placement_high;
    e.placement_high = a->placement_high - b->placement_low;
    e.indifferent = a->indifferent && b->indifferent;
    e.parts.count = a->parts.count == b->parts.count ? a->parts.count : 0;
    for (size_t i = 0; i < e.parts.count; i++)
        e.parts.value[i] -= b->parts.value[i];
    if (b->summary.count < a->summary.count)
        e.summary = b->summary;
    return e;
}

const struct estimate *stlf_middle(const struct estimate *curve, size_t count)
{
    double value[STLF_UNROLL_MAX] = {0};
    const struct estimate *nearest = curve;
    for (size_t i = 0; i < count; i++)
        value[i] = curve[i].value;
    const double middle = median_of(value, count);
    for (const struct estimate *e = curve; e < curve + count; e++)
        if (isnan(nearest->value) || fabs(e->value - middle) < fabs(nearest->value - middle))
            nearest = e;
    return nearest;
}

struct stlf_levels stlf_levels_in(const struct stlf *stlf, enum state state)
{
    static const enum state others[] = {STATE_IDLE, STATE_ACTIVE, STATE_UNKNOWN, STATE_MIXED};
    struct stlf_levels levels = {NAN, NAN, NAN, NAN, NAN};
    if (stlf->levels[state].l1 > 0)
        return stlf->levels[state];
    for (int i = 0; i < 4 && isnan(levels.l1); i++)
        levels.l1 = stlf->levels[others[i]].l1 > 0 ? stlf->levels[others[i]].l1 : NAN;
    return levels;
}

void stlf_rows(const struct stlf_set *set, const struct stlf_set *active, const struct stlf_sweep *sweep)
{
    struct record *record = set->stlf->run->record;
    const size_t table = record_table_add(record, &sweep->table);
    for (size_t i = 0; i < set->count; i++) {
        const struct stlf_point *point = &set->point[i];
        const struct kernel *kernel = point->kernel;
        const struct estimate *e = &set->estimate[i];
        const bool pair = !stlf_has_no_store(point);
        const bool overlaps = pair && overlap_of(point->store, kernel->bits / 8, point->load,
                                                 kernel->load_bits / 8) != OVERLAP_NONE;
        const double l1 = stlf_levels_in(set->stlf, e->state).l1;
        if (!sweep->shown || sweep->shown(point))
            record_row(
                record, table,
                (struct cell[C_COUNT]){
                    [C_SERIES] = TEXT_CELL(point->series),
                    [C_STORE] = pair ? INTEGER_CELL(kernel->bits / 8) : NO_CELL,
                    [C_LOAD] = INTEGER_CELL(pair ? kernel->load_bits / 8 : sizeof(void *)),
                    [C_PAIRS] = pair ? INTEGER_CELL(point->pairs) : NO_CELL,
                    [C_CODE] = pair ? INTEGER_CELL(stlf_bytes_a_pair(kernel)) : NO_CELL,
                    [C_CYCLES] = REAL_CELL(e->value),
                    [C_SPREAD] = REAL_CELL(e->summary.p90 - e->summary.p10),
                    [C_VERDICT] = overlaps && is_renamed(e->value, l1) ? TEXT_CELL("renamed") : NO_CELL,
                    [C_ACTIVE] = active ? REAL_CELL(active->estimate[i].value) : NO_CELL,
                    [C_STORE_AT] = INTEGER_CELL(point->store),
                    [C_LOAD_AT] = INTEGER_CELL(point->load),
                    [C_GAP] = INTEGER_CELL(kernel->gap),
                    [C_ADDED] = INTEGER_CELL(point->added),
                });
    }
}
