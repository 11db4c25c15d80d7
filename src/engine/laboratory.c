/* SPDX-License-Identifier: MIT */
/* Carries an experiment out: series become groups of the engine's points, answers and tables come out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/claims.h"
#include "engine/companion.h"
#include "uarchprobe/pin.h"

/* A burst lasts CLOCK_STEPS of the clock at least; its lengths are multiples of that. TURNS: changes of CPU and of length. */
enum { ITERATIONS = 4, CLOCK_STEPS = 40, ITERATIONS_MOST = 1 << 16, TURNS = 12 };
static const unsigned bursts[] = {1, 4, 16};
enum { BURSTS = sizeof bursts / sizeof *bursts };

double lab_sample(const struct lab *lab, const struct course *course, uint64_t x)
{
    const struct engine_machine *machine = lab->machine;
    const struct point point = {lab->own, course->series, course->kernel, x,
                                course->iterations * (course->varies ? bursts[lab->burst] : 1)};
    if (lab->experiment->sample)
        return lab->experiment->sample(&point);
    const uint64_t begin = machine->ticks(machine->context);
    lab->experiment->work(&point);
    return (double)(machine->ticks(machine->context) - begin) * lab->run->clock->ns_per_tick /
           (double)point.iterations;
}

/* False: it cannot be measured here. */
static bool open_course(struct lab *lab, const struct series *series, uint64_t deadline_ns,
                        struct course *course)
{
    *course = (struct course){.series = series,
                              .step = series->step ? series->step : 1,
                              .from = series->first,
                              .last = series->last,
                              .iterations = ITERATIONS,
                              .varies = lab->experiment->work != NULL};
    /* A step does not depend on the length of bursts, so it is sought in bursts of one length. */
    for (size_t c = 0; c < lab->claims; c++)
        if (claim_is_count(&lab->experiment->claims[c]) &&
            strcmp(lab->experiment->claims[c].from, series->name) == 0)
            course->varies = false;
    for (size_t i = 0; series->kernel && i < kernel_count; i++)
        if (strcmp(kernels[i].name, series->kernel) == 0 && kernel_passes(&lab->run->kernels, &kernels[i]))
            course->kernel = &kernels[i];
    if (series->kernel && !course->kernel)
        return false;
    if (!lab->run->common->dry_run) {
        const double least_ns = CLOCK_STEPS * lab->run->clock->resolution_ns;
        lab_sample(lab, course, series->first);
        while (lab->experiment->work && course->iterations < ITERATIONS_MOST &&
               lab_sample(lab, course, series->first) * (double)course->iterations < least_ns)
            course->iterations *= 2;
        if (lab->experiment->height) {
            const struct point point = {lab->own, series, course->kernel, series->first, course->iterations};
            course->height_ns = lab->experiment->height(&point);
            if (!(course->height_ns > 0))
                return false;
        }
        if (!series->last)
            steps_explore(lab, course, deadline_ns);
    }
    course->count = (size_t)((course->last - series->first) / course->step) + 1;
    course->count = course->count < KNEE_VALUES ? course->count : KNEE_VALUES - 1;
    return true;
}

static enum status open_courses(struct lab *lab, uint64_t deadline_ns, struct fault *fault)
{
    const struct series *series = lab->experiment->series;
    size_t most = 0;
    while (lab->experiment->claims[lab->claims].key)
        lab->claims++;
    while (series[most].name)
        most++;
    lab->course = memory_zeroed(most + 1, sizeof *lab->course);
    lab->group = memory_zeroed(most + 1, sizeof *lab->group);
    lab->result = memory_zeroed(lab->claims + 1, sizeof *lab->result);
    for (; series->name; series++) {
        struct course *course = &lab->course[lab->courses];
        if (!open_course(lab, series, deadline_ns, course))
            continue;
        course->first = lab->group[lab->courses++] = lab->points;
        lab->points += course->count;
    }
    return lab->courses ? STATUS_OK
                        : fault_set(fault, STATUS_UNSUPPORTED, "nothing of this can be measured here");
}

static const struct course *course_from(const struct lab *lab, size_t first)
{
    const struct course *course = lab->course;
    while (course->first != first)
        course++;
    return course;
}

static bool sample(void *context, size_t first, size_t count, double *value, struct fault *fault)
{
    const struct lab *lab = context;
    const struct course *course = course_from(lab, first);
    for (size_t i = 0; i < count; i++)
        value[i] = lab_sample(lab, course, course->series->first + i * course->step);
    return true;
}

static bool move_on(void *context, unsigned turn, struct fault *fault)
{
    struct lab *lab = context;
    lab->burst = turn % BURSTS;
    return lab->cpus == 1 || pin_self(lab->cpu[turn % (unsigned)lab->cpus], fault) == STATUS_OK;
}

static bool wants(void *context, size_t first, uint64_t round)
{
    const uint64_t every = course_from(context, first)->series->every;
    return every < 2 || (round != ENGINE_LATER && round % every == 0);
}

static bool enough(void *context, const struct engine_data *data)
{
    return claims_enough(context);
}

