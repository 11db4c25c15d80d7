/* SPDX-License-Identifier: MIT */
/* `uarchprobe sb-capacity`: how many stores the store buffer holds. docs/method-sb-capacity.md has the
 * method and its limits. */
#include "sb_capacity.h"

#include <stddef.h>
#include <stdio.h>

#include "uarchprobe/experiment.h"
#include "uarchprobe/pin.h"

enum { BY_ISO, BY_NOPS, BY_LITMUS, WIDTH_8 = 3 }; /* indices into the names */
static const char *const sb_method_names[] = {"iso", "nops", "litmus", NULL};
static const char *const sb_width_names[] = {"1", "2", "4", "8", "16", "32", "64", NULL};
static const char *const sb_address_names[] = {"auto", "same", "line", "lines", "pages", NULL};

static enum status check(const struct run *run, struct fault *fault)
{
    const struct sb_params *params = run->params;
    int pair[2];
    if (params->stores.last != 0 && params->method != BY_LITMUS &&
        !(params->method == BY_NOPS && sb_is_loop(params)) &&
        params->stores.last - params->stores.first + 1 < SB_FEWEST_POINTS)
        return fault_set(fault, STATUS_USAGE,
                         "--stores %llu-%llu: a knee needs at least %d points to stand out",
                         (unsigned long long)params->stores.first, (unsigned long long)params->stores.last,
                         SB_FEWEST_POINTS);
    if (params->method == BY_LITMUS && (params->width != WIDTH_8 || params->streaming))
        return fault_set(fault, STATUS_USAGE,
                         "--width and --streaming do not go with --method litmus, whose stores are plain "
                         "ones of 8 bytes");
    if (params->smt.given && params->method != BY_ISO)
        return fault_set(fault, STATUS_USAGE, "--smt goes with --method iso only, not with %s",
                         sb_method_names[params->method]);
    return params->smt.given ? run_smt_pair(run, params->smt, pair, fault) : STATUS_OK;
}

static void describe_plan(const struct run *run, const struct kernel *kernel)
{
    const struct sb_params *params = run->params;
    char range[48] = "1 to twice the step";
    if (params->stores.last != 0)
        snprintf(range, sizeof range, "%llu to %llu", (unsigned long long)params->stores.first,
                 (unsigned long long)params->stores.last);
    RECORD_FACTS(run->record, {"plan.method", "method", NULL, TEXT_CELL(sb_method_names[params->method])},
                 {"plan.kernel", "kernel", NULL, TEXT_CELL(kernel->name)},
                 {"plan.address", "addresses", NULL, TEXT_CELL(sb_address_names[params->address])},
                 {"plan.stores", "stores", NULL, TEXT_CELL(range)},
                 {params->method == BY_NOPS ? "plan.nops" : NULL, "no-operations", NULL,
                  INTEGER_CELL((int64_t)params->nops)});
}

static enum status run_sb_capacity(struct run *run, struct fault *fault)
{
    static enum status (*const methods[])(struct run *, const struct kernel *, struct fault *) = {
        [BY_ISO] = sb_iso_run, [BY_NOPS] = sb_nops_run, [BY_LITMUS] = sb_litmus_run};
    const struct sb_params *params = run->params;
    const struct kernel *kernel = store_kernel_find(&run->kernels, 8u << params->width, params->streaming);
    if (check(run, fault) != STATUS_OK)
        return fault->status;
    if (kernel == NULL)
        return fault_set(fault, STATUS_UNSUPPORTED,
                         "--width %s: no %sstore of that many bytes can run here (CPU or --isa); `uarchprobe "
                         "list` has those that can",
                         sb_width_names[params->width], params->streaming ? "streaming " : "");
    if (run->common->dry_run)
        describe_plan(run, kernel);
    if (pin_self(run->cpus.id[0], fault) == STATUS_OK)
        methods[params->method](run, kernel, fault);
    run->untrusted = record_has_low_trust(run->record);
    return fault->status;
}

#define OFFSET(member) offsetof(struct sb_params, member)

static const struct option_row options[] = {
    {"method", 'm', OPTION_CHOICE, .offset = OFFSET(method), .argument = "METHOD", .fallback = "iso",
     .choices = sb_method_names,
     .help = "iso: stores between two independent chains; nops: stores, then no-operations, as published; "
             "litmus: how many stores a later load can pass, on two CPUs"},
    {"width", 'w', OPTION_CHOICE, .offset = OFFSET(width), .argument = "BYTES", .fallback = "8",
     .choices = sb_width_names, .help = "bytes of one store"},
    {"address", 'a', OPTION_CHOICE, .offset = OFFSET(address), .argument = "PATTERN", .fallback = "auto",
     .choices = sb_address_names,
     .help = "where the stores go: one address, four places of one line, four lines or four pages in turn; "
             "auto: line, for litmus all of them"},
    {"stores", 0, OPTION_RANGE, .offset = OFFSET(stores), .argument = "A-B", .fallback = "auto", .min = 1,
     .max = SB_MOST_STORES,
     .help = "numbers of stores to measure; auto: as far as needed. One number with --method nops "
             "(57-57): its loop alone, for perf stat"},
    {"nops", 'n', OPTION_COUNT, .offset = OFFSET(nops), .argument = "N", .fallback = "500", .min = 0,
     .max = STORE_BURST_NOPS_MAX / 2,
     .help = "no-operations of --method nops; a second curve has twice as many. 0: the source's figure "
             "without them, next to 500"},
    {"streaming", 0, OPTION_FLAG, .offset = OFFSET(streaming), .help = "use non-temporal stores"},
    {"smt", 0, OPTION_CPU, .offset = OFFSET(smt), .argument = "CPU",
     .help = "keep the SMT sibling busy, too (iso); CPU: where the topology hides it"},
    {"counters", 0, OPTION_FLAG, .offset = OFFSET(counters),
     .help = "count cycles with a full store buffer, too; by the CPU's own counters, where the kernel allows "
             "it (iso, nops)"},
    {0},
};

const struct command sb_capacity_command = {
    .name = "sb-capacity",
    .summary = "how many stores does the store buffer hold?",
    .method =
        "Between two chains of dependent operations stand S stores. While they fit into the store "
        "buffer, both chains run side by side; with one store too many the second chain waits for "
        "the first, and the time rises by a whole chain in one step. Each round over S takes 0.1 ms "
        "and gives one knee or none; the histogram of the knees is the measurement.\n"
        "The experiment is that of uarch-bench and robsize (T. Downs), reduced to its core; the "
        "published variant with no-operations (--method nops) is N. Nash's GuessStoreBuffer. "
        "Published sizes are those of the core.\n"
        "A busy SMT sibling halves the buffer. One that is busy all the time, on a CPU of unknown size, "
        "cannot be distinguished from a smaller buffer.",
    .examples = {"uarchprobe sb-capacity", "uarchprobe sb-capacity --width 64",
                 "uarchprobe sb-capacity --method nops --nops 1000", "uarchprobe sb-capacity --method litmus",
                 "uarchprobe sb-capacity -f json -o sb.json"},
    .options = options,
    .params_size = sizeof(struct sb_params),
    .honours = HONOURS_MEASURING | HONOURS_ISA,
    .measures = true,
    .one_core = true,
    .run = run_sb_capacity,
};
