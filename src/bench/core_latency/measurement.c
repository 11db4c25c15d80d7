/* SPDX-License-Identifier: MIT */
#include "measurement.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

/* CHECKS: how often a waiting side checks whether its partner has given up. */
enum { SPINS_BETWEEN_CHECKS = 20000, CHECKS = 50, DISTURBED_FACTOR = 4 };

/* A yield next to a busy process costs a time slice, in which the partner comes and yields in its turn: a
 * measurement of 3 ms with forty meetings took 0.7 s. So neither side yields at first; two sides on one CPU
 * have to in the end. */
static const uint64_t YIELD_AFTER_NS = 2000000;

const char *const latency_bench_names[] = {"cas", "readwrite", "transfer", "compiled", "sharing", NULL};
const struct measured_series latency_series[SERIES_NAMED] = {
    [SERIES_CAS] = {"cas", "CAS", BENCH_CAS, OPERATION_PINGPONG_CAS},
    [SERIES_READWRITE] = {"readwrite", "Read-write", BENCH_READWRITE, OPERATION_PINGPONG_WORDS},
    [SERIES_TRANSFER] = {"transfer", "Transfer", BENCH_TRANSFER, OPERATION_LATENCY},
    [SERIES_TRANSFER_RMW] = {"transfer_rmw", "Locked transfer", BENCH_TRANSFER, OPERATION_CHASE_RMW},
    [SERIES_COMPILED] = {"compiled", "Compiled CAS", BENCH_COMPILED, OPERATION_PINGPONG_CAS},
    [SERIES_OWN_LLSC] = {"cas", "CAS", BENCH_CAS, OPERATION_PINGPONG_CAS},
};

/* Two sides on one CPU, where one was moved, make progress once a time slice. */
static bool is_moved(const struct measurement *m, enum side side)
{
    return m->cpu[side] >= 0 && sched_getcpu() != m->cpu[side];
}

static bool is_late(const struct measurement *m, uint64_t now)
{
    return (m->setup->deadline_ticks && now >= m->setup->deadline_ticks) ||
           (m->deadline_ticks && now >= m->deadline_ticks) || interrupt_came();
}

static bool is_given_up(const struct measurement *m, enum side side)
{
    return atomic_load_explicit(&m->failed, memory_order_relaxed) || is_moved(m, side) ||
           is_late(m, clock_ticks());
}

/* Waits until the other side has come as far; false: either has given up. Patience is a time, because a
 * yield takes less than a microsecond on an idle CPU, and a time slice next to a busy process. */
static bool meet(struct measurement *m, enum side side)
{
    atomic_uint *theirs = &m->met[1 - side];
    const unsigned count = atomic_fetch_add(&m->met[side], 1) + 1;
    uint64_t since_ns = 0;
    for (unsigned spins = 0; !m->alone && atomic_load_explicit(theirs, memory_order_acquire) < count;
         spins++) {
        if (spins % SPINS_BETWEEN_CHECKS < SPINS_BETWEEN_CHECKS - 1)
            continue;
        const uint64_t now_ns = clock_now_ns();
        since_ns = since_ns ? since_ns : now_ns;
        if (now_ns - since_ns > YIELD_AFTER_NS)
            sched_yield();
        if (now_ns - since_ns > m->setup->meet_ns || is_given_up(m, side))
            atomic_store(&m->failed, true);
        if (atomic_load(&m->failed))
            return false;
    }
    return !atomic_load_explicit(&m->failed, memory_order_relaxed);
}

/* By how much a CPU alone multiplies the operations of a sample: to 2000, and to fifty steps of the clock
 * at a nanosecond each. At 500 operations the calls around a sample added 0.1 to 0.3 to the 9 cycles of a
 * compare-and-swap, differently in each build. An emulator's clock has steps of a microsecond, and its
 * operations take long anyway. */
