/* SPDX-License-Identifier: MIT */
/* What a forward takes, from the store's data and from a late load address, and what a failed one takes: as whole numbers of
 * cycles, next to what tight loops take. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "floor.h"
#include "points.h"

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
    {l1_hit, OPERATION_LATENCY, 8, 0, 0, 0, STLF_UNROLL_MAX, stlf_one},
    {multiplication, OPERATION_CHAIN_MUL, 8, 0, 0, 0, STLF_UNROLL_MAX, stlf_one},
    {inside, OPERATION_FORWARD_SLACK, 8, 4, 0, 2, 4, stlf_over_gaps},
    {inside, OPERATION_FORWARD_SLACK, 8, 4, 0, 2, 16, stlf_over_gaps},
    {first_byte, OPERATION_FORWARD_SLACK, 8, 1, 0, 0, 4, stlf_over_gaps},
    {first_byte, OPERATION_FORWARD_SLACK, 8, 1, 0, 0, 16, stlf_over_gaps},
    {failed, OPERATION_FORWARD_SLACK, 8, 4, 0, 6, 4, stlf_over_gaps},
    {failed, OPERATION_FORWARD_SLACK, 8, 4, 0, 6, 16, stlf_over_gaps},
    {late_first, OPERATION_FORWARD_LA, 8, 1, 0, 0, 2, stlf_over_gaps},
    {late_first, OPERATION_FORWARD_LA, 8, 1, 0, 0, 4, stlf_over_gaps},
    {late_first, OPERATION_FORWARD_LA, 8, 1, 0, 0, 16, stlf_over_gaps},
    {late_inside, OPERATION_FORWARD_LA, 8, 1, 0, 2, 2, stlf_over_gaps},
    {late_inside, OPERATION_FORWARD_LA, 8, 1, 0, 2, 4, stlf_over_gaps},
    {late_inside, OPERATION_FORWARD_LA, 8, 1, 0, 2, 16, stlf_over_gaps},
    {inside_loops, OPERATION_FORWARD_FA, 8, 4, 0, 2, 0, stlf_over_loops},
    {first_loops, OPERATION_FORWARD_FA, 8, 1, 0, 0, 0, stlf_over_loops},
};

static const struct table_spec forwards_table = {
    .name = "forwards",
    .title = "Forwards with multiplications in the chain",
    .note = "gap: multiplications in a pair, which are part of its cycles.",
    .columns = stlf_point_columns,
    .column_count = C_COUNT,
    .view = {.kind = VIEW_HIDDEN, .x = C_PAIRS, .y = -1, .value = C_CYCLES, .series = C_SERIES},
};

static struct stlf_floor floor_of(const struct stlf_set *set, const char *name)
{
    size_t count, ignored;
    const size_t first = stlf_series_at(set, name, &count);
    struct stlf_slack slack = {.multiply = &set->estimate[stlf_series_at(set, multiplication, &ignored)],
                               .state = set->state};
    for (; slack.count < count && slack.count < STLF_CHAINS_MOST; slack.count++) {
        slack.chain[slack.count] = &set->estimate[first + slack.count];
        slack.multiplications[slack.count] = set->point[first + slack.count].kernel->gap;
    }
    return stlf_floor_of(&slack);
}

static struct stlf_floor loops_of(const struct stlf_set *set, const char *name)
{
    size_t count;
    const size_t first = stlf_series_at(set, name, &count);
    return stlf_loops_of(set, &set->estimate[first], count);
}

/* Where the sibling works, an idle one may come yet. */
static bool is_enough(const struct stlf_set *set)
{
    static const char *const names[] = {inside, first_byte, failed, late_first, late_inside};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (set->state == STATE_ACTIVE || floor_of(set, names[i]).verdict.trust != TRUST_HIGH)
            return false;
    }
    return loops_of(set, inside_loops).verdict.trust != TRUST_LOW &&
           loops_of(set, first_loops).verdict.trust != TRUST_LOW;
}

enum { SPELT = 32 };

/* "6"; "6.2 to 6.9" */
static const char *spell(const struct stlf_floor *floor, char text[SPELT])
{
    char low[16], high[16];
    snprintf(low, sizeof low, "%.1f", floor->low);
    snprintf(high, sizeof high, "%.1f", floor->high);
    const bool same = floor->whole || strcmp(low, high) == 0;
    snprintf(text, SPELT,
             floor->whole ? "%.0f"
             : same       ? "%.1f"
                          : "%.1f to %.1f",
             same ? floor->cycles : floor->low, floor->high);
    return text;
}