static void show(void *context, double done, double eta_s)
{
    run_progress(((const struct lab *)context)->run, done, eta_s, "rounds");
}

/* CPUs of the first one's kind: another kind of core may give other values. */
static void choose_cpus(struct lab *lab)
{
    const struct run *run = lab->run;
    const struct cpu_place *first = topology_place(run->topology, run->cpus.id[0]);
    bool left_out = false;
    for (int i = 0; i < run->cpus.count; i++) {
        const struct cpu_place *place = topology_place(run->topology, run->cpus.id[i]);
        if (i > 0 && !(place && first && place->kind == first->kind))
            left_out = true;
        else if (lab->cpus < (lab->experiment->takes_turns ? CPUS_IN_TURN : 1))
            lab->cpu[lab->cpus++] = run->cpus.id[i];
    }
    if (left_out)
        record_warning(run->record, "one_kind",
                       "measured on CPUs of the kind of CPU %d only; name others with --cpus",
                       run->cpus.id[0]);
}

static struct engine_effort effort_of(const struct lab *lab)
{
    const struct common *common = lab->run->common;
    const struct experiment *experiment = lab->experiment;
    const bool counted = common->repeat > 0 || common->samples > 0;
    return (struct engine_effort){.rounds = common->repeat,
                                  .samples = common->samples,
                                  .least = common->quick ? experiment->quick_rounds : experiment->rounds,
                                  .budget_s = common->time_budget > 0 ? common->time_budget
                                              : counted               ? 0
                                                                      : experiment->seconds,
                                  .placements = TURNS};
}

static void describe_plan(const struct lab *lab, const struct engine_effort *effort)
{
    struct record *record = lab->run->record;
    RECORD_FACTS(
        record, {"plan.series", "series", NULL, INTEGER_CELL((int64_t)lab->courses)},
        {"plan.cpu", "CPU", NULL, INTEGER_CELL(lab->cpu[0])},
        {"plan.cpus", "CPUs", NULL, INTEGER_CELL(lab->cpus)},
        {"plan.rounds", "rounds, at least", NULL,
         INTEGER_CELL((int64_t)(effort->rounds ? effort->rounds : effort->least))},
        {"plan.samples", "samples of a point in a round", NULL,
         INTEGER_CELL((int64_t)(effort->samples ? effort->samples : 1))},
        {"plan.seconds", "time, at most", "s", effort->budget_s > 0 ? REAL_CELL(effort->budget_s) : NO_CELL});
    if (lab->experiment->memory_bytes > 0)
        record_fact(record, (struct fact){"plan.memory_bytes", "memory", "Byte",
                                          INTEGER_CELL((int64_t)lab->experiment->memory_bytes)});
}

/* What an answer says of this x. */
static const char *mark_of(const struct lab *lab, const struct course *course, uint64_t x)
{
    for (size_t c = 0; c < lab->claims; c++) {
        const struct claim *claim = &lab->experiment->claims[c];
        for (int state = 0; claim->label && claim_is_count(claim) && state < STATE_COUNT; state++)
            if (strcmp(claim->from, course->series->name) == 0 && lab->result[c][state].has_value &&
                lab->result[c][state].estimate.value == (double)x)
                return state == STATE_ACTIVE ? "sibling busy" : "last that fits";
    }
    return NULL;
}

static void add_curve(const struct lab *lab)
{
    const struct engine_data *data = &lab->data;
    const size_t table = record_table_add(lab->run->record, lab->experiment->curve);
    const enum state state = engine_main_state(data);
    const struct course *course = lab->course;
    for (size_t i = 0; i < lab->points; i++) {
        course += i == course->first + course->count;
        if (course->series->hidden)
            continue;
        const uint64_t x = course->series->first + (i - course->first) * course->step;
        const char *mark = mark_of(lab, course, x);
        struct estimate e;
        double least = INFINITY;
        int64_t samples = 0;
        for (size_t sweep = 0; sweep < data->sweeps; sweep++) {
            const double ns = (double)data->value[sweep * data->cells + i];
            if (isnan(ns))
                continue;
            least = ns < least ? ns : least;
            samples++;
        }
        const bool taken = engine_estimate(data, i, state, 0.5, &e);
        record_row(lab->run->record, table,
                   (const struct cell[]){TEXT_CELL(course->series->name), INTEGER_CELL((int64_t)x),
                                         isfinite(least) ? REAL_CELL(least) : NO_CELL,
                                         taken ? REAL_CELL(e.value) : NO_CELL,
                                         taken ? REAL_CELL(e.summary.mean) : NO_CELL,
                                         mark ? TEXT_CELL(mark) : NO_CELL, INTEGER_CELL(samples)});
    }
}

