/* SPDX-License-Identifier: MIT */
#include "modes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "uarchprobe/stats.h"

enum { DISTURBED_FACTOR = 4 };

/* Two modes of one turn lie further apart than this. */
static const double SWITCH_GAP = 0.5;

void cell_round_count(struct cell_round *round, size_t samples, size_t dropped)
{
    size_t divisor = samples / UINT16_MAX + 1;

    round->samples = (uint16_t)(samples / divisor);
    round->dropped = (uint16_t)((dropped + divisor - 1) / divisor);
}

/* The least and the greatest of some values. */
struct extent {
    double low, high;
};

static struct extent extent_of(const double *value, size_t count)
{
    struct extent extent = {INFINITY, -INFINITY};

    for (size_t i = 0; i < count; i++) {
        extent.low = fmin(extent.low, value[i]);
        extent.high = fmax(extent.high, value[i]);
    }
    return extent;
}

static bool lies_above(struct extent upper, struct extent lower)
{
    return upper.low > lower.high * (1 + SWITCH_GAP);
}

bool modes_switched(const double *value, size_t count)
{
    for (size_t i = (count + 3) / 4; count >= 2 && 4 * (count - i) >= count; i++) {
        const struct extent before = extent_of(value, i), after = extent_of(value + i, count - i);
        if (lies_above(before, after) || lies_above(after, before))
            return true;
    }
    return false;
}

const char *const cell_flag_names[] = {"regime", "noisy", "preempted", "placement", NULL};

const char *cell_flags_text(unsigned flags, char *buffer, size_t size)
{
    size_t used = 0;

    buffer[0] = '\0';
    for (unsigned i = 0; cell_flag_names[i]; i++) {
        if ((flags >> i & 1) && used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? "," : "", cell_flag_names[i]);
    }
    return buffer;
}

size_t drop_disturbed(double *value, size_t count)
{
    double limit = DISTURBED_FACTOR * median_of(value, count);
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (!(value[i] > limit))
            value[kept++] = value[i];
    }
    return kept;
}
