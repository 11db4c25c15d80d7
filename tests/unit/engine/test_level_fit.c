/* SPDX-License-Identifier: MIT */
/* Levels of simulated curves whose truth is known: which edges are found, and whether intervals hold it. With UARCHPROBE_RUNS=500
 * it prints the table in docs/levels.md. */
#include "test.h"

#include "engine/levels.h"
#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

enum {
    RUNS = TEST_SLOW ? 3 : 10,
    RUNS_SLOW = 2,
    RUNS_MOST = 1000,
    SIZES = 30,
    ROUNDS = 40,
    ROUNDS_BEYOND = 10,
    EDGES = 4
};

/* Edges in KiB, steps in cycles above 4. Capacities move by 20 % from run to run, so that none always lies at the same place
 * between two sizes. */
struct machine {
    const char *name;
    double edge[EDGES], step[EDGES], smear[EDGES];
    double noise, bursts; /* relative; share of the samples that take up to four times as long */
    double others;        /* of the last cache they have 20 to 80 % in each round */
    double busy;          /* share of the samples beside a sibling that has half of the first two */
    double ways;          /* of the second cache, in colours of pages at random */
    double ramp;          /* cycles for each factor of e */
    double odd;           /* share of the samples that are infinite or no number */
    size_t sizes;         /* 0: SIZES */
    size_t unsure;        /* edges that are not compared with the truth, a bit for each */
};

static const struct machine machines[] = {
    {"quiet", {32, 1024, 32768}, {10, 36, 350}, .noise = 0.01},
    {"smeared by 0.35", {32, 1024, 32768}, {10, 36, 350}, {0, 0.35, 0.35}, .noise = 0.01},
    {"a shared last cache", {32, 1024, 32768}, {10, 36, 350}, .noise = 0.01, .others = 1, .unsure = 4},
    {"no last cache", {32, 1024}, {10, 300}, .noise = 0.01},
    {"64 KiB pages", {48, 512, 8192, 65536}, {9, 20, 250, 60}, .noise = 0.01},
    {"bursts", {32, 1024, 32768}, {10, 36, 350}, .noise = 0.01, .bursts = 0.25},
    {"busy sibling, 60 %", {32, 1024, 32768}, {10, 36, 350}, .noise = 0.01, .busy = 0.6},
    {"noise of 10 %", {32, 1024, 32768}, {10, 36, 350}, .noise = 0.1},
    {"coloured second cache", {32, 1024, 32768}, {10, 36, 350}, .noise = 0.01, .ways = 8},
    {"edges 1.5 apart", {32, 1024, 1536}, {10, 36, 350}, .noise = 0.01, .unsure = 6},
    {"a ramp", .noise = 0.01, .ramp = 3},
    {"flat", .noise = 0.01},
    {"NaN and infinite", {32, 1024, 32768}, {10, 36, 350}, .noise = 0.01, .odd = 0.3},
    {"twelve sizes", {32, 1024, 32768}, {10, 36, 350}, .noise = 0.01, .sizes = 12},
};

static uint64_t seed;

