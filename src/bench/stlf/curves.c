/* SPDX-License-Identifier: MIT */
/* Curves over the number of pairs in a loop: the article's three chains with what they are measured against, and sweeps with
 * more of their kind. Up to so many pairs a load is renamed, beyond that it takes a level or a ramp. */
#include <math.h>
#include <stdlib.h>

#include "engine/published.h"
#include "stlf.h"

enum { CURVE_MAX = STLF_UNROLL_MAX };

/* The middle one of three leaves steps where they are, and one point of 545 cycles among 33 is none. A pass of one pair may cost
 * a jump that longer ones do not. */
static void smooth(const struct stlf_curve *curve, enum stlf_which which, double value[CURVE_MAX])
{
    for (size_t i = 0; i < curve->count; i++) {
        double near[3] = {NAN, stlf_value_of(&curve->of[i], which), NAN};
        if (i > 0)
            near[0] = stlf_value_of(&curve->of[i - 1], which);
        if (i + 1 < curve->count)
            near[2] = stlf_value_of(&curve->of[i + 1], which);
        value[i] = i == 0 ? fmin(near[1], near[2]) : i + 1 == curve->count ? near[1] : median_of(near, 3);
    }
}

/* For how many pairs, from one on, the load stays renamed: at most half a cycle and a quarter more than the middle one of what takes
 * less than L1. 0: not at all. */
static size_t renamed_pairs(const struct stlf_curve *curve, enum stlf_which which, double l1)
{
    double value[CURVE_MAX];
    size_t below = 0, pairs = 0;
    smooth(curve, which, value);
    while (below < curve->count && is_renamed(value[below], l1))
        below++;
    const double level = median_of(value, below);
    while (pairs < below && value[pairs] <= level + fmax(0.5, 0.25 * level))
        pairs++;
    return pairs;
}

/* Of a number of pairs in the whole run and its halves: high promises one. */
static struct verdict judge_pairs(double whole, double first, double second)
{
    const double least = fmin(whole, fmin(first, second));
    const double apart = fmax(whole, fmax(first, second)) - least;
    const enum trust trust = apart <= 1 && (least > 0 || apart == 0) ? TRUST_HIGH
                             : apart <= 0.1 * least                  ? TRUST_MEDIUM
                                                                     : TRUST_LOW;
    return (struct verdict){trust, trust == TRUST_HIGH ? LEG_NONE : LEG_REPETITION};
}

/* Whether the knees of a curve stand where they do in both halves of the run: one that moves by some pairs leaves as many points
 * that differ by its height, of which half a cycle and a quarter is the least. */
static struct verdict judge_knees(const struct stlf_curve *curve)
{
    const double count = (double)curve->count;
    double first[CURVE_MAX], second[CURVE_MAX], same = 0;
    smooth(curve, STLF_FIRST, first);
    smooth(curve, STLF_SECOND, second);
    for (size_t i = 0; i < curve->count; i++)
        same += fabs(first[i] - second[i]) <= fmax(0.5, 0.25 * fmin(first[i], second[i]));
    return judge_pairs(count, count, same);
}

/* The answers of a series: cycles of what is renamed, for how many pairs, and what it takes beyond. That is the value of the most
 * pairs, which rests on the middle one there and on the knees. */
