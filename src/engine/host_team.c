/* SPDX-License-Identifier: MIT */
/* The threads of a bench that takes its samples itself. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/engine_internal.h"
#include "uarchprobe/interrupt.h"

enum status engine_host_start(struct engine_host *host, const int *cpu, int count, struct fault *fault)
{
    host->cpu = memory_zeroed((size_t)count, sizeof *host->cpu);
    memcpy(host->cpu, cpu, (size_t)count * sizeof *cpu);
    host->team = team_new(cpu, count, fault);
    return fault->status;
}

void engine_host_end(struct engine_host *host)
{
    team_free(host->team);
    free(host->cpu);
    host->team = NULL;
    host->cpu = NULL;
}

bool engine_host_together(struct engine_host *host, const int *member, int count,
                          void (*task)(void *context, int member), void *context, double planned_s,
                          struct fault *fault)
{
    if (team_run(host->team, member, count, task, context, planned_s))
        return true;
    if (interrupt_came() || teams_check(fault) != STATUS_OK)
        return false;
    struct text cpus = {0};
    for (int i = 0; i < count; i++)
        text_printf(&cpus, "%s%d", i ? ", " : "", host->cpu[member ? member[i] : i]);
    fault_set(fault, STATUS_FAILED, "CPU%s %s did not answer, though %.1f s were planned",
              count > 1 ? "s" : "", cpus.data, planned_s);
    text_free(&cpus);
    return false;
}
