/* SPDX-License-Identifier: MIT */
/* What the rounds of one cell amount to. */
#include <math.h>
#include <stdlib.h>

#include "matrix.h"

enum { ROUNDS_MIN = 3 };

bool latency_wants(const struct latency_matrix *matrix, enum handover_series series)
{
    return matrix->benches >> series_bench(series) & 1;
}

bool latency_reports(const struct latency_matrix *matrix, enum handover_series series)
{
    return matrix->params->benches >> series_bench(series) & 1;
}

bool latency_applies(const struct latency_matrix *matrix, enum handover_series series, size_t pair)
{
    const struct pair *ends = &matrix->plan.pair[pair];
    return ends->from != ends->to || (series != SERIES_READWRITE && series != SERIES_MESSAGE);
}

void latency_cell_clear(struct latency_cell *cell)
{
    *cell = (struct latency_cell){.round = cell->round, .line_low = INFINITY, .line_high = -INFINITY};
}

const struct cell_rules *latency_rules(const struct latency_matrix *matrix, enum handover_series series)
{
    static const struct cell_rules by_median = {.min_rounds = ROUNDS_MIN,
                                                .agree = 0.01,
                                                .gap = 0.25,
                                                .noisy = 0.10,
                                                .preempted = 0.05,
                                                .use_median = true};
    return series == SERIES_CAS || series == SERIES_READWRITE ? &cell_rules_default : &by_median;
}

/* The rounds of another series in which the chase found the CPUs where they mostly are. */
static size_t rounds_in_place(const struct latency_cell *cell, const struct latency_cell *witness,
                              const struct mode *home, struct cell_round *kept)
{
    size_t count = 0;

    for (size_t i = 0; i < cell->rounds && i < witness->rounds; i++) {
        const double seen = witness->round[i].value;
        if (isnan(seen) || (seen >= home->low && seen <= home->high))
            kept[count++] = cell->round[i];
    }
    return count;
}

static struct cell_verdict restored_verdict(const struct latency_cell *cell)
{
    return (struct cell_verdict){.value = cell->round[0].value,
                                 .flags = cell->flags,
                                 .settled = true,
                                 .spread = NAN,
                                 .rounds = cell->restored_rounds,
                                 .samples = cell->round[0].samples,
                                 .dropped = cell->round[0].dropped};
}

/* The chase tells placements apart that a CAS does not: what it saw is held against all series of the pair.
 */
struct cell_verdict latency_verdict(const struct latency_matrix *matrix, enum handover_series series,
                                    size_t pair)
{
    const struct cell_rules *rules = latency_rules(matrix, series);
    const struct latency_cell *cell = &matrix->cell[series][pair];
    const struct latency_cell *witness =
        matrix->cell[SERIES_TRANSFER] ? &matrix->cell[SERIES_TRANSFER][pair] : NULL;
    if (cell->restored)
        return restored_verdict(cell);
    if (!witness || witness == cell)
        return cell_judge(cell->round, cell->rounds, rules);
    const struct cell_verdict seen =
        cell_judge(witness->round, witness->rounds, latency_rules(matrix, SERIES_TRANSFER));
    if (!(seen.flags & FLAG_REGIME) || seen.modes.count < 2)
        return cell_judge(cell->round, cell->rounds, rules);
    struct cell_round *kept = calloc((size_t)cell->rounds + 1, sizeof *kept);
    const size_t count = kept ? rounds_in_place(cell, witness, &seen.modes.mode[seen.modes.main], kept) : 0;
    struct cell_verdict verdict = cell_judge(kept, count, rules);
    free(kept);
    verdict.flags |= FLAG_REGIME;
    verdict.settled = false;
    return verdict;
}
