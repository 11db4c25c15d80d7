/* SPDX-License-Identifier: MIT */
/* How often a value of the same kind is called far, by simulation: a sample of n, and the chance, known exactly, that one more value of its
 * distribution lies beyond the limit. POPULATION_SAMPLES=10 prints the tables of docs/fleet.md, of ten times as many samples. */
#include "compare/population.h"

#include "base/text.h"
#include "test.h"
#include "uarchprobe/random.h"
#include "uarchprobe/stats.h"

/* By 1 % each: two populations lie 10 % apart, 70 and 30 in a hundred; skewed is one-sided; counts are 64 with an error of half an entry.
 * Students have three and five degrees of freedom. */
enum shape { NORMAL, LAPLACE, STUDENT3, STUDENT5, TWO, SKEWED, COUNTS, EQUAL, SHAPES };
static const char *const names[] = {"normal", "Laplace", "t3", "t5", "two", "skewed", "counts", "equal"};
static const double NOISE = 0.01, APART = 10, ENTRIES = 64, ENTRY_NOISE = 0.5;

static uint64_t seed = 1;

static double uniform(void)
{
    return ((double)(random_next(&seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double student(int freedom)
{
    double squares = 0;
    for (int i = 0; i < freedom; i++)
        squares += pow(normal(), 2);
    return normal() / sqrt(squares / freedom);
}

static double drawn(enum shape shape)
{
    switch (shape) {
    case LAPLACE:
        return log(uniform()) * (uniform() < 0.5 ? 1 : -1);
    case STUDENT3:
        return student(3);
    case STUDENT5:
        return student(5);
    case TWO:
        return normal() + (uniform() < 0.3 ? APART : 0);
    case SKEWED:
        return -log(uniform());
    case COUNTS:
        return log(1 + round(ENTRY_NOISE * normal()) / ENTRIES) / NOISE;
    case EQUAL:
        return 0;
    default:
        return normal();
    }
}

/* The chance of a value above x, exact far out, too. */
static double above(enum shape shape, double x)
{
    const double angle = atan2(sqrt(shape == STUDENT3 ? 3 : 5), x), s = sin(angle), c = cos(angle);
    switch (shape) {
    case LAPLACE:
        return x > 0 ? exp(-x) / 2 : 1 - exp(x) / 2;
    case STUDENT3:
        return angle < 1e-3 ? 2 * pow(angle, 3) / 3 / M_PI : (angle - s * c) / M_PI;
    case STUDENT5:
        return angle < 0.05 ? 8 * pow(angle, 5) / 15 / M_PI : (angle - c * (s + 2 * s * s * s / 3)) / M_PI;
    case TWO:
        return 0.7 * erfc(x / sqrt(2)) / 2 + 0.3 * erfc((x - APART) / sqrt(2)) / 2;
    case SKEWED:
        return x > 0 ? exp(-x) : 1;
    case COUNTS:
        return erfc((floor(ENTRIES * (exp(NOISE * x) - 1) + 1e-9) + 0.5) / ENTRY_NOISE / sqrt(2)) / 2;
    case EQUAL:
        return x < 0;
    default:
        return erfc(x / sqrt(2)) / 2;
    }
}

static double below(enum shape shape, double x)
{
    if (shape == TWO)
        return 0.7 * erfc(-x / sqrt(2)) / 2 + 0.3 * erfc((APART - x) / sqrt(2)) / 2;
    if (shape == SKEWED)
        return x > 0 ? 1 - exp(-x) : 0;
    if (shape == COUNTS)
        return erfc((floor(ENTRIES * (1 - exp(NOISE * x)) + 1e-9) + 0.5) / ENTRY_NOISE / sqrt(2)) / 2;
    return above(shape, -x);
}

static struct population sample(enum shape shape, size_t count)
{
    static double value[10000];
    for (size_t i = 0; i < count; i++)
        value[i] = exp(NOISE * drawn(shape));
    return population_of(value, count, shape == COUNTS ? 0.5 / ENTRIES : shape == TWO ? NOISE : 0);
}

static double chance_beyond(enum shape shape, const struct population *of, double chance)
{
    const double far = population_far(of, chance) / NOISE, middle = of->middle / NOISE;
    return above(shape, middle + far) + below(shape, middle - far);
}

static size_t many(size_t samples)
{
    const char *times = getenv("POPULATION_SAMPLES");
    return (times ? (size_t)atoi(times) : 1) * (samples > 1 && !TEST_SLOW ? samples : 1);
}

/* Rates of false alarms by the stated one, at `chances`: of values that stand alone, or of 50 groups of one machine park. */
static void rates_of(enum shape shape, size_t count, bool shared, const double *chances, double *rates)
{
    enum { TOGETHER = 50 };
    struct population of[TOGETHER];
    const size_t samples = many(200000 / (count < 100 ? 100 : count) / TOGETHER);
    for (int k = 0; k < 3; k++)
        rates[k] = 0;
    for (size_t i = 0; i < samples; i++) {
        for (int k = 0; k < TOGETHER; k++)
            of[k] = sample(shape, count);
        if (shared)
            population_share(of, TOGETHER);
        for (int k = 0; k < TOGETHER; k++)
            for (int c = 0; c < 3; c++)
                rates[c] +=
                    chance_beyond(shape, &of[k], chances[c]) / chances[c] / TOGETHER / (double)samples;
    }
}

/* Of few values the chance is not extrapolated further than to one in a million; of 5 values two populations are not seen always. */
static void keeps_its_rate(bool shared, size_t from)
{
    static const size_t counts[] = {5, 8, 20, 100, 300, 1000, 10000};
    for (size_t i = 0; i < (getenv("POPULATION_SAMPLES") ? 7 : 6); i++) {
        const bool few = counts[i] < 1000;
        const double chances[] = {1e-3, few ? 1e-4 : 1e-5, few ? 1e-6 : 1e-7};
        for (enum shape shape = 0; shape < SHAPES && counts[i] >= from; shape++) {
            double rates[3];
            rates_of(shape, counts[i], shared, chances, rates);
            if (getenv("POPULATION_SAMPLES"))
                printf("| %zu%s | %s | %.2g | %.2g | %.2g |\n", counts[i], shared ? ", shared" : "",
                       names[shape], rates[0], rates[1], rates[2]);
            for (int k = 0; k < 3; k++)
                assert_true(rates[k] <= (shape == TWO && counts[i] == 5 ? 3 : 1));
        }
    }
}

TEST(a_false_alarm_is_no_likelier_than_stated)
{
    keeps_its_rate(false, 5);
}

TEST(nor_is_it_where_a_group_shares_its_tail)
{
    keeps_its_rate(true, POPULATION_SHARE);
}

/* The deviations from which on nine of ten values are named. */
static double power(enum shape shape, size_t count, size_t together, double chance)
{
    struct population *of = memory_zeroed(together, sizeof(*of));
    struct samples far = {0};
    for (size_t i = 0; i < many(10); i++) {
        for (size_t k = 0; k < together; k++)
            of[k] = sample(shape, count);
        population_share(of, together);
        for (size_t k = 0; k < together; k++)
            samples_add(&far, population_far(&of[k], chance) / NOISE);
    }
    const double most = quantile_of(far.value, far.count, 0.9);
    if (getenv("POPULATION_SAMPLES"))
        printf("| %zu x %zu | %s | %.0e | %.1f |\n", count, together, names[shape], chance, most);
    samples_free(&far);
    free(of);
    return most;
}

/* One in a thousand fleets: 1,000 machines with 50 answers each name what lies 10 deviations off. */
TEST(what_is_far_off_is_seen)
{
    assert_true(power(NORMAL, 1000, 50, 1e-3 / 1000 / 50) < 10);
    assert_true(power(NORMAL, 1000, 1, 1e-3 / 1000) < 15);
    assert_true(power(NORMAL, 10000, 50, 1e-3 / 10000 / 50) < 8);
    assert_true(power(NORMAL, 300, 50, 1e-3 / 300 / 50) < 15);
    assert_true(power(NORMAL, 20, 1, 1e-3) < 25);
    assert_true(power(NORMAL, 5, 1, 1e-3) < 45);
    assert_true(power(LAPLACE, 1000, 50, 1e-6) < 400);
}

/* One set in ten, or half of them, with a heavy tail: it keeps its own; of 300 values it cannot be told so well. */
TEST(a_heavy_tail_is_not_lost_among_others)
{
    static const struct {
        size_t count, every;
        double far; /* most deviations of the others, in the median */
    } of[] = {{1000, 10, 7}, {1000, 2, 60}, {300, 10, 12}};
    for (size_t c = 0; c < COUNT_OF(of); c++) {
        struct samples far = {0};
        double wrong = 0, heavy = 0;
        for (size_t i = 0; i < many(of[c].count < 1000 ? 30 : 10); i++) {
            struct population sets[50];
            for (size_t k = 0; k < 50; k++)
                sets[k] = sample(k % of[c].every ? NORMAL : STUDENT3, of[c].count);
            population_share(sets, 50);
            for (size_t k = 0; k < 50; k++)
                if (k % of[c].every) {
                    samples_add(&far, population_far(&sets[k], 1e-6) / NOISE);
                } else {
                    wrong += chance_beyond(STUDENT3, &sets[k], 1e-6) / 1e-6;
                    heavy++;
                }
        }
        const double most = median_of(far.value, far.count);
        samples_free(&far);
        if (getenv("POPULATION_SAMPLES"))
            printf("| %zu, one in %zu | %.2g | %.1f |\n", of[c].count, of[c].every, wrong / heavy, most);
        assert_true(wrong / heavy <= (of[c].count < 1000 ? 15 : 1));
        assert_true(most < of[c].far);
    }
}

/* One in two hundred lies 35 % off. */
TEST(outliers_do_not_hide_each_other)
{
    double value[1000];
    for (size_t i = 0; i < 1000; i++)
        value[i] = 100 * exp(NOISE * normal()) * (i < 5 ? 1.35 : 1);
    const struct population of = population_of(value, 1000, 0);
    assert_true(population_off(&of, 135) > population_far(&of, 1e-6));
    assert_true(fabs(population_off(&of, 103)) < population_far(&of, 1e-6));
    assert_true(population_off(&of, 70) < -population_far(&of, 1e-6));
}

/* 64 entries on each machine: a step is none, 56 is one; so with an entry less on every fourth or eighth. */
TEST(counts_have_steps)
{
    double value[1000];
    for (int each = 0; each < 12; each += 4) {
        for (size_t i = 0; i < 1000; i++)
            value[i] = each && i % (size_t)each == 0 ? 63 : 64 + 1e-6 * uniform();
        const struct population of = population_of(value, 1000, 0.5 / 64);
        assert_true(-population_off(&of, 63) < population_far(&of, 1e-6));
        assert_true(-population_off(&of, 56) > population_far(&of, 1e-6));
        assert_true(-population_off(&of, 0) > population_far(&of, 1e-6));
    }
}

static void near(double value, double expected, double within)
{
    if (!(fabs(value / expected - 1) <= within))
        fail_msg("%g is not %g", value, expected);
}

/* The constants of the rule, each by a case that it alone decides: deviations of a limit, by values, shape and what it rests on. */
TEST(limits_follow_their_constants)
{
    static const struct {
        size_t count;
        double shape, known, chance, far;
    } of[] = {
        {1000000, 0, 1e12, 1e-6, 4.892},   /* a normal distribution */
        {1000000, 0.2, 1e12, 1e-6, 362.5}, /* STEEPER */
        {1000000, 0, 1600, 1e-6, 7.004},   /* CHANCE and SOME */
        {100, 0, 100, 1e-6, 50.93},        /* SOME: half of HEAVY */
        {5, 0, 1e12, 1e-3, 14.26},         /* STUDENT */
        {5, 0, 5, 1e-3, 24.78},            /* HEAVY */
    };
    for (size_t i = 0; i < COUNT_OF(of); i++) {
        const struct population own = {of[i].count, 0, 1, of[i].shape, of[i].known, 0};
        near(population_far(&own, of[i].chance), of[i].far, 0.01);
    }
    const struct population whole = {1000000, 0, 1, 0, 1e12, 0.5};
    near(population_far(&whole, 1e-6), 5.392, 0.01);
}

/* Evenly by the quantiles of a normal distribution: deviation and shape are its own. */
TEST(a_normal_distribution_is_known)
{
    double value[2001];
    for (int i = 0; i <= 1000; i++) {
        double low = 0, high = 9;
        while (high - low > 1e-9) {
            const double z = (low + high) / 2;
            *(erf(z / sqrt(2)) < i / 1000.5 ? &low : &high) = z;
        }
        value[1000 - i] = exp(-NOISE * low);
        value[1000 + i] = exp(NOISE * low);
    }
    struct population of = population_of(value, 2001, 0);
    near(of.deviation, NOISE, 0.01);
    assert_true(fabs(of.shape) < 0.005);
    of = population_of(value, 2001, 2 * NOISE);
    near(of.deviation, 2 * NOISE, 0.001);
}

/* The median shape, which rests on all; or its own, where heavier by more than chance. */
TEST(shapes_are_shared_as_far_as_chance_goes)
{
    struct population of[20];
    for (int i = 0; i < 20; i++)
        of[i] = (struct population){.count = 400, .deviation = 1, .known = 400, .shape = i % 2 ? 0.05 : 0.04};
    of[1].shape = 0.3;
    of[19].count = 299;
    population_share(of, 20);
    near(of[0].shape, 0.04, 0.001);
    near(of[1].shape, 0.3 - (0.3 + 1.25 * 0.04) / 20, 0.001);
    near(of[0].known, 7600, 0.001);
    assert_true(of[19].known == 400);
}

TEST(few_or_no_values_say_nothing)
{
    const double value[] = {1, 2, 3, 0, -1};
    struct population of = population_of(value, 5, 0.01);
    assert_true(isinf(population_far(&of, 0.5)));
    assert_int_equal(of.count, 3);
    const double four[] = {1, 2, 3, 4};
    of = population_of(four, 4, 0.01);
    assert_true(isfinite(population_far(&of, 0.5)));
    of = population_of(NULL, 0, 0.01);
    assert_true(isinf(population_far(&of, 0.5)));
    population_share(&of, 1);
}
