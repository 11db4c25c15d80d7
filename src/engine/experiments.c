/* SPDX-License-Identifier: MIT */
/* Runs experiments one after another: which metrics are asked for and which others these need, the plan
 * before, omissions after. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "engine/arena.h"
#include "engine/companion.h"
#include "engine/metrics.h"
#include "engine/published.h"
#include "uarchprobe/pin.h"

static bool is_asked(const struct metric *metric, const struct run *run)
{
    if (!metric->label)
        return false;
    for (int i = 0; i < run->operand_count; i++)
        if (metric->operand && strcmp(metric->operand, run->operands[i]) == 0)
            return true;
    return run->operand_count == 0 && !metric->by_name &&
           (metric->in_quick || !metric->operand || !run->in_report || !run->common->quick);
}

static bool needs_two_cpus(const struct experiment *experiment)
{
    return experiment->two_cpus || experiment->partner || experiment->help;
}

/* CPUs at work at the same time, for the plan. */
static int cpus_of(const struct experiment *experiment, const struct run *run)
{
    const int others = experiment->help ? experiment->helpers.count : needs_two_cpus(experiment);
    const int least = run->cpus.count > 1 ? 1 + others : 1;
    return experiment->team.count > least ? experiment->team.count : least;
}

int run_other_core(const struct run *run, struct fault *fault)
{
    for (int i = 1; i < run->cpus.count; i++)
        if (topology_relation(run->topology, run->cpus.id[0], run->cpus.id[i]) > SAME_CORE) {
            RECORD_FACTS(run->record, {"run.other_cpu", .value = INTEGER_CELL(run->cpus.id[i])});
            return run->cpus.id[i];
        }
    fault_set(fault, STATUS_NO_RESOURCE, "two CPUs of different cores are needed");
    return -1;
}

enum need *needs_of(const struct experiment *experiment, const struct run *run, bool *any)
{
    const size_t count = metric_count(experiment);
    enum need *need = memory_zeroed(count + 1, sizeof *need);
    *any = !experiment->metrics;
    for (size_t c = count; c-- > 0;) {
        const struct metric *metric = &experiment->metrics[c];
        if (is_asked(metric, run))
            need[c] = NEED_ASKED;
        *any = *any || need[c] == NEED_ASKED;
        const char *key;
        for (size_t i = 0; need[c] != NEED_NOT && metric_needs(experiment, metric, i, &key); i++)
            for (size_t earlier = 0; earlier < c && key; earlier++)
                if (need[earlier] == NEED_NOT && (strcmp(experiment->metrics[earlier].key, key) == 0 ||
                                                  metric_competes(metric, experiment->metrics[earlier].key)))
                    need[earlier] = NEED_BY_OTHERS;
    }
    return need;
}

/* One that no metric reads is for the table, and as wanted as its experiment. */
bool series_is_needed(const struct lab *lab, const struct series *series)
{
    bool is_read = false;
    for (size_t c = 0; c < lab->metrics; c++) {
        const struct metric *metric = &lab->experiment->metrics[c];
        const char *const names[] = {metric->series, metric->denominator.series, metric->cache.continued_by};
        bool reads = false;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            reads |= names[i] && strcmp(names[i], series->name) == 0;
        if (reads && lab->need[c] != NEED_NOT)
            return true;
        is_read |= reads;
    }
    return !is_read;
}

const char *experiments_operand(const struct experiment *const *experiments, size_t n)
{
    const char *seen[OPERANDS_MOST];
    size_t count = 0;
    for (; *experiments; experiments++)
        for (const struct metric *metric = (*experiments)->metrics; metric && metric->key; metric++) {
            bool is_new = metric->operand && count < OPERANDS_MOST;
            for (size_t i = 0; is_new && i < count; i++)
                is_new = strcmp(seen[i], metric->operand) != 0;
            if (is_new && count == n)
                return metric->operand;
            if (is_new)
                seen[count++] = metric->operand;
        }
    return NULL;
}

/* A run that ends early because all is of high trust still lasts RUN_LEAST_S, in equal parts of its
 * experiments: one of sb-capacity that ended after 0.12 s saw a busy sibling in 1 of 12 runs, one of 0.47 s
 * in 2 (Zen 4). */
static const double RUN_LEAST_S = 0.4;

