/* SPDX-License-Identifier: MIT */
/* The article's three chains at every number of pairs, and what they are measured against. */
#include <math.h>
#include <stdio.h>

#include "engine/published.h"
#include "judge.h"

static const char l1_hit[] = "L1 hit, load to use", contained[] = "contained, 2 bytes in",
                  partial[] = "partial overlap, 2 bytes missing", apart[] = "no overlap",
                  fast_address[] = "fast address", fast_data[] = "fast data",
                  no_reuse[] = "fast data, no address reuse";

static const struct stlf_series series[] = {
    {l1_hit, OPERATION_LATENCY, 8, 0, .pairs = {STLF_UNROLL_MAX}},
    {fast_address, OPERATION_FORWARD_FA, 8, 4},
    {fast_data, OPERATION_FORWARD_FD_POINTER, 8, 8},
    {no_reuse, OPERATION_FORWARD_FD_POINTER_APART, 8, 8},
    {contained, OPERATION_FORWARD_FA, 8, 4, 0, 2, .pairs = {STLF_UNROLL_MAX}},
    {partial, OPERATION_FORWARD_FA, 8, 4, 2, 0, .pairs = {STLF_UNROLL_MAX}},
    {apart, OPERATION_FORWARD_FA, 8, 4, 0, 32, .pairs = {STLF_UNROLL_MAX}},
};

static const struct table_spec summary_table = {
    .name = "summary",
    .title = "Store-to-load forwarding",
    .note =
        "Time of a pair of a store and a dependent load, lower quartile. pairs: in one pass of the loop.\n"
        "fast address: only the stored data is late. fast data: only the store's address is late.",
    .columns = stlf_point_columns,
    .column_count = C_STORE_AT,
};

/* People see the knees of these curves as answers; --sweep unroll draws them, with more of their kind. */
static const struct table_spec curves_table = {
    .name = "chains_by_pairs",
    .columns = stlf_point_columns,
    .column_count = C_STORE_AT,
    .view = {.kind = VIEW_HIDDEN, .x = C_PAIRS, .y = -1, .value = C_CYCLES, .series = C_SERIES},
};

static bool is_of_a_curve(const struct stlf_point *point)
{
    return point->series == fast_address || point->series == fast_data || point->series == no_reuse;
}

static bool is_shown(const struct stlf_point *point)
{
    return point->pairs == 1 || point->pairs == STLF_FEW_PAIRS || point->pairs == STLF_UNROLL_MAX;
}

/* Of L1's latency: what high trust allows within the core. */
static const double L1_OFF = 0.02;

bool stlf_is_plausible_l1(double cycles, bool idle, double published)
{
    return !(cycles < (1 - L1_OFF) * published) && !(idle && fabs(cycles - round(cycles)) > L1_OFF * cycles);
}

/* A value that no core has is none; the remark has it. */
void stlf_say_l1(const struct stlf_set *set, size_t point)
{
    const struct estimate *e = &set->estimate[point];
    const double published = published_range(cpu_core(set->stlf->run->cpu), "l1_latency").least;
    const bool is_possible = stlf_is_plausible_l1(e->value, set->state == STATE_IDLE, published);
    struct text remark = {0};
    if (!is_possible)
        text_printf(&remark, "%.2f is %s", e->value,
                    e->value < published ? "less than published" : "no whole number");
    stlf_add(set,
             (struct answer){.key = "stlf.l1_latency",
                             .label = "L1 load to use",
                             .unit = "core cycles",
                             .remark = remark.data},
             is_possible ? e : NULL,
             is_possible ? stlf_judge(set, e, 0) : (struct verdict){TRUST_LOW, LEG_PLAUSIBILITY});
    text_free(&remark);
}

