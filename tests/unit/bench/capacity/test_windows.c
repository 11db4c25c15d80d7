/* SPDX-License-Identifier: MIT */
/* The rows of windows.c on simulated cores of known sizes: every structure that they name must be the one that it is, and every
 * bound must hold. */
#include "test.h"

#include "bench/capacity/capacity.h"
#include "engine/metrics.h"

enum { ROB, INTEGER, VECTOR, FLAG, LOAD, WAITING, TAKEN, BRANCH, STRUCTURES };
enum { CORES = 1000, RANGE = 1024, RANGE_SHARED = 1400 };

/* Entries that one instruction takes. */
static const struct filler {
    const char *key;
    double takes[STRUCTURES];
} fillers[] = {
    {"branches", {[ROB] = 1, [BRANCH] = 1}},
    {"branches_2", {[ROB] = 2, [BRANCH] = 1}},
    {"jumps", {[ROB] = 1, [TAKEN] = 1}},
    {"jumps_2", {[ROB] = 1, [TAKEN] = 1}},
    {"integers", {[ROB] = 1, [INTEGER] = 1}},
    {"integers_2", {[ROB] = 1, [INTEGER] = 1}},
    {"vectors", {[ROB] = 1, [VECTOR] = 1}},
    {"vectors_2", {[ROB] = 1, [VECTOR] = 1}},
    {"flags", {[ROB] = 1, [FLAG] = 1}},
    {"flags_2", {[ROB] = 1, [FLAG] = 1}},
    {"flags_apart", {[ROB] = 2, [VECTOR] = 1, [FLAG] = 1}},
    {"flags_apart_2", {[ROB] = 2, [INTEGER] = 1, [FLAG] = 1}},
    {"loads", {[ROB] = 1, [INTEGER] = 1, [LOAD] = 1}},
    {"loads_2", {[ROB] = 1, [FLAG] = 1, [LOAD] = 1}},
    {"loads_3", {[ROB] = 1, [VECTOR] = 1, [LOAD] = 1}},
    {"waiting", {[ROB] = 1, [INTEGER] = 1, [LOAD] = 1, [WAITING] = 1}},
    {"waiting_2", {[ROB] = 1, [FLAG] = 1, [LOAD] = 1, [WAITING] = 1}},
    {"waiting_3", {[ROB] = 1, [VECTOR] = 1, [LOAD] = 1, [WAITING] = 1}},
    {"mixed", {[ROB] = 1, [INTEGER] = 1 / 3.0, [VECTOR] = 1 / 3.0, [FLAG] = 1 / 3.0}},
    {"mixed_2", {[ROB] = 1, [INTEGER] = 1 / 3.0, [VECTOR] = 1 / 3.0, [BRANCH] = 1 / 3.0}},
    {"zeros", {[ROB] = 1}},
    {"nops", {[ROB] = 1}},
};
static const struct {
    const char *key;
    int structure;
} named[] = {{"capacity.reorder_buffer", ROB},      {"capacity.integer_registers", INTEGER},
             {"capacity.vector_registers", VECTOR}, {"capacity.flag_registers", FLAG},
             {"capacity.load_queue", LOAD},         {"capacity.loads_waiting", WAITING},
             {"capacity.branches_taken", TAKEN},    {"capacity.branches_not_taken", BRANCH}};

