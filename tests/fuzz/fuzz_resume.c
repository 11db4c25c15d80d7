/* SPDX-License-Identifier: MIT */
/* The file of core-latency --resume, for a run of four CPUs: values are taken over for whole pairs, or it is refused. */
#include "bench/core_latency/core_latency.h"
#include "fuzz.h"

enum { CPUS = 4, PAIRS = 6 };

static struct cpu_place place[CPUS] = {{.id = 0}, {.id = 1}, {.id = 2}, {.id = 5}};
static uint32_t pair_at[CPUS * CPUS];
static struct latency_cell cells[SERIES_COUNT][PAIRS];

static void make_pairs(void)
{
    uint32_t pair = 0;
    for (size_t i = 0; i < CPUS; i++) {
        for (size_t k = i + 1; k < CPUS; k++)
            pair_at[i * CPUS + k] = ++pair;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;
    struct latency_params params = {.benches = size % 2 ? 1 : UINT64_MAX, .resume = file.path};
    struct run run = {.record = record_new()};
    struct latency_matrix matrix = {.run = &run,
                                    .params = &params,
                                    .place = place,
                                    .count = CPUS,
                                    .plan.pair_count = PAIRS,
                                    .pair_at = pair_at};
    struct fault fault = {0};
    make_pairs();
    for (int series = 0; series < SERIES_COUNT; series++) {
        matrix.cell[series] = cells[series];
        for (size_t i = 0; i < PAIRS; i++)
            latency_cell_clear(&cells[series][i]);
    }
    RECORD_FACTS(run.record, {"run.command", .value = TEXT_CELL("core-latency")});
    file_fill(&file, data, size);
    require(latency_resume(&matrix, &fault) == fault.status);
    require_fault(&fault);
    require(matrix.resumed <= PAIRS && (fault.status == STATUS_OK || matrix.resumed == 0));
    for (int series = 0; series < SERIES_COUNT; series++) {
        for (size_t i = 0; i < PAIRS; i++)
            require(cells[series][i].restored == cells[0][i].restored);
    }
    record_free(run.record);
    return 0;
}
