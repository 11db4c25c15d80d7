/* SPDX-License-Identifier: MIT */
/* The one loop over rounds, and the sample store. It keeps all rounds and probes until its room is full, then an even part
 * of the run: it forgets half of the rounds by chance, and keeps as few of those to come. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/engine_internal.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/random.h"

/* The first rounds are always kept, as some points are sampled in them only. Below the least nothing is forgotten, whatever
 * its size, unless memory is short. */
enum {
    KEPT_BYTES_MOST = 32 << 20,
    KEPT_ROUNDS_FIRST = 16,
    KEPT_ROUNDS_LEAST = 2048,
    KEPT_ROUNDS_SHORT = 64,
    MEMORY_PART = 4
};

/* By chance, as dropping every second round would always hit the same half of all that alternates (placements, directions,
 * omitted points). Each halving keeps a part of the one before. */
static bool is_kept(const struct engine_data *data, uint64_t number)
{
    uint64_t state = number;
    const uint64_t mask = (UINT64_C(1) << data->halvings) - 1;
    return number < KEPT_ROUNDS_FIRST || (random_next(&state) & mask) == 0;
}

static void halve(struct engine_data *data)
{
    const size_t cells = data->cells, points = data->points;
    size_t kept = 0;
    data->halvings++;
    for (size_t from = 0; from < data->kept; from++) {
        if (!is_kept(data, data->number[from]))
            continue;
        data->number[kept] = data->number[from];
        memmove(data->value + kept * cells, data->value + from * cells, cells * sizeof *data->value);
        memmove(data->before + kept * points, data->before + from * points, points * sizeof *data->before);
        kept++;
    }
    data->kept = kept;
    /* Keeps probes next to a sample, the first two (samples that were not taken point at them) and the last (the next
     * sample follows it). */
    uint32_t *place = memory_zeroed(data->moments + 1, sizeof *place), moments = 0;
    place[0] = place[1] = place[data->moments - 1] = 1;
    for (size_t i = 0; i < kept * points; i++)
        place[data->before[i]] = place[data->before[i] + 1] = 1;
    for (size_t i = 0; i < data->moments; i++) {
        if (!place[i])
            continue;
        data->moment[moments] = data->moment[i];
        place[i] = moments++;
    }
    for (size_t i = 0; i < kept * points; i++)
        data->before[i] = place[data->before[i]];
    data->moments = moments;
    free(place);
}

/* Begins a round in data->row, without values. bytes_room: that memory has for it. */
static void round_begin(struct engine_data *data, size_t bytes_most, size_t bytes_room)
{
    const size_t cells = data->cells, points = data->points;
    const size_t bytes =
        data->kept * (cells * sizeof *data->value + points * sizeof *data->before + sizeof *data->number) +
        data->moments * sizeof *data->moment;
    if ((data->kept >= KEPT_ROUNDS_LEAST && bytes >= bytes_most) ||
        (data->kept > KEPT_ROUNDS_SHORT && bytes >= bytes_room))
        halve(data);
    if (data->kept == data->capacity) {
        const size_t capacity = data->capacity = data->capacity ? 2 * data->capacity : 16;
        data->value = memory_grow(data->value, capacity * cells * sizeof *data->value);
        data->before = memory_grow(data->before, capacity * points * sizeof *data->before);
        data->number = memory_grow(data->number, capacity * sizeof *data->number);
    }
    const size_t row = data->row = data->kept;
    for (size_t i = 0; i < cells; i++)
        data->value[row * cells + i] = NAN;
    memset(data->before + row * points, 0, points * sizeof *data->before);
    data->number[row] = data->taken++;
    data->kept += is_kept(data, data->number[row]);
}

/* Adds a sample of `count` points from `first` on, taken since the last probe. */
static void sample_add(struct engine_data *data, size_t first, size_t count, const double *value)
{
    const size_t width = data->cells / data->points;
    float *to = data->value + data->row * data->cells + first * width;
    for (size_t i = 0; i < count * width; i++)
        to[i] = (float)value[i];
    for (size_t i = 0; i < count; i++)
        data->before[data->row * data->points + first + i] = (uint32_t)(data->moments - 1);
    data->filed = data->filed || data->row < data->kept;
    data->spare = data->spare && !data->filed;
}

