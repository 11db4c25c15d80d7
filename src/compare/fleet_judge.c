/* SPDX-License-Identifier: MIT */
/* Finds the machines that lie off the others: by one answer, by the median loss of a family, which an accident of one answer moves little,
 * and by that of all answers. Each is held against the same of the other machines (population.h): the fleet is its own model of noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "tables.h"
#include "uarchprobe/stats.h"

/* LEAST: machines to judge one by the others. TOGETHER: answers to judge together. MANY: machines of which one leaves no mark on the
 * distribution. */
enum { LEAST = POPULATION_LEAST + 1, TOGETHER = 4, MANY = POPULATION_SHARE };
/* The chance that any machine of a fleet is named by accident. */
static const double BY_CHANCE = 1e-3;
/* Smaller distances, as logarithms, name nobody, however sure they are: of one answer, of several. */
static const double OFF_ALONE = 0.05, OFF_TOGETHER = 0.03;
/* Of few machines these are named however likely by the heaviest tail: logarithms, and deviations, more of
 * them the fewer the machines are. */
static const double FEW_ALONE = 0.69, FEW_TOGETHER = 0.15, FEW_FAR_ALONE = 50, FEW_FAR_TOGETHER = 10,
                    FEW_LESS = 4;
/* What lies less than so many times further off than its family is said by that. */
static const double BESIDES = 2;
/* Whole numbers up to this are counts. */
static const double COUNT_MOST = 1e4;

static const uint32_t NOBODY = UINT32_MAX;

static int compare_points(const void *a, const void *b)
{
    const struct point *first = a, *second = b;
    if (first->set != second->set)
        return first->set < second->set ? -1 : 1;
    return (first->machine > second->machine) - (first->machine < second->machine);
}

static int compare_values(const void *a, const void *b)
{
    const struct point *first = a, *second = b;
    return (first->value > second->value) - (first->value < second->value);
}

/* Makes the points of a machine in a set one, their median, from `begin` on; fewer than `least` of them are dropped. Finds the sets. */
static void merge(struct fleet *fleet, size_t begin, size_t least)
{
    struct point *point = fleet->points.of;
    struct samples own = {0};
    size_t kept = begin;
    if (fleet->points.count > begin)
        qsort(point + begin, fleet->points.count - begin, sizeof(*point), compare_points);
    for (size_t i = begin, end; i < fleet->points.count; i = end) {
        struct set *set = fleet->sets.of[point[i].set];
        own.count = 0;
        for (end = i; end < fleet->points.count && compare_points(&point[end], &point[i]) == 0; end++)
            samples_add(&own, (double)point[end].value);
        if (own.count < least)
            continue;
        const double value = quantile_reordering(own.value, own.count, 0.5);
        set->begin = set->count == 0 ? kept : set->begin;
        set->is_count =
            (set->count == 0 || set->is_count) && set->unit && value == floor(value) && value < COUNT_MOST;
        set->count++;
        point[kept] = point[i];
        point[kept++].value = (float)value;
    }
    fleet->points.count = kept;
    samples_free(&own);
}

/* Measures the sets of a group, without one machine. They share the shape of their tails: a median has no heavier one than its answers. */
static void measure(const struct fleet *fleet, struct set *group, uint32_t but)
{
    struct {
        LIST(struct population);
    } all = {0};
    struct samples value = {0};
    for (const struct set *set = group; set; set = set->next) {
        value.count = 0;
        for (size_t k = set->begin; k < set->begin + set->count; k++)
            if (fleet->points.of[k].machine != but)
                samples_add(&value, (double)fleet->points.of[k].value);
        const double step = set->is_count ? 0.5 / median_of(value.value, value.count) : 0;
        LIST_ADD(all, population_of(value.value, value.count, step));
    }
    population_share(all.of, all.count);
    all.count = 0;
    for (struct set *set = group; set; set = set->next)
        set->of = all.of[all.count++];
    samples_free(&value);
    free(all.of);
}

