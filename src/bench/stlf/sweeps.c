/* SPDX-License-Identifier: MIT */
/* Curves: over the number of pairs, over what lies between a store and its load, over the bytes of code
 * between pairs, and over the distance of loads that only look as if they depended on the store. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stlf.h"

enum { C_SERIES, C_X, C_PAIRS, C_CODE, C_CYCLES, C_SPREAD, C_ACTIVE, COLUMN_COUNT };

#define COLUMNS(x_key, x_title, x_unit, x_type)                                                              \
    {                                                                                                        \
        [C_SERIES] = {"series", "series", NULL, CELL_CLASS, ROLE_PARAMETER, 0},                              \
        [C_X] = {x_key, x_title, x_unit, x_type, ROLE_PARAMETER, 0}, [C_PAIRS] = {"pairs_a_pass",            \
                                                                                  "pairs a pass",            \
                                                                                  NULL,                      \
                                                                                  CELL_INTEGER,              \
                                                                                  ROLE_PARAMETER,            \
                                                                                  0},                        \
        [C_CODE] = {"code_bytes", "code a pair", "Byte", CELL_SIZE, ROLE_LABEL, 0},                          \
        [C_CYCLES] = {"cycles", "a pair takes", "core cycles", CELL_REAL, ROLE_MEASURE, 2},                  \
        [C_SPREAD] = {"spread", "p90 - p10", "core cycles", CELL_REAL, ROLE_LABEL, 2},                       \
        [C_ACTIVE] = {"cycles_sibling_active", "sibling active", "core cycles", CELL_REAL, ROLE_LABEL, 2},   \
    }

#define CURVE(logarithmic)                                                                                   \
    {                                                                                                        \
        .kind = VIEW_CURVE, .x = C_X, .y = -1, .value = C_CYCLES, .series = C_SERIES, .log_x = (logarithmic) \
    }

static const struct column unroll_columns[COLUMN_COUNT] = COLUMNS("pairs", "pairs", NULL, CELL_INTEGER);
static const struct column distance_columns[COLUMN_COUNT] =
    COLUMNS("instructions", "instructions between", NULL, CELL_INTEGER);
static const struct column spacing_columns[COLUMN_COUNT] =
    COLUMNS("padding_bytes", "padding", "Byte", CELL_SIZE);
static const struct column alias_columns[COLUMN_COUNT] =
    COLUMNS("distance", "load above store", "Byte", CELL_SIZE);

static const struct table_spec unroll_table = {.name = "sweep_unroll",
                                               .title = "Pairs in one pass of the loop",
                                               .columns = unroll_columns,
                                               .column_count = COLUMN_COUNT,
                                               .view = CURVE(false)};
static const struct table_spec distance_table = {
    .name = "sweep_distance",
    .title = "Independent instructions between a store and its load",
    .note = "8 pairs a pass. Where the two series meet, the latency of the forward is hidden.",
    .columns = distance_columns,
    .column_count = COLUMN_COUNT,
    .view = CURVE(false)};
static const struct table_spec spacing_table = {.name = "sweep_spacing",
                                                .title = "Bytes of no-operations between pairs",
                                                .columns = spacing_columns,
                                                .column_count = COLUMN_COUNT,
                                                .view = CURVE(false)};
static const struct table_spec alias_table = {
    .name = "alias",
    .title = "Loads that do not depend on the store, by their distance from it",
    .note = "same offset: the low bits of both addresses agree. shifted: the load is 32 bytes further on.",
    .columns = alias_columns,
    .column_count = COLUMN_COUNT,
    .view = CURVE(true)};

/* A point of a curve: where it stands, and in which series. */
struct stop {
    const char *series;
    int64_t x;
};

struct curve {
    const struct table_spec *table;
    struct stlf_set set;
    struct stop *stop;
    size_t room;
};

static bool curve_init(struct curve *curve, const struct table_spec *table, size_t room)
{
    *curve = (struct curve){.table = table, .room = room, .stop = calloc(room, sizeof *curve->stop)};
    if (!curve->stop || !stlf_set_init(&curve->set, room, true)) {
        free(curve->stop);
        return false;
    }
    curve->set.count = 0;
    curve->set.total = 4 * STLF_PAIRS_A_SAMPLE;
    return true;
}

static void curve_free(struct curve *curve)
{
    stlf_set_free(&curve->set);
    free(curve->stop);
}

static void add_stop(struct curve *curve, const char *series, int64_t x, struct stlf_point point)
{
    if (!point.kernel || curve->set.count == curve->room)
        return;
    curve->stop[curve->set.count] = (struct stop){series, x};
    curve->set.point[curve->set.count++] = point;
}

