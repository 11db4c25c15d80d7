/* SPDX-License-Identifier: MIT */
/* Takes the samples of an experiment: of one point, of all points of a series. */
#include <math.h>
#include <time.h>

#include "engine/metrics.h"
#include "uarchprobe/random.h"

/* How many times as long the bursts of a turn are. */
static const unsigned bursts[] = {1, 4, 16};
enum { BURSTS = sizeof bursts / sizeof *bursts };

/* Other runs and other turns draw other numbers. */
void turn_begin(struct lab *lab, unsigned number)
{
    uint64_t seed = lab->turn + lab->machine->now_ns(lab->machine->context);
    lab->turn = random_next(&seed);
    lab->burst = number % BURSTS;
}

struct point lab_point(const struct lab *lab, const struct course *course, uint64_t x, uint64_t iterations)
{
    return (struct point){.own = lab->own,
                          .series = course->series,
                          .kernel = course->kernel,
                          .memory = lab->memory ? lab->memory + course->series->buffer : NULL,
                          .x = x,
                          .iterations = iterations,
                          .clock = lab->run->clock,
                          .machine = lab->machine,
                          .partner = lab->partner,
                          .turn = lab->turn,
                          .begin_ns = lab->begin_ns,
                          .members = lab->members};
}

double lab_sample(const struct lab *lab, const struct course *course, uint64_t x)
{
    const struct experiment *experiment = lab->experiment;
    const struct engine_machine *machine = lab->machine;
    const uint64_t iterations = course->iterations * (course->varies ? bursts[lab->burst] : 1);
    struct point point = lab_point(lab, course, x, iterations);
    if (experiment->sample)
        return experiment->sample(&point);
    if (course->series->timed[0])
        return experiment->value ? experiment->value(&point, series_ns(&point)) : series_ns(&point);
    if (experiment->prepare)
        experiment->prepare(&point);
    const uint64_t begin = machine->ticks(machine->context);
    experiment->work(&point);
    const double ns =
        (double)(machine->ticks(machine->context) - begin) * lab->run->clock->ns_per_tick - course->call_ns;
    return ns / (double)(point.iterations ? point.iterations : 1);
}

void lab_sample_series(const struct lab *lab, const struct course *course, double *value)
{
    const struct point first = lab_point(lab, course, course_x(course, 0), course->iterations);
    lab->experiment->sample_all(&first, value);
}

/* A switch to something else spoils the points since the last look at the number of switches. They are
 * taken again, and not their whole round of 2 to 5 ms, which seldom fits into a time slice next to a busy
 * loop. A look takes up to a microsecond, so short points share one. */
enum { REPEATS = 4 };
static const double LOOK_NS = 20e3;

/* Waits until the first sample of a round may begin. */
static void await_period(struct lab *lab)
{
    const struct engine_machine *machine = lab->machine;
    const uint64_t now_ns = machine->now_ns(machine->context);
    if (lab->next_ns > now_ns)
        nanosleep(&(struct timespec){.tv_nsec = (long)(lab->next_ns - now_ns)}, NULL);
    lab->next_ns = machine->now_ns(machine->context) + (uint64_t)(lab->experiment->period_s * 1e9);
}

bool lab_sample_points(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    (void)fault; /* each point was tried before */
    struct lab *lab = context;
    const struct engine_machine *machine = lab->machine;
    struct course *course = course_at(lab, first), point = *course;
    if (first == 0 && lab->experiment->period_s > 0)
        await_period(lab);
    if (lab->experiment->sample_all) {
        lab_sample_series(lab, course, value);
        return true;
    }
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
