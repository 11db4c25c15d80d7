/* SPDX-License-Identifier: MIT */
/* Which machines lie off the others. One answer alone has to lie far off the others of its kind, because each machine has dozens and
 * some are always odd. Answers of a family, or all of a machine, are judged together by the median of what they lose: what hits one of them
 * moves it little, so it sees less. A rank test has to agree. How far is far follows from how the others of the group lie,
 * whatever their noise. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fleet_data.h"
#include "judge.h"
#include "uarchprobe/status.h"

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

static const struct column group_columns[] = {{"group", "group", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                              {"nodes", "machines", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
                                              {"judged", "judged", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
                                              {"outliers", "outliers", NULL, CELL_INTEGER, ROLE_MEASURE, 0}};
static const struct column outlier_columns[] = {{"node", "machine", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                                {"what", "what", NULL, CELL_TEXT, ROLE_PARAMETER, 0},
                                                {"unit", "unit", NULL, CELL_TEXT, ROLE_LABEL, 0},
                                                {"value", "value", NULL, CELL_REAL, ROLE_MEASURE, 2},
                                                {"median", "median of all", NULL, CELL_REAL, ROLE_MEASURE, 2},
                                                {"change", "off", "%", CELL_REAL, ROLE_MEASURE, 1},
                                                {"z", "robust z", NULL, CELL_REAL, ROLE_MEASURE, 1}};
static const struct column score_columns[] = {
    {"place", "place", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"group", "group", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    {"node", "machine", NULL, CELL_TEXT, ROLE_LABEL, 0},
    {"loss", "slower than the median", "%", CELL_REAL, ROLE_MEASURE, 2},
    {"outlier", "outlier", NULL, CELL_TEXT, ROLE_LABEL, 0}};

static const struct table_spec group_table = {.name = "groups",
                                              .title = "Machines that ought to be alike",
                                              .columns = group_columns,
                                              .column_count = 4};
static const struct table_spec outlier_table = {.name = "outliers",
                                                .title = "Outliers",
                                                .note =
                                                    "Off: from the median of the group. Robust z: in "
                                                    "standard deviations by the median absolute deviation.",
                                                .columns = outlier_columns,
                                                .column_count = 7};
static const struct table_spec score_table = {
    .name = "machines",
    .title = "Machines by what they lose in the median of their findings",
    .columns = score_columns,
    .column_count = 5,
    .view = {.kind = VIEW_CURVE, .x = 0, .y = -1, .value = 3, .series = 1, .flag = 4}};

static int compare_values(const void *a, const void *b)
{
    const struct value *first = a, *second = b;
    if (first->series != second->series)
        return first->series < second->series ? -1 : 1;
    return (first->node > second->node) - (first->node < second->node);
}

/* Unit of what several answers lose. */
static const char together[] = "times the time";

static void name_outlier(struct fleet *fleet, uint32_t node, const char *what, const char *unit, double value,
                         double median, double z)
{
    const double off = 100 * (value / median - 1);
    const char *name;
    const double shown = value_shown(value, unit, &name), middle = value_shown(median, unit, &name);
    char text[400];
    fleet->node.of[node].is_outlier = true;
    record_row(fleet->record, fleet->outliers,
               (const struct cell[]){TEXT_CELL(fleet->node.of[node].name), TEXT_CELL(what), TEXT_CELL(name),
                                     REAL_CELL(shown), REAL_CELL(middle), REAL_CELL(off), REAL_CELL(z)});
    if (unit == together)
        snprintf(text, sizeof(text), "OUTLIER %.80s: %.80s %s by %.1f %% (robust z %.1f)",
                 fleet->node.of[node].name, what, off > 0 ? "slower" : "faster", fabs(off), z);
    else
        snprintf(text, sizeof(text), "OUTLIER %.80s: %.80s %.4g%s%s, median %.4g (%+.1f %%, robust z %.1f)",
                 fleet->node.of[node].name, what, shown, *name ? " " : "", name, middle, off, z);
    record_answer(fleet->record, (struct answer){.key = "fleet.outlier",
                                                 .value = TEXT_CELL(fleet->node.of[node].name),
                                                 .trust = TRUST_HIGH,
                                                 .text = text});
}