static void add_rows(struct stlf *stlf, const struct curve *curve)
{
    const size_t table = record_table_add(stlf->run->record, curve->table);
    for (size_t i = 0; i < curve->set.count; i++)
        record_row(stlf->run->record, table,
                   (struct cell[COLUMN_COUNT]){
                       [C_SERIES] = TEXT_CELL(curve->stop[i].series),
                       [C_X] = INTEGER_CELL(curve->stop[i].x),
                       [C_PAIRS] = INTEGER_CELL(curve->set.point[i].pairs),
                       [C_CODE] = INTEGER_CELL(stlf_bytes_a_pair(curve->set.point[i].kernel)),
                       [C_CYCLES] = REAL_CELL(curve->set.estimate[i].value),
                       [C_SPREAD] = REAL_CELL(stlf_spread(&curve->set.estimate[i])),
                       [C_ACTIVE] = REAL_CELL(curve->set.active[i].value),
                   });
}

static enum status measure(struct stlf *stlf, struct curve *curve, struct fault *fault)
{
    if (stlf_measure(&stlf->lab, &curve->set, &stlf->few_effort, fault))
        return fault->status;
    stlf->complete = stlf->complete && curve->set.complete;
    if (curve->set.complete)
        add_rows(stlf, curve);
    return STATUS_OK;
}

static enum status no_memory(struct fault *fault)
{
    return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for a sweep");
}

/* Below the latency of L1 no number goes without saying why. */
static const char *word_before(const struct stlf *stlf, const struct stlf_point *point, double cycles)
{
    const bool overlap = point->load < point->store + (long)point->kernel->bits / 8 &&
                         point->store < point->load + (long)point->kernel->load_bits / 8;
    return overlap && cycles < 0.9 * stlf->facts.l1 ? "renamed, " : "";
}

/* The least trust of the middles of all plateaus, and of where these end. */
static struct verdict judge(const struct curve *curve, size_t begin, size_t count,
                            const struct stlf_plateau *plateau, int plateaus)
{
    struct verdict verdict = stlf_judge_knees(&curve->set.estimate[begin], count);
    for (int i = 0; i < plateaus; i++)
        verdict = verdict_lesser(
            verdict, stlf_judge(&curve->set, stlf_middle(&curve->set.estimate[begin], &plateau[i])));
    return verdict;
}

/* One sentence a series, with all its knees. */
static void add_knees(struct stlf *stlf, const struct curve *curve, size_t begin, size_t count)
{
    struct stlf_plateau plateau[STLF_PLATEAU_MAX];
    double value[STLF_UNROLL_MAX];
    stlf_values(&curve->set.estimate[begin], count, STLF_WHOLE, value);
    const int plateaus = stlf_plateaus(value, count, plateau);
    char text[300], key[80];
    int length = 0;
    for (int i = 0; i < plateaus && length < (int)sizeof text - 60; i++) {
        char cycles[STLF_LABEL];
        stlf_spell(plateau[i].cycles, cycles);
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%s%s cycles at %lld to %lld",
                           i ? "; " : "", word_before(stlf, &curve->set.point[begin], plateau[i].cycles),
                           cycles, (long long)curve->stop[begin + plateau[i].first].x,
                           (long long)curve->stop[begin + plateau[i].last].x);
    }
    snprintf(key, sizeof key, "stlf.%s.%s", curve->table->name, curve->stop[begin].series);
    for (char *at = key; *at; at++)
        *at = *at == ' ' || *at == ',' ? '_' : *at;
    if (plateaus)
        stlf_finding(stlf, key, plateaus - 1, "knees", curve->set.state,
                     judge(curve, begin, count, plateau, plateaus), "%s, %s: %s%s (%u bytes of code a pair)",
                     curve->stop[begin].series, curve->table->columns[C_X].title, text,
                     stlf_while(&curve->set), stlf_bytes_a_pair(curve->set.point[begin].kernel));
}

static void add_all_knees(struct stlf *stlf, const struct curve *curve)
{
    size_t begin = 0;
    for (size_t i = 1; i <= curve->set.count; i++) {
        if (i < curve->set.count && curve->stop[i].series == curve->stop[begin].series)
            continue;
        add_knees(stlf, curve, begin, i - begin);
        begin = i;
    }
}

struct series {
    const char *name;
    enum operation operation;
    unsigned store_bytes, load_bytes;
    long store, load;
};

