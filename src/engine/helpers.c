/* SPDX-License-Identifier: MIT */
/* Threads that repeat some work on other CPUs while an experiment is measured: its partner and its
 * helpers. */
#include <stdlib.h>

#include "base/text.h"
#include "engine/companion.h"
#include "engine/metrics.h"

/* A thread that works while an experiment is measured: its partner, or one of its helpers. */
struct helper {
    struct companion *companion;
    void (*work)(void *context, int number);
    void *context;
    int number;
};

static void help_once(void *context)
{
    const struct helper *helper = context;
    helper->work(helper->context, helper->number);
}

enum status helpers_start(struct lab *lab, struct fault *fault)
{
    const struct experiment *experiment = lab->experiment;
    const int count = experiment->help ? experiment->helpers.count : 0;
    lab->helper = memory_zeroed((size_t)count + 1, sizeof *lab->helper);
    for (int i = 0; i < count && fault->status == STATUS_OK; i++) {
        struct helper *helper = &lab->helper[i];
        *helper = (struct helper){.work = experiment->help, .context = lab->own, .number = i};
        helper->companion =
            companion_with(experiment->helpers.cpu[i], (struct companion_work){help_once, helper}, fault);
        lab->helpers += helper->companion != NULL;
    }
    const int other = experiment->partner ? run_other_core(lab->run, fault) : -1;
    if (other >= 0)
        lab->partner = companion_with(
            other, (struct companion_work){experiment->partner, lab->own, .is_counted = true}, fault);
    return fault->status;
}

void helpers_end(struct lab *lab)
{
    for (int i = 0; i < lab->helpers; i++)
        companion_dismiss(lab->helper[i].companion);
    for (int i = 0; i < lab->helpers; i++)
        companion_free(lab->helper[i].companion);
    companion_free(lab->partner);
    free(lab->helper);
}
