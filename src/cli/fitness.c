/* SPDX-License-Identifier: MIT */
/* The answers got.*: yes, no or unknown, each with its reason in a few words. */
#include "cli/facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "machine/os.h"

/* The shown machine, and the conditions that commands saw. */
struct grounds {
    const struct topology *topology;
    bool guest, siblings_shown, busy;
    struct conditions seen;
    const struct samples *ghz;
};

struct verdict {
    struct cell value; /* a bool; CELL_NULL: unknown */
    char remark[64];
};

/* Half a per cent of the time is a neighbour; less may be a slip of the witness. */
static const double BUSY_LEAST = 0.005;
/* Of 20 runs of 3 s on a guest of which the host moves the CPUs, 9 saw none of it. */
static const double NO_AFTER_S = 10;
/* Of the middle 90 % of its readings, by their median. */
static const double STEADY_MOST = 0.05;
/* Of a CPU's time. */
static const double STOLEN_MOST = 0.01;

#define YES BOOL_CELL(true)
#define NO BOOL_CELL(false)

__attribute__((format(printf, 2, 3))) static struct verdict says(struct cell value, const char *format, ...)
{
    struct verdict verdict = {.value = value};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict.remark, sizeof verdict.remark, format, arguments);
    va_end(arguments);
    return verdict;
}

static struct verdict whole_cores(const struct grounds *grounds)
{
    if (grounds->siblings_shown || grounds->busy)
        return says(NO, "each CPU is one SMT thread");
    if (grounds->topology->cores <= 0)
        return says(NO_CELL, "cores are not shown");
    if (isnan(grounds->seen.sibling_share))
        return says(NO_CELL, "store buffer not resolved");
    return grounds->guest ? says(NO_CELL, "no neighbour was busy meanwhile")
                          : says(YES, "no SMT sibling shown");
}

/* A disturbance that was not seen is a yes only after a while. */
static struct verdict not_seen(const struct grounds *grounds, const char *what)
{
    if (!grounds->guest)
        return says(YES, "no hypervisor");
    if (grounds->seen.moves < 0)
        return says(NO_CELL, "pairs of CPUs not measured");
    return says(grounds->seen.pairs_seconds >= NO_AFTER_S ? YES : NO_CELL, "%s in %.2g s", what,
                grounds->seen.pairs_seconds);
}

static struct verdict own_cores(const struct grounds *grounds)
{
    if (grounds->siblings_shown)
        return says(NO, "SMT siblings, as shown");
    if (grounds->seen.shared_core > 0)
        return says(NO, "met in %.2g %% of probes", 100 * grounds->seen.shared_core);
    if (grounds->topology->cores <= 0 && grounds->topology->place_count > 1)
        return says(NO_CELL, "cores are not shown");
    return grounds->topology->place_count < 2 ? says(YES, "one CPU") : not_seen(grounds, "never met");
}

static struct verdict none_taken(const struct grounds *grounds)
{
    return grounds->seen.cpu_was_taken ? says(NO, "a CPU was taken away") : says(NO_CELL, "%s", "");
}

static struct verdict host_leaves_them(const struct grounds *grounds)
{
    if (grounds->seen.cpu_was_taken)
        return says(NO_CELL, "a CPU was taken away");
    if (grounds->seen.moves > 0)
        return says(NO, "moved %d time%s in %.2g s", grounds->seen.moves, grounds->seen.moves == 1 ? "" : "s",
                    grounds->seen.pairs_seconds);
    return not_seen(grounds, "no move seen");
}

static struct verdict undisturbed(const struct grounds *grounds)
{
    const struct conditions *seen = &grounds->seen;
    if (seen->seconds <= 0)
        return says(NO_CELL, "not measured");
    if (seen->stolen_s > STOLEN_MOST * seen->seconds)
        return says(NO, "%.0f %% stolen", fmin(100, 100 * seen->stolen_s / seen->seconds));
    if (cpu_share(seen->seconds, seen->waited_s) < CPU_SHARE_LEAST)
        return says(NO, "had %.0f %% of a CPU", 100 * cpu_share(seen->seconds, seen->waited_s));
    if (seen->throttled > 0)
        return says(NO, "stopped %.0f times by quota", seen->throttled);
    return isnan(seen->stolen_s)   ? says(NO_CELL, "stolen time not readable here")
           : isnan(seen->waited_s) ? says(NO_CELL, "waiting time not readable here")
                                   : says(YES, "%s", "");
}

static struct verdict hidden_l3(const struct grounds *grounds)
{
    return grounds->seen.hidden_l3 > 0
               ? says(NO, "%d L3 shown, %d found", grounds->topology->l3_groups, grounds->seen.hidden_l3)
               : says(NO_CELL, "%s", "");
}

