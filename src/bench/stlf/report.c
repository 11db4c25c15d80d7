/* SPDX-License-Identifier: MIT */
/* How answers are added, and those that several sweeps share: L1's latency, and curves over the number of pairs. */
#include <math.h>
#include <stdio.h>

#include "engine/published.h"
#include "judge.h"

/* Of L1's latency: what high trust allows within the core. */
static const double L1_OFF = 0.02;

struct answer stlf_found(const struct stlf_set *set, const char *key, const char *label, struct cell value,
                         const char *unit, struct verdict verdict)
{
    const bool known = set->state == STATE_IDLE || set->state == STATE_ACTIVE;
    return (struct answer){.key = key,
                           .label = label,
                           .value = value,
                           .unit = unit,
                           .trust = verdict.trust,
                           .leg = verdict.leg,
                           .within = verdict.within,
                           .within_absolute = verdict.within_absolute,
                           .state = known ? state_names[set->state] : NULL};
}

struct answer stlf_estimated(const char *key, const char *label, const struct estimate *estimate,
                             struct verdict verdict)
{
    struct answer answer = answer_of(estimate, verdict);
    answer.key = key;
    answer.label = label;
    answer.unit = "core cycles";
    return answer;
}

void stlf_add(struct stlf *stlf, const struct stlf_set *set, struct answer answer, const char *remark)
{
    answer.remark = remark;
    if (!set->second || answer.trust != TRUST_LOW)
        record_answer(stlf->run->record, answer);
}

struct stlf_set stlf_active_set(const struct stlf_set *set)
{
    struct stlf_set active = *set;
    active.count = set->both && set->state == STATE_IDLE ? set->count : 0;
    active.estimate = set->active;
    active.state = STATE_ACTIVE;
    active.both = false;
    active.second = true;
    return active;
}

unsigned stlf_bytes_a_pair(const struct kernel *kernel)
{
    return kernel->sled.units ? (unsigned)(kernel->sled.end - kernel->sled.begin) / kernel->sled.units : 0;
}

struct stlf_levels stlf_levels_in(const struct stlf *stlf, enum state state)
{
    static const enum state others[] = {STATE_IDLE, STATE_ACTIVE, STATE_UNKNOWN, STATE_MIXED};
    struct stlf_levels levels = {NAN, NAN, NAN, NAN, NAN, {{0}}};
    if (stlf->levels[state].l1 > 0)
        return stlf->levels[state];
    for (int i = 0; i < 4 && isnan(levels.l1); i++)
        levels.l1 = stlf->levels[others[i]].l1 > 0 ? stlf->levels[others[i]].l1 : NAN;
    return levels;
}

/* Where the address is late the load waits for a prediction, not for the data alone: of what takes longer than L1, only
 * a flush is plain beyond doubt. */
const char *stlf_word(const struct stlf_levels *levels, const struct stlf_point *point, double cycles)
{
    const struct kernel *kernel = point->kernel;
    const enum operation operation = kernel->operation;
    const bool late = operation >= OPERATION_FORWARD_FD && operation <= OPERATION_FORWARD_FD_POINTER_APART;
    const bool slack = operation == OPERATION_FORWARD_SLACK || operation == OPERATION_CHAIN_MUL ||
                       (operation == OPERATION_FORWARD_LA && kernel->gap > 0);
    const struct geometry geometry = {
        .overlap = overlap_of(point->store, kernel->bits / 8, point->load, kernel->load_bits / 8)};
    if (isnan(cycles) || operation == OPERATION_LATENCY || slack) /* not of a load alone */
        return NULL;
    if (geometry.overlap != OVERLAP_NONE && isnan(levels->blocked) && !is_renamed(cycles, levels->l1))
        return NULL;
    const enum stlf_verdict verdict = verdict_of(levels, geometry, cycles);
    if (late && (verdict == VERDICT_FORWARDED || verdict == VERDICT_BLOCKED))
        return "served";
    return verdict_names[verdict];
}

bool stlf_is_plausible_l1(double cycles, bool idle, double published)
{
    return !(cycles < (1 - L1_OFF) * published) && !(idle && fabs(cycles - round(cycles)) > L1_OFF * cycles);
}

