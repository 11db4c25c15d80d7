/* SPDX-License-Identifier: MIT */
/* A team on a machine whose time only the work lets pass: its members begin when the test says. */
#include "test.h"

#include "simulated_lab.h"

enum { MEMBERS = 3, SCRIPT_PARTS = 8 };

/* What the members do. */
static struct script {
    double part_ns[MEMBERS][SCRIPT_PARTS]; /* of each part, however many iterations it has */
    uint64_t begin_ns[MEMBERS], prepare_ns[MEMBERS];
    unsigned parts, iterations;
    bool is_away; /* not all members come */
} script;

static uint64_t now;
static unsigned part[MEMBERS], prepared[MEMBERS];

static uint64_t now_ns(void *context)
{
    return now;
}

static uint64_t ticks(void *context)
{
    return now * 2;
}

static bool run_team(void *context, struct team *team, const int *member, int count, team_task *task,
                     void *task_context, double planned_s)
{
    const uint64_t begin = now;
    uint64_t end = now;
    for (int i = 0; i < count; i++) {
        now = begin + script.begin_ns[i];
        task(task_context, i);
        end = now > end ? now : end;
    }
    now = end;
    return !script.is_away;
}

static void prepare(struct point *point)
{
    prepared[point->member]++;
    part[point->member] = 0;
    point->iterations = script.iterations;
    point->parts = script.parts;
    now += script.prepare_ns[point->member];
}

static void work(const struct point *point)
{
    assert_int_equal(point->iterations, script.iterations);
    now += (uint64_t)script.part_ns[point->member][part[point->member]++];
}

static double per_second(const struct point *point, double ns)
{
    return 1e9 / ns;
}

static const struct timed_work timed = {.work = work, .prepare = prepare, .parts = 1};
static const struct series series = {.name = "x", .timed = {&timed}};

/* A sample of an experiment with so many members; 0: the calling thread. */
static double sampled(double (*value)(const struct point *point, double ns), int members)
{
    const struct engine_machine machine = {.now_ns = now_ns, .ticks = ticks, .run_team = run_team};
    const struct clock clock = {.ns_per_tick = 0.5};
    const struct experiment experiment = {.value = value, .team.count = members};
    struct run run = {.clock = &clock};
    struct x_place place = {.x = 1};
    const struct course course = {.series = &series, .place = &place, .count = 1, .iterations = 4};
    struct fault fault = {0};
    struct lab lab = {.experiment = &experiment, .run = &run, .machine = &machine};
    lab.members = members > 0 ? members_new(&experiment.team, true, &fault) : NULL;
    const double ns = lab_sample(&lab, &course, 1);
    members_free(lab.members);
    return ns;
}

TEST(preparation_says_how_many_parts_there_are)
{
    script = (struct script){.part_ns = {{100, 100, 9000, 110, 90}}, .parts = 5, .iterations = 10};
    assert_float_equal(sampled(NULL, 0), 10, 1e-9);
    script.parts = 1;
    assert_float_equal(sampled(NULL, 0), 10, 1e-9);
    script.iterations = 2;
    assert_float_equal(sampled(NULL, 0), 50, 1e-9);
    script.prepare_ns[0] = 1000; /* untimed */
    assert_float_equal(sampled(NULL, 0), 50, 1e-9);
    assert_float_equal(sampled(per_second, 0), 1e9 / 50, 1e-3);
    script.parts = 0;
    assert_true(isnan(sampled(NULL, 0)));
}

/* Rates add up, also of unequal members; those that were not together for nine tenths of the time spoil the
 * sample, be it that one began later or that it took longer to prepare. */
TEST(rates_of_members_that_run_together_add_up)
{
    static const struct {
        double ns[2];
        uint64_t begin_ns[2];
        double mean; /* NAN: none */
        uint64_t prepare_ns[2];
    } rows[] = {{{1000, 1000}, {100, 110}, 1000},
                {{1000, 3000}, {0, 0}, 1500},
                {{1000, 1000}, {0, 95}, 1000},
                {{1000, 1000}, {0, 105}, NAN},
                {{1000, 1000}, {0, 2000}, NAN},
                {{1000, 1000}, {0, 0}, 1000, {5000, 5095}},
                {{1000, 1000}, {0, 0}, NAN, {5000, 5105}},
                {{1000, 1000}, {0, 5000}, 1000, {5000, 0}}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        script = (struct script){.parts = 1, .iterations = 1};
        for (int k = 0; k < 2; k++) {
            script.part_ns[k][0] = rows[i].ns[k];
            script.begin_ns[k] = rows[i].begin_ns[k];
            script.prepare_ns[k] = rows[i].prepare_ns[k];
        }
        const double ns = sampled(NULL, 2);
        assert_true(isnan(rows[i].mean) ? isnan(ns) : fabs(ns - rows[i].mean) < 1e-9);
    }
}

/* Each has a point of its own, and parts of its own. A member that is away leaves no value. */
TEST(each_member_is_prepared_and_times_its_own_parts)
{
    memset(prepared, 0, sizeof prepared);
    script = (struct script){
        .part_ns = {{100, 200, 900}, {400, 200, 100}, {200, 200, 200}}, .parts = 3, .iterations = 2};
    assert_float_equal(sampled(NULL, MEMBERS), 100, 1e-9);
    for (int i = 0; i < MEMBERS; i++)
        assert_int_equal(prepared[i], 1);
    script.is_away = true;
    assert_true(isnan(sampled(NULL, MEMBERS)));
}

/* On the simulated machine: what two and four members do at once, though in a part of the samples one is
 * late. */
static void share_memory(const struct point *point)
{
    sim_work(point->own, 0, 1e5 * (1 + 0.002 * sim_normal(point->own)), 0);
}

TEST(a_team_has_answers_though_members_are_late)
{
    static const struct timed_work shared = {.work = share_memory, .parts = 3};
    static const struct series rows[] = {{.name = "all", .range = {1, 1}, .timed = {&shared}}, {0}};
    static const struct metric metrics[] = {
        {"speed", "speed", "1/s", METRIC_VALUE, "all", .at_least = 1, .beyond = true}, {0}};
    static const struct sim_script scripts[] = {{.name = "together"}, {.name = "late", .late = 0.3}};
    for (size_t i = 0; i < COUNT_OF(scripts); i++)
        for (int members = 2; members <= 4; members += 2) {
            const struct experiment experiment = {.series = rows,
                                                  .metrics = metrics,
                                                  .value = per_second,
                                                  .team.count = members,
                                                  .any_state = true};
            struct sim sim;
            sim_start(&sim, &scripts[i], i + 1);
            struct record *record = sim_measured(&sim, &experiment, &sim, record_new(),
                                                 (struct engine_effort){.rounds = 60, .least = 60}, -1);
            const struct answer *answer = record_answer_find(record, "speed", NULL);
            if (!answer)
                answer = sim_find(record, "speed", STATE_IDLE);
            assert_non_null(answer);
            assert_float_equal(cell_number(&answer->value), 1e9 / 1e5, 1e9 / 1e5 / 100);
            assert_true(answer->trust >= TRUST_MEDIUM);
            record_free(record);
        }
}