/* count: of the experiments of the run. */
static struct engine_effort effort_for(const struct experiment *experiment, size_t count,
                                       const struct common *common)
{
    const struct pace *pace = &experiment->pace;
    const bool brief = common->quick && pace->quick_seconds > 0;
    struct engine_effort effort = effort_of(common, common->quick ? pace->quick_rounds : pace->rounds,
                                            brief ? pace->quick_seconds : pace->seconds);
    effort.placements = TURNS;
    effort.duration_s = RUN_LEAST_S / (double)count;
    return effort;
}

static enum status describe_plan(const struct experiment *experiment, size_t count, const struct lab *lab,
                                 struct fault *fault)
{
    const struct common *common = lab->run->common;
    const struct engine_effort first = effort_for(experiment, count, common);
    double seconds = 0;
    size_t courses = 0;
    uint64_t memory_bytes = 0; /* they run one after another */
    int cpus = lab->cpus;
    for (size_t i = 0; i < count; i++) {
        struct lab one = *lab;
        one.experiment = &experiment[i];
        if (courses_open(&one, fault) == STATUS_OK)
            seconds += first.budget_s > 0 ? effort_for(&experiment[i], count, common).budget_s : 0;
        courses += one.courses;
        if (one.courses > 0 && arena_wanted(&experiment[i], lab->run) > memory_bytes)
            memory_bytes = arena_wanted(&experiment[i], lab->run);
        if (one.courses > 0 && cpus_of(&experiment[i], lab->run) > cpus)
            cpus = cpus_of(&experiment[i], lab->run);
        experiment_free(&one);
    }
    if (courses == 0)
        return fault->status;
    *fault = (struct fault){0};
    RECORD_FACTS(lab->run->record, {"plan.series", "series", NULL, INTEGER_CELL((int64_t)courses)},
                 {"plan.cpu", "CPU", NULL, INTEGER_CELL(lab->cpu[0])},
                 {"plan.cpus", "CPUs", NULL, INTEGER_CELL(cpus)});
    effort_plan(lab->run, &first, common->time_budget > 0 ? common->time_budget : seconds);
    if (memory_bytes > 0)
        record_fact(lab->run->record, (struct fact){"plan.memory_bytes", "memory", "Byte",
                                                    INTEGER_CELL((int64_t)memory_bytes)});
    return STATUS_OK;
}

/* Makes all that an experiment works with: threads, memory, what its `open` does, its helpers. A signal that
 * comes meanwhile is a fault, too. */
static enum status open_all(struct lab *lab, struct arena *arena, bool *is_open, const char **remark,
                            struct fault *fault)
{
    const struct experiment *experiment = lab->experiment;
    struct run *run = lab->run;
    if (needs_two_cpus(experiment) && run->cpus.count < 2)
        return fault_set(fault, STATUS_NO_RESOURCE, "two CPUs are needed, and one can be used here");
    if (experiment->team.count > 0)
        lab->members = members_new(&experiment->team, false, fault);
    if (fault->status != STATUS_OK || arena_open(arena, experiment, run, remark, fault) != STATUS_OK)
        return fault->status;
    *is_open = !experiment->open || experiment->open(run, &lab->own, fault) == STATUS_OK;
    if (*is_open && arena_lay_out(arena, run, lab->own, fault) == STATUS_OK &&
        (experiment->help || experiment->partner))
        helpers_start(lab, fault);
    return fault->status;
}

/* Opens an experiment. One that cannot be measured here gets a warning, and rows that name the reason. A
 * signal that ends opening is no fault. */
static bool open_or_explain(struct lab *lab, struct arena *arena, struct fault *fault)
{
    const struct experiment *experiment = lab->experiment;
    struct run *run = lab->run;
    const char *remark = NULL;
    bool is_open = false;
    if (open_all(lab, arena, &is_open, &remark, fault) == STATUS_OK)
        return true;
    if (lab->helper)
        helpers_end(lab);
    if (is_open && experiment->close)
        experiment->close(lab->own);
    if (run->interrupted(NULL)) {
        *fault = (struct fault){0};
        return false;
    }
    record_warning(run->record, "not_here", "%s: %s", experiment->name, fault->text);
    if (!remark && needs_two_cpus(experiment) && fault->status == STATUS_NO_RESOURCE)
        remark = run->cpus.count < 2 ? "needs two CPUs" : "no second CPU that fits";
    if (!remark) /* The first clause of the fault names the reason; the way out stands in the warning. */
        remark = record_text(run->record, "%.*s", (int)strcspn(fault->text, ":;"), fault->text);
    metrics_record_missing(experiment, run, remark);
    return false;
}