/* before: NULL where another sentence has the cycles. */
static void say(struct stlf *stlf, const char *key, const struct stlf_floor *floor, const char *before,
                const char *behind)
{
    char cycles[SPELT];
    struct answer answer = stlf_estimated(key, &floor->estimate, floor->verdict);
    if (isnan(floor->cycles))
        answer = stlf_found(key, REAL_CELL(NAN), "core cycles", STATE_UNKNOWN, floor->verdict);
    if (!before)
        record_answer(stlf->run->record, answer);
    else if (isnan(floor->cycles))
        stlf_say(stlf, answer, "%s: not measured", before);
    else
        stlf_say(stlf, answer, "%s: %s cycles%s", before, spell(floor, cycles), behind);
}

static void say_forward(struct stlf *stlf, const struct stlf_floor *forward, struct stlf_floor *loops)
{
    struct stlf_floor range = *loops;
    range.verdict = (struct verdict){TRUST_LOW, forward->verdict.leg};
    if (forward->whole)
        say(stlf, "stlf.forwarded", forward, "store-to-load forwarding", "");
    else
        say(stlf, "stlf.forwarded", &range, "store-to-load forwarding",
            " in tight loops, floor not measured");
    say(stlf, "stlf.forwarded_loops", loops, forward->whole ? "in tight loops" : NULL, "");
}

/* Both by one sentence where both can be trusted as far. */
static void say_late(struct stlf *stlf, const struct stlf_set *set)
{
    static const char what[] = "from a late load address";
    const struct stlf_floor first = floor_of(set, late_first), in = floor_of(set, late_inside);
    const bool together = first.verdict.trust == in.verdict.trust;
    char text[2 * SPELT + 32] = " at the store's first byte", cycles[SPELT];
    if (together && !isnan(in.cycles))
        snprintf(text, sizeof text, " at the store's first byte, %s inside it", spell(&in, cycles));
    say(stlf, "stlf.forwarded_late", &first, what, text);
    say(stlf, "stlf.forwarded_late_inside", &in, together ? NULL : what, " inside the store");
}

/* What a load pays that gets only a part of its bytes from the store. base: of what it is held against. */
static void say_failed(struct stlf *stlf, const struct stlf_floor *fail, const struct stlf_floor *base,
                       const char *what)
{
    struct stlf_floor more = {.whole = fail->whole && base->whole,
                              .cycles = fail->cycles - base->cycles,
                              .verdict = verdict_lesser(fail->verdict, base->verdict),
                              .estimate = stlf_difference(&fail->estimate, &base->estimate)};
    const bool none = fail->cycles <= 1.25 * base->cycles;
    const bool together = more.verdict.trust == fail->verdict.trust;
    char text[64] = "";
    if (none)
        more.cycles = more.estimate.value = more.estimate.low = more.estimate.high = 0;
    else if (together && !isnan(more.cycles))
        snprintf(text, sizeof text, ", %.*f more than %s", !more.whole, more.cycles, what);
    more.low = more.estimate.low;
    more.high = more.estimate.high;
    say(stlf, "stlf.failed_forward", fail,
        none ? "a load that gets only a part of its bytes from the store" : "failed forward", text);
    say(stlf, "stlf.failed_forward_penalty", &more,
        none || together ? NULL : "a failed forward beyond a forward", "");
}

static void report(struct stlf *stlf, const struct stlf_set *set)
{
    const struct stlf_floor contained = floor_of(set, inside), own = floor_of(set, first_byte),
                            fail = floor_of(set, failed), l1 = loops_of(set, l1_hit);
    const struct stlf_floor *forward = stlf_forward_of(&contained, &own, l1.cycles);
    struct stlf_floor loops = loops_of(set, forward == &own ? first_loops : inside_loops);
    if (forward)
        say_forward(stlf, forward, &loops);
    else
        stlf_say(stlf,
                 stlf_found("stlf.forwarded", REAL_CELL(NAN), "core cycles", set->state,
                            verdict_lesser(contained.verdict, own.verdict)),
                 "store-to-load forwarding: every load that the store serves is renamed away");
    say_late(stlf, set);
    if (!isnan(fail.cycles))
        say_failed(stlf, &fail,
                   !forward         ? &l1
                   : forward->whole ? forward
                                    : &loops,
                   forward ? "a forward" : "a load from L1");
}

const struct stlf_sweep stlf_forwards = {&forwards_table, series, sizeof series / sizeof series[0], report,
                                         .enough = is_enough};
