/* SPDX-License-Identifier: MIT */
/* The one trust rule: whether later runs will print the same, as far as the samples of one run say. Pure. */
#include <math.h>

#include "engine/engine_internal.h"
#include "engine/select.h"

/* With fewer samples the best three tenths of a quarter of the run is one sample. */
enum { PLATEAU_LEAST = 16 };

const struct promise promise_core = {.relative = 0.02, .absolute = 0.1, .at_least = NAN, .at_most = NAN};
const struct promise promise_beyond = {.relative = 0.05, .absolute = 0.1, .at_least = NAN, .at_most = NAN};

const double MEDIUM = 0.10;
/* How far the plateau lies from the value; from its best twentieth to its best three tenths. */
static const double AGREES = 0.01, FLAT = 0.02;
/* A later run has an interval, and windows, of the same width: two runs differ by more than one from the
 * truth. */
static const double TWO_RUNS = 1.41421;

/* What is said of so few samples in place of their range. */
static const char *const few_samples[SELECT_LEAST] = {NULL, "1 sample", "2 samples", "3 samples"};
static const char all_disturbed[] = "every sample was disturbed";

const char *estimate_reason(const struct estimate *e)
{
    if (estimate_is_disturbed(e))
        return all_disturbed;
    return e->summary.count < SELECT_LEAST ? few_samples[e->summary.count] : NULL;
}

/* Samples that another process interrupted are no evidence: a store-to-load forward of 162,250 cycles was
 * the only sample of an idle sibling. One to three others have no spread. The interval of a few placements
 * may reach below zero, where no time and no count is: then the range is that of the samples, or begins at
 * zero where the value is a difference. */
struct answer answer_of(const struct estimate *e, struct verdict verdict)
{
    const bool known = e->state == STATE_IDLE || e->state == STATE_ACTIVE, is_few = estimate_reason(e);
    const bool passes_zero = e->value >= 0 && e->low < 0,
               has_range = e->summary.p10 <= e->value && e->value <= e->summary.p90;
    struct answer answer = {.value = REAL_CELL(e->value),
                            .low = REAL_CELL(!passes_zero ? e->low
                                             : has_range  ? e->summary.p10
                                                          : 0),
                            .high = REAL_CELL(passes_zero && has_range ? e->summary.p90 : e->high),
                            .state = known ? state_names[e->state] : NULL,
                            .samples = e->summary.count,
                            .parts = e->parts,
                            .remark = estimate_reason(e)};
    if (is_few) {
        verdict = verdict_lesser(verdict, verdict_capped(LIMITED_BY_NONE, LIMITED_BY_PRECISION));
        answer.low = answer.high = NO_CELL;
        answer.parts.count = 0;
    }
    if (estimate_is_disturbed(e))
        answer.value = NO_CELL;
    answer_take(&answer, verdict);
    return answer;
}

void record_known(struct record *record, struct answer answer)
{
    answer.trust =
        verdict_capped(LIMITED_BY_NONE, answer.unpromised ? LIMITED_BY_REPETITION : LIMITED_BY_NONE).trust;
    record_answer(record, answer);
}

void answer_take(struct answer *answer, struct verdict verdict)
{
    answer->trust = verdict.trust;
    answer->limited_by = verdict.limited_by;
    answer->within = verdict.within;
    answer->within_absolute = verdict.within_absolute;
    answer->proved_trust = verdict.proved_trust;
    answer->proved_limited_by = verdict.proved_limited_by;
}

struct verdict verdict_lesser(struct verdict a, struct verdict b)
{
    struct verdict lesser = b.trust < a.trust ? b : a;
    const bool is_b = b.proved_trust < a.proved_trust;
    lesser.proved_trust = is_b ? b.proved_trust : a.proved_trust;
    lesser.proved_limited_by = is_b ? b.proved_limited_by : a.proved_limited_by;
    lesser.within = fmax(a.within, b.within);
    lesser.within_absolute = fmax(a.within_absolute, b.within_absolute);
    return lesser;
}

struct verdict verdict_capped(enum limited_by doubt, enum limited_by refusal)
{
    const enum trust trust = refusal ? TRUST_LOW : doubt ? TRUST_MEDIUM : TRUST_HIGH;
    const enum limited_by limited_by = refusal ? refusal : doubt;
    return (struct verdict){
        .trust = trust, .limited_by = limited_by, .proved_trust = trust, .proved_limited_by = limited_by};
}

struct answer answer_judged(const struct estimate *estimate, const struct promise *promise)
{
    return answer_of(estimate, trust_judge(estimate, promise));
}

