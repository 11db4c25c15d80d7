/* SPDX-License-Identifier: MIT */
/* What `ram` says: the best kernel of every task on every working set. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ram.h"

static const double GIB = 1 << 30;

/* A chain that takes nearly as long as one in memory ran there, whatever the size of the cache is said to be. */
static const double NEARLY_MEMORY = 0.7;

static double median_speed(const struct ram_point *point)
{
    return (double)point->bytes / median_of(point->seconds.value, point->seconds.count);
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
        if (!best || median_speed(point) > median_speed(best))
            best = point;
    }
    return best;
}

/* L3 and memory: neighbours and other clocks move them. */
static bool is_beyond_core(const struct ram_point *point)
{
    return strcmp(point->level, "L1") != 0 && strcmp(point->level, "L2") != 0;
}

/* The latency of memory, where it was measured; NaN where not. */
static double memory_seconds(const struct ram_plan *plan)
{
    for (size_t i = 0; i < plan->point_count; i++)
        if (ram_is_latency(&plan->points[i]) && plan->points[i].measured &&
            strcmp(plan->points[i].level, "DRAM") == 0)
            return plan->points[i].seconds_of_pass.value;
    return NAN;
}

static struct verdict verdict_in(const struct ram_plan *plan, const struct ram_point *point)
{
    const struct estimate *seconds = &point->seconds_of_pass;
    struct claim claim = is_beyond_core(point) ? claim_beyond : claim_core;
    if (ram_is_latency(point)) {
        claim.absolute = 0.1 * seconds->value / point->cycles_of_pass.value;
        claim.contradicted =
            strcmp(point->level, "DRAM") != 0 && seconds->value > NEARLY_MEMORY * memory_seconds(plan);
    }
    return trust_judge(seconds, &claim);
}

/* The value of a finding: ns of a load, or GiB/s of all threads. */
static double value_of(const struct ram_plan *plan, const struct ram_point *point, double seconds)
{
    return ram_is_latency(point) ? seconds * 1e9 : (double)(point->bytes * plan->threads) / GIB / seconds;
}

/* Where no reading of the core clock stands, there are no cycles. */
static void cycles_text(const struct ram_point *point, char text[16])
{
    const double cycles = point->cycles_of_pass.value;
    snprintf(text, 16, isnan(cycles) ? "unknown" : "%.1f",
             ram_is_latency(point) ? cycles : (double)point->bytes / cycles);
}

/* "", or the state that the value is of, and the value of the other state where that was there, too. */
static void state_text(const struct ram_plan *plan, const struct ram_point *point, char text[80])
{
    const enum state state = point->seconds_of_pass.state;
    text[0] = '\0';
    if (!isnan(point->otherwise.value))
        snprintf(text, 80, "; %.1f while the SMT sibling is %s",
                 value_of(plan, point, point->otherwise.value), state == STATE_IDLE ? "active" : "idle");
    else if (state == STATE_ACTIVE)
        snprintf(text, 80, " (with the SMT sibling active)");
}

static void sentence(const struct ram_plan *plan, const struct ram_point *point, char text[256])
{
    const double value = value_of(plan, point, point->seconds_of_pass.value);
    const char *task = ram_task_names[point->kernel->operation];
    char state[80], cycles[16];
    state_text(plan, point, state);
    cycles_text(point, cycles);
    if (ram_is_latency(point))
        snprintf(text, 256, "%s latency (%s): %.1f ns, %s core cycles%s", point->level, point->set->label,
                 value, cycles, state);
    else
        snprintf(text, 256, "%s %s (%s): %.1f GiB/s, %s bytes/core cycle%s, by %s%s", point->level, task,
                 point->set->label, value, cycles, plan->threads > 1 ? " on each core" : "",
                 point->kernel->name, state);
}

static void say(struct record *record, const struct ram_plan *plan, const struct ram_point *point)
{
    const bool latency = ram_is_latency(point);
    const struct estimate *seconds = &point->seconds_of_pass;
    const struct summary *s = &seconds->summary;
    const double unit = latency ? 1 : GIB;
    const struct verdict verdict = verdict_in(plan, point);
    char key[128], text[256];
    sentence(plan, point, text);
    snprintf(key, sizeof key, "ram.%s.%s", point->set->is_footprint ? point->level : point->set->label,
             ram_task_names[point->kernel->operation]);
    record_finding(
        record, (struct finding){.key = key,
                                 .value = REAL_CELL(unit * value_of(plan, point, seconds->value)),
                                 .unit = latency ? "ns" : "Byte/s",
                                 .trust = verdict.trust,
                                 .leg = verdict.leg,
                                 .state = state_names[seconds->state],
                                 .text = text,
                                 .low = REAL_CELL(unit * value_of(plan, point, latency ? s->p10 : s->p90)),
                                 .high = REAL_CELL(unit * value_of(plan, point, latency ? s->p90 : s->p10)),
                                 .samples = s->count});
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
            if (best && best->measured)
                say(record, plan, best);
        }
}
