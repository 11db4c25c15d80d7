/* SPDX-License-Identifier: MIT */
/* Which machines lie off the others. One finding alone has to lie far off, because each machine has dozens and some are always
 * odd. Findings of a family, or all of a machine, are judged together by the median of what they lose: what hits one of them
 * moves it little, so it sees less. A rank test has to agree. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fleet_data.h"
#include "judge.h"
#include "result/record_internal.h"
#include "uarchprobe/status.h"

enum { TOGETHER_LEAST = 4, OUTLIERS_SAID = 50 };

/* Robust deviations and shares from which a machine is named: one in a thousand at most may be by chance. */
static const double FAR_ALONE = 12, OFF_ALONE = 0.4, FAR_TOGETHER = 5, OFF_TOGETHER = 0.04, UNLIKELY = 0.02;
/* Values of equal machines differ by this at the least. */
static const double LEAST_ALONE = 0.01, LEAST_TOGETHER = 0.005;

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
    if (fleet->found++ >= OUTLIERS_SAID)
        return;
    snprintf(text, sizeof(text),
             "OUTLIER %.80s: %.80s %.4g%s%s, %.4g in the median (%+.1f %%, robust z %.1f)",
             fleet->node.of[node].name, what, shown, *name ? " " : "", name, middle, off, z);
    record_finding(fleet->record, (struct finding){.key = "fleet.outlier",
                                                   .value = TEXT_CELL(fleet->node.of[node].name),
                                                   .trust = TRUST_HIGH,
                                                   .text = text});
}

/* The values of one series: what each loses against the median, its rank, and those that lie far off by themselves. */
static void judge_series(struct fleet *fleet, struct series *series, struct value *value, size_t count)
{
    const enum direction direction = direction_of_unit(series->unit);
    double *sorted = memory_zeroed(count, sizeof(*sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i] = (double)value[i].value;
    const bool judged = crowd_of(sorted, count, LEAST_ALONE, &series->crowd) && series->crowd.median != 0;
    values_sort(sorted, count);
    for (size_t i = 0; i < count && judged; i++) {
        const double z = crowd_z(&series->crowd, (double)value[i].value);
        const double off = (double)value[i].value / series->crowd.median - 1;
        const double rank = crowd_rank(sorted, count, (double)value[i].value);
        if (direction != DIRECTION_NONE) {
            value[i].loss = (float)(direction == DIRECTION_HIGHER ? -off : off);
            value[i].rank = (float)(direction == DIRECTION_HIGHER ? 1 - rank : rank);
        }
        if (fabs(z) >= FAR_ALONE && fabs(off) >= OFF_ALONE)
            name_outlier(fleet, value[i].node, series->key, series->unit, (double)value[i].value,
                         series->crowd.median, z);
    }
    free(sorted);
}

/* What a machine loses in the median of some of its findings, and their mean rank. */
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

static void judge_scores(struct fleet *fleet, const char *what, const struct scored *scored, size_t count)
{
    struct crowd crowd;
    double *time = memory_zeroed(count, sizeof(*time));
    for (size_t i = 0; i < count; i++)
        time[i] = 1 + scored[i].loss;
    if (crowd_of(time, count, LEAST_TOGETHER, &crowd)) {
        for (size_t i = 0; i < count; i++) {
            const double z = crowd_z(&crowd, time[i]);
            if (fabs(z) >= FAR_TOGETHER && fabs(time[i] - crowd.median) >= OFF_TOGETHER &&
                crowd_rank_p(scored[i].rank, scored[i].count) < UNLIKELY)
                name_outlier(fleet, scored[i].node, what, "times the time", time[i], crowd.median, z);
        }
    }
    free(time);
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
                                         TEXT_CELL(node->name), REAL_CELL(100 * scored[i].loss),
                                         TEXT_CELL(node->is_outlier ? node->name : NULL)});
    }
    for (size_t i = 0; i < fleet->node.count; i++) {
        judged += fleet->node.of[i].group == group && fleet->node.of[i].is_judged;
        outliers += fleet->node.of[i].group == group && fleet->node.of[i].is_outlier;
    }
    record_row(fleet->record, fleet->groups,
               (const struct cell[]){TEXT_CELL(fleet->group.of[group].name),
                                     INTEGER_CELL(fleet->group.of[group].nodes), INTEGER_CELL(judged),
                                     INTEGER_CELL(outliers)});
}

/* Families first, then all of a group. */
static void judge_families(struct fleet *fleet)
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
        judge_scores(fleet, is_family ? fleet->family.of[judged].name : "all findings", scored, scores);
        if (!is_family)
            add_scores(fleet, (uint32_t)group, scored, scores);
    }
    free(of);
    free(scored);
}

static enum status add_verdict(struct fleet *fleet)
{
    size_t outliers = 0, judged = 0, few = 0;
    char text[300];
    for (size_t i = 0; i < fleet->node.count; i++) {
        const bool alone = fleet->group.of[fleet->node.of[i].group].nodes < CROWD_LEAST;
        outliers += fleet->node.of[i].is_outlier;
        judged += fleet->node.of[i].is_judged && !alone;
        few += alone;
    }
    snprintf(text, sizeof(text),
             "%s: %zu outliers among %zu machines in %zu groups; not judged: %zu of low trust, %zu in groups "
             "of fewer than %d",
             !judged    ? "NO VERDICT"
             : outliers ? "FAIL"
                        : "PASS",
             outliers, fleet->node.count, fleet->group.count, fleet->node.count - few - judged, few,
             CROWD_LEAST);
    record_finding(fleet->record, (struct finding){.key = "compare.verdict",
                                                   .value = TEXT_CELL(!judged    ? "nothing to compare"
                                                                      : outliers ? "outliers"
                                                                                 : "same"),
                                                   .trust = TRUST_HIGH,
                                                   .text = text});
    record_finding_first(fleet->record, 0);
    return !judged ? STATUS_USAGE : outliers ? STATUS_FAILED : STATUS_OK;
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
    judge_families(fleet);
    return add_verdict(fleet);
}
