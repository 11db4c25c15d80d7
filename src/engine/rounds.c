/* SPDX-License-Identifier: MIT */
/* The one loop over rounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/engine_internal.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/random.h"

/* Samples take at most this part of the memory that there is room for. */
enum { ROOM_PARTS = 4 };
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
    struct stopwatch begin;        /* of the rounds */
    uint64_t waited_ns, waited_at; /* by the last look, and when that was */
    uint64_t stopped_ns;           /* in stops, beyond what was waited meanwhile */
    double spent_s, usual_probe_s; /* on probes, without stops; on one of them */
    double longest_s;              /* of the samples so far, without stops */
    double *value;                 /* of one group */
    size_t bytes_room;             /* that memory has for the samples kept */
    unsigned placement;
    bool moved; /* a CPU was taken away */
    /* Row and turn of the first sample since the CPUs were last known to be there; SIZE_MAX: none. */
    size_t unsure_row, unsure_turn;
    uint64_t in_place_ns;
};

static double seconds_since(const struct rounds *r, uint64_t since_ns)
{
    return (double)(r->machine->now_ns(r->machine->context) - since_ns) / 1e9;
}

struct stopwatch engine_now(const struct engine_machine *machine)
{
    return (struct stopwatch){machine->now_ns(machine->context),
                              machine->waited_ns ? machine->waited_ns(machine->context) : 0};
}

static void look_at_waiting(struct rounds *r)
{
    const struct stopwatch now = engine_now(r->machine);
    r->waited_ns = now.waited_ns;
    r->waited_at = now.begin_ns;
}

/* The process or its guest was stopped, which is no time of its own. usual_s: the usual maximum. */
static bool stood_still(struct rounds *r, double seconds, double usual_s)
{
    const bool still = seconds > STOP_S && seconds > STOP_TIMES * usual_s;
    if (!still)
        return false;
    if (r->machine->stood_still)
        r->machine->stood_still(r->machine->context, seconds);
    const uint64_t before_ns = r->waited_ns;
    look_at_waiting(r);
    const uint64_t stop_ns = (uint64_t)(seconds * 1e9), waited = r->waited_ns - before_ns;
    r->stopped_ns += stop_ns > waited ? stop_ns - waited : 0;
    return true;
}

/* Forgets the samples that may have been taken on other CPUs. Those before them get a probe that knows
 * nothing, as none can be taken any more: they count in no state. */
static void drop_unsure(struct rounds *r)
{
    struct engine_data *data = r->data;
    const size_t width = data->cells / data->points;
    size_t kept = 0;
    for (size_t row = r->unsure_row; row <= data->row; row++)
        for (size_t turn = row == r->unsure_row ? r->unsure_turn : 0; turn < r->groups; turn++) {
            const size_t group = r->bench->order ? r->bench->order[turn] : turn;
            for (size_t i = r->group[group] * width; i < r->group[group + 1] * width; i++)
                data->value[row * data->cells + i] = NAN;
        }
    for (size_t i = 0; i < data->kept * data->cells; i++)
        kept = isnan(data->value[i]) ? kept : i / data->cells + 1;
    data->kept = kept;
    const uint64_t now_ns = r->machine->now_ns(r->machine->context),
                   switches = data->moments > 0 ? data->moment[data->moments - 1].switches : 0;
    const struct reading unknown = {.whole = data->reading.whole, .sure = data->reading.sure};
    struct moment *moment = moment_add(data);
    *moment = (struct moment){now_ns, now_ns, NAN, switches, unknown, .placement = r->placement};
    state_count(data);
}

/* Whether the measuring threads still have their CPUs. */
static bool is_in_place(struct rounds *r)
{
    if (!r->moved && r->machine->in_place && !r->machine->in_place(r->machine->context)) {
        r->moved = true;
        drop_unsure(r);
    }
    r->unsure_row = SIZE_MAX;
    r->in_place_ns = r->machine->now_ns(r->machine->context);
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
    const double seconds = (double)(moment->end_ns - moment->begin_ns) / 1e9;
    /* A stop must not forbid probes for the rest of a short run, so it counts only in part. Next to a busy
     * loop every second probe waits for a time slice, which counts in full. */
    double most_s = INFINITY;
    if (r->probes > 0) {
        stood_still(r, seconds, r->usual_probe_s);
        most_s = fmax(STOP_TIMES * r->usual_probe_s, PROBE_SHARE * seconds_since(r, r->begin_ns));
    }
    r->spent_s += fmin(seconds, most_s);
    r->usual_probe_s = r->spent_s / (double)++r->probes;
    r->data->probing_s += seconds;
    return true;
}

