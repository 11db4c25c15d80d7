/* SPDX-License-Identifier: MIT */
/* Times a work that the members of a team do at the same time. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/metrics.h"
#include "uarchprobe/pin.h"

/* The share of the shortest member's time that all members must have in common. A late or waiting member
 * leaves the others alone, and faster. */
static const double TOGETHER = 0.9;

/* A sample is planned to take no longer; the team waits ten times as long for it. */
static const double SAMPLE_S = 1;

struct members {
    struct team *team; /* NULL: the machine is simulated */
    int count;
    struct member_time *time;
    const struct point *point;
    const struct timed_work *timed;
};

struct members *members_new(const struct team_row *row, bool is_simulated, struct fault *fault)
{
    struct team *team = is_simulated ? NULL : team_new(row->cpu, row->count, fault);
    if (fault->status != STATUS_OK)
        return NULL;
    struct members *members = memory_zeroed(1, sizeof *members);
    members->team = team;
    members->count = row->count;
    members->time = memory_zeroed((size_t)row->count, sizeof *members->time);
    return members;
}

void members_free(struct members *members)
{
    if (!members)
        return;
    team_free(members->team);
    free(members->time);
    free(members);
}

double members_ns(const struct member_time *time, int count)
{
    uint64_t begin = 0, end = UINT64_MAX;
    double rate = 0, shortest = INFINITY;
    for (int i = 0; i < count; i++) {
        begin = time[i].begin_ns > begin ? time[i].begin_ns : begin;
        end = time[i].end_ns < end ? time[i].end_ns : end;
        shortest = fmin(shortest, (double)(time[i].end_ns - time[i].begin_ns));
        rate += 1 / time[i].ns;
    }
    const double together = end > begin ? (double)(end - begin) : 0;
    return together >= TOGETHER * shortest ? count / rate : NAN;
}

static void work_of_member(void *context, int member)
{
    struct members *members = context;
    const struct engine_machine *machine = members->point->machine;
    struct point point = *members->point;
    point.member = member;
    uint64_t begin_ns;
    const double ns = time_parts(&point, members->timed, &begin_ns);
    members->time[member] = (struct member_time){begin_ns, machine->now_ns(machine->context), ns};
}

double time_together(const struct point *point, const struct timed_work *timed, const int *member, int count)
{
    struct members *members = point->members;
    const struct engine_machine *machine = point->machine;
    count = count > 0 ? count : members->count;
    members->point = point;
    members->timed = timed;
    if (!machine->run_team(machine->context, members->team, member, count, work_of_member, members, SAMPLE_S))
        return NAN;
    if (!member)
        return members_ns(members->time, count);
    struct member_time *time = memory_zeroed((size_t)count, sizeof *time);
    for (int i = 0; i < count; i++)
        time[i] = members->time[member[i]];
    const double ns = members_ns(time, count);
    free(time);
    return ns;
}
