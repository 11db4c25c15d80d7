/* SPDX-License-Identifier: MIT */
#include "cli/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/dram.h"
#include "result/subject.h"

/* What was claimed and what was found. */
struct grounds {
    const struct record *record;
    const struct topology *topology;
    bool guest, siblings_shown;
    double busy;        /* share of the time that found a sibling busy, of all commands; NaN: unknown */
    double seconds;     /* that pairs of CPUs were looked at; NaN: they were not */
    double changes;     /* of their distance */
    double shared_core; /* share of the looks that found two cores to be one; 0: none */
    double hidden_l3;   /* groups of CPUs below the one L3 that is shown; 0: none */
};

static double number_of(const struct record *record, const char *path)
{
    return record ? record_fact_number(record, path) : NAN;
}

static const struct answer *answer_of_child(const struct record *child, const char *key)
{
    return child ? record_answer_find(child, key, NULL) : NULL;
}

static double found(const struct record *record, const char *key)
{
    const struct answer *answer = answer_of_child(record, key);
    return answer ? cell_number(&answer->value) : 0;
}

static const struct record *child_of(const struct record *record, const char *command)
{
    for (size_t i = 0; i < record->children.count; i++) {
        const struct fact *name = record_fact_find(record->children.of[i], "run.command");
        if (name && strcmp(cell_text(&name->value), command) == 0)
            return record->children.of[i];
    }
    return NULL;
}

static struct grounds grounds_of(const struct record *record, const struct cpu *cpu,
                                 const struct topology *topology)
{
    const struct record *pairs = child_of(record, "core-latency");
    const double changes = number_of(pairs, "run.placement_changes");
    const bool paired = pairs && (pairs->answers.count > 0 || changes > 0);
    return (struct grounds){
        .record = record,
        .topology = topology,
        .guest = cpu_may_be_guest(cpu),
        .siblings_shown = topology->cpus > topology->cores && topology->cores > 0,
        .busy = conditions_sibling_share(record),
        .seconds = paired ? number_of(pairs, "run.seconds") : NAN,
        .changes = changes,
        .shared_core = found(pairs, "placement.shared_core"),
        .hidden_l3 = found(pairs, "placement.hidden_l3"),
    };
}

/* A halved sweep in two hundred is a neighbour; fewer may be a slip of the witness. */
static bool is_busy(const struct grounds *grounds)
{
    return grounds->busy >= 0.005;
}

static void whole_core(const struct grounds *grounds, struct text *answer)
{
    if (grounds->siblings_shown && is_busy(grounds))
        text_printf(answer,
                    "no, a CPU is a thread of a core, as shown; the other was busy %.0f %% of the time",
                    100 * grounds->busy);
    else if (grounds->siblings_shown)
        text_add(answer, "no, a CPU is a thread of a core, as shown");
    else if (is_busy(grounds))
        text_printf(answer, "no, one thread of it: a neighbour on the other was busy %.0f %% of the time",
                    fmax(1, 100 * grounds->busy));
    else if (isnan(grounds->busy))
        text_add(answer, "cannot tell: the store buffer, which a neighbour halves, was not resolved");
    else if (grounds->guest)
        text_add(answer,
                 "cannot tell: no neighbour was busy meanwhile, which does not prove that there is none");
    else
        text_add(answer, "yes: no SMT sibling is shown, and none was seen");
}

/* Of 20 runs of 3 s on a guest of which the host moves the CPUs, 9 saw none of it. */
static const double NO_AFTER_S = 10;

static void not_seen(const struct grounds *grounds, struct text *answer)
{
    if (grounds->seconds >= NO_AFTER_S)
        text_printf(answer, "no, not within %.2g s", grounds->seconds);
    else
        text_printf(answer, "not seen (%.2g s); uarchprobe core-latency --duration 60 measures longer",
                    grounds->seconds);
}

static void share_cores(const struct grounds *grounds, struct text *answer)
{
    if (grounds->siblings_shown)
        text_add(answer, "yes, SMT siblings do, as shown");
    else if (grounds->shared_core > 0)
        text_printf(answer, "yes, two shown as separate cores were on one in %.2g %% of the looks",
                    100 * grounds->shared_core);
    else if (grounds->topology->place_count < 2)
        text_add(answer, "no: there is one CPU");
    else if (!grounds->guest)
        text_add(answer, "no: each is shown as a core, and there is no hypervisor");
    else if (isnan(grounds->seconds))
        text_add(answer, "cannot tell: pairs of CPUs were not measured");
    else
        not_seen(grounds, answer);
}

static void moved(const struct grounds *grounds, struct text *answer)
{
    if (grounds->changes > 0)
        text_printf(answer, "yes, pairs changed their distance %.0f times in %.2g s", grounds->changes,
                    grounds->seconds);
    else if (!grounds->guest)
        text_add(answer, "no: there is no hypervisor");
    else if (isnan(grounds->changes) || isnan(grounds->seconds))
        text_add(answer, "cannot tell: pairs of CPUs were not measured");
    else
        not_seen(grounds, answer);
}

