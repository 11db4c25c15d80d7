/* SPDX-License-Identifier: MIT */
/* Shows that two pinned threads run at the same time. Sandboxes and emulators have been seen that keep
 * affinity to themselves: they store a mask, answer with it and never apply it. */
#include "engine/meeting.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "uarchprobe/clock.h"
#include "uarchprobe/interrupt.h"

/* On one CPU a turn lasts until the thread that waits for the other is preempted, 0.1 ms at least: WINDOW_NS
 * has room for five. Two CPUs pass a line to and fro in less than a microsecond, an emulator in a few. */
enum { TURNS = 32, WINDOW_NS = 500000, WAIT_NS = 2000000 };

/* Without a meeting they do not run together where that many seconds of it were to be expected: next to busy
 * processes threads get a share of their CPUs each, and chance lets them miss each other for a few time
 * slices only. */
static const double EXPECTED_S = 0.05;
/* Where neither is shown by then, the machine is so busy that nothing can be said. */
static const double PATIENCE_S = 10;

struct meeting {
    _Alignas(128) atomic_uint turns;
    _Alignas(128) atomic_bool have_met;
    double cpu_s[2]; /* of each thread, in all attempts */
    int member[2];
};

static double thread_s(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* Each thread takes every second turn. */
static void take_turns(void *context, int member)
{
    struct meeting *meeting = context;
    const unsigned side = member == meeting->member[1];
    const uint64_t begin_ns = clock_now_ns();
    const double before_s = thread_s();
    uint64_t now_ns = begin_ns, window_ns = begin_ns;
    unsigned own = 0;
    for (unsigned spins = 0; !atomic_load(&meeting->have_met); spins++) {
        const unsigned turns = atomic_load(&meeting->turns);
        const bool is_mine = turns % 2 == side;
        if (is_mine || spins % 64 == 0)
            now_ns = clock_now_ns();
        if (now_ns - begin_ns > WAIT_NS)
            break;
        if (!is_mine)
            continue;
        own = now_ns - window_ns > WINDOW_NS ? 0 : own + 1;
        window_ns = own == 0 ? now_ns : window_ns;
        if (own >= TURNS)
            atomic_store(&meeting->have_met, true);
        atomic_store(&meeting->turns, turns + 1);
    }
    meeting->cpu_s[side] += thread_s() - before_s;
}

static enum status meet(struct team *team, const int member[2], const int cpu[2], struct fault *fault)
{
    static struct meeting meeting; /* a late thread may still use it */
    const uint64_t begin_ns = clock_now_ns();
    atomic_store(&meeting.turns, 0);
    atomic_store(&meeting.have_met, false);
    for (int side = 0; side < 2; side++) {
        meeting.cpu_s[side] = 0;
        meeting.member[side] = member[side];
    }
    for (useconds_t pause_us = 100;; pause_us = (pause_us * 7 + 31) % 1000) {
        const bool ran = team_run(team, member, 2, take_turns, &meeting, WAIT_NS * 1e-9);
        if (interrupt_came()) /* nothing is measured any more */
            return STATUS_OK;
        if (!ran)
            return fault_set(fault, STATUS_NO_RESOURCE,
                             "threads on CPU %d and on CPU %d did not begin together", cpu[0], cpu[1]);
        const double seconds = (double)(clock_now_ns() - begin_ns) * 1e-9;
        if (atomic_load(&meeting.have_met) || seconds > PATIENCE_S)
            return STATUS_OK;
        if (meeting.cpu_s[0] * meeting.cpu_s[1] / seconds > EXPECTED_S)
            break;
        usleep(pause_us); /* so that the time slices of the two CPUs do not keep pace */
    }
    return fault_set(
        fault, STATUS_NO_RESOURCE,
        "this system does not pin threads: one on CPU %d and one on CPU %d never ran at the same "
        "time; run it outside of the sandbox or emulator",
        cpu[0], cpu[1]);
}

enum status team_prove(struct team *team, const int *cpu, int count, struct fault *fault)
{
    static struct {
        int cpu[2];
        struct fault fault;
    } last = {.cpu = {-1, -1}};
    int other = 1;
    while (other < count && cpu[other] == cpu[0])
        other++;
    if (other >= count)
        return STATUS_OK;
    if (last.cpu[0] != cpu[0] || last.cpu[1] != cpu[other]) {
        last.fault = (struct fault){0};
        meet(team, (const int[]){0, other}, (const int[]){cpu[0], cpu[other]}, &last.fault);
        last.cpu[0] = cpu[0];
        last.cpu[1] = cpu[other];
    }
    if (last.fault.status != STATUS_OK)
        *fault = last.fault;
    return last.fault.status;
}

enum status pin_prove(int cpu, int other, struct fault *fault)
{
    struct team *team = cpu < 0 || cpu == other ? NULL : team_new((const int[]){cpu, other}, 2, fault);
    team_free(team);
    return fault->status;
}
