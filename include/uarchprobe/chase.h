/* SPDX-License-Identifier: MIT */
/* Chains of pointers for loads that depend on each other, in an order that no prefetcher follows. Pure. */
#pragma once

#include <stdint.h>

struct chase {
    unsigned char *data;
    uint64_t count;  /* nodes, at least 1; each a pointer to the next, the last one to the first */
    uint64_t stride; /* bytes from one node's place to the next one's */
    uint64_t seed;   /* of the order */
    uint64_t group;  /* so many neighbouring nodes are visited before the next ones; 0: no such groups */
    /* Where in data a node's place is; NULL: index * stride. */
    uint64_t (*offset)(const struct chase *chase, uint64_t index);
};

/* The node that a walk from node 0 stands at after that many steps; nothing is read. */
void *chase_node(const struct chase *chase, uint64_t step);
/* Writes the pointers; those of steps first to last - 1 only, for a caller that has a deadline. */
void chase_link(const struct chase *chase);
void chase_link_some(const struct chase *chase, uint64_t first, uint64_t last);
