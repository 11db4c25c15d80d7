/* SPDX-License-Identifier: MIT */
/* Points: the addresses at which pairs run, the points and engine series of a row, and the table's row of
 * a point. */
#include <string.h>

#include "base/text.h"
#include "stlf.h"
#include "uarchprobe/chase.h"

enum {
    PLACEMENTS = 12,
    PAIRS = 640,          /* in a sample */
    PAGES = 8,            /* of a placement: two below a window; above it pairs apart and wide accesses */
    NODES = 61,           /* of the chain of loads; fewer where a page has fewer lines */
    TRAINING = 3 * PAIRS, /* for a predictor to learn that addresses agree */
    FORGOTTEN = 16,       /* times TRAINING after a sample of the other kind */
    FAR = 1 << 20,
    OTHERS = 1024 /* where in a page other loads are: at no low bits of a store */
};

/* Chains of loads lie first, a page for each placement: no store reaches them. */
static unsigned char *chain_of(const struct stlf *stlf)
{
    return stlf->memory->data + (size_t)stlf->placement * (size_t)stlf->page;
}

/* Lines are those of L1, which an access may cross; other caches may have longer ones. */
enum status stlf_open(struct stlf *stlf, struct fault *fault)
{
    struct run *run = stlf->run;
    stlf->page = (long)run->topology->page_bytes;
    const struct cache *first = topology_cache(run->topology, run->cpus.id[0], 1);
    stlf->line = first && first->line > 0 ? first->line : 64;
    if (run->common->dry_run || !stlf->params->smt.given)
        return STATUS_OK;
    if (run_smt_pair(run, stlf->params->smt, stlf->cpu, fault) == STATUS_OK)
        run->cpus.id[0] = stlf->cpu[0];
    return fault->status;
}

static uint64_t wanted_bytes(const struct run *run, const void *own)
{
    return (uint64_t)run->topology->page_bytes * (PAGES + 2 * PLACEMENTS) + FAR;
}

/* The chain of loads that measures L1 has one load on each line of a page. */
static void link_chains(const struct run *run, void *own, const struct memory *memory)
{
    struct stlf *stlf = ((struct stlf_part *)own)->stlf;
    const long lines = stlf->page / stlf->line;
    stlf->memory = memory;
    for (unsigned i = PLACEMENTS; i-- > 0;) {
        stlf->placement = i;
        chase_link(&(struct chase){.data = chain_of(stlf),
                                   .count = (uint64_t)(lines < NODES ? lines : NODES),
                                   .stride = (uint64_t)stlf->line});
    }
}

static const struct memory_row pages = {
    .wanted = wanted_bytes, .pages = PAGES_4K, .content = MEMORY_FILLED, .lay_out = link_chains};

static bool has_no_store(const struct stlf_point *point)
{
    return point->kernel->operation == OPERATION_LATENCY || point->kernel->operation == OPERATION_CHAIN_MUL;
}

bool stlf_may_be_renamed(const struct stlf_point *point)
{
    return point->store == point->load || point->kernel->operation == OPERATION_FORWARD_SAME_BASE ||
           point->kernel->operation == OPERATION_FORWARD_DISPLACED;
}

static void call(const struct stlf *stlf, const struct stlf_point *point, uint64_t pairs)
{
    unsigned char *chain = chain_of(stlf), *boundary = chain + PLACEMENTS * stlf->page;
    const uint64_t x = point->kernel->operation == OPERATION_FORWARD_MORE
                           ? (uint64_t)(uintptr_t)(chain + OTHERS)
                           : point->added;
    if (has_no_store(point))
        kernel_call(point->kernel, chain, NULL, pairs, 1);
    else
        point->kernel->entry(boundary + point->store, boundary + point->load, pairs ? point->pairs : 0,
                             pairs > point->pairs ? pairs / point->pairs : 1, x, 0);
}

static const struct stlf_point *point_of(const struct point *point)
{
    return (const struct stlf_point *)point->series->row + point->x - 1;
}

/* Trains series of few points, too, as their neighbours differ in more than an offset: without training,
 * contained loads after renamed ones took 6.3 cycles instead of 5.0 for whole placements on Golden Cove. */
static void prepare(struct point *point)
{
    const struct stlf_part *part = point->own;
    struct stlf *stlf = part->stlf;
    const struct stlf_point *at = point_of(point);
    const bool renamed = stlf_may_be_renamed(at), other = renamed != stlf->was_renamed;
    if (point->iterations == 0)
        return;
    point->iterations -= point->iterations % at->pairs;
    if (other || renamed || part->sweep->series)
        call(stlf, at, other ? (uint64_t)TRAINING * FORGOTTEN : TRAINING);
    stlf->was_renamed = renamed;
}

/* An iteration is a pair, so that samples of any number of pairs last as long. */
static void work(const struct point *point)
{
    const struct stlf_part *part = point->own;
    call(part->stlf, point_of(point), point->iterations);
}

static bool move(void *own, unsigned turn, struct fault *fault)
{
    ((struct stlf_part *)own)->stlf->placement = turn % PLACEMENTS;
    return true;
}

