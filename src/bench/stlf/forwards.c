/* SPDX-License-Identifier: MIT */
/* The levels that other experiments compare with: the latency of L1, loads by their offset from a store,
 * and the cycles of a forward (store data late, load address late) and of a failed one: as whole numbers,
 * next to tight loops. */
#include <math.h>
#include <stdlib.h>

#include "engine/published.h"
#include "stlf.h"
#include "uarchprobe/stats.h"

static const char by_offset[] = "by offset", same_offset[] = "by offset, the same",
                  l1_hit[] = "L1 hit, load to use", multiplication[] = "multiplication",
                  inside[] = "contained, 2 bytes in", first_byte[] = "first byte",
                  failed[] = "partial overlap, last 2 bytes missing",
                  late_first[] = "late load address, first byte",
                  late_inside[] = "late load address, 2 bytes in", inside_loops[] = "contained, tight loop",
                  first_loops[] = "first byte, tight loop";

enum { LOAD_BYTES = 4 };

/* With slack: three numbers of multiplications in loops of two lengths, or two in loops of three, as a
 * late load may find its store in L1 after three multiplications. The failed forward is from an aligned
 * store; from others it may take longer (25 cycles instead of 18 on Zen 3). */
static const long offsets_above[] = {-4, -1, 1, 2, 3, 4, 5, 7};
static const struct stlf_series of_forwards[] = {
    {.name = inside,
     .operation = OPERATION_FORWARD_SLACK,
     .store_bytes = 8,
     .load_bytes = 4,
     .load = 2,
     .pairs = {4, 16}},
    {.name = failed,
     .operation = OPERATION_FORWARD_SLACK,
     .store_bytes = 8,
     .load_bytes = 4,
     .load = 6,
     .pairs = {4, 16}},
    {.name = late_inside,
     .operation = OPERATION_FORWARD_LA,
     .store_bytes = 8,
     .load_bytes = 1,
     .load = 2,
     .pairs = {2, 4, 16}},
    {.name = inside_loops,
     .operation = OPERATION_FORWARD_FA,
     .store_bytes = 8,
     .load_bytes = 4,
     .load = 2,
     .pairs = {2, 4, 8, 16, 32, 64}},
    {.name = by_offset,
     .operation = OPERATION_FORWARD_FA,
     .store_bytes = 8,
     .load_bytes = LOAD_BYTES,
     .store = 8,
     .load = 8,
     .pairs = {STLF_UNROLL_MAX},
     .above = offsets_above,
     .loads = sizeof offsets_above / sizeof *offsets_above},
    {.name = l1_hit,
     .operation = OPERATION_LATENCY,
     .store_bytes = 8,
     .load_bytes = 0,
     .pairs = {STLF_UNROLL_MAX}},
    {.name = multiplication,
     .operation = OPERATION_CHAIN_MUL,
     .store_bytes = 8,
     .load_bytes = 0,
     .pairs = {STLF_UNROLL_MAX}},
    {.name = first_byte,
     .operation = OPERATION_FORWARD_SLACK,
     .store_bytes = 8,
     .load_bytes = 1,
     .pairs = {4, 16}},
    {.name = late_first,
     .operation = OPERATION_FORWARD_LA,
     .store_bytes = 8,
     .load_bytes = 1,
     .pairs = {2, 4, 16}},
    {.name = first_loops,
     .operation = OPERATION_FORWARD_FA,
     .store_bytes = 8,
     .load_bytes = 1,
     .pairs = {2, 4, 8, 16, 32, 64}},
    {.name = same_offset,
     .operation = OPERATION_FORWARD_FA,
     .store_bytes = 8,
     .load_bytes = 4,
     .store = 8,
     .load = 8,
     .pairs = {STLF_UNROLL_MAX}},
    {0},
};

/* Indices of the loads by offset that other answers need; the same address belongs before 1. */
enum { PARTIAL = 1, SAME, CONTAINED };

/* How far a multiplication may be from a whole number of cycles. Next to a busy sibling it took 2.88 to
 * 2.98 instead of 3. */
static const double CONTROL = 0.02;
/* How far a chain may be from a whole number; the rest of the cost of a pass grows with the cycles of a
 * pair. */
static const double NEAR = 0.06, NEAR_SHARE = 0.005;
enum { ASTRAY = 6, SAMPLES_LEAST = 8, CHAINS_MOST = 8 };
/* The share by which high trust lets values of the core differ. */
static const double L1_OFF = 0.02;

