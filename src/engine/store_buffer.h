/* SPDX-License-Identifier: MIT */
/* The iso experiment: behind a drained store buffer a chain of slow operations, `stores` stores, and a second
 * chain that is independent of the first. While the stores fit, both chains run side by side; with one store
 * too many the second cannot begin before the first has retired, and the time rises by a whole chain. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "uarchprobe/clock.h"
#include "uarchprobe/cpu.h"
#include "uarchprobe/kernel.h"
#include "uarchprobe/status.h"

enum store_pattern {
    STORES_SAME,  /* all to one address */
    STORES_LINE,  /* in turn to (at most) four places of one line */
    STORES_LINES, /* in turn to four lines, so that no store shares a line with the one before */
    STORES_PAGES  /* in turn to four pages */
};
/* Valid for any machine: places of a line lie within the least line; lines and pages are as far apart as
 * the greatest ones are long. */
enum { STORES_LINE_LEAST = 64, STORES_LINE_MOST = 256, STORES_PAGE_MOST = 65536 };

/* Kinds of chain with two lengths each, in the order of trial. A longer chain makes a higher step; but it
 * can fill a scheduler, and chains and stores must fit into the reorder buffer, which has 128 entries on
 * Neoverse N1 and A64FX. */
enum { STORE_CHAINS = 4 };
extern const struct store_chain_lengths {
    enum store_chain kind;
    unsigned length, shorter;
} store_chains[STORE_CHAINS];

struct store_probe {
    const struct kernel *kernel; /* of OPERATION_STORE_BURST */
    unsigned char *buffer;
    void *address[STORE_BURST_ADDRESSES];
    enum store_chain chain;
    unsigned chain_length; /* at most STORE_BURST_CHAIN_MAX; 0: neither chains nor the drain */
    unsigned nops;
    unsigned iterations; /* that are timed together */
};

/* The default experiment: sixteen square roots, no no-operations, four iterations. */
void store_probe_init(struct store_probe *probe, const struct kernel *kernel, enum store_pattern pattern);
void store_probe_free(struct store_probe *probe);
/* Raises `iterations` until one timing is at least forty times the clock's resolution. */
void store_probe_fit(struct store_probe *probe, const struct clock *clock);

/* Ticks of one iteration with that many stores, 0 to the sled's length. */
double store_probe_ticks(const struct store_probe *probe, size_t stores);
/* Ticks of a whole chain, by the growth of an iteration with its second half where both chains run side by
 * side: about the height of the step. 0: unknown. */
double store_probe_chain_ticks(const struct store_probe *probe);
/* Whether both chains overlap: chains twice as long cost one chain more, and two where so many stores
 * stand between them that the second has to wait. A long chain that fills the scheduler of its only port
 * never overlaps. */
bool store_probe_overlaps(const struct store_probe *probe);

/* The kernel of that width, streaming or not, that can run here; NULL: none. */
const struct kernel *store_kernel_find(const struct kernel_filter *kernels, unsigned bits, bool streaming);
