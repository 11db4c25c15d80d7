/* SPDX-License-Identifier: MIT */
/* Maps, fills, shrinks or refuses the memory of experiments. */
#include "engine/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/own_time.h"
#include "uarchprobe/pin.h"

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

/* The buffers that a row asks for in this run. */
struct request {
    struct buffer *buffer; /* to be freed */
    int count;
    uint64_t wanted, least; /* bytes of all, with their margins; least: of those that are needed */
    struct fault refused;   /* the first reason why one is missing that is not needed */
};

static void add_buffer(struct request *request, struct buffer buffer)
{
    buffer.least = buffer.least > 0 && buffer.least < buffer.bytes ? buffer.least : buffer.bytes;
    request->buffer = memory_grow(request->buffer, (size_t)(request->count + 1) * sizeof *request->buffer);
    request->buffer[request->count++] = buffer;
    request->wanted += buffer.bytes + buffer.margin;
    request->least += buffer.missing ? 0 : buffer.least + buffer.margin;
}

static struct request request_of(const struct experiment *experiment, const struct run *run)
{
    const struct memory_row *row = experiment->memory;
    struct request request = {.count = 0};
    if (row && row->buffer) {
        struct buffer buffer = {.cpu = -1};
        while (row->buffer(run, experiment->own, request.count, &buffer)) {
            add_buffer(&request, buffer);
            buffer = (struct buffer){.cpu = -1};
        }
    } else if (row) {
        add_buffer(&request,
                   (struct buffer){.bytes = row->wanted ? row->wanted(run, experiment->own) : row->bytes,
                                   .cpu = -1});
        request.least = row->least ? row->least(run, experiment->own) : request.wanted;
        request.buffer[0].least = request.least;
    }
    return request;
}

/* Halves the largest buffers, but none below its least, until all fit. */
static void shrink(struct request *request)
{
    const uint64_t room = memory_room_of_one();
    uint64_t largest = 1;
    while (request->wanted > room && largest > 0) {
        largest = 0;
        for (int i = 0; i < request->count; i++)
            if (request->buffer[i].bytes > request->buffer[i].least && request->buffer[i].bytes > largest)
                largest = request->buffer[i].bytes;
        for (int i = 0; i < request->count; i++) {
            struct buffer *buffer = &request->buffer[i];
            if (buffer->bytes != largest || buffer->bytes <= buffer->least)
                continue;
            buffer->bytes = buffer->bytes / 2 > buffer->least ? buffer->bytes / 2 : buffer->least;
            request->wanted -= largest - buffer->bytes;
        }
    }
}

/* Leaves out a buffer that is not needed. */
static void leave_out(struct request *request, int i, const char *reason, const struct fault *refused)
{
    struct buffer *buffer = &request->buffer[i];
    *buffer->missing = reason;
    request->wanted -= buffer->bytes + buffer->margin;
    buffer->bytes = buffer->margin = buffer->least = 0;
    if (refused && request->refused.status == STATUS_OK)
        request->refused = *refused;
}