/* A core: shares of its reorder buffer that the others have, at least and at most; what a busy sibling leaves. */
struct kind {
    const char *name;
    double least, most, branches; /* 0: of branches there is no limit of their own */
    double nops, zeros;           /* that share an entry; 0: 1 */
    double flags;                 /* adjacent writers of flags that share a register; 0: 1 */
    bool eliminates;              /* one kind of integers takes no register */
    bool is_alone;                /* no busy sibling in the run */
    bool flags_are_integers;      /* one file of both */
    bool may_hide;                /* some structures of this kind cannot be named */
};
static const struct kind kinds[] = {
    {"each by itself", .least = 0.2, .most = 0.8},
    {"branches end earlier", .least = 0.4, .most = 0.8, .branches = 0.3},
    {"no-operations share, two an entry", .least = 0.4, .most = 0.8, .nops = 2, .zeros = 2, .may_hide = true},
    {"no-operations share, four an entry", .least = 0.4, .most = 0.8, .nops = 4},
    {"moves are eliminated", .least = 0.4, .most = 0.8, .eliminates = true, .may_hide = true},
    {"one file of flags and integers", .least = 0.4, .most = 0.8, .flags_are_integers = true,
     .may_hide = true},
    {"two bounds close together", .least = 0.94, .most = 1.06, .may_hide = true},
    /* As Golden Cove (branches not taken 128 of 512), Zen 4 and Zen 5. */
    {"a quarter of branches", .least = 0.4, .most = 0.6, .branches = 0.25},
    {"two zeros, four no-operations an entry, two flags a register", .least = 0.4, .most = 0.8, .nops = 4,
     .zeros = 2, .flags = 2},
    {"two flags a register", .least = 0.2, .most = 0.8, .flags = 2},
    {"anything, and shared entries", .least = 0.1, .most = 1.5, .branches = 0.5, .nops = 4, .zeros = 2,
     .flags = 2, .may_hide = true},
    {"anything", .least = 0.1, .most = 1.5, .branches = 0.5, .nops = 2, .may_hide = true},
    {"no busy sibling", .least = 0.4, .most = 0.8, .is_alone = true},
};

static uint64_t seed;

static double uniform(double least, double most)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return least + (most - least) * (double)(seed >> 11) * 0x1p-53;
}

struct core {
    double size[STRUCTURES][2]; /* idle, busy */
    double own;                 /* entries of the reorder buffer that the work itself takes */
};

static struct core core_of(const struct kind *kind)
{
    struct core core = {.own = 4 + floor(uniform(0, 4))};
    core.size[ROB][0] = 2 * floor(uniform(60, 320));
    for (int s = 1; s < STRUCTURES; s++)
        core.size[s][0] = floor(core.size[ROB][0] * uniform(kind->least, kind->most));
    core.size[WAITING][0] = floor(core.size[LOAD][0] * uniform(0.3, 0.8));
    core.size[TAKEN][0] = 2 * floor(core.size[ROB][0] * uniform(0.05, 0.2));
    core.size[BRANCH][0] =
        kind->branches > 0 ? 2 * floor(core.size[ROB][0] * kind->branches * uniform(0.4, 0.6)) : 1e9;
    if (kind->flags_are_integers)
        core.size[FLAG][0] = core.size[INTEGER][0];
    for (int s = 0; s < STRUCTURES; s++) /* registers are shared, the others halved */
        core.size[s][1] = s == ROB || s == TAKEN || s == BRANCH ? core.size[s][0] / 2
                                                                : floor(core.size[s][0] * uniform(0.6, 0.9));
    if (kind->flags_are_integers)
        core.size[FLAG][1] = core.size[INTEGER][1];
    core.size[WAITING][1] = fmin(core.size[WAITING][1], core.size[LOAD][1]);
    return core;
}

/* The last number that fits; 0: beyond the range. */
static double step_of_filler(const struct kind *kind, const struct core *core, const struct filler *filler,
                             int busy)
{
    double step = INFINITY;
    for (int s = 0; s < STRUCTURES; s++) {
        const double own = s == ROB                                                 ? core->own
                           : s == TAKEN || s == BRANCH || s == LOAD || s == WAITING ? 2
                                                                                    : 0;
        double takes = filler->takes[s];
        if (s == ROB && strcmp(filler->key, "nops") == 0)
            takes /= fmax(kind->nops, 1);
        if (s == ROB && strcmp(filler->key, "zeros") == 0)
            takes /= fmax(kind->zeros, 1);
        if (s == FLAG && (strcmp(filler->key, "flags") == 0 || strcmp(filler->key, "flags_2") == 0))
            takes /= fmax(kind->flags, 1);
        if (s == INTEGER && kind->flags_are_integers)
            takes += filler->takes[FLAG];
        if (s == INTEGER && kind->eliminates && strcmp(filler->key, "integers_2") == 0)
            takes = 0;
        if (takes > 0)
            step = fmin(step, floor((core->size[s][busy] - own) / takes));
    }
    const bool may_share = strcmp(filler->key, "nops") == 0 || strcmp(filler->key, "zeros") == 0;
    return step <= (may_share ? RANGE_SHARED : RANGE) ? step : 0;
}

