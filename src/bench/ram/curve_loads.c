/* SPDX-License-Identifier: MIT */
/* The loads of `ram --curve`, and their memory. Lines that are drawn at random have min(1, C / S) of hits
 * in a level of C bytes, whatever that replaces, and nothing is built or kept for a size: a set is a part of
 * one mapping. */
#include "curve.h"
#include "uarchprobe/random.h"

/* RING_PART: the lines that are loaded after each draw. */
enum { RING = CURVE_BLOCK / CURVE_LINE, RING_PART = RING / 2 };
enum { LOADS = 16384, LOADS_FAR = 8192, PARTS = 8, FAR = 64 << 20 };

const struct set_kind curve_lines = {CURVE_LINE}, curve_pages = {CURVE_PAGE_STEP, .counts_places = true};

static void draw_places(const struct point *point, uint64_t step, uint64_t loads)
{
    struct curve_run *curve = point->own;
    curve->draw_state = point->kernel->entry(point->set, (const void *)(uintptr_t)step, loads, point->places,
                                             curve->draw_state, 0);
}

static void load_lines(const struct point *point)
{
    draw_places(point, CURVE_LINE, point->iterations);
}

static void load_pages(const struct point *point)
{
    draw_places(point, CURVE_PAGE_STEP, point->iterations);
}

/* Draws a line, and chases through a part of its ring. */
static void draw_blocks(const struct point *point, uint64_t loads)
{
    struct curve_run *curve = point->own;
    for (; loads >= RING_PART; loads -= RING_PART) {
        curve->draw_state *= KERNEL_DRAW;
        const uint64_t line = (uint64_t)(((unsigned __int128)curve->draw_state * point->places) >> 64);
        point->kernel->entry(point->set + line * CURVE_LINE, NULL, RING_PART, 0, 0, 0);
    }
}

static void load_blocks(const struct point *point)
{
    draw_blocks(point, point->iterations);
}

/* The set lies elsewhere in each turn. All works of a sample find the same one. */
static void choose_set(struct point *point, const struct kernel *kernel)
{
    const struct set_kind *kind = point->series->row;
    const struct memory *memory = point->memory;
    uint64_t random = point->turn ^ point->x;
    point->kernel = kernel;
    point->places = kind->counts_places ? point->x : point->x / kind->step;
    point->set = memory->data + random_next(&random) %
                                    ((memory->bytes - point->places * kind->step) / CURVE_BLOCK + 1) *
                                    CURVE_BLOCK;
    point->iterations = (point->places * CURVE_LINE <= FAR ? LOADS : LOADS_FAR) / PARTS;
}

/* Returns the loads before a sample: a set within the core is drawn from once for each place. */
static uint64_t loads_before(const struct point *point)
{
    return point->places * CURVE_LINE > CURVE_CORE ? RING_PART : point->places + RING_PART;
}

/* Reads the middle of the set, line by line. */
static void pass_over(const struct point *point)
{
    const uint64_t bytes = point->places * CURVE_LINE, some = bytes < CURVE_WARM ? bytes : CURVE_WARM;
    const volatile unsigned char *line = point->set + (bytes - some) / 2 / CURVE_LINE * CURVE_LINE;
    for (uint64_t i = 0; i < some; i += CURVE_LINE)
        (void)line[i];
}

static void warm_lines(struct point *point)
{
    choose_set(point, ((const struct curve_run *)point->own)->draw);
    pass_over(point);
    draw_places(point, CURVE_LINE, loads_before(point));
}

static void warm_blocks(struct point *point)
{
    choose_set(point, ((const struct curve_run *)point->own)->chase);
    pass_over(point);
    draw_blocks(point, loads_before(point));
}

static void warm_pages(struct point *point)
{
    choose_set(point, ((const struct curve_run *)point->own)->draw);
    draw_places(point, CURVE_PAGE_STEP, loads_before(point));
}

const struct timed_work curve_line_loads = {.work = load_lines, .prepare = warm_lines, .parts = PARTS},
                        curve_block_loads = {.work = load_blocks, .prepare = warm_blocks, .parts = PARTS},
                        curve_page_loads = {.work = load_pages, .prepare = warm_pages, .parts = PARTS};

uint64_t curve_dram_bytes(const struct run *run)
{
    const int cpu = run->cpus.id[0];
    const uint64_t last = topology_cache_bytes(run->topology, cpu, topology_last_level(run->topology, cpu));
    return last ? 4 * last : CURVE_LARGEST / 4;
}

uint64_t curve_bytes(const struct run *run)
{
    const struct ram_params *params = run->params;
    const uint64_t room = memory_room() / (params->force ? 1 : 2) / CURVE_BUFFERS,
                   usual = run->common->quick ? CURVE_LARGEST / 4 : CURVE_LARGEST,
                   asked = params->sizes.count > 0 ? params->sizes.bytes[1] : usual,
                   most = asked < CURVE_LARGEST ? asked : CURVE_LARGEST;
    return ((most < room ? most : room) + CURVE_BLOCK - 1) / CURVE_BLOCK * CURVE_BLOCK;
}

/* The bytes that DRAM needs get more time. --pages leaves one of the buffers empty. */
static bool choose_buffer(const struct run *run, const void *own, int n, struct buffer *buffer)
{
    const enum page_kind asked = (enum page_kind)((const struct ram_params *)run->params)->pages;
    if (n >= CURVE_BUFFERS)
        return false;
    buffer->pages = n == CURVE_BASE ? PAGES_4K : asked;
    buffer->least = CURVE_BLOCK;
    buffer->needed = curve_dram_bytes(run);
    if (asked == PAGES_AUTO || (n == CURVE_BASE) == (asked == PAGES_4K))
        buffer->bytes = curve_bytes(run);
    return true;
}

/* Links each ring in an order of its own: if all rings were alike, a prefetcher would learn them. */
static void link_rings(void *own, const struct memory *piece)
{
    struct curve_run *curve = own;
    int order[RING];
    for (uint64_t at = 0; at + CURVE_BLOCK <= piece->bytes; at += CURVE_BLOCK) {
        unsigned char *block = piece->data + at;
        random_order(&curve->ring_seed, order, RING);
        for (int i = 0; i < RING; i++)
            *(void **)(void *)(block + order[i] * CURVE_LINE) = block + order[(i + 1) % RING] * CURVE_LINE;
    }
}

const struct memory_row curve_memory = {.buffer = choose_buffer,
                                        .content = MEMORY_PRESENT,
                                        .fill_s = 1,
                                        .quick_fill_s = 0.5,
                                        .lay_out_piece = link_rings};
