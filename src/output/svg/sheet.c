/* SPDX-License-Identifier: MIT */
/* Blocks and numbers are declared below, each number by the key of its answer. How far it is trusted is the line under
 * it; what was not measured is a dash. */
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "output/answers.h"
#include "output/page.h"
#include "result/subject.h"

enum {
    LEFT = 30,
    RIGHT = 1170,
    TOP = 100,
    HALF = 610,
    SLOT_STRIP = 500,
    SLOTS_MOST = 160,
    CONDITIONS_MOST = 85
};

struct box {
    int x, y, width, height;
    const char *title;
};

static const struct box core = {LEFT, TOP, 560, 478, "one core"};
static const struct box blocks[] = {
    {50, 136, 520, 112, "Store buffer"},
    {50, 256, 254, 122, "Store forwarding"},
    {316, 256, 254, 122, "Memory renaming"},
    {HALF, 472, 560, 106, "From core to core"},
};

/* Caches and memory, from the inside to the outside. */
static const struct level {
    struct box block;
    const char *name;
    int level; /* 0: memory */
    int top;   /* of its numbers within the block */
} levels[] = {
    {{50, 386, 520, 184, "Load and store units, L1"}, "L1", 1, 38},
    {{HALF, TOP, 560, 116, NULL}, "L2", 2, 0},
    {{HALF, TOP + 124, 560, 116, NULL}, "L3", 3, 0},
    {{HALF, TOP + 248, 560, 116, NULL}, "DRAM", 0, 0},
};

static const struct {
    const char *task;
    int x; /* from the left of the block */
} speeds[] = {{"latency", 132}, {"read", 252}, {"write", 350}, {"copy", 448}};

static const struct answer *find(const struct record *record, const char *slot)
{
    return answers_find(record, slot, false);
}

static void draw_block(const struct box *block, const char *class, struct text *out)
{
    text_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"10\" class=\"%s\"/>\n",
                block->x, block->y, block->width, block->height, class);
    if (block->title)
        svg_text(out, block->x + 16, block->y + 28, "t z1", "start", "%s", block->title);
}

/* Three digits are enough; a dash where it is no number. */
static void spell(double value, bool whole, char number[static 32])
{
    snprintf(number, 32, "\xe2\x80\x93");
    if (!isnan(value))
        snprintf(number, 32, "%.*f", whole || value >= 99.95 ? 0 : value < 0.9995 ? 2 : 1, value);
}

static void draw_number(const struct answer *answer, double x, double y, const char *unit, struct text *out)
{
    const char *shown;
    const double value = answer ? value_shown(cell_number(&answer->value), answer->unit, &shown) : NAN;
    char number[32];
    spell(value, answer && answer->value.type == CELL_INTEGER, number);
    /* Of a common font; a point is half as wide as a digit. */
    const double end = x + ((double)strlen(number) - (strchr(number, '.') ? 0.45 : 0)) * 20.5;
    svg_text(out, x, y, "t z2", "start", "%s", number);
    if (answer)
        svg_line(out, x, y + 8, end - 2, y + 8, (const char *const[]){"u u0", "u u1", "u"}[answer->trust]);
    svg_text(out, end + 8, y, "m z1", "start", "%s", answer ? unit : "");
}

/* What others have published next to an answer; of widths, which are the most that there can be, "of 64". */
static void draw_published(const struct record *record, const char *slot, double x, double y,
                           struct text *out)
{
    const struct answer *answer = find(record, slot);
    const struct quote *quote = answer ? &answer->published : NULL;
    if (!quote || !cell_has_value(&quote->value))
        return;
    const bool width = quote->unit && strcmp(quote->unit, "bytes/core cycle") == 0;
    svg_text(out, x, y, "m z1", "start", width ? "of %.3g" : "published %.3g", cell_number(&quote->value));
}

/* Short enough for a column. False: both ends are spelled alike. */
static bool draw_range(const struct answer *answer, double x, double y, struct text *out)
{
    const char *shown;
    const double low = value_shown(cell_number(&answer->low), answer->unit, &shown);
    const double high = value_shown(cell_number(&answer->high), answer->unit, &shown);
    const bool whole = high >= 10;
    char least[32], most[32];
    if (!(low < high))
        return false;
    spell(low, whole, least);
    spell(high, whole, most);
    if (strcmp(least, most) != 0)
        svg_text(out, x, y, "m z1", "start", "%s\xe2\x80\x93%s", least, most);
    return strcmp(least, most) != 0;
}

