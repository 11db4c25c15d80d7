/* SPDX-License-Identifier: MIT */
/* Finds the machines that lie off the others. One answer must lie far off, as each machine has dozens and some are always odd. Answers of a
 * family, or all of a machine, are judged by the median of their losses: an accident of one of them moves it little, so smaller distances
 * count. A rank test has to agree. How far is far follows from the noise of the group. */
#include <math.h>
#include <stdlib.h>

#include "fleet.h"
#include "judge.h"
#include "tables.h"
#include "uarchprobe/stats.h"

/* LEAST: machines to judge at all. TOGETHER_LEAST: answers to judge together. MANY: machines of which one leaves no mark on the
 * distribution. */
enum { LEAST = 5, TOGETHER_LEAST = 4, MANY = 200 };
/* Standard deviation of a normal distribution by its median absolute deviation. */
static const double TO_DEVIATION = 1.4826;

/* Least robust deviations and shares of an outlier (shares of single answers in small groups), and the chance to name one by accident: one
 * in a thousand for all answers of a machine. */
static const double FAR_ALONE = 12, OFF_ALONE = 0.4, FAR_TOGETHER = 5, OFF_TOGETHER = 0.04, UNLIKELY = 0.02;
static const double BY_CHANCE_ALONE = 1e-12, BY_CHANCE_TOGETHER = 1e-6;
/* Least deviation assumed of equal machines. */
static const double LEAST_ALONE = 0.01, LEAST_TOGETHER = 0.005;
/* Share of the median that stands in for lesser values, 0 and below. */
static const double LEAST_SHARE = 1e-3;

static int compare_points(const void *a, const void *b)
{
    const struct point *first = a, *second = b;
    if (first->group != second->group)
        return first->group < second->group ? -1 : 1;
    if (first->set != second->set)
        return first->set < second->set ? -1 : 1;
    return (first->node > second->node) - (first->node < second->node);
}

static int compare_losses(const void *a, const void *b)
{
    const struct point *first = a, *second = b;
    if (first->loss != second->loss)
        return first->loss < second->loss ? -1 : 1;
    return (first->node > second->node) - (first->node < second->node);
}

static void sort_points(struct point *point, size_t count, int (*compare)(const void *, const void *))
{
    if (count > 0)
        qsort(point, count, sizeof(*point), compare);
}

static size_t end_of_set(const struct point *point, size_t begin, size_t count)
{
    size_t end = begin;
    while (end < count && point[end].set == point[begin].set)
        end++;
    return end;
}

/* The deviations beyond which one point in 1 / p lies, by the points of other machines: among few a machine would hide itself. Extrapolates
 * from where the outer tenth and fortieth begin (of few, the outer eight and two) by a tail exp(-(x / a)^(1 / shape)), so that neither
 * normal noise (shape about 0.6 here) nor a heavier tail (exponential: 1) reaches it. */
static double far_of(const struct point *point, size_t count, uint32_t but, bool alone)
{
    const double p = alone ? BY_CHANCE_ALONE : BY_CHANCE_TOGETHER, least = alone ? FAR_ALONE : FAR_TOGETHER;
    double *off = memory_zeroed(count, sizeof(*off)), far = INFINITY;
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(point[i].off) && point[i].node != but)
            off[known++] = fabs((double)point[i].off);
    if (known >= LEAST) {
        const double outer = fmin(fmax(0.025, 2 / (double)known), 0.1), inner = fmin(4 * outer, 0.4);
        const double near = quantile_reordering(off, known, 1 - inner);
        far = quantile_reordering(off, known, 1 - outer);
        const double shape = log(far / near) / log(log(outer) / log(inner));
        far = near > 0 ? fmax(least, far * pow(log(p) / log(outer), fmax(shape, 0.6))) : least;
    }
    free(off);
    return far;
}

