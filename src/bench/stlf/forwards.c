/* SPDX-License-Identifier: MIT */
/* Cycles of a forward from the store's data and from a late load address, and of a failed one: as whole numbers, next to
 * tight loops. */
#include <math.h>

#include "judge.h"

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

static const struct table_spec forwards_table = {
    .name = "forwards",
    .title = "Forwards with multiplications in the chain",
    .note = "gap: multiplications in a pair, which are part of its cycles.",
    .columns = stlf_point_columns,
    .column_count = C_COUNT,
    .view = {.kind = VIEW_HIDDEN, .x = C_PAIRS, .y = -1, .value = C_CYCLES, .series = C_SERIES},
};

/* While the sibling is busy, an idle one may come yet. */
static bool is_enough(const struct stlf_set *set)
{
    static const char *const names[] = {inside, first_byte, failed, late_first, late_inside};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (set->state == STATE_ACTIVE ||
            stlf_floor_of(set, names[i], multiplication).verdict.trust != TRUST_HIGH)
            return false;
    }
    return stlf_loops_of(set, inside_loops).verdict.trust != TRUST_LOW &&
           stlf_loops_of(set, first_loops).verdict.trust != TRUST_LOW;
}

static void say(const struct stlf_set *set, const char *key, const struct stlf_floor *floor,
                const char *label, const char *remark)
{
    stlf_add(set, (struct answer){.key = key, .label = label, .remark = remark}, &floor->estimate,
             floor->verdict);
}

/* Without a whole number a forward is what tight loops take, of low trust. */
static void report(const struct stlf_set *set)
{
    const struct stlf_floor contained = stlf_floor_of(set, inside, multiplication),
                            own = stlf_floor_of(set, first_byte, multiplication),
                            fail = stlf_floor_of(set, failed, multiplication),
                            late = stlf_floor_of(set, late_first, multiplication),
                            late_in = stlf_floor_of(set, late_inside, multiplication),
                            l1 = stlf_loops_of(set, l1_hit);
    const struct stlf_floor *forward = stlf_forward_of(&contained, &own, l1.estimate.value);
    const struct stlf_floor loops = stlf_loops_of(set, forward == &own ? first_loops : inside_loops);
    struct stlf_floor range = loops;
    range.verdict = forward ? (struct verdict){TRUST_LOW, forward->verdict.leg}
                            : verdict_lesser(contained.verdict, own.verdict);
    if (!forward)
        range.estimate = (struct estimate){.value = NAN, .low = NAN, .high = NAN};
    say(set, "stlf.forwarded", forward && forward->whole ? forward : &range, "store-to-load forwarding",
        forward ? NULL : "all such loads are renamed");
    if (forward)
        say(set, "stlf.forwarded_loops", &loops, "in tight loops", NULL);
    say(set, "stlf.forwarded_late", &late, "late load address, first byte", NULL);
    say(set, "stlf.forwarded_late_inside", &late_in, "late load address, inside", NULL);
    say(set, "stlf.failed_forward", &fail, "failed forward", NULL);
    const struct stlf_floor *base = !forward ? &l1 : forward->whole ? forward : &loops;
    struct stlf_floor more = {.verdict = verdict_lesser(fail.verdict, base->verdict),
                              .estimate = stlf_difference(&fail.estimate, &base->estimate)};
    if (fail.estimate.value <= 1.25 * base->estimate.value)
        more.estimate.value = more.estimate.low = more.estimate.high = 0;
    say(set, "stlf.failed_forward_penalty", &more, forward ? "beyond a forward" : "beyond a load from L1",
        NULL);
}

const struct stlf_sweep stlf_forwards = {
    {{&forwards_table}}, series, sizeof series / sizeof series[0], 0.3, report, .enough = is_enough};
