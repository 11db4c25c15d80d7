/* SPDX-License-Identifier: MIT */
/* Places on an axis from the facts of the host: where CPUs lie, what they share, and where caches end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/plot/plot_internal.h"
#include "output/scratch.h"
#include "result/subject.h"

static const char *const place_levels[] = {"package", "node", "L3", "L2", "core", "kind"};

static const struct place *place_of(const struct record *record, int64_t cpu)
{
    const struct record *whole = record_whole(record);
    for (size_t i = 0; i < whole->places.count; i++) {
        if (whole->places.of[i].cpu == cpu)
            return &whole->places.of[i];
    }
    return NULL;
}

/* Whether the level has several groups, so that CPUs differ in it. A core counts only where two CPUs share
 * one. */
static bool differs_at(const struct record *record, const struct place *own, enum place_level level)
{
    bool several = false, shared = level != LEVEL_CORE;
    const struct record *whole = record_whole(record);
    for (size_t i = 0; i < whole->places.count; i++) {
        const struct place *other = &whole->places.of[i];
        const bool same = other->group[level] == own->group[level];
        several = several || !same;
        shared = shared || (same && other != own);
    }
    return several && shared;
}

/* "P", or "E", of a kind of core. */
static const char *kind_letter(const struct record *record, int kind)
{
    char path[48];
    snprintf(path, sizeof path, "host.kinds.%d.letter", kind);
    return fact_text(record_whole(record), path, "other kind");
}

const char *plot_cpu_text(const struct record *record, int64_t cpu)
{
    const struct place *place = place_of(record, cpu);
    const char *between = " (";
    struct text text = {0};
    text_printf(&text, "%lld", (long long)cpu);
    for (enum place_level level = LEVEL_PACKAGE; place && level < LEVEL_COUNT; level++) {
        if (level == LEVEL_L2 || place->group[level] < 0 || !differs_at(record, place, level))
            continue;
        if (level == LEVEL_KIND)
            text_printf(&text, "%s%s", between, kind_letter(record, place->group[level]));
        else
            text_printf(&text, "%s%s %d", between, place_levels[level], place->group[level]);
        between = ", ";
    }
    text_add(&text, *between == ',' ? ")" : "");
    return scratch_text(&text);
}

const char *plot_flags(const struct plot *plot)
{
    const struct table_spec *spec = plot->table->spec;
    struct cell flags = NO_CELL;
    struct text text = {0};
    if (!plot->flagged)
        return "";
    for (size_t i = 0; i < plot->list_count; i++) {
        const struct cell *cell = record_cell(plot->table, plot->list[i], spec->view.flag);
        const int64_t known = flags.type == CELL_FLAGS ? flags.integer : 0;
        flags = cell->type == CELL_FLAGS ? *cell : flags;
        flags.integer |= known;
    }
    if (flags.type == CELL_FLAGS)
        text_add_value(&text, &flags, NULL);
    else
        text_add_printable(&text,
                           spec->view.kind == VIEW_CURVE ? spec->columns[spec->view.flag].title : "flagged");
    return scratch_text(&text);
}

/* The name of a cell's place; NULL: the table has no places, or not of this cell. */
static const char *name_of_place(const struct plot *plot, const struct plot_cell *cell)
{
    const bool has_places = plot->of_cpus && plot->table->spec->view.class > 0;
    return has_places && cell->class != PLOT_BLANK ? plot->class[cell->class].name : NULL;
}

const char *plot_place(const struct plot *plot, const struct plot_cell *cell)
{
    const char *place = name_of_place(plot, cell);
    const int flag = plot->table->spec->view.flag;
    if (!cell->flagged)
        return place ? place : "";
    return spell("%s%s(%s)", place ? place : "", place ? " " : "",
                 plot_cell_text(plot->table->spec, flag, record_cell(plot->table, cell->row - 1, flag)));
}

const char *plot_place_sign(const struct plot *plot, const struct plot_cell *cell)
{
    if (!name_of_place(plot, cell))
        return cell->flagged ? "!" : "";
    return spell("%c", (cell->flagged ? 'A' : 'a') + cell->class);
}

const char *plot_place_signs(const struct plot *plot)
{
    struct text text = {0};
    const bool has_places = plot->of_cpus && plot->table->spec->view.class > 0 && plot->class_count > 0;
    for (size_t i = 0; has_places && i < plot->class_count; i++)
        text_printf(&text, "%s%c %s", i > 0 ? ", " : "", (char)('a' + i), plot->class[i].name);
    if (plot->flagged)
        text_printf(&text, "%s%s", has_places ? "; capital: " : "! = ", plot_flags(plot));
    return text.length > 0 ? scratch_text(&text) : "";
}

/* How many brackets the groups deserve; 0: there is one, they hold one CPU each, or they are those of the
 * outer level. */
static size_t brackets_of(const int *group_of, size_t count, const int *outer)
{
    size_t brackets = 1;
    for (size_t i = 1; i < count; i++)
        brackets += group_of[i] != group_of[i - 1];
    const bool same = outer && memcmp(group_of, outer, count * sizeof(*group_of)) == 0;
    return group_of[0] >= 0 && brackets > 1 && 2 * brackets <= count && !same ? brackets : 0;
}

void plot_group_cpus(struct plot *plot, const struct record *record)
{
    for (int level = 0; level < LEVEL_COUNT && plot->grouping_count < PLOT_GROUPINGS; level++) {
        const int count = plot->grouping_count;
        int *group_of = scratch_new(plot->y.count, sizeof(*group_of));
        for (size_t i = 0; i < plot->y.count; i++) {
            const double cpu = plot->y.label[i].number;
            const struct place *place = isnan(cpu) ? NULL : place_of(record, (int64_t)cpu);
            group_of[i] = place ? place->group[level] : -1;
        }
        const size_t brackets =
            brackets_of(group_of, plot->y.count, count ? plot->grouping[count - 1].group_of : NULL);
        if (brackets > 0)
            plot->grouping[plot->grouping_count++] =
                (struct plot_grouping){place_levels[level], group_of, brackets, level == LEVEL_KIND};
    }
}

const char *plot_group_name(const struct plot *plot, const struct plot_grouping *grouping, int group)
{
    return grouping->of_kinds ? spell("%s core", kind_letter(plot->table->record, group))
                              : spell("%s %d", grouping->word, group);
}

static void mark_size(struct plot *plot, const char *name, double bytes, bool is_exact)
{
    struct text label = {0};
    if (!(bytes >= plot->x.scale.low && bytes <= plot->x.scale.high))
        return;
    text_printf(&label, "%s, ", name);
    is_exact ? text_add_size(&label, (int64_t)bytes) : text_add_size_rounded(&label, (int64_t)bytes);
    plot->mark = scratch_more(plot->mark, plot->mark_count, sizeof(*plot->mark));
    plot->mark[plot->mark_count++] = (struct plot_mark){bytes, scratch_text(&label)};
}

void plot_mark_sizes(struct plot *plot, const struct record *record)
{
    struct host_cache cache;
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        const char *what = strrchr(answer->key, '.');
        if (answer->label && what && strcmp(what, ".bytes") == 0 && !answer_is_busy(answer) &&
            cell_has_value(&answer->high))
            mark_size(plot, answer->label, cell_number(&answer->value), false);
    }
    const bool is_found = plot->mark_count > 0;
    for (int i = 0; !is_found && subject_cache(record, i, &cache); i++) {
        const char name[] = {'L', (char)('0' + cache.level), '\0'};
        if (strcmp(cache.type, "instruction") != 0)
            mark_size(plot, name, (double)cache.bytes, true);
    }
}
