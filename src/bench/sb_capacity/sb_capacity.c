/* SPDX-License-Identifier: MIT */
/* `uarchprobe sb-capacity`: how many stores the store buffer holds. docs/method-sb-capacity.md says how it
 * is found out and where it is wrong. */
#include "sb_capacity.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "engine/companion.h"
#include "engine/published.h"
#include "uarchprobe/pin.h"

enum { BY_ISO, BY_NOPS, BY_LITMUS, WIDTH_8 = 3 }; /* indices into the names */
static const char *const sb_method_names[] = {"iso", "nops", "litmus", NULL};
static const char *const sb_width_names[] = {"1", "2", "4", "8", "16", "32", "64", NULL};
static const char *const sb_address_names[] = {"auto", "same", "line", "lines", "pages", NULL};

static enum status check_stores(const struct sb_params *params, struct fault *fault)
{
    const struct range *stores = &params->stores;

    if (stores->last == 0)
        return STATUS_OK;
    if (stores->first == 0 || stores->last > SB_MOST_STORES)
        return fault_set(fault, STATUS_USAGE, "--stores %llu-%llu: between 1 and %d stores can be measured",
                         (unsigned long long)stores->first, (unsigned long long)stores->last, SB_MOST_STORES);
    if (params->method != BY_LITMUS && stores->last - stores->first + 1 < SB_FEWEST_POINTS)
        return fault_set(
            fault, STATUS_USAGE, "--stores %llu-%llu: a knee needs at least %d points to stand out",
            (unsigned long long)stores->first, (unsigned long long)stores->last, SB_FEWEST_POINTS);
    return STATUS_OK;
}

static enum status check_method(const struct sb_bench *bench, struct fault *fault)
{
    const struct sb_params *params = bench->params;
    int pair[2];

    if (params->method == BY_LITMUS && (params->width != WIDTH_8 || params->streaming))
        return fault_set(
            fault, STATUS_USAGE,
            "--width and --streaming do not go with --method litmus, whose stores are plain ones of 8 "
            "bytes");
    if (params->smt.given && params->method != BY_ISO)
        return fault_set(fault, STATUS_USAGE, "--smt goes with --method iso only, not with %s",
                         sb_method_names[params->method]);
    return params->smt.given ? companion_pair(bench->run, params->smt, pair, fault) : STATUS_OK;
}

static void list_widths(const struct run *run, bool streaming, char *text, size_t size)
{
    size_t used = 0;

    text[0] = 0;
    for (unsigned i = 0; sb_width_names[i] != NULL && used < size; i++)
        if (store_kernel_find(&run->kernels, 8u << i, streaming) != NULL)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", sb_width_names[i]);
}

static enum status choose_kernel(struct sb_bench *bench, struct fault *fault)
{
    const struct sb_params *params = bench->params;
    char widths[64];

    bench->kernel = store_kernel_find(&bench->run->kernels, 8u << params->width, params->streaming);
    if (bench->kernel != NULL)
        return STATUS_OK;
    list_widths(bench->run, params->streaming, widths, sizeof widths);
    return fault_set(fault, STATUS_UNSUPPORTED,
                     "--width %s: no %sstore of that many bytes can run here (CPU or --isa); widths that "
                     "can: %s",
                     sb_width_names[params->width], params->streaming ? "streaming " : "",
                     widths[0] ? widths : "none");
}

/* Of litmus. What was asked for by number has no limit but the one that the user gives, of which a fifth is kept for checks;
 * without a number of rounds it finds when it is enough. */
static void choose_effort(struct sb_bench *bench)
{
    static const uint64_t rounds[] = {8, 4}, samples[] = {500, 200}; /* the second with --quick */
    static const double seconds = 2;
    const struct common *common = bench->run->common;
    const bool counted = common->repeat > 0 || common->samples > 0;
    const double given = common->time_budget;

    bench->checking =
        (struct engine_effort){.rounds = common->repeat,
                               .least = common->repeat > 0 ? common->repeat : rounds[common->quick],
                               .samples = common->samples > 0 ? common->samples : samples[common->quick],
                               .budget_s = given,
                               .begin_ns = given > 0 ? clock_now_ns() : 0};
    bench->sampling = bench->checking;
    bench->sampling.budget_s = given > 0 ? 0.8 * given : counted ? 0 : seconds;
}

