/* SPDX-License-Identifier: MIT */
/* The return stack: calls within each other, and their returns. */
#include "capacity.h"

static void work(const struct point *point)
{
    point->kernel->entry(NULL, NULL, point->x, point->iterations, 0, 0);
}

enum { CALLS_MOST = 80, FEWER_CALLS = 64 };
static const struct series series[] = {
    {.name = "calls", .kernel = "call_depth", .range = {2, CALLS_MOST}},
    {.name = "calls from two places", .kernel = "call_depth_twice", .range = {2, CALLS_MOST}},
    {0},
};

static const struct metric metrics[] = {
    {.key = "fewer calls", .kind = METRIC_SLOPE_CHANGE, .series = "calls", .last = FEWER_CALLS},
    {.key = "two places", .kind = METRIC_SLOPE_CHANGE, .series = "calls from two places"},
    {.key = "capacity.return_stack",
     .label = "return stack",
     .unit = "entries",
     .kind = METRIC_SLOPE_CHANGE,
     .series = "calls",
     .agrees = {"two places", "fewer calls"},
     .published = "return_stack",
     .sheet_cell = "core/return-stack",
     .operand = "return-stack",
     .in_quick = true},
    {0},
};

const struct experiment return_stack_experiment = {
    .name = "return stack",
    .series = series,
    .metrics = metrics,
    .work = work,
    .pace = {50, 10, 0.5, 0.2},
    .curve = {VIEW_CURVE, "time of calls within each other", "count", "calls"}};