static struct verdict as_shown(const struct grounds *grounds)
{
    const struct topology *topology = grounds->topology;
    if (!grounds->siblings_shown && grounds->busy)
        return says(NO, "%d cores shown, %d threads found", topology->cores, topology->cores);
    if (grounds->seen.shared_core > 0)
        return says(NO, "cores shown are one");
    if (grounds->seen.hidden_l3 > 0)
        return hidden_l3(grounds);
    return isnan(grounds->seen.sibling_share) || grounds->seen.moves < 0
               ? says(NO_CELL, "too little was measured")
               : says(YES, "as far as seen");
}

static struct verdict steady(const struct grounds *grounds)
{
    const struct samples *ghz = grounds->ghz;
    const double low = quantile_of(ghz->value, ghz->count, 0.05),
                 high = quantile_of(ghz->value, ghz->count, 0.95);
    if (isnan(low) || isnan(high))
        return says(NO_CELL, "core clock not read");
    return says(high - low <= STEADY_MOST * median_of(ghz->value, ghz->count) ? YES : NO, "%.2f to %.2f GHz",
                low, high);
}

static struct verdict no_busy_sibling(const struct grounds *grounds)
{
    const char *format =
        grounds->siblings_shown ? "sibling busy %.0f %%" : "half cores, sibling busy %.0f %%";
    return grounds->busy ? says(NO, format, fmax(1, 100 * grounds->seen.sibling_share))
                         : says(NO_CELL, "%s", "");
}

/* Siblings that the guest shows are no reason against it. */
static struct verdict never_met(const struct grounds *grounds)
{
    return grounds->siblings_shown ? says(YES, "%s", "") : own_cores(grounds);
}

/* The gravest first. */
static struct verdict (*const conditions[])(const struct grounds *grounds) = {
    none_taken, no_busy_sibling, never_met, host_leaves_them, undisturbed, hidden_l3, steady};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

/* The gravest reason against it, else the first that is not known. */
static struct verdict fit(const struct grounds *grounds)
{
    struct verdict (*const needed[])(const struct grounds *) = {never_met, host_leaves_them, as_shown,
                                                                whole_cores};
    for (size_t i = 0; i < CONDITIONS; i++) {
        const struct verdict verdict = conditions[i](grounds);
        if (cell_is(&verdict.value, false))
            return verdict;
    }
    for (int i = 0; i < 4 - grounds->siblings_shown; i++) {
        const struct verdict verdict = needed[i](grounds);
        if (!cell_has_value(&verdict.value))
            return verdict;
    }
    return says(YES, "%s", "");
}

static void record_reasons(const struct grounds *grounds, struct record *record)
{
    char path[24];
    int count = 0;
    for (size_t i = 0; i < CONDITIONS; i++) {
        const struct verdict verdict = conditions[i](grounds);
        if (!cell_is(&verdict.value, false))
            continue;
        snprintf(path, sizeof path, "got.reasons.%d", count++);
        RECORD_FACTS(record, {path, NULL, NULL, TEXT_CELL(verdict.remark)});
    }
}

static const struct {
    const char *key, *label;
    struct verdict (*judge)(const struct grounds *grounds);
} rows[] = {{"got.fit", "Fit to measure on", fit},
            {"got.whole_core", "Whole cores", whole_cores},
            {"got.own_cores", "CPUs on own cores", own_cores},
            {"got.not_moved", "Host leaves them", host_leaves_them},
            {"got.as_claimed", "Topology as shown", as_shown},
            {"got.undisturbed", "Time of its own", undisturbed},
            {"got.steady", "Steady core clock", steady}};

void fitness_record(struct record *record, const struct record *seen, const struct cpu *cpu,
                    const struct topology *topology, const struct samples *ghz)
{
    struct grounds grounds = {.topology = topology,
                              .ghz = ghz,
                              .guest = cpu_may_be_guest(cpu),
                              .siblings_shown = topology->cpus > topology->cores && topology->cores > 0,
                              .seen = conditions_of(seen)};
    grounds.busy = grounds.seen.sibling_share >= BUSY_LEAST;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct verdict verdict = rows[i].judge(&grounds);
        record_answer(record, (struct answer){.key = rows[i].key,
                                              .label = rows[i].label,
                                              .value = verdict.value,
                                              .trust = TRUST_HIGH,
                                              .remark = *verdict.remark ? verdict.remark : NULL});
    }
    record_reasons(&grounds, record);
    RECORD_FACTS(record,
                 {"run.conditions.half_cores", .value = BOOL_CELL(!grounds.siblings_shown && grounds.busy)});
    shown_record(topology, record);
    bool boost;
    if (os_turbo(&boost))
        RECORD_FACTS(record, {"got.boost", "Boost", NULL, TEXT_CELL(boost ? "on" : "off")});
}