static uint64_t own_laps(const struct clock *clock, uint64_t operations)
{
    const double steps = 50, least = 2000, most = 64;
    return (uint64_t)fmin(most,
                          fmax(1, ceil(fmax(steps * clock->resolution_ns, least) / (double)operations)));
}

/* Leaves out the samples above 4 times the median (in place, order kept) and returns how many are left. */
static size_t drop_disturbed(double *value, size_t count, double median)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (median <= 0 || !(value[i] > DISTURBED_FACTOR * median))
            value[kept++] = value[i];
    return kept;
}

/* One side of a ping-pong on one line: by compare-and-swap on one word, or by loads and stores of two. */
struct player {
    const struct kernel *kernel;
    void *a, *b;
    uint64_t await, put, spins;
    bool alternates; /* the value awaited changes with each trip */
    enum side side;
};

/* Each benchmark has lines of its own on a page, so that none depends on the state that another left. */
enum {
    LINE_BYTES = 256, /* distance of lines used together: beyond any pairing of neighbours */
    WORD_BYTES = 256, /* between the words of readwrite: more than the largest line */
    WORDS_AT = 1024,
    PLACES = 3,
    SHARED_PER_PAGE = 2 /* words of each CPU */
};
_Static_assert(PLACES *LINE_BYTES <= WORDS_AT, "lines of two benchmarks stay apart");
_Static_assert(WORDS_AT + PLACES * LINE_BYTES + WORD_BYTES <= 4096, "and on the smallest page");

static unsigned char *pingpong_line(const struct measurement *m, int line, enum latency_bench bench)
{
    return m->page + (size_t)line * m->setup->page_bytes + WORDS_AT * (bench == BENCH_READWRITE) +
           LINE_BYTES * (line % PLACES);
}