/* Whether one more probe keeps all of them within their share of the time. */
static bool can_probe(const struct rounds *r)
{
    return r->spent_s + r->usual_probe_s <= PROBING_SHARE * seconds_since(r, r->begin_ns);
}

/* Seconds of one's own between two moments. */
static double own_between_s(const struct stopwatch *from, const struct stopwatch *to)
{
    const uint64_t waited_ns = to->waited_ns > from->waited_ns ? to->waited_ns - from->waited_ns : 0;
    return own_seconds((double)(to->begin_ns - from->begin_ns) / 1e9, (double)waited_ns / 1e9);
}

double engine_budget_left_s(const struct engine_machine *machine, const struct engine_effort *effort)
{
    struct stopwatch now = {machine->now_ns(machine->context), effort->begin.waited_ns};
    if (!(effort->budget_s > 0))
        return INFINITY;
    if (!effort->is_wall && effort->budget_s <= own_between_s(&effort->begin, &now))
        now = engine_now(machine);
    return effort->budget_s - (effort->is_wall ? (double)(now.begin_ns - effort->begin.begin_ns) / 1e9
                                               : own_between_s(&effort->begin, &now));
}

static struct stopwatch now_by_last_look(const struct rounds *r)
{
    return (struct stopwatch){r->machine->now_ns(r->machine->context), r->waited_ns + r->stopped_ns};
}

/* Of the budget, by the last look at what was waited. */
static double spent_s(const struct rounds *r)
{
    const struct engine_effort *effort = r->effort;
    const struct stopwatch *begin = effort->begin.begin_ns ? &effort->begin : &r->begin;
    const struct stopwatch now = now_by_last_look(r);
    return effort->is_wall ? seconds_since(r, begin->begin_ns) : own_between_s(begin, &now);
}

static double own_s(const struct rounds *r)
{
    const struct stopwatch now = now_by_last_look(r);
    return own_between_s(&r->begin, &now);
}

/* Whether what comes next would end beyond the limits. Asks the system what was waited only where that may
 * decide: a quiet run never asks. */
static bool is_out_of_time(struct rounds *r, double takes_s)
{
    const struct engine_effort *effort = r->effort;
    for (int look = 0; look < 2; look++) {
        if (look)
            look_at_waiting(r);
        double left_s = effort->budget_s > 0 ? effort->budget_s - spent_s(r) : INFINITY;
        if (effort->patience_s > 0 && r->data->rounds >= effort->least)
            left_s = fmin(left_s, effort->patience_s - own_s(r));
        if (left_s > takes_s)
            return false;
    }
    return true;
}

/* Shows the share of the bound that the run will meet first. */
static void show_progress(struct rounds *r, size_t group)
{
    static const double LOOK_S = 0.5;
    const struct engine_effort *effort = r->effort;
    if (!r->machine->progress)
        return;
    if ((effort->budget_s > 0 || effort->patience_s > 0) && seconds_since(r, r->waited_at) > LOOK_S)
        look_at_waiting(r);
    const uint64_t most = effort->rounds ? effort->rounds : effort->most;
    const double rounds = (double)r->data->rounds + (double)group / (double)r->groups;
    const double seconds = seconds_since(r, r->begin_ns);
    double done = most ? rounds / (double)most : 0;
    if (!effort->rounds && effort->duration_s > 0)
        done = most ? fmin(done, seconds / effort->duration_s) : seconds / effort->duration_s;
    if (effort->budget_s > 0 && rounds >= 1)
        done = fmax(done, spent_s(r) / effort->budget_s);
    if (effort->patience_s > 0)
        done = fmax(done, own_s(r) / effort->patience_s);
    r->machine->progress(r->machine->context, fmin(done, 1));
}

