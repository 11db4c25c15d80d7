/* SPDX-License-Identifier: MIT */
/* What is found on lines that a CPU owns already: what a series would take without a transfer. */
#include <stdio.h>

#include "base/text.h"
#include "core_latency.h"

static const double FIFTH = 0.2;

/* On lines that CPU 0 owns: in cycles of its clock, or in ns where that is not known. */
struct own {
    struct estimate estimate;
    bool cycles;
};

static bool estimate_own(const struct latency_matrix *matrix, int column, struct own *own)
{
    const size_t cell = matrix->plan.pair_count * matrix->width + (size_t)column;
    struct engine_data data = matrix->data;

    for (int attempt = 0; attempt < 4; attempt++) {
        const enum state state = attempt % 2 ? STATE_MIXED : engine_main_state(&data);
        own->cycles = data.cycles = attempt < 2;
        if (engine_estimate(&data, cell, state, 0.5, &own->estimate))
            return true;
    }
    return false;
}

static struct answer judged_own(const struct own *own, const char *key)
{
    struct answer answer = answer_of(&own->estimate, trust_judge(&own->estimate, &promise_core));
    answer.key = key;
    answer.unit = own->cycles ? "core cycles" : "ns";
    return answer;
}

static void find_own(const struct latency_matrix *matrix, enum latency_series series, const char *what)
{
    static const char *const meanwhile[STATE_COUNT] = {
        [STATE_IDLE] = " while the sibling idles", [STATE_ACTIVE] = " while the sibling works"};
    const double ghz = latency_mean_ghz(matrix);
    char ns[32] = "";
    struct own own;

    if (!estimate_own(matrix, matrix->column[series], &own))
        return;
    if (own.cycles && ghz > 0)
        snprintf(ns, sizeof ns, " (%.*f ns)", text_decimals(own.estimate.value / ghz),
                 own.estimate.value / ghz);
    latency_answer(
        matrix, series, judged_own(&own, "own_line"),
        "%s on a line that CPU %d owns already: %.*f %s%s%s; take it off to have the transfer alone", what,
        matrix->place[0].id, text_decimals(own.estimate.value), own.estimate.value,
        own.cycles ? "cycles" : "ns", ns, meanwhile[own.estimate.state] ? meanwhile[own.estimate.state] : "");
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
    struct own picked, plain;

    if (matrix->plain_column < 0 || !latency_reports(matrix, SERIES_CAS) ||
        !estimate_own(matrix, matrix->column[SERIES_CAS], &picked) ||
        !estimate_own(matrix, matrix->plain_column, &plain) || picked.cycles != plain.cycles ||
        picked.estimate.state != plain.estimate.state || !latency_differs(&picked.estimate, &plain.estimate))
        return;
    latency_answer(
        matrix, SERIES_CAS, judged_own(&plain, "llsc"),
        "on a line that CPU %d owns already: %.*f %s by load-exclusive and store-exclusive, %.*f by "
        "the one instruction with which the pairs are measured%s",
        matrix->place[0].id, text_decimals(plain.estimate.value), plain.estimate.value,
        plain.cycles ? "cycles" : "ns", text_decimals(picked.estimate.value), picked.estimate.value,
        picked.estimate.value > plain.estimate.value
            ? ": it may be carried out away from the core, and then moves no line"
            : "");
}

void latency_own_answers(const struct latency_matrix *matrix)
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
