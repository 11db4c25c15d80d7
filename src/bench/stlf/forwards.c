/* SPDX-License-Identifier: MIT */
/* Cycles of a forward from the store's data and from a late load address, and of a failed one: as whole numbers, next to
 * tight loops. */
#include <math.h>

#include "stlf.h"
#include "uarchprobe/stats.h"

static const char l1_hit[] = "L1 hit, load to use", multiplication[] = "multiplication",
                  inside[] = "contained, 2 bytes in", first_byte[] = "first byte",
                  failed[] = "partial overlap, last 2 bytes missing",
                  late_first[] = "late load address, first byte",
                  late_inside[] = "late load address, 2 bytes in", inside_loops[] = "contained, tight loop",
                  first_loops[] = "first byte, tight loop";

/* With slack three numbers of multiplications in loops of two lengths, or two in loops of three: after three multiplications a
 * late load may find its store in L1. A failed forward from a store that is not aligned may take longer (25 cycles instead of 18
 * on Zen 3): this one is. */
static const struct stlf_series series[] = {
    {l1_hit, OPERATION_LATENCY, 8, 0, .pairs = {STLF_UNROLL_MAX}},
    {multiplication, OPERATION_CHAIN_MUL, 8, 0, .pairs = {STLF_UNROLL_MAX}},
    {inside, OPERATION_FORWARD_SLACK, 8, 4, 0, 2, .pairs = {4, 16}},
    {first_byte, OPERATION_FORWARD_SLACK, 8, 1, .pairs = {4, 16}},
    {failed, OPERATION_FORWARD_SLACK, 8, 4, 0, 6, .pairs = {4, 16}},
    {late_first, OPERATION_FORWARD_LA, 8, 1, .pairs = {2, 4, 16}},
    {late_inside, OPERATION_FORWARD_LA, 8, 1, 0, 2, .pairs = {2, 4, 16}},
    {inside_loops, OPERATION_FORWARD_FA, 8, 4, 0, 2, .pairs = {2, 4, 8, 16, 32, 64}},
    {first_loops, OPERATION_FORWARD_FA, 8, 1, .pairs = {2, 4, 8, 16, 32, 64}},
};

/* Of a multiplication, from a whole number. Next to a busy sibling it was seen at 2.88 to 2.98 cycles instead of 3. */
static const double CONTROL = 0.02;
/* Of a chain; the rest of the cost of a pass grows with the cycles of a pair. */
static const double NEAR = 0.06, NEAR_SHARE = 0.005;
enum { ASTRAY = 6, SAMPLES_LEAST = 8, CHAINS_MOST = 8 };

/* The chains of a series without their multiplications, in the whole run or a half. */
struct chains {
    bool control; /* the multiplication is a whole number */
    bool agree;   /* and all chains but one in six are next to the median's whole number */
    size_t count;
    double of[CHAINS_MOST], median;
};

static bool is_near(double cycles, double whole)
{
    return fabs(cycles - whole) <= fmax(NEAR, NEAR_SHARE * whole);
}

static struct chains chains_of(const struct stlf_set *set, const char *name, enum stlf_which which)
{
    struct chains chains = {0};
    size_t count, agree = 0;
    const struct estimate *multiply = &set->estimate[stlf_series_at(set, multiplication, &count)];
    const double each = multiply->summary.count >= SAMPLES_LEAST ? stlf_value_of(multiply, which) : NAN;
    const size_t first = stlf_series_at(set, name, &count);
    chains.control = fabs(each - round(each)) <= CONTROL && round(each) >= 1;
    for (size_t i = first; i < first + count && chains.count < CHAINS_MOST; i++) {
        const double bare = stlf_value_of(&set->estimate[i], which) - set->point[i].kernel->gap * each;
        /* A multiplication that is a whole number is the better clock: it ran in the same loops. */
        if (set->estimate[i].summary.count >= SAMPLES_LEAST && !isnan(bare))
            chains.of[chains.count++] = chains.control ? bare * round(each) / each : bare;
    }
    chains.median = median_of(chains.of, chains.count);
    for (size_t i = 0; i < chains.count; i++)
        agree += is_near(chains.of[i], round(chains.median));
    chains.agree = count > 0 && chains.control && agree + count / ASTRAY >= count;
    return chains;
}