void answer_cap(struct answer *answer, enum limited_by doubt, enum limited_by refusal)
{
    answer_take(answer, verdict_capped(doubt, refusal));
}

static struct verdict verdict_at(const struct answer *answer)
{
    return (struct verdict){answer->trust,           answer->limited_by,   answer->within,
                            answer->within_absolute, answer->proved_trust, answer->proved_limited_by};
}

void answer_rests_on(struct answer *answer, const struct answer *part)
{
    answer_take(answer, verdict_lesser(verdict_at(answer), verdict_at(part)));
}

struct verdict verdict_unproved(bool unproved, enum limited_by limited_by)
{
    struct verdict verdict = verdict_capped(unproved ? limited_by : LIMITED_BY_NONE, LIMITED_BY_NONE);
    verdict.proved_trust = TRUST_HIGH;
    verdict.proved_limited_by = LIMITED_BY_NONE;
    return verdict;
}

/* Where noise only adds, the plateau is a second estimate: it asks no witness. Within the core it agrees
 * with the value of an idle sibling; beyond, where it is the value, samples lie close on it. A half of the
 * core has a plateau, too. */
static bool has_floor(const struct estimate *e)
{
    if (e->state == STATE_MIXED)
        return e->summary.count >= PLATEAU_LEAST && e->tilt <= FLAT;
    return e->state == STATE_IDLE && !e->unproved && e->summary.count >= SELECT_LEAST &&
           fabs(e->plateau - e->value) <= AGREES * e->value;
}

/* The lesser of a verdict and the verdict on values so far apart (NaN: too far). */
static struct verdict grade_within(struct verdict verdict, double apart, double high,
                                   const struct estimate *e, enum limited_by limited_by)
{
    const bool is_high = apart <= high, is_medium = apart <= fmax(high, MEDIUM * fabs(e->value));
    return verdict_lesser(verdict, verdict_capped(is_high ? LIMITED_BY_NONE : limited_by,
                                                  is_medium ? LIMITED_BY_NONE : limited_by));
}

static struct verdict judge(const struct estimate *e, const struct promise *promise)
{
    const double high = fmax(promise->relative * fabs(e->value), promise->absolute);
    struct verdict verdict = verdict_capped(promise->doubt, promise->refusal);
    if (estimate_reason(e))
        verdict = verdict_lesser(verdict, verdict_capped(LIMITED_BY_NONE, LIMITED_BY_PRECISION));
    verdict.within = promise->relative;
    verdict.within_absolute = promise->relative > 0 ? 0 : promise->absolute;
    if (e->value < promise->at_least || e->value > promise->at_most)
        verdict = verdict_lesser(verdict, verdict_capped(LIMITED_BY_NONE, LIMITED_BY_PLAUSIBILITY));
    /* An unproved idle sibling may be a busy one that has half of the core. */
    if (e->unproved)
        verdict = verdict_lesser(verdict, verdict_capped(LIMITED_BY_PLAUSIBILITY, LIMITED_BY_NONE));
    const double half = fmax(e->high - e->value, e->value - e->low);
    const bool few = e->summary.count < BOUNDED_LEAST ||
                     (e->state == STATE_ACTIVE && !e->indifferent && e->visits < VISITS_LEAST);
    /* Another run may have one of them alone. */
    if (promise->floor && e->mode[1] > 0)
        verdict = grade_within(verdict, e->mode[1] - e->mode[0], 0, e, LIMITED_BY_REPETITION);
    const bool floor = promise->floor && has_floor(e),
               unclear = few || (promise->floor && e->state == STATE_MIXED);
    verdict = grade_within(verdict,
                           floor     ? 0
                           : unclear ? INFINITY
                                     : TWO_RUNS * half,
                           high, e, LIMITED_BY_PRECISION);
    verdict = grade_within(verdict, fabs(e->first - e->second), high, e, LIMITED_BY_REPETITION);
    if (promise->placements == 0)
        return verdict;
    const bool all = e->placements >= promise->placements;
    const double apart =
        (floor && e->state == STATE_MIXED ? TWO_RUNS : 1) * (e->placement_high - e->placement_low);
    return grade_within(verdict, all ? apart : INFINITY, high, e, LIMITED_BY_REPETITION);
}

struct verdict trust_judge(const struct estimate *e, const struct promise *promise)
{
    struct verdict verdict = judge(e, promise);
    struct estimate proved = *e;
    proved.unproved = false;
    const struct verdict later = e->unproved ? judge(&proved, promise) : verdict;
    verdict.proved_trust = later.trust;
    verdict.proved_limited_by = later.limited_by;
    return verdict;
}
