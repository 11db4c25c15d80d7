/* SPDX-License-Identifier: MIT */
/* The one loop over rounds. */
#include <math.h>
#include <stdlib.h>

#include "engine/kept.h"
#include "engine/states.h"

/* A batch; the most of the time that looks may take, and one of them by itself. */
static const double BATCH_S = 1e-3, LOOKING_SHARE = 0.1, LOOK_SHARE = 0.01;
/* What takes so long, and so many times as long as before, was stopped for most of it. */
static const double STOP_S = 0.25, STOP_TIMES = 10;

struct rounds {
    const struct engine_bench *bench;
    const struct engine_machine *machine;
    const struct engine_effort *effort;
    struct engine_data *data;
    struct fault *fault;
    uint64_t begin_ns, looked_ns, next_check, looks;
    double spent_s;   /* on looks, as far as they were not stopped */
    double longest_s; /* of the samples so far, those apart that were */
    double *value;    /* of the largest group */
    bool moved;       /* a CPU was taken away */
};

static uint64_t samples_of(const struct rounds *r)
{
    return r->effort->samples ? r->effort->samples : 1;
}

static double seconds_since(const struct rounds *r, uint64_t since_ns)
{
    return (double)(r->machine->now_ns(r->machine->context) - since_ns) / 1e9;
}

static bool out_of_memory(const struct rounds *r)
{
    fault_set(r->fault, STATUS_NO_RESOURCE, "out of memory after %zu samples of %zu values", r->data->sweeps,
              r->data->cells);
    return false;
}

/* Stopped, frozen, or in a guest that was. usual_s: what took that time takes so long at most. */
static bool stood_still(const struct rounds *r, double seconds, double usual_s)
{
    const bool still = seconds > STOP_S && seconds > STOP_TIMES * usual_s;
    if (still && r->machine->stood_still)
        r->machine->stood_still(r->machine->context, seconds);
    return still;
}

static double usual_look_s(const struct rounds *r)
{
    return r->looks ? r->spent_s / (double)r->looks : 0;
}

/* As much of one is counted: one that the machine was away in must not forbid looks for the rest of a short run. Next to a
 * busy loop one in two waits for the CPU for a time slice, which is no such accident. */
static double longest_look_s(const struct rounds *r)
{
    if (r->looks == 0)
        return INFINITY;
    return fmax(STOP_TIMES * usual_look_s(r), LOOK_SHARE * seconds_since(r, r->begin_ns));
}

/* What was sampled elsewhere, or may have been, is left out. */
static bool is_in_place(struct rounds *r)
{
    if (!r->moved && r->machine->in_place && !r->machine->in_place(r->machine->context)) {
        r->moved = true;
        kept_drop_since_look(r->data);
    }
    return !r->moved;
}

static bool look(struct rounds *r, unsigned placement)
{
    const struct engine_machine *machine = r->machine;
    struct engine_data *data = r->data;
    if (!is_in_place(r))
        return false;
    struct moment *moment = kept_look(data);
    if (!moment)
        return out_of_memory(r);
    *moment =
        (struct moment){.begin_ns = machine->now_ns(machine->context), .ghz = NAN, .placement = placement};
    machine->look(machine->context, moment);
    r->looked_ns = moment->end_ns = machine->now_ns(machine->context);
    state_count(data);
    const double seconds = (double)(moment->end_ns - moment->begin_ns) / 1e9;
    if (r->looks > 0)
        stood_still(r, seconds, usual_look_s(r));
    r->spent_s += fmin(seconds, longest_look_s(r));
    r->looks++;
    data->looking_s += seconds;
    return true;
}

/* Whether one more look keeps all of them within their share of the time. */
static bool can_look(const struct rounds *r)
{
    return r->spent_s + usual_look_s(r) <= LOOKING_SHARE * seconds_since(r, r->begin_ns);
}

static unsigned placement_now(const struct rounds *r)
{
    return r->data->moments ? r->data->moment[r->data->moments - 1].placement : 0;
}

static bool take_group(struct rounds *r, size_t first, size_t count)
{
    const struct engine_bench *bench = r->bench;
    struct engine_data *data = r->data;
    const uint64_t begin_ns = r->machine->now_ns(r->machine->context);
    if (!bench->sample(bench->context, first, count, r->value, r->fault))
        return false;
    const double seconds = seconds_since(r, begin_ns);
    data->sampled = true;
    if (data->swept > 1 && stood_still(r, seconds, r->longest_s))
        return true; /* such a sample is none */
    r->longest_s = fmax(r->longest_s, seconds);
    kept_sample(data, first, count, r->value);
    return true;
}

