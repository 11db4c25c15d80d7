/* SPDX-License-Identifier: MIT */
/* The memory of experiments, on the machine at hand: one mapping for those that share a row, less where
 * room is short, a fault where nothing is enough. */
#include "test.h"

#include <sched.h>

#include "../bench/scripted.h"
#include "engine/arena.h"
#include "engine/fresh_pages.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/own_time.h"
#include "uarchprobe/record.h"
#include "uarchprobe/topology.h"

static struct arena arena;
static struct fault fault;
static struct run run;
static const char *remark;
static int laid_out;

static int begin(void **state)
{
    arena = (struct arena){0};
    fault = (struct fault){0};
    run = (struct run){.record = record_new()};
    remark = NULL;
    laid_out = 0;
    interrupt_forget();
    return 0;
}

static int end(void **state)
{
    arena_close(&arena);
    record_free(run.record);
    interrupt_forget();
    unsetenv("UARCHPROBE_SYSROOT");
    return 0;
}
AROUND_EACH(begin, end)

static enum status opened(const struct memory_row *row)
{
    return arena_open(&arena, &(struct experiment){.name = "of pages", .memory = row}, &run, &remark, &fault);
}

static void note(const struct run *of, void *own, const struct memory *memory)
{
    assert_ptr_equal(memory, arena_memory(&arena));
    laid_out++;
}

static void interrupt(const struct run *of, void *own, const struct memory *memory)
{
    interrupt_note(2);
}

static uint64_t most(const struct run *of, const void *own)
{
    return UINT64_MAX / 4;
}

static uint64_t a_page(const struct run *of, const void *own)
{
    return 4096;
}

TEST(experiments_of_one_row_share_their_memory)
{
    static const struct memory_row row = {.bytes = 1 << 16, .content = MEMORY_FILLED, .lay_out = note},
                                   other = {.bytes = 1 << 16, .content = MEMORY_PRESENT};
    assert_null(arena_memory(&arena));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(opened(&row), STATUS_OK);
        assert_int_equal(arena_lay_out(&arena, &run, NULL, &fault), STATUS_OK);
        assert_int_equal(laid_out, 1);
        assert_true(arena_memory(&arena)->bytes >= row.bytes);
        for (uint64_t at = 0; at < row.bytes; at++)
            assert_int_not_equal(arena_memory(&arena)->data[at], 0);
        arena_memory(&arena)->data[0] = 7; /* as the experiment before left it */
    }
    assert_int_equal(arena_memory(&arena)->data[0], 7);
    assert_int_equal(opened(&other), STATUS_OK);
    assert_int_equal(arena_lay_out(&arena, &run, NULL, &fault), STATUS_OK);
    assert_int_equal(laid_out, 1);
    assert_int_equal(opened(NULL), STATUS_OK);
    assert_null(arena_memory(&arena));
    assert_int_equal(opened(&row), STATUS_OK);
    assert_int_equal(arena_lay_out(&arena, &run, NULL, &fault), STATUS_OK);
    assert_int_equal(laid_out, 2);
}

TEST(what_a_bench_maps_itself_is_only_held_against_the_room)
{
    static const struct memory_row small = {.bytes = 4096}, large = {.wanted = most};
    assert_int_equal(opened(&small), STATUS_OK);
    assert_null(arena_memory(&arena));
    assert_int_equal(opened(&large), STATUS_NO_RESOURCE);
    assert_non_null(remark);
}

TEST(memory_is_halved_until_it_fits)
{
    static const struct memory_row short_of = {.wanted = most,
                                               .least = a_page,
                                               .content = MEMORY_MAPPED,
                                               .if_short = "less is seen"},
                                   silent = {.wanted = most, .least = a_page, .content = MEMORY_MAPPED};
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1); /* a group with room for 260 MB */
    assert_int_equal(opened(&short_of), STATUS_OK);
    assert_true(arena_memory(&arena)->bytes <= memory_room_of_one() + (2 << 20));
    assert_int_equal(run.record->warnings.count, 1);
    assert_int_equal(opened(&silent), STATUS_OK);
    assert_int_equal(run.record->warnings.count, 1);
}

TEST(memory_that_is_not_there_is_a_fault)
{
    static const struct memory_row row = {.wanted = most, .content = MEMORY_PRESENT};
    assert_int_equal(opened(&row), STATUS_NO_RESOURCE);
    assert_non_null(remark);
    assert_null(arena_memory(&arena));
}