/* The lower quartile: noise only adds to the cost of a pair, but fewer samples below it say less about its
 * range. */
const struct experiment stlf_pairs = {.work = work,
                                      .prepare = prepare,
                                      .move = move,
                                      .iterations = PAIRS,
                                      .one_length = true,
                                      .memory = &pages,
                                      .has_call = true,
                                      .quantile = 0.25};

const struct column stlf_point_columns[C_COUNT] = {
    [C_SERIES] = {"series", "series", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [C_STORE] = {"store_bytes", "store", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_LOAD] = {"load_bytes", "load", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_PAIRS] = {"pairs", "pairs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_CYCLES] = {"cycles", "a pair takes", "cycles", CELL_REAL, ROLE_MEASURE, 2},
    [C_SPREAD] = {"spread", "p90 - p10", "cycles", CELL_REAL, ROLE_LABEL, 2},
    [C_VERDICT] = {"verdict", "verdict", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [C_LOAD_AT] = {"load_offset", "load above store", "Byte", CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_GAP] = {"gap", "gap", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
};

static void add_points(struct stlf_part *part, const struct stlf_series *row, const struct kernel *kernel)
{
    const size_t numbers = row->pairs[0] ? strlen((const char *)row->pairs) : STLF_UNROLL_MAX;
    const long gap = kernel->operation == OPERATION_FORWARD_DISPLACED ? kernel->gap : 0;
    struct stlf_point point = {.kernel = kernel, .added = row->added, .series = row->name};
    for (size_t i = 0; i < numbers; i++) {
        point.pairs = row->pairs[0] ? row->pairs[i] : (unsigned)i + 1;
        for (int at = 0; at == 0 || at < (row->cells ? STLF_CELLS : row->loads); at++) {
            const long down = at / STLF_SIDE, across = at % STLF_SIDE;
            point.store = row->store + (row->cells ? down : 0);
            point.load = row->load + (row->cells ? across : (row->above ? row->above[at] : 0) + gap);
            if (!row->cells || (down == across) == (row->cells == CELLS_SAME))
                part->point[part->count++] = point;
        }
    }
}

void stlf_points_add(struct stlf_part *part, const struct stlf_series *rows)
{
    const struct kernel_filter any = {.allowed = part->stlf->run->kernels.allowed};
    struct series *series = part->series;
    part->point = memory_zeroed(STLF_CELLS, sizeof *part->point);
    part->estimate = memory_zeroed(STLF_CELLS + 1, sizeof *part->estimate);
    for (const struct stlf_series *row = rows; row->name; row++) {
        const size_t first = part->count;
        for (const struct kernel *one = NULL; (one = kernel_next(&any, row->operation, one));) {
            bool wanted = one->bits == 8 * row->store_bytes && one->load_bits == 8 * row->load_bytes;
            for (const struct kernel *like = NULL;
                 row->store_bytes == 0 && (like = kernel_next(&any, row->like, like));)
                wanted |= like->bits == one->bits && like->load_bits == one->load_bits;
            if (wanted)
                add_points(part, row, one);
        }
        if (part->count > first)
            *series++ = (struct series){.name = row->name,
                                        .range = {1, part->count - first},
                                        .apart = true,
                                        .row = &part->point[first]};
    }
}

struct stlf_curve stlf_curve(const struct stlf_part *part, const char *series)
{
    size_t first = 0, end;
    while (first < part->count && strcmp(part->point[first].series, series) != 0)
        first++;
    for (end = first; end < part->count && strcmp(part->point[end].series, series) == 0;)
        end++;
    return (struct stlf_curve){&part->point[first], &part->estimate[first], end - first};
}

void stlf_rows(const struct stlf_part *part)
{
    struct record *record = part->stlf->run->record;
    const size_t table = record_table_add(record, &part->sweep->table);
    for (size_t i = 0; i < part->count; i++) {
        const struct stlf_point *point = &part->point[i];
        const struct kernel *kernel = point->kernel;
        const struct estimate *e = &part->estimate[i];
        const bool pair = !has_no_store(point);
        const bool overlaps = pair && overlap_of(point->store, kernel->bits / 8, point->load,
                                                 kernel->load_bits / 8) != OVERLAP_NONE;
        record_row(record, table,
                   (struct cell[C_COUNT]){
                       [C_SERIES] = TEXT_CELL(point->series),
                       [C_STORE] = pair ? INTEGER_CELL(kernel->bits / 8) : NO_CELL,
                       [C_LOAD] = INTEGER_CELL(pair ? kernel->load_bits / 8 : sizeof(void *)),
                       [C_PAIRS] = pair ? INTEGER_CELL(point->pairs) : NO_CELL,
                       [C_CYCLES] = REAL_CELL(e->value),
                       [C_SPREAD] = REAL_CELL(e->summary.p90 - e->summary.p10),
                       [C_VERDICT] = overlaps && is_renamed(e->value, part->stlf->usual.l1)
                                         ? TEXT_CELL("renamed")
                                         : NO_CELL,
                       [C_LOAD_AT] = INTEGER_CELL(point->load - point->store),
                       [C_GAP] = INTEGER_CELL(kernel->gap),
                   });
    }
}
