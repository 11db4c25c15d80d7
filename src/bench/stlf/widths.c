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

static void spell(const struct form *form, unsigned store, unsigned load, char name[32])
{
    snprintf(name, 32, "%s%u%s%u", form->before, store / form->stores, form->between, load);
}

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
        found->kernel = kernel;
        spell(form, kernel->bits / 8, kernel->load_bits / 8, found->name);
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

static enum status refuse(const struct stlf_width *can, int count, const char *name, struct fault *fault)
{
    struct text list = {0};
    bool is_pair = false;
    for (int i = 0; i < FORMS; i++)
        for (unsigned store = 1; store <= 64; store *= 2)
            for (unsigned load = 1; load <= 64; load *= 2) {
                char spelled[32];
                spell(&forms[i], store, load, spelled);
                is_pair = is_pair || strcmp(spelled, name) == 0;
            }
    for (int i = 0; i < count; i++)
        text_printf(&list, "%s%s", i ? " " : "", can[i].name);
    fault_set(fault, is_pair ? STATUS_UNSUPPORTED : STATUS_USAGE,
              is_pair ? "--widths %s: no kernel for it runs here with this --chain; these do: %s"
                      : "--widths %s: bytes of a store, a slash and bytes of a load are wanted, as in 8/4; "
                        "here run: %s",
              name, list.data);
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
            return refuse(can, can_count, names->name[i], fault);
        if (!find(width, *count, found->name))
            width[(*count)++] = *found;
    }
    return STATUS_OK;
}
