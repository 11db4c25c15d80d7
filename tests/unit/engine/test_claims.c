/* SPDX-License-Identifier: MIT */
/* Answers of rounds that are given: how many of each state, and what each saw. */
#include "test.h"

#include "engine/claims.h"
#include "engine/engine_internal.h"

enum { POINTS = 96, SIZE = 64 };

struct rounds {
    size_t idle, active; /* the active ones first; one round lies between them */
    unsigned bursts;     /* lengths in turn; 0: three */
    double rise, noise;  /* cycles more behind SIZE (half of it where active), and of each second point */
    size_t flat, missed; /* rounds of ten, and the last ones, without the rise */
    double at_least;     /* the bound of a value */
    bool contested;      /* the step has a rival that sees nothing */
    size_t busy;         /* where it rises while active; 0: at the half of SIZE */
    size_t strayed;      /* idle rounds of ten that rise there */
};
static const struct series series[] = {{.name = "x", .first = 1, .last = POINTS, .step = 1}, {0}};

static void do_nothing(const struct point *point)
{
}

/* A lab with one claim of each kind, after these rounds, with all answers. */
struct played {
    struct claim claims[5];
    struct experiment experiment;
    struct run run;
    struct lab lab;
};

static void give(struct played *given, enum claim_kind kind, const struct rounds *rounds)
{
    struct lab *lab = &given->lab;
    struct engine_data *data = &lab->data;
    const size_t kept = rounds->active + (rounds->active > 0) + rounds->idle;
    *given = (struct played){
        .claims = {{.key = "a", .label = "a", .kind = kind, .from = "x", .at_least = rounds->at_least}},
        .experiment = {.series = series, .claims = given->claims, .work = do_nothing},
        .run = {.record = record_new()}};
    if (rounds->contested)
        given->claims[0].agrees[0] = "none";
    *lab = (struct lab){.experiment = &given->experiment, .run = &given->run, .courses = 1, .claims = 1};
    lab->course = calloc(1, sizeof *lab->course);
    *lab->course = (struct course){.series = series, .step = 1, .count = POINTS, .height_ns = rounds->rise};
    lab->result = calloc(1, sizeof *lab->result);
    *data = (struct engine_data){.cells = POINTS, .points = POINTS, .kept = kept, .cycles = true};
    data->value = calloc(kept * POINTS, sizeof *data->value);
    data->before = calloc(kept * POINTS, sizeof *data->before);
    data->moment = calloc(kept + 1, sizeof *data->moment);
    for (size_t i = 0; i <= kept; i++) {
        const bool active = rounds->active > 0 && i <= rounds->active;
        data->moment[i] = (struct moment){.ghz = 1,
                                          .placement = (unsigned)i % (rounds->bursts ? rounds->bursts : 3),
                                          .reading = {active ? 32 : 64, 64, true}};
        data->moments = i + 1;
        data->sampled = true;
        state_count(data);
        for (size_t x = 0; i < kept && x < POINTS; x++) {
            const size_t busy = rounds->busy ? rounds->busy : SIZE / 2;
            const bool risen = x >= (active || i % 10 < rounds->strayed ? busy : SIZE) &&
                               i % 10 >= rounds->flat && i + rounds->missed < kept;
            data->before[i * POINTS + x] = (uint32_t)i;
            data->value[i * POINTS + x] =
                (float)(100 + (risen ? rounds->rise : 0) + (x % 2 ? rounds->noise : -rounds->noise));
        }
    }
    claims_answer(lab);
}

static void take_away(struct played *given)
{
    record_free(given->run.record);
    experiment_free(&given->lab);
}

static const struct result *idle_of(const struct played *given)
{
    return &given->lab.result[0][STATE_IDLE];
}

/* High, or so many rounds that more change nothing: a value that fails another leg than precision, no step, and eight times as
 * many where only the half or another method is missing. */
