/* SPDX-License-Identifier: MIT */
/* `uarchprobe ram`: how fast memory is copied, written, compared and read, per instruction set and cache
 * level. Tasks, modes and columns are RAMOMETER's; docs/method-ram.md has the differences. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "engine/published.h"
#include "modes.h"
#include "ram.h"
#include "uarchprobe/pin.h"

static const char *const mode_choices[] = {"aligned", "unaligned", "streaming", NULL};

#define OFFSET(member) offsetof(struct ram_params, member)

static const struct option_row options[] = {
    {"size", 0, OPTION_SIZES, .offset = OFFSET(sizes), .argument = "LIST", .fallback = "auto",
     .help = "bytes of each of the two buffers, as in 64mi,1gi; auto: a part of each cache level and four "
             "times the last one; with --curve a range, as in 2ki-1gi"},
    {"task", 0, OPTION_CHOICES, .offset = OFFSET(tasks), .argument = "LIST", .choices = ram_task_names,
     .help =
         "tasks to measure; if not given all up to read, and latency; mix: read, copy and those of doubles"},
    {"bits", 0, OPTION_CHOICES, .offset = OFFSET(bits), .argument = "LIST", .choices = ram_bits_choices,
     .help = "element widths; 64 and wider if not given"},
    {"threads", 't', OPTION_COUNT, .offset = OFFSET(threads), .argument = "N", .fallback = "1", .min = 1,
     .max = 4096, .zero = "all",
     .help =
         "threads with buffers of their own; each is pinned to a CPU of --cpus. all: one on each of them"},
    {"pages", 0, OPTION_CHOICE, .offset = OFFSET(pages), .argument = "KIND", .fallback = "auto",
     .choices = page_kind_names, .help = "page size of the buffers; the obtained one is printed"},
    {"curve", 0, OPTION_FLAG, .offset = OFFSET(curve), .help = "speed by size: where caches and the TLB end"},
    {"scale", 0, OPTION_FLAG, .offset = OFFSET(scale), .help = "bandwidth of memory by 1, 2, 4 ... threads"},
    {"share", 0, OPTION_REAL, .offset = OFFSET(share_s), .argument = "SECONDS", .fallback = "auto",
     .min = 0.1, .max = 86400, .help = "so long: how much of the last cache is yours"},
    {"crossover", 0, OPTION_FLAG, .offset = OFFSET(crossover),
     .help = "from which size on which way to copy is faster"},
    {"loaded", 0, OPTION_FLAG, .offset = OFFSET(loaded), .help = "latency while the other CPUs load memory"},
    {"nodes", 0, OPTION_FLAG, .offset = OFFSET(nodes),
     .help = "latency and reading from each NUMA node to each"},
    {"method", 0, OPTION_CHOICES, .offset = OFFSET(methods), .argument = "LIST", .choices = method_names,
     .help = "how the task is done; all if not given", .rare = true},
    {"load-mode", 0, OPTION_CHOICES, .offset = OFFSET(loads), .argument = "LIST", .choices = mode_choices,
     .help = "how kernels load; aligned if not given; unaligned is off by one byte, streaming uses "
             "non-temporal loads",
     .rare = true},
    {"store-mode", 0, OPTION_CHOICES, .offset = OFFSET(stores), .argument = "LIST", .choices = mode_choices,
     .help = "how kernels store; aligned,streaming if not given; streaming uses non-temporal stores",
     .rare = true},
    {"all", 0, OPTION_FLAG, .offset = OFFSET(all),
     .help = "every task of RAMOMETER, element width, load and store mode that is not chosen otherwise",
     .rare = true},
    {"mem-node", 0, OPTION_TEXT, .offset = OFFSET(mem_node), .argument = "N",
     .help = "NUMA node of the buffers", .rare = true},
    {"force", 0, OPTION_FLAG, .offset = OFFSET(force), .help = "use more memory than is safely free",
     .rare = true},
    {"mix", 0, OPTION_CHOICE, .offset = OFFSET(mix), .argument = "KIND", .fallback = "read",
     .choices = ram_mix_names, .help = "reads to writes of --loaded", .rare = true},
    {0},
};

/* takes: --isa and --kernel, and those above that go with it, but for the one that asks for it. */
struct mode {
    const char *option;
    const char *const *takes;
    bool asked;
    enum status (*measure)(struct run *run, struct fault *fault);
};