/* Adds the median losses of a family, or of all answers of a group, to the median machine. */
static void add_losses(struct fleet *fleet, const struct set *of)
{
    const size_t begin = fleet->points.count;
    for (const struct set *set = fleet->sets.of[of->group]; set; set = set->next) {
        const enum direction way = direction_of_unit(set->unit);
        if (!set->unit || (set->family != of->number && set->group != of->number) || way == DIRECTION_NONE ||
            set->is_count || set->of.count < LEAST)
            continue;
        for (size_t k = set->begin; k < set->begin + set->count; k++) {
            const struct point point = fleet->points.of[k];
            const double off = way * population_off(&set->of, (double)point.value);
            LIST_ADD(fleet->points, ((struct point){of->number, point.machine, (float)exp(off)}));
        }
    }
    merge(fleet, begin, TOGETHER);
}

/* How far a value lies from the middle of its set, and from where on that names its machine: logarithms. */
struct distance {
    struct set *set;
    struct machine *machine;
    double value, off, limit;
};

struct distances {
    LIST(struct distance);
};

/* The distance from which on a set names a machine, as a logarithm. Of few machines, each answer of which may have a heavy tail, the chance
 * alone would name nobody: what lies far off by other measures is named, too. */
static double limit_of(const struct fleet *fleet, const struct set *set, bool many)
{
    const bool alone = set->unit != NULL;
    const double limit = fmax(population_far(&set->of, fleet->chance), alone ? OFF_ALONE : OFF_TOGETHER);
    const double times = (alone ? FEW_FAR_ALONE : FEW_FAR_TOGETHER) * (1 + FEW_LESS / (double)set->of.count);
    const double far = times * set->of.deviation + set->of.least;
    return many || isinf(limit) ? limit : fmin(limit, fmax(far, alone ? FEW_ALONE : FEW_TOGETHER));
}

/* Judges the machines of a group, or one by the others; adds the outliers, and counts what was judged. */
static void judge_machines(struct fleet *fleet, struct set *group, uint32_t only, struct distances *outliers)
{
    measure(fleet, group, only);
    for (struct set *set = group; set; set = set->next) {
        const double limit = limit_of(fleet, set, only == NOBODY);
        set->limit = fmax(set->limit, limit);
        for (size_t k = set->begin; k < set->begin + set->count; k++) {
            const struct point *point = &fleet->points.of[k];
            struct machine *machine = fleet->machines.of[point->machine];
            const double value = (double)point->value, off = population_off(&set->of, value);
            if (only != NOBODY && point->machine != only)
                continue;
            machine->values += set->unit != NULL;
            machine->judged += set->unit && isfinite(limit);
            machine->worst = fmax(machine->worst, fabs(off) / limit);
            if (fabs(off) > limit)
                LIST_ADD(*outliers, ((struct distance){set, machine, value, off, limit}));
        }
    }
}

/* Whether most answers of a machine were compared with others. */
static bool is_judged(const struct machine *machine)
{
    return machine->judged > 0 && 2 * machine->judged >= machine->values + machine->refused / machine->runs;
}

/* The worst machine first, what it does worst first, several answers before one. */
static int compare_outliers(const void *a, const void *b)
{
    const struct distance *first = a, *second = b;
    const double worst[] = {first->machine->worst, second->machine->worst};
    if (first->machine != second->machine && worst[0] != worst[1])
        return worst[0] < worst[1] ? 1 : -1;
    if (first->machine != second->machine)
        return first->machine->number < second->machine->number ? -1 : 1;
    if (!first->set->unit != !second->set->unit)
        return first->set->unit ? 1 : -1;
    return (fabs(first->off) < fabs(second->off)) - (fabs(first->off) > fabs(second->off));
}

