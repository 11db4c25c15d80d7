/* SPDX-License-Identifier: MIT */
/* Whole numbers of cycles, from chains with slack. */
#include <math.h>

#include "judge.h"
#include "uarchprobe/stats.h"

/* Of a multiplication. Next to a busy sibling it was seen at 2.88 to 2.98 cycles instead of 3. */
static const double CONTROL = 0.02;
/* Of a chain; the rest of the cost of a pass grows with the cycles of a pair. */
static const double NEAR = 0.06, NEAR_SHARE = 0.005;
enum { ASTRAY = 6, SAMPLES_LEAST = 8 };

static bool is_near(double cycles, double whole)
{
    return fabs(cycles - whole) <= fmax(NEAR, NEAR_SHARE * whole);
}

/* The chains of a series without their multiplications, in the whole run or a half. */
struct levels {
    bool control; /* the multiplication is a whole number */
    bool agree;   /* and all chains but one in six are next to the median's whole number */
    size_t count;
    double of[STLF_CHAINS_MOST], median;
};

static struct levels levels_of(const struct stlf_set *set, const char *series, const char *control,
                               enum stlf_which which)
{
    struct levels levels = {0};
    size_t count, agree = 0;
    const struct estimate *multiply = &set->estimate[stlf_series_at(set, control, &count)];
    const size_t first = stlf_series_at(set, series, &count);
    const bool seen = multiply->state == set->state && multiply->summary.count >= SAMPLES_LEAST;
    const double each = seen ? stlf_value_of(multiply, which) : NAN;
    levels.control = fabs(each - round(each)) <= CONTROL && round(each) >= 1;
    count = count < STLF_CHAINS_MOST ? count : STLF_CHAINS_MOST;
    for (size_t i = first; i < first + count; i++) {
        const struct estimate *e = &set->estimate[i];
        const double bare = stlf_value_of(e, which) - set->point[i].kernel->gap * each;
        /* A multiplication that is a whole number is the better clock: it ran in the same loops. */
        if (e->state == set->state && e->summary.count >= SAMPLES_LEAST && !isnan(bare))
            levels.of[levels.count++] = levels.control ? bare * round(each) / each : bare;
    }
    levels.median = median_of(levels.of, levels.count);
    for (size_t i = 0; i < levels.count; i++)
        agree += is_near(levels.of[i], round(levels.median));
    levels.agree = count > 0 && levels.control && agree + count / ASTRAY >= count;
    return levels;
}

/* While the sibling is known to be busy loads wait for its loads, and a multiplication may not show it: 2.986 cycles, with
 * 18.94 for a failed forward of 18, on Zen 3. */
struct stlf_floor stlf_floor_of(const struct stlf_set *set, const char *series, const char *control)
{
    const struct levels levels = levels_of(set, series, control, STLF_WHOLE);
    const bool has_control = levels.control && set->state != STATE_ACTIVE;
    size_t count;
    const size_t first = stlf_series_at(set, series, &count);
    const struct estimate *fewest = &set->estimate[first];
    if (levels.count == 0)
        return (struct stlf_floor){
            false, {TRUST_LOW, LEG_PRECISION}, {.value = NAN, .low = NAN, .high = NAN}};
    for (size_t i = 1; i < count && i < STLF_CHAINS_MOST; i++)
        if (set->estimate[first + i].summary.count < fewest->summary.count)
            fewest = &set->estimate[first + i];
    struct stlf_floor floor = {.whole = levels.agree && has_control, .estimate = *fewest};
    struct estimate *e = &floor.estimate;
    e->state = set->state;
    e->value = floor.whole ? fabs(round(levels.median)) : levels.median;
    e->low = INFINITY, e->high = -INFINITY;
    for (size_t i = 0; i < levels.count; i++) {
        if (floor.whole && !is_near(levels.of[i], e->value))
            continue;
        e->low = fmin(e->low, levels.of[i]);
        e->high = fmax(e->high, levels.of[i]);
    }
    for (size_t i = 0; i < fewest->parts.count; i++)
        e->parts.value[i] -= (float)(fewest->value - e->value);
    floor.verdict = (struct verdict){TRUST_HIGH, LEG_NONE, .within = promise_core.relative};
    if (!floor.whole)
        floor.verdict = verdict_lesser(
            floor.verdict, (struct verdict){TRUST_LOW, has_control ? LEG_REPETITION : LEG_PLAUSIBILITY});
    for (enum stlf_which half = STLF_FIRST; floor.whole && half <= STLF_SECOND; half++) {
        const struct levels of_half = levels_of(set, series, control, half);
        const bool other = round(of_half.median) != e->value;
        if (other || !of_half.agree)
            floor.verdict = verdict_lesser(
                floor.verdict, (struct verdict){other ? TRUST_LOW : TRUST_MEDIUM, LEG_REPETITION});
    }
    return floor;
}

const struct stlf_floor *stlf_forward_of(const struct stlf_floor *a, const struct stlf_floor *b, double l1)
{
    if (is_renamed(a->estimate.value, l1) || is_renamed(b->estimate.value, l1))
        return !is_renamed(a->estimate.value, l1) ? a : !is_renamed(b->estimate.value, l1) ? b : NULL;
    if (a->whole != b->whole)
        return a->whole ? a : b;
    return b->estimate.value < a->estimate.value ? b : a;
}

struct stlf_floor stlf_loops_of(const struct stlf_set *set, const char *series)
{
    size_t count;
    const struct estimate *loop = &set->estimate[stlf_series_at(set, series, &count)], *middle = loop;
    struct stlf_floor loops = {.verdict = {.trust = TRUST_HIGH}};
    double value[STLF_CHAINS_MOST] = {0}, low = NAN, high = NAN;
    count = count < STLF_CHAINS_MOST ? count : STLF_CHAINS_MOST;
    for (size_t i = 0; i < count; i++) {
        loops.verdict = verdict_lesser(loops.verdict, stlf_judge(set, &loop[i], 0));
        low = fmin(low, loop[i].value);
        high = fmax(high, loop[i].value);
        value[i] = loop[i].value;
    }
    const double median = median_of(value, count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(loop[i].value - median) >= fabs(middle->value - median)))
            middle = &loop[i];
    loops.estimate = *middle;
    loops.estimate.low = low;
    loops.estimate.high = high;
    return loops;
}
