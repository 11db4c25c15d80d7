/* SPDX-License-Identifier: MIT */
/* Our kernels and the loops of other tools in one process: the same buffers, rounds in which all follow each other. See
 * tests/peers/loops. Arguments: LIBRARY ROUNDS SIZE... (bytes of the footprint). */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loops.h"
#include "uarchprobe/chase.h"
#include "uarchprobe/clock.h"
#include "uarchprobe/cpu.h"
#include "uarchprobe/kernel.h"
#include "uarchprobe/memory.h"

enum {
    LOOPS_MOST = 128,
    TEAMS_MOST = 8,
    FINALISTS = 3,
    ROUNDS_MOST = 1000,
    PARTS = 4,
    LINE = 64,
    LOADS_UNIT = 200
};

/* A larger set is taken piece by piece, each loop the next piece. */
static const uint64_t PIECE = 64 << 20;
static const double PART_NS = 100e3, MOST_NS = 3e6;

struct loop {
    const char *tool, *name;
    enum operation task;
    kernel_entry *entry;
    uint64_t passes;
    double ns[ROUNDS_MOST];
};

/* The fastest loops of a tool, repeated where it has fewer: all tools have as many tries in a round. */
struct team {
    struct loop *finalist[FINALISTS];
    unsigned wins[FINALISTS];
    double ns[ROUNDS_MOST];
};

/* Target is right behind source: some tools know one array with two halves. */
struct set {
    unsigned char *data;
    uint64_t bytes, stride, pieces, next;
    struct chase chase;
};

static const enum operation tasks[] = {OPERATION_READ, OPERATION_WRITE, OPERATION_COPY, OPERATION_LATENCY};

static double run_once(const struct loop *loop, struct set *set, uint64_t passes)
{
    const bool is_latency = loop->task == OPERATION_LATENCY;
    unsigned char *at = is_latency ? chase_node(&set->chase, set->next * LOADS_UNIT)
                                   : set->data + set->next % set->pieces * set->stride;
    set->next += is_latency ? passes : 1;
    const uint64_t begin = clock_now_ns();
    if (is_latency)
        loop->entry(at, NULL, passes * LOADS_UNIT, 1, 0, 0);
    else if (loop->task == OPERATION_COPY)
        loop->entry(at + set->bytes, at, set->bytes, passes, 0, 0);
    else
        loop->entry(at, loop->task == OPERATION_WRITE ? (const void *)(uintptr_t)0x5a : NULL, set->bytes,
                    passes, 0, 0);
    return (double)(clock_now_ns() - begin) / (double)passes;
}

