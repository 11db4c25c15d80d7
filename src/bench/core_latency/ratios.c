/* SPDX-License-Identifier: MIT */
/* What one series takes for another, which holds where times do not, and over how many placements that was seen. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "core_latency.h"

/* Disturbed measurements are left out where one in so many is not. */
enum { UNDISTURBED_SHARE = 5 };
/* What one pair of cores has, another below the same L3 has not: on Zen 4 cas 25 ns and transfer 27, or 29.6 and 26.6. A
 * guest does not know which it was given, and has others the next time. */
enum { PLACEMENTS_LEAST = 4, STAY_LEAST = 8 };

/* One series by another, of each measurement. */
struct latency_ratios {
    double *value;
    unsigned *stay; /* of a pair at the distance, in which it was taken */
    unsigned stays;
    size_t count, all; /* collected; with the disturbed ones */
};

/* Which to divide by which, and where. */
struct asked {
    size_t above, below; /* columns */
    int distance;
    bool disturbed_too;
};

/* A pair that comes back to a distance is most often on other cores than before: each stay is a placement. */
struct stays {
    unsigned *now; /* by pair */
    bool *here;    /* by pair: since it was last found elsewhere */
    unsigned count;
};

static unsigned stay_of(struct stays *stays, size_t pair)
{
    if (!stays->here[pair])
        stays->now[pair] = stays->count++;
    stays->here[pair] = true;
    return stays->now[pair];
}

static void add_ratio(const struct latency_matrix *matrix, const struct asked *asked, size_t sweep,
                      size_t pair, struct stays *stays, struct latency_ratios *ratios)
{
    const size_t cell = pair * matrix->width;
    const float *value = &matrix->data.value[sweep * matrix->data.cells + cell];
    const double ratio = (double)value[asked->above] / value[asked->below];
    const int at = distances_at(&matrix->distances, sweep, pair);

    stays->here[pair] = stays->here[pair] && (at < 0 || at == asked->distance);
    if (at != asked->distance || isnan(ratio))
        return;
    ratios->all++;
    if (!asked->disturbed_too && engine_disturbed(&matrix->data, sweep, cell))
        return;
    ratios->stay[ratios->count] = stay_of(stays, pair);
    ratios->value[ratios->count++] = ratio;
}

static void collect_ratios(const struct latency_matrix *matrix, const struct asked *asked,
                           struct latency_ratios *ratios)
{
    const size_t pairs = matrix->plan.pair_count;
    struct stays stays = {memory_zeroed(pairs, sizeof *stays.now), memory_zeroed(pairs, sizeof *stays.here),
                          0};

    ratios->count = ratios->all = 0;
    for (size_t sweep = 0; sweep < matrix->data.sweeps; sweep++) {
        for (size_t pair = 0; pair < pairs; pair++)
            add_ratio(matrix, asked, sweep, pair, &stays, ratios);
    }
    ratios->stays = stays.count;
    free(stays.now);
    free(stays.here);
}

/* Of a stay of few looks, noise is all there is. */
static void keep_long_stays(struct latency_ratios *ratios)
{
    size_t *looks = memory_zeroed(ratios->stays, sizeof *looks), kept = 0;

    for (size_t i = 0; i < ratios->count; i++)
        looks[ratios->stay[i]]++;
    for (size_t i = 0; i < ratios->count; i++) {
        if (looks[ratios->stay[i]] < STAY_LEAST)
            continue;
        ratios->stay[kept] = ratios->stay[i];
        ratios->value[kept++] = ratios->value[i];
    }
    ratios->count = kept;
    free(looks);
}

bool latency_ratio(const struct latency_matrix *matrix, enum latency_series series, enum latency_series base,
                   int distance, struct estimate *estimate)
{
    const size_t room = matrix->data.sweeps * matrix->plan.pair_count;
    struct asked asked = {(size_t)matrix->column[series], (size_t)matrix->column[base], distance, false};
    struct latency_ratios ratios = {memory_zeroed(room, sizeof *ratios.value),
                                    memory_zeroed(room, sizeof *ratios.stay), 0, 0, 0};

    collect_ratios(matrix, &asked, &ratios);
    if (ratios.count * UNDISTURBED_SHARE < ratios.all) {
        asked.disturbed_too = true;
        collect_ratios(matrix, &asked, &ratios);
    }
    bool ok = estimate_of(ratios.value, ratios.count, 0.5, estimate);
    keep_long_stays(&ratios);
    ok = ok && estimate_placements(ratios.value, ratios.stay, ratios.count, 0.5, estimate);
    free(ratios.value);
    free(ratios.stay);
    return ok;
}

/* With what else goes on between the cores all but readwrite change by up to 8 %. */
struct verdict latency_judge_ratio(const struct latency_matrix *matrix, const struct estimate *estimate,
                                   enum latency_series series)
{
    const struct promise promise = {.relative = 0.05,
                                    .placements = matrix->guest ? PLACEMENTS_LEAST : 0,
                                    .at_least = NAN,
                                    .at_most = NAN};
    const struct verdict verdict = trust_judge(estimate, &promise);

    return series == SERIES_READWRITE
               ? verdict
               : verdict_lesser(verdict, (struct verdict){TRUST_MEDIUM, LEG_REPETITION});
}
