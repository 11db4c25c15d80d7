/* SPDX-License-Identifier: MIT */
#include "cli/dram.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "bench/ram/params.h"
#include "cli/part.h"

/* Each thread reads its part of four times the last caches of all, which none of them can hold then. */
static uint64_t bytes_of_each(const struct run *run)
{
    const struct topology *topology = run->topology;
    uint64_t bytes = UINT64_C(64) << 20;
    for (int i = 0; i < topology->cache_count; i++) {
        const struct cache *cache = &topology->cache[i];
        if (cache->level == topology_last_level(topology) && cache->type != 'i')
            bytes = cache->bytes * (uint64_t)(cache->instances > 1 ? cache->instances : 1);
    }
    return 4 * bytes / (uint64_t)run->cpus.count / 4096 * 4096;
}

void dram_measure(const struct run *run, double budget_s, struct record *ram)
{
    struct run *quiet = memory_zeroed(1, sizeof *quiet); /* what this one leaves out is nobody's loss */
    struct ram_params *params = part_params(&ram_command, NULL);
    struct record *record = record_new();
    struct fault ignored = {0};
    char label[64];
    params->threads = 0;
    params->tasks = 1 << OPERATION_READ;
    params->methods = 1 << METHOD_VECTOR;
    params->sizes.count = 1;
    params->sizes.bytes[0] = bytes_of_each(run);
    *quiet = *run;
    quiet->core_clock = NULL;
    if (part_call(quiet, &ram_command, params, budget_s, record, &ignored) == STATUS_OK &&
        record->answers.count > 0) {
        struct answer answer = record->answers.of[0];
        snprintf(label, sizeof(label), "DRAM read, all %d CPUs", run->cpus.count);
        answer.key = DRAM_BY_ALL;
        answer.label = label;
        answer.slot = "memory/all_CPUs/read";
        record_answer(ram, answer);
    }
    record_free(record);
    free(quiet);
}
