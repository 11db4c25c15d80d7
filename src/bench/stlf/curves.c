/* SPDX-License-Identifier: MIT */
/* The article's three chains over the number of pairs in a loop: a load is renamed up to some number of
 * pairs and costs a level or a ramp beyond. */
#include <math.h>

#include "stlf.h"

static const char fast_address[] = "fast address", fast_data[] = "fast data",
                  no_reuse[] = "fast data, no reuse";
enum { CURVE_MAX = STLF_UNROLL_MAX };

/* The median of three neighbours keeps steps and drops single outliers (one point of 545 cycles among 33).
 * A pass of one pair may cost a jump that longer ones do not. */
static void smooth(const struct stlf_curve *curve, enum stlf_which which, double value[CURVE_MAX])
{
    double raw[CURVE_MAX];
    for (size_t i = 0; i < curve->count; i++)
        raw[i] = stlf_value_of(&curve->of[i], which);
    for (size_t i = 0; i < curve->count; i++)
        value[i] = i + 1 == curve->count ? raw[i] : i == 0 ? fmin(raw[0], raw[1]) : median_of(&raw[i - 1], 3);
}

/* The number of pairs, from one on, up to which the load stays renamed: at most half a cycle or a quarter
 * above the median of the points below L1. 0: never renamed. */
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

/* Judges a number of pairs by the whole run and its halves: high trust promises one pair. */
static struct verdict judge_pairs(double whole, double first, double second)
{
    const double least = fmin(whole, fmin(first, second));
    const double apart = fmax(whole, fmax(first, second)) - least;
    if (apart <= 1 && (least > 0 || apart == 0))
        return verdict_capped(LIMITED_BY_NONE, LIMITED_BY_NONE);
    return verdict_capped(LIMITED_BY_REPETITION,
                          apart <= 0.1 * least ? LIMITED_BY_NONE : LIMITED_BY_REPETITION);
}

/* Judges whether the knees of a curve stand still in both halves of the run: a knee that moves by n pairs
 * leaves n points that differ by its height, at least half a cycle or a quarter. */
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

/* Whether the middle four fifths of these values, those of the curve's highest numbers of pairs, lie
 * within a tenth of their median. Where they do not, a predictor serves some loads and misses others, by the
 * physical pages that the code lies in: twelve copies of one executable took 14.3 to 16.3 cycles with 64
 * pairs, and each copy repeated its own value within 1 % (Zen 5). */
static bool is_level(const double *value, size_t count)
{
    return quantile_of(value, count, 0.9) - quantile_of(value, count, 0.1) <= 0.1 * median_of(value, count);
}

/* A chain and the names of its answers. The first three are cells of the table with which the source
 * begins: a chain at one pair and at the most, where it may be that all loads are renamed. */
struct chain {
    const char *series;
    struct answer one_pair, most_pairs, all_renamed, renamed, renamed_pairs;
};
static const struct chain chains[] = {
    {.series = fast_address,
     .one_pair = {.key = "stlf.fast_address.one_pair", .sheet_cell = "chains/fast_address/1_pair"},
     .most_pairs = {.key = "stlf.fast_address", .sheet_cell = "chains/fast_address/64_pairs"},
     .all_renamed = {.key = "stlf.fast_address.all_renamed", .sheet_cell = "chains/fast_address/64_pairs"},
     .renamed = {.key = "stlf.renamed", .sheet_cell = "core/renamed"},
     .renamed_pairs = {.key = "stlf.renamed_pairs", .sheet_cell = "core/renamed-pairs"}},
    {.series = fast_data,
     .one_pair = {.key = "stlf.fast_data.one_pair", .sheet_cell = "chains/fast_data/1_pair"},
     .most_pairs = {.key = "stlf.fast_data", .sheet_cell = "chains/fast_data/64_pairs"},
     .all_renamed = {.key = "stlf.fast_data.all_renamed", .sheet_cell = "chains/fast_data/64_pairs"},
     .renamed = {.key = "stlf.fast_data.renamed"},
     .renamed_pairs = {.key = "stlf.fast_data.renamed_pairs"}},
    {.series = no_reuse,
     .one_pair = {.key = "stlf.fast_data_no_reuse.one_pair",
                  .sheet_cell = "chains/fast_data_no_reuse/1_pair"},
     .most_pairs = {.key = "stlf.fast_data_no_reuse", .sheet_cell = "chains/fast_data_no_reuse/64_pairs"},
     .all_renamed = {.key = "stlf.fast_data_no_reuse.all_renamed",
                     .sheet_cell = "chains/fast_data_no_reuse/64_pairs"},
     .renamed = {.key = "stlf.fast_data_no_reuse.renamed"},
     .renamed_pairs = {.key = "stlf.fast_data_no_reuse.renamed_pairs"}}};

/* Adds the cycles of renamed loads, and up to how many pairs they are renamed. */
static void say_renamed(const struct stlf_part *part, const struct chain *chain,
                        const struct stlf_curve *curve, size_t pairs, struct verdict ends)
{
    const struct sled *sled = &curve->point->kernel->sled;
    const struct estimate *half_way = &curve->of[pairs ? (pairs - 1) / 2 : 0],
                          *middle = stlf_middle(curve->of, pairs);
    struct answer cycles = chain->renamed, number = chain->renamed_pairs;
    cycles.label = stlf_words(part, "%s, renamed", chain->series);
    if (pairs > 0)
        stlf_add(part, cycles, middle, stlf_judge(middle, 0));
    const bool is_low = verdict_is_low(stlf_judge(half_way, 0));
    /* A busy sibling halves the pairs that stay renamed. */
    ends = verdict_lesser(ends,
                          verdict_capped(LIMITED_BY_NONE, is_low ? LIMITED_BY_PRECISION : LIMITED_BY_NONE));
    ends = verdict_lesser(ends, verdict_unproved(half_way->unproved, LIMITED_BY_PLAUSIBILITY));
    ends.within_absolute = 1;
    number.label = stlf_words(part, "%s, pairs renamed", chain->series);
    number.value = INTEGER_CELL(pairs);
    number.unit = "pairs";
    number.samples = half_way->summary.count;
    number.remark = stlf_words(part, "%ld bytes each", (long)(sled->end - sled->begin) / (long)sled->units);
    stlf_say(part, number, ends);
}