/* The best part of a sample: interruptions only add. Passes that are not timed come first where the set may stay in a cache. */
static double sample(struct loop *loop, struct set *set)
{
    double best = 0;
    if (!loop->passes)
        for (loop->passes = 1; run_once(loop, set, loop->passes) * (double)loop->passes < PART_NS;)
            loop->passes *= 2;
    if (set->pieces == 1)
        run_once(loop, set, loop->passes);
    for (int part = 0; part < PARTS && best * (double)loop->passes * part < MOST_NS; part++) {
        const double ns = run_once(loop, set, loop->passes);
        best = part == 0 || ns < best ? ns : best;
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *value, unsigned count, double share)
{
    double sorted[ROUNDS_MOST];
    memcpy(sorted, value, count * sizeof *value);
    qsort(sorted, count, sizeof *sorted, ascending);
    return sorted[(unsigned)((count - 1) * share + 0.5)];
}

static double ratio(const struct team *of, const struct team *to, unsigned rounds, double share)
{
    double value[ROUNDS_MOST];
    for (unsigned round = 0; round < rounds; round++)
        value[round] = of->ns[round] / to->ns[round];
    return quantile(value, rounds, share);
}

/* Replaces times of a round by their ratio to the round's median: busy phases last for many samples. */
static void level_round(struct loop *loops, size_t count, enum operation task, unsigned round)
{
    double value[LOOPS_MOST];
    unsigned values = 0;
    for (size_t i = 0; i < count; i++)
        if (loops[i].task == task)
            value[values++] = loops[i].ns[round];
    const double middle = quantile(value, values, 0.5);
    for (size_t i = 0; i < count; i++)
        loops[i].ns[round] /= middle;
}

static void enter(struct team *team, struct loop *loop, unsigned rounds)
{
    for (unsigned i = 0; i < FINALISTS; i++) {
        struct loop *candidate = team->finalist[i];
        if (!candidate || quantile(loop->ns, rounds, 0.5) < quantile(candidate->ns, rounds, 0.5)) {
            team->finalist[i] = loop;
            loop = candidate;
        }
        if (!loop)
            return;
    }
}

/* Rounds of all loops of the task; returns the number of teams, ours first. */
static size_t choose(struct loop *loops, size_t count, enum operation task, unsigned rounds, struct set *set,
                     struct team team[TEAMS_MOST])
{
    size_t teams = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++)
            if (loops[i].task == task)
                loops[i].ns[round] = sample(&loops[i], set);
        level_round(loops, count, task, round);
    }
    for (size_t i = 0; i < count; i++) {
        size_t own = 0;
        while (own < teams && strcmp(team[own].finalist[0]->tool, loops[i].tool))
            own++;
        if (loops[i].task != task || own == TEAMS_MOST - 1)
            continue;
        enter(&team[own], &loops[i], rounds);
        teams += own == teams;
    }
    for (size_t i = 0; i < teams; i++)
        for (size_t k = 1, have = 1; k < FINALISTS; k++)
            if (team[i].finalist[k])
                have++;
            else
                team[i].finalist[k] = team[i].finalist[k % have];
    return teams;
}

static void play(struct team *team, unsigned round, struct set *set)
{
    unsigned winner = 0;
    for (unsigned i = 0; i < FINALISTS; i++) {
        const double ns = sample(team->finalist[i], set);
        if (i == 0 || ns < team->ns[round]) {
            team->ns[round] = ns;
            winner = i;
        }
    }
    team->wins[winner]++;
}

static const char *winner_of(const struct team *team)
{
    unsigned best = 0;
    for (unsigned i = 1; i < FINALISTS; i++)
        best = team->wins[i] > team->wins[best] ? i : best;
    return team->finalist[best]->name;
}

static void compare(struct loop *loops, size_t count, enum operation task, unsigned rounds, struct set *set,
                    uint64_t footprint)
{
    static struct team team[TEAMS_MOST];
    char size[32];
    memset(team, 0, sizeof team);
    const size_t teams = choose(loops, count, task, rounds / 2, set, team);
    team[teams] = team[0]; /* ours again */
    for (unsigned round = 0; round < rounds; round++)
        for (size_t i = 0; i <= teams; i++) {
            const size_t next = (i + round) % (teams + 1);
            play(&team[round & 1 ? teams - next : next], round, set);
        }
    const bool per_load = task == OPERATION_LATENCY;
    const double noise = ratio(&team[teams], &team[0], rounds, 0.1);
    snprintf(size, sizeof size, footprint < 1 << 20 ? "%.0f KiB" : "%.1f MiB",
             (double)footprint / (footprint < 1 << 20 ? 1024 : 1 << 20));
    for (size_t i = 1; i < teams; i++) {
        const double our_ns = quantile(team[0].ns, rounds, 0.1), their_ns = quantile(team[i].ns, rounds, 0.1);
        const double middle = ratio(&team[i], &team[0], rounds, 0.5);
        printf("%-10s %-8s %-11s %9.2f %9.2f  %5.3f  %5.3f .. %5.3f  %5.3f .. %5.3f %-6s  %s, %s\n", size,
               operation_names[task], team[i].finalist[0]->tool,
               per_load ? our_ns / LOADS_UNIT : (double)set->bytes / our_ns,
               per_load ? their_ns / LOADS_UNIT : (double)set->bytes / their_ns, middle,
               ratio(&team[i], &team[0], rounds, 0.1), ratio(&team[i], &team[0], rounds, 0.9), noise,
               ratio(&team[teams], &team[0], rounds, 0.9), middle < 0.98 && middle < noise ? "behind" : "",
               winner_of(&team[0]), winner_of(&team[i]));
    }
    fflush(stdout);
}