static bool takes(const struct mode *mode, const struct option_row *row)
{
    bool takes = !(row->honours & (HONOURS_ISA | HONOURS_KERNEL));
    for (const struct option_row *own = options; own->name && takes; own++)
        takes = own != row;
    for (const char *const *name = mode->takes; *name; name++)
        takes |= strcmp(*name, row->name) == 0;
    return takes || strcmp(row->name, mode->option) == 0;
}

static enum status run_mode(const struct mode *mode, struct run *run, struct fault *fault)
{
    char words[128];
    join_words(mode->takes, words, sizeof words);
    for (int i = 0; i < run->common->given.count; i++)
        if (!takes(mode, run->common->given.of[i].row))
            return fault_set(fault, STATUS_USAGE,
                             "--%s does not go with --%s, which takes of ram's options: %s",
                             run->common->given.of[i].row->name, mode->option, words);
    return mode->measure(run, fault);
}

/* One thread is what remains of a default run where CPUs do not run together. */
static void prove_all_cpus(struct run *run)
{
    const struct ram_params *params = run->params;
    struct fault unpinned = {0};
    if (run->common->dry_run || params->sizes.count > 0 || run->cpus.count < 2 ||
        ram_is_given(run, "threads") || pin_prove(run->cpus.id[0], run->cpus.id[1], &unpinned) == STATUS_OK)
        return;
    record_warning(run->record, "all_cpus_left_out", "all CPUs together are not measured: %s", unpinned.text);
    run->cpus.count = 1;
}

static void refuse_memory(uint64_t threads, uint64_t bytes, uint64_t room, struct fault *fault)
{
    struct text text = {0};
    text_printf(&text, "the buffers of %llu %s take ", (unsigned long long)threads,
                threads == 1 ? "thread" : "threads");
    text_add_size_rounded(&text, (int64_t)bytes);
    text_add(&text, ", and this machine or its limits have room for ");
    text_add_size_rounded(&text, (int64_t)room);
    fault_set(fault, STATUS_NO_RESOURCE, "%s: give a smaller --size; --force overrides", text.data);
    text_free(&text);
}

static enum status run_table(struct run *run, struct fault *fault)
{
    const struct ram_params *params = run->params;
    const char *node = params->mem_node;
    struct ram_plan plan = {0};
    struct fault cause = {0}; /* names the count, not the option */
    uint64_t number;
    if (ram_is_given(run, "mix"))
        return fault_set(fault, STATUS_USAGE, "--mix goes with --loaded only");
    if (params->sizes.is_range)
        return fault_set(fault, STATUS_USAGE,
                         "--size: a range goes with --curve; without it write sizes such as 64mi,1gi");
    if (params->threads > (uint64_t)run->cpus.count)
        return fault_set(
            fault, STATUS_NO_RESOURCE,
            "--threads %llu needs as many CPUs, %d can be used here: give a smaller number or more --cpus",
            (unsigned long long)params->threads, run->cpus.count);
    if (node && parse_count(node, 0, 4095, &number, &cause))
        return fault_set(fault, STATUS_USAGE, "--mem-node: '%s' is not the number of a NUMA node", node);
    prove_all_cpus(run);
    if (ram_plan_make(&plan, params, run, memory_room(), fault) == STATUS_OK) {
        plan.loads = published_range(cpu_core(run->cpu), "load_bytes").most;
        plan.stores = published_range(cpu_core(run->cpu), "store_bytes").most;
        const uint64_t bytes = ram_plan_memory(&plan), room = memory_room();
        if (bytes <= room || params->force)
            ram_measure(run, &plan, node ? (int)number : -1, fault);
        else
            refuse_memory(ram_all(&plan)->threads, bytes, room, fault);
    }
    run->untrusted = record_has_low_trust(run->record);
    ram_plan_free(&plan);
    return fault->status;
}

/* A curve, or the table, of one thread. By default the table has a row of all CPUs, too. */
static bool is_of_one_thread(const struct run *run)
{
    const struct ram_params *params = run->params;
    const bool other =
        params->scale || params->share_s > 0 || params->crossover || params->loaded || params->nodes;
    return !run->in_report && params->threads == 1 && !other &&
           (params->curve || ram_is_given(run, "threads"));
}

