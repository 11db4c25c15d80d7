/* SPDX-License-Identifier: MIT */
/* Blocks of litmus trials as machines would give them. */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "bench/sb_capacity/sb_capacity.h"
#include "uarchprobe/random.h"

enum { NEAR_NS = 30, FAR_NS = 140, WHOLE = 64 };

static inline struct sb_passing *passing_new(void)
{
    struct sb_passing *passing = memory_zeroed(1, sizeof *passing);
    passing->entries = passing->whole[0] = passing->whole[1] = WHOLE;
    passing->proved = true;
    passing->ghz = 3.5;
    return passing;
}

static inline void passing_free(struct sb_passing *passing)
{
    free(passing->block);
    free(passing);
}

/* What both witnesses read before and after. */
static inline void set_state(struct sb_block *block, size_t whole, enum state state)
{
    const uint16_t of = (uint16_t)whole;
    const struct reading idle = {of, of, true}, active = {of / 2, of, true}, unknown = {0, of, true};
    for (int side = 0; side < 2; side++) {
        block->before[side] = state == STATE_ACTIVE ? active : state == STATE_UNKNOWN ? unknown : idle;
        block->after[side] = state == STATE_MIXED ? active : block->before[side];
    }
}

static inline struct sb_block block_of(enum sb_filling filling, bool late, size_t stores, size_t trials,
                                       size_t hits)
{
    struct sb_block block = {.point = {filling, late, stores},
                             .distance_ns = FAR_NS,
                             .count = {1, trials, hits, 0},
                             .fenced = trials / 3};
    set_state(&block, WHOLE, STATE_IDLE);
    return block;
}

/* Shares of trials of a machine: of what fits into the buffer, of what leaves it early for several lines, and of what merges
 * (0: nothing does). */
struct machine {
    size_t entries;
    double fits[2], early[2], merged[2]; /* by distance */
    double in_time;               /* share of `early` that is left where the first line comes in time */
    size_t most, most_apart;      /* that are passed: by stores to lines in turn, and to one line each */
    double far_share, idle_share; /* of the blocks */
};

/* In so many trials; a normal one where that is near enough. */
static inline size_t draw(uint64_t *random, size_t trials, double share)
{
    const double unit = 0x1p-53, mean = (double)trials * share;
    size_t hits = 0;
    if (mean > 20) {
        const double u = ((double)(random_next(random) >> 11) + 0.5) * unit,
                     v = ((double)(random_next(random) >> 11) + 0.5) * unit;
        const double x = mean + sqrt(mean * (1 - share)) * sqrt(-2 * log(u)) * cos(2 * acos(-1.0) * v);
        return x < 0 ? 0 : x > (double)trials ? trials : (size_t)x;
    }
    if (!(share > 0))
        return 0;
    for (double at = 0;;) {
        at += floor(log(((double)(random_next(random) >> 11) + 0.5) * unit) / log1p(-share)) + 1;
        if (at > (double)trials)
            return hits;
        hits++;
    }
}

static inline double share_of_point(const struct machine *m, const struct sb_point *point, bool far,
                                    bool idle)
{
    const size_t entries = idle ? m->entries : m->entries / 2;
    const size_t lost = idle ? 0 : m->entries - entries;
    if (point->stores <= entries)
        return m->fits[far];
    if (point->filling >= FILL_WORD)
        return m->merged[far];
    const size_t most = point->filling == FILL_APART ? m->most_apart : m->most;
    return point->stores + lost > most ? 0 : m->early[far] * (point->late ? 1 : m->in_time);
}

static inline bool happens(uint64_t *random, double share)
{
    return (double)random_below(random, 1000000) < 1e6 * share;
}

/* A run as litmus.c makes it: rounds until it is enough or the blocks are used up. CPUs are moved every fifty blocks. */
static inline void run_machine(struct sb_passing *passing, const struct machine *m, size_t blocks,
                               uint64_t *random)
{
    static struct sb_points points;
    static const struct sb_params params = {.address = SB_ADDRESS_AUTO};
    enum { TRIALS = 375, SPELL = 50 };
    uint64_t check = 8;
    bool far = false, idle = false;
    points = (struct sb_points){0};
    sb_points_choose(&points, &params, passing->entries);
    for (uint64_t round = 0, made = 0; made < blocks; round++) {
        for (size_t i = 0; i < points.points && made < blocks; i++) {
            const struct sb_point *point = &points.point[i];
            if (!sb_points_wants(&points, point, passing, round))
                continue;
            if (made++ % SPELL == 0) {
                far = happens(random, m->far_share);
            }
            idle = happens(random, m->idle_share);
            struct sb_block block = block_of(point->filling, point->late, point->stores, TRIALS,
                                             draw(random, TRIALS, share_of_point(m, point, far, idle)));
            block.distance_ns = far ? FAR_NS : NEAR_NS;
            set_state(&block, WHOLE, idle ? STATE_IDLE : STATE_ACTIVE);
            sb_passing_add(passing, &block);
        }
        if (round + 1 < check)
            continue;
        check = round + 2 + round / 4;
        if (sb_passing_enough(passing))
            return;
    }
}
