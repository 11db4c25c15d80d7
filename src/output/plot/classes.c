/* SPDX-License-Identifier: MIT */
/* Which cell of a heat map has which shade: that of its class, else that of its value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/keys.h"
#include "output/plot/plot_internal.h"
#include "uarchprobe/stats.h"

static size_t cells_in(const struct plot *plot)
{
    return plot->x.count * plot->y.count;
}

/* Values of the cells of that shade, PLOT_BLANK: of all that count. Returns how many there are. */
static size_t add_values(const struct plot *plot, int shade, double *value, size_t count)
{
    for (size_t i = 0; i < cells_in(plot); i++) {
        const struct plot_cell *cell = &plot->cell[i];
        if (!isnan(cell->value) && !cell->aside && (shade == PLOT_BLANK || cell->shade == shade))
            value[count++] = cell->value;
    }
    return count;
}

/* The step of the clock, where the values are its times. */
static double clock_step(const struct plot *plot, const struct record *record)
{
    const struct fact *step = record_fact_find(record, "clock.resolution_ns");
    return step && plot->value.unit && strcmp(plot->value.unit, "ns") == 0 ? cell_number(&step->value) : 0;
}

/* A few cells far out must not take the colours from all others. */
static void measure(struct plot *plot)
{
    double *value = memory_zeroed(plot->measured, sizeof(*value));
    const size_t count = add_values(plot, PLOT_BLANK, value, 0);
    plot->median = median_of(value, count);
    plot->value.scale = scale_make(quantile_of(value, count, 0.002), quantile_of(value, count, 0.995),
                                   plot->table->spec->view.log_value);
    plot->flat = (plot->least > 0 && plot->most < 1.1 * plot->least) ||
                 plot->most - plot->least < 2.01 * clock_step(plot, plot->table->record);
    free(value);
}

static void shade_by_value(struct plot *plot)
{
    for (size_t i = 0; i < plot->class_count; i++)
        free(plot->class[i].name);
    plot->class_count = 0;
    for (size_t i = 0; i < cells_in(plot); i++) {
        struct plot_cell *cell = &plot->cell[i];
        const double step = scale_share(&plot->value.scale, cell->value) * PLOT_STEPS;
        cell->shade = isnan(cell->value) ? PLOT_BLANK
                      : plot->flat       ? PLOT_FLAT
                                         : (unsigned char)fmin(step, PLOT_STEPS - 1);
    }
    plot->shaded = plot->measured;
}

/* A class of all maps of a table. Until the shade of a cell is that in its own map, it is the key of its class. */
struct rank {
    unsigned char key;
    char *name;
    double median;
    struct rgb color;
};

static void number_classes(struct keys *keys, struct plot *plot)
{
    for (size_t i = 0; i < cells_in(plot); i++) {
        const uint32_t row = isnan(plot->cell[i].value) ? 0 : plot->cell[i].row;
        const struct cell *class =
            row ? record_cell(plot->table, row - 1, plot->table->spec->view.class) : &NO_CELL;
        if (cell_has_value(class))
            plot->cell[i].shade = (unsigned char)fmin((double)keys_index(keys, *class), PLOT_BLANK);
    }
}

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *left = a, *right = b;
    if (left->median != right->median)
        return left->median < right->median ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* By the median of their cells in all maps. */
static struct rank *rank_classes(const struct keys *keys, const struct plot *plots,
                                 const struct table_spec *spec, size_t count)
{
    struct rank *rank = memory_zeroed(keys->count, sizeof(*rank));
    double *value = NULL;
    for (size_t i = 0, measured = 0; i < count; i++)
        value = memory_grow(value, (measured += plots[i].measured) * sizeof(*value));
    for (size_t key = 0; key < keys->count; key++) {
        size_t values = 0;
        for (size_t i = 0; i < count; i++)
            values = add_values(&plots[i], (int)key, value, values);
        rank[key].key = (unsigned char)key;
        rank[key].name = plot_cell_text(spec, spec->view.class, &keys->value[key]);
        rank[key].median = median_of(value, values);
    }
    free(value);
    qsort(rank, keys->count, sizeof(*rank), compare_ranks);
    for (size_t i = 0; i < keys->count; i++)
        rank[i].color = color_at(keys->count > 1 ? (double)i / (double)(keys->count - 1) : 0);
    return rank;
}

