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
static const struct stlf_series of_forwards[] = {
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
    const struct estimate *multiply = stlf_curve(set, multiplication).of;
    const double each = multiply->summary.count >= SAMPLES_LEAST ? stlf_value_of(multiply, which) : NAN;
    const struct stlf_curve series = stlf_curve(set, name);
    struct chains chains = {.control = fabs(each - round(each)) <= CONTROL && round(each) >= 1};
    size_t agree = 0;
    for (size_t i = 0; i < series.count && chains.count < CHAINS_MOST; i++) {
        const double bare = stlf_value_of(&series.of[i], which) - series.point[i].kernel->gap * each;
        /* A multiplication that is a whole number is the better clock: it ran in the same loops. */
        if (series.of[i].summary.count >= SAMPLES_LEAST && !isnan(bare))
            chains.of[chains.count++] = chains.control ? bare * round(each) / each : bare;
    }
    chains.median = median_of(chains.of, chains.count);
    for (size_t i = 0; i < chains.count; i++)
        agree += is_near(chains.of[i], round(chains.median));
    chains.agree = series.count > 0 && chains.control && agree + series.count / ASTRAY >= series.count;
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
    const struct stlf_curve series = stlf_curve(set, name);
    const struct estimate *fewest = series.of;
    for (const struct estimate *e = series.of; e < series.of + series.count; e++)
        fewest = e->summary.count < fewest->summary.count ? e : fewest;
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
    const struct stlf_curve loop = stlf_curve(set, name);
    struct floor loops = {.estimate = *stlf_middle(loop.of, loop.count), .verdict = {.trust = TRUST_HIGH}};
    loops.estimate.low = loops.estimate.high = NAN;
    for (const struct estimate *e = loop.of; e < loop.of + loop.count; e++) {
        loops.verdict = verdict_lesser(loops.verdict, stlf_judge(e, 0));
        loops.estimate.low = fmin(loops.estimate.low, e->value);
        loops.estimate.high = fmax(loops.estimate.high, e->value);
    }
    return loops;
}

enum { INSIDE, FIRST_BYTE, LATE_FIRST, LATE_INSIDE, FAILED, FLOORS };
static const struct {
    const char *series, *key, *label; /* key NULL: one of these two is the forward */
} floors[FLOORS] = {{inside, NULL, NULL},
                    {first_byte, NULL, NULL},
                    {late_first, "stlf.forwarded_late", "late load address, first byte"},
                    {late_inside, "stlf.forwarded_late_inside", "late load address, inside"},
                    {failed, "stlf.failed_forward", "failed forward"}};

/* While the sibling is busy, an idle one may come yet. */
static bool is_enough(const struct stlf_set *set)
{
    for (int i = 0; i < FLOORS; i++)
        if (set->state == STATE_ACTIVE || floor_of(set, floors[i].series).verdict.trust != TRUST_HIGH)
            return false;
    return loops_of(set, inside_loops).verdict.trust != TRUST_LOW &&
           loops_of(set, first_loops).verdict.trust != TRUST_LOW;
}

/* A forward is said of those of the two kinds of loads that are not renamed: of one with a whole number before one without, then
 * of the lower. Without a whole number it is what tight loops take, of low trust. */
static void report(const struct stlf_set *set)
{
    const struct floor l1 = loops_of(set, l1_hit);
    struct floor floor[FLOORS];
    const struct floor *forward = NULL;
    for (int i = 0; i < FLOORS; i++)
        floor[i] = floor_of(set, floors[i].series);
    for (const struct floor *of = floor; of <= &floor[FIRST_BYTE]; of++)
        if (!is_renamed(of->estimate.value, l1.estimate.value) &&
            (!forward || of->whole > forward->whole ||
             (of->whole == forward->whole && of->estimate.value < forward->estimate.value)))
            forward = of;
    const struct floor loops = loops_of(set, forward == &floor[FIRST_BYTE] ? first_loops : inside_loops);
    const struct floor *base = !forward ? &l1 : forward->whole ? forward : &loops;
    const char *const key = "stlf.forwarded", *const label = "store-to-load forwarding";
    if (forward) {
        stlf_add(set, key, label, NULL, &base->estimate,
                 base == forward ? forward->verdict : (struct verdict){TRUST_LOW, forward->verdict.leg});
        stlf_add(set, "stlf.forwarded_loops", "in tight loops", NULL, &loops.estimate, loops.verdict);
    } else {
        stlf_say(
            set,
            (struct answer){
                .key = key, .label = label, .unit = "core cycles", .remark = "all such loads are renamed"},
            verdict_lesser(floor[INSIDE].verdict, floor[FIRST_BYTE].verdict));
    }
    for (int i = LATE_FIRST; i < FLOORS; i++)
        stlf_add(set, floors[i].key, floors[i].label, NULL, &floor[i].estimate, floor[i].verdict);
    struct estimate more = stlf_difference(&floor[FAILED].estimate, &base->estimate);
    if (floor[FAILED].estimate.value <= 1.25 * base->estimate.value)
        more.value = more.low = more.high = 0;
    stlf_add(set, "stlf.failed_forward_penalty", forward ? "beyond a forward" : "beyond a load from L1", NULL,
             &more, verdict_lesser(floor[FAILED].verdict, base->verdict));
}

const struct stlf_sweep stlf_forwards = {
    STLF_TABLE("forwards", "Forwards with multiplications in the chain",
               "gap: multiplications in a pair, which are part of its cycles.", C_COUNT, VIEW_HIDDEN,
               C_PAIRS),
    of_forwards,
    sizeof of_forwards / sizeof of_forwards[0],
    0.3,
    report,
    .enough = is_enough};
