/* SPDX-License-Identifier: MIT */
/* Half a round trip of a line: by compare-and-swap on one word, or by loads and stores of two. Of a CPU alone the operation itself. */
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

unsigned char *pingpong_line(const struct measurement *m, int line, enum latency_bench bench)
{
    return m->page + (size_t)line * m->setup->page_bytes + 1024 * (bench == BENCH_READWRITE) +
           LINE_BYTES * (line % 3);
}

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

/* ns one way, or of one operation alone. */
static bool time_player(const struct measurement *m, struct player *player, uint64_t trips, double *sample)
{
    const struct clock *clock = m->setup->clock;

    if (!play(m, player, WARM_TRIPS))
        return false;
    uint64_t before = clock_ticks();
    for (uint64_t i = 0; i < m->setup->effort.samples; i++) {
        if (!play(m, player, trips))
            return false;
        const uint64_t now = clock_ticks();
        const double ns = (double)(now - before) * clock->ns_per_tick;
        sample[i] = measurement_is_alone(m) ? fmax(0, ns - clock->overhead_ns) / (double)trips
                                            : ns / 2 / (double)trips;
        before = now;
        if (meeting_is_late(m, now))
            return false;
    }
    return true;
}

/* Mean over lines of the tenth percentile of each: one line is a draw in a lottery, and a disturbance only
 * ever adds. */
static void conclude_lines(struct measurement *m, struct latency_result *result)
{
    const size_t samples = m->setup->effort.samples, lines = (size_t)m->setup->effort.lines;
    const double median = median_of(m->sample, lines * samples);
    double line[LINES_MAX], sum = 0;
    size_t used = 0;

    result->samples = result->dropped = lines * samples;
    for (size_t i = 0; i < lines; i++) {
        const size_t kept = drop_disturbed(m->sample + i * samples, samples, median);
        result->dropped -= kept;
        if (kept == 0)
            continue;
        line[used] = quantile_of(m->sample + i * samples, kept, 0.1);
        sum += line[used++];
    }
    result->value = 2 * used > lines ? sum / (double)used : NAN;
    result->line_low = quantile_of(line, used, 0);
    result->line_high = quantile_of(line, used, 1);
}

bool pingpong_run(struct measurement *m, enum side side, enum latency_series series)
{
    const struct latency_setup *setup = m->setup;
    const uint64_t samples = setup->effort.samples,
                   trips = setup->effort.iterations * measurement_laps(m, setup->effort.iterations);
    const bool alone = measurement_is_alone(m), from = side == SIDE_FROM, words = series == SERIES_READWRITE;

    for (int i = 0; i < setup->effort.lines; i++) {
        const int line = m->order[i];
        unsigned char *word = pingpong_line(m, line, latency_series[series].bench),
                      *other = word + WORD_BYTES;
        struct player player = {.kernel = setup->kernel[series],
                                .a = from && words ? other : word,
                                .b = from ? word : other,
                                .await = from == words,
                                .put = from != words && !alone,
                                .spins = words ? setup->load_spins : setup->cas_spins,
                                .alternates = words,
                                .side = side};
        if (!(from ? time_player(m, &player, trips, m->sample + (size_t)line * samples)
                   : play(m, &player, WARM_TRIPS + samples * trips)))
            return false;
    }
    if (from)
        conclude_lines(m, &m->result[series]);
    return true;
}