static void as_claimed(const struct grounds *grounds, struct text *answer)
{
    const bool half = !grounds->siblings_shown && is_busy(grounds);
    if (half || grounds->shared_core > 0 || grounds->hidden_l3 > 0) {
        text_printf(answer, "no: %d cores, %d L3 are shown; found: %s", grounds->topology->cores,
                    grounds->topology->l3_groups,
                    half                       ? "threads of cores that are shared with others"
                    : grounds->shared_core > 0 ? "cores that are one"
                                               : "as many cores");
        if (grounds->hidden_l3 > 0)
            text_printf(answer, ", at least %.0f L3", grounds->hidden_l3);
    } else if (isnan(grounds->seconds) || isnan(grounds->busy)) {
        text_add(answer, "cannot tell: too little was measured");
    } else {
        text_add(answer, "yes, as far as seen");
    }
}

static void add_speed(struct text *out, const struct answer *answer, const char *by)
{
    if (answer)
        text_printf(out, "%s%.3g GiB/s by %s%s", out->length ? ", " : "",
                    cell_number(&answer->value) / (1 << 30), by,
                    answer->trust == TRUST_LOW ? " (low trust)" : "");
}

/* What one thread can read, and what all can together. */
static void memory(const struct grounds *grounds, struct text *answer)
{
    const struct record *ram = child_of(grounds->record, "ram");
    char all[32];
    snprintf(all, sizeof(all), "all %d CPUs", grounds->topology->place_count);
    add_speed(answer, answer_of_child(ram, DRAM_BY_ONE), "one thread");
    add_speed(answer, answer_of_child(ram, DRAM_BY_ALL), all);
    if (answer->length == 0)
        text_add(answer, "not measured: run uarchprobe ram");
}

/* From far to near. */
static const char *const level_names[] = {"package", "node", "L3", "core"};
enum { LEVELS = 4, L3 = 2, CORE = 3, GROUPS_SHOWN = 8 };

static int group_at(const struct cpu_place *place, int level)
{
    return (const int[LEVELS]){place->package, place->node, place->l3, place->core}[level];
}

/* "{0-3,8}" */
static void add_group(struct text *out, const struct topology *topology, int level, int number)
{
    char cpus[256];
    struct topology group = {.place = memory_zeroed((size_t)topology->place_count, sizeof *group.place)};
    for (int i = 0; i < topology->place_count; i++) {
        if (group_at(&topology->place[i], level) == number)
            group.place[group.place_count++] = topology->place[i];
    }
    topology_allowed_text(&group, cpus, sizeof(cpus));
    text_printf(out, " {%s}", cpus);
    free(group.place);
}

static bool is_first_of_group(const struct topology *topology, int level, int index)
{
    const int group = group_at(&topology->place[index], level);
    for (int i = 0; i < index; i++) {
        if (group_at(&topology->place[i], level) == group)
            return false;
    }
    return group >= 0;
}

/* Groups that are those of the level before, as the nodes of most machines are its packages, are not worth a word. */
static int add_level(struct text *out, const struct topology *topology, int level, int before)
{
    int count = 0;
    for (int i = 0; i < topology->place_count; i++)
        count += is_first_of_group(topology, level, i);
    if (count == 0 || (count == before && level < L3))
        return before;
    text_add(out, out->length ? "; " : "");
    if (level == CORE && count == topology->place_count) {
        text_add(out, "each CPU shown as a core");
        return count;
    }
    text_add(out, level_names[level]);
    for (int i = 0, shown = 0; i < topology->place_count && shown < GROUPS_SHOWN; i++) {
        if (is_first_of_group(topology, level, i) && ++shown)
            add_group(out, topology, level, group_at(&topology->place[i], level));
    }
    if (count > GROUPS_SHOWN)
        text_printf(out, " and %d more", count - GROUPS_SHOWN);
    return count;
}

/* Those of data, as the machine shows them. */
static void caches(const struct grounds *grounds, struct text *answer)
{
    const struct topology *topology = grounds->topology;
    for (int i = 0; i < topology->cache_count; i++) {
        const struct cache *cache = &topology->cache[i];
        if (cache->type == 'i')
            continue;
        text_printf(answer, "%sL%d ", answer->length ? ", " : "", cache->level);
        text_add_size_rounded(answer, (int64_t)cache->bytes);
    }
    if (answer->length == 0)
        text_add(answer, "cannot tell: the system does not show them");
    else
        text_printf(answer, "; lines of %llu bytes", (unsigned long long)topology_line_bytes(topology));
}

static void where(const struct grounds *grounds, struct text *answer)
{
    for (int level = 0, count = 1; level < LEVELS; level++)
        count = add_level(answer, grounds->topology, level, count);
    if (answer->length == 0)
        text_add(answer, "cannot tell: the system does not show it");
}

static const struct {
    const char *path;
    void (*answer)(const struct grounds *grounds, struct text *answer);
} answers[] = {{"got.whole_core", whole_core}, {"got.share_cores", share_cores}, {"got.moved", moved},
               {"got.as_claimed", as_claimed}, {"got.caches", caches},           {"got.where", where},
               {"got.memory", memory}};

void got_record(struct record *record, const struct cpu *cpu, const struct topology *topology)
{
    const struct grounds grounds = grounds_of(record, cpu, topology);
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct text answer = {0};
        answers[i].answer(&grounds, &answer);
        RECORD_FACTS(record,
                     {answers[i].path, subject_question(answers[i].path), NULL, TEXT_CELL(answer.data)});
        text_free(&answer);
    }
}
