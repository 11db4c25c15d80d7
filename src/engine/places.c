/* SPDX-License-Identifier: MIT */
/* Lists of places along x, and the metrics on one quantity at several places of the machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/metrics.h"

static uint64_t place_x(const struct x_range *range, uint64_t step, size_t index)
{
    if (range->per_octave == 0)
        return range->first + index * step;
    const double x = (double)range->first * exp2((double)index / range->per_octave),
                 power = range->is_rounded ? exp2(floor(log2(x) + 1e-9)) / range->per_octave : 0,
                 unit = fmax(power, (double)step);
    return (uint64_t)(unit * round(x / unit));
}

struct x_place *x_range_places(const struct x_range *range, size_t most, size_t *count)
{
    const uint64_t step = range->step ? range->step : 1;
    *count = range->last == 0 ? most
             : range->per_octave == 0
                 ? (range->last - range->first) / step + 1
                 : 1 + (size_t)lround(log2((double)range->last / (double)range->first) * range->per_octave);
    struct x_place *place = memory_zeroed(*count + 1, sizeof *place);
    for (size_t i = 0; i < *count; i++) {
        place[i].x = place_x(range, step, i);
        place[i].period = place[i].x > range->x_of_every_round ? range->period : 0;
    }
    return place;
}

void course_list(struct course *course, const struct x_range *range)
{
    course->place = x_range_places(range, STEP_VALUES - 1, &course->count);
    course->step = range->step ? range->step : 1;
    course->octave = range->per_octave;
}

static const char *put_at(struct record *record, const char *text, const char *place)
{
    const char *star = text ? strchr(text, '*') : NULL;
    return star ? record_text(record, "%.*s%s%s", (int)(star - text), text, place, star + 1) : text;
}

struct metric metric_at(const struct metric *metric, struct record *record, const struct metric_place *place)
{
    struct metric placed = *metric;
    placed.key = put_at(record, metric->key, place->key);
    placed.label = put_at(record, metric->label, place->label);
    placed.sheet_cell = put_at(record, metric->sheet_cell, place->sheet_cell);
    return placed;
}