/* Forgets the samples that were taken since the last probe. */
static void samples_drop(struct engine_data *data)
{
    const size_t width = data->cells / data->points;
    size_t kept = 0;
    for (size_t i = 0; i < data->kept * data->cells; i++) {
        const size_t round = i / data->cells, point = i % data->cells / width;
        if (data->before[round * data->points + point] + 1 == data->moments)
            data->value[i] = NAN;
        if (!isnan(data->value[i]))
            kept = round + 1;
    }
    data->kept = kept;
}

/* Makes room for a probe behind the last one that a kept sample needs. */
static struct moment *moment_add(struct engine_data *data)
{
    const bool reused = data->halvings && data->spare;
    if (!reused && data->moments == data->moment_capacity) {
        data->moment_capacity = data->moment_capacity ? 2 * data->moment_capacity : 256;
        data->moment = memory_grow(data->moment, data->moment_capacity * sizeof *data->moment);
    }
    data->moments += !reused;
    data->spare = !data->filed;
    data->filed = false;
    return &data->moment[data->moments - 1];
}

/* Length of a batch; the largest shares of the time for all probes and for a single one. */
static const double BATCH_S = 1e-3, PROBING_SHARE = 0.1, PROBE_SHARE = 0.01;
/* A sample longer than STOP_S and STOP_TIMES the longest so far: the process was stopped. */
static const double STOP_S = 0.25, STOP_TIMES = 10;

struct rounds {
    const struct engine_bench *bench;
    const struct engine_machine *machine;
    const struct engine_effort *effort;
    struct engine_data *data;
    struct fault *fault;
    size_t *group, groups; /* first point of each group, then the number of points */
    uint64_t begin_ns, probed_ns, next_check, probes;
    double spent_s;    /* on probes, without stops */
    double longest_s;  /* of the samples so far, without stops */
    double *value;     /* of one group */
    size_t bytes_room; /* that memory has for the samples kept */
    unsigned placement;
    bool moved; /* a CPU was taken away */
};

static double seconds_since(const struct rounds *r, uint64_t since_ns)
{
    return (double)(r->machine->now_ns(r->machine->context) - since_ns) / 1e9;
}

/* The process or its guest was stopped. usual_s: the usual maximum. */
static bool stood_still(const struct rounds *r, double seconds, double usual_s)
{
    const bool still = seconds > STOP_S && seconds > STOP_TIMES * usual_s;
    if (still && r->machine->stood_still)
        r->machine->stood_still(r->machine->context, seconds);
    return still;
}

static double usual_probe_s(const struct rounds *r)
{
    return r->probes ? r->spent_s / (double)r->probes : 0;
}

/* Drops samples that may have been taken on other CPUs. */
static bool is_in_place(struct rounds *r)
{
    if (!r->moved && r->machine->in_place && !r->machine->in_place(r->machine->context)) {
        r->moved = true;
        samples_drop(r->data);
    }
    return !r->moved;
}

/* False: a CPU was taken away. */
static bool probe(struct rounds *r)
{
    const struct engine_machine *machine = r->machine;
    if (!is_in_place(r))
        return false;
    struct moment *moment = moment_add(r->data);
    *moment =
        (struct moment){.begin_ns = machine->now_ns(machine->context), .ghz = NAN, .placement = r->placement};
    machine->probe(machine->context, moment);
    r->probed_ns = moment->end_ns = machine->now_ns(machine->context);
    state_count(r->data);
    const double seconds = (double)(moment->end_ns - moment->begin_ns) / 1e9, usual_s = usual_probe_s(r);
    /* A stop must not forbid probes for the rest of a short run, so it counts only in part. Next to a busy loop every
     * second probe waits for a time slice, which counts in full. */
    double most_s = INFINITY;
    if (r->probes > 0) {
        stood_still(r, seconds, usual_s);
        most_s = fmax(STOP_TIMES * usual_s, PROBE_SHARE * seconds_since(r, r->begin_ns));
    }
    r->spent_s += fmin(seconds, most_s);
    r->probes++;
    r->data->probing_s += seconds;
    return true;
}