uint64_t arena_wanted(const struct experiment *experiment, const struct run *run)
{
    struct request request = request_of(experiment, run);
    if (request.count > 0 && !experiment->memory->is_forced)
        shrink(&request);
    free(request.buffer);
    return request.wanted;
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

/* Leaves out what is not needed where there is too little room for all. False: nothing is left. */
static bool has_any(struct request *request, struct run *run, const char **remark, struct fault *fault)
{
    uint64_t least = 0;
    if (request->wanted <= memory_room_of_one())
        return true;
    for (int i = 0; i < request->count; i++)
        if (request->buffer[i].missing && request->buffer[i].bytes > 0) {
            least += request->buffer[i].least + request->buffer[i].margin;
            leave_out(request, i, "too little is free", NULL);
        }
    return request->wanted > 0 || has_room(least, run, remark, fault);
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

/* The buffers while threads near them bring their pages in. */
struct filling {
    const struct memory_row *row;
    struct request *request;
    void *own;             /* of the experiment */
    double fill_s;         /* of the row in this run */
    struct memory *memory; /* of each buffer */
    struct fault *fault;   /* of each buffer */
    int *cpu, threads;     /* of each thread */
};

/* Brings pages in and lays them out, piece by piece, until the time ends. */
static void fill_pieces(const struct filling *filling, int buffer, double seconds, struct fault *fault)
{
    static const double LONGER = 3;
    enum { PIECE_BYTES = 4 << 20 };
    const struct stopwatch begin = stopwatch_start_thread();
    const uint64_t needed = filling->request->buffer[buffer].needed;
    struct memory *memory = &filling->memory[buffer];
    uint64_t filled = 0;
    while (filled < memory->bytes && !interrupt_came() &&
           stopwatch_thread_s(&begin) < (filled < needed ? LONGER : 1) * seconds) {
        const struct memory piece = memory_piece(memory, filled, PIECE_BYTES);
        if (memory_populate(&piece, fault) != STATUS_OK)
            return;
        filling->row->lay_out_piece(filling->own, &piece);
        filled += piece.bytes;
    }
    memory->bytes = filled;
}

static void bring_in(const struct filling *filling, int buffer, double seconds, struct fault *fault)
{
    const struct memory_row *row = filling->row;
    struct memory *memory = &filling->memory[buffer];
    if (row->lay_out_piece)
        fill_pieces(filling, buffer, seconds, fault);
    else if (row->content == MEMORY_FILLED && row->fill_s > 0)
        memory->bytes = memory_fill(memory, 1, seconds, fault);
    else if (row->content == MEMORY_FILLED)
        memory_touch(memory, 1, fault);
    else if (row->content == MEMORY_PRESENT)
        memory_populate(memory, fault);
}

/* The buffers of one CPU, one after another. */
static void fill_near(void *context, int thread)
{
    const struct filling *filling = context;
    const struct request *request = filling->request;
    int buffers = 0;
    for (int i = 0; i < request->count; i++)
        buffers += request->buffer[i].cpu == filling->cpu[thread];
    for (int i = 0; i < request->count; i++)
        if (request->buffer[i].cpu == filling->cpu[thread] && filling->memory[i].bytes > 0)
            bring_in(filling, i, filling->fill_s / buffers, &filling->fault[i]);
}

/* Leaves out a buffer that cannot be had, or refuses all if it is needed. */
static void refuse(struct request *request, int i, struct memory *memory, const struct fault *refused,
                   struct fault *fault)
{
    memory_release(memory);
    if (request->buffer[i].missing)
        leave_out(request, i, "not to be had", refused);
    else
        *fault = *refused;
}

/* Starts a thread on each CPU that has buffers, for as long as it takes to fill them. */
static void fill(struct filling *filling, struct fault *fault)
{
    const struct request *request = filling->request;
    bool has_own = false;
    for (int i = 0; i < request->count; i++) {
        const int cpu = request->buffer[i].cpu;
        int thread = 0;
        while (thread < filling->threads && filling->cpu[thread] != cpu)
            thread++;
        has_own |= cpu < 0;
        if (cpu >= 0 && thread == filling->threads)
            filling->cpu[filling->threads++] = cpu;
    }
    struct team *team = filling->threads > 0 ? team_new(filling->cpu, filling->threads, fault) : NULL;
    if (team && !team_run(team, NULL, filling->threads, fill_near, filling, filling->fill_s))
        fault_set(fault, STATUS_NO_RESOURCE, "not every CPU filled its memory in time");
    team_free(team);
    if (has_own && fault->status == STATUS_OK) {
        filling->cpu[0] = -1;
        fill_near(filling, 0);
    }
    for (int i = 0; i < request->count && fault->status == STATUS_OK; i++)
        if (filling->fault[i].status != STATUS_OK)
            refuse(filling->request, i, &filling->memory[i], &filling->fault[i], fault);
}

/* Refuses what was not filled in time. */
static enum status check_filled(struct arena *arena, struct request *request, struct run *run,
                                const char **remark, struct fault *fault)
{
    bool has_some = false;
    for (int i = 0; i < arena->count && fault->status == STATUS_OK; i++) {
        const uint64_t least = request->buffer[i].least + request->buffer[i].margin;
        has_some |= arena->memory[i].bytes > 0 && arena->memory[i].bytes >= least;
        if (arena->memory[i].bytes >= least)
            continue;
        if (request->buffer[i].missing) {
            memory_release(&arena->memory[i]);
            leave_out(request, i, "too little is free", NULL);
            continue;
        }
        struct text needed = {0}, filled = {0};
        text_add_size_rounded(&needed, (int64_t)least);
        text_add_size_rounded(&filled, (int64_t)arena->memory[i].bytes);
        *remark = record_text(run->record, "needs %s, %s in time", needed.data, filled.data);
        fault_set(fault, STATUS_NO_RESOURCE,
                  "it needs %s of memory, and a thread filled %s in %g s: run it while nothing else does, or "
                  "with fewer --cpus",
                  needed.data, filled.data, arena->row->fill_s);
        text_free(&needed);
        text_free(&filled);
    }
    if (!has_some && fault->status == STATUS_OK)
        *fault = request->refused;
    if (!has_some && fault->status == STATUS_OK)
        fault_set(fault, STATUS_NO_RESOURCE, "no memory that it needs is there, or filled in %g s",
                  arena->row->fill_s);
    return fault->status;
}

/* Maps all buffers, then brings their pages in. */
static enum status make_buffers(struct arena *arena, const struct experiment *experiment,
                                struct request *request, struct run *run, const char **remark,
                                struct fault *fault)
{
    const struct memory_row *row = experiment->memory;
    const bool is_brief = row->quick_fill_s > 0 && run->common->quick;
    const size_t count = (size_t)request->count;
    arena->count = request->count;
    arena->memory = memory_zeroed(count, sizeof *arena->memory);
    for (int i = 0; i < request->count && fault->status == STATUS_OK; i++) {
        const struct buffer *buffer = &request->buffer[i];
        struct fault refused = {0};
        if (buffer->bytes > 0 &&
            memory_map(&arena->memory[i],
                       &(struct memory_request){.bytes = buffer->bytes + buffer->margin,
                                                .pages = buffer->pages ? buffer->pages : row->pages,
                                                .node = buffer->is_on_node ? buffer->node : -1,
                                                .topology = run->topology},
                       &refused) != STATUS_OK)
            refuse(request, i, &arena->memory[i], &refused, fault);
    }
    struct filling filling = {.row = row,
                              .request = request,
                              .own = experiment->own,
                              .fill_s = is_brief ? row->quick_fill_s : row->fill_s,
                              .memory = arena->memory,
                              .cpu = memory_zeroed(count + 1, sizeof *filling.cpu),
                              .fault = memory_zeroed(count + 1, sizeof *filling.fault)};
    if (fault->status == STATUS_OK && row->content != MEMORY_MAPPED)
        fill(&filling, fault);
    free(filling.cpu);
    free(filling.fault);
    if (interrupt_came() && (fault->status == STATUS_OK || fault->status == STATUS_NO_RESOURCE)) {
        *fault = (struct fault){0};
        return interrupted(fault);
    }
    return fault->status == STATUS_OK ? check_filled(arena, request, run, remark, fault) : fault->status;
}

enum status arena_open(struct arena *arena, const struct experiment *experiment, struct run *run,
                       const char **remark, struct fault *fault)
{
    const struct memory_row *row = experiment->memory;
    if (arena->row && arena->row == row)
        return STATUS_OK;
    arena_close(arena);
    struct request request = request_of(experiment, run);
    const uint64_t wanted = request.wanted;
    const bool is_bounded = row && !row->is_forced;
    if ((!is_bounded || has_room(request.least, run, remark, fault)) && row &&
        row->content != MEMORY_OF_BENCH) {
        if (is_bounded)
            shrink(&request);
        arena->row = row;
        arena->is_laid_out = !row->lay_out;
        if ((!is_bounded || has_any(&request, run, remark, fault)) &&
            make_buffers(arena, experiment, &request, run, remark, fault) == STATUS_OK)
            warn_if_short(experiment, run, request.wanted, wanted);
        else
            arena_close(arena);
    }
    free(request.buffer);
    return fault->status;
}

enum status arena_lay_out(struct arena *arena, const struct run *run, void *own, struct fault *fault)
{
    if (!arena->row || arena->is_laid_out)
        return STATUS_OK;
    arena->row->lay_out(run, own, arena->memory);
    arena->is_laid_out = true;
    return interrupt_came() ? interrupted(fault) : STATUS_OK;
}

const struct memory *arena_memory(const struct arena *arena)
{
    return arena && arena->row ? arena->memory : NULL;
}

void arena_close(struct arena *arena)
{
    for (int i = 0; i < arena->count; i++)
        memory_release(&arena->memory[i]);
    free(arena->memory);
    *arena = (struct arena){0};
}
