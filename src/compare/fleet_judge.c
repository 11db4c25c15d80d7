/* SPDX-License-Identifier: MIT */
/* Which machines lie off the others. One answer alone has to lie far off the others of its kind, because each machine has dozens and
 * some are always odd. Answers of a family, or all of a machine, are judged together by the median of what they lose: what hits one of them
 * moves it little, so it sees less. A rank test has to agree. How far is far follows from how the others of the group lie,
 * whatever their noise. */
#include <math.h>
#include <stdlib.h>

#include "fleet.h"
#include "judge.h"
#include "tables.h"

/* One machine of so many leaves no mark on how all of them lie. */
enum { TOGETHER_LEAST = 4, MANY = 200 };

/* Robust deviations and shares (of answers alone where machines are few) from which a machine is named at the least, and how rarely one may be by chance: of all that a machine has,
 * one in a thousand. */
static const double FAR_ALONE = 12, OFF_ALONE = 0.4, FAR_TOGETHER = 5, OFF_TOGETHER = 0.04, UNLIKELY = 0.02;
static const double BY_CHANCE_ALONE = 1e-12, BY_CHANCE_TOGETHER = 1e-6;
/* Values of equal machines differ by this at the least. */
static const double LEAST_ALONE = 0.01, LEAST_TOGETHER = 0.005;
/* Of the median; what is less, 0 or below counts as this. */
static const double LEAST_SHARE = 1e-3;

static struct group *group_of(const struct fleet *fleet, uint32_t node)
{
    return &fleet->group.of[fleet->node.of[node].group];
}

/* A series, by its value; NULL: all of `what`, by times the time of the median. */
static void name_outlier(struct fleet *fleet, uint32_t node, const struct series *series, const char *what,
                         double value, double median, double z)
{
    const char *name = "times the time", *machine = fleet->node.of[node].name;
    const double shown = series ? value_shown(value, series->unit, &name) : value;
    const double middle = series ? value_shown(median, series->unit, &name) : median;
    fleet->node.of[node].is_outlier = true;
    record_row(fleet->record, fleet->outliers,
               (const struct cell[]){TEXT_CELL(machine), TEXT_CELL(series ? series->label : what),
                                     REAL_CELL(shown), REAL_CELL(middle),
                                     REAL_CELL(100 * (value / median - 1)), REAL_CELL(z), TEXT_CELL(name)});
    record_answer(fleet->record,
                  (struct answer){.key = "fleet.outlier", .value = TEXT_CELL(machine), .trust = TRUST_HIGH});
}

/* Deviations from where on one in 1 / p lies. Of few machines, the one in question is left out: it would hide itself. */
static double far_of(struct tail *tail, size_t nodes, uint32_t node, double p, double least)
{
    if (tail->far > 0 && nodes >= MANY)
        return tail->far;
    double *others = memory_zeroed(tail->count, sizeof(*others));
    size_t count = 0;
    for (size_t i = 0; i < tail->count; i++) {
        if (nodes >= MANY || tail->of[i].node != node)
            others[count++] = (double)tail->of[i].off;
    }
    tail->far = scatter_far(others, count, p, least);
    free(others);
    return tail->far;
}