static const struct series unroll_series[CHAIN_COUNT][5] = {
    [CHAIN_FA] = {{"same address", OPERATION_FORWARD_FA, 8, 4, 0, 0},
                  {"same address, one base register", OPERATION_FORWARD_SAME_BASE, 8, 4, 0, 0},
                  {"same address, with an addition", OPERATION_FORWARD_ADD, 8, 4, 0, 0},
                  {"contained", OPERATION_FORWARD_FA, 8, 4, 0, 2},
                  {"partial overlap", OPERATION_FORWARD_FA, 8, 4, 2, 0}},
    [CHAIN_FD] = {{"pointer", OPERATION_FORWARD_FD_POINTER, 8, 8, 0, 0},
                  {"same address", OPERATION_FORWARD_FD, 8, 4, 0, 0},
                  {"contained", OPERATION_FORWARD_FD, 8, 4, 0, 2},
                  {"partial overlap", OPERATION_FORWARD_FD, 8, 4, 2, 0},
                  {"no overlap", OPERATION_FORWARD_FD, 8, 4, 0, 32}},
    [CHAIN_FD_NOREUSE] = {{"pointer", OPERATION_FORWARD_FD_POINTER_APART, 8, 8, 0, 0},
                          {"same address", OPERATION_FORWARD_FD_APART, 8, 4, 0, 0},
                          {"contained", OPERATION_FORWARD_FD_APART, 8, 4, 0, 2},
                          {"partial overlap", OPERATION_FORWARD_FD_APART, 8, 4, 2, 0},
                          {"no overlap", OPERATION_FORWARD_FD_APART, 8, 4, 0, 32}},
};

static enum status sweep_unroll(struct stlf *stlf, struct fault *fault)
{
    struct curve curve;
    if (!curve_init(&curve, &unroll_table, 5 * STLF_UNROLL_MAX))
        return no_memory(fault);
    for (int i = 0; i < 5; i++) {
        const struct series *series = &unroll_series[stlf->params->chain][i];
        const struct kernel *kernel =
            stlf_kernel(stlf->run, series->operation, series->store_bytes, series->load_bytes);
        for (unsigned pairs = 1; pairs <= STLF_UNROLL_MAX; pairs++)
            add_stop(&curve, series->name, pairs,
                     (struct stlf_point){
                         .kernel = kernel, .store = series->store, .load = series->load, .pairs = pairs});
    }
    if (measure(stlf, &curve, fault) == STATUS_OK && curve.set.complete)
        add_all_knees(stlf, &curve);
    curve_free(&curve);
    return fault->status;
}

static const struct kernel *next(const struct stlf *stlf, enum operation operation,
                                 const struct kernel *after)
{
    const struct kernel_filter any = {.allowed = stlf->run->kernels.allowed};
    return kernel_next(&any, operation, after);
}

/* Cycles more than a load without overlap takes. */
static const double HIDDEN = 0.5;

/* The stop before must cost more, and this one no more, all through their intervals. */
static struct verdict judge_hidden(const struct curve *curve, size_t at, const struct estimate *cost)
{
    const size_t third = curve->set.count / 3;
    struct estimate before = {.low = INFINITY};
    if (at > 0)
        before = stlf_difference(&curve->set.estimate[at - 1], &curve->set.estimate[2 * third + at - 1]);
    if (cost->state != curve->set.state || !(cost->first <= HIDDEN && cost->second <= HIDDEN))
        return (struct verdict){TRUST_LOW, LEG_REPETITION};
    if (!(cost->high <= HIDDEN && before.low > HIDDEN))
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    return (struct verdict){TRUST_HIGH, LEG_NONE};
}

/* How far apart the chain must be for nothing to be left of the forward's latency. */
static void find_hidden(struct stlf *stlf, const struct curve *curve)
{
    const size_t half = curve->set.count / 3;
    for (size_t i = 0; i < half; i++) {
        const struct estimate cost =
            stlf_difference(&curve->set.estimate[i], &curve->set.estimate[2 * half + i]);
        if (!(cost.value <= HIDDEN))
            continue;
        stlf_finding(stlf, "stlf.hidden_after", (double)curve->stop[i].x, "instructions", curve->set.state,
                     judge_hidden(curve, i, &cost),
                     "a forward's latency is hidden by %lld independent instructions between the store and "
                     "its load%s",
                     (long long)curve->stop[i].x, stlf_while(&curve->set));
        return;
    }
}

