/* SPDX-License-Identifier: MIT */
/* Names of widths, as in the article: bytes of the store, a slash, bytes of the load. */
#include <stdio.h>
#include <string.h>

#include "stlf.h"

const char *const stlf_window_names[] = {"aligned", "line", "page", NULL};
const char *const stlf_chain_names[] = {"fa", "fd", "fd-noreuse", NULL};

/* Operations that make the grid of a chain; "2x" for two stores of half the width, "p" for pairs of general registers. */
static const struct form {
    enum operation operation;
    enum stlf_chain chain;
    unsigned stores;
    const char *before, *between;
} forms[] = {{OPERATION_FORWARD_FA, CHAIN_FA, 1, "", "/"},
             {OPERATION_FORWARD_SPLIT, CHAIN_FA, 2, "2x", "/"},
             {OPERATION_FORWARD_PAIR, CHAIN_FA, 1, "p", "/p"},
             {OPERATION_FORWARD_FD, CHAIN_FD, 1, "", "/"},
             {OPERATION_FORWARD_FD_APART, CHAIN_FD_NOREUSE, 1, "", "/"}};
enum { FORMS = sizeof forms / sizeof *forms };

/* All that can run. */
static int find_all(const struct run *run, enum stlf_chain chain, struct stlf_width *width)
{
    int count = 0;
    for (size_t i = 0; i < kernel_count * FORMS && count < STLF_WIDTHS_MAX; i++) {
        const struct kernel *kernel = &kernels[i / FORMS];
        const struct form *form = &forms[i % FORMS];
        if (form->operation != kernel->operation || form->chain != chain ||
            !kernel_passes(&run->kernels, kernel))
            continue;
        struct stlf_width *found = &width[count++];
        *found =
            (struct stlf_width){.store = kernel->bits / 8, .load = kernel->load_bits / 8, .kernel = kernel};
        snprintf(found->name, sizeof found->name, "%s%u%s%u", form->before, found->store / form->stores,
                 form->between, found->load);
    }
    return count;
}

static const struct stlf_width *find(const struct stlf_width *width, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(width[i].name, name) == 0)
            return &width[i];
    }
    return NULL;
}

static enum status refuse(const struct stlf_width *can, int count, enum stlf_chain chain, const char *name,
                          struct fault *fault)
{
    unsigned store, load;
    char end;
    struct text list = {0};
    const bool is_pair = sscanf(name, "%2u/%2u%c", &store, &load, &end) == 2 ||
                         sscanf(name, "2x%1u/%2u%c", &store, &load, &end) == 2 ||
                         sscanf(name, "p%2u/p%2u%c", &store, &load, &end) == 2;
    if (!is_pair || store < 1 || store > 64 || store & (store - 1) || load < 1 || load > 64 ||
        load & (load - 1))
        return fault_set(
            fault, STATUS_USAGE,
            "--widths %s: bytes of the store, a slash and bytes of the load are wanted, as in 8/4 or "
            "16/16, of 1 2 4 8 16 32 64",
            name);
    for (int i = 0; i < count; i++)
        text_printf(&list, "%s%s", i ? " " : "", can[i].name);
    fault_set(fault, STATUS_UNSUPPORTED,
              "--widths %s: no kernel for it runs here with --chain %s; these do: %s", name,
              stlf_chain_names[chain], list.data);
    text_free(&list);
    return fault->status;
}

enum status stlf_find_widths(const struct run *run, enum stlf_chain chain, const struct name_list *names,
                             struct stlf_width *width, int *count, struct fault *fault)
{
    struct stlf_width can[STLF_WIDTHS_MAX];
    const int can_count = find_all(run, chain, can);
    const bool all = names->count == 0 || (names->count == 1 && strcmp(names->name[0], "all") == 0);
    *count = 0;
    if (can_count == 0)
        return fault_set(
            fault, STATUS_UNSUPPORTED,
            "--kernel %s: no kernel of this name makes a grid; leave the option out or name one of "
            "forward_*",
            run->kernels.name ? run->kernels.name : "");
    for (int i = 0; i < (all ? can_count : names->count); i++) {
        const struct stlf_width *found = all ? &can[i] : find(can, can_count, names->name[i]);
        if (!found)
            return refuse(can, can_count, chain, names->name[i], fault);
        if (!find(width, *count, found->name))
            width[(*count)++] = *found;
    }
    return STATUS_OK;
}

const struct kernel *stlf_kernel(const struct run *run, enum operation operation, unsigned store,
                                 unsigned load)
{
    const struct kernel_filter any = {.allowed = run->kernels.allowed};
    const struct kernel *kernel = kernel_next(&any, operation, NULL);
    while (kernel && (kernel->bits != store * 8 || kernel->load_bits != load * 8))
        kernel = kernel_next(&any, operation, kernel);
    return kernel;
}