static size_t group_count(const struct engine_bench *bench)
{
    return bench->group ? bench->groups : bench->points;
}

static size_t group_begin(const struct engine_bench *bench, size_t group)
{
    if (!bench->group)
        return group;
    return group < bench->groups ? bench->group[group] : bench->points;
}

static double budget_left_s(const struct rounds *r)
{
    const struct engine_effort *effort = r->effort;
    double left_s = INFINITY;
    if (effort->budget_s > 0)
        left_s = effort->budget_s - seconds_since(r, effort->begin_ns ? effort->begin_ns : r->begin_ns);
    if (effort->patience_s > 0 && r->data->rounds >= effort->least)
        left_s = fmin(left_s, effort->patience_s - seconds_since(r, r->begin_ns));
    return left_s;
}

static bool wants(const struct rounds *r, size_t first, uint64_t round)
{
    return !r->bench->wants || r->bench->wants(r->bench->context, first, round);
}

static bool may_begin(const struct rounds *r, size_t first)
{
    if (r->bench->expected_s)
        return budget_left_s(r) > r->bench->expected_s(r->bench->context, first);
    return (r->data->rounds == 0 && !r->bench->budget_binds_all) || budget_left_s(r) > 0;
}

/* The share done is that of the bound that will be met first. */
static void show_progress(const struct rounds *r, size_t group)
{
    const struct engine_effort *effort = r->effort;
    if (!r->bench->progress)
        return;
    const uint64_t most = effort->rounds ? effort->rounds : effort->most;
    const double rounds = (double)r->data->rounds + (double)group / (double)group_count(r->bench);
    const double seconds = seconds_since(r, r->begin_ns);
    double done = most ? rounds / (double)most : 0;
    if (!effort->rounds && effort->duration_s > 0)
        done = most ? fmin(done, seconds / effort->duration_s) : seconds / effort->duration_s;
    if (effort->budget_s > 0 && rounds >= 1)
        done = fmax(done, seconds / effort->budget_s);
    if (effort->patience_s > 0)
        done = fmax(done, seconds / effort->patience_s);
    done = fmin(done, 1);
    r->bench->progress(r->bench->context, done, done > 0 ? seconds * (1 - done) / done : -1);
}

/* A sweep is one sample of every point. ENGINE_ROUNDS: it is whole. */
static enum engine_end take_sweep(struct rounds *r)
{
    const struct engine_bench *bench = r->bench;
    const double batch_s = r->effort->batch_s > 0 ? r->effort->batch_s : BATCH_S;
    if (!kept_begin_sweep(r->data, r->effort->bytes_most)) {
        out_of_memory(r);
        return ENGINE_FAILED;
    }
    for (size_t group = 0; group < group_count(bench); group++) {
        const size_t first = group_begin(bench, group);
        if (r->machine->interrupted(r->machine->context))
            return ENGINE_INTERRUPTED;
        if (!wants(r, first, r->data->rounds))
            continue;
        if (!may_begin(r, first))
            return ENGINE_BUDGET;
        if (seconds_since(r, r->looked_ns) >= batch_s && can_look(r) && !look(r, placement_now(r)))
            return ENGINE_FAILED;
        if (!take_group(r, first, group_begin(bench, group + 1) - first))
            return ENGINE_FAILED;
        show_progress(r, group + 1);
    }
    return ENGINE_ROUNDS;
}

/* Re-mappings are spread evenly over the rounds that are made in any case. */
static unsigned placement_of_round(const struct rounds *r, uint64_t round)
{
    const struct engine_effort *effort = r->effort;
    const uint64_t least = effort->rounds ? effort->rounds : effort->least;
    if (!r->bench->remap || effort->placements < 2 || least == 0)
        return 0;
    const uint64_t each = (least + effort->placements - 1) / effort->placements;
    return (unsigned)(round / each % effort->placements);
}

static bool take_placement(struct rounds *r)
{
    const unsigned placement = placement_of_round(r, r->data->rounds);
    if (placement == placement_now(r))
        return true;
    /* A moment of the old placement ends the batch, one of the new begins the next. */
    return look(r, placement_now(r)) && r->bench->remap(r->bench->context, placement, r->fault) &&
           look(r, placement);
}

