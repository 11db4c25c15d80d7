/* SPDX-License-Identifier: MIT */
/* Takes the points of a round, again where something else had the CPU. */
#include "engine/claims.h"

/* A switch to something else spoils the points since the last look at the number of switches. They are
 * taken again, and not their whole round of 2 to 5 ms, which seldom fits into a time slice next to a busy
 * loop. A look takes up to a microsecond, so short points share one. */
enum { REPEATS = 4 };
static const double LOOK_NS = 20e3;

bool lab_sample_points(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    (void)fault; /* each point was tried before */
    const struct lab *lab = context;
    const struct engine_machine *machine = lab->machine;
    struct course *course = course_at(lab, first), point = *course;
    const bool looks = course->has_steps && machine->switches;
    const uint64_t begin = looks ? machine->switches(machine->context) : 0;
    uint64_t seen = begin, began = 0;
    size_t looked = 0; /* points before the last look */
    int tries = 0;
    bool is_lost = false;
    for (size_t i = 0; i < count;) {
        if (looks && i == looked)
            began = machine->ticks(machine->context);
        point.iterations = lab->iterations[first + i];
        value[i] = lab_sample(lab, &point, course_x(&point, first - course->first + i));
        i++;
        if (!looks ||
            (i < count &&
             (double)(machine->ticks(machine->context) - began) * lab->run->clock->ns_per_tick < LOOK_NS))
            continue;
        const uint64_t before = seen;
        seen = machine->switches(machine->context);
        const bool again = seen != before && tries < REPEATS;
        is_lost |= seen != before && !again;
        tries = again ? tries + 1 : 0;
        looked = i = again ? looked : i;
    }
    /* A round that loses a point for all that has no values. Its switches are forgiven, too, as they would
     * spoil all rounds until the next probe. */
    for (size_t i = 0; is_lost && i < count; i++)
        value[i] = NAN;
    course->lost += is_lost;
    if (seen != begin)
        machine->forgive(machine->context, begin);
    return true;
}
