/* SPDX-License-Identifier: MIT */
/* `uarchprobe capacity`: how much the core holds of whatever its data sheet leaves out. */
#include "capacity.h"

static const struct experiment *const experiments[] = {
    &store_buffer_experiment, &windows_experiment,      &return_stack_experiment,
    &branches_experiment,     &first_tlb_experiment,    &second_tlb_experiment,
    &misses_experiment,       &cache_misses_experiment, NULL};

/* A report has the store buffer from sb-capacity. */
static enum status run_capacity(struct run *run, struct fault *fault)
{
    return experiments_run(experiments + run->in_report, run, fault);
}

extern const struct command capacity_command;
const struct command capacity_command = {
    .name = "capacity",
    .summary = "how many instructions, calls, pages, misses does a core hold?",
    .method =
        "Between two loads that miss and do not depend on each other stand N instructions. While they fit "
        "into the core, both misses overlap; with one too many the time rises by a whole miss (H. Wong, "
        "2013). Where two kinds that take the same structure agree, it has a name; else the core holds at "
        "least so many.\nCalls within calls get slower once the return stack is full, walks over pages once "
        "a "
        "TLB is, random branches once some are forgotten, the last of N misses once no miss buffer is free.",
    .examples = {"uarchprobe capacity", "uarchprobe capacity return-stack store-buffer",
                 "uarchprobe capacity reorder-buffer -f json -o capacity.json"},
    .honours = HONOURS_MEASURING,
    .measures = true,
    .one_core = true,
    .operands = "[RESOURCE...]",
    .experiments = experiments,
    .run = run_capacity,
};
