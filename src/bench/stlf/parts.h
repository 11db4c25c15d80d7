/* SPDX-License-Identifier: MIT */
/* What the parts of `stlf` share. */
#ifndef UARCHPROBE_STLF_PARTS_H
#define UARCHPROBE_STLF_PARTS_H

#include "base/text.h"
#include "grid.h"
#include "judge.h"

enum stlf_window { WINDOW_ALIGNED, WINDOW_LINE, WINDOW_PAGE, WINDOW_COUNT };
enum stlf_chain { CHAIN_FA, CHAIN_FD, CHAIN_FD_NOREUSE, CHAIN_COUNT };
enum stlf_sweep_name { SWEEP_UNROLL, SWEEP_DISTANCE };

extern const char *const stlf_window_names[];
extern const char *const stlf_chain_names[];
extern const char *const stlf_sweep_names[];

/* The longest pass: what a sled of pairs holds on every ISA. */
enum { STLF_UNROLL_MAX = 64, STLF_UNROLL_SHORT = 4, STLF_WIDTHS_MAX = 32 };

struct stlf_params {
    bool grid, silent, all;
    struct cpu_choice smt;
    struct name_list widths;
    int window, chain;
    uint64_t alias;  /* bytes; 0: none */
    uint64_t sweep;  /* bits over stlf_sweep_name */
    uint64_t unroll; /* 0: both 64 and 4 */
};

struct stlf {
    const struct run *run;
    const struct stlf_params *params;
    struct stlf_lab lab;
    struct stlf_levels levels
        [STATE_COUNT]; /* of an 8-byte store and a 4-byte load, as the summary finds them; l1 0: unknown */
    struct engine_effort effort; /* of the part being measured */
    enum state said;             /* of the sibling, by the sentences so far; STATE_UNKNOWN: none */
};

/* Kernels by width (widths.c). */

struct stlf_width {
    char name[32];        /* "8/4", "2x8/16" */
    unsigned store, load; /* bytes */
    const struct kernel *kernel;
};

/* Adds the kernels of that chain for names like 8/4, all that can run here for no names. Faults: STATUS_USAGE
 * for what is no pair of widths, STATUS_UNSUPPORTED with those that can run for what has no kernel here. */
enum status stlf_find_widths(const struct run *run, enum stlf_chain chain, const struct name_list *names,
                             struct stlf_width *width, int *count, struct fault *fault);
/* The kernel of an operation for these widths in bytes; NULL: none that can run here. */
const struct kernel *stlf_kernel(const struct run *run, enum operation operation, unsigned store,
                                 unsigned load);

enum status stlf_grids(struct stlf *stlf, struct fault *fault);
/* Two of a few widths, one of many. */
int stlf_grid_count(const struct run *run);

/* For the rows and sentences (report.c). */

enum { STLF_LABEL = 24, STLF_KEY = 96 };
/* With one decimal, wherever cycles stand in a sentence. */
void stlf_spell(double cycles, char text[STLF_LABEL]);
/* An answer without its text; one of an estimate, in core cycles. */
struct answer stlf_found(const char *key, struct cell value, const char *unit, enum state state,
                         struct verdict verdict);
struct answer stlf_estimated(const char *key, const struct estimate *estimate, struct verdict verdict);
void stlf_say(struct stlf *stlf, struct answer answer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same points with the sibling active; of none where it was not seen in both states, or is what is reported first. */
struct stlf_set stlf_active_set(const struct stlf_set *set);
/* What is found in the state of the set: for an active sibling that is an answer of its own, and none below medium. */
void stlf_say_of(struct stlf *stlf, const struct stlf_set *set, struct answer answer, const char *text);
/* Whether a core can have this latency of L1: a whole number where nothing shares the core, and never less than what is
 * published (NaN: nothing is). A clock that a sibling slows while it is read makes cycles too few. */
bool stlf_is_plausible_l1(double cycles, bool idle, double published);
/* The latency of L1, for both states. */
void stlf_say_l1(struct stlf *stlf, const struct stlf_set *set, size_t point);
/* What a value in that state is held against: of the same state, but for L1's latency, which stands in from another. */
struct stlf_levels stlf_levels_in(const struct stlf *stlf, enum state state);
/* The verdict on a point; NULL: none. */
const char *stlf_word(const struct stlf_levels *levels, const struct stlf_point *point, double cycles);
unsigned stlf_bytes_a_pair(const struct kernel *kernel);

#endif
