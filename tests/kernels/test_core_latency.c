/* SPDX-License-Identifier: MIT */
/* The two-sided kernels, by contract: one attempt at a time under every schedule, with a partner on another
 * thread, and with a partner that never comes. */
#include "test.h"

#include <pthread.h>

#include "checked_call.h"
#include "contracts.h"

enum { SCHEDULE_BITS = 14, PATIENCE = 100000, TRIPS = 25 };

/* Long enough for a partner that gets the CPU once in a time slice, on an emulator too. */
static const uint64_t SPINS = 2000000000;
static const uint32_t FENCE = 0x5eed5eed;

static void expect(bool holds, const struct kernel *kernel, const char *what)
{
    if (!holds)
        fail_msg("%s: %s", kernel->name, what);
}

/* Words with sentinels around them, on lines of their own. */
struct board {
    _Alignas(128) uint32_t before;
    uint32_t word, after;
    _Alignas(128) uint32_t other_before;
    uint32_t other, other_after;
};

static struct board board_of(uint32_t word, uint32_t other)
{
    return (struct board){FENCE, word, FENCE, FENCE, other, FENCE};
}

static bool board_is(const struct board *board, uint32_t word, uint32_t other)
{
    const struct board expected = board_of(word, other);
    return board->before == FENCE && board->word == expected.word && board->after == FENCE &&
           board->other_before == FENCE && board->other == expected.other && board->other_after == FENCE;
}

/* One end of a ping-pong: its kernel's arguments, result and, over all calls, lost registers. */
struct end {
    const struct kernel *kernel;
    uint32_t *a, *b;
    uint64_t n, m, x, y, left, lost;
};

static void *play(void *argument)
{
    struct end *end = argument;
    struct checked_call call = {
        .entry = end->kernel->entry,
        .argument = {(uintptr_t)end->a, (uintptr_t)end->b, end->n, end->m, end->x, end->y}};
    checked_call(&call);
    end->left = call.result;
    end->lost |= call.lost;
    return NULL;
}

static bool uses_words(const struct kernel *kernel)
{
    return kernel->operation == OPERATION_PINGPONG_WORDS;
}

/* A call without a partner: n, m, x, y; words before, and after it; trips that are left. */
static const struct lonely {
    bool words;
    uint64_t n, m, x, y;
    uint32_t word, other;
    uint64_t left;
    uint32_t word_after, other_after;
    const char *what;
} lonely[] = {
    {false, 7, 0, 0, 1, 0, 0, 0, 0, 0, "a swap for the same"},
    {false, 1, 0, 1, 1, 0, 0, 0, 1, 0, "one swap"},
    {false, 5, 0, 2, PATIENCE, 1, 0, 5, 1, 0, "a partner that never comes is given up, and nothing written"},
    {false, 3, 0, 1, PATIENCE, 0, 0, 2, 1, 0, "the trips that were left are returned"},
    {true, 1, 1, 0, 1, 1, 7, 0, 1, 1, "the value that came is stored"},
    {true, 1, 1, 1, 1, 1, 1, 0, 1, 0, "its opposite is stored"},
    {true, 4, 1, 0, PATIENCE, 1, 0, 3, 1, 1, "the second trip awaits the opposite"},
    {true, 4, 0, 0, PATIENCE, 1, 1, 4, 1, 1, "a partner that never comes is given up"},
};

static void alone(const struct kernel *kernel)
{
    for (size_t i = 0; i < COUNT_OF(lonely); i++) {
        const struct lonely *row = &lonely[i];
        struct board board = board_of(row->word, row->other);
        struct end end = {kernel, &board.word, row->words ? &board.other : NULL, row->n, row->m,
                          row->x, row->y};
        if (row->words != uses_words(kernel))
            continue;
        play(&end);
        expect(end.left == row->left && board_is(&board, row->word_after, row->other_after), kernel,
               row->what);
        expect(end.lost == 0, kernel, "a callee-saved register is lost");
    }
}

/* Both ends of a fresh board, the one that moves first in front: with words it is the pong, upon what lies there at the start. */
static void set_ends(struct end end[2], const struct kernel *kernel, struct board *board)
{
    *board = board_of(0, 0);
    if (uses_words(kernel)) {
        end[0] = (struct end){kernel, &board->word, &board->other, .m = 0, .x = 1};
        end[1] = (struct end){kernel, &board->other, &board->word, .m = 1, .x = 0};
    } else {
        end[0] = (struct end){kernel, &board->word, NULL, .m = 0, .x = 1};
        end[1] = (struct end){kernel, &board->word, NULL, .m = 1, .x = 0};
    }
}

/* Whether the one attempt succeeded; words then await the opposite. */
static int attempt(struct end *end)
{
    end->n = end->y = 1;
    play(end);
    if (end->left == 0)
        end->m ^= uses_words(end->kernel);
    return end->left == 0;
}

/* Every order in which the attempts of two ends can come: no ping is answered twice, none is lost, and
 * whoever gets the CPU often enough makes progress. */
static void all_schedules(const struct kernel *kernel)
{
    for (unsigned schedule = 0; schedule < 1u << SCHEDULE_BITS; schedule++) {
        struct board board;
        struct end end[2];
        int done[2] = {0, 0};
        set_ends(end, kernel, &board);
        for (int i = 0; i < SCHEDULE_BITS; i++) {
            const int mover = schedule >> i & 1 ? 0 : 1;
            done[mover] += attempt(&end[mover]);
            expect(done[0] == done[1] || done[0] == done[1] + 1, kernel, "a ping without its pong");
            expect(board_is(&board, board.word, board.other), kernel,
                   "something next to the words was written");
        }
        for (int i = 0; i < 2; i++)
            expect(attempt(&end[0]) + attempt(&end[1]) > 0, kernel, "both wait for each other");
        expect(end[0].lost == 0 && end[1].lost == 0, kernel, "a callee-saved register is lost");
    }
}

static void together(const struct kernel *kernel)
{
    struct board board;
    struct end end[2];
    pthread_t thread;
    set_ends(end, kernel, &board);
    for (int i = 0; i < 2; i++) {
        end[i].n = TRIPS;
        end[i].y = SPINS;
    }
    assert_int_equal(pthread_create(&thread, NULL, play, &end[1]), 0);
    play(&end[0]);
    pthread_join(thread, NULL);
    expect(end[0].left == 0 && end[1].left == 0, kernel, "two threads finish their trips");
    expect(end[0].lost == 0 && end[1].lost == 0, kernel, "a callee-saved register is lost");
    /* The last pong leaves the one line as it was, an odd number of trips both words set. */
    expect(board_is(&board, uses_words(kernel), uses_words(kernel)), kernel, "what the last trip leaves");
}

TEST(ping_pongs_keep_their_contract)
{
    int checked = 0;
    for (const struct kernel *kernel = kernels; kernel < kernels + kernel_count; kernel++) {
        if (facts_of[kernel->operation].contract != CONTRACT_CORE_LATENCY ||
            kernel->needs & ~features_usable())
            continue;
        checked++;
        alone(kernel);
        all_schedules(kernel);
        together(kernel);
    }
    assert_true(checked >= 2);
}
