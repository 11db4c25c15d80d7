/* SPDX-License-Identifier: MIT */
#include "floor.h"

#include <math.h>

#include "grid.h"
#include "uarchprobe/stats.h"

/* Of a multiplication. Next to a busy sibling it was seen at 2.88 to 2.98 cycles instead of 3. */
static const double CONTROL = 0.02;
/* Of a chain; what remains of the cost of a pass grows with what a pair takes. */
static const double NEAR = 0.06, NEAR_SHARE = 0.005;
enum { ASTRAY = 6, SAMPLES_LEAST = 8 };

static double of_half(const struct estimate *e, enum stlf_which which)
{
    return which == STLF_WHOLE ? e->value : which == STLF_FIRST ? e->first : e->second;
}

/* NaN: too little was seen of it. */
static double cycles_of(const struct stlf_slack *slack, const struct estimate *e, enum stlf_which which)
{
    return e->state == slack->state && e->summary.count >= SAMPLES_LEAST ? of_half(e, which) : NAN;
}

static bool is_whole(double multiply)
{
    return fabs(multiply - round(multiply)) <= CONTROL && round(multiply) >= 1;
}

static bool is_near(double cycles, double whole)
{
    return fabs(cycles - whole) <= fmax(NEAR, NEAR_SHARE * whole);
}

/* A multiplication that is a whole number is the better clock: it ran in the same loops. */
static double scale_of(double multiply)
{
    return is_whole(multiply) ? round(multiply) / multiply : 1;
}

struct levels {
    size_t count, agree; /* chains with a value, and those that are next to the median's whole number */
    double of[STLF_CHAINS_MOST], median;
};

static struct levels levels_of(const struct stlf_slack *slack, enum stlf_which which)
{
    const double multiply = cycles_of(slack, slack->multiply, which), scale = scale_of(multiply);
    struct levels levels = {0};
    for (size_t i = 0; i < slack->count; i++) {
        const double cycles =
            scale * (cycles_of(slack, slack->chain[i], which) - slack->multiplications[i] * multiply);
        if (!isnan(cycles))
            levels.of[levels.count++] = cycles;
    }
    levels.median = median_of(levels.of, levels.count);
    for (size_t i = 0; i < levels.count; i++)
        levels.agree += is_near(levels.of[i], round(levels.median));
    return levels;
}

/* Where the sibling is known to work, loads wait for its loads, and a multiplication may not show it: 2.986 cycles, with 18.94
 * for a failed forward of 18, on Zen 3. */
static bool has_control(const struct stlf_slack *slack)
{
    return slack->state != STATE_ACTIVE && is_whole(cycles_of(slack, slack->multiply, STLF_WHOLE));
}

static bool agree(const struct stlf_slack *slack, const struct levels *levels, enum stlf_which which)
{
    return slack->count > 0 && has_control(slack) && is_whole(cycles_of(slack, slack->multiply, which)) &&
           levels->agree + slack->count / ASTRAY >= slack->count;
}

static struct verdict judge(const struct stlf_slack *slack, const struct stlf_floor *floor)
{
    struct verdict verdict = {.trust = TRUST_HIGH, .within = promise_core.relative};
    if (!has_control(slack))
        return verdict_lesser(verdict, (struct verdict){TRUST_LOW, LEG_PLAUSIBILITY});
    if (!floor->whole)
        return verdict_lesser(verdict, (struct verdict){TRUST_LOW, LEG_REPETITION});
    for (enum stlf_which half = STLF_FIRST; half <= STLF_SECOND; half++) {
        const struct levels levels = levels_of(slack, half);
        const bool other = round(levels.median) != floor->cycles;
        if (other || !agree(slack, &levels, half))
            verdict =
                verdict_lesser(verdict, (struct verdict){other ? TRUST_LOW : TRUST_MEDIUM, LEG_REPETITION});
    }
    return verdict;
}

static void find_range(const struct levels *levels, struct stlf_floor *floor)
{
    floor->low = INFINITY, floor->high = -INFINITY;
    for (size_t i = 0; i < levels->count; i++) {
        if (floor->whole && !is_near(levels->of[i], floor->cycles))
            continue;
        floor->low = fmin(floor->low, levels->of[i]);
        floor->high = fmax(floor->high, levels->of[i]);
    }
}

/* The samples are those of the chain with the fewest; the parts are moved by what is taken off. */
static struct estimate estimate_of_floor(const struct stlf_slack *slack, const struct stlf_floor *floor)
{
    const struct estimate *fewest = slack->chain[0];
    for (size_t i = 1; i < slack->count; i++) {
        if (slack->chain[i]->summary.count < fewest->summary.count)
            fewest = slack->chain[i];
    }
    struct estimate estimate = *fewest;
    const double off = fewest->value - floor->cycles;
    estimate.value = floor->cycles;
    estimate.low = floor->low;
    estimate.high = floor->high;
    estimate.state = slack->state;
    for (size_t i = 0; i < estimate.parts.count; i++)
        estimate.parts.value[i] -= (float)off;
    return estimate;
}

struct stlf_floor stlf_floor_of(const struct stlf_slack *slack)
{
    struct stlf_floor floor = {.cycles = NAN, .low = NAN, .high = NAN, .verdict = {TRUST_LOW, LEG_PRECISION}};
    const struct levels levels = levels_of(slack, STLF_WHOLE);
    if (levels.count == 0)
        return floor;
    floor.whole = agree(slack, &levels, STLF_WHOLE);
    floor.cycles = floor.whole ? fabs(round(levels.median)) : levels.median;
    find_range(&levels, &floor);
    floor.verdict = judge(slack, &floor);
    floor.estimate = estimate_of_floor(slack, &floor);
    return floor;
}

const struct stlf_floor *stlf_forward_of(const struct stlf_floor *a, const struct stlf_floor *b, double l1)
{
    if (is_renamed(a->cycles, l1) || is_renamed(b->cycles, l1))
        return !is_renamed(a->cycles, l1) ? a : !is_renamed(b->cycles, l1) ? b : NULL;
    if (a->whole != b->whole)
        return a->whole ? a : b;
    return b->cycles < a->cycles ? b : a;
}

struct stlf_floor stlf_loops_of(const struct stlf_set *set, const struct estimate *loop, size_t count)
{
    struct stlf_floor loops = {
        .cycles = NAN, .low = NAN, .high = NAN, .verdict = {.trust = TRUST_HIGH}, .estimate = loop[0]};
    double value[STLF_CHAINS_MOST] = {0};
    size_t values = 0;
    for (size_t i = 0; i < count; i++) {
        loops.verdict = verdict_lesser(loops.verdict, stlf_judge(set, &loop[i]));
        loops.low = fmin(loops.low, loop[i].value);
        loops.high = fmax(loops.high, loop[i].value);
        if (!isnan(loop[i].value))
            value[values++] = loop[i].value;
    }
    const double median = median_of(value, values);
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(loop[i].value - median) >= fabs(loops.cycles - median)))
            loops.estimate = loop[i];
        loops.cycles = loops.estimate.value;
    }
    loops.estimate.low = loops.low;
    loops.estimate.high = loops.high;
    return loops;
}