TEST(rounds_are_enough_where_more_change_nothing)
{
    static const struct {
        enum claim_kind kind;
        struct rounds rounds;
        bool enough;
    } rows[] = {{CLAIM_VALUE, {.idle = 50}, true},
                {CLAIM_VALUE, {.idle = 149, .at_least = 200}, false},
                {CLAIM_VALUE, {.idle = 150, .at_least = 200}, true},
                {CLAIM_STEP, {.idle = 100, .rise = 300}, true},
                {CLAIM_STEP, {.idle = 149}, false},
                {CLAIM_STEP, {.idle = 150}, true},
                {CLAIM_STEP, {.idle = 1199, .rise = 300, .contested = true}, false},
                {CLAIM_STEP, {.idle = 1200, .rise = 300, .contested = true}, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct played given;
        print_message("row %zu\n", i);
        give(&given, rows[i].kind, &rows[i].rounds);
        assert_int_equal(claims_enough(&given.lab), rows[i].enough);
        take_away(&given);
    }
}

/* Three lengths are the least that show a value to depend on none. */
TEST(a_value_of_three_burst_lengths_is_high)
{
    for (unsigned bursts = 2; bursts <= 3; bursts++) {
        struct played given;
        give(&given, CLAIM_VALUE, &(struct rounds){.idle = 60, .bursts = bursts});
        assert_int_equal(idle_of(&given)->verdict.trust, bursts == 3 ? TRUST_HIGH : TRUST_LOW);
        take_away(&given);
    }
}

/* Eight idle rounds are no accident where a hundred next to a busy sibling agree on the half. */
TEST(few_rounds_of_a_whole_are_high_where_many_agree_on_its_half)
{
    static const struct {
        size_t missed, active;
        enum trust trust;
    } rows[] = {{0, 100, TRUST_HIGH}, {1, 100, TRUST_MEDIUM}, {0, 99, TRUST_MEDIUM}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct played given;
        give(&given, CLAIM_STEP,
             &(struct rounds){.idle = 8, .missed = rows[i].missed, .active = rows[i].active, .rise = 300});
        assert_int_equal((int)idle_of(&given)->estimate.value, SIZE);
        assert_int_equal((int)given.lab.result[0][STATE_ACTIVE].estimate.value, SIZE / 2);
        assert_int_equal(idle_of(&given)->verdict.trust, rows[i].trust);
        take_away(&given);
    }
}

/* A second size in a tenth of the rounds, unless it is that of the other state. */
TEST(a_second_size_is_named_unless_the_other_state_has_it)
{
    for (size_t active = 0; active <= 40; active += 40) {
        struct played given;
        give(&given, CLAIM_STEP,
             &(struct rounds){.idle = 200, .active = active, .rise = 300, .busy = 51, .strayed = 2});
        assert_int_equal((int)idle_of(&given)->estimate.value, SIZE);
        assert_int_equal((int)idle_of(&given)->other, active ? 0 : 51);
        assert_int_equal(idle_of(&given)->verdict.trust, active ? TRUST_HIGH : TRUST_LOW);
        take_away(&given);
    }
}

/* The probes around a round may have missed that the sibling paused. What it leaves half of has no whole size next to it. */
TEST(a_whole_size_next_to_a_busy_sibling_is_no_answer)
{
    for (int halves = 0; halves <= 1; halves++) {
        struct played given;
        give(&given, CLAIM_STEP, &(struct rounds){.idle = 200, .active = 20, .rise = 300, .busy = SIZE});
        given.claims[0].halves = halves;
        claims_answer(&given.lab);
        assert_int_equal((int)idle_of(&given)->estimate.value, SIZE);
        assert_int_equal(given.lab.result[0][STATE_ACTIVE].has_value, !halves);
        take_away(&given);
        give(&given, CLAIM_STEP, &(struct rounds){.idle = 200, .active = 20, .rise = 300});
        given.claims[0].halves = halves;
        claims_answer(&given.lab);
        assert_int_equal((int)given.lab.result[0][STATE_ACTIVE].estimate.value, SIZE / 2);
        take_away(&given);
    }
}

/* A bend rises by five deviations of the noise, in the lower quarter of the rounds. */
TEST(a_bend_is_above_noise_and_in_most_rounds)
{
    static const struct {
        struct rounds rounds;
        bool bends;
    } rows[] = {{{.idle = 100, .rise = 4.5, .noise = 1}, false},
                {{.idle = 100, .rise = 5.5, .noise = 1}, true},
                {{.idle = 100, .rise = 20, .flat = 2}, true},
                {{.idle = 100, .rise = 20, .flat = 3}, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct played given;
        print_message("row %zu\n", i);
        give(&given, CLAIM_BEND, &rows[i].rounds);
        assert_int_equal(idle_of(&given)->has_value, rows[i].bends);
        if (rows[i].bends)
            assert_int_equal((int)idle_of(&given)->estimate.value, SIZE);
        take_away(&given);
    }
}

TEST(a_busy_state_of_a_tenth_of_the_probes_is_answered_for)
{
    for (size_t active = 18; active <= 20; active += 2) {
        struct played given;
        give(&given, CLAIM_VALUE, &(struct rounds){.idle = 178, .active = active});
        claims_record(&given.lab);
        assert_int_equal(given.run.record->answers.count, active < 20 ? 1 : 2);
        take_away(&given);
    }
}