/* Sets the distance and the rank of each point of a set. */
static void find_off(struct set *set, struct point *point, size_t count, bool alone)
{
    double *loss = memory_zeroed(count, sizeof(*loss));
    sort_points(point, count, compare_losses);
    for (size_t i = 0; i < count; i++)
        loss[i] = (double)point[i].loss;
    const struct summary summary = summary_of(loss, count);
    set->judged &= count >= LEAST;
    set->middle = summary.median;
    set->deviation = fmax(TO_DEVIATION * summary.mad, alone ? LEAST_ALONE : LEAST_TOGETHER);
    for (size_t i = 0, end; i < count && set->judged && alone; i = end) {
        for (end = i; end < count && point[end].loss == point[i].loss;)
            end++;
        for (size_t k = i; k < end; k++)
            point[k].rank = (float)((double)(i + end - 1) / 2 / (double)(count - 1));
    }
    for (size_t i = 0; i < count && set->judged; i++)
        point[i].off = (float)((loss[i] - set->middle) / set->deviation);
    free(loss);
}

/* Compares answers with the median of their set; of many machines each set has its own limit. */
static void measure_answers(struct fleet *fleet, struct point *point, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        struct set *set = fleet->sets.of[point[i].set];
        end = end_of_set(point, i, count);
        set->count = end - i;
        double *value = memory_zeroed(set->count, sizeof(*value));
        for (size_t k = i; k < end; k++) {
            value[k - i] = (double)point[k].value;
            set->low += point[k].low;
        }
        set->median = median_of(value, set->count);
        set->judged = set->median != 0;
        free(value);
        for (size_t k = i; k < end; k++)
            point[k].loss = (float)log(fmax((double)point[k].value / set->median, LEAST_SHARE));
        find_off(set, &point[i], end - i, true);
        for (size_t k = i; k < end && set->judged; k++)
            fleet->nodes.of[point[k].node].judged++;
        set->far = set->judged && set->count >= MANY ? far_of(&point[i], end - i, UINT32_MAX, true) : 0;
    }
}

/* From here on an answer counts by its loss, in its family; NaN: neither way is better. */
static void turn_to_losses(const struct fleet *fleet, struct point *point, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct set *set = fleet->sets.of[point[i].set];
        const enum direction way = direction_of_unit(set->unit);
        point[i].loss = set->judged && way != DIRECTION_NONE ? (float)way * point[i].loss : NAN;
        point[i].rank = way == DIRECTION_HIGHER ? 1 - point[i].rank : point[i].rank;
        point[i].set = set->family;
    }
}

struct scores {
    LIST(struct point);
};

/* Adds the median loss and the mean rank of each machine that has enough points of a set. */
static void add_scores(struct scores *scores, struct point *point, size_t count)
{
    double *loss = memory_zeroed(count, sizeof(*loss));
    sort_points(point, count, compare_points);
    for (size_t i = 0, end; i < count; i = end) {
        struct point own = point[i];
        double ranks = 0;
        own.count = 0;
        for (end = i; end < count && point[end].set == own.set && point[end].node == own.node; end++) {
            if (isnan(point[end].loss))
                continue;
            ranks += (double)point[end].rank;
            loss[own.count++] = (double)point[end].loss;
        }
        own.low = false;
        own.off = NAN;
        own.rank = (float)(ranks / own.count);
        own.loss = (float)median_of(loss, own.count);
        own.value = expf(own.loss);
        if (own.count >= TOGETHER_LEAST)
            LIST_ADD(*scores, own);
    }
    free(loss);
}

/* Names an answer by its value, several by their time over that of the median. */
static void name_outlier(struct fleet *fleet, const struct point *point, bool alone)
{
    const struct set *set = fleet->sets.of[point->set];
    const char *unit = "times the time", *machine = fleet->nodes.of[point->node].name;
    const double middle = alone ? set->median : exp(set->middle), value = (double)point->value;
    const double median = alone ? value_shown(middle, set->unit, &unit) : middle;
    fleet->nodes.of[point->node].is_outlier = true;
    record_row(fleet->record, fleet->outliers,
               (const struct cell[]){
                   TEXT_CELL(machine), TEXT_CELL(set->number == set->group ? "all findings" : set->name),
                   REAL_CELL(value / middle * median), REAL_CELL(median),
                   REAL_CELL(100 * (value / middle - 1)), REAL_CELL((double)point->off), TEXT_CELL(unit)});
    record_answer(fleet->record,
                  (struct answer){.key = "fleet.outlier", .value = TEXT_CELL(machine), .trust = TRUST_HIGH});
}

