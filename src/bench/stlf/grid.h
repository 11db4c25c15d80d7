/* SPDX-License-Identifier: MIT */
/* A grid of store offset x load offset, and how the two accesses of a cell lie to each other. Pure. */
#ifndef UARCHPROBE_STLF_GRID_H
#define UARCHPROBE_STLF_GRID_H

#include <stdbool.h>
#include <stddef.h>

enum { STLF_SIDE = 64, STLF_CELLS = STLF_SIDE * STLF_SIDE };

/* same: the load begins where the store does and is no wider. */
enum overlap { OVERLAP_NONE, OVERLAP_SAME, OVERLAP_CONTAINED, OVERLAP_PARTIAL, OVERLAP_COUNT };
/* The widest boundary that an access crosses */
enum crossing { CROSSES_NOTHING, CROSSES_LINE, CROSSES_PAGE, CROSSING_COUNT };

struct geometry {
    enum overlap overlap;
    enum crossing store, load;
};

enum { GEOMETRY_COUNT = OVERLAP_COUNT * CROSSING_COUNT * CROSSING_COUNT, GEOMETRY_NAME = 64 };

struct stlf_grid {
    unsigned store_bytes, load_bytes;
    long store_at, load_at;    /* address of offset 0 of each axis, counted from a page boundary */
    long line, page;           /* bytes */
    double cycles[STLF_CELLS]; /* store offset * STLF_SIDE + load offset; NaN: not measured */
    double spread[STLF_CELLS]; /* p90 - p10 of the samples, cycles */
};

/* Addresses of a cell. */
long grid_store(const struct stlf_grid *grid, int cell);
long grid_load(const struct stlf_grid *grid, int cell);
struct geometry grid_geometry(const struct stlf_grid *grid, int cell);
enum overlap overlap_of(long store, unsigned store_bytes, long load, unsigned load_bytes);
bool crosses(long address, unsigned bytes, long boundary);
/* 0..GEOMETRY_COUNT-1, and back */
int geometry_index(struct geometry geometry);
struct geometry geometry_at(int index);
/* "partial overlap, both cross a line" */
void geometry_name(struct geometry geometry, char name[GEOMETRY_NAME]);

#endif