struct floor {
    bool whole; /* all chains but one in six agree, and the multiplication is a whole number itself */
    struct verdict verdict;
    /* The whole number that they agree on, else their median, with the range of the chains that agree, else of all, and with the
     * samples and parts of the chain of the fewest samples. NaN: none was measured. */
    struct estimate estimate;
};

/* A latency as a whole number of cycles, from chains with slack. A chain of stores and loads alone falls out of step with
 * the load's own rhythm, so that a pair takes an average. Dependent multiplications in the chain hide that; the same run measures
 * them alone, and they are taken off. Where the multiplication is no whole number, something else has part of the core, whatever
 * the witness says, or this core counts no whole cycles: then nothing is claimed. While the sibling is known to be busy neither is
 * it: loads wait for its loads, and a multiplication may not show it: 2.986 cycles, with 18.94 for a failed forward of 18, on
 * Zen 3. Repeats in both halves of the run: high trust. */
static struct floor floor_of(const struct stlf_set *set, const char *name)
{
    const struct chains chains = chains_of(set, name, STLF_WHOLE);
    const bool has_control = chains.control && set->state != STATE_ACTIVE;
    size_t count;
    const size_t first = stlf_series_at(set, name, &count);
    const struct estimate *fewest = &set->estimate[first];
    for (size_t i = first; i < first + count; i++)
        fewest = set->estimate[i].summary.count < fewest->summary.count ? &set->estimate[i] : fewest;
    struct floor floor = {.whole = chains.agree && has_control, .estimate = *fewest};
    struct estimate *e = &floor.estimate;
    e->value = floor.whole ? fabs(round(chains.median)) : chains.median;
    e->low = e->high = NAN;
    for (size_t i = 0; i < chains.count; i++)
        if (!floor.whole || is_near(chains.of[i], e->value)) {
            e->low = fmin(e->low, chains.of[i]);
            e->high = fmax(e->high, chains.of[i]);
        }
    for (size_t i = 0; i < fewest->parts.count; i++)
        e->parts.value[i] -= (float)(fewest->value - e->value);
    floor.verdict = (struct verdict){TRUST_HIGH, LEG_NONE, .within = promise_core.relative};
    if (!floor.whole)
        floor.verdict = (struct verdict){TRUST_LOW, chains.count == 0 ? LEG_PRECISION
                                                    : has_control     ? LEG_REPETITION
                                                                      : LEG_PLAUSIBILITY};
    for (enum stlf_which half = STLF_FIRST; floor.whole && half <= STLF_SECOND; half++) {
        const struct chains of_half = chains_of(set, name, half);
        const bool other = round(of_half.median) != e->value;
        if (other || !of_half.agree)
            floor.verdict = verdict_lesser(
                floor.verdict, (struct verdict){other ? TRUST_LOW : TRUST_MEDIUM, LEG_REPETITION});
    }
    return floor;
}

/* Of tight loops: the middle of them, with the range of all as its interval. */
static struct floor loops_of(const struct stlf_set *set, const char *name)
{
    size_t count;
    const struct estimate *loop = &set->estimate[stlf_series_at(set, name, &count)];
    const struct stlf_plateau all = stlf_plateau_of(loop, 0, count, STLF_WHOLE);
    struct floor loops = {.estimate = *stlf_middle(loop, &all), .verdict = {.trust = TRUST_HIGH}};
    for (size_t i = 0; i < count; i++)
        loops.verdict = verdict_lesser(loops.verdict, stlf_judge(&loop[i], 0));
    loops.estimate.low = all.low;
    loops.estimate.high = all.high;
    return loops;
}

/* Which of two kinds of loads a forward is said of: of those that are not renamed one with a whole number before one without, then
 * the lower. NULL: both are renamed. */