/* The chance that the mean rank of so many answers of a machine is as far from the middle; near to normal from four on. */
static double rank_p(const struct point *point)
{
    return erfc(fabs((double)point->rank - 0.5) * sqrt(6 * (double)point->count));
}

/* A single answer of low trust names nobody: others of its family must be off, too. pooled: the limit by the others of the group. */
static void name_outliers(struct fleet *fleet, const struct set *group, const struct point *point,
                          size_t count, double pooled, bool alone)
{
    for (size_t i = 0; i < count; i++) {
        const struct set *set = fleet->sets.of[point[i].set];
        const double off = fabs((double)point[i].off), least = alone ? FAR_ALONE : FAR_TOGETHER;
        const double share = fabs(expm1((double)point[i].loss - set->middle));
        if (isnan(off) || point[i].low || off < (set->far > 0 ? set->far : least) ||
            (!alone && rank_p(&point[i]) >= UNLIKELY))
            continue;
        if (set->far > 0 ||
            (share >= (alone ? OFF_ALONE : OFF_TOGETHER) &&
             off >= (group->count >= MANY ? pooled : far_of(point, count, point[i].node, alone))))
            name_outlier(fleet, &point[i], alone);
    }
}

/* The share from which on a machine is named; NaN: none. */
static double share_named(const struct set *set, double pooled, double least)
{
    const bool own = set->far > 0;
    const double share = fmax(expm1((own ? set->far : pooled) * set->deviation), own ? 0 : least);
    return set->judged && share < 1 ? share : NAN;
}

/* Adds a family's limits: that of its least sensitive answer, unless most answers name nobody. */
static void add_family(const struct fleet *fleet, const struct set *group, const struct set *family,
                       double pooled)
{
    record_row(fleet->record, fleet->families,
               (const struct cell[]){
                   TEXT_CELL(family == group ? "all findings" : family->name),
                   TEXT_CELL(fleet->groups > 1 ? group->name : NULL),
                   REAL_CELL(2 * family->low > family->count || family == group ? NAN : 100 * family->alone),
                   REAL_CELL(100 * share_named(family, pooled, OFF_TOGETHER))});
}

/* Whether most answers of a machine were compared with others. */
static bool is_judged(const struct node *node)
{
    return node->judged > 0 && 2 * node->judged >= node->values;
}

/* Adds the machines of a group by loss, for the picture; the number judged, and the limits. */
static void add_group(const struct fleet *fleet, const struct set *group, const struct scores *scores,
                      const double *pooled)
{
    size_t judged = 0, outliers = 0, place = 0;
    for (size_t i = 0; i < scores->count; i++) {
        const struct node *node = &fleet->nodes.of[scores->of[i].node];
        if (scores->of[i].set == group->number)
            record_row(fleet->record, fleet->machines,
                       (const struct cell[]){INTEGER_CELL(++place), TEXT_CELL(group->name),
                                             TEXT_CELL(node->name),
                                             REAL_CELL(100 * expm1((double)scores->of[i].loss)),
                                             TEXT_CELL(node->is_outlier ? node->name : NULL)});
    }
    for (size_t i = 0; i < fleet->nodes.count; i++) {
        judged += fleet->nodes.of[i].group == group->number && is_judged(&fleet->nodes.of[i]);
        outliers += fleet->nodes.of[i].group == group->number && fleet->nodes.of[i].is_outlier;
    }
    for (size_t i = 0; i < fleet->sets.count; i++) {
        const struct set *set = fleet->sets.of[i];
        struct set *family = fleet->sets.of[set->family];
        if (set->group != group->number || !set->unit)
            continue;
        const double share = 2 * set->low > set->count ? NAN : share_named(set, pooled[true], OFF_ALONE);
        family->count++;
        family->low += isnan(share);
        family->alone = fmax(family->alone, share);
    }
    for (size_t i = 0; i < fleet->sets.count; i++)
        if (fleet->sets.of[i]->group == group->number && fleet->sets.of[i]->family == i && i != group->number)
            add_family(fleet, group, fleet->sets.of[i], pooled[false]);
    add_family(fleet, group, group, pooled[false]);
    record_row(fleet->record, fleet->group_table,
               (const struct cell[]){TEXT_CELL(group->name), INTEGER_CELL(group->count), INTEGER_CELL(judged),
                                     INTEGER_CELL(outliers)});
}

