/* SPDX-License-Identifier: MIT */
/* The kernels that --isa and --kernel leave, and the fault where none is left. */
#include "uarchprobe/kernel.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* A list of words being written into a buffer of fixed size; "..." stands for the rest. */
struct words {
    char text[FAULT_TEXT / 2];
    size_t length;
    bool full;
};

static void add_word(struct words *words, const char *word)
{
    enum { ROOM_FOR_DOTS = 6 };
    size_t room = sizeof words->text - words->length;
    const char *gap = words->length ? ", " : "";
    if (words->full)
        return;
    words->full = strlen(gap) + strlen(word) + ROOM_FOR_DOTS > room;
    words->length +=
        (size_t)snprintf(words->text + words->length, room, "%s%s", gap, words->full ? "..." : word);
}

static void add_features(struct words *words, feature_set set)
{
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if (set >> i & 1)
            add_word(words, feature_name((enum feature)i));
    }
}

static const struct isa_level *find_level(const char *name)
{
    for (const struct isa_level *level = isa_levels; level->name; level++) {
        if (strcmp(level->name, name) == 0)
            return level;
    }
    return NULL;
}

/* The features that a level adds to the one before it. */
static feature_set own_features(const struct isa_level *level)
{
    return level == isa_levels ? level->features : level->features & ~level[-1].features;
}

/* A level can run where one of its own kernels can; the first one always can, having the scalar ones. */
static bool level_runs(const struct isa_level *level, feature_set usable)
{
    if (level == isa_levels)
        return true;
    for (size_t i = 0; i < kernel_count; i++) {
        bool own = kernels[i].needs & own_features(level);
        if (own && !(kernels[i].needs & ~usable))
            return true;
    }
    return false;
}

static enum status fault_level(const char *name, feature_set usable, struct fault *fault)
{
    struct words known = {.length = 0}, running = {.length = 0};
    for (const struct isa_level *level = isa_levels; level->name; level++) {
        add_word(&known, level->name);
        if (level_runs(level, usable))
            add_word(&running, level->name);
    }
    const struct isa_level *level = find_level(name);
    if (!level)
        return fault_set(fault, STATUS_USAGE, "--isa %s: no such level; there are: %s", name, known.text);
    struct words lacking = {.length = 0};
    add_features(&lacking, own_features(level) & ~usable);
    return fault_set(fault, STATUS_UNSUPPORTED, "--isa %s cannot run here: lacks %s; usable here: %s", name,
                     lacking.text, running.text);
}

static bool matches(const char *pattern, const struct kernel *kernel)
{
    return !pattern || fnmatch(pattern, kernel->name, 0) == 0;
}

static bool runs(const struct kernel_filter *filter, const struct kernel *kernel)
{
    return !(kernel->needs & ~filter->allowed);
}

/* The usable kernels of the operations that the pattern asked for. */
static void add_usable(struct words *words, const struct kernel_filter *filter)
{
    bool asked[OPERATION_COUNT] = {false};
    for (size_t i = 0; i < kernel_count; i++)
        asked[kernels[i].operation] |= matches(filter->name, &kernels[i]);
    for (size_t i = 0; i < kernel_count; i++) {
        if (asked[kernels[i].operation] && runs(filter, &kernels[i]))
            add_word(words, kernels[i].name);
    }
}

static enum status fault_kernel(const struct kernel_filter *filter, feature_set usable, const char *isa,
                                struct fault *fault)
{
    feature_set needs = 0;
    bool known = false;
    for (size_t i = 0; i < kernel_count; i++) {
        if (matches(filter->name, &kernels[i])) {
            known = true;
            needs |= kernels[i].needs;
        }
    }
    if (!known)
        return fault_set(fault, STATUS_USAGE, "--kernel %s matches no kernel; see: uarchprobe list",
                         filter->name);
    struct words lacking = {.length = 0}, others = {.length = 0};
    feature_set missing = needs & ~usable;
    add_features(&lacking, missing ? missing : needs & ~filter->allowed);
    add_usable(&others, filter);
    if (!missing)
        return fault_set(fault, STATUS_UNSUPPORTED, "--kernel %s needs %s, which --isa %s leaves out",
                         filter->name, lacking.text, isa);
    return fault_set(fault, STATUS_UNSUPPORTED, "--kernel %s cannot run here: needs %s; usable here: %s",
                     filter->name, lacking.text, others.text);
}

enum status kernel_filter_init(struct kernel_filter *filter, feature_set usable, const char *isa,
                               const char *name, struct fault *fault)
{
    *filter = (struct kernel_filter){.allowed = usable, .name = name};
    if (isa) {
        const struct isa_level *level = find_level(isa);
        if (!level || !level_runs(level, usable))
            return fault_level(isa, usable, fault);
        filter->allowed &= level->features;
    }
    for (size_t i = 0; i < kernel_count; i++) {
        if (kernel_passes(filter, &kernels[i]))
            return STATUS_OK;
    }
    return fault_kernel(filter, usable, isa, fault);
}

bool kernel_passes(const struct kernel_filter *filter, const struct kernel *kernel)
{
    return runs(filter, kernel) && matches(filter->name, kernel);
}

const struct kernel *kernel_next(const struct kernel_filter *filter, enum operation operation,
                                 const struct kernel *after)
{
    for (const struct kernel *kernel = after ? after + 1 : kernels; kernel < kernels + kernel_count;
         kernel++) {
        if (kernel->operation == operation && kernel_passes(filter, kernel))
            return kernel;
    }
    return NULL;
}
