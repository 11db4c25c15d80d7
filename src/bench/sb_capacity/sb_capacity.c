/* SPDX-License-Identifier: MIT */
/* `uarchprobe sb-capacity`: how many stores the store buffer holds. docs/method-sb-capacity.md says how it
 * is found out and where it is wrong. */
#include "sb_capacity.h"

#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
#include "engine/companion.h"
#include "uarchprobe/pin.h"

enum { BY_ISO, BY_NOPS, BY_LITMUS, WIDTH_8 = 3 }; /* indices into the names */
static const char *const sb_method_names[] = {"iso", "nops", "litmus", NULL};
static const char *const sb_width_names[] = {"1", "2", "4", "8", "16", "32", "64", NULL};
static const char *const sb_address_names[] = {"auto", "same", "line", "lines", "pages", NULL};

static enum status check(const struct run *run, const struct sb_params *params, struct fault *fault)
{
    const unsigned long long first = params->stores.first, last = params->stores.last;
    int pair[2];
    if (last != 0 && (first == 0 || last > SB_MOST_STORES))
        return fault_set(fault, STATUS_USAGE, "--stores %llu-%llu: between 1 and %d stores can be measured",
                         first, last, SB_MOST_STORES);
    if (last != 0 && params->method != BY_LITMUS && last - first + 1 < SB_FEWEST_POINTS)
        return fault_set(fault, STATUS_USAGE,
                         "--stores %llu-%llu: a knee needs at least %d points to stand out", first, last,
                         SB_FEWEST_POINTS);
    if (params->method == BY_LITMUS && (params->width != WIDTH_8 || params->streaming))
        return fault_set(
            fault, STATUS_USAGE,
            "--width and --streaming do not go with --method litmus, whose stores are plain ones of 8 "
            "bytes");
    if (params->smt.given && params->method != BY_ISO)
        return fault_set(fault, STATUS_USAGE, "--smt goes with --method iso only, not with %s",
                         sb_method_names[params->method]);
    return params->smt.given ? companion_pair(run, params->smt, pair, fault) : STATUS_OK;
}

static enum status choose_kernel(struct sb_bench *bench, struct fault *fault)
{
    const struct sb_params *params = bench->params;
    struct text widths = {0};
    bench->kernel = store_kernel_find(&bench->run->kernels, 8u << params->width, params->streaming);
    if (bench->kernel != NULL)
        return STATUS_OK;
    for (unsigned i = 0; sb_width_names[i] != NULL; i++)
        if (store_kernel_find(&bench->run->kernels, 8u << i, params->streaming) != NULL)
            text_printf(&widths, "%s%s", widths.data ? ", " : "", sb_width_names[i]);
    fault_set(fault, STATUS_UNSUPPORTED,
              "--width %s: no %sstore of that many bytes can run here (CPU or --isa); widths that can: %s",
              sb_width_names[params->width], params->streaming ? "streaming " : "",
              widths.data ? widths.data : "none");
    text_free(&widths);
    return fault->status;
}

static void describe_plan(const struct sb_bench *bench)
{
    const struct sb_params *params = bench->params;
    struct record *record = bench->run->record;
    char range[48] = "1 to twice the step";
    if (params->stores.last != 0)
        snprintf(range, sizeof range, "%llu to %llu", (unsigned long long)params->stores.first,
                 (unsigned long long)params->stores.last);
    record_fact(record,
                (struct fact){"plan.method", "method", NULL, TEXT_CELL(sb_method_names[params->method])});
    if (params->method == BY_NOPS)
        record_fact(record,
                    (struct fact){"plan.nops", "no-operations", NULL, INTEGER_CELL((int64_t)params->nops)});
    RECORD_FACTS(record, {"plan.kernel", "kernel", NULL, TEXT_CELL(bench->kernel->name)},
                 {"plan.address", "addresses", NULL, TEXT_CELL(sb_address_names[params->address])},
                 {"plan.stores", "stores", NULL, TEXT_CELL(range)});
}

