/* SPDX-License-Identifier: MIT */
/* Blocks and numbers are declared below, each number by the key of its finding. How far it is trusted is the line under
 * it; what was not measured is a dash. */
#include "sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "output/conditions.h"
#include "result/subject.h"

enum {
    LEFT = 30,
    RIGHT = 1170,
    TOP = 128,
    HALF = 610,
    SLOT_STRIP = 500,
    SLOTS_MOST = 160,
    CONDITIONS_MOST = 85
};

struct block {
    int x, y, width, height;
    const char *title;
};

static const struct block core = {LEFT, TOP, 560, 450, "one core"};
static const struct block blocks[] = {
    {50, 164, 520, 140, "Store buffer"},
    {50, 316, 254, 120, "Store forwarding"},
    {316, 316, 254, 120, "Memory renaming"},
    {HALF, 462, 560, 116, "From core to core"},
};

/* Caches and memory, from the inside to the outside. */
static const struct level {
    struct block block;
    const char *name;
    int level; /* 0: memory */
} levels[] = {
    {{50, 448, 520, 118, NULL}, "L1", 1},
    {{HALF, TOP, 560, 104, NULL}, "L2", 2},
    {{HALF, TOP + 111, 560, 104, NULL}, "L3", 3},
    {{HALF, TOP + 222, 560, 104, NULL}, "DRAM", 0},
};

static const struct {
    const char *task, *label;
    int x; /* from the left of the block */
} speeds[] = {
    {"latency", "latency", 136}, {"read", "read", 238}, {"write", "write", 338}, {"copy", "copy", 438}};

/* Of a report: in any of its commands. */
static const struct finding *find(const struct record *record, const char *key)
{
    const struct finding *found = record_finding_find(record, key);
    for (size_t i = 0; i < record_child_count(record) && !found; i++)
        found = record_finding_find(record_child_at(record, i), key);
    return found && cell_has_value(&found->value) ? found : NULL;
}

static void draw_block(const struct block *block, const char *class, struct text *out)
{
    text_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"10\" class=\"%s\"/>\n",
                block->x, block->y, block->width, block->height, class);
    if (block->title)
        svg_text(out, block->x + 16, block->y + 28, "t z1", "start", "%s", block->title);
}

/* Three digits are enough. */
static void draw_number(const struct finding *finding, double x, double y, const char *unit, struct text *out)
{
    const char *shown;
    const double value = finding ? value_shown(cell_number(&finding->value), finding->unit, &shown) : NAN;
    const bool whole = finding && finding->value.type == CELL_INTEGER;
    char number[32] = "\xe2\x80\x93";
    if (!isnan(value))
        snprintf(number, sizeof(number), "%.*f", whole || value >= 99.95 ? 0 : value < 0.9995 ? 2 : 1, value);
    /* Of a common font; a point is half as wide as a digit. */
    const double end = x + ((double)strlen(number) - (strchr(number, '.') ? 0.45 : 0)) * 20.5;
    svg_text(out, x, y, "t z2", "start", "%s", number);
    if (finding)
        svg_line(out, x, y + 8, end - 2, y + 8, (const char *const[]){"u u0", "u u1", "u"}[finding->trust]);
    svg_text(out, end + 8, y, "m z1", "start", "%s", finding ? unit : "");
}

static void add_size(const struct block *block, int64_t bytes, struct text *out)
{
    struct text size = {0};
    text_add_size_rounded(&size, bytes);
    svg_text(out, block->x + 16, block->y + 80, "m z1", "start", "%s", size.data);
    text_free(&size);
}

static void draw_level(const struct record *record, const struct level *level, struct text *out)
{
    const struct block *block = &level->block;
    struct host_cache cache;
    draw_block(block, "o", out);
    svg_text(out, block->x + 16, block->y + 46, "t z2", "start", "%s", level->name);
    for (int i = 0; subject_cache(record, i, &cache); i++) {
        if (cache.level == level->level && strcmp(cache.type, "instruction") != 0)
            add_size(block, cache.bytes, out);
    }
    const struct finding *to_use = level->level == 1 ? find(record, "stlf.l1_latency") : NULL;
    const struct fact *memory = level->level == 0 ? record_fact_find(record, "host.memory_bytes") : NULL;
    if (to_use)
        svg_text(out, block->x + speeds[0].x, block->y + 106, "m z1", "start", "load to use: %.0f cycles",
                 cell_number(&to_use->value));
    if (memory)
        add_size(block, (int64_t)cell_number(&memory->value), out);
    for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
        char key[32];
        snprintf(key, sizeof(key), "ram.%s.%s", level->name, speeds[i].task);
        svg_text(out, block->x + speeds[i].x, block->y + 30, "m z1", "start", "%s", speeds[i].label);
        draw_number(find(record, key), block->x + speeds[i].x, block->y + 72, "", out);
    }
}

/* A slot for each entry; those that an SMT sibling takes away in another shade. */
static void draw_slots(const struct block *block, int64_t entries, bool halved, struct text *out)
{
    const double width = fmin((double)SLOT_STRIP / (double)entries, 12);
    for (int64_t i = 0; i < entries && entries <= SLOTS_MOST; i++)
        text_printf(out, "<path d=\"M%.2f %dh%.2fv14h-%.2fz\" class=\"%s\"/>\n",
                    block->x + 12 + (double)i * width, block->y + block->height - 26, width * 0.8,
                    width * 0.8, halved && 2 * i >= entries ? "r" : "f");
}