static bool is_far(double a, double b)
{
    return fabs(a - b) > 16;
}

/* Two of three kinds of loads must end at the structure, and far from the registers that the third may
 * take. */
static bool loads_show(double size, double integers, double flags, double vectors)
{
    const int beyond = (size < integers) + (size < flags) + (size < vectors);
    return beyond >= 2 && is_far(size, integers) && is_far(size, flags) && is_far(size, vectors);
}

/* A structure shows where all else that its fillers take is larger by far. */
static bool shows(const struct kind *kind, const struct core *core, int structure, int busy)
{
    const double size = core->size[structure][busy], integers = core->size[INTEGER][busy],
                 vectors = core->size[VECTOR][busy], flags = core->size[FLAG][busy],
                 entries = core->size[ROB][busy];
    if (size > RANGE || (structure != ROB && (size > entries || !is_far(size, entries))))
        return false;
    if (structure == ROB)
        return entries * fmax(kind->nops, 1) <= RANGE_SHARED;
    if (structure == LOAD || structure == WAITING)
        return loads_show(size, integers, flags, vectors);
    if (structure == FLAG && kind->flags > 1)
        return size < fmin(fmin(integers, vectors), entries / 2) && is_far(size, integers) &&
               is_far(size, vectors) && is_far(size, entries / 2);
    /* So many must fit apart from each other that those next to each other share nothing for certain. */
    return structure != FLAG ||
           (is_far(size, integers) && 1.75 * fmin(fmax(integers, vectors), entries / 2 - 8) > size);
}

static void check(const struct kind *kind, const struct core *core, const struct lab *lab)
{
    for (size_t n = 0; n < COUNT_OF(named); n++)
        for (int busy = 0; busy < 2 - kind->is_alone; busy++) {
            const struct result *r = lab_result(lab, named[n].key, STATE_IDLE + busy);
            const double truth = core->size[named[n].structure][busy], value = r->estimate.value;
            const char *how = NULL;
            if (r->has_value && r->is_bound && (value > truth + 1 || r->verdict.trust > TRUST_LOW))
                how = "no bound";
            /* Without the half it is known to within the own entries, and of medium trust. */
            if (r->has_value && !r->is_bound && fabs(value - truth) > (r->is_split ? 0 : 5))
                how = "wrong";
            if (r->has_value && !r->is_bound && value != truth && r->verdict.trust == TRUST_HIGH)
                how = "too sure";
            if (!kind->may_hide && (!r->has_value || r->is_bound) &&
                shows(kind, core, named[n].structure, busy))
                how = "not named";
            if (how)
                fail_msg("%s, %s, %s: %s, %g instead of %g", kind->name, named[n].key, busy ? "busy" : "idle",
                         how, value, truth);
        }
}

TEST(structures_of_simulated_cores_have_their_name)
{
    const struct metric *metrics = windows_experiment.metrics;
    size_t count = 0;
    while (metrics[count].key)
        count++;
    struct result(*result)[STATE_COUNT] = calloc(count, sizeof *result);
    const struct lab lab = {.experiment = &windows_experiment, .result = result, .metrics = count};
    for (size_t k = 0; k < COUNT_OF(kinds); k++)
        for (seed = 1; seed <= CORES; seed++) {
            const uint64_t number = seed;
            seed *= 7919;
            const struct core core = core_of(&kinds[k]);
            memset(result, 0, count * sizeof *result);
            for (size_t f = 0; f < COUNT_OF(fillers); f++)
                for (int busy = 0; busy < 2 - kinds[k].is_alone; busy++) {
                    struct result *r = lab_result(&lab, fillers[f].key, STATE_IDLE + busy);
                    r->estimate.value = step_of_filler(&kinds[k], &core, &fillers[f], busy);
                    r->has_value = r->estimate.value > 0;
                    r->is_asked = true;
                    r->verdict = (struct verdict){TRUST_HIGH, LIMITED_BY_NONE};
                }
            for (size_t c = 0; c < count; c++)
                metric_attribute((struct lab *)&lab, &metrics[c]);
            check(&kinds[k], &core, &lab);
            seed = number;
        }
    free(result);
}
