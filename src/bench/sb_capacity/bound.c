/* SPDX-License-Identifier: MIT */
/* The reorder bound from the rates of a litmus test. */
#include "sb_capacity.h"

/* A trial that saw none might have seen half a one: no rate is sure to be 0. */
static double rate_of(size_t hits, size_t trials)
{
    return trials > 0 ? (hits > 0 ? (double)hits : 0.5) / (double)trials : 1;
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
            bound.next = (double)hits[i + 1] / (double)(trials[i + 1] > 0 ? trials[i + 1] : 1);
            bound.floor = beyond_trials > 0 ? (double)beyond_hits / (double)beyond_trials : 0;
            bound.fall = rate / floor;
            return bound;
        }
        beyond_hits += hits[i];
        beyond_trials += trials[i];
    }
    return bound;
}
