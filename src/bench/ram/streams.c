/* SPDX-License-Identifier: MIT */
/* Threads that go through memory of their own at the same time. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "modes.h"
#include "ram.h"

/* Filling takes no longer, and everything else less. */
static const double FILL_S = 1;

enum status ram_threads_open(struct ram_threads *threads, const int *cpu, int count, struct fault *fault)
{
    threads->count = count;
    threads->lane = memory_zeroed((size_t)count, sizeof *threads->lane);
    threads->team = team_new(cpu, count, fault);
    return fault->status;
}

void ram_threads_close(struct ram_threads *threads)
{
    team_free(threads->team);
    for (int i = 0; threads->lane && i < threads->count; i++) {
        memory_release(&threads->lane[i].source);
        memory_release(&threads->lane[i].target);
        memory_release(&threads->lane[i].chain);
        samples_free(&threads->lane[i].slices);
        free(threads->lane[i].memory);
    }
    free(threads->lane);
    *threads = (struct ram_threads){0};
}

enum status ram_threads_check(const struct ram_threads *threads, struct fault *fault)
{
    for (int i = 0; i < threads->count; i++)
        if (threads->lane[i].fault.status != STATUS_OK)
            return fault_set(fault, threads->lane[i].fault.status, "%s", threads->lane[i].fault.text);
    return STATUS_OK;
}

void ram_lane_fill(struct ram_lane *lane, const struct run *run, uint64_t bytes)
{
    struct ram_set set;
    ram_set_open(&set, run, bytes, -1, FILL_S, &lane->fault);
    lane->source = set.memory;
    lane->filled = set.bytes;
}

bool ram_threads_run(struct ram_threads *threads, int count, team_task *task, void *context)
{
    return team_run(threads->team, NULL, count, task, context, FILL_S);
}

double ram_threads_rate(struct ram_threads *threads, int count, team_task *task, void *context)
{
    return ram_threads_run(threads, count, task, context) ? count / ram_lanes_ns(threads->lane, count) * 1e9
                                                          : NAN;
}

/* The median of the pieces drops most interruptions. */
void ram_stream(struct ram_lane *lane, const struct ram_work *work, uint64_t piece, size_t pieces,
                uint64_t passes)
{
    double ns[RAM_PIECES_MOST];
    lane->begin_ns = lane->end_ns = clock_now_ns();
    for (size_t i = 0; i < pieces; i++) {
        const uint64_t begin_ns = lane->end_ns, at = lane->at + piece <= work->bytes ? lane->at : 0;
        struct ram_work part = *work;
        part.source += at;
        part.target += at;
        part.bytes = piece;
        ram_call(&part, passes);
        lane->at = at + piece;
        lane->end_ns = clock_now_ns();
        ns[i] = (double)(lane->end_ns - begin_ns) / (double)(passes * piece);
    }
    lane->ns = median_of(ns, pieces);
}
