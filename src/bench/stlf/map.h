/* SPDX-License-Identifier: MIT */
/* One map of a run: a grid at one number of pairs, how sure its cells are, and what it says. */
#pragma once

#include "stlf.h"

enum map_answers { SAYS_DISTANCES = 1, SAYS_GRANULE = 2, SAYS_CROSSINGS = 4, SAYS_ALL = 7 };
enum stlf_cells { CELLS_APART, CELLS_OVERLAPPING, CELLS_ALL };

struct map {
    struct stlf_width width;
    unsigned pairs;
    enum stlf_window window;
    enum stlf_chain chain;
    unsigned says;          /* enum map_answers: what no other map of the run says */
    const struct map *many; /* of the same width at more pairs; NULL: none */
    char name[160];
    struct stlf_grid grid;
    struct text distances; /* freed by who has the map */
    struct {
        size_t of, sure;     /* cells, and those whose verdict is sure */
        size_t high, medium; /* cells whose value has that trust at least */
    } cells[CELLS_ALL];
};

/* Classifies the grid of a set that was measured, and counts which cells are sure. */
void stlf_map_judge(struct map *map, const struct stlf_set *set, const struct stlf_levels *usual);
/* Share of the cells of a kind whose verdict is sure. */
double stlf_map_sure(const struct map *map, enum stlf_cells kind);
/* Of an answer about verdicts: a cell in a thousand may be in doubt. */
struct verdict stlf_map_trust(const struct map *map, enum stlf_cells kind);
/* Of a level of cells without overlap, the median of many: nine tenths of them must have that trust. */
struct verdict stlf_map_level_trust(const struct map *map);
/* Rows, and an answer for each thing found; with `many`, for what is another at fewer pairs. */
void stlf_map_say(struct map *map, const struct stlf_set *set);
