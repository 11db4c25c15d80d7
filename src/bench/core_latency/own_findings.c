/* SPDX-License-Identifier: MIT */
/* What is found on lines that a CPU owns already: what a series would take without a transfer. */
#include "core_latency.h"

static const double FIFTH = 0.2;

/* On lines that CPU 0 owns. */
static bool estimate_own(const struct latency_matrix *matrix, int column, struct estimate *estimate)
{
    const size_t cell = matrix->plan.pair_count * matrix->width + (size_t)column;

    return engine_estimate(&matrix->data, cell, engine_main_state(&matrix->data), 0.5, estimate) ||
           engine_estimate(&matrix->data, cell, STATE_MIXED, 0.5, estimate);
}

static void find_own(const struct latency_matrix *matrix, enum latency_series series, const char *what)
{
    static const char *const meanwhile[STATE_COUNT] = {
        [STATE_IDLE] = " while the sibling idles", [STATE_ACTIVE] = " while the sibling works"};
    struct estimate estimate;

    if (!estimate_own(matrix, matrix->column[series], &estimate))
        return;
    latency_finding(
        matrix, series, latency_judged(&estimate, &claim_core, "own_line"),
        "%s on a line that CPU %d owns already: %.2f ns%s; take it off to have the transfer alone", what,
        matrix->place[0].id, estimate.value, meanwhile[estimate.state] ? meanwhile[estimate.state] : "");
}

bool latency_differs(const struct estimate *one, const struct estimate *other)
{
    const struct estimate *less = one->value < other->value ? one : other;
    const struct estimate *more = less == one ? other : one;

    return more->value > less->value * (1 + FIFTH) && more->low > less->high;
}

/* An interconnect may have an atomic instruction carried out at the line's home: what a pair is measured with then moves
 * no line, and the exclusive pair of instructions, which has to, is another quantity. */
static void find_plain(const struct latency_matrix *matrix)
{
    struct estimate picked, plain;

    if (matrix->plain_column < 0 || !latency_reports(matrix, SERIES_CAS) ||
        !estimate_own(matrix, matrix->column[SERIES_CAS], &picked) ||
        !estimate_own(matrix, matrix->plain_column, &plain) || picked.state != plain.state ||
        !latency_differs(&picked, &plain))
        return;
    latency_finding(
        matrix, SERIES_CAS, latency_judged(&plain, &claim_core, "llsc"),
        "on a line that CPU %d owns already: %.2f ns by load-exclusive and store-exclusive, %.2f ns by "
        "the one instruction with which the pairs are measured%s",
        matrix->place[0].id, plain.value, picked.value,
        picked.value > plain.value ? ": it may be carried out away from the core, and then moves no line"
                                   : "");
}

void latency_own_findings(const struct latency_matrix *matrix)
{
    static const char *const what[SERIES_COUNT] = {[SERIES_CAS] = "a compare-and-swap",
                                                   [SERIES_TRANSFER] = "a load",
                                                   [SERIES_TRANSFER_RMW] = "a locked operation"};

    for (int series = 0; series < SERIES_COUNT; series++) {
        if (what[series] && latency_reports(matrix, (enum latency_series)series))
            find_own(matrix, (enum latency_series)series, what[series]);
    }
    find_plain(matrix);
}