/* Below a time its cycles, below a rate its bytes a cycle; below either that is not to be trusted, its interval. */
static void draw_by_clock(const struct answer *answer, double x, double y, struct text *out)
{
    char number[32];
    if (answer && answer->trust == TRUST_LOW && draw_range(answer, x, y, out))
        return;
    if (!answer || !(answer->ghz > 0))
        return;
    const double value = cell_number(&answer->value);
    const bool time = strcmp(answer->unit ? answer->unit : "", "ns") == 0;
    spell(time ? value * answer->ghz : value * 1e-9 / answer->ghz, time, number);
    svg_text(out, x, y, "m z1", "start", time ? "%s cycles" : "%s B", number);
}

static void draw_size(const struct box *block, double y, int64_t bytes, struct text *out)
{
    enum { WHOLE_FROM = 36, GIB = 30 }; /* powers of two */
    struct text size = {0};
    text_add_size_rounded(&size, bytes >> WHOLE_FROM ? bytes >> GIB << GIB : bytes);
    svg_text(out, block->x + 16, y, "m z1", "start", "%s", size.data);
    text_free(&size);
}

static void draw_level(const struct record *record, const struct level *level, struct text *out)
{
    const struct box *block = &level->block;
    const int y = block->y + level->top;
    struct host_cache cache;
    draw_block(block, "o", out);
    svg_text(out, block->x + 16, y + 46, "t z2", "start", "%s", level->name);
    for (int i = 0; subject_cache(record, i, &cache); i++) {
        if (cache.level == level->level && strcmp(cache.type, "instruction") != 0)
            draw_size(block, y + 76, cache.bytes, out);
    }
    const double memory = level->level == 0 ? record_fact_number(record, "host.memory_bytes") : NAN;
    if (memory > 0)
        draw_size(block, y + 76, (int64_t)fmin(memory, 0x1p62), out);
    for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
        const int x = block->x + speeds[i].x;
        char slot[32];
        snprintf(slot, sizeof(slot), "memory/%s/%s", level->name, speeds[i].task);
        const struct answer *answer = find(record, slot);
        svg_text(out, x, y + 26, "m z1", "start", "%s", speeds[i].task);
        draw_number(answer, x, y + 60, "", out);
        draw_by_clock(answer, x, y + 88, out);
        draw_published(record, slot, x, y + 109, out);
    }
}

static void draw_core_units(const struct record *record, const struct level *level, struct text *out)
{
    const struct answer *to_use = find(record, "core/l1-latency");
    const int x = level->block.x + 16, y = level->block.y + level->block.height - 16;
    draw_level(record, level, out);
    if (!to_use)
        return;
    svg_text(out, x, y, "m z1", "start", "load to use: %.0f cycles", cell_number(&to_use->value));
    draw_published(record, "core/l1-latency", x + 280, y, out);
}

/* A slot for each entry; those that an SMT sibling takes away in another shade. */
static void draw_slots(const struct box *block, int64_t entries, bool halved, struct text *out)
{
    const double width = fmin((double)SLOT_STRIP / (double)entries, 12);
    const int64_t own = halved ? (entries + 1) / 2 : entries;
    for (int64_t i = 0; i < entries && entries <= SLOTS_MOST; i++) {
        if (i == 0 || i == own)
            text_printf(out, "%s<path class=\"%s\" d=\"", i ? "\"/>\n" : "", i ? "r" : "f");
        text_printf(out, "M%.2f %dh%.2fv14h-%.2fz", block->x + 12 + (double)i * width,
                    block->y + block->height - 26, width * 0.8, width * 0.8);
    }
    text_add(out, entries <= SLOTS_MOST ? "\"/>\n" : "");
}

static void draw_store_buffer(const struct record *record, const struct box *block, struct text *out)
{
    const struct answer *entries = find(record, "core/store-buffer");
    const bool split = entries && !answer_is_busy(entries) && answers_find(record, "core/store-buffer", true);
    draw_block(block, "o", out);
    draw_number(entries, block->x + 16, block->y + 66, "entries", out);
    draw_published(record, "core/store-buffer", block->x + 364, block->y + 66, out);
    if (entries && (split || answer_is_busy(entries)))
        svg_text(out, block->x + block->width - 16, block->y + 28, "m z1", "end",
                 split ? "half while the sibling is busy" : "halved by a busy sibling");
    if (entries && cell_number(&entries->value) > 0)
        draw_slots(block, (int64_t)cell_number(&entries->value), split, out);
}

static void draw_forwarding(const struct record *record, const struct box *block, struct text *out)
{
    const struct answer *failed = find(record, "core/failed-forward");
    const struct answer *loops = find(record, "core/forwarded-loops");
    draw_block(block, "o", out);
    draw_number(find(record, "core/forwarded"), block->x + 16, block->y + 62, "cycles", out);
    if (loops && cell_has_value(&loops->published.value))
        svg_text(out, block->x + 16, block->y + 112, "m z1", "start", "loops %.1f, publ. %.3g",
                 cell_number(&loops->value), cell_number(&loops->published.value));
    if (failed)
        svg_text(out, block->x + 16, block->y + 90, "m z1", "start", "failed: %.0f",
                 cell_number(&failed->value));
}

