/* SPDX-License-Identifier: MIT */
/* Curves over the number of pairs in a loop: the article's three chains with what they are measured against, and sweeps with
 * more of their kind. Each has plateaus: up to so many pairs a load is renamed, beyond that it takes a level or a ramp. */
#include <math.h>
#include <string.h>

#include "engine/published.h"
#include "stlf.h"
#include "uarchprobe/knee.h"

enum { CURVE_MAX = STLF_UNROLL_MAX, PLATEAU_MAX = 6, SHORTEST = 3, CUTS_MAX = 16 };

struct plateaus {
    int count;
    struct stlf_plateau of[PLATEAU_MAX];
};

struct cuts {
    int count;
    size_t at[CUTS_MAX]; /* first index behind each cut, ascending */
};

static void cut_within(const double *value, size_t begin, size_t end, struct cuts *cuts)
{
    const struct knee knee = knee_step(value + begin, end - begin);
    const size_t cut = begin + knee.last + 1;
    if (!knee.found || cuts->count == CUTS_MAX || cut <= begin || cut >= end)
        return;
    const double before = median_of(value + begin, cut - begin), after = median_of(value + cut, end - cut);
    if (!(fabs(after - before) >= fmax(0.5, 0.25 * fmin(before, after))))
        return;
    cut_within(value, begin, cut, cuts);
    if (cuts->count < CUTS_MAX)
        cuts->at[cuts->count++] = cut;
    cut_within(value, cut, end, cuts);
}

/* Cuts where the level changes by at least half a cycle and a quarter; stretches of less than three points
 * are the transition between two plateaus and belong to neither. A curve without a knee is one plateau. */
