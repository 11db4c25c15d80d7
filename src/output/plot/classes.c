/* SPDX-License-Identifier: MIT */
/* Chooses the colour of each cell of a heat map: that of its class, a little lighter or darker by its
 * value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/keys.h"
#include "output/plot/plot_internal.h"
#include "output/scratch.h"
#include "uarchprobe/stats.h"

/* Ranges of a map without classes; most CPUs named as outliers; the ratio of a step of lightness; and that of
 * a CPU's pairs to their class from which it is named. */
enum { RANGES = 8, OUTLIERS_MOST = 4 };
static const double STEP_RATIO = 1.1, OUTLIER_RATIO = 1.1;
/* The part of the colour map that classes use, so that steps can darken the highest. */
static const double DARKEST = 0.85;

static size_t cells_in(const struct plot *plot)
{
    return plot->kind == PLOT_HEAT_MAP ? plot->x.count * plot->y.count : 0;
}

static bool counts(const struct plot_cell *cell)
{
    return !isnan(cell->value) && !cell->aside;
}

/* Appends the values of a class (PLOT_BLANK: of all) that count in statistics. Returns how many values
 * there are. */
static size_t add_values(const struct plot *plot, int class, double *value, size_t count)
{
    for (size_t i = 0; i < cells_in(plot); i++) {
        const struct plot_cell *cell = &plot->cell[i];
        if (counts(cell) && (class == PLOT_BLANK || cell->class == class))
            value[count++] = cell->value;
    }
    return count;
}

/* The step of the clock, if the values are times that it measured. */
static double clock_step(const struct plot *plot)
{
    const struct fact *step = record_fact_find(plot->table->record, "clock.resolution_ns");
    return step && plot->value.unit && strcmp(plot->value.unit, "ns") == 0 ? cell_number(&step->value) : 0;
}

/* A class of all maps of a table; until classes are ranked, the class of a cell is the key of its rank. */
struct rank {
    unsigned char key;
    const char *name;
    double median;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *left = a, *right = b;
    if (left->median != right->median)
        return left->median < right->median ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Names classes by the column of classes. 0: there are none, or too many for distinct colours. */
static size_t name_classes(struct plot *plots, size_t count, struct rank rank[PLOT_CLASSES])
{
    const struct table_spec *spec = plots->table->spec;
    const int column = spec->view.class;
    struct keys keys = {0};
    for (size_t i = 0; i < count && column > 0 && column < spec->column_count; i++) {
        for (size_t j = 0; j < cells_in(&plots[i]) && keys.count <= PLOT_CLASSES; j++) {
            struct plot_cell *cell = &plots[i].cell[j];
            const struct cell *class = cell->row && !isnan(cell->value)
                                           ? record_cell(plots->table, cell->row - 1, column)
                                           : &NO_CELL;
            cell->class = cell_has_value(class) ? (unsigned char)keys_index(&keys, *class) : PLOT_BLANK;
        }
    }
    const size_t named = keys.count <= PLOT_CLASSES ? keys.count : 0;
    for (size_t i = 0; i < named; i++)
        rank[i] = (struct rank){(unsigned char)i, plot_cell_text(spec, column, &keys.value[i]), 0};
    return named;
}

/* Divides the interval of the values into equal parts, without a few far values, which would take the colours
 * from all others. Values that differ by no more than noise are one range. */
static size_t name_ranges(struct plot *plots, size_t count, double *value, struct rank rank[PLOT_CLASSES])
{
    const struct plot_axis *axis = &plots->value;
    size_t values = 0;
    for (size_t i = 0; i < count; i++)
        values = add_values(&plots[i], PLOT_BLANK, value, values);
    const double least = quantile_of(value, values, 0), most = quantile_of(value, values, 1);
    const bool flat = (least > 0 && most < 1.1 * least) || most - least < 2.01 * clock_step(plots);
    const size_t ranges = flat ? 1 : RANGES;
    const struct scale scale =
        scale_make(quantile_of(value, values, 0.002), quantile_of(value, values, 0.995),
                   plots->table->spec->view.log_value);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < cells_in(&plots[i]); j++) {
            struct plot_cell *cell = &plots[i].cell[j];
            const double at = scale_share(&scale, cell->value) * (double)ranges;
            cell->class = isnan(cell->value) ? PLOT_BLANK : (unsigned char)fmin(at, (double)ranges - 1);
        }
    }
    for (size_t i = 0; i < ranges; i++) {
        const double from = i > 0 ? scale_value(&scale, (double)i / RANGES) : least;
        const double to = i + 1 < ranges ? scale_value(&scale, (double)(i + 1) / RANGES) : most;
        rank[i] = (struct rank){(unsigned char)i,
                                spell("%s to %s", plot_number(axis, from), plot_number(axis, to)), NAN};
    }
    return ranges;
}

