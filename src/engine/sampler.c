/* SPDX-License-Identifier: MIT */
#include "engine/sampler.h"

#include <math.h>

struct sampler_state {
    const struct sampler *sampler;
    struct samples *samples;
    uint64_t begin_ns;
    uint64_t round; /* being taken, from 0 */
};

static double elapsed_s(const struct sampler_state *state)
{
    return (double)(state->sampler->now_ns(state->sampler->context) - state->begin_ns) / 1e9;
}

/* The share done is that of the bound that will be met first. */
static void show_progress(const struct sampler_state *state, size_t points_done)
{
    const struct sampler *s = state->sampler;
    if (!s->progress)
        return;
    const double rounds = (double)state->round + (double)points_done / (double)s->points;
    const double seconds = elapsed_s(state);
    double done = s->max_rounds ? rounds / (double)s->max_rounds : 0;
    if (s->budget_s > 0 && seconds / s->budget_s > done && rounds >= 1)
        done = seconds / s->budget_s;
    if (done > 1)
        done = 1;
    s->progress(s->context, done, done > 0 ? seconds * (1 - done) / done : -1);
}

static bool over_budget(const struct sampler_state *state)
{
    return state->sampler->budget_s > 0 && elapsed_s(state) >= state->sampler->budget_s;
}

static bool point_is_stable(const struct sampler *s, const struct samples *samples)
{
    double (*estimate)(const double *, size_t) = s->estimate ? s->estimate : median_of;
    if (samples->count < 3)
        return false;
    const double now = estimate(samples->value, samples->count);
    for (size_t back = 1; back <= 2; back++)
        if (fabs(now - estimate(samples->value, samples->count - back)) > s->tolerance * fabs(now))
            return false;
    return true;
}

static bool all_stable(const struct sampler_state *state)
{
    for (size_t i = 0; i < state->sampler->points; i++)
        if (!point_is_stable(state->sampler, &state->samples[i]))
            return false;
    return true;
}

/* The budget may cut any round, but the first only where the points say what they take. */
static bool may_not_begin(const struct sampler_state *state, size_t point)
{
    const struct sampler *s = state->sampler;
    if (!s->expected_s)
        return state->round > 0 && over_budget(state);
    return s->budget_s > 0 && elapsed_s(state) + s->expected_s(s->context, point) >= s->budget_s;
}

/* One sample; SAMPLER_ROUNDS: go on. */
static enum sampler_end take_sample(const struct sampler_state *state, size_t point, struct fault *fault)
{
    const struct sampler *s = state->sampler;
    double value;
    if (s->interrupted(s->context))
        return SAMPLER_INTERRUPTED;
    if (may_not_begin(state, point))
        return SAMPLER_BUDGET;
    if (!s->sample(s->context, point, &value, fault))
        return SAMPLER_FAILED;
    if (samples_add(&state->samples[point], value))
        return SAMPLER_ROUNDS;
    fault_set(fault, STATUS_NO_RESOURCE, "out of memory after %zu samples of point %zu",
              state->samples[point].count, point);
    return SAMPLER_FAILED;
}

/* SAMPLER_ROUNDS: a whole round. */
static enum sampler_end take_round(const struct sampler_state *state, struct fault *fault)
{
    const struct sampler *s = state->sampler;
    for (size_t i = 0; i < s->points; i++) {
        for (uint64_t k = 0; k < (s->samples ? s->samples : 1); k++) {
            const enum sampler_end end = take_sample(state, i, fault);
            if (end != SAMPLER_ROUNDS)
                return end;
        }
        show_progress(state, i + 1);
    }
    return SAMPLER_ROUNDS;
}

enum sampler_end sampler_run(const struct sampler *sampler, struct samples *samples, struct fault *fault)
{
    struct sampler_state state = {sampler, samples, sampler->now_ns(sampler->context), 0};
    for (;; state.round++) {
        const enum sampler_end end = take_round(&state, fault);
        if (end != SAMPLER_ROUNDS)
            return end;
        if (sampler->between)
            sampler->between(sampler->context, state.round);
        const uint64_t rounds = state.round + 1;
        if (sampler->max_rounds && rounds >= sampler->max_rounds)
            return SAMPLER_ROUNDS;
        if (rounds >= sampler->min_rounds && sampler->tolerance > 0 && all_stable(&state))
            return SAMPLER_STABLE;
        if (over_budget(&state))
            return SAMPLER_BUDGET;
    }
}

uint64_t autoscale(double (*measure)(void *context, uint64_t iterations), void *context, uint64_t start,
                   uint64_t limit, double target_ns)
{
    uint64_t iterations = start;
    measure(context, iterations);
    for (;;) {
        double ns = measure(context, iterations);
        if (ns >= target_ns || iterations > limit / 2)
            return iterations;
        /* Jumps to the last power of two that surely falls short, so that little time goes into short
         * samples. */
        do {
            iterations *= 2;
            ns *= 2;
        } while (ns > 0 && ns < target_ns / 2 && iterations <= limit / 2);
    }
}