static double uniform(void)
{
    return ((double)(random_next(&seed) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

/* How much more than `ways` there is on average of a Poisson number. */
static double overflow(double mean, double ways)
{
    double share = exp(-mean), sum = mean - ways;
    for (int k = 0; k < ways; k++) {
        sum += (ways - k) * share;
        share *= mean / (k + 1);
    }
    return sum;
}

static struct levels truth_of(const struct machine *machine)
{
    struct levels truth = {.base = log(4)};
    const double moved = exp(0.4 * (uniform() - 0.5));
    while (truth.count < EDGES && machine->edge[truth.count] > 0) {
        const size_t i = truth.count++;
        truth.of[i] = (struct level){log(machine->edge[i] * 1024 * moved), log(machine->step[i]),
                                     log(machine->smear[i] > 0 ? machine->smear[i] : 0.03)};
    }
    return truth;
}

static double sample_of(const struct machine *machine, const struct levels *truth, double x, double taken)
{
    struct levels now = *truth;
    if (machine->others > 0)
        now.of[now.count - 1].edge += log(taken);
    if (uniform() < machine->busy) {
        now.of[0].edge -= log(2);
        now.of[1].edge -= log(2);
        now.base += 0.1 * uniform();
    }
    double time = levels_time(&now, x) + machine->ramp * fmax(0, x - log(2048));
    if (machine->ways > 0) {
        const double step = exp(now.of[1].step), mean = machine->ways * exp(x - now.of[1].edge);
        now.of[1].step = -INFINITY;
        time = levels_time(&now, x) + step * overflow(mean, machine->ways) / mean;
    }
    time *= exp(machine->noise * fabs(normal()) + 0.003 * normal());
    if (uniform() < machine->bursts)
        time *= 1 + 3 * uniform() * uniform();
    if (uniform() < machine->odd)
        return uniform() < 0.5 ? INFINITY : NAN;
    return time;
}

static bool fit_of(const struct machine *machine, const struct levels *truth, struct level_fit *fit)
{
    static double value[SIZES][ROUNDS];
    struct size_samples sizes[SIZES];
    size_t count = machine->sizes ? machine->sizes : SIZES;
    for (size_t p = 0; p < count; p++) {
        const double x = 2048 * exp2(19.0 * (double)p / (double)(count - 1));
        sizes[p] = (struct size_samples){x, value[p], x <= 2 << 20 ? ROUNDS : ROUNDS_BEYOND};
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        const double taken = 0.2 + 0.6 * uniform();
        for (size_t p = 0; p < count; p++)
            value[p][round] = sample_of(machine, truth, log(sizes[p].x), taken);
    }
    return levels_fit(sizes, &count, 0.25, fit);
}

struct tally {
    double error[RUNS_MOST], time_error;
    size_t found, covered, time_covered;
};

/* Compares an edge, and the time behind it, with the nearest that was found. */
static void compare(const struct level_fit *fit, const struct levels *truth, size_t e, struct tally *tally)
{
    double time = exp(truth->base), least = log(1.6);
    size_t best = LEVELS_MOST;
    for (size_t i = 0; i <= e; i++)
        time += exp(truth->of[i].step);
    for (size_t i = 0; i < fit->count; i++) {
        const double apart = fabs(log(fit->level[i].of[LEVEL_EDGE].value) - truth->of[e].edge);
        if (fit->level[i].is_there && apart < least) {
            least = apart;
            best = i;
        }
    }
    if (best == LEVELS_MOST)
        return;
    const double size = exp(truth->of[e].edge);
    const struct level_value *edge = &fit->level[best].of[LEVEL_EDGE],
                             *behind = &fit->level[best].of[LEVEL_BEHIND];
    tally->error[tally->found++] = 100 * (edge->value / size - 1);
    tally->covered += edge->low <= size && size <= edge->high;
    tally->time_covered += behind->low <= time && time <= behind->high;
    tally->time_error += 100 * (behind->value / time - 1);
}

static void print_row(const struct machine *machine, size_t runs, size_t edges, const struct tally *tally,
                      size_t false_edges)
{
    printf("| %s |", machine->name);
    for (size_t e = 0; e < EDGES; e++) {
        const struct tally *t = &tally[e];
        const double found = (double)t->found;
        if (e >= edges || t->found == 0)
            printf(e < edges ? " never |" : " |");
        else
            printf(" %+.1f (%+.1f, %+.1f), %.0f, %.0f; %+.1f, %.0f |", median_of(t->error, t->found),
                   quantile_of(t->error, t->found, 0.1), quantile_of(t->error, t->found, 0.9),
                   100 * (double)t->covered / found, 100 * found / (double)runs, t->time_error / found,
                   100 * (double)t->time_covered / found);
    }
    printf(" %zu |\n", false_edges);
}

/* No more edges than there are in 99 of 100 runs; nine of ten intervals hold the truth of few runs, as 95
 * of 100 should. Noise that only adds moves times. */
TEST(simulated_levels_are_found)
{
    const char *asked = getenv("UARCHPROBE_RUNS");
    const size_t runs = asked ? (size_t)atoi(asked) : RUNS;
    assert_in_range(runs, 1, RUNS_MOST);
    for (size_t m = 0; m < COUNT_OF(machines); m++) {
        const struct machine *machine = &machines[m];
        static struct tally tally[EDGES];
        size_t edges = 0, false_edges = 0;
        memset(tally, 0, sizeof tally);
        seed = m + 1;
        for (size_t run = 0; run < (asked || machine->ramp <= 0 ? runs : RUNS_SLOW); run++) {
            const struct levels truth = truth_of(machine);
            struct level_fit fit;
            size_t there = 0;
            assert_true(fit_of(machine, &truth, &fit));
            edges = truth.count;
            for (size_t i = 0; i < fit.count; i++)
                there += fit.level[i].is_there && !fit.level[i].is_blurred;
            false_edges += there > edges;
            for (size_t e = 0; e < edges; e++)
                compare(&fit, &truth, e, &tally[e]);
        }
        if (asked)
            print_row(machine, runs, edges, tally, false_edges);
        assert_true(false_edges * 100 <= runs);
        for (size_t e = 0; e < edges; e++) {
            if (machine->unsure >> e & 1)
                continue;
            assert_true(tally[e].found * 10 >= runs * 9);
            assert_true(tally[e].covered * 10 >= tally[e].found * 9);
            assert_true(machine->noise > 0.05 || tally[e].time_covered * 10 >= tally[e].found * 9);
        }
    }
}

/* A curve without noise of `count` sizes, `samples` each, so many to an octave from 4 KiB on. */
static bool exact(const struct levels *levels, size_t count, double per_octave, size_t samples,
                  struct level_fit *fit)
{
    static double value[SIZES_MOST][ROUNDS];
    struct size_samples sizes[SIZES_MOST];
    for (size_t p = 0; p < count; p++) {
        const double x = 4096 * exp2((double)p / per_octave);
        sizes[p] = (struct size_samples){x, value[p], samples};
        for (size_t round = 0; round < samples; round++)
            value[p][round] = levels_time(levels, log(x)) * (1 + 1e-4 * (double)(round % 2));
    }
    return levels_fit(sizes, &count, 0.25, fit);
}

enum { DENSE = 6, DENSE_SIZES = 90 };
static const double SHARP = 0.05;

/* Edges in KiB, steps as shares of the time before, smears, and which of them are surely there. */
TEST(conditions_of_an_edge)
{
    static const struct {
        double edge[2], step[2], smear[2];
        bool there[2], smeared;
    } rows[] = {
        {{64, 0}, {0.044, 0}, {SHARP, 0}, {true, false}, false},
        {{64, 0}, {0.036, 0}, {SHARP, 0}, {false, false}, false},
        {{64, 64 * 2.7}, {2, 2}, {SHARP, SHARP}, {true, true}, false},
        {{64, 64 * 2.3}, {2, 2}, {SHARP, SHARP}, {false, false}, false},
        {{256, 0}, {5, 0}, {0.46, 0}, {true, false}, false},
        {{256, 0}, {5, 0}, {0.54, 0}, {true, false}, true},
        {{256, 0}, {5, 0}, {0.66, 0}, {false, false}, true},
        /* One that is blurred may hide a part of another behind it. */
        {{64, 64 * 22}, {2, 2}, {0.72, SHARP}, {false, true}, true},
        {{64, 64 * 12}, {2, 2}, {0.72, SHARP}, {false, false}, true},
        {{64, 64 * 12}, {2, 2}, {SHARP, 0.72}, {true, false}, false},
        /* Two sizes lie before it: 4 and 4.5 KiB. */
        {{5, 0}, {2, 0}, {SHARP, 0}, {true, false}, false},
        {{4.3, 0}, {2, 0}, {SHARP, 0}, {false, false}, false},
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct levels levels = {.base = log(4)};
        struct level_fit fit;
        double time = 4;
        for (size_t i = 0; i < 2 && rows[r].edge[i] > 0; i++) {
            levels.of[levels.count++] = (struct level){log(rows[r].edge[i] * 1024),
                                                       log(rows[r].step[i] * time), log(rows[r].smear[i])};
            time *= 1 + rows[r].step[i];
        }
        assert_true(exact(&levels, DENSE_SIZES, DENSE, 8, &fit));
        for (size_t i = 0; i < levels.count; i++) {
            assert_int_equal(fit.level[i].is_there && !fit.level[i].is_blurred, rows[r].there[i]);
            assert_true(i > 0 || !rows[r].there[0] || fit.level[0].is_smeared == rows[r].smeared);
        }
    }
}

/* No value is believed better than 1 %; a smeared edge less. */
TEST(intervals_have_the_error_of_the_model)
{
    static const struct {
        double smear, least, most;
    } rows[] = {{SHARP, 0.0085, 0.0125}, {0.35, 0.065, 0.095}};
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct levels levels = {
            .base = log(4), .count = 1, .of = {{log(256 * 1024), log(10), log(rows[r].smear)}}};
        struct level_fit fit;
        assert_true(exact(&levels, DENSE_SIZES, DENSE, 8, &fit));
        const struct level_value *edge = fit.level[0].of, *time = edge + LEVEL_TIME,
                                 *behind = edge + LEVEL_BEHIND;
        const double half = edge->high / edge->value - 1;
        assert_true(half > rows[r].least && half < rows[r].most);
        assert_true(time->high / time->value - 1 < 0.0125);
        assert_true(behind->high / behind->value - 1 > 0.0085);
    }
}

TEST(eight_sizes_of_four_samples_are_the_least)
{
    const struct levels levels = {.base = log(4)};
    struct level_fit fit;
    assert_true(exact(&levels, 8, 1, 4, &fit));
    assert_false(exact(&levels, 7, 1, 4, &fit));
    assert_false(exact(&levels, 8, 1, 3, &fit));
    size_t none = 0;
    assert_false(levels_fit(NULL, &none, 0.25, &fit));
}

/* Rounds in which the level holds more, by a factor, so many of 40: the lower quartile of a run like this one is theirs in nearly all
 * resamples, or not. */
TEST(nearly_all_resamples_have_an_edge)
{
    static const struct {
        size_t rounds;
        double factor;
        bool there;
    } rows[] = {{18, 3, true}, {14, 3, false}, {14, 1.35, true}, {14, 1.9, false}};
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static double value[DENSE_SIZES][ROUNDS];
        struct size_samples sizes[DENSE_SIZES];
        size_t count = DENSE_SIZES;
        struct levels levels = {.base = log(4), .count = 1, .of = {{log(64 * 1024), log(10), log(SHARP)}}};
        struct level_fit fit;
        for (size_t p = 0; p < DENSE_SIZES; p++) {
            const double x = 4096 * exp2((double)p / DENSE);
            sizes[p] = (struct size_samples){x, value[p], ROUNDS};
            for (size_t round = 0; round < ROUNDS; round++) {
                levels.of[0].edge =
                    log(64 * 1024 * (round * 7 % ROUNDS < rows[r].rounds ? rows[r].factor : 1));
                value[p][round] = levels_time(&levels, log(x));
            }
        }
        assert_true(levels_fit(sizes, &count, 0.25, &fit));
        assert_int_equal(fit.count, 1);
        assert_int_equal(fit.level[0].is_there, rows[r].there);
    }
}
