/* SPDX-License-Identifier: MIT */
/* Takes the points of a round, again where something else had the CPU. */
#include "engine/claims.h"

static void sample_points(const struct lab *lab, const struct course *at, size_t first, size_t count,
                          double *value)
{
    struct course course = *at;
    for (size_t i = 0; i < count; i++) {
        course.iterations = lab->iterations[first + i];
        value[i] = lab_sample(lab, &course, course_x(&course, first - course.first + i));
    }
}

/* A switch to something else spoils the points since the last look at the number of switches. They are
 * taken again, and not their whole round of 2 to 5 ms, which seldom fits into a time slice next to a busy
 * loop. A look takes up to a microsecond, so short points share one. */
enum { REPEATS = 4 };
static const double LOOK_NS = 20e3;

static size_t sample_stretch(const struct lab *lab, const struct course *course, size_t first, size_t count,
                             double *value)
{
    const struct engine_machine *machine = lab->machine;
    const uint64_t begin = machine->ticks(machine->context);
    size_t taken = 0;
    do {
        sample_points(lab, course, first + taken, 1, value + taken);
        taken++;
    } while (taken < count &&
             (double)(machine->ticks(machine->context) - begin) * lab->run->clock->ns_per_tick < LOOK_NS);
    return taken;
}

/* A round that loses a point for all that has no values. Its switches are forgiven, too, as they would
 * spoil all rounds until the next probe. */
static void sample_steps(const struct lab *lab, struct course *course, size_t first, size_t count,
                         double *value)
{
    const struct engine_machine *machine = lab->machine;
    const uint64_t begin = machine->switches(machine->context);
    uint64_t before, seen = begin;
    bool is_lost = false;
    for (size_t i = 0, taken; i < count; i += taken) {
        int tries = 0;
        do {
            before = seen;
            taken = sample_stretch(lab, course, first + i, count - i, value + i);
            seen = machine->switches(machine->context);
        } while (seen != before && tries++ < REPEATS);
        is_lost |= tries > REPEATS;
    }
    for (size_t i = 0; is_lost && i < count; i++)
        value[i] = NAN;
    course->lost += is_lost;
    if (seen != begin)
        machine->forgive(machine->context, begin);
}

void lab_sample_points(const struct lab *lab, struct course *course, size_t first, size_t count,
                       double *value)
{
    if (course->has_steps && lab->machine->switches)
        sample_steps(lab, course, first, count, value);
    else
        sample_points(lab, course, first, count, value);
}