/* An answer stands by its value, several by their time over that of the median. Whose family stands is not repeated. */
static void add_outliers(const struct fleet *fleet, const struct distances *outliers)
{
    if (outliers->count > 0)
        qsort(outliers->of, outliers->count, sizeof(*outliers->of), compare_outliers);
    const size_t table = record_table_add(fleet->record, &table_specs[OUTLIERS]);
    for (size_t i = 0, first = 0; i < outliers->count; i++) {
        const struct distance *own = &outliers->of[i];
        const struct set *set = own->set;
        const char *unit = "times the time";
        const bool is_new = i == 0 || outliers->of[i - 1].machine != own->machine;
        bool said = false;
        first = is_new ? i : first;
        for (size_t k = first; k < i; k++) {
            const struct distance *wide = &outliers->of[k];
            said |= (wide->set->number == set->group || wide->set->number == set->family) &&
                    wide->set != set && fabs(own->off) < BESIDES * fabs(wide->off);
        }
        if (is_new)
            record_answer(fleet->record, (struct answer){.key = "fleet.outlier",
                                                         .value = TEXT_CELL(own->machine->name),
                                                         .trust = TRUST_HIGH});
        if (said)
            continue;
        const double middle = own->value / exp(own->off);
        const double median = set->unit ? value_shown(middle, set->unit, &unit) : middle;
        record_row(fleet->record, table,
                   (const struct cell[]){TEXT_CELL(own->machine->name),
                                         TEXT_CELL(set->number == set->group ? "all findings" : set->name),
                                         REAL_CELL(exp(own->off) * median), REAL_CELL(median),
                                         REAL_CELL(100 * expm1(own->off)), REAL_CELL(100 * expm1(own->limit)),
                                         TEXT_CELL(unit)});
    }
}

/* The share from which on a set names a machine, in percent; NaN: none, or more than as much again. */
static double share_named(const struct set *set)
{
    const double share = expm1(set->limit);
    return share > 0 && share <= 1 ? 100 * share : NAN;
}

/* Adds the limits of each family of a group, one answer off by that of its least sensitive; names the families that name nobody. */
static void add_families(const struct fleet *fleet, const struct set *group, size_t table, struct text *blind)
{
    for (const struct set *family = group; family; family = family->next) {
        double alone = 0;
        size_t answers = 0, named = 0;
        for (const struct set *set = group; set; set = set->next) {
            const double share = set->unit ? share_named(set) : NAN;
            answers += set->unit && set->family == family->number;
            named += !isnan(share) && set->family == family->number;
            alone = set->family == family->number ? fmax(alone, share) : alone;
        }
        const double together = share_named(family);
        alone = 2 * named >= answers && family != group ? alone : NAN;
        if (family->unit)
            continue;
        if (isnan(alone) && isnan(together) && family != group)
            text_printf(blind, "%s%s", blind->length ? ", " : "", family->name);
        record_row(fleet->record, table,
                   (const struct cell[]){TEXT_CELL(family == group ? "all findings" : family->name),
                                         TEXT_CELL(fleet->groups > 1 ? group->name : NULL), REAL_CELL(alone),
                                         REAL_CELL(together)});
    }
}

/* Adds the machines in the order of a set's values: all of them, or a hundred of many and the outliers. */
static void add_distribution(struct fleet *fleet, const struct set *set, size_t table, size_t most)
{
    if (set->count == 0)
        return;
    struct point *point = fleet->points.of + set->begin;
    qsort(point, set->count, sizeof(*point), compare_values);
    for (size_t i = 0; i < set->count; i++) {
        const struct machine *machine = fleet->machines.of[point[i].machine];
        const bool outlier = machine->worst > 1;
        if (set->count > most && i % (set->count / most) != 0 && i + 1 < set->count && !outlier)
            continue;
        record_row(fleet->record, table,
                   (const struct cell[]){REAL_CELL(100 * ((double)i + 0.5) / (double)set->count),
                                         TEXT_CELL(fleet->sets.of[set->group]->name),
                                         TEXT_CELL(machine->name),
                                         REAL_CELL(100 * ((double)point[i].value / exp(set->of.middle) - 1)),
                                         TEXT_CELL(outlier ? machine->name : NULL)});
    }
}

/* A picture of each family: of its losses, or of its answer where it has but one or two. */
static void add_pictures(struct fleet *fleet, const struct set *group)
{
    enum { SHOWN = 100 };
    for (const struct set *family = group->next; family; family = family->next) {
        const struct set *of = family;
        for (const struct set *set = group; set && of->count == 0; set = set->next)
            of = set->family == family->number && set->count > 0 ? set : of;
        if (family->unit || of->count < LEAST)
            continue;
        struct table_spec *spec = record_own_bytes(fleet->record, &table_specs[DISTRIBUTION], sizeof(*spec));
        struct text text = {0};
        text_printf(&text, "%s%s%s, off the median", of->name, fleet->groups > 1 ? ", " : "",
                    fleet->groups > 1 ? group->name : "");
        spec->title = record_own(fleet->record, text_take(&text));
        text_printf(&text, "fleet.%u", family->number);
        spec->name = record_own(fleet->record, text_take(&text));
        add_distribution(fleet, of, record_table_add(fleet->record, spec), SHOWN);
    }
}

