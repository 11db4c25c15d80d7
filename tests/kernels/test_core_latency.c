/* SPDX-License-Identifier: MIT */
/* The two-sided kernels, by contract: one attempt at a time under every schedule, with a partner on another
 * thread, and with a partner that never comes. Needs the C library only, so that it runs under qemu. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "checked_call.h"
#include "contracts.h"
#include "uarchprobe/kernel.h"

enum { SCHEDULE_BITS = 14, PATIENCE = 100000, TRIPS = 25, NODES = 61, STRIDE = 27 };

/* Long enough for a partner that gets the CPU once in a time slice, on an emulator too. */
static const uint64_t SPINS = 2000000000;
static const uint32_t FENCE = 0x5eed5eed;

static int failures;

static bool expect(bool holds, const struct kernel *kernel, const char *what)
{
    if (!holds) {
        printf("FAILED %s: %s\n", kernel->name, what);
        failures++;
    }
    return holds;
}

/* Words with sentinels around them, on lines of their own. */
struct board {
    _Alignas(128) uint32_t before;
    uint32_t word, after;
    _Alignas(128) uint32_t other_before;
    uint32_t other, other_after;
};

static void board_reset(struct board *board, uint32_t word, uint32_t other)
{
    *board = (struct board){FENCE, word, FENCE, FENCE, other, FENCE};
}

static bool board_intact(const struct board *board)
{
    return board->before == FENCE && board->after == FENCE && board->other_before == FENCE &&
           board->other_after == FENCE;
}

static uint64_t call(const struct kernel *kernel, void *a, void *b, uint64_t n, uint64_t m, uint64_t x,
                     uint64_t y)
{
    struct checked_call checked = {
        .entry = kernel->entry, .argument = {(uintptr_t)a, (uintptr_t)b, n, m, x, y}, .wide = 0};

    checked_call(&checked);
    expect(checked.lost == 0, kernel, "a callee-saved register is lost");
    return checked.result;
}

static void cas_alone(const struct kernel *kernel)
{
    struct board board;

    board_reset(&board, 0, 0);
    expect(call(kernel, &board.word, NULL, 7, 0, 0, 1) == 0 && board.word == 0, kernel,
           "a swap for the same");
    expect(call(kernel, &board.word, NULL, 1, 0, 1, 1) == 0 && board.word == 1, kernel, "one swap");
    expect(call(kernel, &board.word, NULL, 5, 0, 2, PATIENCE) == 5 && board.word == 1, kernel,
           "a partner that never comes is given up, and nothing written");
    board.word = 0;
    expect(call(kernel, &board.word, NULL, 3, 0, 1, PATIENCE) == 2 && board.word == 1, kernel,
           "the trips that were left are returned");
    expect(board_intact(&board), kernel, "something next to the word was written");
}

static void words_alone(const struct kernel *kernel)
{
    struct board board;

    board_reset(&board, 1, 7);
    expect(call(kernel, &board.word, &board.other, 1, 1, 0, 1) == 0 && board.other == 1, kernel,
           "the value that came is stored");
    expect(call(kernel, &board.word, &board.other, 1, 1, 1, 1) == 0 && board.other == 0, kernel,
           "its opposite is stored");
    expect(call(kernel, &board.word, &board.other, 4, 1, 0, PATIENCE) == 3 && board.other == 1, kernel,
           "the second trip awaits the opposite");
    expect(call(kernel, &board.word, &board.other, 4, 0, 0, PATIENCE) == 4 && board.other == 1, kernel,
           "a partner that never comes is given up");
    expect(board.word == 1 && board_intact(&board), kernel, "something next to the word was written");
}

/* One end of a ping-pong, one attempt at a time. */
struct end {
    uint32_t *a, *b;
    uint64_t await, put;
    bool alternates;
    int done;
};

static void attempt(const struct kernel *kernel, struct end *end)
{
    if (call(kernel, end->a, end->b, 1, end->await, end->put, 1) != 0)
        return;
    end->done++;
    end->await ^= end->alternates;
}

/* Every order in which the attempts of two ends can come: no ping is answered twice, none is lost, and
 * whoever gets the CPU often enough makes progress. */
