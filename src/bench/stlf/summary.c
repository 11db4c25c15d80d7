/* SPDX-License-Identifier: MIT */
/* The article's three chains at every number of pairs, and what they are measured against. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cores.h"
#include "stlf.h"

enum {
    P_L1,
    P_INDEPENDENT,
    P_CONTAINED,
    P_PARTIAL,
    P_CHAINS, /* CHAIN_COUNT times STLF_UNROLL_MAX points follow */
    POINTS = P_CHAINS + CHAIN_COUNT * STLF_UNROLL_MAX
};

enum { C_CASE, C_STORE, C_LOAD, C_PAIRS, C_CODE, C_CYCLES, C_SPREAD, C_VERDICT, C_ACTIVE, COLUMN_COUNT };

static const struct column columns[COLUMN_COUNT] = {
    [C_CASE] = {"case", "case", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [C_STORE] = {"store_bytes", "store", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_LOAD] = {"load_bytes", "load", "Byte", CELL_SIZE, ROLE_PARAMETER, 0},
    [C_PAIRS] = {"pairs", "pairs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [C_CODE] = {"code_bytes", "code a pair", "Byte", CELL_SIZE, ROLE_LABEL, 0},
    [C_CYCLES] = {"cycles", "a pair takes", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [C_SPREAD] = {"spread", "p90 - p10", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [C_VERDICT] = {"verdict", "verdict", NULL, CELL_CLASS, ROLE_LABEL, 0},
    [C_ACTIVE] = {"cycles_sibling_active", "sibling active", "core cycles", CELL_REAL, ROLE_LABEL, 2},
};

static const struct table_spec summary_table = {
    .name = "summary",
    .title = "Store-to-load forwarding",
    .note =
        "Time of a pair of a store and a dependent load, lower quartile. pairs: in one pass of the loop.\n"
        "fast address: only the stored data is late. fast data: only the store's address is late.",
    .columns = columns,
    .column_count = COLUMN_COUNT,
};

enum { U_CHAIN, U_PAIRS, U_CODE, U_CYCLES, U_SPREAD, U_ACTIVE, U_COUNT };

static const struct column unroll_columns[U_COUNT] = {
    [U_CHAIN] = {"chain", "chain", NULL, CELL_CLASS, ROLE_PARAMETER, 0},
    [U_PAIRS] = {"pairs", "pairs", NULL, CELL_INTEGER, ROLE_PARAMETER, 0},
    [U_CODE] = {"code_bytes", "code a pair", "Byte", CELL_SIZE, ROLE_LABEL, 0},
    [U_CYCLES] = {"cycles", "a pair takes", "core cycles", CELL_REAL, ROLE_MEASURE, 2},
    [U_SPREAD] = {"spread", "p90 - p10", "core cycles", CELL_REAL, ROLE_LABEL, 2},
    [U_ACTIVE] = {"cycles_sibling_active", "sibling active", "core cycles", CELL_REAL, ROLE_LABEL, 2},
};

/* People see the knees of these curves as sentences; --sweep unroll draws them, with more of their kind. */
static const struct table_spec unroll_table = {
    .name = "chains_by_pairs",
    .title = NULL,
    .columns = unroll_columns,
    .column_count = U_COUNT,
    .view = {.kind = VIEW_HIDDEN, .x = U_PAIRS, .y = -1, .value = U_CYCLES, .series = U_CHAIN},
};

static const char *const chain_titles[CHAIN_COUNT] = {"fast address", "fast data",
                                                      "fast data, no address reuse"};
static const char *const chain_keys[CHAIN_COUNT] = {"stlf.fast_address", "stlf.fast_data",
                                                    "stlf.fast_data_no_reuse"};

static int chain_point(int chain, int pairs)
{
    return P_CHAINS + chain * STLF_UNROLL_MAX + pairs - 1;
}

static void make_points(const struct stlf *stlf, struct stlf_point *point)
{
    const struct run *run = stlf->run;
    const struct kernel *fa = stlf_kernel(run, OPERATION_FORWARD_FA, 8, 4);
    const struct kernel *chain[CHAIN_COUNT] = {fa, stlf_kernel(run, OPERATION_FORWARD_FD_POINTER, 8, 8),
                                               stlf_kernel(run, OPERATION_FORWARD_FD_POINTER_APART, 8, 8)};
    point[P_L1] = (struct stlf_point){.kernel = stlf->lab.latency, .pairs = STLF_UNROLL_MAX};
    point[P_INDEPENDENT] = (struct stlf_point){.kernel = fa, .load = 32, .pairs = STLF_UNROLL_MAX};
    point[P_CONTAINED] = (struct stlf_point){.kernel = fa, .load = 2, .pairs = STLF_UNROLL_MAX};
    point[P_PARTIAL] = (struct stlf_point){.kernel = fa, .store = 2, .pairs = STLF_UNROLL_MAX};
    for (int i = 0; i < CHAIN_COUNT; i++) {
        for (int pairs = 1; pairs <= STLF_UNROLL_MAX; pairs++)
            point[chain_point(i, pairs)] = (struct stlf_point){.kernel = chain[i], .pairs = (unsigned)pairs};
    }
}

/* What the summary's sentences rest on. */
struct grounds {
    const struct stlf_set *set;
    const struct estimate *forwarded; /* NULL: every load that the store serves is renamed */
};

static const struct estimate *chain_of(const struct estimate *of, int chain)
{
    return of + chain_point(chain, 1);
}

static void find_facts(struct stlf *stlf, struct grounds *grounds)
{
    struct stlf_facts *facts = &stlf->facts;
    const struct stlf_set *set = grounds->set;
    const struct estimate *renamed;
    facts->l1 = set->estimate[P_L1].value;
    facts->independent = set->estimate[P_INDEPENDENT].value;
    facts->contained = set->estimate[P_CONTAINED].value;
    facts->blocked = set->estimate[P_PARTIAL].value;
    grounds->forwarded = stlf_forwarded(&set->estimate[P_CONTAINED], chain_of(set->estimate, CHAIN_FA),
                                        STLF_UNROLL_MAX, facts->l1, &renamed);
    facts->forwarded = grounds->forwarded ? grounds->forwarded->value : NAN;
    facts->renamed = renamed ? renamed->value : NAN;
    for (int chain = 0; chain < CHAIN_COUNT; chain++)
        facts->same[chain] = set->estimate[chain_point(chain, STLF_UNROLL_MAX)].value;
}

static void add_row(struct stlf *stlf, size_t table, const struct stlf_set *set, int index, const char *name,
                    const char *word)
{
    const struct stlf_point *point = &set->point[index];
    const bool pair = point->kernel->operation != OPERATION_LATENCY;
    record_row(stlf->run->record, table,
               (struct cell[COLUMN_COUNT]){
                   [C_CASE] = TEXT_CELL(name),
                   [C_STORE] = pair ? INTEGER_CELL(point->kernel->bits / 8) : NO_CELL,
                   [C_LOAD] = pair ? INTEGER_CELL(point->kernel->load_bits / 8) : INTEGER_CELL(8),
                   [C_PAIRS] = pair ? INTEGER_CELL(point->pairs) : NO_CELL,
                   [C_CODE] = pair ? INTEGER_CELL(stlf_bytes_a_pair(point->kernel)) : NO_CELL,
                   [C_CYCLES] = REAL_CELL(set->estimate[index].value),
                   [C_SPREAD] = REAL_CELL(stlf_spread(&set->estimate[index])),
                   [C_VERDICT] = word ? TEXT_CELL(word) : NO_CELL,
                   [C_ACTIVE] = REAL_CELL(set->active[index].value),
               });
}

static void add_rows(struct stlf *stlf, const struct stlf_set *set)
{
    static const int shown[] = {1, 8, STLF_UNROLL_MAX};
    const size_t table = record_table_add(stlf->run->record, &summary_table);
    add_row(stlf, table, set, P_L1, "L1 hit, load to use", NULL);
    for (int chain = 0; chain < CHAIN_COUNT; chain++) {
        for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
            const int index = chain_point(chain, shown[i]);
            add_row(stlf, table, set, index, chain_titles[chain],
                    stlf_word(stlf, chain != CHAIN_FA, set->estimate[index].value));
        }
    }
    add_row(stlf, table, set, P_CONTAINED, "contained, 2 bytes in",
            stlf_verdict_name(stlf, OVERLAP_CONTAINED, set->estimate[P_CONTAINED].value));
    add_row(stlf, table, set, P_PARTIAL, "partial overlap, 2 bytes missing",
            stlf_verdict_name(stlf, OVERLAP_PARTIAL, set->estimate[P_PARTIAL].value));
    add_row(stlf, table, set, P_INDEPENDENT, "no overlap",
            stlf_verdict_name(stlf, OVERLAP_NONE, set->estimate[P_INDEPENDENT].value));
}

static void add_curves(struct stlf *stlf, const struct stlf_set *set)
{
    const size_t table = record_table_add(stlf->run->record, &unroll_table);
    for (int i = P_CHAINS; i < POINTS; i++)
        record_row(stlf->run->record, table,
                   (struct cell[U_COUNT]){
                       [U_CHAIN] = TEXT_CELL(chain_titles[(i - P_CHAINS) / STLF_UNROLL_MAX]),
                       [U_PAIRS] = INTEGER_CELL(set->point[i].pairs),
                       [U_CODE] = INTEGER_CELL(stlf_bytes_a_pair(set->point[i].kernel)),
                       [U_CYCLES] = REAL_CELL(set->estimate[i].value),
                       [U_SPREAD] = REAL_CELL(stlf_spread(&set->estimate[i])),
                       [U_ACTIVE] = REAL_CELL(set->active[i].value),
                   });
}

static void add_chain_finding(struct stlf *stlf, const struct stlf_set *set, int chain)
{
    char text[STLF_KNEES];
    const struct estimate *curve = chain_of(set->estimate, chain), *last = &curve[STLF_UNROLL_MAX - 1];
    stlf_spell_knees(stlf, set, chain_point(chain, 1), chain != CHAIN_FA, text);
    stlf_estimated(stlf, chain_keys[chain], last,
                   verdict_lesser(stlf_judge(set, last), stlf_judge_knees(curve, STLF_UNROLL_MAX)),
                   "%s: %s (%u bytes of code a pair)", chain_titles[chain], text,
                   stlf_bytes_a_pair(set->point[chain_point(chain, 1)].kernel));
}

static void add_forwarding(struct stlf *stlf, const struct grounds *grounds)
{
    const struct stlf_facts *facts = &stlf->facts;
    const struct stlf_set *set = grounds->set;
    char l1[STLF_LABEL], forwarded[STLF_LABEL], also[STLF_ALSO];
    stlf_spell(facts->l1, l1);
    stlf_spell(facts->forwarded, forwarded);
    stlf_also(set, P_L1, also);
    stlf_estimated(stlf, "stlf.l1_latency", &set->estimate[P_L1], stlf_judge(set, &set->estimate[P_L1]),
                   "L1 hit: %s cycles load to use%s%s", l1, stlf_while(set), also);
    if (grounds->forwarded)
        stlf_also(set, (size_t)(grounds->forwarded - set->estimate), also);
    if (!grounds->forwarded)
        stlf_finding(stlf, "stlf.forwarded", NAN, "core cycles", set->state,
                     stlf_judge(set, &set->estimate[P_CONTAINED]),
                     "store-to-load forwarding: every load that the store serves is renamed away");
    else
        stlf_estimated(stlf, "stlf.forwarded", grounds->forwarded, stlf_judge(set, grounds->forwarded),
                       "store-to-load forwarding: %s cycles%s%s%s", forwarded,
                       isnan(facts->renamed) ? "" : ", where the load is not renamed away", stlf_while(set),
                       also);
}

/* What a load pays that gets only a part of its bytes from the store. */
static void add_penalty(struct stlf *stlf, const struct grounds *grounds)
{
    const struct stlf_facts *facts = &stlf->facts;
    const struct stlf_set *set = grounds->set;
    const struct estimate *failed = &set->estimate[P_PARTIAL];
    const struct estimate penalty =
        stlf_difference(failed, grounds->forwarded ? grounds->forwarded : &set->estimate[P_L1]);
    char blocked[STLF_LABEL], also[STLF_ALSO];
    stlf_spell(facts->blocked, blocked);
    stlf_also(set, P_PARTIAL, also);
    if (facts->blocked > 1.25 * (facts->blocked - penalty.value))
        stlf_estimated(stlf, "stlf.failed_forward_penalty", &penalty, stlf_judge(set, &penalty),
                       "failed forward: %s cycles, %.1f more than %s and %.1f more than an L1 hit%s%s",
                       blocked, penalty.value, grounds->forwarded ? "a forward" : "a load from L1",
                       facts->blocked - facts->l1, stlf_while(set), also);
    else
        stlf_finding(
            stlf, "stlf.failed_forward_penalty", 0, "core cycles", set->state, stlf_judge(set, failed),
            "a load that gets only a part of its bytes from the store is served as fast as any: %s cycles%s",
            blocked, stlf_while(set));
}

static void add_closest(struct stlf *stlf, enum trust trust)
{
    const struct stlf_facts *facts = &stlf->facts;
    const struct stlf_core measured = {
        .name = "",
        .l1 = facts->l1,
        .same = isnan(facts->renamed) ? facts->same[CHAIN_FA] : facts->renamed,
        .fast_data = facts->same[CHAIN_FD],
        .no_reuse = facts->same[CHAIN_FD_NOREUSE],
        .forwards = facts->contained <= facts->forwarded + 3 ? CONTAINED_ALL : CONTAINED_NOT_SAID,
        .contained = facts->contained,
        .partial = facts->blocked,
        .source = "",
    };
    struct stlf_match match[3];
    char text[160];
    int length = 0;
    const int count = stlf_closest(&measured, match, 3);
    for (int i = 0; i < count; i++)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "%s%s", i ? ", " : "", match[i].core->name);
    if (count == 0 || trust == TRUST_LOW)
        return;
    char sentence[FAULT_TEXT];
    snprintf(sentence, sizeof sentence,
             "published values most like these: %s (a resemblance, not an identification)", text);
    record_finding(stlf->run->record, (struct finding){.key = "stlf.closest_published",
                                                       .value = TEXT_CELL(text),
                                                       .trust = trust < TRUST_MEDIUM ? trust : TRUST_MEDIUM,
                                                       .text = sentence,
                                                       .leg = LEG_PLAUSIBILITY});
}

/* The least trust of what a resemblance rests on. */
static enum trust trust_in(const struct grounds *grounds)
{
    const struct stlf_set *set = grounds->set;
    const struct verdict l1 = stlf_judge(set, &set->estimate[P_L1]);
    const struct verdict partial = stlf_judge(set, &set->estimate[P_PARTIAL]);
    const struct verdict both = verdict_lesser(l1, partial);
    return grounds->forwarded ? verdict_lesser(both, stlf_judge(set, grounds->forwarded)).trust : both.trust;
}

static void report(struct stlf *stlf, const struct stlf_set *set)
{
    struct grounds grounds = {.set = set};
    find_facts(stlf, &grounds);
    add_rows(stlf, set);
    add_curves(stlf, set);
    add_forwarding(stlf, &grounds);
    add_penalty(stlf, &grounds);
    for (int chain = 0; chain < CHAIN_COUNT; chain++)
        add_chain_finding(stlf, set, chain);
    add_closest(stlf, trust_in(&grounds));
}

static void record_rounds(const struct stlf *stlf, const struct stlf_set *set)
{
    struct record *record = stlf->run->record;
    record_fact(record, (struct fact){.path = "run.stlf.rounds", .value = INTEGER_CELL(set->rounds)});
    record_fact(record,
                (struct fact){.path = "run.stlf.samples", .value = INTEGER_CELL(stlf->few_effort.samples)});
}

enum status stlf_summary(struct stlf *stlf, struct fault *fault)
{
    struct stlf_set set;
    if (!stlf_set_init(&set, POINTS, true))
        return fault_set(fault, STATUS_NO_RESOURCE, "out of memory for %d points", POINTS);
    set.total = 4 * STLF_PAIRS_A_SAMPLE;
    make_points(stlf, set.point);
    const enum status status = stlf_measure(&stlf->lab, &set, &stlf->few_effort, fault);
    stlf->complete = stlf->complete && set.complete;
    if (status == STATUS_OK && set.complete) {
        record_rounds(stlf, &set);
        report(stlf, &set);
    }
    stlf_set_free(&set);
    return status;
}