/* A copy takes half of the footprint, less a quarter of a page where source and target were at the same offset of theirs. */
static struct set set_of(const struct memory *memory, uint64_t footprint, enum operation task)
{
    const uint64_t whole = footprint > PIECE ? PIECE : footprint;
    struct set set = {.data = memory->data, .bytes = whole, .stride = whole, .pieces = footprint / whole};
    if (task == OPERATION_COPY) {
        set.bytes = whole / 2 / 512 * 512;
        set.bytes -= set.bytes % 4096 ? 0 : 1024;
        set.stride = 2 * set.bytes;
    }
    return set;
}

static void compare_all(struct loop *loops, size_t count, unsigned rounds, uint64_t footprint)
{
    struct memory memory;
    struct fault fault = {0};
    if (memory_map(&memory, &(struct memory_request){.bytes = footprint + 8192, .node = -1}, &fault) ||
        memory_touch(&memory, 1, &fault)) {
        fprintf(stderr, "%" PRIu64 " bytes: %s\n", footprint, fault.text);
        return;
    }
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        struct set set = set_of(&memory, footprint, tasks[i]);
        for (size_t k = 0; k < count; k++)
            loops[k].passes = 0;
        if (tasks[i] == OPERATION_LATENCY) {
            /* Within the core so many pages at once as any TLB holds; one place in the chain for all. */
            set.chase = (struct chase){.data = memory.data,
                                       .count = footprint / LINE,
                                       .stride = LINE,
                                       .seed = 1,
                                       .group = footprint <= 1 << 20 ? 2048 : 0};
            chase_link(&set.chase);
        }
        compare(loops, count, tasks[i], rounds, &set, footprint);
    }
    memory_release(&memory);
}

int main(int argc, char **argv)
{
    static struct loop loops[LOOPS_MOST];
    struct cpu cpu;
    size_t count = 0;
    if (argc < 4 || atoi(argv[2]) < 4 || atoi(argv[2]) > ROUNDS_MOST)
        return fputs("usage: loops LIBRARY ROUNDS SIZE...\n", stderr), 2;
    void *library = dlopen(argv[1], RTLD_NOW);
    const struct peer_loop *peer = library ? dlsym(library, "peer_loops") : NULL;
    if (!peer)
        return fprintf(stderr, "%s\n", dlerror()), 3;
    cpu_identify_host(&cpu);
    for (size_t i = 0; i < kernel_count; i++)
        for (size_t task = 0; task < sizeof tasks / sizeof *tasks; task++)
            if (kernels[i].operation == tasks[task] && !(kernels[i].needs & ~cpu.features) &&
                count < LOOPS_MOST && kernels[i].load != ACCESS_UNALIGNED &&
                kernels[i].store != ACCESS_UNALIGNED &&
                (kernels[i].bits >= 64 || kernels[i].method >= METHOD_LIBC))
                loops[count++] =
                    (struct loop){"ours", kernels[i].name, tasks[task], kernels[i].entry, 0, {0}};
    for (; peer->name; peer++)
        for (size_t task = 0; task < sizeof tasks / sizeof *tasks; task++)
            if (!strcmp(peer->task, operation_names[tasks[task]]) && count < LOOPS_MOST)
                loops[count++] = (struct loop){peer->peer, peer->name, tasks[task], peer->entry, 0, {0}};
    for (int i = 3; i < argc; i++)
        compare_all(loops, count, (unsigned)atoi(argv[2]), strtoull(argv[i], NULL, 10));
    return 0;
}