static struct group *group_of(const struct fleet *fleet, uint32_t node)
{
    return &fleet->group.of[fleet->node.of[node].group];
}

static void tail_add(struct tail *tail, uint32_t node, double off)
{
    if (tail->count == tail->capacity) {
        tail->capacity = tail->capacity ? 2 * tail->capacity : 256;
        tail->of = memory_grow(tail->of, tail->capacity * sizeof(*tail->of));
    }
    tail->of[tail->count].node = node;
    tail->of[tail->count++].off = (float)fabs(off);
}

/* Of few machines, the one in question is left out: it would hide itself. */
static bool is_far(struct tail *tail, size_t nodes, uint32_t node, double off, double p, double least)
{
    if (!(fabs(off) >= least) || (tail->far > 0 && nodes >= MANY))
        return fabs(off) >= fmax(least, tail->far);
    double *others = memory_zeroed(tail->count, sizeof(*others));
    size_t count = 0;
    for (size_t i = 0; i < tail->count; i++) {
        if (nodes >= MANY || tail->of[i].node != node)
            others[count++] = (double)tail->of[i].off;
    }
    tail->far = crowd_far(others, count, p, least);
    free(others);
    return fabs(off) >= tail->far;
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
    const bool judged = median != 0 && crowd_of(sorted, count, LEAST_ALONE, &series->crowd);
    series->judged = judged;
    series->count = count;
    values_sort(sorted, count);
    series->median = median;
    for (size_t i = 0; i < count && judged; i++) {
        const double loss = (double)value[i].loss;
        value[i].off = (float)crowd_z(&series->crowd, loss);
        value[i].rank = (float)crowd_rank(sorted, count, loss);
        fleet->node.of[value[i].node].judged++;
        tail_add(&group_of(fleet, value[i].node)->alone, value[i].node, (double)value[i].off);
    }
    for (size_t i = 0; i < count && judged; i++)
        sorted[i] = fabs((double)value[i].off);
    series->far = judged && count >= MANY ? crowd_far(sorted, count, BY_CHANCE_ALONE, FAR_ALONE) : 0;
    for (size_t i = 0; i < count; i++)
        value[i].loss = judged && direction != DIRECTION_NONE ? value[i].loss : NAN;
    free(sorted);
}

/* An answer of low trust may be off by itself, on any machine: others of its family have to be off too. Of many machines each kind of answer says itself what is far; of few, all of them together, and a share is asked as well. */
static void name_alone(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->value.count; i++) {
        const struct value *value = &fleet->value.of[i];
        const struct series *series = &fleet->series.of[value->series];
        struct group *group = group_of(fleet, value->node);
        const double off = fabs((double)value->off);
        const bool far = series->far > 0 ? off >= series->far
                                         : fabs((double)value->value / series->median - 1) >= OFF_ALONE &&
                                               is_far(&group->alone, group->nodes, value->node, off,
                                                      BY_CHANCE_ALONE, FAR_ALONE);
        if (series->judged && !value->low && far)
            name_outlier(fleet, value->node, series->key, series->unit, (double)value->value, series->median,
                         copysign((double)value->off, (double)value->value - series->median));
    }
}

/* What a machine loses in the median of some of its answers, and their mean rank. */
struct scored {
    uint32_t node;
    size_t count;
    double loss, rank;
};

static int compare_nodes(const void *a, const void *b)
{
    const struct value *const *first = a, *const *second = b;
    return ((*first)->node > (*second)->node) - ((*first)->node < (*second)->node);
}

/* One of a machine's. */
static struct scored score_of(const struct value **of, size_t count)
{
    struct scored scored = {of[0]->node, count, NAN, 0};
    double *loss = memory_zeroed(count, sizeof(*loss));
    for (size_t i = 0; i < count; i++) {
        loss[i] = (double)of[i]->loss;
        scored.rank += (double)of[i]->rank / (double)count;
    }
    scored.loss = median_of(loss, count);
    free(loss);
    return scored;
}

