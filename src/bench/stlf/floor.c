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
    struct stlf_floor floor = {.cycles = NAN,
                               .low = NAN,
                               .high = NAN,
                               .verdict = {TRUST_LOW, LEG_PRECISION},
                               .estimate = {.value = NAN}};
    const struct levels levels = levels_of(set, series, control, STLF_WHOLE);
    const bool has_control = levels.control && set->state != STATE_ACTIVE;
    size_t count;
    const size_t first = stlf_series_at(set, series, &count);
    const struct estimate *fewest = &set->estimate[first];
    if (levels.count == 0)
        return floor;
    floor.whole = levels.agree && has_control;
    floor.cycles = floor.whole ? fabs(round(levels.median)) : levels.median;
    floor.low = INFINITY, floor.high = -INFINITY;
    for (size_t i = 0; i < levels.count; i++) {
        if (floor.whole && !is_near(levels.of[i], floor.cycles))
            continue;
        floor.low = fmin(floor.low, levels.of[i]);
        floor.high = fmax(floor.high, levels.of[i]);
    }
    floor.verdict = (struct verdict){TRUST_HIGH, LEG_NONE, .within = promise_core.relative};
    if (!floor.whole)
        floor.verdict = verdict_lesser(
            floor.verdict, (struct verdict){TRUST_LOW, has_control ? LEG_REPETITION : LEG_PLAUSIBILITY});
    for (enum stlf_which half = STLF_FIRST; floor.whole && half <= STLF_SECOND; half++) {
        const struct levels of_half = levels_of(set, series, control, half);
        const bool other = round(of_half.median) != floor.cycles;
        if (other || !of_half.agree)
            floor.verdict = verdict_lesser(
                floor.verdict, (struct verdict){other ? TRUST_LOW : TRUST_MEDIUM, LEG_REPETITION});
    }
    for (size_t i = 1; i < count && i < STLF_CHAINS_MOST; i++) {
        const struct estimate *e = &set->estimate[first + i];
        fewest = e->summary.count < fewest->summary.count ? e : fewest;
    }
    floor.estimate = *fewest;
    floor.estimate.value = floor.cycles;
    floor.estimate.low = floor.low;
    floor.estimate.high = floor.high;
    floor.estimate.state = set->state;
    for (size_t i = 0; i < fewest->parts.count; i++)
        floor.estimate.parts.value[i] -= (float)(fewest->value - floor.cycles);
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

struct stlf_floor stlf_loops_of(const struct stlf_set *set, const char *series)
{
    size_t count, values = 0;
    const struct estimate *loop = &set->estimate[stlf_series_at(set, series, &count)];
    struct stlf_floor loops = {
        .cycles = NAN, .low = NAN, .high = NAN, .verdict = {.trust = TRUST_HIGH}, .estimate = loop[0]};
    double value[STLF_CHAINS_MOST] = {0};
    for (size_t i = 0; i < count && i < STLF_CHAINS_MOST; i++) {
        loops.verdict = verdict_lesser(loops.verdict, stlf_judge(set, &loop[i], 0));
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
