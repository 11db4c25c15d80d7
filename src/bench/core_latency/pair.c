/* SPDX-License-Identifier: MIT */
/* One pair's turn. Both ends run the same sequence of benchmarks and meet before each; in between, the lines
 * themselves keep them in step: the end that is ahead waits in its next ping-pong. */
#include <math.h>
#include <sched.h>
#include <string.h>

#include "matrix.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

enum {
    WARM_TRIPS = 10,
    LINE_BYTES = 256, /* distance of lines used together: beyond any pairing of neighbours */
    WORD_BYTES = 128, /* distance of the two words of readwrite and of message */
    SPINS_BEFORE_YIELD = 20000,
    WARM_PASSES = 2,
    MESSAGES_DROPPED = 4,
    LOOKS = 50 /* at whether the partner has given up, while it is waited for */
};

const char *const handover_bench_names[] = {"cas", "readwrite", "transfer", "message", NULL};
const char *const handover_series_names[] = {"cas", "readwrite", "transfer", "transfer_rmw", "message", NULL};

enum handover_bench series_bench(enum handover_series series)
{
    static const enum handover_bench bench[] = {BENCH_CAS, BENCH_READWRITE, BENCH_TRANSFER, BENCH_TRANSFER,
                                                BENCH_MESSAGE};
    return bench[series];
}

size_t handover_room(const struct handover_setup *setup)
{
    size_t samples = (size_t)setup->lines * setup->samples, messages = (size_t)2 * MESSAGES_MAX;
    return samples > messages ? samples : messages;
}

void handover_reset(struct handover *handover)
{
    for (int series = 0; series < SERIES_COUNT; series++) {
        struct handover_result *result = &handover->result[series];
        *result = (struct handover_result){.round = {.value = NAN}, .forward = NAN, .backward = NAN};
        for (int i = 0; i < LINES_MAX; i++)
            result->line[i] = NAN;
    }
    handover->switches[END_FROM] = handover->switches[END_TO] = 0;
    atomic_store(&handover->met[END_FROM], 0);
    atomic_store(&handover->met[END_TO], 0);
    atomic_store(&handover->failed, false);
}

static bool is_late(const struct handover_setup *setup, uint64_t now)
{
    return setup->deadline_ticks && now >= setup->deadline_ticks;
}

/* Waits until the other end has come as far. False: one of them has given up. Patience is a time: a yield takes
 * less than a microsecond on an idle CPU, and a time slice next to a busy process. */
static bool meet(struct handover *handover, enum handover_end end)
{
    atomic_uint *theirs = &handover->met[1 - end];
    unsigned count = atomic_fetch_add(&handover->met[end], 1) + 1;
    uint64_t since_ns = 0;

    for (unsigned spins = 0; atomic_load_explicit(theirs, memory_order_acquire) < count; spins++) {
        if (atomic_load_explicit(&handover->failed, memory_order_relaxed))
            return false;
        if (spins < SPINS_BEFORE_YIELD)
            continue;
        if (since_ns == 0)
            since_ns = clock_now_ns();
        sched_yield(); /* two ends on one CPU would otherwise wait out a time slice each */
        if (clock_now_ns() - since_ns > handover->setup->meet_ns || is_late(handover->setup, clock_ticks()))
            atomic_store(&handover->failed, true);
    }
    return !atomic_load_explicit(&handover->failed, memory_order_relaxed);
}

static unsigned char *page_of(const struct handover *handover, int line)
{
    return handover->page + (size_t)line * handover->setup->page_bytes;
}

/* Each benchmark has lines of its own: what one leaves behind is nothing to the next. */
static unsigned char *line_of(const struct handover *handover, int line, enum handover_bench bench)
{
    return page_of(handover, line) + 3072 * (bench == BENCH_MESSAGE) + 1024 * (bench == BENCH_READWRITE) +
           LINE_BYTES * (line % 3);
}

static bool touches(const struct handover *handover, enum handover_end end, int line)
{
    if (handover->setup->one_toucher)
        return end == END_FROM;
    return line % 2 == (int)end;
}

static void touch_pages(struct handover *handover, enum handover_end end)
{
    for (int i = 0; i < handover->setup->lines; i++) {
        if (touches(handover, end, i))
            memset(page_of(handover, i), 0, handover->setup->page_bytes);
    }
}

static double ns_of(const struct handover *handover, uint64_t ticks)
{
    return (double)ticks * handover->setup->clock->ns_per_tick;
}

