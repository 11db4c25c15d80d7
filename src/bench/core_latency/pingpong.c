/* SPDX-License-Identifier: MIT */
/* Half a round trip of a line: by compare-and-swap on one word, or by loads and stores of two. */
#include <math.h>

#include "measurement.h"
#include "uarchprobe/stats.h"

enum { CHECKS = 50 /* whether the partner has given up, while it is waited for */ };

/* One side of a ping-pong on one line. */
struct player {
    const struct kernel *kernel;
    void *a, *b;
    uint64_t await, put, spins;
    bool alternates; /* the value awaited changes with each trip */
    enum side side;
};

/* False: the partner has not come for as long as it may take, or has given up, which is checked in between. */
static bool play(const struct measurement *m, struct player *player, uint64_t trips)
{
    for (int checks = 0; checks < CHECKS;) {
        const uint64_t left = player->kernel->entry(player->a, player->b, trips, player->await, player->put,
                                                    player->spins / CHECKS + 1);
        if (player->alternates)
            player->await ^= (trips - left) & 1;
        if (left == 0)
            return true;
        if (atomic_load_explicit(&m->failed, memory_order_relaxed) || meeting_is_moved(m, player->side) ||
            meeting_is_late(m, clock_ticks()))
            return false;
        checks = left < trips ? 0 : checks + 1;
        trips = left;
    }
    return false;
}

/* ns a trip. */
static bool time_player(const struct measurement *m, struct player *player, uint64_t trips, double *sample)
{
    if (!play(m, player, WARM_TRIPS))
        return false;
    uint64_t before = clock_ticks();
    for (uint64_t i = 0; i < m->setup->effort.samples; i++) {
        if (!play(m, player, trips))
            return false;
        const uint64_t now = clock_ticks();
        sample[i] = (double)(now - before) * m->setup->clock->ns_per_tick / (double)trips;
        before = now;
        if (meeting_is_late(m, now))
            return false;
    }
    return true;
}

/* Mean over lines of the tenth percentile of each: one line is a draw in a lottery, and a disturbance only
 * ever adds. */
static void conclude_lines(struct measurement *m, enum latency_series series)
{
    const size_t samples = m->setup->effort.samples, lines = (size_t)m->setup->effort.lines;
    struct latency_result *result = &m->result[series];
    const double median = median_of(m->sample, lines * samples);
    double sum = 0;
    size_t used = 0;

    result->samples = result->dropped = lines * samples;
    for (size_t i = 0; i < lines; i++) {
        double *sample = m->sample + i * samples;
        const size_t kept = drop_disturbed(sample, samples, median);
        result->dropped -= kept;
        if (kept == 0)
            continue;
        result->line[i] = quantile_of(sample, kept, 0.1);
        sum += result->line[i];
        used++;
    }
    result->value = 2 * used > lines ? sum / (double)used : NAN;
}

bool pingpong_run(struct measurement *m, enum side side, enum latency_series series)
{
    const struct latency_setup *setup = m->setup;
    const struct latency_effort *effort = &setup->effort;
    const bool from = side == SIDE_FROM, cas = series == SERIES_CAS;

    for (int i = 0; i < effort->lines; i++) {
        const int line = m->order[i];
        unsigned char *word = meeting_line(m, line, latency_series[series].bench), *other = word + WORD_BYTES;
        struct player player = {.kernel = setup->kernel[series],
                                .a = from && !cas ? other : word,
                                .b = from ? word : other,
                                .await = from != cas,
                                .put = from == cas,
                                .spins = cas ? setup->cas_spins : setup->load_spins,
                                .alternates = !cas,
                                .side = side};
        double *sample = m->sample + (size_t)line * effort->samples;
        if (!(from ? time_player(m, &player, effort->iterations, sample)
                   : play(m, &player, WARM_TRIPS + effort->samples * effort->iterations)))
            return false;
        for (uint64_t k = 0; from && k < effort->samples; k++)
            sample[k] /= 2; /* one way */
    }
    if (from)
        conclude_lines(m, series);
    return true;
}

bool pingpong_run_alone(struct measurement *m, enum latency_series series)
{
    const struct latency_setup *setup = m->setup;
    const struct latency_effort *effort = &setup->effort;
    const uint64_t trips = effort->iterations * own_laps(setup->clock->resolution_ns, effort->iterations);

    for (int i = 0; i < effort->lines; i++) {
        struct player player = {.kernel = setup->kernel[series],
                                .a = meeting_line(m, i, BENCH_CAS),
                                .spins = 1,
                                .side = SIDE_FROM};
        double *sample = m->sample + (size_t)i * effort->samples;
        if (!time_player(m, &player, trips, sample))
            return false;
        for (uint64_t k = 0; k < effort->samples; k++)
            sample[k] = fmax(0, sample[k] - setup->clock->overhead_ns / (double)trips);
    }
    conclude_lines(m, series);
    return true;
}