/* A value that no core has is none; the remark has it. */
void stlf_say_l1(struct stlf *stlf, const struct stlf_set *set, size_t point)
{
    static const char key[] = "stlf.l1_latency", label[] = "L1 load to use";
    const struct estimate *e = &set->estimate[point];
    const double published = published_range(cpu_core(stlf->run->cpu), "l1_latency").least;
    const struct verdict contradicted = {TRUST_LOW, LEG_PLAUSIBILITY};
    char remark[STLF_REMARK];
    if (stlf_is_plausible_l1(e->value, set->state == STATE_IDLE, published)) {
        stlf_add(stlf, set, stlf_estimated(key, label, e, stlf_judge(set, e, 0)), NULL);
        return;
    }
    snprintf(remark, sizeof remark, "%.2f is %s", e->value,
             e->value < published ? "less than published" : "no whole number");
    stlf_add(stlf, set, stlf_found(set, key, label, REAL_CELL(NAN), "core cycles", contradicted), remark);
}

static void say_renamed(struct stlf *stlf, const struct stlf_set *set, const char *key, const char *label_of,
                        size_t at, size_t count)
{
    const struct estimate *curve = &set->estimate[at];
    const double l1 = stlf_levels_in(stlf, set->state).l1;
    const size_t pairs = stlf_renamed_pairs(curve, count, STLF_WHOLE, l1);
    const struct stlf_plateaus plateaus = stlf_plateaus_of(curve, count, STLF_WHOLE);
    const struct estimate *middle = stlf_middle(curve, &plateaus.of[0]);
    char key_of_pairs[STLF_KEY], label[STLF_LABEL], remark[STLF_REMARK];
    snprintf(label, sizeof label, "%s, renamed", label_of);
    if (pairs > 0)
        stlf_add(stlf, set, stlf_estimated(key, label, middle, stlf_judge(set, middle, 0)), NULL);
    else if (is_renamed(curve->value, l1)) /* no end was found */
        return;
    middle = &curve[pairs ? (pairs - 1) / 2 : 0];
    struct verdict verdict = stlf_judge_renamed_pairs(curve, count, l1);
    if (stlf_judge(set, middle, 0).trust == TRUST_LOW)
        verdict = (struct verdict){TRUST_LOW, LEG_PRECISION, .within_absolute = 1};
    if (middle->unproved) /* a busy sibling halves them */
        verdict = verdict_lesser(verdict, (struct verdict){TRUST_MEDIUM, LEG_PLAUSIBILITY});
    snprintf(key_of_pairs, sizeof key_of_pairs, "%s_pairs", key);
    snprintf(label, sizeof label, "%s, pairs renamed", label_of);
    snprintf(remark, sizeof remark, "%u bytes each", stlf_bytes_a_pair(set->point[at].kernel));
    struct answer answer =
        stlf_found(set, key_of_pairs, label, INTEGER_CELL((int64_t)pairs), "pairs", verdict);
    answer.samples = middle->summary.count;
    stlf_add(stlf, set, answer, remark);
}

/* Beyond the renamed by the value of the most pairs, which rests on each plateau there and on the knees between. */
void stlf_say_curve(struct stlf *stlf, const struct stlf_set *set, const char *key, const char *renamed,
                    const char *name, const char *label_of)
{
    size_t count;
    const size_t at = stlf_series_at(set, name, &count);
    if (count == 0)
        return;
    const struct estimate *curve = &set->estimate[at], *last = &curve[count - 1];
    const struct stlf_plateaus plateaus = stlf_plateaus_of(curve, count, STLF_WHOLE);
    const struct stlf_levels levels = stlf_levels_in(stlf, set->state);
    struct verdict verdict = verdict_lesser(stlf_judge(set, last, 0), stlf_judge_knees(curve, count));
    double low = INFINITY, high = -INFINITY;
    int from = 0;
    if (stlf_may_be_renamed(&set->point[at]))
        say_renamed(stlf, set, renamed, label_of, at, count);
    while (from < plateaus.count && is_renamed(plateaus.of[from].cycles, levels.l1))
        from++;
    if (from == plateaus.count)
        return;
    for (int i = from; i < plateaus.count; i++) {
        verdict = verdict_lesser(verdict, stlf_judge(set, stlf_middle(curve, &plateaus.of[i]), 0));
        low = fmin(low, plateaus.of[i].low);
        high = fmax(high, plateaus.of[i].high);
    }
    const char *word = stlf_word(&levels, &set->point[at], last->value);
    char label[STLF_LABEL], remark[STLF_REMARK];
    snprintf(label, sizeof label, "%s, %zu pairs", label_of, count);
    snprintf(remark, sizeof remark, "%s%s%.1f to %.1f from %zu", word ? word : "", word ? ", " : "", low,
             high, plateaus.of[from].first + 1);
    stlf_add(stlf, set, stlf_estimated(key, label, last, verdict), remark);
}