/* One end of a ping-pong on one line. */
struct player {
    const struct kernel *kernel;
    void *a, *b;
    uint64_t await, put, spins;
    bool alternates; /* the value awaited changes with each trip */
};

/* False: the partner has not come for as long as it may take, or has given up, which is looked at in between. */
static bool play(const struct handover *handover, struct player *player, uint64_t trips)
{
    for (int looks = 0; looks < LOOKS;) {
        const uint64_t left = player->kernel->entry(player->a, player->b, trips, player->await, player->put,
                                                    player->spins / LOOKS + 1);
        if (player->alternates)
            player->await ^= (trips - left) & 1;
        if (left == 0)
            return true;
        if (atomic_load_explicit(&handover->failed, memory_order_relaxed) ||
            is_late(handover->setup, clock_ticks()))
            return false;
        looks = left < trips ? 0 : looks + 1;
        trips = left;
    }
    return false;
}

static struct player player_of(const struct handover *handover, enum handover_end end, int line,
                               enum handover_bench bench)
{
    const struct handover_setup *setup = handover->setup;
    unsigned char *word = line_of(handover, line, bench);
    bool from = end == END_FROM;

    if (bench == BENCH_CAS)
        return (struct player){.kernel = setup->cas,
                               .a = word,
                               .await = from ? 0 : 1,
                               .put = from ? 1 : 0,
                               .spins = setup->cas_spins};
    return (struct player){.kernel = setup->words,
                           .a = from ? word + WORD_BYTES : word,
                           .b = from ? word : word + WORD_BYTES,
                           .await = from ? 1 : 0,
                           .put = from ? 0 : 1,
                           .spins = setup->load_spins,
                           .alternates = true};
}

static bool time_player(struct handover *handover, struct player *player, double *sample)
{
    const struct handover_setup *setup = handover->setup;

    if (!play(handover, player, WARM_TRIPS))
        return false;
    uint64_t before = clock_ticks();
    for (uint64_t i = 0; i < setup->samples; i++) {
        if (!play(handover, player, setup->iterations))
            return false;
        uint64_t now = clock_ticks();
        sample[i] = ns_of(handover, now - before) / (double)setup->iterations / 2;
        before = now;
        if (is_late(setup, now))
            return false;
    }
    return true;
}

/* Leaves out what exceeds the limit, nothing where that is 0; in place; returns how many are left. */
static size_t drop_above(double *value, size_t count, double limit)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (limit <= 0 || !(value[i] > limit))
            value[kept++] = value[i];
    }
    return kept;
}

/* Mean over lines of the tenth percentile of each: one line is a draw in a lottery, and a disturbance only
 * ever adds. */
static void conclude_lines(struct handover *handover, enum handover_series series)
{
    const size_t samples = handover->setup->samples, lines = (size_t)handover->setup->lines;
    struct handover_result *result = &handover->result[series];
    const double limit = 4 * median_of(handover->sample, lines * samples);
    double sum = 0;
    size_t used = 0, kept_all = 0;

    for (size_t i = 0; i < lines; i++) {
        double *sample = handover->sample + i * samples;
        size_t kept = drop_above(sample, samples, limit);
        kept_all += kept;
        if (kept == 0)
            continue;
        result->line[i] = quantile_of(sample, kept, 0.1);
        sum += result->line[i];
        used++;
    }
    cell_round_count(&result->round, lines * samples, lines * samples - kept_all);
    result->round.value = 2 * used > lines ? (float)(sum / (double)used) : NAN;
}

static bool run_pingpong(struct handover *handover, enum handover_end end, enum handover_bench bench)
{
    const struct handover_setup *setup = handover->setup;

    for (int i = 0; i < setup->lines; i++) {
        int line = handover->order[i];
        struct player player = player_of(handover, end, line, bench);
        bool done = end == END_FROM
                        ? time_player(handover, &player, handover->sample + (size_t)line * setup->samples)
                        : play(handover, &player, WARM_TRIPS + setup->samples * setup->iterations);
        if (!done)
            return false;
    }
    if (end == END_FROM)
        conclude_lines(handover, bench == BENCH_CAS ? SERIES_CAS : SERIES_READWRITE);
    return true;
}

static int node_count(const struct handover *handover)
{
    return handover->setup->lines * NODES_PER_LINE;
}

/* A page after the other; the first line of each moves on by one from page to page, so that all sets of an L1
 * are used alike. */
