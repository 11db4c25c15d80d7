/* SPDX-License-Identifier: MIT */
/* The CPUs of an experiment: those of one kind of core, as other kinds may have other values. */
#include <stdlib.h>

#include "base/text.h"
#include "engine/claims.h"

/* Adds the name of a kind of core: "Gracemont", or "E core" where it has none. */
static void add_kind(struct text *text, const struct topology *topology, const struct core_kind *kind)
{
    char letter[2];
    topology_kind_letter(topology, (int)(kind - topology->kind), letter);
    text_printf(text, "%s%s", kind->name ? kind->name : letter, kind->name ? "" : " core");
}

/* Says which kind of core was measured, and how the CPUs of the others are named. */
static void warn_of_kinds(const struct run *run, const struct core_kind *measured)
{
    struct text this = {0}, others = {0};
    add_kind(&this, run->topology, measured);
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
            add_kind(&others, run->topology, other);
            text_printf(&others, " with --cpus %s", cpus);
        }
        free(id);
    }
    record_warning(run->record, "one_kind", "measured on the kind of CPU %d only, %s; measure %s",
                   run->cpus.id[0], this.data, others.data);
    text_free(&this);
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