static const struct floor *forward_of(const struct floor *a, const struct floor *b, double l1)
{
    const bool is_a = !is_renamed(a->estimate.value, l1), is_b = !is_renamed(b->estimate.value, l1);
    if (!is_a || !is_b)
        return is_a ? a : is_b ? b : NULL;
    if (a->whole != b->whole)
        return a->whole ? a : b;
    return b->estimate.value < a->estimate.value ? b : a;
}

static const struct table_spec forwards_table = {
    .name = "forwards",
    .title = "Forwards with multiplications in the chain",
    .note = "gap: multiplications in a pair, which are part of its cycles.",
    .columns = stlf_point_columns,
    .column_count = C_COUNT,
    .view = {.kind = VIEW_HIDDEN, .x = C_PAIRS, .y = -1, .value = C_CYCLES, .series = C_SERIES},
};

enum { INSIDE, FIRST_BYTE, LATE_FIRST, LATE_INSIDE, FAILED, FLOORS };
static const struct {
    const char *series, *key, *label, *slot; /* key NULL: one of these two is the forward */
} floors[FLOORS] = {{inside, NULL, NULL},
                    {first_byte, NULL, NULL},
                    {late_first, "stlf.forwarded_late", "late load address, first byte"},
                    {late_inside, "stlf.forwarded_late_inside", "late load address, inside"},
                    {failed, "stlf.failed_forward", "failed forward", "core/failed-forward"}};

/* While the sibling is busy, an idle one may come yet. */
static bool is_enough(const struct stlf_set *set)
{
    for (int i = 0; i < FLOORS; i++)
        if (set->state == STATE_ACTIVE || floor_of(set, floors[i].series).verdict.trust != TRUST_HIGH)
            return false;
    return loops_of(set, inside_loops).verdict.trust != TRUST_LOW &&
           loops_of(set, first_loops).verdict.trust != TRUST_LOW;
}

/* Without a whole number a forward is what tight loops take, of low trust. */
static void report(const struct stlf_set *set)
{
    const struct floor l1 = loops_of(set, l1_hit);
    struct floor floor[FLOORS];
    for (int i = 0; i < FLOORS; i++)
        floor[i] = floor_of(set, floors[i].series);
    const struct floor *forward = forward_of(&floor[INSIDE], &floor[FIRST_BYTE], l1.estimate.value);
    const struct floor loops = loops_of(set, forward == &floor[FIRST_BYTE] ? first_loops : inside_loops);
    const struct floor *base = !forward ? &l1 : forward->whole ? forward : &loops;
    struct answer answer = {.key = "stlf.forwarded",
                            .label = "store-to-load forwarding",
                            .unit = "core cycles",
                            .slot = "core/forwarded"};
    if (forward) {
        stlf_add(set, answer, &base->estimate,
                 base == forward ? forward->verdict : (struct verdict){TRUST_LOW, forward->verdict.leg});
        stlf_add(set,
                 (struct answer){.key = "stlf.forwarded_loops",
                                 .label = "in tight loops",
                                 .slot = "core/forwarded-loops"},
                 &loops.estimate, loops.verdict);
    } else {
        answer.remark = "all such loads are renamed";
        stlf_add(set, answer, NULL, verdict_lesser(floor[INSIDE].verdict, floor[FIRST_BYTE].verdict));
    }
    for (int i = LATE_FIRST; i < FLOORS; i++)
        stlf_add(set, (struct answer){.key = floors[i].key, .label = floors[i].label, .slot = floors[i].slot},
                 &floor[i].estimate, floor[i].verdict);
    struct estimate more = stlf_difference(&floor[FAILED].estimate, &base->estimate);
    if (floor[FAILED].estimate.value <= 1.25 * base->estimate.value)
        more.value = more.low = more.high = 0;
    stlf_add(set,
             (struct answer){.key = "stlf.failed_forward_penalty",
                             .label = forward ? "beyond a forward" : "beyond a load from L1"},
             &more, verdict_lesser(floor[FAILED].verdict, base->verdict));
}

const struct stlf_sweep stlf_forwards = {
    {{&forwards_table}}, series, sizeof series / sizeof series[0], 0.3, report, .enough = is_enough};