/* Opens an experiment, measures it and closes it; false: it could not be opened. */
static bool measure_one(struct lab *lab, struct arena *arena, const struct engine_effort *effort,
                        struct sibling *witness, struct fault *fault)
{
    const struct experiment *experiment = lab->experiment;
    void *const context = context_new(experiment, lab->own);
    lab->own = context;
    const bool is_open = open_or_explain(lab, arena, fault);
    if (is_open) {
        lab->memory = arena_memory(arena);
        experiment_measure(lab, effort, fault);
        sibling_sign(witness, lab->run->record);
        if (lab->helper)
            helpers_end(lab);
        if (experiment->close)
            experiment->close(lab->own);
    }
    members_free(lab->members);
    context_free(experiment, context);
    return is_open;
}

/* One of several experiments that measures nothing is no fault. Without --repeat ROUNDS_FEW rounds are a
 * result; its trust shows its quality. */
static void measure_all(const struct experiment *experiment, size_t count, struct lab *lab,
                        struct engine_host *host, struct fault *fault)
{
    struct run *run = lab->run;
    const double budget_s = run->common->time_budget;
    const struct engine_machine machine = engine_host_machine(host);
    enum { ROUNDS_FEW = 2 };
    struct text left_out = {0};
    struct fault first = {0};
    const size_t answers = run->record->answers.count;
    size_t busy = 0, idle = 0, unsupported = 0;
    struct arena arena = {0};
    for (size_t i = 0; i < count && fault->status == STATUS_OK && !run_has_ended(run); i++) {
        struct lab one = *lab;
        struct engine_effort effort = effort_for(&experiment[i], count, run->common);
        /* The user's budget began before the engine's clock. */
        const double left_s = time_left_s(&(struct time_limit){budget_s, effort.is_wall, lab->start});
        if (budget_s > 0)
            effort.budget_s = fmax(left_s / (double)(count - i), 1e-9);
        effort.begin = engine_now(&machine);
        one.experiment = &experiment[i];
        one.machine = &machine;
        one.has_sibling = lab->has_sibling && experiment[i].both_states;
        host->index = i;
        const bool is_over = i > 0 && left_s <= 0;
        const bool is_open = !is_over && measure_one(&one, &arena, &effort, host->sibling, fault);
        if (fault->status == STATUS_UNSUPPORTED || (!is_open && fault->status != STATUS_OK)) {
            if (unsupported++ == 0)
                first = *fault;
            *fault = (struct fault){0};
        }
        if (count == 1 && budget_s > 0)
            effort_warn(run, &effort, &one.data);
        else if ((is_over || (one.points > 0 && one.data.end == ENGINE_BUDGET &&
                              one.data.rounds < (effort.rounds ? effort.rounds : ROUNDS_FEW))) &&
                 !(left_out.data && strstr(left_out.data, experiment[i].name)))
            text_printf(&left_out, "%s%s", left_out.length ? ", " : "", experiment[i].name);
        idle += one.data.seen[STATE_IDLE];
        busy += one.data.seen[STATE_ACTIVE];
        experiment_free(&one);
    }
    arena_close(&arena);
    if (unsupported == count) { /* the fault says it all */
        run->record->answers.count = answers;
        fault_set(fault, first.status, "%s", first.text);
    }
    if (left_out.length > 0)
        effort_left_out(run, left_out.data);
    text_free(&left_out);
    if (experiment->companion && idle > busy)
        record_warning(run->record, "smt_apart",
                       "CPU %d was busy throughout, but the store buffer of CPU %d was whole: they "
                       "share no core",
                       *experiment->companion, lab->cpu[0]);
}

/* Quotes what is published next to the answers once their trust is known, as "differs" depends on it. */
static void quote_published(const struct experiment *experiment, struct run *run)
{
    const char *core = run->cpu ? cpu_core(run->cpu) : NULL;
    for (size_t c = 0; c < metric_count(experiment); c++) {
        const struct metric *metric = &experiment->metrics[c];
        if (metric->published && core)
            published_quote(run->record, core, metric->key,
                            metric->or_published && !core_published(core, metric->published, 0)
                                ? metric->or_published
                                : metric->published);
        if (metric->differs)
            record_remark(run->record, metric->key, AGREEMENT_DIFFERS, metric->differs);
    }
}

