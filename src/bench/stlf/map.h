/* SPDX-License-Identifier: MIT */
/* One grid: how it was measured, its classes, and what it says. */
#ifndef UARCHPROBE_STLF_MAP_H
#define UARCHPROBE_STLF_MAP_H

#include "parts.h"
#include "patterns.h"

/* What a grid at many pairs came to, for the one at a few. */
struct map_verdicts {
    unsigned pairs;
    struct verdict verdict; /* on the overlapping cells */
    signed char of[STLF_CELLS];
    struct stlf_distances distances;
};

enum map_sentences { SAYS_DISTANCES = 1, SAYS_GRANULE = 2, SAYS_CROSSINGS = 4, SAYS_ALL = 7 };

struct map {
    struct stlf_width width;
    unsigned pairs;
    enum stlf_window window;
    enum stlf_chain chain;
    uint64_t alias;
    unsigned says;                   /* enum map_sentences: what no other grid of the run says */
    const struct map_verdicts *many; /* of the same width; NULL: none */
    char name[160];
    struct stlf_grid grid;
    struct stlf_classes classes;
    struct cell_facts {
        float at[6];         /* values of parts of the samples that must have the same verdict */
        bool enough, sure;   /* samples; of the verdict */
        unsigned char trust; /* enum trust: of the value */
    } facts[STLF_CELLS];
    enum state state;
};

/* Offsets count from the middle boundary where there is one, so that -8 is 8 bytes before it. */
long stlf_map_offset(enum stlf_window window);
/* The value of a cell of the map that is the context, and what its trust rests on. */
stlf_taker stlf_map_take;
/* Of every cell, whether its verdict is sure. */
void stlf_map_judge(struct map *map, const struct stlf_set *set);
/* Share of the cells of a kind whose verdict is sure. */
enum stlf_cells { CELLS_APART, CELLS_OVERLAPPING, CELLS_ALL };
double stlf_map_sure(const struct map *map, enum stlf_cells cells);
/* Of a sentence about verdicts: a cell in a thousand may be in doubt. */
struct verdict stlf_map_trust(const struct map *map, enum stlf_cells cells);
/* Of a level of cells without overlap, the median of many: nine tenths of them must have that trust. */
struct verdict stlf_map_level_trust(const struct map *map);

/* The text is freed by the caller. */
struct map_verdicts stlf_map_verdicts(const struct map *map);

struct map_tables {
    size_t grid, classes;
};
/* Adds the two tables that grids fill. */
struct map_tables stlf_map_tables(struct record *record);
/* Rows, and a sentence for each thing found; with `many`, for what is another at a few pairs. */
void stlf_map_report(struct stlf *stlf, const struct map_tables *tables, const struct map *map);
#endif
