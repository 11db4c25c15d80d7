/* SPDX-License-Identifier: MIT */
/* Half a round trip of a line: by compare-and-swap on one word, or by loads and stores of two. */
#include <math.h>

#include "measurement.h"
#include "uarchprobe/stats.h"

enum { LOOKS = 50 /* at whether the partner has given up, while it is waited for */ };

/* One side of a ping-pong on one line. */
struct player {
    const struct kernel *kernel;
    void *a, *b;
    uint64_t await, put, spins;
    bool alternates; /* the value awaited changes with each trip */
    enum side side;
};

/* False: the partner has not come for as long as it may take, or has given up, which is looked at in between. */
static bool play(const struct measurement *m, struct player *player, uint64_t trips)
{
    for (int looks = 0; looks < LOOKS;) {
        const uint64_t left = player->kernel->entry(player->a, player->b, trips, player->await, player->put,
                                                    player->spins / LOOKS + 1);
        if (player->alternates)
            player->await ^= (trips - left) & 1;
        if (left == 0)
            return true;
        if (atomic_load_explicit(&m->failed, memory_order_relaxed) || measurement_is_moved(m, player->side) ||
            measurement_is_late(m, clock_ticks()))
            return false;
        looks = left < trips ? 0 : looks + 1;
        trips = left;
    }
    return false;
}

static struct player player_of(const struct measurement *m, enum side side, int line,
                               enum latency_series series)
{
    const struct latency_setup *setup = m->setup;
    unsigned char *word = measurement_line(m, line, series_bench[series]);
    const bool from = side == SIDE_FROM;

    if (series == SERIES_CAS)
        return (struct player){setup->kernel[series], word, NULL, !from, from, setup->cas_spins, false, side};
    return (struct player){setup->kernel[series],
                           from ? word + WORD_BYTES : word,
                           from ? word : word + WORD_BYTES,
                           from,
                           !from,
                           setup->load_spins,
                           true,
                           side};
}

static bool time_player(const struct measurement *m, struct player *player, uint64_t iterations,
                        double *sample)
{
    const struct latency_effort *effort = &m->setup->effort;

    if (!play(m, player, WARM_TRIPS))
        return false;
    uint64_t before = clock_ticks();
    for (uint64_t i = 0; i < effort->samples; i++) {
        if (!play(m, player, iterations))
            return false;
        const uint64_t now = clock_ticks();
        sample[i] = measurement_ns(m, now - before) / (double)iterations / 2;
        before = now;
        if (measurement_is_late(m, now))
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
    const struct latency_effort *effort = &m->setup->effort;

    for (int i = 0; i < effort->lines; i++) {
        const int line = m->order[i];
        struct player player = player_of(m, side, line, series);
        const bool done =
            side == SIDE_FROM
                ? time_player(m, &player, effort->iterations, m->sample + (size_t)line * effort->samples)
                : play(m, &player, WARM_TRIPS + effort->samples * effort->iterations);
        if (!done)
            return false;
    }
    if (side == SIDE_FROM)
        conclude_lines(m, series);
    return true;
}

static bool time_alone(struct measurement *m, const struct kernel *kernel)
{
    const struct latency_setup *setup = m->setup;
    const uint64_t trips = setup->effort.iterations,
                   iterations = trips * own_laps(setup->clock->resolution_ns, trips);
    const double reading = setup->clock->overhead_ns / (double)iterations;

    for (int i = 0; i < setup->effort.lines; i++) {
        struct player player = {kernel, measurement_line(m, i, BENCH_CAS), NULL, 0, 0, 1, false, SIDE_FROM};
        double *sample = m->sample + (size_t)i * setup->effort.samples;
        if (!time_player(m, &player, iterations, sample))
            return false;
        for (uint64_t k = 0; k < setup->effort.samples; k++)
            sample[k] = fmax(0, 2 * sample[k] - reading); /* no trip back */
    }
    conclude_lines(m, SERIES_CAS);
    return true;
}

bool pingpong_run_alone(struct measurement *m)
{
    if (!time_alone(m, m->setup->kernel[SERIES_CAS]))
        return false;
    const struct latency_result result = m->result[SERIES_CAS];
    if (m->setup->plain_cas && time_alone(m, m->setup->plain_cas))
        m->plain_own = m->result[SERIES_CAS].value;
    m->result[SERIES_CAS] = result;
    return true;
}