/* The chains of a series without their multiplications, in the whole run or a half. */
struct chains {
    bool control; /* the multiplication is a whole number */
    bool agree;   /* and all chains but one in six are near the whole number of the median */
    size_t count;
    double of[CHAINS_MOST], median;
};

static bool is_near(double cycles, double whole)
{
    return fabs(cycles - whole) <= fmax(NEAR, NEAR_SHARE * whole);
}

static struct chains chains_of(const struct stlf_part *part, const char *name, enum stlf_which which)
{
    const struct estimate *multiply = stlf_curve(part, multiplication).of;
    const double each = multiply->summary.count >= SAMPLES_LEAST ? stlf_value_of(multiply, which) : NAN;
    const struct stlf_curve series = stlf_curve(part, name);
    struct chains chains = {.control = fabs(each - round(each)) <= CONTROL && round(each) >= 1};
    size_t agree = 0;
    for (size_t i = 0; i < series.count && chains.count < CHAINS_MOST; i++) {
        const double bare = stlf_value_of(&series.of[i], which) - series.point[i].kernel->gap * each;
        /* A multiplication of whole cycles is the better clock: it ran in the same loops. */
        if (series.of[i].summary.count >= SAMPLES_LEAST && !isnan(bare))
            chains.of[chains.count++] = chains.control ? bare * round(each) / each : bare;
    }
    chains.median = median_of(chains.of, chains.count);
    for (size_t i = 0; i < chains.count; i++)
        agree += is_near(chains.of[i], round(chains.median));
    chains.agree = series.count > 0 && chains.control && agree + series.count / ASTRAY >= series.count;
    return chains;
}

/* Whether the chains of a series lie as close to each other as high trust lets values of the core be,
 * those of the whole run and those of each half. */
static bool is_steady(const struct stlf_part *part, const char *name)
{
    double least = INFINITY, most = 0;
    bool has_all = true;
    for (enum stlf_which which = STLF_WHOLE; which <= STLF_SECOND; which++) {
        const struct chains chains = chains_of(part, name, which);
        has_all &= chains.control && chains.count == stlf_curve(part, name).count;
        for (size_t i = 0; i < chains.count; i++) {
            least = fmin(least, chains.of[i]);
            most = fmax(most, chains.of[i]);
        }
    }
    return has_all && most - least <= fmax(promise_core.relative * most, promise_core.absolute);
}

struct floor {
    bool whole;  /* the chains agree and have a control (struct chains) */
    bool steady; /* or they are no whole number, but close to each other */
    struct verdict verdict;
    /* The whole number that the chains agree on, else their median; low and high are those of the agreeing
     * chains, else of all; samples and parts are those of the chain with the fewest samples. NaN: nothing was
     * measured. */
    struct estimate estimate;
};

/* A latency as a whole number of cycles, from chains with slack. In a chain of stores and loads alone a
 * pair takes an average, as the chain falls out of step with the load's own rhythm. Dependent multiplications
 * hide that; the same run measures them alone and subtracts them. Nothing is claimed where the multiplication
 * is no whole number (something else uses the core, or this core counts no whole cycles), nor next to a busy
 * sibling: loads wait for its loads, and a multiplication may not show it (2.986 cycles, and 18.94 for a
 * failed forward of 18, on Zen 3). High trust: both halves of the run repeat it. Medium: there is no whole
 * number, but the chains are steady. So it was in 61 of 84 runs on a Zen 5 guest, which found 13.99 to 14.12
 * cycles for a failed forward of 14. */
static struct floor floor_of(const struct stlf_part *part, const char *name)
{
    const struct chains chains = chains_of(part, name, STLF_WHOLE);
    const bool has_control = chains.control && part->state != STATE_ACTIVE;
    const struct stlf_curve series = stlf_curve(part, name);
    const struct estimate *fewest = series.of;
    for (const struct estimate *e = series.of; e < series.of + series.count; e++)
        fewest = e->summary.count < fewest->summary.count ? e : fewest;
    struct floor floor = {.whole = chains.agree && has_control, .estimate = *fewest};
    floor.steady = !floor.whole && has_control && is_steady(part, name);
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
    const enum limited_by lack = chains.count == 0 ? LIMITED_BY_PRECISION
                                 : has_control     ? LIMITED_BY_REPETITION
                                                   : LIMITED_BY_PLAUSIBILITY;
    floor.verdict = verdict_capped(floor.steady ? LIMITED_BY_REPETITION : LIMITED_BY_NONE,
                                   floor.whole || floor.steady ? LIMITED_BY_NONE : lack);
    floor.verdict.within = promise_core.relative;
    for (enum stlf_which half = STLF_FIRST; floor.whole && half <= STLF_SECOND; half++) {
        const struct chains of_half = chains_of(part, name, half);
        const bool other = round(of_half.median) != e->value;
        floor.verdict = verdict_lesser(floor.verdict,
                                       verdict_capped(of_half.agree ? LIMITED_BY_NONE : LIMITED_BY_REPETITION,
                                                      other ? LIMITED_BY_REPETITION : LIMITED_BY_NONE));
    }
    return floor;
}