/* The values of one series: how far each is off, what it loses against the median, its rank. */
static void judge_series(struct fleet *fleet, struct series *series, struct value *value, size_t count)
{
    const enum direction direction = direction_of_unit(series->unit);
    const double sign = direction == DIRECTION_HIGHER ? -1 : 1;
    double *sorted = memory_zeroed(count, sizeof(*sorted)), median;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (double)value[i].value;
    values_sort(sorted, count);
    median = quantile_of_sorted(sorted, count, 0.5);
    for (size_t i = 0; i < count; i++)
        sorted[i] = sign * log(fmax((double)value[i].value / median, LEAST_SHARE));
    for (size_t i = 0; i < count; i++)
        value[i].loss = (float)sorted[i], series->low += value[i].low;
    const bool judged = median != 0 && scatter_of(sorted, count, LEAST_ALONE, &series->scatter);
    series->judged = judged;
    series->count = count;
    values_sort(sorted, count);
    series->median = median;
    for (size_t i = 0; i < count && judged; i++) {
        const double loss = (double)value[i].loss;
        value[i].off = (float)scatter_z(&series->scatter, loss);
        value[i].rank = (float)scatter_rank(sorted, count, loss);
        fleet->node.of[value[i].node].judged++;
        LIST_ADD(group_of(fleet, value[i].node)->alone,
                 ((struct distance){value[i].node, (float)fabs((double)value[i].off)}));
    }
    for (size_t i = 0; i < count && judged; i++)
        sorted[i] = fabs((double)value[i].off);
    series->far = judged && count >= MANY ? scatter_far(sorted, count, BY_CHANCE_ALONE, FAR_ALONE) : 0;
    for (size_t i = 0; i < count; i++)
        value[i].loss = judged && direction != DIRECTION_NONE ? value[i].loss : NAN;
    free(sorted);
}

/* An answer of low trust may be off by itself, on any machine: others of its family have to be off too. Of many machines each kind of
 * answer says itself what is far; of few, all of them together, and a share is asked as well. */
static void name_alone(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->value.count; i++) {
        const struct value *value = &fleet->value.of[i];
        const struct series *series = &fleet->series.of[value->series];
        struct group *group = group_of(fleet, value->node);
        const double off = fabs((double)value->off);
        if (!series->judged || value->low)
            continue;
        if (series->far > 0
                ? off >= series->far
                : fabs((double)value->value / series->median - 1) >= OFF_ALONE && off >= FAR_ALONE &&
                      off >= far_of(&group->alone, group->nodes, value->node, BY_CHANCE_ALONE, FAR_ALONE))
            name_outlier(fleet, value->node, series, NULL, (double)value->value, series->median,
                         copysign((double)value->off, (double)value->value - series->median));
    }
}

/* By how much one answer alone has to lie off, the greatest of its family. */
static void find_alone(struct fleet *fleet, const struct series *series)
{
    struct family *family = &fleet->family.of[series->family];
    struct group *group = &fleet->group.of[family->group];
    double far = series->far;
    family->series++;
    if (!series->judged || 2 * series->low > series->count) {
        family->blind++;
        return;
    }
    if (!(far > 0))
        far = far_of(&group->alone, group->nodes, UINT32_MAX, BY_CHANCE_ALONE, FAR_ALONE);
    const double share = fmax(expm1(far * series->scatter.deviation), series->far > 0 ? 0 : OFF_ALONE);
    if (share < 1)
        family->alone = fmax(family->alone, share);
    else
        family->blind++;
}

/* What a machine loses in the median of some of its answers, and their mean rank. */
struct score {
    uint32_t node;
    size_t count;
    double loss, rank;
};

/* For each machine that has enough of the values, which are sorted by machine; returns how many. */
static size_t find_scores(const struct value *value, size_t count, struct score *score)
{
    double *loss = memory_zeroed(count, sizeof(*loss));
    size_t scores = 0;
    for (size_t i = 0, end; i < count; i = end) {
        struct score own = {.node = value[i].node};
        for (end = i; end < count && value[end].node == value[i].node; end++) {
            if (isnan(value[end].loss))
                continue;
            own.rank += (double)value[end].rank;
            loss[own.count++] = (double)value[end].loss;
        }
        own.rank /= (double)own.count;
        own.loss = median_of(loss, own.count);
        if (own.count >= TOGETHER_LEAST)
            score[scores++] = own;
    }
    free(loss);
    return scores;
}

