/* SPDX-License-Identifier: MIT */
/* Names of widths, as in the article: bytes of the store, a slash, bytes of the load. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stlf.h"

const char *const stlf_window_names[] = {"aligned", "line", "page", NULL};
const char *const stlf_chain_names[] = {"fa", "fd", "fd-noreuse", NULL};

/* Operations that make the grid of a chain; the first that has the widths is taken. */
static const enum operation operations[CHAIN_COUNT][3] = {
    [CHAIN_FA] = {OPERATION_FORWARD_FA, OPERATION_FORWARD_SPLIT, OPERATION_FORWARD_PAIR},
    [CHAIN_FD] = {OPERATION_FORWARD_FD, OPERATION_FORWARD_FD, OPERATION_FORWARD_FD},
    [CHAIN_FD_NOREUSE] = {OPERATION_FORWARD_FD_APART, OPERATION_FORWARD_FD_APART, OPERATION_FORWARD_FD_APART},
};

static bool serves(enum stlf_chain chain, const struct kernel *kernel)
{
    for (int i = 0; i < 3; i++) {
        if (kernel->operation == operations[chain][i])
            return true;
    }
    return false;
}

/* "2x" for two stores of half the width, "p" for a pair of general registers. */
static void name_width(const struct kernel *kernel, struct stlf_width *width)
{
    const unsigned store = kernel->bits / 8, load = kernel->load_bits / 8;
    *width = (struct stlf_width){.store = store, .load = load, .kernel = kernel};
    if (kernel->operation == OPERATION_FORWARD_SPLIT)
        snprintf(width->name, sizeof width->name, "2x%u/%u", store / 2, load);
    else if (kernel->operation == OPERATION_FORWARD_PAIR)
        snprintf(width->name, sizeof width->name, "p%u/p%u", store, load);
    else
        snprintf(width->name, sizeof width->name, "%u/%u", store, load);
}

static bool can_run(const struct run *run, const struct kernel *kernel)
{
    return kernel_passes(&run->kernels, kernel);
}

static int all_of(const struct run *run, enum stlf_chain chain, struct stlf_width *width)
{
    int count = 0;
    for (size_t i = 0; i < kernel_count && count < STLF_WIDTHS_MAX; i++) {
        if (serves(chain, &kernels[i]) && can_run(run, &kernels[i]))
            name_width(&kernels[i], &width[count++]);
    }
    return count;
}

static bool is_width(const char *text, size_t length)
{
    static const char *const widths[] = {"1", "2", "4", "8", "16", "32", "64", "2x8", "p16"};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        if (strlen(widths[i]) == length && strncmp(widths[i], text, length) == 0)
            return true;
    }
    return false;
}

static bool is_pair_of_widths(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash && is_width(name, (size_t)(slash - name)) && is_width(slash + 1, strlen(slash + 1));
}

static void list_widths(const struct stlf_width *width, int count, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? " " : "", width[i].name);
}

static enum status find_one(const struct stlf_width *can, int can_count, enum stlf_chain chain,
                            const char *name, struct stlf_width *width, struct fault *fault)
{
    char list[FAULT_TEXT - 120];
    if (!is_pair_of_widths(name))
        return fault_set(
            fault, STATUS_USAGE,
            "--widths %s: bytes of the store, a slash and bytes of the load are wanted, as in 8/4 or "
            "16/16, of 1 2 4 8 16 32 64",
            name);
    for (int i = 0; i < can_count; i++) {
        if (strcmp(can[i].name, name) == 0) {
            *width = can[i];
            return STATUS_OK;
        }
    }
    list_widths(can, can_count, list, sizeof list);
    return fault_set(fault, STATUS_UNSUPPORTED,
                     "--widths %s: no kernel for it runs here with --chain %s; these do: %s", name,
                     stlf_chain_names[chain], list);
}

static bool is_named_before(const struct name_list *names, int index)
{
    for (int i = 0; i < index; i++) {
        if (strcmp(names->name[i], names->name[index]) == 0)
            return true;
    }
    return false;
}

enum status stlf_find_widths(const struct run *run, enum stlf_chain chain, const struct name_list *names,
                             struct stlf_width *width, int *count, struct fault *fault)
{
    struct stlf_width can[STLF_WIDTHS_MAX];
    const int can_count = all_of(run, chain, can);
    const bool all = names->count == 0 || (names->count == 1 && strcmp(names->name[0], "all") == 0);
    if (can_count == 0)
        return fault_set(
            fault, STATUS_UNSUPPORTED,
            "--kernel %s: no kernel of this name makes a grid; leave the option out or name one of "
            "forward_*",
            run->kernels.name ? run->kernels.name : "");
    *count = all ? can_count : 0;
    if (all)
        memcpy(width, can, (size_t)can_count * sizeof *can);
    for (int i = 0; !all && i < names->count; i++) {
        if (find_one(can, can_count, chain, names->name[i], &width[*count], fault))
            return fault->status;
        *count += !is_named_before(names, i);
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
