/* SPDX-License-Identifier: MIT */
/* One grid: how it was measured, its classes, and what it says. */
#ifndef UARCHPROBE_STLF_MAP_H
#define UARCHPROBE_STLF_MAP_H

#include "stlf.h"

struct map {
    struct stlf_width width;
    unsigned pairs;
    enum stlf_window window;
    enum stlf_chain chain;
    uint64_t alias;
    bool brief; /* one of many: its rows, and one sentence */
    char name[160];
    struct stlf_grid grid;
    struct stlf_classes classes;
    bool sure[STLF_CELLS];           /* of the verdict */
    unsigned char trust[STLF_CELLS]; /* enum trust: of the value */
    enum state state;
    const char *during; /* the state, for sentences */
};

/* Offsets count from the middle boundary where there is one, so that -8 is 8 bytes before it. */
long stlf_map_offset(enum stlf_window window);
/* Of every cell, whether its verdict is sure, and the trust of its value. */
void stlf_map_judge(struct map *map, const struct stlf_set *set);
/* Share of the cells of a kind whose verdict is sure. */
enum stlf_cells { CELLS_APART, CELLS_OVERLAPPING, CELLS_ALL };
double stlf_map_sure(const struct map *map, enum stlf_cells cells);
/* Of a sentence about verdicts: a cell in a thousand may be in doubt. */
struct verdict stlf_map_trust(const struct map *map, enum stlf_cells cells);
/* Of a level of cells without overlap, the median of many: nine tenths of them must have that trust. */
struct verdict stlf_map_level_trust(const struct map *map);

struct map_tables {
    size_t grid, classes;
};
/* Adds the two tables that grids fill. */
struct map_tables stlf_map_tables(struct record *record);
/* Rows, and a sentence for each thing found. */
void stlf_map_report(struct stlf *stlf, const struct map_tables *tables, const struct map *map);
/* What is renamed at few pairs and not at many. */
void stlf_map_compare(struct stlf *stlf, const struct map *few, const struct map *many);

#endif
