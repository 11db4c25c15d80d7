/* SPDX-License-Identifier: MIT */
/* What `ram` says: the best kernel of every task on every working set. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "ram.h"

static const double GIB = 1 << 30;

/* Which lines of an L2 compete is up to the physical pages, which are others in each placement. */
enum { PLACEMENTS_LEAST = 3 };

/* A chain that takes nearly as long as one in memory ran there, whatever the size of the cache is said to be. */
static const double NEARLY_MEMORY = 0.7;

/* In the state that is reported, where the point was sampled in it. */
static double seconds_of(const struct ram_point *point)
{
    return point->measured ? point->seconds_of_pass.value
                           : median_of(point->seconds.value, point->seconds.count);
}

/* Within the core by cycles, because the clock of the samples of each is another. */
static bool is_faster(const struct ram_point *a, const struct ram_point *b)
{
    const bool known = ram_is_near(a) && a->measured && b->measured;
    const double cycles = known ? a->cycles_of_pass.value / b->cycles_of_pass.value : NAN;
    const double cost = isnan(cycles) ? seconds_of(a) / seconds_of(b) : cycles;
    return cost < (double)a->bytes / (double)b->bytes;
}

const struct ram_point *ram_best(const struct ram_plan *plan, enum operation operation,
                                 const struct working_set *set)
{
    const struct ram_point *best = NULL;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct ram_point *point = &plan->points[i];
        if (point->kernel->operation != operation || point->set != set || point->zero)
            continue;
        if (!point->seconds.count)
            return NULL;
        if (!best || is_faster(point, best))
            best = point;
    }
    return best;
}

/* The latency of memory, where it was measured; NaN where not. */
static double memory_seconds(const struct ram_plan *plan)
{
    const struct ram_point *memory = ram_plateau_of(plan, plan->last_level + 1).first;
    return memory ? memory->seconds_of_pass.value : NAN;
}

/* Within the core, time follows the core clock, so what repeats, and what is judged, are cycles; they are given as the time
 * that they take at the clock of the samples. */
static struct estimate judged_of(const struct ram_point *point)
{
    struct estimate e = point->cycles_of_pass;
    if (!ram_is_near(point) || isnan(e.value))
        return point->seconds_of_pass;
    const double cycle_s = point->seconds_of_pass.value / e.value;
    double *const scaled[] = {&e.value,  &e.low,           &e.high,          &e.first,
                              &e.second, &e.placement_low, &e.placement_high};
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        *scaled[i] *= cycle_s;
    for (size_t i = 0; i < e.parts.count; i++)
        e.parts.value[i] *= (float)cycle_s;
    return e;
}

/* Neighbours come and go within minutes, which no interval of one run shows: of the pairs of runs of 5 s that would have had medium
 * trust in an L3, 1 in 14 lay more than 10 % apart. */
static const struct verdict OF_A_GUEST = {.trust = TRUST_LOW, .leg = LEG_PRECISION};

static struct verdict verdict_in(const struct ram_plan *plan, const struct ram_point *point,
                                 const struct estimate *seconds)
{
    /* Neighbours and other clocks move L3 and memory. */
    struct claim claim = ram_is_near(point) ? claim_core : claim_beyond;
    claim.absolute = 0;
    claim.placements = ram_is_near(point) ? PLACEMENTS_LEAST : 0;
    if (ram_is_latency(point)) {
        claim.absolute = 0.1 * point->seconds_of_pass.value / point->cycles_of_pass.value;
        claim.contradicted =
            ram_in_cache(plan, point) && seconds->value > NEARLY_MEMORY * memory_seconds(plan);
    }
    struct verdict verdict = trust_judge(seconds, &claim);
    if (!ram_is_near(point) && plan->guest)
        verdict = verdict_lesser(verdict, OF_A_GUEST);
    verdict.within = claim.relative;
    return verdict;
}

/* The value of a finding: ns of a load, or GiB/s of all threads. */
static double value_of(const struct ram_plan *plan, const struct ram_point *point, double seconds)
{
    return ram_is_latency(point) ? seconds * 1e9 : (double)(point->bytes * plan->threads) / GIB / seconds;
}

/* Where no reading of the core clock stands, there are no cycles. */
static void add_cycles(struct text *text, const struct ram_point *point)
{
    const struct estimate *cycles = &point->cycles_of_pass;
    const bool latency = ram_is_latency(point);
    const char *unit = latency ? "core cycles" : "bytes/core cycle";
    const double ghz = cycles->value / point->seconds_of_pass.value * 1e-9;
    if (isnan(cycles->value))
        text_printf(text, "unknown %s", unit);
    else
        text_printf(text, "%.1f %s", latency ? cycles->value : (double)point->bytes / cycles->value, unit);
    if (!isnan(cycles->value) && ram_is_near(point))
        text_printf(text, " at %.2f GHz", ghz);
}