static void say_curve(const struct stlf_set *set, const char *key, const char *renamed, const char *name,
                      const char *label)
{
    const struct stlf_curve curve = stlf_curve(set, name);
    const double l1 = stlf_levels_in(set->stlf, set->state).l1;
    double value[CURVE_MAX], low = INFINITY, high = -INFINITY;
    if (curve.count == 0 || isnan(l1))
        return;
    const size_t pairs = renamed_pairs(&curve, STLF_WHOLE, l1);
    struct verdict ends = judge_pairs((double)pairs, (double)renamed_pairs(&curve, STLF_FIRST, l1),
                                      (double)renamed_pairs(&curve, STLF_SECOND, l1));
    const struct estimate *last = &curve.of[curve.count - 1],
                          *half_way = &curve.of[pairs ? (pairs - 1) / 2 : 0];
    struct verdict beyond = verdict_lesser(verdict_lesser(stlf_judge(last, 0), judge_knees(&curve)), ends);
    if (stlf_may_be_renamed(curve.point)) {
        const struct estimate *middle = stlf_middle(curve.of, pairs);
        if (pairs > 0)
            stlf_add(set, renamed, stlf_words("%s, renamed", label), NULL, middle, stlf_judge(middle, 0));
        if (stlf_judge(half_way, 0).trust == TRUST_LOW)
            ends = (struct verdict){TRUST_LOW, LEG_PRECISION};
        if (half_way->unproved) /* a busy sibling halves them */
            ends = verdict_lesser(ends, (struct verdict){TRUST_MEDIUM, LEG_PLAUSIBILITY});
        ends.within_absolute = 1;
        stlf_say(
            set,
            (struct answer){.key = stlf_words("%s_pairs", renamed),
                            .label = stlf_words("%s, pairs renamed", label),
                            .value = INTEGER_CELL(pairs),
                            .unit = "pairs",
                            .samples = half_way->summary.count,
                            .remark = stlf_words("%u bytes each", stlf_bytes_a_pair(curve.point->kernel))},
            ends);
    }
    smooth(&curve, STLF_WHOLE, value);
    const double most = median_of(value + pairs, curve.count - pairs);
    size_t from = pairs;
    while (from < curve.count && !(value[from] >= 0.8 * most)) /* on the way up */
        from++;
    if (from == curve.count)
        return;
    for (size_t i = from; i < curve.count; i++) {
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    beyond = verdict_lesser(beyond, stlf_judge(stlf_middle(curve.of + from, curve.count - from), 0));
    stlf_add(set, key, stlf_words("%s, %zu pairs", label, curve.count),
             stlf_words("%.1f-%.1f from %zu", low, high, from + 1), last, beyond);
}

/* Of L1's latency: what high trust allows within the core. */
static const double L1_OFF = 0.02;

/* A core's latency is a whole number where nothing shares the core, and never less than what is published: a clock that a sibling
 * slows while it is read makes cycles too few. A value that no core has is none; the remark has it. */
static void say_l1(const struct stlf_set *set, const struct estimate *e)
{
    const char *const key = "stlf.l1_latency", *const label = "L1 load to use";
    const double published = published_range(cpu_core(set->stlf->run->cpu), "l1_latency").least;
    const bool is_less = e->value < (1 - L1_OFF) * published;
    const bool is_broken = set->state == STATE_IDLE && fabs(e->value - round(e->value)) > L1_OFF * e->value;
    if (is_less || is_broken)
        stlf_say(set,
                 (struct answer){.key = key,
                                 .label = label,
                                 .unit = "core cycles",
                                 .remark = stlf_words("%.2f is %s", e->value,
                                                      is_less ? "less than published" : "no whole number")},
                 (struct verdict){TRUST_LOW, LEG_PLAUSIBILITY});
    else
        stlf_add(set, key, label, NULL, e, stlf_judge(e, 0));
}

static const char l1_hit[] = "L1 hit, load to use", by_offset[] = "by offset",
                  fast_address[] = "fast address";

static const struct stlf_series of_summary[] = {
    {l1_hit, OPERATION_LATENCY, 8, 0, .pairs = {STLF_UNROLL_MAX}},
    {fast_address, OPERATION_FORWARD_FA, 8, 4},
    {"fast data", OPERATION_FORWARD_FD_POINTER, 8, 8},
    {"fast data, no address reuse", OPERATION_FORWARD_FD_POINTER_APART, 8, 8},
    {by_offset, OPERATION_FORWARD_FA, 8, 4, 8, 8, OVER_OFFSETS, {STLF_UNROLL_MAX}},
};

static bool is_in_summary(const struct stlf_point *point)
{
    return point->pairs == 1 || point->pairs == STLF_FEW_PAIRS || point->pairs == STLF_UNROLL_MAX;
}

/* Of -4, -1, 1, 2, 3, 4, 5, 7: index of those that other answers need; the same address belongs before 1. */
enum { APART, PARTIAL, SAME, CONTAINED };

/* A line of the screen: cycles by load offset less store offset. */
static void say_offsets(const struct stlf_set *set, const struct stlf_curve *offsets,
                        const struct estimate *same)
{
    for (size_t i = 0; i <= offsets->count; i++) {
        const size_t index = i > SAME ? i - 1 : i;
        const struct estimate *e = i == SAME ? same : &offsets->of[index];
        const long offset = i == SAME ? 0 : offsets->point[index].load - offsets->point[index].store;
        const struct verdict verdict = stlf_judge(e, 0);
        struct answer answer = answer_of(e, verdict);
        answer.key = stlf_words("stlf.offset.%s%ld", offset < 0 ? "minus_" : "", labs(offset));
        answer.label = stlf_words("load %ld bytes above store", offset);
        answer.slot = stlf_words("offsets/load_-_store/%ld", offset);
        answer.unit = "core cycles";
        stlf_say(set, answer, verdict);
    }
}

/* Levels first: the verdicts in answers and rows compare with those of the same state. A forward in loops is the lesser of contained
 * loads and of most of those that are renamed no more. */
static void say_summary(const struct stlf_set *set)
{
    const struct stlf_curve same = stlf_curve(set, fast_address), offsets = stlf_curve(set, by_offset);
    const struct estimate *hit = stlf_curve(set, l1_hit).of;
    const bool known = offsets.count == STLF_OFFSETS;
    const double l1 = hit->value, inside = known ? offsets.of[CONTAINED].value : NAN,
                 blocked = known ? offsets.of[PARTIAL].value : NAN;
    const size_t renamed = renamed_pairs(&same, STLF_WHOLE, l1);
    const double beyond = stlf_middle(same.of + renamed, same.count - renamed)->value;
    set->stlf->levels[set->state] = (struct stlf_levels){
        .l1 = l1,
        .independent = known ? offsets.of[APART].value : NAN,
        .partial = blocked,
        .forwarded = fmin(is_renamed(inside, l1) ? NAN : inside,
                          is_renamed(beyond, l1) || renamed == same.count ? NAN : beyond),
        .blocked = blocked};
    if (known && !set->is_second && same.count > 0)
        say_offsets(set, &offsets, &same.of[same.count - 1]);
    say_l1(set, hit);
    say_curve(set, "stlf.fast_address", "stlf.renamed", fast_address, fast_address);
    say_curve(set, "stlf.fast_data", "stlf.fast_data.renamed", "fast data", "fast data");
    say_curve(set, "stlf.fast_data_no_reuse", "stlf.fast_data_no_reuse.renamed",
              "fast data, no address reuse", "fast data, no reuse");
}

const struct stlf_sweep stlf_summary = {
    STLF_TABLE(
        "summary", "Store-to-load forwarding",
        "Time of a pair of a store and a dependent load, lower quartile. pairs: in one pass of the loop.\n"
        "fast address: only the stored data is late. fast data: only the store's address is late.",
        C_STORE_AT, VIEW_LIST, 0),
    of_summary,
    sizeof of_summary / sizeof of_summary[0],
    0.35,
    say_summary,
    .shown = is_in_summary,
    .both = true};

static const struct stlf_series over_pairs[CHAIN_COUNT][5] = {
    [CHAIN_FA] = {{"same address", OPERATION_FORWARD_FA, 8, 4},
                  {"same address, one base register", OPERATION_FORWARD_SAME_BASE, 8, 4},
                  {"same address, with an addition", OPERATION_FORWARD_ADD, 8, 4},
                  {"contained", OPERATION_FORWARD_FA, 8, 4, 0, 2},
                  {"partial overlap", OPERATION_FORWARD_FA, 8, 4, 2, 0}},
    [CHAIN_FD] = {{"pointer", OPERATION_FORWARD_FD_POINTER, 8, 8},
                  {"same address", OPERATION_FORWARD_FD, 8, 4},
                  {"contained", OPERATION_FORWARD_FD, 8, 4, 0, 2},
                  {"partial overlap", OPERATION_FORWARD_FD, 8, 4, 2, 0},
                  {"no overlap", OPERATION_FORWARD_FD, 8, 4, 0, 32}},
    [CHAIN_FD_NOREUSE] = {{"pointer", OPERATION_FORWARD_FD_POINTER_APART, 8, 8},
                          {"same address", OPERATION_FORWARD_FD_APART, 8, 4},
                          {"contained", OPERATION_FORWARD_FD_APART, 8, 4, 0, 2},
                          {"partial overlap", OPERATION_FORWARD_FD_APART, 8, 4, 2, 0},
                          {"no overlap", OPERATION_FORWARD_FD_APART, 8, 4, 0, 32}},
};

/* One key for one curve, whatever else is measured in the run. */
static void say_curves(const struct stlf_set *set)
{
    const enum operation first = set->point->kernel->operation;
    const char *chain = first == OPERATION_FORWARD_FD_POINTER         ? "fd."
                        : first == OPERATION_FORWARD_FD_POINTER_APART ? "fd_noreuse."
                                                                      : "";
    for (size_t i = 0; i < set->count; i += stlf_curve(set, set->point[i].series).count) {
        const char *name = set->point[i].series;
        const char *key = stlf_key(stlf_words("stlf.sweep_unroll.%s%s", chain, name));
        say_curve(set, key, stlf_words("%s.renamed", key), name, name);
    }
}

#define UNROLL(chain)                                                                                        \
    {                                                                                                        \
        STLF_TABLE("sweep_unroll", "Pairs in one pass of the loop", NULL, C_STORE_AT, VIEW_CURVE, C_PAIRS),  \
            over_pairs[chain], 5, 0.35, say_curves, .both = true                                             \
    }
const struct stlf_sweep stlf_unroll[CHAIN_COUNT] = {UNROLL(CHAIN_FA), UNROLL(CHAIN_FD),
                                                    UNROLL(CHAIN_FD_NOREUSE)};