/* Samples every point once; ENGINE_ROUNDS: all were. */
static enum engine_end take_each_once(struct rounds *r)
{
    const struct engine_bench *bench = r->bench;
    const double batch_s = r->effort->batch_s > 0 ? r->effort->batch_s : BATCH_S;
    const unsigned halvings = r->data->halvings;
    round_begin(r->data, r->effort->bytes_most, r->bytes_room);
    if (halvings != r->data->halvings) /* rows have moved */
        r->unsure_row = SIZE_MAX;
    else if (r->unsure_row == r->data->row) /* that round was not kept */
        r->unsure_turn = 0;
    for (size_t i = 0; i < r->groups; i++) {
        const size_t group = bench->order ? bench->order[i] : i;
        const size_t first = r->group[group], count = r->group[group + 1] - first;
        if (r->machine->interrupted(r->machine->context))
            return ENGINE_INTERRUPTED;
        if (bench->wants && !bench->wants(bench->context, first, r->data->rounds))
            continue;
        const double takes_s = bench->expected_s ? bench->expected_s(bench->context, first) : 0;
        if ((bench->expected_s || bench->budget_binds_all || r->data->rounds > 0) &&
            is_out_of_time(r, takes_s))
            return ENGINE_BUDGET;
        if (seconds_since(r, r->probed_ns) >= batch_s && can_probe(r) && !probe(r))
            return ENGINE_INTERRUPTED;
        /* Beside load probes are seldom: what came before a CPU was taken away stays a result. */
        if (seconds_since(r, r->in_place_ns) >= batch_s && !is_in_place(r))
            return ENGINE_INTERRUPTED;
        const uint64_t begin_ns = r->machine->now_ns(r->machine->context);
        if (!bench->sample(bench->context, first, count, r->value, r->fault))
            return ENGINE_FAILED;
        const double seconds = seconds_since(r, begin_ns);
        r->data->sampled = true;
        if (r->data->taken <= 1 || !stood_still(r, seconds, r->longest_s)) {
            r->longest_s = fmax(r->longest_s, seconds);
            sample_add(r->data, first, count, r->value);
            if (r->unsure_row == SIZE_MAX) {
                r->unsure_row = r->data->row;
                r->unsure_turn = i;
            }
        }
        show_progress(r, i + 1);
    }
    return ENGINE_ROUNDS;
}

/* Spreads placements evenly over the least number of rounds, or over placing_rounds, again and again. */
static enum engine_end take_round(struct rounds *r)
{
    const struct engine_effort *effort = r->effort;
    const uint64_t least = effort->rounds           ? effort->rounds
                           : effort->placing_rounds ? effort->placing_rounds
                                                    : effort->least;
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
    if (r->bench->begins && !r->bench->begins(r->bench->context, r->data->rounds, r->fault))
        return ENGINE_FAILED;
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
    const struct engine_bench *bench = r->bench;
    const enum state state = engine_main_state(r->data);
    const size_t width = bench->width;
    for (size_t group = 0; group < r->groups; group++) {
        if (bench->wants && !bench->wants(bench->context, r->group[group], ENGINE_LATER))
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
        if (is_out_of_time(r, 0))
            return ENGINE_BUDGET;
        /* Checks when the rounds have grown by a quarter, as each check reads everything. A probe comes
         * first, or the last samples have no state. */
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
    struct rounds r = {.bench = bench,
                       .machine = machine,
                       .effort = effort,
                       .data = data,
                       .fault = fault,
                       .unsure_row = SIZE_MAX};
    r.groups = bench->group ? bench->groups : bench->points;
    r.group = memory_zeroed(r.groups + 1, sizeof *r.group);
    for (size_t i = 0; i <= r.groups; i++)
        r.group[i] = !bench->group ? i : i < r.groups ? bench->group[i] : bench->points;
    r.value = memory_zeroed(bench->points * bench->width + 1, sizeof *r.value);
    /* Arrays grow by doubling, and the values of metrics take as much again. */
    r.bytes_room = memory_room() / ROOM_PARTS;
    data->points = bench->points;
    data->cells = bench->points * bench->width;
    data->cycles = bench->cycles;
    r.begin = engine_now(machine);
    r.begin_ns = r.waited_at = r.in_place_ns = r.begin.begin_ns;
    r.waited_ns = r.begin.waited_ns;
    data->end = run_rounds(&r);
    /* The last batch needs a probe after it, too. */
    if (data->end != ENGINE_FAILED && !probe(&r))
        data->end = ENGINE_INTERRUPTED;
    /* A sample that failed because a CPU was taken away is no fault of the bench: the samples before it
     * are a result. */
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