static const struct column step_columns[] = {
    {"claim", "claim", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    {"state", "state", NULL, CELL_CLASS, ROLE_PARAMETER, 0, state_names},
    {"step", "step", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    {"rounds", "rounds", NULL, CELL_INTEGER, ROLE_MEASURE, 0},
};
static const struct table_spec steps_table = {.name = "steps",
                                              .title = "rounds by where each had its step",
                                              .note = "step empty: none",
                                              .columns = step_columns,
                                              .column_count = sizeof step_columns / sizeof *step_columns,
                                              .view = {.kind = VIEW_HIDDEN}};

static void add_steps(const struct lab *lab)
{
    struct record *record = lab->run->record;
    struct knee_counts *counts = memory_zeroed(1, sizeof *counts);
    size_t table = SIZE_MAX;
    for (size_t c = 0; c < lab->claims; c++)
        for (int state = 0; state < STATE_COUNT; state++) {
            const struct claim *claim = &lab->experiment->claims[c];
            struct course course;
            if (!claim_is_count(claim) || !course_of(lab, claim, &course))
                continue;
            table = table == SIZE_MAX ? record_table_add(record, &steps_table) : table;
            steps_count(lab, c, &course, (enum state)state, counts);
            counts->at[0] = counts->sweeps;
            for (size_t i = 1; i < KNEE_VALUES; i++)
                counts->at[0] -= counts->at[i];
            for (size_t i = 0; i < KNEE_VALUES; i++)
                if (counts->at[i] > 0)
                    record_row(record, table,
                               (const struct cell[]){TEXT_CELL(claim->key), TEXT_CELL(state_names[state]),
                                                     i ? INTEGER_CELL((int64_t)steps_x(&course, i)) : NO_CELL,
                                                     INTEGER_CELL((int64_t)counts->at[i])});
        }
    free(counts);
}

static void add_results(struct lab *lab, const struct engine_effort *effort)
{
    const uint64_t wanted = effort->rounds ? effort->rounds : effort->least;
    struct run *run = lab->run;
    claims_record(lab);
    if (lab->experiment->curve)
        add_curve(lab);
    add_steps(lab);
    if (lab->data.end == ENGINE_BUDGET && lab->data.rounds < wanted) {
        record_warning(run->record, "time_budget",
                       "the time budget ended the measurement after %llu of %llu rounds",
                       (unsigned long long)lab->data.rounds, (unsigned long long)wanted);
        run->left_out = true;
    }
    run->untrusted = record_has_low_trust(run->record);
}

enum status experiment_measure(struct lab *lab, const struct engine_effort *effort, struct fault *fault)
{
    const uint64_t deadline_ns =
        effort->budget_s > 0 ? effort->begin_ns + (uint64_t)(effort->budget_s * 1e9) : UINT64_MAX;
    if (open_courses(lab, deadline_ns, fault) != STATUS_OK)
        return fault->status;
    const struct engine_bench bench = {.context = lab,
                                       .points = lab->points,
                                       .width = 1,
                                       .group = lab->group,
                                       .groups = lab->courses,
                                       .cycles = true,
                                       .sample = sample,
                                       .remap = move_on,
                                       .budget_binds_all = true,
                                       .wants = wants,
                                       .enough = enough,
                                       .progress = show};
    if (engine_run(&bench, lab->machine, effort, &lab->data, fault) != ENGINE_FAILED && lab->data.sweeps > 0)
        add_results(lab, effort);
    return fault->status;
}

void experiment_free(struct lab *lab)
{
    free(lab->course);
    free(lab->group);
    free(lab->result);
    free(lab->rows.value);
    free(lab->rows.before);
    engine_data_free(&lab->data);
}

enum status experiment_run(const struct experiment *experiment, struct run *run, void *own,
                           struct fault *fault)
{
    struct lab lab = {.experiment = experiment, .run = run, .own = own};
    const uint64_t start_ns = clock_now_ns();
    struct engine_effort effort = effort_of(&lab);
    choose_cpus(&lab);
    if (pin_self(lab.cpu[0], fault) != STATUS_OK)
        return fault->status;
    if (run->common->dry_run) {
        if (open_courses(&lab, 0, fault) == STATUS_OK)
            describe_plan(&lab, &effort);
    } else {
        struct companion *companion =
            experiment->companion ? companion_new(*experiment->companion, NULL, NULL, fault) : NULL;
        struct sibling *witness = sibling_new(run->cpu, run->clock);
        struct engine_host host = {.core_clock = run->core_clock,
                                   .sibling = witness,
                                   .interrupted = run->interrupted,
                                   .taken = run->taken};
        const struct engine_machine machine = engine_host_machine(&host);
        lab.machine = &machine;
        /* The user's budget began before the machine's time was at hand. */
        effort.begin_ns =
            machine.now_ns(machine.context) - (run->common->time_budget > 0 ? clock_now_ns() - start_ns : 0);
        if (fault->status == STATUS_OK)
            experiment_measure(&lab, &effort, fault);
        companion_free(companion);
        if (!companion)
            sibling_record(witness, run->record);
        else if (engine_share(&lab.data, STATE_IDLE) > 0.5)
            record_warning(run->record, "smt_apart",
                           "CPU %d was busy throughout, but the store buffer of CPU %d was whole: they "
                           "shared no core then",
                           *experiment->companion, lab.cpu[0]);
        sibling_free(witness);
    }
    experiment_free(&lab);
    return fault->status;
}