/* First how far each is off, then which of them are named. Returns the share from where on one is; NaN: they are too few. */
static double judge_scores(struct fleet *fleet, const char *what, const struct score *score, size_t count,
                           bool naming)
{
    struct scatter scatter;
    double *loss = memory_zeroed(count, sizeof(*loss));
    for (size_t i = 0; i < count; i++)
        loss[i] = score[i].loss;
    const bool judged = scatter_of(loss, count, LEAST_TOGETHER, &scatter);
    struct group *group = judged ? group_of(fleet, score[0].node) : NULL;
    for (size_t i = 0; i < count && judged; i++) {
        const double off = scatter_z(&scatter, loss[i]);
        if (!naming)
            LIST_ADD(group->together, ((struct distance){score[i].node, (float)fabs(off)}));
        else if (fabs(loss[i] - scatter.median) >= OFF_TOGETHER && fabs(off) >= FAR_TOGETHER &&
                 scatter_rank_p(score[i].rank, score[i].count) < UNLIKELY &&
                 fabs(off) >=
                     far_of(&group->together, group->nodes, score[i].node, BY_CHANCE_TOGETHER, FAR_TOGETHER))
            name_outlier(fleet, score[i].node, NULL, what, exp(loss[i]), exp(scatter.median), off);
    }
    free(loss);
    if (!judged || !naming)
        return NAN;
    const double far = far_of(&group->together, group->nodes, UINT32_MAX, BY_CHANCE_TOGETHER, FAR_TOGETHER);
    const double share = expm1(fmax(far * scatter.deviation, OFF_TOGETHER));
    return share < 1 ? share : NAN;
}

/* Most of its answers were held against those of the others. */
static bool is_judged(const struct node *node)
{
    return node->judged > 0 && 2 * node->judged >= node->values;
}

static int compare_losses(const void *a, const void *b)
{
    const struct score *first = a, *second = b;
    return (first->loss > second->loss) - (first->loss < second->loss);
}

/* The machines of a group in the order of what they lose, for the picture; how many were judged, and what would have named one. */
static void add_group(const struct fleet *fleet, uint32_t number, struct score *score, size_t count,
                      double together)
{
    const struct group *group = &fleet->group.of[number];
    size_t judged = 0, outliers = 0;
    qsort(score, count, sizeof(*score), compare_losses);
    for (size_t i = 0; i < count; i++) {
        const struct node *node = &fleet->node.of[score[i].node];
        record_row(fleet->record, fleet->scores,
                   (const struct cell[]){INTEGER_CELL(i + 1), TEXT_CELL(group->name), TEXT_CELL(node->name),
                                         REAL_CELL(100 * expm1(score[i].loss)),
                                         TEXT_CELL(node->is_outlier ? node->name : NULL)});
    }
    for (size_t i = 0; i < fleet->node.count; i++) {
        judged += fleet->node.of[i].group == number && is_judged(&fleet->node.of[i]);
        outliers += fleet->node.of[i].group == number && fleet->node.of[i].is_outlier;
    }
    for (size_t i = 0; i < fleet->family.count; i++) {
        const struct family *family = &fleet->family.of[i];
        if (family->group == number)
            record_row(fleet->record, fleet->families,
                       (const struct cell[]){
                           TEXT_CELL(family->name), TEXT_CELL(fleet->group.count > 1 ? group->name : NULL),
                           REAL_CELL(2 * family->blind > family->series ? NAN : 100 * family->alone),
                           REAL_CELL(100 * family->together)});
    }
    record_row(fleet->record, fleet->families,
               (const struct cell[]){TEXT_CELL("all findings"),
                                     TEXT_CELL(fleet->group.count > 1 ? group->name : NULL), NO_CELL,
                                     REAL_CELL(100 * together)});
    record_row(fleet->record, fleet->groups,
               (const struct cell[]){TEXT_CELL(group->name), INTEGER_CELL(group->nodes), INTEGER_CELL(judged),
                                     INTEGER_CELL(outliers)});
}

static int compare_sets(const void *a, const void *b)
{
    const struct value *first = a, *second = b;
    if (first->set != second->set)
        return first->set < second->set ? -1 : 1;
    return (first->node > second->node) - (first->node < second->node);
}