/* Nothing, or the state that the value is of, and the value of the other state where that was there, too. */
static void add_state(struct text *text, const struct ram_plan *plan, const struct ram_point *point)
{
    const enum state state = point->seconds_of_pass.state;
    if (!isnan(point->otherwise.value))
        text_printf(text, "; %.1f while the SMT sibling is %s", value_of(plan, point, point->otherwise.value),
                    state == STATE_IDLE ? "active" : "idle");
    else if (state == STATE_ACTIVE)
        text_add(text, " (with the SMT sibling active)");
}

/* Nothing, or how far the latency of a level holds, where several chains of the level tell. */
static void add_reach(struct text *text, const struct ram_plan *plan, const struct ram_point *point)
{
    const struct ram_plateau plateau = ram_plateau_of(plan, point->level);
    const bool ends = plateau.ends != UINT64_MAX;
    if (!point->set->level || !ram_in_cache(plan, point) || (plateau.holds == point->footprint && !ends))
        return;
    text_add(text, ends ? ", up to " : ", measured up to ");
    text_add_size_rounded(text, (int64_t)plateau.holds);
    text_add(text, " of ");
    text_add_size_rounded(text, (int64_t)plan->share[point->level]);
    text_add(text, ends ? " shown" : "");
}

static void add_sentence(struct text *text, const struct ram_plan *plan, const struct ram_point *point)
{
    const double value = value_of(plan, point, point->seconds_of_pass.value);
    const bool latency = ram_is_latency(point);
    text_printf(text, "%s %s (", ram_level(plan, point), ram_task_names[point->kernel->operation]);
    text_add_size(text, (int64_t)point->set->bytes);
    text_printf(text, "): %.*f %s, ", text_decimals(value), value, latency ? "ns" : "GiB/s");
    add_cycles(text, point);
    if (latency)
        add_reach(text, plan, point);
    else
        text_printf(text, "%s, by %s", plan->threads > 1 ? " on each core" : "", point->kernel->name);
    add_state(text, plan, point);
}

static void key_of(const struct ram_plan *plan, const struct ram_point *point, char key[128])
{
    const char *task = ram_task_names[point->kernel->operation];
    if (!point->set->level)
        snprintf(key, 128, "ram.%s.%s", point->set->label, task);
    else if (ram_in_cache(plan, point))
        snprintf(key, 128, "ram.L%d.%s", point->level, task);
    else
        snprintf(key, 128, "ram.DRAM.%s", task);
}

static void say(struct record *record, const struct ram_plan *plan, const struct ram_point *point)
{
    const bool latency = ram_is_latency(point);
    const struct estimate seconds = judged_of(point);
    const double unit = latency ? 1 : GIB;
    const double first = value_of(plan, point, seconds.low), second = value_of(plan, point, seconds.high);
    struct finding finding = finding_of(&seconds, verdict_in(plan, point, &seconds));
    char key[128];
    struct text text = {0};
    add_sentence(&text, plan, point);
    key_of(plan, point, key);
    finding.key = key;
    finding.text = text.data;
    finding.unit = latency ? "ns" : "Byte/s";
    finding.value = REAL_CELL(unit * value_of(plan, point, seconds.value));
    /* Where an interval reaches below zero, its other end is unknown, too. */
    finding.low = seconds.low > 0 ? REAL_CELL(unit * fmin(first, second)) : NO_CELL;
    finding.high = seconds.low > 0 ? REAL_CELL(unit * fmax(first, second)) : NO_CELL;
    finding.ghz = point->cycles_of_pass.value / seconds.value * 1e-9;
    for (size_t i = 0; i < finding.parts.count; i++)
        finding.parts.value[i] = (float)(unit * value_of(plan, point, seconds.parts.value[i]));
    record_finding(record, finding);
    text_free(&text);
}

/* Of the default chains of a level the smallest alone is said. */
static bool says_level(const struct ram_plan *plan, const struct ram_point *point)
{
    return !ram_is_latency(point) || !point->set->level || point == ram_plateau_of(plan, point->level).first;
}

static enum operation said_at(unsigned place)
{
    enum operation operation = 0;
    while (ram_tasks[operation].said != place)
        operation++;
    return operation;
}

void ram_findings(struct record *record, const struct ram_plan *plan)
{
    for (int set = 0; set < plan->set_count; set++)
        for (unsigned place = 0; place < RAM_TASK_COUNT; place++) {
            const struct ram_point *best = ram_best(plan, said_at(place), &plan->sets[set]);
            if (best && best->measured && says_level(plan, best))
                say(record, plan, best);
        }
}