/* Of the values that were chosen, a score for each machine that has enough; returns how many. */
static size_t find_scores(const struct value **of, size_t count, struct scored *scored)
{
    size_t scores = 0;
    qsort(of, count, sizeof(*of), compare_nodes);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && of[end]->node == of[i]->node;)
            end++;
        if (end - i >= TOGETHER_LEAST)
            scored[scores++] = score_of(&of[i], end - i);
    }
    return scores;
}

/* First how far each is off, then which of them are named. */
static void judge_scores(struct fleet *fleet, const char *what, struct scored *scored, size_t count,
                         bool naming)
{
    struct crowd crowd;
    double *loss = memory_zeroed(count, sizeof(*loss));
    for (size_t i = 0; i < count; i++)
        loss[i] = scored[i].loss;
    const bool judged = crowd_of(loss, count, LEAST_TOGETHER, &crowd);
    for (size_t i = 0; i < count && judged; i++) {
        const uint32_t node = scored[i].node;
        struct group *group = group_of(fleet, node);
        const double off = crowd_z(&crowd, loss[i]);
        if (!naming)
            tail_add(&group->together, node, off);
        else if (fabs(loss[i] - crowd.median) >= OFF_TOGETHER &&
                 crowd_rank_p(scored[i].rank, scored[i].count) < UNLIKELY &&
                 is_far(&group->together, group->nodes, node, off, BY_CHANCE_TOGETHER, FAR_TOGETHER))
            name_outlier(fleet, node, what, together, exp(loss[i]), exp(crowd.median), off);
    }
    if (judged && naming) {
        struct tail *tail = &group_of(fleet, scored[0].node)->together;
        is_far(tail, 0, UINT32_MAX, INFINITY, BY_CHANCE_TOGETHER, FAR_TOGETHER);
        sight_add(&fleet->together, what, expm1(fmax(tail->far * crowd.deviation, OFF_TOGETHER)));
    }
    free(loss);
}

/* Most of its answers were held against those of the others. */
static bool is_judged(const struct node *node)
{
    return node->judged > 0 && 2 * node->judged >= node->values;
}

static int compare_losses(const void *a, const void *b)
{
    const struct scored *first = a, *second = b;
    return (first->loss > second->loss) - (first->loss < second->loss);
}

/* The machines of a group in the order of what they lose, for the picture. */
static void add_scores(const struct fleet *fleet, uint32_t group, struct scored *scored, size_t count)
{
    size_t judged = 0, outliers = 0;
    qsort(scored, count, sizeof(*scored), compare_losses);
    for (size_t i = 0; i < count; i++) {
        const struct node *node = &fleet->node.of[scored[i].node];
        record_row(fleet->record, fleet->scores,
                   (const struct cell[]){INTEGER_CELL(i + 1), TEXT_CELL(fleet->group.of[group].name),
                                         TEXT_CELL(node->name), REAL_CELL(100 * expm1(scored[i].loss)),
                                         TEXT_CELL(node->is_outlier ? node->name : NULL)});
    }
    for (size_t i = 0; i < fleet->node.count; i++) {
        judged += fleet->node.of[i].group == group && is_judged(&fleet->node.of[i]);
        outliers += fleet->node.of[i].group == group && fleet->node.of[i].is_outlier;
    }
    record_row(fleet->record, fleet->groups,
               (const struct cell[]){TEXT_CELL(fleet->group.of[group].name),
                                     INTEGER_CELL(fleet->group.of[group].nodes), INTEGER_CELL(judged),
                                     INTEGER_CELL(outliers)});
}

/* Families first, then all of a group. */
static void judge_families(struct fleet *fleet, bool naming)
{
    const struct value **of = memory_zeroed(fleet->value.count, sizeof(*of));
    struct scored *scored = memory_zeroed(fleet->node.count, sizeof(*scored));
    for (size_t judged = 0; judged < fleet->family.count + fleet->group.count; judged++) {
        const bool is_family = judged < fleet->family.count;
        const size_t group = judged - fleet->family.count;
        size_t count = 0;
        for (size_t i = 0; i < fleet->value.count; i++) {
            const struct value *value = &fleet->value.of[i];
            const uint32_t family = fleet->series.of[value->series].family;
            const bool meant = is_family ? family == judged : fleet->family.of[family].group == group;
            if (meant && !isnan(value->loss))
                of[count++] = value;
        }
        const size_t scores = find_scores(of, count, scored);
        judge_scores(fleet, is_family ? fleet->family.of[judged].name : "all findings", scored, scores,
                     naming);
        if (!is_family && naming)
            add_scores(fleet, (uint32_t)group, scored, scores);
    }
    free(of);
    free(scored);
}

