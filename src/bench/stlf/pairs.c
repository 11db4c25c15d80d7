/* SPDX-License-Identifier: MIT */
/* Where pairs of a store and a load are run. */
#include <stdatomic.h>

#include "engine/companion.h"
#include "stlf.h"

enum {
    PAIRS = 640,          /* a sample */
    PAGES = 8,            /* of a placement: two up to a window; pairs apart and wide accesses above it */
    NODES = 61,           /* of the chain of loads, fewer where a page has not so many lines */
    TRAINING = 3 * PAIRS, /* for a predictor to learn that addresses agree */
    FORGOTTEN = 16,       /* times as many where the sample before was of the other kind */
    FAR = 1 << 20
};

/* Each member, of which 1 is the SMT sibling, has memory of its own: first the chains of loads, a page for each placement,
 * where no store reaches them. */
static unsigned char *chain_of(const struct stlf *stlf, int member)
{
    return stlf->memory.data + (size_t)member * stlf->member_bytes +
           (size_t)stlf->placement * (size_t)stlf->page;
}

/* Lines are those of L1, which an access may cross; those of other caches may be longer. The chain of loads that takes L1's
 * latency has each on a line of its own, all in one page. */
enum status stlf_open(struct stlf *stlf, struct fault *fault)
{
    struct run *run = stlf->run;
    const struct topology *topology = run->topology;
    const int members = stlf->params->smt.given ? 2 : 1;
    stlf->page = (long)topology->page_bytes;
    stlf->line = topology->cache_count > 0 && topology->cache[0].line > 0 ? topology->cache[0].line : 64;
    stlf->member_bytes = (size_t)(stlf->page * (PAGES + 2 * STLF_PLACEMENTS) + FAR);
    if (run->common->dry_run)
        return STATUS_OK;
    const struct memory_request request = {
        .bytes = (size_t)members * stlf->member_bytes, .pages = PAGES_4K, .node = -1};
    if (members == 2 && companion_pair(run, stlf->params->smt, stlf->cpu, fault))
        return fault->status;
    if (members == 2)
        run->cpus.id[0] = stlf->cpu[0];
    if (memory_map(&stlf->memory, &request, fault))
        return fault->status;
    memory_touch(&stlf->memory, 1);
    const long lines = stlf->page / stlf->line;
    for (int i = STLF_PLACEMENTS * members; i-- > 0;) {
        stlf->placement = (unsigned)(i / members);
        chase_link(&(struct chase){.data = chain_of(stlf, i % members),
                                   .count = (uint64_t)(lines < NODES ? lines : NODES),
                                   .stride = (uint64_t)stlf->line});
    }
    return STATUS_OK;
}

bool stlf_has_no_store(const struct stlf_point *point)
{
    return point->kernel->operation == OPERATION_LATENCY || point->kernel->operation == OPERATION_CHAIN_MUL;
}

bool stlf_may_be_renamed(const struct stlf_point *point)
{
    return point->store == point->load || point->kernel->operation == OPERATION_FORWARD_SAME_BASE ||
           point->kernel->operation == OPERATION_FORWARD_DISPLACED;
}

static void call(struct stlf *stlf, int member, const struct stlf_point *point, uint64_t pairs)
{
    unsigned char *chain = chain_of(stlf, member), *boundary = chain + STLF_PLACEMENTS * stlf->page;
    if (stlf_has_no_store(point))
        kernel_call(point->kernel, chain, NULL, pairs, 1);
    else
        point->kernel->entry(boundary + point->store, boundary + point->load, pairs ? point->pairs : 0,
                             pairs > point->pairs ? pairs / point->pairs : 1, point->added, 0);
}

static const struct stlf_point *point_of(const struct point *point)
{
    return (const struct stlf_point *)point->series->row + point->x - 1;
}

/* Among a few points neighbours differ in more than an offset: without training, contained loads that follow renamed ones fall
 * into a rhythm of 6.3 cycles instead of 5.0 for whole placements on Golden Cove. */
static void prepare(struct point *point)
{
    const struct stlf_part *part = point->own;
    struct stlf *stlf = part->stlf;
    const struct stlf_point *at = point_of(point);
    const bool renamed = stlf_may_be_renamed(at), other = renamed != stlf->was_renamed;
    if (point->iterations == 0)
        return;
    point->iterations -= point->iterations % at->pairs;
    atomic_store_explicit(&stlf->current, at, memory_order_relaxed);
    if (other || renamed || part->sweep)
        call(stlf, 0, at, other ? (uint64_t)TRAINING * FORGOTTEN : TRAINING);
    stlf->was_renamed = renamed;
}

/* An iteration is a pair, so that passes of any number of them are timed for as long. */
static void work(const struct point *point)
{
    const struct stlf_part *part = point->own;
    call(part->stlf, 0, point_of(point), point->iterations);
}

static bool move(void *own, unsigned turn, struct fault *fault)
{
    ((struct stlf_part *)own)->stlf->placement = turn % STLF_PLACEMENTS;
    return true;
}

/* On the SMT sibling a sample of the pairs that are being measured. */
static void call_same_pairs(void *own)
{
    struct stlf *stlf = own;
    const struct stlf_point *point = atomic_load_explicit(&stlf->current, memory_order_relaxed);
    if (point)
        call(stlf, 1, point, PAIRS);
}

/* Of the costs of a pair the lower quartile: noise only adds to them, but the fewer samples lie below, the less is known of
 * where they end. */
const struct experiment stlf_pairs = {.work = work,
                                      .prepare = prepare,
                                      .move = move,
                                      .companion_work = call_same_pairs,
                                      .iterations = PAIRS,
                                      .one_length = true,
                                      .has_call = true,
                                      .quantile = 0.25};