/* Adds a cell of that table. */
static void say_cell(const struct stlf_part *part, struct answer names, const struct stlf_curve *curve,
                     size_t pairs, struct verdict verdict)
{
    struct answer answer = answer_of(&curve->of[pairs - 1], verdict);
    answer.key = names.key;
    answer.label = stlf_words(part, "%s, %zu pair%s", curve->point->series, pairs, pairs > 1 ? "s" : "");
    answer.sheet_cell = names.sheet_cell;
    answer.unit = "cycles";
    answer.remark = names.remark;
    stlf_say(part, answer, verdict);
}

/* Adds the answers of one chain: its renamed loads, and the value at the most pairs, which rests on the
 * median beyond the renamed pairs and on the knees; the remark has the range from the first pairs that reach
 * four fifths of it. */
static void say_chain(const struct stlf_part *part, const struct chain *chain)
{
    const struct stlf_curve curve = stlf_curve(part, chain->series);
    const double l1 = part->stlf->usual.l1;
    double value[CURVE_MAX], low = INFINITY, high = -INFINITY;
    if (curve.count == 0)
        return;
    const size_t pairs = renamed_pairs(&curve, STLF_WHOLE, l1);
    /* A late address empties the pipeline, and what that costs and from how many pairs on depends on where
     * the code lies: 32.0 and 33.5 cycles in two builds (Zen 3), 33 to 37 pairs in 16 copies of one
     * executable (Zen 5). */
    const bool has_flush = curve.point->kernel->operation != OPERATION_FORWARD_FA;
    const struct verdict flush = verdict_capped(has_flush ? LIMITED_BY_REPETITION : LIMITED_BY_NONE,
                                                LIMITED_BY_NONE),
                         ends = verdict_lesser(judge_pairs((double)pairs,
                                                           (double)renamed_pairs(&curve, STLF_FIRST, l1),
                                                           (double)renamed_pairs(&curve, STLF_SECOND, l1)),
                                               flush);
    const struct verdict one_pair = stlf_judge(curve.of, 0);
    say_cell(part, chain->one_pair, &curve, 1, pairs > 0 ? one_pair : verdict_lesser(one_pair, flush));
    smooth(&curve, STLF_WHOLE, value);
    const double most = median_of(value + pairs, curve.count - pairs);
    size_t from = pairs;
    while (from < curve.count && !(value[from] >= 0.8 * most)) /* on the way up */
        from++;
    if (from == curve.count) {
        struct answer names = chain->all_renamed;
        names.remark = "all renamed";
        say_cell(part, names, &curve, curve.count,
                 verdict_lesser(stlf_judge(&curve.of[curve.count - 1], 0), ends));
        say_renamed(part, chain, &curve, pairs, ends);
        return;
    }
    for (size_t i = from; i < curve.count; i++) {
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    const struct estimate *last = &curve.of[curve.count - 1];
    const bool level = is_level(value + from, curve.count - from);
    const struct verdict doubt =
                             verdict_capped(LIMITED_BY_NONE, level ? LIMITED_BY_NONE : LIMITED_BY_REPETITION),
                         middle = stlf_judge(stlf_middle(curve.of + from, curve.count - from), 0),
                         steady = verdict_lesser(judge_knees(&curve), ends);
    struct answer names = chain->most_pairs;
    names.remark = stlf_words(part, "%.1f-%.1f from %zu", low, high, from + 1);
    say_cell(part, names, &curve, curve.count,
             verdict_lesser(verdict_lesser(stlf_judge(last, 0), middle), verdict_lesser(steady, doubt)));
    say_renamed(part, chain, &curve, pairs, ends);
}

static void report(const struct stlf_part *part)
{
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        say_chain(part, &chains[i]);
}

static const struct stlf_series of_chains[] = {
    {.name = fast_address, .operation = OPERATION_FORWARD_FA, .store_bytes = 8, .load_bytes = 4},
    {.name = fast_data, .operation = OPERATION_FORWARD_FD_POINTER, .store_bytes = 8, .load_bytes = 8},
    {.name = no_reuse, .operation = OPERATION_FORWARD_FD_POINTER_APART, .store_bytes = 8, .load_bytes = 8},
    {0},
};

const struct stlf_sweep stlf_chains = {
    .table = {.name = "summary",
              .title = "Pairs in one pass of the loop",
              .note =
                  "Time of a pair of a store and a dependent load, lower quartile.\n"
                  "fast address: only the stored data is late. fast data: only the store's address is late.",
              .columns = stlf_point_columns,
              .column_count = C_COUNT,
              .view = {.kind = VIEW_CURVE, .x = C_PAIRS, .y = -1, .value = C_CYCLES, .series = C_SERIES}},
    .series = of_chains,
    .seconds = 0.35,
    .report = report,
    .both = true};