static void all_schedules(const struct kernel *kernel, bool words)
{
    for (unsigned schedule = 0; schedule < 1u << SCHEDULE_BITS; schedule++) {
        struct board board;
        board_reset(&board, 0, 0);
        struct end ping = {.a = &board.word, .await = 0, .put = 1}, pong = {.a = &board.word, .await = 1};
        if (words) {
            ping = (struct end){&board.other, &board.word, 1, 0, true, 0};
            pong = (struct end){&board.word, &board.other, 0, 1, true, 0};
        }
        /* With words it is the pong that moves first, upon what lies there at the start. */
        struct end *first = words ? &pong : &ping, *second = words ? &ping : &pong;
        for (int i = 0; i < SCHEDULE_BITS; i++) {
            attempt(kernel, schedule >> i & 1 ? first : second);
            const int ahead = first->done - second->done;
            if (!expect(ahead == 0 || ahead == 1, kernel, "a ping without its pong") ||
                !expect(board_intact(&board), kernel, "something next to the words was written"))
                return;
        }
        for (int i = 0; i < 2; i++) {
            const int before = first->done + second->done;
            attempt(kernel, first);
            attempt(kernel, second);
            if (!expect(first->done + second->done > before, kernel, "both wait for each other"))
                return;
        }
    }
}

struct partner {
    const struct kernel *kernel;
    void *a, *b;
    uint64_t n, m, x, y, left;
};

static void *play(void *argument)
{
    struct partner *partner = argument;
    partner->left =
        call(partner->kernel, partner->a, partner->b, partner->n, partner->m, partner->x, partner->y);
    return NULL;
}

static bool play_both(struct partner *from, struct partner *to)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, play, to) != 0)
        return false;
    play(from);
    pthread_join(thread, NULL);
    return from->left == 0 && to->left == 0;
}

static void cas_together(const struct kernel *kernel)
{
    struct board board;
    board_reset(&board, 0, 0);
    struct partner ping = {kernel, &board.word, NULL, TRIPS, 0, 1, SPINS, 1};
    struct partner pong = {kernel, &board.word, NULL, TRIPS, 1, 0, SPINS, 1};

    expect(play_both(&ping, &pong), kernel, "two threads finish their trips");
    expect(board.word == 0 && board_intact(&board), kernel, "the last pong leaves the line as it was");
}

static void words_together(const struct kernel *kernel)
{
    struct board board;
    board_reset(&board, 0, 0);
    struct partner ping = {kernel, &board.other, &board.word, TRIPS, 1, 0, SPINS, 1};
    struct partner pong = {kernel, &board.word, &board.other, TRIPS, 0, 1, SPINS, 1};

    expect(play_both(&ping, &pong), kernel, "two threads finish their trips");
    expect(board.word == 1 && board.other == 1 && board_intact(&board), kernel,
           "an odd number of trips leaves both words set");
}

static void chase(const struct kernel *kernel)
{
    static void *node[NODES], *copy[NODES];

    for (size_t i = 0; i < NODES; i++)
        copy[i] = node[i] = &node[(i + STRIDE) % NODES];
    for (size_t n = 0; n < 3 * NODES; n++) {
        const uint64_t end = call(kernel, node, NULL, n, 0, 0, 0);
        if (!expect(end == (uintptr_t)&node[n * STRIDE % NODES], kernel, "the chain ends at the wrong node"))
            return;
    }
    expect(memcmp(node, copy, sizeof node) == 0, kernel, "the chain is not what it was");
}

static void check(const struct kernel *kernel)
{
    switch (kernel->operation) {
    case OPERATION_PINGPONG_CAS:
        cas_alone(kernel);
        all_schedules(kernel, false);
        cas_together(kernel);
        break;
    case OPERATION_PINGPONG_WORDS:
        words_alone(kernel);
        all_schedules(kernel, true);
        words_together(kernel);
        break;
    case OPERATION_CHASE_RMW:
        chase(kernel);
        break;
    default:
        expect(false, kernel, "no test of its operation is here");
    }
}

int main(void)
{
    const feature_set usable = features_usable();
    int checked = 0, skipped = 0;

    for (size_t i = 0; i < kernel_count; i++) {
        if (facts_of[kernels[i].operation].contract != CONTRACT_CORE_LATENCY)
            continue;
        if (kernels[i].needs & ~usable) {
            skipped++;
            continue;
        }
        check(&kernels[i]);
        checked++;
    }
    printf("%d kernels checked, %d skipped, %d faults\n", checked, skipped, failures);
    return failures || checked < 3 ? 1 : 0;
}