/* By how much one answer alone has to lie off; NaN: nobody is named by it. */
static double far_alone(struct fleet *fleet, const struct series *series)
{
    struct group *group = &fleet->group.of[fleet->family.of[series->family].group];
    if (!series->judged || 2 * series->low > series->count)
        return NAN;
    if (series->far > 0)
        return expm1(series->far * series->crowd.deviation);
    is_far(&group->alone, group->nodes, UINT32_MAX, INFINITY, BY_CHANCE_ALONE, FAR_ALONE);
    return fmax(expm1(group->alone.far * series->crowd.deviation), OFF_ALONE);
}

static void add_sights(struct fleet *fleet, struct text *out)
{
    struct sight alone = {0};
    for (size_t i = 0; i < fleet->series.count; i++)
        sight_add(&alone, fleet->series.of[i].key, far_alone(fleet, &fleet->series.of[i]));
    text_add(out, "; would have named a machine by one finding off by ");
    sight_write(&alone, out);
    text_add(out, fleet->together.count ? "; by all of a family off by " : "");
    sight_write(&fleet->together, out);
    sight_free(&alone);
}

static enum status add_verdict(struct fleet *fleet)
{
    size_t outliers = 0, judged = 0;
    struct text text = {0};
    for (size_t i = 0; i < fleet->node.count; i++) {
        outliers += fleet->node.of[i].is_outlier;
        judged += is_judged(&fleet->node.of[i]);
    }
    const enum status status = outliers                         ? STATUS_FAILED
                               : !judged                        ? STATUS_USAGE
                               : 2 * judged < fleet->node.count ? STATUS_UNTRUSTED
                                                                : STATUS_OK;
    text_printf(&text, "%s: %zu outlier%s among %zu machines in %zu group%s",
                status == STATUS_FAILED      ? "FAIL"
                : status == STATUS_USAGE     ? "NO VERDICT"
                : status == STATUS_UNTRUSTED ? "UNDECIDED"
                                             : "PASS",
                outliers, outliers == 1 ? "" : "s", fleet->node.count, fleet->group.count,
                fleet->group.count == 1 ? "" : "s");
    if (judged < fleet->node.count)
        text_printf(&text, "; not judged: %zu, of too few alike (%d at least) or without values",
                    fleet->node.count - judged, CROWD_LEAST);
    if (judged)
        add_sights(fleet, &text);
    record_answer(fleet->record,
                  (struct answer){.key = "compare.verdict",
                                  .value = TEXT_CELL(status == STATUS_FAILED      ? "outliers"
                                                     : status == STATUS_USAGE     ? "nothing to compare"
                                                     : status == STATUS_UNTRUSTED ? "cannot tell"
                                                                                  : "same"),
                                  .trust = TRUST_HIGH,
                                  .text = text.data});
    record_answer_first(fleet->record, 0);
    text.length = 0;
    text_printf(&text, "%zu machines", fleet->node.count);
    RECORD_FACTS(fleet->record, {"run.subject", .value = TEXT_CELL(text.data)});
    text_free(&text);
    return status;
}

enum status fleet_judge(struct fleet *fleet)
{
    struct value *value = fleet->value.of;
    fleet->groups = record_table_add(fleet->record, &group_table);
    fleet->outliers = record_table_add(fleet->record, &outlier_table);
    fleet->scores = record_table_add(fleet->record, &score_table);
    if (fleet->value.count > 0)
        qsort(value, fleet->value.count, sizeof(*value), compare_values);
    for (size_t i = 0, end; i < fleet->value.count; i = end) {
        for (end = i + 1; end < fleet->value.count && value[end].series == value[i].series;)
            end++;
        judge_series(fleet, &fleet->series.of[value[i].series], &value[i], end - i);
    }
    name_alone(fleet);
    judge_families(fleet, false);
    judge_families(fleet, true);
    return add_verdict(fleet);
}