static enum status add_verdict(struct fleet *fleet, size_t judged, size_t outliers, const struct text *blind)
{
    static const struct {
        const char *word, *before;
    } says[] = {[STATUS_OK] = {"same", ""},
                [STATUS_FAILED] = {"outliers", ""},
                [STATUS_USAGE] = {"nothing to compare", "NO VERDICT  "},
                [STATUS_UNTRUSTED] = {"cannot tell", "UNDECIDED  "}};
    const size_t count = fleet->machines.count;
    struct text text = {0}, subject = {0};
    const enum status status = outliers             ? STATUS_FAILED
                               : !judged            ? STATUS_USAGE
                               : 2 * judged < count ? STATUS_UNTRUSTED
                                                    : STATUS_OK;
    text_printf(&text, "%s%zu outlier%s among %zu machines in %zu group%s", says[status].before, outliers,
                outliers == 1 ? "" : "s", count, fleet->groups, fleet->groups == 1 ? "" : "s");
    if (judged < count)
        text_printf(&text, "; not judged: %zu, of too few alike (%d at least) or without values",
                    count - judged, LEAST);
    if (blind->length > 0 && judged > 0)
        text_printf(&text, "; too noisy to name one: %s", blind->data);
    record_answer(fleet->record, (struct answer){.key = "compare.verdict",
                                                 .value = TEXT_CELL(says[status].word),
                                                 .trust = TRUST_HIGH,
                                                 .text = text.data});
    record_answer_first(fleet->record, 0);
    text_printf(&subject, "%zu machines", count);
    RECORD_FACTS(fleet->record, {"run.subject", .value = TEXT_CELL(subject.data)});
    text_free(&subject);
    text_free(&text);
    return status;
}

enum status fleet_judge(struct fleet *fleet)
{
    struct distances outliers = {0};
    struct text blind = {0};
    struct set *const *set = fleet->sets.of;
    struct machine *const *machine = fleet->machines.of;
    size_t judged = 0, named = 0, tables[MACHINES + 1];
    merge(fleet, 0, 1);
    for (size_t i = 0; i < fleet->sets.count; i++)
        if (set[i]->group == i)
            measure(fleet, set[i], NOBODY);
    for (size_t i = 0; i < fleet->sets.count; i++)
        if (!set[i]->unit)
            add_losses(fleet, set[i]);
    fleet->chance = BY_CHANCE / fmax((double)fleet->points.count, 1);
    for (size_t i = 0; i < fleet->sets.count; i++)
        if (set[i]->group == i && set[i]->machines >= MANY)
            judge_machines(fleet, set[i], NOBODY, &outliers);
    for (uint32_t i = 0; i < fleet->machines.count; i++) {
        struct set *group = set[machine[i]->group];
        if (group->machines < MANY) /* among few a machine would hide itself */
            judge_machines(fleet, group, i, &outliers);
        group->judged += is_judged(machine[i]);
        group->outliers += machine[i]->worst > 1;
        judged += is_judged(machine[i]);
        named += machine[i]->worst > 1;
    }
    add_outliers(fleet, &outliers);
    for (int i = FAMILIES; i <= MACHINES; i++)
        tables[i] = record_table_add(fleet->record, &table_specs[i]);
    for (size_t i = 0; i < fleet->sets.count; i++) {
        if (set[i]->group != i)
            continue;
        record_row(fleet->record, tables[GROUPS],
                   (const struct cell[]){TEXT_CELL(set[i]->name), INTEGER_CELL(set[i]->machines),
                                         INTEGER_CELL(set[i]->judged), INTEGER_CELL(set[i]->outliers)});
        if (set[i]->machines >= LEAST)
            add_families(fleet, set[i], tables[FAMILIES], &blind);
        add_distribution(fleet, set[i], tables[MACHINES], SIZE_MAX);
        add_pictures(fleet, set[i]);
    }
    const enum status status = add_verdict(fleet, judged, named, &blind);
    free(outliers.of);
    text_free(&blind);
    return status;
}
