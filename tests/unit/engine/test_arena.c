/* SPDX-License-Identifier: MIT */
/* The memory of experiments, on the machine at hand: one mapping for those that share a row, less where
 * room is short, a fault where nothing is enough. */
#include "test.h"

#include <sched.h>

#include "engine/arena.h"
#include "uarchprobe/interrupt.h"
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