static uint64_t line_offset(const struct chase *chase, uint64_t index)
{
    const uint64_t page = index / NODES_PER_LINE;
    return page * chase->stride + index % NODES_PER_LINE * LINE_BYTES + page % 4 * 64;
}

/* A cycle through all lines in random order. */
static void make_chain(struct handover *handover)
{
    const struct chase chase = {.data = handover->page,
                                .count = (uint64_t)node_count(handover),
                                .stride = handover->setup->page_bytes,
                                .seed = handover->seed,
                                .offset = line_offset};
    chase_link(&chase);
    for (uint64_t i = 0; i < chase.count; i++)
        handover->node[i] = chase_node(&chase, i);
}

static void dirty_chain(const struct handover *handover, uint64_t value)
{
    for (int i = 0; i < node_count(handover); i++) {
        _Atomic uint64_t *word = (_Atomic uint64_t *)handover->node[i] + 1;
        atomic_store_explicit(word, value, memory_order_relaxed);
    }
}

static double time_chase(const struct handover *handover, const struct kernel *kernel)
{
    uint64_t before = clock_ticks();
    kernel->entry(handover->node[0], NULL, (uint64_t)node_count(handover), 0, 0, 0);
    double ns = ns_of(handover, clock_ticks() - before) - handover->setup->clock->overhead_ns;
    return fmax(ns, 0) / node_count(handover); /* an emulator's clock can cost more than the walk */
}

static int pass_count(const struct handover_setup *setup)
{
    uint64_t passes = 2 * setup->samples;
    return passes < 4 ? 4 : passes > MESSAGES_MAX ? MESSAGES_MAX : (int)passes;
}

/* Passes by turns in either direction: even ones forward. */
static void conclude_passes(struct handover *handover, enum handover_series series, bool both)
{
    const size_t count = (size_t)pass_count(handover->setup);
    struct handover_result *result = &handover->result[series];
    double *value = handover->sample, *backward = handover->sample + MESSAGES_MAX;
    size_t backward_count = 0;

    for (size_t i = 0; i < count; i++) {
        if (both && i % 2)
            backward[backward_count++] = value[i];
    }
    result->backward = both ? median_of(backward, backward_count) : NAN;
    size_t kept = 0;
    for (size_t i = 0; both && i < count; i += 2)
        backward[kept++] = value[i];
    result->forward = both ? median_of(backward, kept) : NAN;
    kept = drop_disturbed(value, count);
    cell_round_count(&result->round, count, count - kept);
    result->round.value = (float)median_of(value, kept);
    result->round.mixed = modes_switched(value, kept);
}

static bool run_chases(struct handover *handover, enum handover_end end, const struct kernel *kernel,
                       enum handover_series series)
{
    const bool both = !handover->setup->one_toucher;
    const int passes = pass_count(handover->setup);

    for (int pass = -WARM_PASSES; pass < passes; pass++) {
        if (is_late(handover->setup, clock_ticks())) {
            atomic_store(&handover->failed, true);
            return false;
        }
        enum handover_end writer = both && pass % 2 ? END_TO : END_FROM;
        if (end == writer)
            dirty_chain(handover, (uint64_t)(pass + WARM_PASSES));
        if (!meet(handover, end))
            return false;
        double ns = end == writer ? 0 : time_chase(handover, kernel);
        if (end != writer && pass >= 0)
            handover->sample[pass] = ns;
        if (!meet(handover, end))
            return false;
    }
    if (end == END_FROM)
        conclude_passes(handover, series, both);
    return true;
}

static bool run_transfer(struct handover *handover, enum handover_end end)
{
    if (end == END_FROM)
        make_chain(handover);
    return meet(handover, end) && run_chases(handover, end, handover->setup->chase, SERIES_TRANSFER) &&
           meet(handover, end) && run_chases(handover, end, handover->setup->chase_rmw, SERIES_TRANSFER_RMW);
}

static int message_count(const struct handover_setup *setup)
{
    uint64_t messages = setup->iterations + MESSAGES_DROPPED;
    return messages > MESSAGES_MAX ? MESSAGES_MAX : (int)messages;
}

/* Median over the messages of one line that one end received, in ns. */
static double median_delta(struct handover *handover, enum handover_end receiver)
{
    const int count = message_count(handover->setup) - MESSAGES_DROPPED;

    for (int i = 0; i < count; i++)
        handover->sample[i] = (double)handover->delta[receiver][MESSAGES_DROPPED + i];
    return median_of(handover->sample, (size_t)count) * handover->setup->clock->ns_per_tick;
}