static uint64_t no_switches(void *context)
{
    return 0;
}

enum status experiment_run(const struct experiment *experiment, size_t count, struct run *run, void *own,
                           struct fault *fault)
{
    struct lab lab = {.experiment = experiment, .run = run, .own = own, .start = stopwatch_start()};
    lab_choose_cpus(&lab);
    if (pin_self(lab.cpu[0], fault) != STATUS_OK)
        return fault->status;
    if (run->common->dry_run)
        return describe_plan(experiment, count, &lab, fault);
    bool both_states = false;
    for (size_t i = 0; i < count; i++)
        both_states |= experiment[i].both_states;
    for (int i = 0; both_states && i < run->cpus.count && !lab.has_sibling; i++) {
        lab.sibling = run->cpus.id[i];
        lab.has_sibling = topology_relation(run->topology, lab.cpu[0], lab.sibling) == SAME_CORE;
    }
    struct companion *companion = experiment->companion ? companion_new(*experiment->companion, fault) : NULL;
    struct sibling *witness = experiment->any_state ? NULL : sibling_new(run->cpu, run->clock);
    struct engine_host host = {.run = run,
                               .what = "rounds",
                               .sibling = witness,
                               .switches = experiment->any_state ? no_switches : NULL,
                               .of = count};
    measure_all(experiment, count, &lab, &host, fault);
    sibling_prove(witness, run->record);
    for (size_t i = 0; i < count; i++)
        quote_published(&experiment[i], run);
    run->untrusted = record_has_low_trust(run->record);
    companion_free(companion);
    if (!companion && !lab.has_sibling)
        sibling_record(witness, run->record);
    sibling_free(witness);
    return fault->status;
}

static enum status check_operand(const struct experiment *const *experiments, const char *operand,
                                 struct fault *fault)
{
    struct suggestion near = {.word = operand, .length = strlen(operand)};
    const char *known;
    for (size_t n = 0; (known = experiments_operand(experiments, n)); n++) {
        if (strcmp(known, operand) == 0)
            return STATUS_OK;
        suggestion_offer(&near, known);
    }
    return fault_set(fault, STATUS_USAGE, "unknown operand %s%s%s%s", quote(operand).text,
                     near.best ? ": did you mean " : "", near.best ? near.best : "",
                     near.best ? "?" : " (--help lists them all)");
}

/* Warns of an operand that got no answer, though there was time and nothing else says why. */
static void warn_missing(const struct experiment *const *experiments, const struct run *run,
                         const char *operand)
{
    for (; *experiments; experiments++)
        for (const struct metric *metric = (*experiments)->metrics; metric && metric->key; metric++)
            if (metric->operand && strcmp(metric->operand, operand) == 0 &&
                record_answer_find(run->record, metric->key, NULL))
                return;
    record_warning(run->record, "not_here", "%s: this CPU, kernel or choice of CPUs has no such operation",
                   operand);
}

enum status experiments_run(const struct experiment *const *experiments, struct run *run, struct fault *fault)
{
    struct experiment *asked = NULL;
    size_t count = 0;
    for (int i = 0; i < run->operand_count; i++)
        if (check_operand(experiments, run->operands[i], fault) != STATUS_OK)
            return fault->status;
    for (const struct experiment *const *row = experiments; *row; row++) {
        bool any;
        asked = memory_grow(asked, (count + 1) * sizeof *asked);
        asked[count] = **row;
        free(needs_of(*row, run, &any));
        count += any;
    }
    const size_t warnings = run->record->warnings.count;
    experiment_run(asked, count, run, NULL, fault);
    bool is_said = false;
    for (size_t i = warnings; i < run->record->warnings.count; i++)
        is_said |= strcmp(run->record->warnings.of[i].code, "not_here") == 0;
    for (int i = 0; fault->status == STATUS_OK && !is_said && !run->common->dry_run && !run->left_out &&
                    !run_has_ended(run) && i < run->operand_count;
         i++)
        warn_missing(experiments, run, run->operands[i]);
    free(asked);
    return fault->status;
}
