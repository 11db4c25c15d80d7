/* SPDX-License-Identifier: MIT */
/* The CPUs of an experiment: those of one kind of core, as other kinds may have other values, or siblings. */
#include <stdlib.h>

#include "base/text.h"
#include "engine/metrics.h"

/* Says which kind of core was measured, and how the CPUs of the others are named. */
static void warn_of_kinds(const struct run *run, const struct core_kind *measured)
{
    struct text others = {0};
    char name[KIND_NAME_LENGTH];
    for (int kind = 0; kind < run->topology->kind_count; kind++) {
        const struct core_kind *other = &run->topology->kind[kind];
        int *id = memory_zeroed((size_t)run->cpus.count, sizeof *id), count = 0;
        char cpus[64];
        for (int i = 0; i < run->topology->place_count; i++)
            for (int k = 0; k < run->cpus.count; k++)
                if (run->cpus.id[k] == run->topology->place[i].id && run->topology->place[i].kind == kind)
                    id[count++] = run->cpus.id[k];
        if (other != measured && count > 0) {
            cpu_numbers_text(id, count, cpus, sizeof cpus);
            text_add(&others, others.length ? ", " : "");
            text_printf(&others, "%s with --cpus %s", topology_kind_name(run->topology, kind, name), cpus);
        }
        free(id);
    }
    record_warning(run->record, "one_kind",
                   "measured on the kind of CPU %d only, %s; measure %s, or each kind with --cpus all-kinds",
                   run->cpus.id[0],
                   topology_kind_name(run->topology, (int)(measured - run->topology->kind), name),
                   others.data);
    text_free(&others);
}

/* A CPU of which nothing is known may be of any kind. */
void lab_choose_cpus(struct lab *lab)
{
    const struct run *run = lab->run;
    const struct core_kind *first = topology_kind(run->topology, run->cpus.id[0]);
    bool left_out = false;
    for (int i = 0; i < run->cpus.count; i++) {
        const struct core_kind *kind = topology_kind(run->topology, run->cpus.id[i]);
        if (kind && first && kind != first)
            left_out = true;
        else if (lab->cpus < (lab->experiment->takes_turns ? CPUS_IN_TURN : 1))
            lab->cpu[lab->cpus++] = run->cpus.id[i];
    }
    if (left_out)
        warn_of_kinds(run, first);
}

enum status run_smt_pair(const struct run *run, struct cpu_choice choice, int cpu[2], struct fault *fault)
{
    cpu[0] = run->cpus.id[0];
    cpu[1] = choice.id;
    if (choice.named && cpu[1] == cpu[0])
        return fault_set(fault, STATUS_USAGE,
                         "--smt=%d: CPU %d is the one that measures; name another one, or leave --smt out",
                         cpu[1], cpu[1]);
    if (choice.named)
        return STATUS_OK;
    for (int i = 0; i < run->cpus.count; i++)
        for (int j = 0; j < run->topology->place_count; j++) {
            cpu[0] = run->cpus.id[i];
            cpu[1] = run->topology->place[j].id;
            if (topology_relation(run->topology, cpu[0], cpu[1]) == SAME_CORE)
                return STATUS_OK;
        }
    return fault_set(
        fault, STATUS_NO_RESOURCE,
        "--smt needs two allowed CPUs that are SMT siblings, and the topology shows none: name the "
        "sibling of CPU %d as in --smt=1 where the topology hides it",
        run->cpus.id[0]);
}