/* The clocks' offset adds to one direction what it takes from the other, so the mean of both is free of it.
 */
static void conclude_messages(struct handover *handover, const double *forward, const double *backward)
{
    const size_t lines = (size_t)handover->setup->lines;
    struct handover_result *result = &handover->result[SERIES_MESSAGE];

    for (size_t i = 0; i < lines; i++)
        result->line[i] = (forward[i] + backward[i]) / 2;
    result->forward = median_of(forward, lines);
    result->backward = median_of(backward, lines);
    result->round.value = (float)median_of(result->line, lines);
    size_t messages = lines * (size_t)(2 * (message_count(handover->setup) - MESSAGES_DROPPED));
    cell_round_count(&result->round, messages, 0);
}

static bool run_message(struct handover *handover, enum handover_end end)
{
    const struct handover_setup *setup = handover->setup;
    double forward[LINES_MAX], backward[LINES_MAX];

    for (int i = 0; i < setup->lines; i++) {
        unsigned char *line = line_of(handover, i, BENCH_MESSAGE);
        unsigned char *other = line + WORD_BYTES;
        if (end == END_FROM) {
            memset(line, 0, 16);
            memset(other, 0, 16);
        }
        if (!meet(handover, end))
            return false;
        if (setup->message->entry(end == END_FROM ? other : line, end == END_FROM ? line : other,
                                  (uint64_t)message_count(setup), end == END_FROM,
                                  (uint64_t)(uintptr_t)handover->delta[end], setup->load_spins) != 0)
            return false;
        if (!meet(handover, end))
            return false;
        if (end != END_FROM)
            continue;
        forward[i] = median_delta(handover, END_TO);
        backward[i] = median_delta(handover, END_FROM);
    }
    if (end == END_FROM)
        conclude_messages(handover, forward, backward);
    return true;
}

static bool run_bench(struct handover *handover, enum handover_end end, enum handover_bench bench)
{
    if (!meet(handover, end))
        return false;
    if (bench == BENCH_TRANSFER)
        return run_transfer(handover, end);
    if (bench == BENCH_MESSAGE)
        return run_message(handover, end);
    return run_pingpong(handover, end, bench);
}

/* What an operation costs a CPU on lines that it owns already: baseline to subtract from the latency. Leaves out
 * what the deadline cuts. */
static void run_alone(struct handover *handover)
{
    const struct handover_setup *setup = handover->setup;

    for (int i = 0; handover->wanted >> BENCH_CAS & 1 && i < setup->lines; i++) {
        struct player player = {setup->cas, line_of(handover, i, BENCH_CAS), NULL, 0, 0, 1, false};
        double *sample = handover->sample + (size_t)i * setup->samples;
        if (!time_player(handover, &player, sample))
            return;
        for (uint64_t k = 0; k < setup->samples; k++)
            sample[k] = fmax(0, 2 * sample[k] - setup->clock->overhead_ns / (double)setup->iterations);
    }
    if (handover->wanted >> BENCH_CAS & 1)
        conclude_lines(handover, SERIES_CAS);
    for (int rmw = 0; handover->wanted >> BENCH_TRANSFER & 1 && rmw < 2; rmw++) {
        make_chain(handover);
        for (int pass = -1; pass < pass_count(setup); pass++) {
            dirty_chain(handover, 0);
            double ns = time_chase(handover, rmw ? setup->chase_rmw : setup->chase);
            handover->sample[pass < 0 ? 0 : pass] = ns;
            if (is_late(setup, clock_ticks()))
                return;
        }
        conclude_passes(handover, rmw ? SERIES_TRANSFER_RMW : SERIES_TRANSFER, false);
    }
}

static void run_end(struct handover *handover, enum handover_end end)
{
    bool going = true;

    touch_pages(handover, end);
    if (handover->from == handover->to) {
        touch_pages(handover, END_TO);
        run_alone(handover);
        return;
    }
    uint64_t state = handover->seed;
    if (end == END_FROM)
        random_order(&state, handover->order, (size_t)handover->setup->lines);
    for (int bench = 0; going && bench < BENCH_COUNT; bench++) {
        if (handover->wanted >> bench & 1)
            going = run_bench(handover, end, (enum handover_bench)bench);
    }
    if (!going)
        atomic_store(&handover->failed, true);
}

void handover_run(struct handover *handover, enum handover_end end)
{
    const uint64_t before = pin_involuntary_switches();
    run_end(handover, end);
    handover->switches[end] = pin_involuntary_switches() - before;
}
