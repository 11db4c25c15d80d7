/* SPDX-License-Identifier: MIT */
#include "sb_capacity.h"

bool sb_must_stop(const struct sb_bench *bench)
{
    return bench->run->interrupted(NULL) || clock_now_ns() >= bench->enough_ns ||
           clock_ticks() >= bench->deadline_ticks;
}

void sb_check_rounds(const struct sb_bench *bench, uint64_t done)
{
    struct run *run = bench->run;

    if (!(run->common->time_budget > 0) || run->interrupted(NULL) || done >= bench->rounds)
        return;
    record_warning(run->record, "time_budget",
                   "the time budget ended the measurement after %llu of %llu rounds",
                   (unsigned long long)done, (unsigned long long)bench->rounds);
    run->left_out = true;
}