static enum status sweep_distance(struct stlf *stlf, struct fault *fault)
{
    static const char *const names[] = {"contained", "same address", "no overlap"};
    static const long load[] = {2, 0, 64};
    struct curve curve;
    if (!curve_init(&curve, &distance_table, 3 * 16))
        return no_memory(fault);
    for (int i = 0; i < 3; i++) {
        const struct kernel *kernel = next(stlf, OPERATION_FORWARD_DISTANCE, NULL);
        for (; kernel; kernel = next(stlf, OPERATION_FORWARD_DISTANCE, kernel))
            add_stop(&curve, names[i], kernel->gap,
                     (struct stlf_point){.kernel = kernel, .load = load[i], .pairs = kernel->sled.units});
    }
    if (measure(stlf, &curve, fault) == STATUS_OK && curve.set.complete)
        find_hidden(stlf, &curve);
    curve_free(&curve);
    return fault->status;
}

static enum status sweep_spacing(struct stlf *stlf, struct fault *fault)
{
    static const char *const names[] = {"16 pairs", "32 pairs", "48 pairs", "64 pairs"};
    struct curve curve;
    if (!curve_init(&curve, &spacing_table, 4 * 16))
        return no_memory(fault);
    for (unsigned i = 0; i < 4; i++) {
        const struct kernel *kernel = next(stlf, OPERATION_FORWARD_SPACING, NULL);
        for (; kernel; kernel = next(stlf, OPERATION_FORWARD_SPACING, kernel))
            add_stop(&curve, names[i], kernel->gap,
                     (struct stlf_point){.kernel = kernel, .pairs = 16 * (i + 1)});
    }
    measure(stlf, &curve, fault);
    curve_free(&curve);
    return fault->status;
}

enum status stlf_sweeps(struct stlf *stlf, struct fault *fault)
{
    static enum status (*const sweep[SWEEP_COUNT])(struct stlf *, struct fault *) = {
        sweep_unroll, sweep_distance, sweep_spacing};
    const uint64_t wanted = stlf->params->all ? ~(uint64_t)0 : stlf->params->sweep;
    for (int i = 0; i < SWEEP_COUNT && stlf->complete; i++) {
        if ((wanted >> i & 1) && sweep[i](stlf, fault))
            return fault->status;
    }
    return STATUS_OK;
}

enum { ALIAS_FIRST = 6, ALIAS_LAST = 20, ALIASES = ALIAS_LAST - ALIAS_FIRST + 1 };
/* Cycles from which a load is called delayed. */
static const double ALIAS_LEAST = 0.25;

static void find_alias(struct stlf *stlf, const struct curve *curve)
{
    struct estimate worst = {0};
    struct verdict verdict = {TRUST_HIGH, LEG_NONE};
    size_t at = 0;
    for (size_t i = 0; i < ALIASES; i++) {
        const struct estimate cost =
            stlf_difference(&curve->set.estimate[i], &curve->set.estimate[ALIASES + i]);
        verdict = verdict_lesser(verdict, stlf_judge_placed(&curve->set, &curve->set.estimate[i]));
        if (cost.value > worst.value && cost.value > ALIAS_LEAST) {
            worst = cost;
            at = i;
        }
    }
    if (worst.value > 0)
        stlf_estimated(
            stlf, "stlf.alias", &worst, stlf_judge_placed(&curve->set, &worst),
            "aliasing: a load %lld bytes above a store takes %.1f cycles more than one 32 bytes further on%s",
            (long long)curve->stop[at].x, worst.value, stlf_while(&curve->set));
    else
        stlf_finding(
            stlf, "stlf.alias", 0, "core cycles", curve->set.state, verdict,
            "aliasing: no distance from 64 bytes to 1 MiB makes an independent load wait for the store%s",
            stlf_while(&curve->set));
}

/* Here and not in a throughput loop, a load held up by a false dependence would show: each pair then waits
 * for the one before. */
enum status stlf_aliases(struct stlf *stlf, struct fault *fault)
{
    struct curve curve;
    const struct kernel *kernel = stlf_kernel(stlf->run, OPERATION_FORWARD_FA, 8, 4);
    if (!curve_init(&curve, &alias_table, 2 * ALIASES))
        return no_memory(fault);
    for (int shifted = 0; shifted < 2; shifted++) {
        for (int bit = ALIAS_FIRST; bit <= ALIAS_LAST; bit++)
            add_stop(&curve, shifted ? "shifted" : "same offset", 1LL << bit,
                     (struct stlf_point){.kernel = kernel,
                                         .load = (1L << bit) + (shifted ? 32 : 0),
                                         .pairs = STLF_UNROLL_MAX});
    }
    if (measure(stlf, &curve, fault) == STATUS_OK && curve.set.complete)
        find_alias(stlf, &curve);
    curve_free(&curve);
    return fault->status;
}