/* The curve of a report is one of the first CPU, as the answers of one thread are. */
static void name_curve(struct run *run, size_t answers, size_t tables)
{
    struct record *record = run->record;
    char kind[KIND_NAME_LENGTH];
    run_kind_name(run, kind);
    const char *name = *kind ? record_text(record, "%s", kind) : NULL;
    for (; answers < record->answers.count; answers++)
        record->answers.of[answers].kind = name;
    for (; tables < record->tables.count; tables++)
        record->tables.of[tables].kind = name;
}

/* A long report has the curve, too, which leaves the table of levels the rest of the time. */
static enum status run_in_report(struct run *run, struct fault *fault)
{
    static const double CURVE_S = 12;
    const double budget_s = run->common->time_budget;
    struct common *common = memory_zeroed(1, sizeof *common); /* too large for the stack */
    struct run part = *run;
    *common = *run->common;
    part.common = common;
    common->time_budget = budget_s > 0 ? fmax(budget_s - CURVE_S, budget_s / 2) : 0;
    run_table(&part, fault);
    const bool untrusted = part.untrusted;
    const size_t answers = run->record->answers.count, tables = run->record->tables.count;
    common->time_budget = budget_s > 0 ? fmin(CURVE_S, budget_s / 2) : 0;
    if (fault->status == STATUS_OK && !run_has_ended(run) && !common->dry_run)
        ram_curve(&part, fault);
    name_curve(run, answers, tables);
    run->untrusted = untrusted || part.untrusted;
    run->left_out = part.left_out;
    free(common);
    return fault->status;
}

#define TAKES(...) ((const char *const[]){__VA_ARGS__, NULL})
static enum status run_ram(struct run *run, struct fault *fault)
{
    const struct ram_params *asked = run->params;
    const struct mode modes[] = {
        {"nodes", TAKES("pages", "isa"), asked->nodes, ram_nodes},
        {"loaded", TAKES("pages", "mix"), asked->loaded, ram_loaded},
        {"curve", TAKES("size", "bits", "threads", "pages", "force", "isa", "kernel"), asked->curve,
         ram_curve},
        {"share", TAKES("pages", "force"), asked->share_s > 0, ram_share},
        {"scale", TAKES("pages", "isa"), asked->scale, ram_scale},
        {"crossover", TAKES("pages", "isa"), asked->crossover, ram_crossover},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (modes[i].asked)
            return run_mode(&modes[i], run, fault);
    return run->in_report && !run->common->quick ? run_in_report(run, fault) : run_table(run, fault);
}

const struct command ram_command = {
    .name = "ram",
    .summary = "how fast are caches and memory, per instruction set?",
    .method =
        "Hand-written kernels copy, write, compare and read buffers of a part of each cache level and "
        "four times the last one; every kernel's work is checked byte by byte before it is timed. A "
        "sample is as many passes as last 2 ms (4 ms in memory), all points are sampled once and "
        "then all again, and the median of the rounds is shown, with the SMT sibling idle where it was seen "
        "so. Latency is of dependent "
        "loads in random order: a chain in L1 and L2, lines that the load before draws beyond.\n"
        "Tasks, modes and columns are those of RAMOMETER. Speed counts the bytes that the task "
        "handles: a copy of 1 GiB reads and writes 2 GiB.\n"
        "In a guest, cache sizes are what the hypervisor says, and neighbours share the last cache "
        "and the memory: the spread of the samples shows it and lowers the trust.",
    .examples = {"uarchprobe ram", "uarchprobe ram --size 64mi,1gi -r 10",
                 "uarchprobe ram --quick -f markdown",
                 "uarchprobe ram --task copy,write --bits 512 --load-mode all --store-mode all",
                 "uarchprobe ram -t 2 -f tsv -r 10 | grep AVG"},
    .options = options,
    .params_size = sizeof(struct ram_params),
    .honours = HONOURS_MEASURING | HONOURS_ISA | HONOURS_KERNEL,
    .measures = true,
    .one_core_if = is_of_one_thread,
    .run = run_ram,
};