static void say_renamed(const struct stlf_set *set, const char *key, const char *label_of, size_t at,
                        size_t count)
{
    const struct estimate *curve = &set->estimate[at];
    const double l1 = stlf_levels_in(set->stlf, set->state).l1;
    const size_t pairs = stlf_renamed_pairs(curve, count, STLF_WHOLE, l1);
    const struct stlf_plateaus plateaus = stlf_plateaus(curve, count, STLF_WHOLE);
    const struct estimate *middle = stlf_middle(curve, &plateaus.of[0]);
    struct text pairs_key = {0}, label = {0}, remark = {0};
    if (pairs == 0 && is_renamed(curve->value, l1)) /* no end was found */
        return;
    text_printf(&label, "%s, renamed", label_of);
    if (pairs > 0)
        stlf_add(set, (struct answer){.key = key, .label = label.data}, middle, stlf_judge(set, middle, 0));
    middle = &curve[pairs ? (pairs - 1) / 2 : 0];
    struct verdict verdict = stlf_judge_renamed_pairs(curve, count, l1);
    if (stlf_judge(set, middle, 0).trust == TRUST_LOW)
        verdict = (struct verdict){TRUST_LOW, LEG_PRECISION, .within_absolute = 1};
    if (middle->unproved) /* a busy sibling halves them */
        verdict = verdict_lesser(verdict, (struct verdict){TRUST_MEDIUM, LEG_PLAUSIBILITY});
    text_free(&label);
    text_printf(&label, "%s, pairs renamed", label_of);
    text_printf(&pairs_key, "%s_pairs", key);
    text_printf(&remark, "%u bytes each", stlf_bytes_a_pair(set->point[at].kernel));
    stlf_add(set,
             (struct answer){.key = pairs_key.data,
                             .label = label.data,
                             .value = INTEGER_CELL(pairs),
                             .unit = "pairs",
                             .samples = middle->summary.count,
                             .remark = remark.data},
             NULL, verdict);
    text_free(&pairs_key);
    text_free(&label);
    text_free(&remark);
}

/* Beyond the renamed by the value of the most pairs, which rests on each plateau there and on the knees between. */
void stlf_say_curve(const struct stlf_set *set, const char *key, const char *renamed, const char *name,
                    const char *label_of)
{
    size_t count;
    const size_t at = stlf_series_at(set, name, &count);
    if (count == 0)
        return;
    const struct estimate *curve = &set->estimate[at], *last = &curve[count - 1];
    const struct stlf_plateaus plateaus = stlf_plateaus(curve, count, STLF_WHOLE);
    const struct stlf_levels levels = stlf_levels_in(set->stlf, set->state);
    struct verdict verdict = verdict_lesser(stlf_judge(set, last, 0), stlf_judge_knees(curve, count));
    double low = INFINITY, high = -INFINITY;
    int from = 0;
    if (stlf_may_be_renamed(&set->point[at]))
        say_renamed(set, renamed, label_of, at, count);
    while (from < plateaus.count && is_renamed(plateaus.of[from].cycles, levels.l1))
        from++;
    if (from == plateaus.count)
        return;
    for (int i = from; i < plateaus.count; i++) {
        verdict = verdict_lesser(verdict, stlf_judge(set, stlf_middle(curve, &plateaus.of[i]), 0));
        low = fmin(low, plateaus.of[i].low);
        high = fmax(high, plateaus.of[i].high);
    }
    const char *word = stlf_word(&levels, &set->point[at], last->value);
    struct text label = {0}, remark = {0};
    text_printf(&label, "%s, %zu pairs", label_of, count);
    text_printf(&remark, "%s%s%.1f to %.1f from %zu", word ? word : "", word ? ", " : "", low, high,
                plateaus.of[from].first + 1);
    stlf_add(set, (struct answer){.key = key, .label = label.data, .remark = remark.data}, last, verdict);
    text_free(&label);
    text_free(&remark);
}

/* Levels first: the verdicts in answers and rows compare with those of the same state. */
static void report(const struct stlf_set *set)
{
    size_t count;
    const struct estimate *of = set->estimate;
    const size_t l1 = stlf_series_at(set, l1_hit, &count), served = stlf_series_at(set, contained, &count);
    const double blocked = of[stlf_series_at(set, partial, &count)].value;
    const double independent = of[stlf_series_at(set, apart, &count)].value;
    const size_t chain = stlf_series_at(set, fast_address, &count);
    set->stlf->levels[set->state] =
        (struct stlf_levels){.l1 = of[l1].value,
                             .independent = independent,
                             .partial = blocked,
                             .forwarded = stlf_forwarded(&of[served], &of[chain], count, of[l1].value),
                             .blocked = blocked};
    stlf_say_l1(set, l1);
    stlf_say_curve(set, "stlf.fast_address", "stlf.renamed", fast_address, fast_address);
    stlf_say_curve(set, "stlf.fast_data", "stlf.fast_data.renamed", fast_data, fast_data);
    stlf_say_curve(set, "stlf.fast_data_no_reuse", "stlf.fast_data_no_reuse.renamed", no_reuse,
                   "fast data, no reuse");
}

const struct stlf_sweep stlf_summary = {{{&summary_table, is_shown}, {&curves_table, is_of_a_curve}},
                                        series,
                                        sizeof series / sizeof series[0],
                                        0.35,
                                        report,
                                        .both = true};