void sb_check_rounds(const struct sb_bench *bench, const struct engine_data *data)
{
    const struct engine_effort *asked = &bench->checking;

    if (!(asked->budget_s > 0) || data->end != ENGINE_BUDGET || data->rounds >= asked->least)
        return;
    record_warning(bench->run->record, "time_budget",
                   "the time budget ended the measurement after %llu of %llu rounds",
                   (unsigned long long)data->rounds, (unsigned long long)asked->least);
    bench->run->left_out = true;
}

static void plan_fact(const struct sb_bench *bench, const char *path, const char *title, struct cell value)
{
    record_fact(bench->run->record, (struct fact){path, title, NULL, value});
}

static void describe_plan(const struct sb_bench *bench)
{
    const struct sb_params *params = bench->params;
    const double given = bench->checking.budget_s, own = bench->sampling.budget_s,
                 seconds = given > 0 ? given : own;
    char range[48] = "1 to twice the step";

    if (params->stores.last != 0)
        snprintf(range, sizeof range, "%llu to %llu", (unsigned long long)params->stores.first,
                 (unsigned long long)params->stores.last);
    plan_fact(bench, "plan.method", "method", TEXT_CELL(sb_method_names[params->method]));
    if (params->method == BY_NOPS)
        plan_fact(bench, "plan.nops", "no-operations", INTEGER_CELL(params->nops));
    plan_fact(bench, "plan.kernel", "kernel", TEXT_CELL(bench->kernel->name));
    plan_fact(bench, "plan.address", "addresses", TEXT_CELL(sb_address_names[params->address]));
    plan_fact(bench, "plan.stores", "stores", TEXT_CELL(range));
    if (params->method != BY_LITMUS)
        return; /* the rest is the experiment's */
    plan_fact(bench, "plan.cpus", "CPUs", INTEGER_CELL(bench->run->cpus.count));
    plan_fact(bench, "plan.rounds", "rounds, at least", INTEGER_CELL(bench->checking.least));
    plan_fact(bench, "plan.samples", "samples of a point in a round", INTEGER_CELL(bench->checking.samples));
    record_fact(bench->run->record, (struct fact){"plan.seconds", "time, at most", "s",
                                                  seconds > 0 ? REAL_CELL(seconds) : NO_CELL});
}

static enum status measure(struct sb_bench *bench, struct fault *fault)
{
    static enum status (*const methods[])(struct sb_bench *, struct fault *) = {
        [BY_ISO] = sb_iso_run, [BY_NOPS] = sb_nops_run, [BY_LITMUS] = sb_litmus_run};
    struct run *run = bench->run;

    if (pin_self(run->cpus.id[0], fault) != STATUS_OK)
        return fault->status;
    bench->core = cpu_core(run->cpu);
    methods[bench->params->method](bench, fault);
    run->untrusted = record_has_low_trust(run->record);
    return fault->status;
}

static enum status run_sb_capacity(struct run *run, struct fault *fault)
{
    const struct sb_params *params = run->params;
    struct sb_bench bench = {.run = run,
                             .params = params,
                             .pattern = params->address == SB_ADDRESS_AUTO
                                            ? STORES_LINE
                                            : (enum store_pattern)(params->address - 1)};

    if (check_stores(params, fault) != STATUS_OK || check_method(&bench, fault) != STATUS_OK ||
        choose_kernel(&bench, fault) != STATUS_OK)
        return fault->status;
    choose_effort(&bench);
    if (run->common->dry_run)
        describe_plan(&bench);
    return run->common->dry_run && params->method == BY_LITMUS ? STATUS_OK : measure(&bench, fault);
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

static const struct explanation explanations[] = {
#include "explain.def"
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
    .explanations = explanations,
    .options = options,
    .params_size = sizeof(struct sb_params),
    .honours = HONOURS_MEASURING | HONOURS_ISA,
    .measures = true,
    .run = run_sb_capacity,
};