static void draw_store_buffer(const struct record *record, const struct block *block, struct text *out)
{
    static const char *const states[][2] = {{"full", "full size"},
                                            {"mixed", "full size; half while the sibling works"},
                                            {"halved", "halved by the SMT sibling"},
                                            {"unproved", "full or halved, unknown which"}};
    const struct finding *entries = find(record, "store_buffer.entries");
    const struct finding *state = find(record, "store_buffer.state");
    const struct finding *published = find(record, "store_buffer.published");
    const char *word = state ? cell_text(&state->value) : NULL;
    draw_block(block, "o", out);
    draw_number(entries, block->x + 16, block->y + 78, "entries", out);
    for (size_t i = 0; word && i < 4; i++) {
        if (strcmp(states[i][0], word) == 0)
            svg_text(out, block->x + block->width - 16, block->y + 28, "m z1", "end", "%s", states[i][1]);
    }
    if (published)
        svg_text(out, block->x + block->width - 16, block->y + 76, "m z1", "end", "published: %.0f",
                 cell_number(&published->value));
    if (entries && cell_number(&entries->value) > 0)
        draw_slots(block, (int64_t)cell_number(&entries->value), word && strcmp(word, "mixed") == 0, out);
}

static void draw_forwarding(const struct record *record, const struct block *block, struct text *out)
{
    const struct finding *penalty = find(record, "stlf.failed_forward_penalty");
    draw_block(block, "o", out);
    draw_number(find(record, "stlf.forwarded"), block->x + 16, block->y + 74, "cycles", out);
    if (penalty)
        svg_text(out, block->x + 16, block->y + 106, "m z1", "start", "blocked: %.0f more",
                 cell_number(&penalty->value));
}

static void draw_renaming(const struct record *record, const struct block *block, struct text *out)
{
    const struct finding *pair = find(record, "stlf.fast_address");
    draw_block(block, "o", out);
    draw_number(pair, block->x + 16, block->y + 74, "cycles", out);
    if (pair)
        svg_text(out, block->x + 16, block->y + 106, "m z1", "start", "a store and its load");
}

static void draw_distances(const struct record *record, const struct block *block, struct text *out)
{
    static const char *const distances[][2] = {
        {"one_core", "one core"},        {"one_core_2", "one core, farther"}, {"one_l3", "one L3"},
        {"one_l3_2", "one L3, farther"}, {"beyond_one_l3", "beyond one L3"},  {"beyond_one_l3_2", "farther"},
        {"distance_1", "nearest"},       {"distance_2", "farther"},           {"distance_3", "still farther"},
        {"distance_4", "farthest"}};
    int drawn = 0;
    draw_block(block, "o", out);
    svg_text(out, block->x + block->width - 16, block->y + 28, "m z1", "end", "one way, compare-and-swap");
    for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]) && drawn < 3; i++) {
        char key[32];
        snprintf(key, sizeof(key), "cas.%s", distances[i][0]);
        const struct finding *finding = find(record, key);
        const double x = block->x + 16 + drawn * 178;
        if (!finding)
            continue;
        draw_number(finding, x, block->y + 72, "ns", out);
        svg_text(out, x, block->y + 104, "m z1", "start", "%s", distances[i][1]);
        drawn++;
    }
    if (drawn == 0)
        draw_number(NULL, block->x + 16, block->y + 72, "", out);
}

static void draw_head(const struct record *record, struct text *out)
{
    char *cpu = subject_cpu(record), *conditions = conditions_text(record);
    const struct fact *cores = record_fact_find(record, "host.topology.cores");
    const struct fact *cpus = record_fact_find(record, "host.topology.cpus");
    struct text line = {0};
    if (cores && cpus && text_width(conditions) <= CONDITIONS_MOST)
        text_printf(&line, "%.0f cores, %.0f CPUs%s", cell_number(&cores->value), cell_number(&cpus->value),
                    *conditions ? ". " : "");
    text_add(&line, conditions);
    svg_text(out, LEFT, 58, text_width(cpu) > 52 ? "t z2" : "t z3", "start", "%s", cpu);
    svg_text(out, LEFT, 98, "m z1", "start", "%s", line.data ? line.data : "");
    text_free(&line);
    free(conditions);
    subject_free(cpu, NULL);
}

static void draw_foot(struct text *out)
{
    static const struct {
        const char *class, *label;
        int x;
    } trusts[] = {{"u", "high trust", 676}, {"u u1", "medium", 850}, {"u u0", "low trust", 1010}};
    svg_text(out, LEFT, 612, "m z1", "start", "latency in ns, speed of one thread in GiB/s");
    for (int i = 0; i < 3; i++) {
        svg_line(out, trusts[i].x - 44, 606, trusts[i].x - 8, 606, trusts[i].class);
        svg_text(out, trusts[i].x, 612, "m z1", "start", "%s", trusts[i].label);
    }
}

void svg_sheet(const struct record *record, struct text *out)
{
    static void (*const draw[])(const struct record *, const struct block *, struct text *) = {
        draw_store_buffer, draw_forwarding, draw_renaming, draw_distances};
    draw_head(record, out);
    draw_block(&core, "oo", out);
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        draw[i](record, &blocks[i], out);
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        draw_level(record, &levels[i], out);
    draw_foot(out);
}
