/* SPDX-License-Identifier: MIT */
#include "cores.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define NONE NAN
#define CORE(arch, title, hit, equal, data, apart, inside, within, overlapping, from, when)                  \
    {arch, title, hit, equal, data, apart, CONTAINED_##inside, within, overlapping, from, when},

const struct stlf_core stlf_cores[] = {
#include "cores.def"
};
const size_t stlf_core_count = sizeof stlf_cores / sizeof stlf_cores[0];

/* Of two cores that fit equally well, the one of which more is known is the better match. */
static const double scarcity = 0.1;

struct sum {
    double distance;
    int compared;
};

/* Latencies that differ by a factor are that far apart, however long they are; the added cycle keeps those
 * near zero from dominating. */
static void compare(struct sum *sum, double a, double b)
{
    if (isnan(a) || isnan(b))
        return;
    sum->distance += fabs(log((a + 1) / (b + 1)));
    sum->compared++;
}

static bool renames(const struct stlf_core *core)
{
    return core->same < 0.9 * (isnan(core->l1) ? 4 : core->l1);
}

/* What is renamed has no latency to compare: it is or it is not. */
static void compare_same(struct sum *sum, const struct stlf_core *a, const struct stlf_core *b)
{
    if (isnan(a->same) || isnan(b->same))
        return;
    if (renames(a) && renames(b))
        sum->compared++;
    else
        compare(sum, a->same, b->same);
}

static void compare_contained(struct sum *sum, enum stlf_contained a, enum stlf_contained b)
{
    if (a == CONTAINED_NOT_SAID || b == CONTAINED_NOT_SAID)
        return;
    sum->distance += a == b ? 0 : 0.5;
    sum->compared++;
}

static struct sum distance_of(const struct stlf_core *a, const struct stlf_core *b)
{
    struct sum sum = {0, 0};
    compare(&sum, a->l1, b->l1);
    compare_same(&sum, a, b);
    compare(&sum, a->fast_data, b->fast_data);
    compare(&sum, a->no_reuse, b->no_reuse);
    compare_contained(&sum, a->forwards, b->forwards);
    compare(&sum, a->contained, b->contained);
    compare(&sum, a->partial, b->partial);
    return sum;
}

int stlf_closest(const struct stlf_core *measured, struct stlf_match *match, int most)
{
    int count = 0;
    for (size_t i = 0; i < stlf_core_count; i++) {
        const struct sum sum = distance_of(measured, &stlf_cores[i]);
        const double mean = (sum.distance + scarcity) / sum.compared;
        if (sum.compared < 3 || strcmp(measured->arch, stlf_cores[i].arch) != 0)
            continue;
        int at = count < most ? count++ : most;
        for (; at > 0 && match[at - 1].distance > mean; at--) {
            if (at < most)
                match[at] = match[at - 1];
        }
        if (at < most)
            match[at] = (struct stlf_match){&stlf_cores[i], mean, sum.compared};
    }
    return count;
}