/* Those that occur, in the order of all. False: there are none, or too many to look different. */
static bool shade_by_class(struct plot *plot, const struct rank *rank, size_t ranks)
{
    bool occurs[PLOT_BLANK + 1] = {false};
    unsigned char shade_of[PLOT_BLANK + 1];
    size_t classes = 0;
    memset(shade_of, PLOT_BLANK, sizeof(shade_of));
    for (size_t i = 0; i < cells_in(plot); i++)
        occurs[plot->cell[i].shade] = true;
    for (size_t i = 0; i < ranks; i++) {
        if (!occurs[rank[i].key])
            continue;
        if (classes == PLOT_CLASSES)
            return false;
        plot->class[classes].color = rank[i].color;
        plot->class[classes].name = text_copy_valid(rank[i].name);
        plot->class_count = classes + 1;
        shade_of[rank[i].key] = (unsigned char)classes++;
    }
    for (size_t i = 0; i < cells_in(plot); i++) {
        plot->cell[i].shade = shade_of[plot->cell[i].shade];
        plot->shaded += plot->cell[i].shade != PLOT_BLANK;
    }
    double *value = memory_zeroed(plot->measured, sizeof(*value));
    for (size_t i = 0; i < classes; i++) {
        plot->class[i].cells = add_values(plot, (int)i, value, 0);
        plot->class[i].median = median_of(value, plot->class[i].cells);
    }
    free(value);
    return classes > 0;
}

/* Maps of several machines have the colours of one scale. */
static void share_scale(struct plot *plots, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    bool flat = true;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, plots[i].value.scale.low);
        high = fmax(high, plots[i].value.scale.high);
        flat &= plots[i].flat;
    }
    for (size_t i = 0; i < count; i++) {
        plots[i].value.scale = scale_make(low, high, plots[i].value.scale.log);
        plots[i].flat = flat && high < 1.1 * low;
    }
}

void plot_classify(struct plot *plots, size_t count)
{
    struct keys keys = {0};
    for (size_t i = 0; i < count; i++) {
        if (plots[i].kind != PLOT_HEAT_MAP)
            continue;
        measure(&plots[i]);
        if (plots[i].classed)
            number_classes(&keys, &plots[i]);
    }
    if (count > 0 && plots[0].aside && plots[0].kind == PLOT_HEAT_MAP)
        share_scale(plots, count);
    const bool usable = keys.count > 0 && keys.count <= PLOT_BLANK;
    struct rank *rank = usable ? rank_classes(&keys, plots, plots[0].table->spec, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        if (plots[i].kind == PLOT_HEAT_MAP && (!usable || !shade_by_class(&plots[i], rank, keys.count)))
            shade_by_value(&plots[i]);
    }
    for (size_t i = 0; usable && i < keys.count; i++)
        free(rank[i].name);
    free(rank);
    keys_free(&keys);
}

double plot_class_share(const struct plot *plot, size_t class)
{
    size_t all = 0;
    for (size_t i = 0; i < plot->class_count; i++)
        all += plot->class[i].cells;
    return (double)plot->class[class].cells / (double)all;
}

int plot_shades(const struct plot *plot)
{
    return plot->class_count > 0 ? (int)plot->class_count : PLOT_STEPS;
}

struct rgb plot_color(const struct plot *plot, int shade)
{
    return plot->class_count > 0 ? plot->class[shade].color : color_at((shade + 0.5) / PLOT_STEPS);
}