TEST(a_signal_ends_filling_and_laying_out)
{
    static const struct memory_row row = {.bytes = 1 << 16, .content = MEMORY_FILLED, .lay_out = interrupt};
    interrupt_note(2);
    assert_int_equal(opened(&row), STATUS_FAILED);
    assert_null(arena_memory(&arena));
    interrupt_forget();
    fault = (struct fault){0};
    assert_int_equal(opened(&row), STATUS_OK);
    assert_int_equal(arena_lay_out(&arena, &run, NULL, &fault), STATUS_FAILED);
}

/* Of the group of the test data, with room for 267 MiB for one. */
enum { MIB = 1 << 20 };
static const struct buffer *asked;

static bool asked_buffer(const struct run *of, const void *own, int n, struct buffer *buffer)
{
    if (asked[n].bytes > 0)
        *buffer = asked[n];
    return asked[n].bytes > 0;
}

/* The largest ones are halved, but none below its least; margins stay. */
TEST(buffers_are_halved_until_all_fit)
{
    static const struct {
        struct buffer buffer[4];
        uint64_t bytes[3]; /* 0: refused */
    } rows[] = {{{{100 * MIB, 0, 0, -1}, {30 * MIB, 0, 0, -1}}, {100 * MIB, 30 * MIB}},
                {{{400 * MIB, MIB, 2 * MIB, -1}, {30 * MIB, MIB, 2 * MIB, -1}}, {202 * MIB, 32 * MIB}},
                {{{800 * MIB, 2 * MIB, 0, -1}, {800 * MIB, 2 * MIB, 0, -1}}, {100 * MIB, 100 * MIB}},
                {{{800 * MIB, 250 * MIB, 0, -1}, {64 * MIB, 2 * MIB, 0, -1}}, {250 * MIB, 16 * MIB}},
                {{{200 * MIB, 0, 0, -1}, {200 * MIB, 0, 0, -1}}, {0}}};
    static const struct memory_row row = {.buffer = asked_buffer, .content = MEMORY_MAPPED},
                                   forced = {
                                       .buffer = asked_buffer, .content = MEMORY_MAPPED, .is_forced = true};
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        asked = rows[i].buffer;
        fault = (struct fault){0};
        assert_int_equal(opened(&row), rows[i].bytes[0] ? STATUS_OK : STATUS_NO_RESOURCE);
        for (int n = 0; rows[i].bytes[n]; n++)
            assert_int_equal(arena.memory[n].bytes, rows[i].bytes[n]);
        arena_close(&arena);
        fault = (struct fault){0};
        assert_int_equal(opened(&forced), STATUS_OK);
        assert_true(arena.memory[0].bytes >= asked[0].bytes);
        arena_close(&arena);
    }
}

/* A thread on its CPU fills it, for so long; what is filled is there, and too little is refused. */
TEST(a_buffer_is_as_large_as_what_is_filled_in_time)
{
    const int cpu = sched_getcpu();
    const struct buffer enough[] = {{64 * MIB, MIB, 0, cpu}, {64 * MIB, MIB, 0, -1}, {0}},
                        too_few[] = {{64 * MIB, 32 * MIB, 0, cpu}, {0}},
                        whole[] = {{4 * MIB, 0, 0, cpu}, {0}};
    static const struct memory_row soon = {.buffer = asked_buffer, .content = MEMORY_FILLED, .fill_s = 1e-9},
                                   late = {.buffer = asked_buffer, .content = MEMORY_FILLED, .fill_s = 100};
    asked = enough;
    assert_int_equal(opened(&soon), STATUS_OK);
    for (int n = 0; n < 2; n++) {
        assert_in_range(arena.memory[n].bytes, MIB, 63 * MIB);
        assert_int_not_equal(arena.memory[n].data[arena.memory[n].bytes - 1], 0);
    }
    arena_close(&arena);
    asked = whole;
    assert_int_equal(opened(&late), STATUS_OK);
    assert_int_equal(arena.memory[0].bytes, 4 * MIB);
    arena_close(&arena);
    asked = too_few;
    assert_int_equal(opened(&soon), STATUS_NO_RESOURCE);
    assert_null(arena_memory(&arena));
}

/* Pieces are laid out as soon as they are there, each in so many seconds by the script. */
enum { PIECE = 4 * MIB };
static uint64_t pieces_bytes;
static double piece_s;
static int context;

