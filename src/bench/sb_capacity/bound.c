/* SPDX-License-Identifier: MIT */
/* The reorder bound from the rates of a litmus test. */
#include "sb_capacity.h"

/* A trial that saw none might have seen half a one: no rate is sure to be 0. */
static double rate_of(size_t hits, size_t trials)
{
    return trials > 0 ? (hits > 0 ? (double)hits : 0.5) / (double)trials : 1;
}

/* The three last before the fall, without a gap, and the next one after it. */
static bool is_tight(const size_t *stores, const size_t *hits, size_t at)
{
    enum { BEFORE = 3 };

    for (size_t i = 1; i < BEFORE && i < stores[at]; i++)
        if (i > at || stores[at - i] != stores[at] - i || hits[at - i] == 0)
            return false;
    return stores[at + 1] == stores[at] + 1;
}

struct sb_bound sb_bound_of(const size_t *stores, const size_t *hits, const size_t *trials, size_t count)
{
    enum { FALL = 10, BEYOND = 3, FEWEST = 20 };
    struct sb_bound bound = {.found = false};
    size_t beyond_hits = 0, beyond_trials = 0;

    /* From the far end, so that of two falls (halved for a part of the time) the later one is found. */
    for (size_t i = count; i-- > 0;) {
        size_t beyond = count - 1 - i;
        double rate = rate_of(hits[i], trials[i]), floor = rate_of(beyond_hits, beyond_trials);

        if (beyond >= BEYOND && hits[i] >= FEWEST && rate >= FALL * floor) {
            bound.found = true;
            bound.stores = stores[i];
            bound.next_stores = stores[i + 1];
            bound.rate = rate;
            bound.floor = beyond_trials > 0 ? (double)beyond_hits / (double)beyond_trials : 0;
            bound.fall = rate / floor;
            bound.tight = is_tight(stores, hits, i);
            return bound;
        }
        beyond_hits += hits[i];
        beyond_trials += trials[i];
    }
    return bound;
}

/* A load that overtakes the whole buffer, or that and the store that is leaving it. */
static bool fits(size_t stores, size_t capacity)
{
    return stores == capacity || stores == capacity + 1;
}

struct verdict sb_bound_judge(const struct sb_bound *bound, size_t capacity)
{
    static const double sharp = 50, near = 0.1;
    const double apart = (double)bound->stores - (double)capacity;

    if (!bound->found || !bound->tight || bound->fall < sharp)
        return (struct verdict){TRUST_LOW, LEG_PRECISION};
    if (fits(bound->stores, capacity))
        return (struct verdict){TRUST_HIGH, LEG_NONE};
    const bool half = capacity > 1 && fits(bound->stores, capacity / 2);
    const bool close = capacity > 0 && apart < near * (double)capacity && -apart < near * (double)capacity;
    return (struct verdict){close || half ? TRUST_MEDIUM : TRUST_LOW, LEG_PLAUSIBILITY};
}