/* Each family by itself, or all answers of each group. */
static void judge_sets(struct fleet *fleet, bool families, bool naming)
{
    struct value *value = fleet->value.of;
    struct score *score = memory_zeroed(fleet->node.count, sizeof(*score));
    for (size_t i = 0; i < fleet->value.count; i++) {
        const uint32_t family = fleet->series.of[value[i].series].family;
        value[i].set = families ? family : fleet->family.of[family].group;
    }
    if (fleet->value.count > 0)
        qsort(value, fleet->value.count, sizeof(*value), compare_sets);
    const size_t sets = families ? fleet->family.count : fleet->group.count;
    for (size_t set = 0, begin = 0, end = 0; set < sets; set++, begin = end) {
        while (end < fleet->value.count && value[end].set == set)
            end++;
        const size_t scores = find_scores(value + begin, end - begin, score);
        const double together = judge_scores(fleet, families ? fleet->family.of[set].name : "all findings",
                                             score, scores, naming);
        if (families)
            fleet->family.of[set].together = together;
        else if (naming)
            add_group(fleet, (uint32_t)set, score, scores, together);
    }
    free(score);
}

static enum status add_verdict(struct fleet *fleet)
{
    size_t outliers = 0, judged = 0;
    struct text text = {0}, subject = {0};
    for (size_t i = 0; i < fleet->node.count; i++) {
        outliers += fleet->node.of[i].is_outlier;
        judged += is_judged(&fleet->node.of[i]);
    }
    const enum status status = outliers                         ? STATUS_FAILED
                               : !judged                        ? STATUS_USAGE
                               : 2 * judged < fleet->node.count ? STATUS_UNTRUSTED
                                                                : STATUS_OK;
    text_printf(&text, "%s%zu outlier%s among %zu machines in %zu group%s",
                status == STATUS_USAGE       ? "NO VERDICT  "
                : status == STATUS_UNTRUSTED ? "UNDECIDED  "
                                             : "",
                outliers, outliers == 1 ? "" : "s", fleet->node.count, fleet->group.count,
                fleet->group.count == 1 ? "" : "s");
    if (judged < fleet->node.count)
        text_printf(&text, "; not judged: %zu, of too few alike (%d at least) or without values",
                    fleet->node.count - judged, SCATTER_LEAST);
    record_answer(fleet->record,
                  (struct answer){.key = "compare.verdict",
                                  .value = TEXT_CELL(status == STATUS_FAILED      ? "outliers"
                                                     : status == STATUS_USAGE     ? "nothing to compare"
                                                     : status == STATUS_UNTRUSTED ? "cannot tell"
                                                                                  : "same"),
                                  .trust = TRUST_HIGH,
                                  .text = text.data});
    record_answer_first(fleet->record, 0);
    text_printf(&subject, "%zu machines", fleet->node.count);
    RECORD_FACTS(fleet->record, {"run.subject", .value = TEXT_CELL(subject.data)});
    text_free(&subject);
    text_free(&text);
    return status;
}

enum status fleet_judge(struct fleet *fleet)
{
    struct value *value = fleet->value.of;
    fleet->outliers = record_table_add(fleet->record, &table_specs[OUTLIERS]);
    fleet->families = record_table_add(fleet->record, &table_specs[FAMILIES]);
    fleet->groups = record_table_add(fleet->record, &table_specs[GROUPS]);
    fleet->scores = record_table_add(fleet->record, &table_specs[MACHINES]);
    for (size_t i = 0; i < fleet->value.count; i++)
        value[i].set = value[i].series;
    if (fleet->value.count > 0)
        qsort(value, fleet->value.count, sizeof(*value), compare_sets);
    for (size_t i = 0, end; i < fleet->value.count; i = end) {
        for (end = i + 1; end < fleet->value.count && value[end].series == value[i].series;)
            end++;
        judge_series(fleet, &fleet->series.of[value[i].series], &value[i], end - i);
    }
    name_alone(fleet);
    for (size_t i = 0; i < fleet->series.count; i++)
        find_alone(fleet, &fleet->series.of[i]);
    for (int naming = 0; naming < 2; naming++) {
        judge_sets(fleet, true, naming);
        judge_sets(fleet, false, naming);
    }
    return add_verdict(fleet);
}
