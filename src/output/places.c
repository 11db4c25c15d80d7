/* SPDX-License-Identifier: MIT */
#include "output/places.h"

#include "base/text.h"

const char *const place_levels[] = {"package", "node", "L3", "L2", "core"};

static const struct place *place_of(const struct record *record, int64_t cpu)
{
    const struct record *whole = record_whole(record);
    for (size_t i = 0; i < whole->places.count; i++) {
        if (whole->places.of[i].cpu == cpu)
            return &whole->places.of[i];
    }
    return NULL;
}

int place_group(const struct record *record, int64_t cpu, enum place_level level)
{
    const struct place *place = place_of(record, cpu);
    return place ? place->group[level] : -1;
}

/* Whether CPUs differ at the level: there are several groups. A core is worth a word where two share it. */
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

char *place_text(const struct record *record, int64_t cpu)
{
    const struct place *place = place_of(record, cpu);
    const char *between = " (";
    struct text text = {0};
    text_printf(&text, "%lld", (long long)cpu);
    for (enum place_level level = LEVEL_PACKAGE; place && level < LEVEL_COUNT; level++) {
        if (level == LEVEL_L2 || place->group[level] < 0 || !differs_at(record, place, level))
            continue;
        text_printf(&text, "%s%s %d", between, place_levels[level], place->group[level]);
        between = ", ";
    }
    text_add(&text, *between == ',' ? ")" : "");
    return text_take(&text);
}