static struct plateaus plateaus_of(const struct estimate *curve, size_t count, enum stlf_which which)
{
    struct plateaus plateaus = {0};
    struct cuts cuts = {0};
    double value[CURVE_MAX], smooth[CURVE_MAX];
    size_t begin = 0;
    count = count < CURVE_MAX ? count : CURVE_MAX;
    for (size_t i = 0; i < count; i++)
        value[i] = stlf_value_of(&curve[i], which);
    /* A median of three leaves steps where they are. One point of 545 cycles among 33 hides all of them from least squares. */
    for (size_t i = 0; i < count; i++)
        smooth[i] = i > 0 && i + 1 < count ? median_of(value + i - 1, 3) : value[i];
    cut_within(smooth, 0, count, &cuts);
    for (int i = 0; i <= cuts.count && plateaus.count < PLATEAU_MAX; i++) {
        const size_t end = i < cuts.count ? cuts.at[i] : count;
        if (end - begin >= SHORTEST || cuts.count == 0)
            plateaus.of[plateaus.count++] = stlf_plateau_of(curve, begin, end, which);
        begin = end;
    }
    return plateaus;
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

/* Whether the knees of a curve stand where they do in both halves of the run. */
static struct verdict judge_knees(const struct estimate *curve, size_t count)
{
    const struct plateaus first = plateaus_of(curve, count, STLF_FIRST),
                          second = plateaus_of(curve, count, STLF_SECOND);
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    if (first.count != second.count)
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    for (int i = 0; i + 1 < first.count; i++) {
        const double pairs = (double)first.of[i].last + 1;
        verdict = verdict_lesser(verdict, judge_pairs(pairs, pairs, (double)second.of[i].last + 1));
    }
    return verdict;
}

/* For how many pairs the load stays renamed, from one on; 0: not at all. */
static size_t renamed_pairs(const struct estimate *curve, size_t count, enum stlf_which which, double l1)
{
    const struct plateaus plateaus = plateaus_of(curve, count, which);
    return plateaus.count > 0 && is_renamed(plateaus.of[0].cycles, l1) ? plateaus.of[0].last + 1 : 0;
}

static void say_renamed(const struct stlf_set *set, const char *key, const char *label, size_t at,
                        size_t count)
{
    const struct estimate *curve = &set->estimate[at];
    const double l1 = stlf_levels_in(set->stlf, set->state).l1;
    const bool on_sheet = strcmp(key, "stlf.renamed") == 0;
    const size_t pairs = renamed_pairs(curve, count, STLF_WHOLE, l1);
    const struct estimate *half_way = &curve[pairs ? (pairs - 1) / 2 : 0];
    struct verdict verdict = judge_pairs((double)pairs, (double)renamed_pairs(curve, count, STLF_FIRST, l1),
                                         (double)renamed_pairs(curve, count, STLF_SECOND, l1));
    if (pairs == 0 && is_renamed(curve->value, l1)) /* no end was found */
        return;
    if (pairs > 0) {
        const struct plateaus plateaus = plateaus_of(curve, count, STLF_WHOLE);
        const struct estimate *middle = stlf_middle(curve, &plateaus.of[0]);
        stlf_add(set,
                 (struct answer){.key = key,
                                 .label = stlf_words("%s, renamed", label),
                                 .slot = on_sheet ? "core/renamed" : NULL},
                 middle, stlf_judge(middle, 0));
    }
    if (stlf_judge(half_way, 0).trust == TRUST_LOW)
        verdict = (struct verdict){TRUST_LOW, LEG_PRECISION};
    if (half_way->unproved) /* a busy sibling halves them */
        verdict = verdict_lesser(verdict, (struct verdict){TRUST_MEDIUM, LEG_PLAUSIBILITY});
    verdict.within_absolute = 1;
    stlf_add(set,
             (struct answer){.key = stlf_words("%s_pairs", key),
                             .label = stlf_words("%s, pairs renamed", label),
                             .value = INTEGER_CELL(pairs),
                             .unit = "pairs",
                             .slot = on_sheet ? "core/renamed-pairs" : NULL,
                             .samples = half_way->summary.count,
                             .remark = stlf_words("%u bytes each", stlf_bytes_a_pair(set->point[at].kernel))},
             NULL, verdict);
}

/* The answers of a series: cycles of what is renamed, for how many pairs, and what it takes beyond. That is the value of the most
 * pairs, which rests on each plateau there and on the knees between. */
static void say_curve(const struct stlf_set *set, const char *key, const char *renamed, const char *name,
                      const char *label)
{
    size_t count;
    const size_t at = stlf_series_at(set, name, &count);
    if (count == 0)
        return;
    const struct estimate *curve = &set->estimate[at], *last = &curve[count - 1];
    const struct plateaus plateaus = plateaus_of(curve, count, STLF_WHOLE);
    const struct stlf_levels levels = stlf_levels_in(set->stlf, set->state);
    struct verdict verdict = verdict_lesser(stlf_judge(last, 0), judge_knees(curve, count));
    double low = INFINITY, high = -INFINITY;
    int from = 0;
    if (stlf_may_be_renamed(&set->point[at]))
        say_renamed(set, renamed, label, at, count);
    while (from < plateaus.count && is_renamed(plateaus.of[from].cycles, levels.l1))
        from++;
    if (from == plateaus.count)
        return;
    for (int i = from; i < plateaus.count; i++) {
        verdict = verdict_lesser(verdict, stlf_judge(stlf_middle(curve, &plateaus.of[i]), 0));
        low = fmin(low, plateaus.of[i].low);
        high = fmax(high, plateaus.of[i].high);
    }
    stlf_add(
        set,
        (struct answer){.key = key,
                        .label = stlf_words("%s, %zu pairs", label, count),
                        .remark = stlf_words("%.1f-%.1f from %zu", low, high, plateaus.of[from].first + 1)},
        last, verdict);
}

/* Of L1's latency: what high trust allows within the core. */
static const double L1_OFF = 0.02;

/* A core's latency is a whole number where nothing shares the core, and never less than what is published: a clock that a sibling
 * slows while it is read makes cycles too few. A value that no core has is none; the remark has it. */
static void say_l1(const struct stlf_set *set, const struct estimate *e)
{
    const double published = published_range(cpu_core(set->stlf->run->cpu), "l1_latency").least;
    const bool is_less = e->value < (1 - L1_OFF) * published;
    const bool is_broken = set->state == STATE_IDLE && fabs(e->value - round(e->value)) > L1_OFF * e->value;
    struct answer answer = {.key = "stlf.l1_latency",
                            .label = "L1 load to use",
                            .unit = "core cycles",
                            .slot = "core/l1-latency"};
    if (is_less || is_broken)
        answer.remark =
            stlf_words("%.2f is %s", e->value, is_less ? "less than published" : "no whole number");
    stlf_add(set, answer, is_less || is_broken ? NULL : e,
             is_less || is_broken ? (struct verdict){TRUST_LOW, LEG_PLAUSIBILITY} : stlf_judge(e, 0));
}

static const char l1_hit[] = "L1 hit, load to use", contained[] = "contained, 2 bytes in",
                  partial[] = "partial overlap, 2 bytes missing", apart[] = "no overlap",
                  fast_address[] = "fast address", fast_data[] = "fast data",
                  no_reuse[] = "fast data, no address reuse";

static const struct stlf_series of_summary[] = {
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
static const struct table_spec chains_table = {
    .name = "chains_by_pairs",
    .columns = stlf_point_columns,
    .column_count = C_STORE_AT,
    .view = {.kind = VIEW_HIDDEN, .x = C_PAIRS, .y = -1, .value = C_CYCLES, .series = C_SERIES},
};

static bool is_of_a_chain(const struct stlf_point *point)
{
    return point->series == fast_address || point->series == fast_data || point->series == no_reuse;
}

static bool is_in_summary(const struct stlf_point *point)
{
    return point->pairs == 1 || point->pairs == STLF_FEW_PAIRS || point->pairs == STLF_UNROLL_MAX;
}

static double value_at(const struct stlf_set *set, const char *series)
{
    size_t count;
    return set->estimate[stlf_series_at(set, series, &count)].value;
}

/* Cycles of a forward in loops without slack: of contained loads, or the same address on a plateau that is not below L1,
 * whichever is less. Points between two plateaus are averages of both, and a ramp of some points is no level. NaN: all that the
 * store serves is renamed. */
static double forward_in_loops(const struct stlf_set *set, double l1)
{
    size_t count;
    const size_t at = stlf_series_at(set, fast_address, &count);
    const struct plateaus plateaus = plateaus_of(&set->estimate[at], count, STLF_WHOLE);
    const double inside = value_at(set, contained);
    double lowest = is_renamed(inside, l1) ? NAN : inside;
    for (int i = 0; i < plateaus.count; i++) {
        const struct stlf_plateau *plateau = &plateaus.of[i];
        if (!is_renamed(plateau->cycles, l1) &&
            plateau->high - plateau->low <= fmax(0.35, 0.1 * plateau->cycles))
            lowest = fmin(lowest, plateau->cycles);
    }
    return lowest;
}

/* Levels first: the verdicts in answers and rows compare with those of the same state. */
static void say_summary(const struct stlf_set *set)
{
    size_t ignored;
    const double l1 = value_at(set, l1_hit), blocked = value_at(set, partial);
    set->stlf->levels[set->state] = (struct stlf_levels){.l1 = l1,
                                                         .independent = value_at(set, apart),
                                                         .partial = blocked,
                                                         .forwarded = forward_in_loops(set, l1),
                                                         .blocked = blocked};
    say_l1(set, &set->estimate[stlf_series_at(set, l1_hit, &ignored)]);
    say_curve(set, "stlf.fast_address", "stlf.renamed", fast_address, fast_address);
    say_curve(set, "stlf.fast_data", "stlf.fast_data.renamed", fast_data, fast_data);
    say_curve(set, "stlf.fast_data_no_reuse", "stlf.fast_data_no_reuse.renamed", no_reuse,
              "fast data, no reuse");
}

const struct stlf_sweep stlf_summary = {{{&summary_table, is_in_summary}, {&chains_table, is_of_a_chain}},
                                        of_summary,
                                        sizeof of_summary / sizeof of_summary[0],
                                        0.35,
                                        say_summary,
                                        .both = true};

static const struct table_spec pairs_table = {
    .name = "sweep_unroll",
    .title = "Pairs in one pass of the loop",
    .columns = stlf_point_columns,
    .column_count = C_STORE_AT,
    .view = {.kind = VIEW_CURVE, .x = C_PAIRS, .y = -1, .value = C_CYCLES, .series = C_SERIES},
};

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
    for (size_t i = 0; i < set->count; i++) {
        const struct stlf_point *point = &set->point[i];
        const enum operation operation = point->kernel->operation;
        const bool is_apart =
            operation == OPERATION_FORWARD_FD_APART || operation == OPERATION_FORWARD_FD_POINTER_APART;
        const bool is_late = operation == OPERATION_FORWARD_FD || operation == OPERATION_FORWARD_FD_POINTER;
        if (point->index > 0)
            continue;
        char *key = stlf_words("stlf.sweep_unroll.%s%s",
                               is_apart  ? "fd_noreuse."
                               : is_late ? "fd."
                                         : "",
                               point->series);
        for (char *at = key; *at; at++)
            *at = *at == ' ' || *at == ',' ? '_' : *at;
        say_curve(set, key, stlf_words("%s.renamed", key), point->series, point->series);
    }
}

#define UNROLL(chain)                                                                                        \
    {                                                                                                        \
        {{&pairs_table}}, over_pairs[chain], 5, 0.35, say_curves, .both = true                               \
    }
const struct stlf_sweep stlf_unroll[CHAIN_COUNT] = {UNROLL(CHAIN_FA), UNROLL(CHAIN_FD),
                                                    UNROLL(CHAIN_FD_NOREUSE)};