/* What a renamed pair takes, and how many pairs stay so; of a count that is little trusted, nothing. */
static void draw_renaming(const struct record *record, const struct box *block, struct text *out)
{
    const struct answer *pairs = find(record, "core/renamed-pairs");
    const double count = pairs && pairs->trust != TRUST_LOW ? cell_number(&pairs->value) : NAN;
    draw_block(block, "o", out);
    draw_number(find(record, "core/renamed"), block->x + 16, block->y + 62, "cycles", out);
    if (count == 0)
        svg_text(out, block->x + 16, block->y + 90, "m z1", "start", "no load is renamed");
    else if (count > 0)
        svg_text(out, block->x + 16, block->y + 90, "m z1", "start", "up to %.0f pairs", count);
}

/* What the first series takes at up to three distances; of a report, in the one of its commands that has some. Returns how many are drawn. */
static int draw_series(const struct record *record, const struct box *block, struct text *out)
{
    static const char prefix[] = "distance/";
    const struct answer *first = NULL;
    int drawn = 0;
    for (size_t i = 0; i < record->answers.count && drawn < 3; i++) {
        const struct answer *answer = &record->answers.of[i];
        const char *distance = answer->slot ? strrchr(answer->slot, '/') : NULL;
        if (!distance || strncmp(answer->slot, prefix, sizeof prefix - 1) != 0 ||
            !cell_has_value(&answer->value))
            continue;
        first = first ? first : answer;
        if (strncmp(answer->slot, first->slot, (size_t)(distance - answer->slot) + 1) != 0)
            continue;
        const double x = block->x + 16 + drawn++ * 178;
        char *name = answers_part(distance + 1, strlen(distance + 1));
        draw_number(answer, x, block->y + 66, "ns", out);
        svg_text(out, x, block->y + 94, "m z1", "start", "%s", name);
        free(name);
    }
    for (size_t i = 0; i < record->children.count && drawn == 0; i++)
        drawn = draw_series(record->children.of[i], block, out);
    return drawn;
}

static void draw_distances(const struct record *record, const struct box *block, struct text *out)
{
    draw_block(block, "o", out);
    svg_text(out, block->x + block->width - 16, block->y + 28, "m z1", "end", "one way");
    if (draw_series(record, block, out) == 0)
        draw_number(NULL, block->x + 16, block->y + 66, "", out);
}

static void draw_head(const struct record *record, struct text *out)
{
    char *cpu = subject_cpu(record), *conditions = page_conditions(record);
    const double cores = record_fact_number(record, "host.topology.cores");
    const double cpus = record_fact_number(record, "host.topology.cpus");
    struct text line = {0};
    const bool guest = strcmp(fact_text(record, "host.hypervisor", "none"), "none") != 0;
    if (cores > 0 && cpus > 0 && text_width(conditions) <= CONDITIONS_MOST) {
        if (!guest) /* whose cores may be threads: got.as_claimed has what was found */
            text_printf(&line, "%.0f cores, ", cores);
        text_printf(&line, "%.0f CPUs%s", cpus, *conditions ? ". " : "");
    }
    text_add(&line, conditions);
    svg_text(out, LEFT, 50, text_width(cpu) > 52 ? "t z2" : "t z3", "start", "%s", cpu);
    svg_text(out, LEFT, 84, "m z1", "start", "%s", line.data ? line.data : "");
    text_free(&line);
    free(conditions);
    free(cpu);
}

static void draw_foot(struct text *out)
{
    static const struct {
        const char *class, *label;
        int x;
    } trusts[] = {{"u", "high trust", 676}, {"u u1", "medium", 850}, {"u u0", "low trust", 1010}};
    svg_text(out, LEFT, 612, "m z1", "start", "one thread: ns and cycles, GiB/s and bytes a cycle");
    for (int i = 0; i < 3; i++) {
        svg_line(out, trusts[i].x - 44, 606, trusts[i].x - 8, 606, trusts[i].class);
        svg_text(out, trusts[i].x, 612, "m z1", "start", "%s", trusts[i].label);
    }
}

void svg_sheet(const struct record *record, struct text *out)
{
    static void (*const draw[])(const struct record *, const struct box *, struct text *) = {
        draw_store_buffer, draw_forwarding, draw_renaming, draw_distances};
    draw_head(record, out);
    draw_block(&core, "oo", out);
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        draw[i](record, &blocks[i], out);
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        (levels[i].level == 1 ? draw_core_units : draw_level)(record, &levels[i], out);
    draw_foot(out);
}