/* Numbers the classes that occur in a map in the order of all. */
static void class_cells(struct plot *plot, const struct rank *rank, size_t ranks, bool named, double *value)
{
    unsigned char class_of[PLOT_BLANK + 1];
    memset(class_of, PLOT_BLANK, sizeof(class_of));
    for (size_t i = 0; i < ranks; i++) {
        const size_t cells = add_values(plot, rank[i].key, value, 0);
        if (cells == 0)
            continue;
        class_of[rank[i].key] = (unsigned char)plot->class_count;
        plot->class[plot->class_count++] =
            (struct plot_class){rank[i].name, cells, median_of(value, cells),
                                color_at(ranks > 1 ? DARKEST * (double)i / (double)(ranks - 1) : 0)};
    }
    for (size_t i = 0; i < cells_in(plot); i++) {
        struct plot_cell *cell = &plot->cell[i];
        cell->class = class_of[cell->class];
        const double median = cell->class == PLOT_BLANK || !named ? NAN : plot->class[cell->class].median;
        if (median > 0 && cell->value > 0 && fabs(cell->value - median) > 2.01 * clock_step(plot))
            cell->step = (signed char)fmin(
                fmax(lround(log(cell->value / median) / log(STEP_RATIO)), -PLOT_STEPS), PLOT_STEPS);
    }
}

void plot_classify(struct plot *plots, size_t count)
{
    struct rank rank[PLOT_CLASSES];
    size_t cells = 0;
    for (size_t i = 0; i < count; i++)
        cells += cells_in(&plots[i]);
    if (cells == 0)
        return;
    double *value = scratch_new(cells, sizeof(*value));
    const size_t classes = name_classes(plots, count, rank);
    const size_t ranks = classes ? classes : name_ranges(plots, count, value, rank);
    for (size_t i = 0; i < classes; i++) {
        size_t values = 0;
        for (size_t j = 0; j < count; j++)
            values = add_values(&plots[j], rank[i].key, value, values);
        rank[i].median = median_of(value, values);
    }
    qsort(rank, classes, sizeof(*rank), compare_ranks);
    for (size_t i = 0; i < count; i++)
        class_cells(&plots[i], rank, ranks, classes > 0, value);
}

/* The median of a CPU's pairs of a class; NaN with one pair only, whose other CPU may be the slow one. */
static double median_of_cpu(const struct plot *plot, size_t cpu, size_t class, double *value)
{
    size_t values = 0;
    for (size_t i = 0; i < 2 * plot->x.count; i++) {
        const size_t other = i / 2;
        const struct plot_cell *cell = i % 2 ? plot_at(plot, cpu, other) : plot_at(plot, other, cpu);
        if (counts(cell) && cell->class == class)
            value[values++] = cell->value;
    }
    return values > 1 ? median_of(value, values) : NAN;
}

void plot_find_outliers(struct plot *plot)
{
    double *value = scratch_new(2 * plot->x.count, sizeof(*value));
    struct text text = {0};
    size_t named = 0;
    for (size_t i = 0; i < plot->y.count; i++) {
        for (size_t class = 0; class < plot->class_count && named < OUTLIERS_MOST; class ++) {
            const double usual = plot->class[class].median, own = median_of_cpu(plot, i, class, value);
            if (usual > 0 && own > OUTLIER_RATIO * usual)
                text_printf(&text, "%sCPU %s: + %.0f %%, %s", named++ ? "; " : "", plot->y.label[i].name,
                            100 * (own / usual - 1), plot->class[class].name);
        }
    }
    plot->outliers = named ? scratch_text(&text) : NULL;
}

struct rgb plot_color(const struct plot *plot, int class, int step)
{
    static const double SHARE = 0.2; /* of black or white in a step */
    const struct rgb color = plot->class[class].color;
    const double with = step > 0 ? 0 : 255, share = SHARE * abs(step);
    return (struct rgb){(unsigned char)(color.red + (with - color.red) * share),
                        (unsigned char)(color.green + (with - color.green) * share),
                        (unsigned char)(color.blue + (with - color.blue) * share)};
}
