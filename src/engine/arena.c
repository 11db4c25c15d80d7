/* SPDX-License-Identifier: MIT */
/* Maps, fills, shrinks or refuses the memory of experiments. */
#include "engine/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uarchprobe/interrupt.h"

/* A context begins at a page, as some hold pages that are measured. */
enum { CONTEXT_ALIGNMENT = 4096 };

void *context_new(const struct experiment *experiment, void *given)
{
    const size_t bytes = experiment->context_bytes;
    if (bytes == 0)
        return experiment->own ? experiment->own : given;
    unsigned char *const block = memory_zeroed(1, sizeof(block) + bytes + CONTEXT_ALIGNMENT),
                         *context = block + sizeof(block);
    context += CONTEXT_ALIGNMENT - (uintptr_t)context % CONTEXT_ALIGNMENT;
    memcpy(context - sizeof(block), &block, sizeof(block)); /* for context_free */
    if (experiment->context_template)
        memcpy(context, experiment->context_template, bytes);
    return context;
}

void context_free(const struct experiment *experiment, void *context)
{
    void *block;
    if (experiment->context_bytes == 0 || !context)
        return;
    memcpy(&block, (unsigned char *)context - sizeof(block), sizeof(block));
    free(block);
}

uint64_t arena_wanted(const struct experiment *experiment, const struct run *run)
{
    const struct memory_row *row = experiment->memory;
    return !row ? 0 : row->wanted ? row->wanted(run, experiment->own) : row->bytes;
}

/* Holds the least that the experiment needs against the room, before anything is touched: the kernel of a
 * cgroup ends a process that touches too much, with all that it measured. */
static bool has_room(uint64_t least, struct run *run, const char **remark, struct fault *fault)
{
    const uint64_t room = least > 0 ? memory_room_of_one() : 0;
    if (least <= room)
        return true;
    struct text needed = {0}, free_bytes = {0};
    text_add_size_rounded(&needed, (int64_t)least);
    text_add_size_rounded(&free_bytes, (int64_t)room);
    *remark = record_text(run->record, "needs %s, %s free", needed.data, free_bytes.data);
    fault_set(fault, STATUS_NO_RESOURCE,
              "it needs %s of memory, and the machine or its limits have room for %s: raise the limit "
              "(cgroup, ulimit -v)",
              needed.data, free_bytes.data);
    text_free(&needed);
    text_free(&free_bytes);
    return false;
}

static void warn_if_short(const struct experiment *experiment, struct run *run, uint64_t bytes,
                          uint64_t wanted)
{
    if (bytes >= wanted || !experiment->memory->if_short)
        return;
    struct text taken = {0}, whole = {0};
    text_add_size_rounded(&taken, (int64_t)bytes);
    text_add_size_rounded(&whole, (int64_t)wanted);
    record_warning(run->record, "memory_short", "%s: memory is short, %s instead of %s: %s", experiment->name,
                   taken.data, whole.data, experiment->memory->if_short);
    text_free(&taken);
    text_free(&whole);
}

static enum status interrupted(struct fault *fault)
{
    return fault_set(fault, STATUS_FAILED, "signal %d came before the memory was filled", interrupt_signal());
}

enum status arena_open(struct arena *arena, const struct experiment *experiment, struct run *run,
                       const char **remark, struct fault *fault)
{
    const struct memory_row *row = experiment->memory;
    if (arena->row && arena->row == row)
        return STATUS_OK;
    arena_close(arena);
    const uint64_t wanted = arena_wanted(experiment, run),
                   least = row && row->least ? row->least(run, experiment->own) : wanted;
    if (!has_room(least, run, remark, fault))
        return fault->status;
    if (!row || row->content == MEMORY_OF_BENCH)
        return STATUS_OK;
    const uint64_t bytes = least < wanted ? memory_halved(wanted, least) : wanted;
    const struct memory_request request = {.bytes = bytes, .pages = row->pages, .node = -1};
    if (memory_map(&arena->memory, &request, fault) != STATUS_OK)
        return fault->status;
    if (row->content == MEMORY_FILLED)
        memory_touch(&arena->memory, 1, fault);
    else if (row->content == MEMORY_PRESENT)
        memory_populate(&arena->memory, fault);
    if (fault->status == STATUS_OK && interrupt_came())
        interrupted(fault);
    if (fault->status != STATUS_OK) {
        memory_release(&arena->memory);
        return fault->status;
    }
    arena->row = row;
    arena->is_laid_out = !row->lay_out;
    warn_if_short(experiment, run, bytes, wanted);
    return STATUS_OK;
}

enum status arena_lay_out(struct arena *arena, const struct run *run, void *own, struct fault *fault)
{
    if (!arena->row || arena->is_laid_out)
        return STATUS_OK;
    arena->row->lay_out(run, own, &arena->memory);
    arena->is_laid_out = true;
    return interrupt_came() ? interrupted(fault) : STATUS_OK;
}

const struct memory *arena_memory(const struct arena *arena)
{
    return arena && arena->row ? &arena->memory : NULL;
}

void arena_close(struct arena *arena)
{
    if (arena->row)
        memory_release(&arena->memory);
    *arena = (struct arena){0};
}