/* Tight loops: their middle estimate, with the range of all of them as its interval. */
static struct floor loops_of(const struct stlf_part *part, const char *name)
{
    const struct stlf_curve loop = stlf_curve(part, name);
    struct floor loops = {.estimate = *stlf_middle(loop.of, loop.count),
                          .verdict = verdict_capped(LIMITED_BY_NONE, LIMITED_BY_NONE)};
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
    const char *series;
    struct answer names; /* none: say_forwards chooses one of these two */
} floors[FLOORS] = {
    [INSIDE] = {inside},
    [FIRST_BYTE] = {first_byte},
    [LATE_FIRST] = {late_first, {.key = "stlf.forwarded_late", .label = "late load address, first byte"}},
    [LATE_INSIDE] = {late_inside,
                     {.key = "stlf.forwarded_late_inside", .label = "late load address, inside"}},
    [FAILED] = {
        failed,
        {.key = "stlf.failed_forward", .label = "failed forward", .sheet_cell = "core/failed-forward"}}};

/* The latency of a core that nothing shares is a whole number, and never below the published one: a clock
 * that a sibling slows during a reading makes cycles too few. An impossible value stands in the remark
 * only. */
static void say_l1(const struct stlf_part *part, const struct estimate *e)
{
    struct answer answer = {
        .key = "stlf.l1_latency", .label = "L1 load to use", .sheet_cell = "core/l1-latency"};
    const double published = published_range(cpu_core(part->stlf->run->cpu), "l1_latency").least;
    const bool is_less = e->value < (1 - L1_OFF) * published;
    const bool is_broken = part->state == STATE_IDLE && fabs(e->value - round(e->value)) > L1_OFF * e->value;
    if (is_less || is_broken) {
        answer.unit = "cycles";
        answer.remark =
            stlf_words(part, "%.2f is %s", e->value, is_less ? "less than published" : "no whole number");
        stlf_say(part, answer, verdict_capped(LIMITED_BY_NONE, LIMITED_BY_PLAUSIBILITY));
    } else {
        stlf_add(part, answer, e, stlf_judge(e, 0));
    }
}

/* In the order of offsets_above, with the same address before 1. */
static const struct {
    const char *key, *sheet_cell;
} offset_answers[] = {
    {"stlf.offset.minus_4", "offsets/load_-_store/-4"},   {"stlf.offset.minus_1", "offsets/load_-_store/-1"},
    [SAME] = {"stlf.offset.0", "offsets/load_-_store/0"}, {"stlf.offset.1", "offsets/load_-_store/1"},
    {"stlf.offset.2", "offsets/load_-_store/2"},          {"stlf.offset.3", "offsets/load_-_store/3"},
    {"stlf.offset.4", "offsets/load_-_store/4"},          {"stlf.offset.5", "offsets/load_-_store/5"},
    {"stlf.offset.7", "offsets/load_-_store/7"}};
_Static_assert(sizeof offset_answers / sizeof *offset_answers ==
                   sizeof offsets_above / sizeof *offsets_above + 1,
               "each offset has a key");

/* Keeps a line of the screen for later: cycles by load offset minus store offset. Where the load ends
 * before the store begins no pair waits for another: a rate, which moves with the state of the predictors
 * (0.70 and 0.85 in two runs). */