/* False: the partner has not come in time, or has given up. */
static bool play(const struct measurement *m, struct player *player, uint64_t trips)
{
    for (int checks = 0; checks < CHECKS;) {
        const uint64_t left = player->kernel->entry(player->a, player->b, trips, player->await, player->put,
                                                    player->spins / CHECKS + 1);
        if (player->alternates)
            player->await ^= (trips - left) & 1;
        if (left == 0)
            return true;
        if (is_given_up(m, player->side))
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
        sample[i] = m->alone ? fmax(0, ns - clock->overhead_ns) / (double)trips : ns / 2 / (double)trips;
        before = now;
        if (is_late(m, now))
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
    double sum = 0;
    size_t used = 0;
    result->samples = result->dropped = lines * samples;
    for (size_t i = 0; i < lines; i++) {
        const size_t kept = drop_disturbed(m->sample + i * samples, samples, median);
        result->dropped -= kept;
        if (kept == 0)
            continue;
        sum += quantile_of(m->sample + i * samples, kept, 0.1);
        used++;
    }
    result->value = 2 * used > lines ? sum / (double)used : NAN;
}

static bool pingpong_run(struct measurement *m, enum side side, enum latency_series series)
{
    const struct latency_setup *setup = m->setup;
    const bool alone = m->alone, from = side == SIDE_FROM, words = series == SERIES_READWRITE;
    const uint64_t samples = setup->effort.samples, iterations = setup->effort.iterations;
    const uint64_t trips = iterations * (alone ? own_laps(setup->clock, iterations) : 1);
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

double walk_ns(const struct latency_setup *setup, enum latency_series series, void *node, uint64_t steps)
{
    const uint64_t before = clock_ticks();
    setup->kernel[series]->entry(node, NULL, steps, 0, 0, 0);
    const double ns = (double)(clock_ticks() - before) * setup->clock->ns_per_tick;
    return fmax(0, ns - setup->clock->overhead_ns) / (double)steps;
}

/* Page by page; the first line moves on by one from page to page, so that all sets of an L1 are used
 * alike. */
static uint64_t line_offset(const struct chase *chase, uint64_t index)
{
    const uint64_t page = index / NODES_PER_LINE;
    return page * chase->stride + index % NODES_PER_LINE * LINE_BYTES + page % 4 * 64;
}

/* Each at 256 bytes, so that those 64 and 128 bytes further share every larger block with it, and spread
 * over the sets of an L1. */
static uint64_t shared_offset(const struct chase *chase, uint64_t index)
{
    return index / SHARED_PER_PAGE * chase->stride + index * 5 % 14 * LINE_BYTES;
}

/* In random order: through all lines, of both sides and both series of a transfer, or through the words of
 * one side. */
static struct chase chain_of(const struct measurement *m, enum side side, enum latency_series series)
{
    const bool shares = series >= SERIES_SHARING;
    const int distance = ((int)series - SERIES_SHARING) % SHARING_DISTANCES;
    return (struct chase){.data = m->page + (shares && side == SIDE_TO ? sharing_bytes(distance) : 0),
                          .count =
                              (uint64_t)m->setup->effort.lines * (shares ? SHARED_PER_PAGE : NODES_PER_LINE),
                          .stride = m->setup->page_bytes,
                          .seed = m->seed + (shares ? side : 0),
                          .offset = shares ? shared_offset : line_offset};
}

/* Before each walk the sides meet. In a transfer the side whose turn it is writes all lines, for the other
 * one to walk; where words of a neighbour are read, it takes the words of both sides, and the other one reads
 * its own. */
static bool prepare_walk(struct measurement *m, enum side side, enum latency_series series,
                         const struct chase chain[2], enum side turn, int pass)
{
    const bool transfers = series < SERIES_SHARING, touches = series >= SERIES_TOUCHED;
    if (!meet(m, side))
        return false;
    for (uint64_t i = 0; transfers && side == turn && i < chain->count; i++)
        atomic_store_explicit((_Atomic uint64_t *)chase_node(chain, i) + 1, (uint64_t)(pass + WARM_PASSES),
                              memory_order_relaxed);
    for (enum side i = SIDE_FROM; touches && side == turn && i <= SIDE_TO; i++)
        walk_ns(m->setup, series, chase_node(&chain[i], 0), chain->count);
    if ((transfers || touches) && !meet(m, side))
        return false;
    if (touches && side != turn)
        walk_ns(m->setup, SERIES_TRANSFER, chase_node(&chain[side], 0), chain->count);
    return !touches || meet(m, side);
}

/* Of a transfer the median of both directions, or of the one that was asked for: what `to` walked. Of
 * words that are shared the means, as a pass may take a few steps of a coarse clock, of the side that pays
 * more: some prefetchers take the next line along and never the one before. */
static void conclude_walks(struct measurement *m, enum latency_series series, size_t each)
{
    const bool shares = series >= SERIES_SHARING, is_one_way = m->setup->is_one_way && !shares && !m->alone;
    const size_t sides = m->alone || is_one_way ? 1 : 2, group = shares ? each : sides * each;
    struct latency_result *result = &m->result[series];
    double *const first = m->sample + (is_one_way ? SIDE_TO * each : 0);
    *result = (struct latency_result){.samples = sides * each, .dropped = sides * each};
    for (double *sample = first; sample < first + sides * each; sample += group) {
        const size_t kept = drop_disturbed(sample, group, median_of(sample, group));
        const double value = shares ? summary_of(sample, kept).mean : median_of(sample, kept);
        result->value = fmax(result->value, value);
        result->dropped -= kept;
    }
}

/* In a transfer and where words of a neighbour are read, the sides take turns, so that both directions
 * count alike; where both write, each increments each of its words once between two meetings. Without these,
 * the side that owned all lines was through with ten laps before the other one had taken them, or with
 * two. */
static bool walks_run(struct measurement *m, enum side side, enum latency_series series)
{
    const struct latency_setup *setup = m->setup;
    const bool shares = series >= SERIES_SHARING,
               takes_turns = !m->alone && (!shares || series >= SERIES_TOUCHED);
    const struct chase chain[2] = {chain_of(m, SIDE_FROM, series), chain_of(m, SIDE_TO, series)};
    const uint64_t steps = chain->count * (m->alone ? own_laps(setup->clock, chain->count) : 1),
                   most = PASSES_MAX / (shares ? 4 : 2), samples = setup->effort.samples;
    const int passes = samples < 2 ? 4 : 2 * (int)(samples < most ? samples : most),
              each = takes_turns ? passes / 2 : passes;
    void *const first = chase_node(&chain[side], 0);
    if (shares || (series == SERIES_TRANSFER && side == SIDE_FROM))
        chase_link(&chain[side]);
    for (int pass = -WARM_PASSES; pass < passes; pass++) {
        const enum side turn = takes_turns ? (enum side)(pass & 1) : side;
        if (!prepare_walk(m, side, series, chain, turn, pass))
            return false;
        if (takes_turns && (side == turn) != shares)
            continue;
        /* The first pass that counts writes over those before it. */
        m->sample[(int)side * each + (pass > 0 ? pass : 0) / (takes_turns ? 2 : 1)] =
            walk_ns(setup, series, first, steps);
        if (is_late(m, clock_ticks()))
            return false;
    }
    if (!meet(m, side))
        return false;
    if (side == SIDE_FROM)
        conclude_walks(m, series, (size_t)each);
    return true;
}

uint64_t deadline_after(const struct latency_setup *setup, double seconds)
{
    return clock_ticks() + (uint64_t)(seconds * 1e9 / setup->clock->ns_per_tick);
}

struct measurement *measurement_new(const struct latency_setup *setup)
{
    const size_t samples = (size_t)setup->effort.lines * setup->effort.samples;
    struct measurement *m = aligned_alloc(alignof(struct measurement), sizeof *m);
    if (!m)
        memory_exhausted(0);
    memset(m, 0, sizeof *m);
    m->setup = setup;
    m->cpu[SIDE_FROM] = m->cpu[SIDE_TO] = -1;
    m->sample = memory_zeroed(samples > PASSES_MAX ? samples : PASSES_MAX, sizeof *m->sample);
    measurement_reset(m);
    return m;
}

void measurement_free(struct measurement *m)
{
    free(m ? m->sample : NULL);
    free(m);
}

void measurement_reset(struct measurement *m)
{
    for (int series = 0; series < SERIES_COUNT; series++)
        m->result[series] = (struct latency_result){.value = NAN};
    for (int side = SIDE_FROM; side <= SIDE_TO; side++) {
        m->switches[side] = 0;
        atomic_store(&m->met[side], 0);
    }
    atomic_store(&m->failed, false);
}

/* Each side touches half of the lines first. */
void measurement_run(struct measurement *m, enum side side)
{
    const struct latency_setup *setup = m->setup;
    const uint64_t before = pin_involuntary_switches(), lines = (uint64_t)setup->effort.lines;
    uint64_t random = m->seed;
    for (uint64_t i = 0; i < lines; i++)
        if (m->alone || i % 2 == side)
            memset(m->page + i * setup->page_bytes, 0, setup->page_bytes);
    if (side == SIDE_FROM)
        random_order(&random, m->order, lines);
    bool going = !is_moved(m, side);
    for (enum latency_series i = 0; going && i < SERIES_COUNT; i++) {
        const bool walks = i >= SERIES_SHARING || latency_series[i].bench == BENCH_TRANSFER;
        if (setup->measures[i] &&
            (m->alone ? i != SERIES_READWRITE && i < SERIES_SHARING : i != SERIES_OWN_LLSC))
            going = meet(m, side) && (walks ? walks_run : pingpong_run)(m, side, i);
    }
    if (!going)
        atomic_store(&m->failed, true);
    m->switches[side] = pin_involuntary_switches() - before;
}
