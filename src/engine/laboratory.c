/* SPDX-License-Identifier: MIT */
/* Runs an experiment: series become groups of the engine's points; answers and tables come out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/companion.h"
#include "engine/metrics.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/stats.h"

/* A burst lasts at least CLOCK_STEPS of the clock, times its length. */
enum { ITERATIONS = 4, CLOCK_STEPS = 40, ITERATIONS_MOST = 1 << 16 };

const struct course *course_named(const struct lab *lab, const char *series)
{
    for (size_t i = 0; i < lab->courses; i++)
        if (strcmp(lab->course[i].series->name, series) == 0)
            return &lab->course[i];
    return NULL;
}

size_t course_index(const struct course *course, uint64_t x)
{
    size_t low = 0, high = course->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (course->place[middle].x < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool course_of(const struct lab *lab, const struct metric *metric, struct course *course)
{
    const struct course *whole = metric->series ? course_named(lab, metric->series) : NULL;
    if (!whole || metric->first > course_x(whole, whole->count - 1))
        return false;
    *course = *whole;
    const size_t skipped = course_index(whole, metric->first);
    course->place += skipped;
    course->first += skipped;
    course->count -= skipped;
    while (course->count > 1 && metric->last >= course_x(course, 0) &&
           course_x(course, course->count - 1) > metric->last)
        course->count--;
    return true;
}

bool lab_estimate(const struct lab *lab, const char *series, size_t index, enum state state,
                  struct estimate *estimate)
{
    const struct course *course = course_named(lab, series);
    return course && index < course->count &&
           engine_estimate(&lab->data, course->first + index, state, lab_quantile(lab), estimate);
}

const struct engine_data *lab_data(const struct lab *lab)
{
    return &lab->data;
}

/* Averages the middle half of some calls, as a coarse clock shows only two values. */
static double call_of(const struct lab *lab, const struct course *course, uint64_t x)
{
    enum { CALLS = 64 };
    struct course empty = *course;
    double ns[CALLS], sum = 0;
    empty.iterations = 0;
    for (int i = 0; i < CALLS; i++)
        ns[i] = lab_sample(lab, &empty, x);
    values_sort(ns, CALLS);
    for (int i = CALLS / 4; i < CALLS * 3 / 4; i++)
        sum += ns[i];
    return sum / (CALLS / 2.0);
}

/* Iterations that last CLOCK_STEPS. */
static uint64_t iterations_at(const struct lab *lab, const struct course *course, uint64_t x)
{
    const struct experiment *experiment = lab->experiment;
    const double least_ns = CLOCK_STEPS * lab->run->clock->resolution_ns;
    struct course one = *course;
    one.iterations = experiment->iterations ? experiment->iterations : ITERATIONS;
    while (experiment->work && one.iterations < ITERATIONS_MOST &&
           lab_sample(lab, &one, x) * (double)one.iterations < least_ns)
        one.iterations *= 2;
    return one.iterations;
}

/* Keeps the places that are measured in this run. */
static void choose_places(const struct lab *lab, struct course *course)
{
    const struct series *series = course->series;
    size_t kept = 0;
    for (size_t i = 0; i < course->count; i++)
        if (lab->experiment->has_place(lab->own, series, course->place[i].x, lab->memory + series->buffer))
            course->place[kept++] = course->place[i];
    course->count = kept;
}

/* False: cannot be measured here. */
static bool open_course(struct lab *lab, const struct series *series, struct course *course)
{
    const struct experiment *experiment = lab->experiment;
    bool is_counted = false;
    *course = (struct course){.series = series,
                              .iterations = experiment->iterations ? experiment->iterations : ITERATIONS};
    for (size_t c = 0; c < lab->metrics; c++) {
        const struct metric *metric = &experiment->metrics[c];
        const bool counts = type_of(metric)->is_place && strcmp(metric->series, series->name) == 0;
        is_counted |= counts;
        course->has_steps |= counts && type_of(metric)->value_of_round;
    }
    /* Steps do not depend on the length of bursts: one length is enough. */
    course->varies = experiment->work && !experiment->one_length && !is_counted;
    for (size_t i = 0; series->kernel && i < kernel_count; i++)
        if (strcmp(kernels[i].name, series->kernel) == 0 && kernel_passes(&lab->run->kernels, &kernels[i]))
            course->kernel = &kernels[i];
    if (series->kernel && !course->kernel)
        return false;
    course_list(course, &series->range);
    if (lab->experiment->has_place && lab->memory)
        choose_places(lab, course);
    if (course->count == 0)
        return false;
    if (!lab->run->common->dry_run) {
        const uint64_t x = course_x(course, 0);
        /* The first sample does not count. */
        double *values = experiment->sample_all ? memory_zeroed(course->count, sizeof *values) : NULL;
        if (values)
            lab_sample_series(lab, course, values);
        else
            lab_sample(lab, course, x);
        free(values);
        if (experiment->has_call)
            course->call_ns = call_of(lab, course, x);
        course->iterations = iterations_at(lab, course, x);
        if (experiment->height) {
            const struct point point = lab_point(lab, course, x, course->iterations);
            course->height_ns = experiment->height(&point);
            if (!(course->height_ns > 0))
                return false;
        }
        if (!series->range.last)
            steps_explore(lab, course);
    }
    if (is_counted && course->count >= STEP_VALUES)
        course->count = STEP_VALUES - 1;
    return true;
}

static bool has_ended(const struct lab *lab)
{
    return lab->machine && lab->machine->interrupted(lab->machine->context);
}

bool lab_has_time(const struct lab *lab)
{
    return !lab->effort || engine_budget_left_s(lab->machine, lab->effort) > 0;
}

enum status courses_open(struct lab *lab, struct fault *fault)
{
    const struct series *series = lab->experiment->series;
    const bool dry = lab->run->common->dry_run;
    size_t most = 0;
    bool any;
    lab->metrics = metric_count(lab->experiment);
    lab->need = needs_of(lab->experiment, lab->run, &any);
    while (series[most].name)
        most++;
    lab->course = memory_zeroed(most + 1, sizeof *lab->course);
    lab->result = memory_zeroed(lab->metrics + 1, sizeof *lab->result);
    for (; series->name && !has_ended(lab); series++) {
        struct course *course = &lab->course[lab->courses];
        if (course_named(lab, series->name) || !series_is_needed(lab, series))
            continue;
        if (!open_course(lab, series, course)) {
            free(course->place);
            continue;
        }
        course->first = lab->points;
        lab->courses++;
        lab->points += course->count;
        lab->group = memory_grow(lab->group, (lab->groups + course->count + 1) * sizeof *lab->group);
        lab->iterations = memory_grow(lab->iterations, (lab->points + 1) * sizeof *lab->iterations);
        for (size_t i = 0; i < course->count; i++) {
            const bool apart = series->apart || lab->experiment->side_by_side;
            const bool in_time = apart && !dry && lab_has_time(lab) && !has_ended(lab);
            lab->iterations[course->first + i] =
                in_time ? iterations_at(lab, course, course_x(course, i)) : course->iterations;
            if (i == 0 || apart)
                lab->group[lab->groups++] = course->first + i;
        }
    }
    /* A control that nobody asked for is nothing by itself. */
    const int control = metric_of_key(lab, lab->experiment->control);
    const bool is_alone = lab->courses == 1 && control >= 0 && lab->need[control] != NEED_ASKED &&
                          course_named(lab, lab->experiment->metrics[control].series);
    return (lab->courses && !is_alone) || has_ended(lab)
               ? STATUS_OK
               : fault_set(fault, STATUS_UNSUPPORTED, "nothing of this can be measured here");
}

/* Groups are points here. */
static void put_side_by_side(struct lab *lab)
{
    size_t count = 0;
    lab->order = memory_zeroed(lab->groups + 1, sizeof *lab->order);
    for (size_t i = 0; count < lab->groups; i++)
        for (size_t c = 0; c < lab->courses; c++)
            if (i < lab->course[c].count)
                lab->order[count++] = lab->course[c].first + i;
}

struct course *course_at(const struct lab *lab, size_t point)
{
    struct course *course = lab->course;
    while (point >= course->first + course->count)
        course++;
    return course;
}

/* In the last quarter of the turns. A sibling that cannot be kept busy leaves one state. */
static void keep_sibling(struct lab *lab, unsigned turn)
{
    const bool busy = turn % TURNS >= TURNS - TURNS / 4;
    struct fault fault = {0};
    if (busy == (lab->companion != NULL))
        return;
    companion_free(lab->companion);
    lab->companion = busy ? companion_new(lab->sibling, &fault) : NULL;
    lab->has_sibling = !busy || lab->companion;
}

static bool move_on(void *context, unsigned turn, struct fault *fault)
{
    struct lab *lab = context;
    turn_begin(lab, turn);
    if (lab->has_sibling)
        keep_sibling(lab, turn);
    if (lab->experiment->move && !lab->experiment->move(lab->own, turn, fault))
        return false;
    return lab->cpus == 1 || pin_self(lab->cpu[turn % (unsigned)lab->cpus], fault) == STATUS_OK;
}

static bool wants(void *context, size_t first, uint64_t round)
{
    const struct course *course = course_at(context, first);
    const uint64_t period = course->place[first - course->first].period;
    return period < 2 || (round != ENGINE_LATER && round % period == 0);
}

static bool enough(void *context, const struct engine_data *data)
{
    struct lab *lab = context; /* data: the lab's own */
    return metrics_enough(lab) && (!lab->experiment->enough || lab->experiment->enough(lab, lab->own));
}

enum status experiment_measure(struct lab *lab, const struct engine_effort *effort, struct fault *fault)
{
    lab->effort = effort;
    lab->begin_ns = lab->machine->now_ns(lab->machine->context);
    turn_begin(lab, 0);
    if (courses_open(lab, fault) != STATUS_OK || has_ended(lab))
        return fault->status;
    /* Half of a limit that nobody typed is for rounds, however long it took beside other work to find the
     * lengths of the series. */
    struct engine_effort rounds = *effort;
    const double left_s = engine_budget_left_s(lab->machine, effort);
    if (!effort->is_wall && left_s < effort->budget_s / 2)
        rounds.budget_s += effort->budget_s / 2 - left_s;
    if (lab->experiment->side_by_side)
        put_side_by_side(lab);
    const struct engine_bench bench = {.context = lab,
                                       .points = lab->points,
                                       .width = 1,
                                       .group = lab->group,
                                       .groups = lab->groups,
                                       .order = lab->order,
                                       .cycles = true,
                                       .sample = lab_sample_points,
                                       .remap = move_on,
                                       .budget_binds_all = true,
                                       .wants = wants,
                                       .enough = enough};
    if (engine_run(&bench, lab->machine, &rounds, &lab->data, fault) == ENGINE_FAILED || lab->data.kept == 0)
        return fault->status;
    metrics_record(lab);
    if (lab->experiment->answers)
        lab->experiment->answers(lab, lab->own);
    tables_record(lab);
    return fault->status;
}

void experiment_free(struct lab *lab)
{
    companion_free(lab->companion);
    for (size_t i = 0; i < lab->courses; i++)
        free(lab->course[i].place);
    free(lab->course);
    free(lab->need);
    free(lab->group);
    free(lab->order);
    free(lab->iterations);
    free(lab->result);
    free(lab->rows.value);
    free(lab->rows.before);
    engine_data_free(&lab->data);
}