static void say_offsets(const struct stlf_part *part, const struct stlf_curve *offsets,
                        const struct stlf_curve *same)
{
    for (size_t i = 0; i <= offsets->count; i++) {
        const struct estimate *e = i == SAME ? same->of : &offsets->of[i - (i > SAME)];
        const long offset = i == SAME ? 0 : offsets->point[i - (i > SAME)].load - offsets->point[0].store;
        const struct verdict verdict = verdict_lesser(
            stlf_judge(e, 0),
            verdict_capped(offset <= -LOAD_BYTES ? LIMITED_BY_REPETITION : LIMITED_BY_NONE, LIMITED_BY_NONE));
        struct answer answer = answer_of(e, verdict);
        answer.key = offset_answers[i].key;
        answer.label = stlf_words(part, "load %ld bytes above store", offset);
        answer.sheet_cell = offset_answers[i].sheet_cell;
        answer.unit = "cycles";
        if (!part->is_second || !verdict_is_low(verdict))
            part->stlf->offset[part->stlf->offsets++] = stlf_judged(part, answer, verdict);
    }
}

void stlf_record_offsets(struct stlf *stlf)
{
    for (size_t i = 0; i < stlf->offsets; i++)
        record_answer(stlf->run->record, stlf->offset[i]);
    stlf->offsets = 0;
}

/* The forward is the kind of load that is not renamed: one with a whole number before one without, then
 * the faster. Where its chains have no whole number and are not steady it is the value of tight loops, of low
 * trust. */
static void say_forwards(const struct stlf_part *part, double l1)
{
    struct floor floor[FLOORS];
    const struct floor *forward = NULL;
    for (int i = 0; i < FLOORS; i++)
        floor[i] = floor_of(part, floors[i].series);
    for (const struct floor *of = floor; of <= &floor[FIRST_BYTE]; of++)
        if (!is_renamed(of->estimate.value, l1) &&
            (!forward || of->whole > forward->whole ||
             (of->whole == forward->whole && of->estimate.value < forward->estimate.value)))
            forward = of;
    const struct floor loops = loops_of(part, forward == &floor[FIRST_BYTE] ? first_loops : inside_loops),
                       hit = loops_of(part, l1_hit);
    const struct floor *base = !forward ? &hit : forward->whole || forward->steady ? forward : &loops;
    struct answer answer = {
        .key = "stlf.forwarded", .label = "store-to-load forwarding", .sheet_cell = "core/forwarded"};
    if (forward) {
        stlf_add(part, answer, &base->estimate, forward->verdict);
        stlf_add(part,
                 (struct answer){.key = "stlf.forwarded_loops",
                                 .label = "in tight loops",
                                 .sheet_cell = "core/forwarded-loops"},
                 &loops.estimate, loops.verdict);
    } else {
        answer.unit = "cycles";
        answer.remark = "all such loads are renamed";
        stlf_say(part, answer, verdict_lesser(floor[INSIDE].verdict, floor[FIRST_BYTE].verdict));
    }
    for (int i = LATE_FIRST; i < FLOORS; i++)
        stlf_add(part, floors[i].names, &floor[i].estimate, floor[i].verdict);
    struct estimate more = stlf_difference(&floor[FAILED].estimate, &base->estimate);
    if (floor[FAILED].estimate.value <= 1.25 * base->estimate.value)
        more.value = more.low = more.high = 0;
    stlf_add(part,
             (struct answer){.key = "stlf.failed_forward_penalty",
                             .label = forward ? "beyond a forward" : "beyond a load from L1"},
             &more, verdict_lesser(floor[FAILED].verdict, base->verdict));
}

/* Levels come first: verdicts in rows and grids compare with them. `forwarded` is the lower level at 64
 * pairs, where the fewest loads are renamed. */
static void report(const struct stlf_part *part)
{
    const struct stlf_curve offsets = stlf_curve(part, by_offset), same = stlf_curve(part, same_offset);
    const struct estimate *hit = stlf_curve(part, l1_hit).of;
    const double l1 = hit->value, at = same.of->value, contained = offsets.of[CONTAINED].value;
    part->stlf->usual = (struct stlf_levels){
        .l1 = l1,
        .forwarded = fmin(is_renamed(at, l1) ? NAN : at, is_renamed(contained, l1) ? NAN : contained),
        .blocked = offsets.of[PARTIAL].value};
    say_forwards(part, l1);
    say_offsets(part, &offsets, &same);
    say_l1(part, hit);
}

const struct stlf_sweep stlf_forwards = {
    .table = {.name = "forwards",
              .title = "Forwards with multiplications in the chain",
              .note = "gap: multiplications in a pair, which are part of its cycles.",
              .columns = stlf_point_columns,
              .column_count = C_COUNT,
              .view = {.kind = VIEW_HIDDEN, .x = C_PAIRS, .y = -1, .value = C_CYCLES, .series = C_SERIES}},
    .series = of_forwards,
    .seconds = 0.35,
    .report = report};