/* Whether one more probe keeps all of them within their share of the time. */
static bool can_probe(const struct rounds *r)
{
    return r->spent_s + usual_probe_s(r) <= PROBING_SHARE * seconds_since(r, r->begin_ns);
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

/* Shows the share of the bound that the run will meet first. */
static void show_progress(const struct rounds *r, size_t group)
{
    const struct engine_effort *effort = r->effort;
    if (!r->machine->progress)
        return;
    const uint64_t most = effort->rounds ? effort->rounds : effort->most;
    const double rounds = (double)r->data->rounds + (double)group / (double)r->groups;
    const double seconds = seconds_since(r, r->begin_ns);
    double done = most ? rounds / (double)most : 0;
    if (!effort->rounds && effort->duration_s > 0)
        done = most ? fmin(done, seconds / effort->duration_s) : seconds / effort->duration_s;
    if (effort->budget_s > 0 && rounds >= 1)
        done = fmax(done, seconds / effort->budget_s);
    if (effort->patience_s > 0)
        done = fmax(done, seconds / effort->patience_s);
    r->machine->progress(r->machine->context, fmin(done, 1));
}

/* Samples every point once; ENGINE_ROUNDS: all were. */
static enum engine_end take_each_once(struct rounds *r)
{
    const struct engine_bench *bench = r->bench;
    const double batch_s = r->effort->batch_s > 0 ? r->effort->batch_s : BATCH_S;
    round_begin(r->data, r->effort->bytes_most ? r->effort->bytes_most : KEPT_BYTES_MOST, r->bytes_room);
    for (size_t i = 0; i < r->groups; i++) {
        const size_t group = bench->order ? bench->order[i] : i;
        const size_t first = r->group[group], count = r->group[group + 1] - first;
        if (r->machine->interrupted(r->machine->context))
            return ENGINE_INTERRUPTED;
        if (!wants(r, first, r->data->rounds))
            continue;
        const double takes_s = bench->expected_s ? bench->expected_s(bench->context, first) : 0;
        if ((bench->expected_s || bench->budget_binds_all || r->data->rounds > 0) &&
            budget_left_s(r) <= takes_s)
            return ENGINE_BUDGET;
        if (seconds_since(r, r->probed_ns) >= batch_s && can_probe(r) && !probe(r))
            return ENGINE_INTERRUPTED;
        const uint64_t begin_ns = r->machine->now_ns(r->machine->context);
        if (!bench->sample(bench->context, first, count, r->value, r->fault))
            return ENGINE_FAILED;
        const double seconds = seconds_since(r, begin_ns);
        r->data->sampled = true;
        if (r->data->taken <= 1 || !stood_still(r, seconds, r->longest_s)) {
            r->longest_s = fmax(r->longest_s, seconds);
            sample_add(r->data, first, count, r->value);
        }
        show_progress(r, i + 1);
    }
    return ENGINE_ROUNDS;
}

/* Spreads placements evenly over the least number of rounds. */
static enum engine_end take_round(struct rounds *r)
{
    const struct engine_effort *effort = r->effort;
    const uint64_t least = effort->rounds ? effort->rounds : effort->least;
    unsigned placement = 0;
    if (r->bench->remap && effort->placements >= 2 && least > 0) {
        const uint64_t each = (least + effort->placements - 1) / effort->placements;
        placement = (unsigned)(r->data->rounds / each % effort->placements);
    }
    if (placement != r->placement) {
        /* A probe of the old placement ends the batch, one of the new begins the next. */
        if (!probe(r))
            return ENGINE_INTERRUPTED;
        if (!r->bench->remap(r->bench->context, placement, r->fault))
            return ENGINE_FAILED;
        r->placement = placement;
        if (!probe(r))
            return ENGINE_INTERRUPTED;
    }
    for (uint64_t i = 0; i < (effort->samples ? effort->samples : 1); i++) {
        const enum engine_end end = take_each_once(r);
        if (end != ENGINE_ROUNDS)
            return end;
    }
    r->data->rounds++;
    return ENGINE_ROUNDS;
}

static bool is_settled(const struct rounds *r)
{
    const enum state state = engine_main_state(r->data);
    const size_t width = r->bench->width;
    for (size_t group = 0; group < r->groups; group++) {
        if (!wants(r, r->group[group], ENGINE_LATER))
            continue;
        for (size_t cell = r->group[group] * width; cell < r->group[group + 1] * width; cell++) {
            struct estimate e;
            if (!engine_estimate(r->data, cell, state, 0.5, &e) || e.summary.count < 8 ||
                e.high - e.low > r->effort->settled * fabs(e.value))
                return false;
        }
    }
    return true;
}

static enum engine_end run_rounds(struct rounds *r)
{
    const struct engine_effort *effort = r->effort;
    const struct engine_bench *bench = r->bench;
    const uint64_t most = effort->rounds ? effort->rounds : effort->most;
    const bool may_settle = !effort->rounds && (effort->settled > 0 || bench->enough);
    r->next_check = effort->least > 2 ? effort->least : 2;
    if (!probe(r))
        return ENGINE_INTERRUPTED;
    for (;;) {
        const enum engine_end end = take_round(r);
        if (end != ENGINE_ROUNDS)
            return end;
        const bool has_lasted = seconds_since(r, r->begin_ns) >= effort->duration_s;
        if (most && r->data->rounds >= most && (effort->rounds || has_lasted))
            return ENGINE_ROUNDS;
        if (budget_left_s(r) <= 0)
            return ENGINE_BUDGET;
        /* Checks when the rounds have grown by a quarter, as each check reads everything. A probe comes first, or the last
         * samples have no state. */
        if (!may_settle || r->data->rounds < r->next_check || !has_lasted || !can_probe(r))
            continue;
        r->next_check = r->data->rounds + r->data->rounds / 4 + 1;
        if (!probe(r))
            return ENGINE_INTERRUPTED;
        if (bench->enough ? bench->enough(bench->context, r->data) : is_settled(r))
            return ENGINE_SETTLED;
    }
}

enum engine_end engine_run(const struct engine_bench *bench, const struct engine_machine *machine,
                           const struct engine_effort *effort, struct engine_data *data, struct fault *fault)
{
    struct rounds r = {.bench = bench, .machine = machine, .effort = effort, .data = data, .fault = fault};
    r.groups = bench->group ? bench->groups : bench->points;
    r.group = memory_zeroed(r.groups + 1, sizeof *r.group);
    for (size_t i = 0; i <= r.groups; i++)
        r.group[i] = !bench->group ? i : i < r.groups ? bench->group[i] : bench->points;
    r.value = memory_zeroed(bench->points * bench->width + 1, sizeof *r.value);
    /* Arrays grow by doubling, and the values of claims take as much again. */
    r.bytes_room = memory_room() / MEMORY_PART;
    data->points = bench->points;
    data->cells = bench->points * bench->width;
    data->cycles = bench->cycles;
    r.begin_ns = machine->now_ns(machine->context);
    data->end = run_rounds(&r);
    /* The last batch needs a probe after it, too. */
    if (data->end != ENGINE_FAILED && !probe(&r))
        data->end = ENGINE_INTERRUPTED;
    /* A sample that failed because a CPU was taken away is no fault of the bench: the samples before it are a result. */
    if (data->end == ENGINE_FAILED && (!fault->status || fault->status == STATUS_NO_RESOURCE) &&
        !is_in_place(&r)) {
        *fault = (struct fault){0};
        data->end = ENGINE_INTERRUPTED;
    }
    data->seconds = seconds_since(&r, r.begin_ns);
    free(r.value);
    free(r.group);
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