static void lay_out_piece(void *own, const struct memory *piece)
{
    assert_ptr_equal(own, &context);
    assert_true(piece->bytes <= PIECE);
    piece->data[0] = piece->data[piece->bytes - 1] = 1;
    pieces_bytes += piece->bytes;
    laid_out++;
    script_pass((uint64_t)(2e9 * piece_s));
}

/* Scripted seconds that count as one of one's own: 3 where the kernel does not show how long a thread waited. */
static double seconds_of_own(void)
{
    const struct stopwatch begin = stopwatch_start_thread();
    script_pass(60000000000);
    return 30 / stopwatch_thread_s(&begin);
}

/* With --quick the time is another one. What is needed gets three times as much: a fourth piece of 41 s does not
 * begin after 120. */
TEST(pieces_are_laid_out_while_there_is_time)
{
    static const struct common usual = {.quick = false}, quick = {.quick = true};
    static const struct buffer few[] = {{5 * PIECE / 2, PIECE, 0, -1, PAGES_4K}, {0}},
                               many[] = {{8 * PIECE, PIECE, 0, -1, PAGES_4K}, {0}},
                               needed[] = {{8 * PIECE, PIECE, 0, -1, PAGES_4K, 4 * PIECE}, {0}};
    static const struct {
        const struct buffer *buffer;
        bool is_quick;
        double seconds;
        int pieces;
    } known[] = {{few, false, 0, 3},     {many, false, 0, 8},   {many, false, 19, 3}, {many, false, 21, 2},
                 {many, true, 19, 2},    {many, true, 21, 1},   {many, false, 41, 1}, {needed, false, 41, 3},
                 {needed, false, 39, 4}, {needed, false, 0, 8}, {needed, true, 19, 4}};
    static const struct memory_row row = {.buffer = asked_buffer,
                                          .content = MEMORY_PRESENT,
                                          .fill_s = 40,
                                          .quick_fill_s = 20,
                                          .lay_out_piece = lay_out_piece};
    const struct experiment experiment = {.name = "of pieces", .own = &context, .memory = &row};
    script_begin();
    scripted.is_ns = true;
    const double second = seconds_of_own();
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        asked = known[i].buffer;
        laid_out = 0;
        pieces_bytes = 0;
        piece_s = known[i].seconds * second;
        run.common = known[i].is_quick ? &quick : &usual;
        assert_int_equal(arena_open(&arena, &experiment, &run, &remark, &fault), STATUS_OK);
        if (laid_out != known[i].pieces)
            fail_msg("%zu: %d pieces", i, laid_out);
        assert_int_equal(pieces_bytes, arena.memory[0].bytes);
        arena_close(&arena);
    }
}

static bool second_alone(const struct run *of, const void *own, int n, struct buffer *buffer)
{
    buffer->pages = PAGES_4K;
    buffer->bytes = n == 1 ? 1 << 16 : 0;
    return n < 2;
}

/* Buffers may have pages of their own, and one that this run does not want is empty. */
TEST(a_buffer_of_no_bytes_is_empty)
{
    static const struct common usual = {.quick = false};
    static const struct memory_row row = {.buffer = second_alone, .content = MEMORY_FILLED};
    run.common = &usual;
    assert_int_equal(arena_wanted(&(const struct experiment){.memory = &row}, &run), 1 << 16);
    assert_int_equal(opened(&row), STATUS_OK);
    assert_int_equal(arena.count, 2);
    assert_int_equal(arena.memory[0].bytes, 0);
    assert_int_equal(arena.memory[1].pages, PAGES_4K);
    assert_int_not_equal(arena.memory[1].data[4095], 0);
}

/* What an experiment can do without is left out, with the reason, while something is left. */
TEST(a_buffer_may_be_missing)
{
    static const char *why[2];
    const struct buffer both[] = {{.bytes = 16 * MIB, .cpu = -1, .missing = &why[0]},
                                  {.bytes = 16 * MIB, .cpu = -1, .missing = &why[1]},
                                  {0}},
                        large[] = {{.bytes = 16 * MIB, .cpu = -1},
                                   {.bytes = 1024 * MIB, .cpu = -1, .missing = &why[1]},
                                   {0}},
                        nothing[] = {{.bytes = 1024 * MIB, .cpu = -1, .missing = &why[0]}, {0}};
    static const struct memory_row mapped = {.buffer = asked_buffer, .content = MEMORY_MAPPED};
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    asked = both;
    assert_int_equal(opened(&mapped), STATUS_OK);
    assert_true(!why[0] && !why[1] && arena.memory[0].bytes > 0 && arena.memory[1].bytes > 0);
    arena_close(&arena);
    asked = large;
    assert_int_equal(opened(&mapped), STATUS_OK);
    assert_true(arena.memory[0].bytes > 0 && arena.memory[1].bytes == 0);
    assert_non_null(why[1]);
    arena_close(&arena);
    asked = nothing;
    assert_int_equal(opened(&mapped), STATUS_NO_RESOURCE);
    assert_non_null(why[0]);
    assert_non_null(remark);
}

