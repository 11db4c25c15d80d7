/* SPDX-License-Identifier: MIT */
/* `uarchprobe cost`: how long single operations take. */
#include "cost.h"

static const struct experiment *const experiments[] = {
    &atomics_experiment,    &contended_experiment,    &mispredict_experiment,
    &parent_experiment,     &no_call_experiment,      &read_clock_experiment,
    &yield_experiment,      &wake_nobody_experiment,  &futex_near_experiment,
    &futex_far_experiment,  &pipe_near_experiment,    &pipe_far_experiment,
    &page_fault_experiment, &huge_fault_experiment,   &unmap_page_experiment,
    &unmap_far_experiment,  &protect_page_experiment, NULL};

static enum status run_cost(struct run *run, struct fault *fault)
{
    return experiments_run(experiments, run, fault);
}

extern const struct command cost_command;
const struct command cost_command = {
    .name = "cost",
    .summary = "how long do atomics, fences, branches, system calls take?",
    .method =
        "Rows of one instruction in two lengths, in bursts of three lengths; the difference of the rows is "
        "the cost: loop and clock cancel. It is the cost among equal instructions, on a line that the core "
        "owns already; contended atomics share it with a second CPU. A dependent multiplication, which takes "
        "whole cycles, is the control of each round: without it no value of an idle sibling counts.\n"
        "Calls of the kernel come in bursts, less an empty one; wakes are half of a round trip of two "
        "threads; pages are those that the program gave back just before.\n"
        "Operations that may trap or disturb other CPUs (split-lock, cpuid) are measured by name only.",
    .examples = {"uarchprobe cost", "uarchprobe cost atomic-add full-fence",
                 "uarchprobe cost system-call page-fault", "uarchprobe cost -f json -o cost.json"},
    .honours = HONOURS_MEASURING,
    .measures = true,
    .one_core = true,
    .operands = "[OPERATION...]",
    .experiments = experiments,
    .run = run_cost,
};