static enum status run_sb_capacity(struct run *run, struct fault *fault)
{
    static enum status (*const methods[])(struct sb_bench *, struct fault *) = {
        [BY_ISO] = sb_iso_run, [BY_NOPS] = sb_nops_run, [BY_LITMUS] = sb_litmus_run};
    const struct sb_params *params = run->params;
    struct sb_bench bench = {.run = run,
                             .params = params,
                             .pattern = params->address == SB_ADDRESS_AUTO
                                            ? STORES_LINE
                                            : (enum store_pattern)(params->address - 1)};
    if (check(run, params, fault) != STATUS_OK || choose_kernel(&bench, fault) != STATUS_OK)
        return fault->status;
    if (run->common->dry_run)
        describe_plan(&bench);
    if (pin_self(run->cpus.id[0], fault) != STATUS_OK)
        return fault->status;
    bench.core = cpu_core(run->cpu);
    methods[params->method](&bench, fault);
    run->untrusted = record_has_low_trust(run->record);
    return fault->status;
}

#define OFFSET(member) .offset = offsetof(struct sb_params, member)

static const struct option_row options[] = {
    {"method", 'm', OPTION_CHOICE, OFFSET(method), .argument = "METHOD", .fallback = "iso",
     .choices = sb_method_names,
     .help = "iso: stores between two independent chains; nops: stores, then no-operations, as published; "
             "litmus: how many stores a later load can pass, on two CPUs"},
    {"width", 'w', OPTION_CHOICE, OFFSET(width), .argument = "BYTES", .fallback = "8",
     .choices = sb_width_names, .help = "bytes of one store"},
    {"address", 'a', OPTION_CHOICE, OFFSET(address), .argument = "PATTERN", .fallback = "auto",
     .choices = sb_address_names,
     .help = "where the stores go: one address, four places of one line, four lines or four pages in turn; "
             "auto: line, for litmus all of them"},
    {"stores", 0, OPTION_RANGE, OFFSET(stores), .argument = "A-B", .fallback = "auto",
     .help = "numbers of stores to measure; auto: as far as it takes"},
    {"nops", 'n', OPTION_COUNT, OFFSET(nops), .argument = "N", .fallback = "500", .min = 0,
     .max = STORE_BURST_NOPS_MAX / 2,
     .help = "no-operations of --method nops, and in a second curve twice as many; 0: the source's figure "
             "without them, next to 500"},
    {"streaming", 0, OPTION_FLAG, OFFSET(streaming), .help = "use non-temporal stores"},
    {"smt", 0, OPTION_CPU, OFFSET(smt), .argument = "CPU",
     .help = "also measure with a companion on the SMT sibling (iso); CPU: where the topology hides it"},
    {"counters", 0, OPTION_FLAG, OFFSET(counters),
     .help = "also read the CPU's own count of cycles with a full store buffer, where the kernel allows it "
             "(iso)"},
    {0},
};

const struct command sb_capacity_command = {
    .name = "sb-capacity",
    .summary = "how many stores does the store buffer hold, and is it halved by an SMT sibling?",
    .method =
        "Between two chains of dependent operations stand S stores. While they fit into the store "
        "buffer, both chains run side by side; with one store too many the second chain waits for "
        "the first, and the time rises by a whole chain in one step. Each sweep over S takes 0.1 ms "
        "and gives one knee or none; the histogram of the knees is the measurement.\n"
        "The experiment is that of uarch-bench and robsize (T. Downs), reduced to its core; the "
        "published variant with no-operations (--method nops) is N. Nash's GuessStoreBuffer. "
        "Published sizes go by core.\n"
        "While an SMT sibling is active the buffer is halved. A sibling that is active all the "
        "time, on a CPU of unknown size, looks like a smaller buffer.",
    .examples = {"uarchprobe sb-capacity", "uarchprobe sb-capacity --width 64",
                 "uarchprobe sb-capacity --method nops --nops 1000", "uarchprobe sb-capacity --method litmus",
                 "uarchprobe sb-capacity -f json -o sb.json"},
    .options = options,
    .params_size = sizeof(struct sb_params),
    .honours = HONOURS_MEASURING | HONOURS_ISA,
    .measures = true,
    .run = run_sb_capacity,
};