/* With a limit of zero nothing is mapped, of whatever pages. */
TEST(each_kind_of_page_is_refused_where_there_is_no_room)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/full", 1);
    for (enum page_kind pages = PAGES_AUTO; pages <= PAGES_1G; pages++) {
        const struct memory_row row = {.bytes = 1 << 16, .pages = pages, .content = MEMORY_FILLED};
        fault = (struct fault){0};
        remark = NULL;
        assert_int_equal(opened(&row), STATUS_NO_RESOURCE);
        assert_non_null(remark);
        assert_null(arena_memory(&arena));
    }
}

/* Only reserved pages can be missing. Each kind comes, or is refused in one line before anything touches
 * it. */
TEST(each_kind_of_page_comes_or_is_refused)
{
    static const struct memory_row rows[] = {
        {.bytes = 1 << 16, .pages = PAGES_AUTO, .content = MEMORY_FILLED},
        {.bytes = 1 << 16, .pages = PAGES_4K, .content = MEMORY_FILLED},
        {.bytes = 1 << 16, .pages = PAGES_THP, .content = MEMORY_FILLED},
        {.bytes = 1 << 16, .pages = PAGES_2M, .content = MEMORY_FILLED},
        {.bytes = 1 << 16, .pages = PAGES_1G, .content = MEMORY_FILLED}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fault = (struct fault){0};
        const enum status status = opened(&rows[i]);
        if (status == STATUS_OK)
            assert_int_not_equal(arena_memory(&arena)->data[4095], 0);
        else {
            assert_int_equal(status, STATUS_NO_RESOURCE);
            assert_true(fault.text[0] != '\0');
            assert_true(rows[i].pages >= PAGES_THP);
        }
    }
}

/* Nobody has written to them, whatever was written to those before; so many lie side by side. */
TEST(fresh_pages_are_new_to_everybody)
{
    enum { BYTES = 1 << 16, TAKES = 3 };
    struct fresh_pages pages = {.pages = PAGES_4K, .takes = TAKES};
    unsigned char *before = NULL;
    for (int i = 0; i < 2 * TAKES; i++) {
        unsigned char *taken = fresh_pages_take(&pages, BYTES, &fault);
        assert_non_null(taken);
        if (i % TAKES > 0)
            assert_ptr_equal(taken, before + BYTES);
        for (size_t at = 0; at < BYTES; at++)
            assert_int_equal(taken[at], 0);
        memset(taken, 1, BYTES);
        before = taken;
    }
    fresh_pages_free(&pages);
    assert_null(fresh_pages_take(&pages, UINT64_MAX / 8, &fault));
    assert_int_not_equal(fault.status, STATUS_OK);
    fresh_pages_free(&pages);
}

/* Each run works on a copy, so that what one run keeps is not there in the next. */
TEST(a_context_begins_as_its_template)
{
    static const int template = 7;
    static const struct experiment copied = {.context_bytes = sizeof template, .context_template = &template},
                                   zeroed = {.context_bytes = sizeof(int)};
    int given = 3, fixed = 5;
    for (int i = 0; i < 2; i++) {
        int *copy = context_new(&copied, &given), *zero = context_new(&zeroed, &given);
        assert_int_equal(*copy, 7);
        assert_int_equal(*zero, 0);
        assert_true((uintptr_t)copy % 4096 == 0 && (uintptr_t)zero % 4096 == 0);
        *copy = *zero = 1;
        context_free(&copied, copy);
        context_free(&zeroed, zero);
    }
    const struct experiment owner = {.own = &fixed}, none = {0};
    assert_ptr_equal(context_new(&owner, &given), &fixed);
    assert_ptr_equal(context_new(&none, &given), &given);
    context_free(&owner, &fixed);
    context_free(&none, &given);
}