static enum engine_end take_round(struct rounds *r)
{
    enum engine_end end = take_placement(r) ? ENGINE_ROUNDS : ENGINE_FAILED;
    for (uint64_t i = 0; i < samples_of(r) && end == ENGINE_ROUNDS; i++)
        end = take_sweep(r);
    r->data->rounds += end == ENGINE_ROUNDS;
    return end;
}

static bool cell_is_settled(const struct rounds *r, size_t cell, enum state state)
{
    struct estimate e;
    return engine_estimate(r->data, cell, state, 0.5, &e) && e.summary.count >= 8 &&
           e.high - e.low <= r->effort->settled * fabs(e.value);
}

static bool is_settled(const struct rounds *r)
{
    const enum state state = engine_main_state(r->data);
    for (size_t group = 0; group < group_count(r->bench); group++) {
        const size_t first = group_begin(r->bench, group), end = group_begin(r->bench, group + 1);
        const bool goes_on = wants(r, first, ENGINE_LATER);
        for (size_t cell = first * r->bench->width; goes_on && cell < end * r->bench->width; cell++)
            if (!cell_is_settled(r, cell, state))
                return false;
    }
    return true;
}

static bool has_lasted(const struct rounds *r)
{
    return seconds_since(r, r->begin_ns) >= r->effort->duration_s;
}

/* Asked when the rounds have grown by a quarter: each time goes through everything. A look comes first, as what was
 * sampled since the last one has no state yet. */
static bool is_enough(struct rounds *r)
{
    const struct engine_effort *effort = r->effort;
    const struct engine_bench *bench = r->bench;
    if ((effort->settled <= 0 && !bench->enough) || r->data->rounds < r->next_check || !has_lasted(r) ||
        !can_look(r))
        return false;
    r->next_check = r->data->rounds + r->data->rounds / 4 + 1;
    if (!look(r, placement_now(r)))
        return false;
    return bench->enough ? bench->enough(bench->context, r->data) : is_settled(r);
}

static enum engine_end run_rounds(struct rounds *r)
{
    const struct engine_effort *effort = r->effort;
    const uint64_t most = effort->rounds ? effort->rounds : effort->most;
    r->next_check = effort->least > 2 ? effort->least : 2;
    if (!look(r, 0))
        return ENGINE_FAILED;
    for (;;) {
        const enum engine_end end = take_round(r);
        if (end != ENGINE_ROUNDS)
            return end;
        if (most && r->data->rounds >= most && (effort->rounds || has_lasted(r)))
            return ENGINE_ROUNDS;
        if (budget_left_s(r) <= 0)
            return ENGINE_BUDGET;
        if (!effort->rounds && is_enough(r))
            return ENGINE_SETTLED;
    }
}

static size_t largest_group(const struct engine_bench *bench)
{
    size_t largest = 1;
    for (size_t i = 0; i < group_count(bench); i++) {
        const size_t count = group_begin(bench, i + 1) - group_begin(bench, i);
        largest = count > largest ? count : largest;
    }
    return largest;
}

/* A sample that could not be taken for that reason is no fault of the bench: what there was before it is a result. */
static bool ended_by_a_move(struct rounds *r)
{
    if ((r->fault->status && r->fault->status != STATUS_NO_RESOURCE) || is_in_place(r))
        return false;
    *r->fault = (struct fault){0};
    return true;
}

enum engine_end engine_run(const struct engine_bench *bench, const struct engine_machine *machine,
                           const struct engine_effort *effort, struct engine_data *data, struct fault *fault)
{
    struct rounds r = {.bench = bench, .machine = machine, .effort = effort, .data = data, .fault = fault};
    data->points = bench->points;
    data->cells = bench->points * bench->width;
    data->cycles = bench->cycles;
    r.begin_ns = machine->now_ns(machine->context);
    r.value = calloc(largest_group(bench) * bench->width, sizeof *r.value);
    data->end = r.value ? run_rounds(&r) : ENGINE_FAILED;
    if (!r.value)
        out_of_memory(&r);
    /* The last batch, too, has a moment after it. */
    if (data->end != ENGINE_FAILED && !look(&r, placement_now(&r)))
        data->end = ENGINE_FAILED;
    if (data->end == ENGINE_FAILED && ended_by_a_move(&r))
        data->end = ENGINE_INTERRUPTED;
    data->seconds = seconds_since(&r, r.begin_ns);
    free(r.value);
    return data->end;
}

void engine_data_free(struct engine_data *data)
{
    free(data->value);
    free(data->before);
    free(data->number);
    free(data->moment);
    *data = (struct engine_data){0};
}