/* Judges each answer by itself, then each family and all together. */
static void judge_group(struct fleet *fleet, const struct set *group, struct point *point, size_t count)
{
    struct scores scores = {0};
    double pooled[2];
    measure_answers(fleet, point, count);
    pooled[true] = far_of(point, count, UINT32_MAX, true);
    name_outliers(fleet, group, point, count, pooled[true], true);
    turn_to_losses(fleet, point, count);
    add_scores(&scores, point, count);
    for (size_t i = 0; i < count; i++)
        point[i].set = group->number;
    add_scores(&scores, point, count);
    for (size_t i = 0, end; i < scores.count; i = end) {
        end = end_of_set(scores.of, i, scores.count);
        fleet->sets.of[scores.of[i].set]->judged = true;
        find_off(fleet->sets.of[scores.of[i].set], &scores.of[i], end - i, false);
    }
    pooled[false] = far_of(scores.of, scores.count, UINT32_MAX, false);
    name_outliers(fleet, group, scores.of, scores.count, pooled[false], false);
    add_group(fleet, group, &scores, pooled);
    free(scores.of);
}

static enum status add_verdict(struct fleet *fleet)
{
    static const struct {
        const char *word, *before;
    } says[] = {[STATUS_OK] = {"same", ""},
                [STATUS_FAILED] = {"outliers", ""},
                [STATUS_USAGE] = {"nothing to compare", "NO VERDICT  "},
                [STATUS_UNTRUSTED] = {"cannot tell", "UNDECIDED  "}};
    size_t outliers = 0, judged = 0;
    struct text text = {0}, subject = {0};
    for (size_t i = 0; i < fleet->nodes.count; i++) {
        outliers += fleet->nodes.of[i].is_outlier;
        judged += is_judged(&fleet->nodes.of[i]);
    }
    const enum status status = outliers                          ? STATUS_FAILED
                               : !judged                         ? STATUS_USAGE
                               : 2 * judged < fleet->nodes.count ? STATUS_UNTRUSTED
                                                                 : STATUS_OK;
    text_printf(&text, "%s%zu outlier%s among %zu machines in %zu group%s", says[status].before, outliers,
                outliers == 1 ? "" : "s", fleet->nodes.count, fleet->groups, fleet->groups == 1 ? "" : "s");
    if (judged < fleet->nodes.count)
        text_printf(&text, "; not judged: %zu, of too few alike (%d at least) or without values",
                    fleet->nodes.count - judged, LEAST);
    record_answer(fleet->record, (struct answer){.key = "compare.verdict",
                                                 .value = TEXT_CELL(says[status].word),
                                                 .trust = TRUST_HIGH,
                                                 .text = text.data});
    record_answer_first(fleet->record, 0);
    text_printf(&subject, "%zu machines", fleet->nodes.count);
    RECORD_FACTS(fleet->record, {"run.subject", .value = TEXT_CELL(subject.data)});
    text_free(&subject);
    text_free(&text);
    return status;
}

enum status fleet_judge(struct fleet *fleet)
{
    struct point *point = fleet->points.of;
    const size_t count = fleet->points.count;
    fleet->outliers = record_table_add(fleet->record, &table_specs[OUTLIERS]);
    fleet->families = record_table_add(fleet->record, &table_specs[FAMILIES]);
    fleet->group_table = record_table_add(fleet->record, &table_specs[GROUPS]);
    fleet->machines = record_table_add(fleet->record, &table_specs[MACHINES]);
    sort_points(point, count, compare_points);
    for (size_t i = 0, begin = 0, end = 0; i < fleet->sets.count; i++, begin = end) {
        while (end < count && point[end].group == i)
            end++;
        if (fleet->sets.of[i]->group == i)
            judge_group(fleet, fleet->sets.of[i], point + begin, end - begin);
    }
    return add_verdict(fleet);
}
