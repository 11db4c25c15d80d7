/* SPDX-License-Identifier: MIT */
/* Distances to try, and answers from litmus trials, on blocks like those that machines gave. */
#include "test.h"

#include "base/text.h"
#include "bench/capacity/sb_capacity.h"
#include "uarchprobe/random.h"

enum { NEAR_NS = 30, FAR_NS = 140, WHOLE = 64, RUN = 1600 /* blocks in 2 s, were nothing else running */ };
enum { RUNS = TEST_SLOW ? 20 : 1000 };

static struct sb_passing *passing;
static struct answer answer[SB_ANSWERS];
/* Common to the next blocks. */
static struct with {
    double ns;
    size_t entries;
    enum state state;
    bool unproved;
} with;

static int begin(void **state)
{
    free(passing);
    passing = memory_zeroed(1, sizeof *passing);
    passing->entries = WHOLE;
    passing->ghz = 3.5;
    with = (struct with){FAR_NS, WHOLE, STATE_IDLE, false};
    return 0;
}
AROUND_EACH(begin, NULL)

static size_t point_at(enum sb_filling filling, bool late, size_t stores)
{
    size_t i = 0;
    while (i < passing->points && (passing->point[i].filling != filling || passing->point[i].late != late ||
                                   passing->point[i].stores != stores))
        i++;
    return i;
}

static struct sb_block block_of(size_t point, size_t trials, size_t hits)
{
    const uint16_t whole = (uint16_t)with.entries;
    const uint16_t before = with.state == STATE_ACTIVE    ? whole / 2
                            : with.state == STATE_UNKNOWN ? 0
                                                          : whole,
                   after = with.state == STATE_MIXED ? whole / 2 : before;
    const struct reading first = {before, whole, !with.unproved}, last = {after, whole, !with.unproved};
    const struct sb_count count = {trials, hits}, fenced = {trials / 3, 0};
    return (struct sb_block){point, with.ns, {first, first}, {last, last}, count, fenced};
}

static void put(enum sb_filling filling, bool late, size_t stores, size_t trials, size_t hits)
{
    const size_t i = point_at(filling, late, stores);
    const struct sb_block block = block_of(i, trials, hits);
    if (i == passing->points)
        passing->point[passing->points++] = (struct sb_point){filling, late, stores, {{{0}}}};
    sb_passing_add(passing, &block);
}

static int64_t value_of(int which)
{
    sb_passing_answer(passing, answer);
    const struct cell value = answer[which].value;
    return value.type == CELL_INTEGER ? value.integer : value.type == CELL_BOOL ? value.boolean : -1;
}

/* value -1: none. */
static void expect(int which, int64_t value, enum trust trust)
{
    assert_int_equal(value_of(which), value);
    assert_int_equal(answer[which].trust, trust);
}

static bool is_far(void)
{
    return strcmp(answer[SB_NEVER].state, sb_distance_names[SB_FAR]) == 0;
}

static void nothing_is_said(void)
{
    for (int i = 0; i < SB_ANSWERS; i++)
        expect(i, -1, TRUST_LOW);
}

/* A sharp fall behind `last`, which `beyond` further numbers prove. */
static void sharp(size_t last, size_t beyond)
{
    for (size_t s = last - 3; s <= last + beyond; s++)
        put(FILL_LINES, false, s, 40000, s <= last ? 20000 : 0);
}

/* Shares of trials of a machine: of what fits into the buffer, of what leaves it early for several lines, and of what merges
 * (0: nothing does). */
struct machine {
    double fits[2], early[2], merged[2]; /* by distance */
    double in_time;    /* share of `early` that is left where the first line comes in time */
    size_t most;       /* that are passed */
    double idle_share; /* of the blocks */
};
/* Zen 4: where the CPUs are far, stores leave the buffer early in three of ten thousand trials; near each other in so few that a run hardly sees one. */
static const struct machine zen4 = {{0.6, 0.36}, {5e-6, 4e-4}, {4.5e-5, 6e-4}, 1, 74, 0.9};
/* Zen 3 with a first line that is late. */
static const struct machine zen3 = {{0.2, 0.5}, {0, 0.05}, {0, 0.08}, 0.01, 74, 0.5};

static double uniform(uint64_t *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) * 0x1p-53;
}

/* Hits in so many trials, by the trials between two hits. */
static size_t draw(uint64_t *random, size_t trials, double share)
{
    double at = share > 0 ? 0 : INFINITY;
    size_t hits = 0;
    while ((at += floor(log(uniform(random)) / log1p(-share)) + 1) <= (double)trials)
        hits++;
    return hits;
}

static double share_of(const struct machine *m, const struct sb_point *point, bool far, bool idle)
{
    const size_t entries = idle ? WHOLE : WHOLE / 2;
    if (point->stores <= entries)
        return m->fits[far];
    if (point->filling <= FILL_LINE)
        return m->merged[far];
    return point->stores > m->most - WHOLE + entries ? 0 : m->early[far] * (point->late ? 1 : m->in_time);
}

/* A run as litmus.c makes it: rounds until it is enough or the blocks are used up. CPUs are moved every fifty blocks. */
static void run(const struct machine *m, double far_share, uint64_t seed)
{
    static const struct sb_params params = {.address = SB_ADDRESS_AUTO};
    enum { TRIALS = 375, SPELL = 50, CHECK = 8 };
    uint64_t random = seed;
    bool far = false;
    begin(NULL);
    sb_points_choose(passing, &params, WHOLE);
    for (uint64_t round = 0, made = 0; made < RUN; round++) {
        for (size_t i = 0; i < passing->points && made < RUN; i++) {
            const struct sb_point *point = &passing->point[i];
            if (!sb_point_wanted(passing, point, round))
                continue;
            if (made++ % SPELL == 0)
                far = uniform(&random) < far_share;
            const bool idle = uniform(&random) < m->idle_share;
            with.ns = far ? FAR_NS : NEAR_NS;
            with.state = idle ? STATE_IDLE : STATE_ACTIVE;
            const struct sb_block block =
                block_of(i, TRIALS, draw(&random, TRIALS, share_of(m, point, far, idle)));
            sb_passing_add(passing, &block);
        }
        if (round % CHECK == CHECK - 1 && sb_passing_enough(passing))
            return;
    }
}

/* A run between near CPUs lacks the far case: the answer says that its number is no bound of the machine. */
TEST(the_knee_is_the_buffer_and_what_merges_is_seen)
{
    struct machine none = zen3;
    size_t denied = 0, seen = 0;
    none.merged[SB_FAR] = 0;
    for (uint64_t seed = 1; seed <= RUNS / 20; seed++) {
        run(&zen4, 0, seed);
        expect(SB_KNEE, 64, TRUST_HIGH);
        assert_true(!is_far() && answer[SB_NEVER].trust < TRUST_HIGH);
        assert_true(value_of(SB_MERGING) != 0);
        run(&zen4, 1, seed);
        expect(SB_KNEE, 64, TRUST_HIGH);
        assert_true(value_of(SB_MERGING) != 0);
        seen += value_of(SB_MERGING) == 1;
        run(&none, 1, seed);
        assert_true(value_of(SB_MERGING) != 1);
        denied += value_of(SB_MERGING) == 0 && answer[SB_MERGING].trust == TRUST_HIGH;
    }
    assert_true(seen * 100 >= 95 * (RUNS / 20));
    assert_true(denied > 0);
    none.idle_share = 0; /* a halved buffer has no bound */
    run(&none, 1, 1);
    expect(SB_KNEE, 32, TRUST_HIGH);
    assert_string_equal(answer[SB_KNEE].state, state_names[STATE_ACTIVE]);
    expect(SB_NEVER, -1, TRUST_LOW);
}

/* Where the far case was measured, at most one of twenty among 1,000 runs names a number that is passed after all. Always resolved where
 * early stores are frequent. */
TEST(never_is_kept)
{
    for (int i = 0; i < 4; i++) {
        const struct machine *m = i < 2 ? &zen4 : &zen3;
        size_t wrong = 0, resolved = 0;
        for (uint64_t seed = 1; seed <= RUNS; seed++) {
            run(m, i % 2 ? 0.5 : 1, seed);
            const int64_t never = value_of(SB_NEVER);
            assert_true(passing->most <= m->most);
            if (never < 0)
                continue;
            assert_true(3.0 / (double)answer[SB_NEVER].samples <= 0.001);
            assert_true(is_far() || answer[SB_NEVER].trust < TRUST_HIGH);
            resolved++;
            wrong += is_far() && (size_t)never <= m->most;
        }
        assert_true(wrong * 20 <= RUNS);
        assert_true(i < 2 || resolved * 100 >= 95 * RUNS);
    }
}

TEST(a_far_case_is_a_tenth_of_the_trials)
{
    for (size_t i = 0; i < 100; i++) {
        with.ns = i < 9 ? FAR_NS : NEAR_NS;
        put(FILL_TWO, true, 64, 100, 50);
    }
    assert_true(value_of(SB_NEVER) < 0 && !is_far());
    with.ns = FAR_NS;
    put(FILL_TWO, true, 64, 200, 50);
    assert_true(value_of(SB_NEVER) < 0 && is_far());
}

TEST(the_most_is_any_that_was_seen)
{
    sharp(64, 32);
    for (size_t s = 75; s <= 96; s++)
        put(FILL_LINES, false, s, 1000000, 0); /* so rare are those at 74 */
    for (size_t hits = 1; hits <= 5; hits++) {
        put(FILL_LINES, false, 74, 20000, 1);
        expect(SB_MOST, 74, hits < 5 ? TRUST_LOW : TRUST_HIGH);
    }
    put(FILL_LINES, false, 100, 10, 0); /* too few for that */
    expect(SB_MOST, 74, TRUST_LOW);
    begin(state); /* merging stores do not count */
    sharp(64, 4);
    put(FILL_WORD, true, 192, 10000, 500);
    put(FILL_LINE, true, 100, 10000, 500);
    expect(SB_MOST, 64, TRUST_HIGH);
    expect(SB_NEVER, 65, TRUST_HIGH);
}

/* A reach beyond the buffer and the store that waits in front of it is explained where stores merge, and only there. */
TEST(a_reach_beyond_the_buffer_is_explained_by_merging)
{
    static const struct {
        size_t most, merged;
        bool is_explained;
    } rows[] = {{74, 300, true}, {66, 300, true}, {65, 300, false}, {74, 0, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        begin(NULL);
        sharp(64, 32);
        put(FILL_LINES, true, rows[i].most, 20000, 50);
        put(FILL_WORD, true, SB_MERGED * WHOLE, 40000, rows[i].merged);
        expect(SB_MOST, (int64_t)rows[i].most, answer[SB_MOST].trust);
        const char *remark = answer[SB_MOST].remark;
        assert_int_equal(remark && strstr(remark, "merge") != NULL, rows[i].is_explained);
    }
}

TEST(merging_needs_power_to_be_denied)
{
    static const struct {
        size_t trials, hits, control;
        double ns;
        int value;
        enum trust trust;
    } rows[] = {{1000, 4, 100, NEAR_NS, 1, TRUST_MEDIUM}, {1000, 5, 100, NEAR_NS, 1, TRUST_HIGH},
                {30000, 0, 20, FAR_NS, 0, TRUST_HIGH},    {29999, 0, 20, FAR_NS, -1, TRUST_LOW},
                {30000, 0, 19, FAR_NS, -1, TRUST_LOW},    {30000, 0, 20, NEAR_NS, -1, TRUST_LOW}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(state);
        put(FILL_WORD, true, WHOLE, 1000, rows[i].control);
        with.ns = rows[i].ns;
        put(FILL_WORD, true, SB_MERGED * WHOLE, rows[i].trials, rows[i].hits);
        expect(SB_MERGING, rows[i].value, rows[i].trust);
    }
}

/* By the witness, and no other number; the buffer, its half, or one more. */
TEST(a_knee_is_sharp_and_fits_the_buffer)
{
    static const struct {
        size_t hits, after, stores;
        enum state state;
        enum trust trust;
    } rows[] = {{5000, 250, 64, STATE_IDLE, TRUST_HIGH},    {4999, 250, 64, STATE_IDLE, TRUST_LOW},
                {5000, 0, 65, STATE_IDLE, TRUST_HIGH},      {5000, 0, 63, STATE_IDLE, TRUST_LOW},
                {5000, 0, 66, STATE_IDLE, TRUST_LOW},       {5000, 0, 64, STATE_MIXED, TRUST_MEDIUM},
                {5000, 0, 64, STATE_UNKNOWN, TRUST_MEDIUM}, {5000, 0, 31, STATE_ACTIVE, TRUST_LOW},
                {5000, 0, 32, STATE_ACTIVE, TRUST_HIGH},    {5000, 0, 33, STATE_ACTIVE, TRUST_HIGH},
                {5000, 0, 34, STATE_ACTIVE, TRUST_LOW},     {5000, 0, 64, STATE_ACTIVE, TRUST_LOW},
                {5000, 0, 32, STATE_IDLE, TRUST_LOW},       {19, 0, 64, STATE_IDLE, TRUST_LOW},
                {20, 0, 64, STATE_IDLE, TRUST_HIGH}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int proved = 1; proved >= 0; proved--) {
            const bool high = rows[i].trust == TRUST_HIGH;
            begin(state);
            with.state = rows[i].state;
            with.unproved = !proved;
            put(FILL_TWO, false, rows[i].stores, 10000, rows[i].hits);
            put(FILL_TWO, false, rows[i].stores + 1, rows[i].hits < 100 ? 1000000 : 10000, rows[i].after);
            expect(SB_KNEE, rows[i].trust > TRUST_LOW ? (int64_t)rows[i].stores : -1,
                   high && !proved ? TRUST_MEDIUM : rows[i].trust);
        }
    }
}

/* Rare passes behind the buffer are no rule, nor are shares below a twentieth of the best. */
TEST(a_knee_is_no_tail)
{
    for (size_t less = 0; less < 2; less++) {
        begin(state);
        put(FILL_LINES, false, 64, 10000, 10000);
        put(FILL_LINES, false, 65, 10000, 501 - 2 * less);
        put(FILL_LINES, false, 66, 10000, 0);
        expect(SB_KNEE, less ? 64 : 65, TRUST_HIGH);
        begin(state);
        put(FILL_LINES, false, 60, 10000, 10000);
        put(FILL_LINES, false, 62, 10000, 2000);
        put(FILL_LINES, false, 64, 10000, 500 - less);
        put(FILL_LINES, false, 65, 10000, 0);
        expect(SB_KNEE, less ? -1 : 64, less ? TRUST_LOW : TRUST_HIGH);
    }
}

/* By the readings of each side before and after it: one halved buffer is enough, and both readings must agree. */
TEST(a_block_has_the_state_of_both_cpus)
{
    static const struct {
        uint16_t before[2], after[2];
        enum state state;
    } rows[] = {{{64, 64}, {64, 64}, STATE_IDLE},   {{64, 32}, {64, 32}, STATE_ACTIVE},
                {{32, 64}, {64, 32}, STATE_ACTIVE}, {{64, 64}, {32, 64}, STATE_UNKNOWN},
                {{64, 0}, {64, 0}, STATE_UNKNOWN},  {{0, 0}, {0, 0}, STATE_UNKNOWN}};
    put(FILL_TWO, false, 64, 0, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sb_block block = block_of(0, 100, 50);
        for (int side = 0; side < 2; side++) {
            block.before[side].entries = rows[i].before[side];
            block.after[side].entries = rows[i].after[side];
        }
        const size_t before = passing->point[0].count[SB_FAR][rows[i].state].trials;
        sb_passing_add(passing, &block);
        assert_int_equal(passing->point[0].count[SB_FAR][rows[i].state].trials, before + 100);
    }
}

TEST(what_was_counted_of_a_half_is_forgotten)
{
    passing->entries = with.entries = WHOLE / 2;
    put(FILL_TWO, false, 40, 100, 50);
    with.entries = WHOLE;
    put(FILL_TWO, false, 32, 10, 5);
    assert_int_equal(passing->most, 32);
    assert_int_equal(passing->point[point_at(FILL_TWO, false, 40)].count[SB_FAR][STATE_IDLE].trials, 0);
    assert_int_equal(passing->point[point_at(FILL_TWO, false, 32)].count[SB_FAR][STATE_IDLE].trials, 10);
}

/* 20.5 and 28.5 ns at 3.2 GHz: two threads of one core of Zen 3, and two cores. */
TEST(a_core_ends_at_77_cycles_and_near_at_75_ns)
{
    static const struct {
        double ghz, ns;
        size_t shared, near, far;
    } of[] = {{3.5, 21.9, 1, 0, 0}, {3.5, 22, 0, 1, 0},   {3.5, 74.9, 0, 1, 0}, {3.5, 75, 0, 0, 1},
              {3.5, 1000, 0, 0, 1}, {3.5, 1001, 0, 0, 0}, {3.5, NAN, 0, 0, 0},  {3.2, 20.5, 1, 0, 0},
              {3.2, 28.5, 0, 1, 0}, {NAN, 20.5, 0, 1, 0}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        begin(state);
        passing->ghz = of[i].ghz;
        with.ns = of[i].ns;
        put(FILL_TWO, false, 64, 100, 50);
        assert_int_equal(passing->shared, of[i].shared);
        assert_int_equal(passing->point[0].count[SB_NEAR][STATE_IDLE].trials, 100 * of[i].near);
        assert_int_equal(passing->point[0].count[SB_FAR][STATE_IDLE].trials, 100 * of[i].far);
    }
}

/* A fence that was passed, CPUs that shared a core in most blocks, no block, and no hit. */
TEST(what_went_wrong_gives_no_answer)
{
    nothing_is_said();
    sharp(64, 8);
    expect(SB_NEVER, 65, TRUST_HIGH);
    passing->shared = passing->blocks;
    expect(SB_NEVER, 65, TRUST_HIGH);
    passing->shared++;
    nothing_is_said();
    passing->shared = 0;
    passing->fenced.both_old = 1;
    nothing_is_said();
    begin(state);
    for (size_t s = 60; s <= 80; s++)
        put(FILL_LINES, false, s, 40000, 0);
    nothing_is_said();
}

TEST(never_by_its_constants)
{
    static const struct {
        size_t last, beyond, trials, hits;
        bool resolved;
    } rows[] = {{64, 4, 30000, 20000, true},  {64, 3, 30000, 20000, false}, /* four numbers beyond */
                {64, 4, 29999, 20000, false}, /* none beyond the buffer was seen */
                {65, 4, 30000, 20000, true},  {65, 4, 29999, 20000, false},
                {66, 4, 3000, 20000, true},   {66, 4, 2999, 20000, false}, /* it was */
                {63, 4, 30000, 20000, false}, /* the buffer itself was not passed */
                {74, 4, 30001, 40, true},     {74, 4, 29999, 40, false}}; /* a tenth of one in a thousand */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(state);
        for (size_t s = rows[i].last - 1; s <= rows[i].last + rows[i].beyond; s++)
            put(FILL_LINES, false, s, s <= rows[i].last ? 40000 : rows[i].trials,
                s <= rows[i].last ? rows[i].hits : 0);
        assert_int_equal(value_of(SB_NEVER), rows[i].resolved ? (int)rows[i].last + 1 : -1);
    }
    begin(state);
    sharp(64, 4);
    expect(SB_NEVER, 65, TRUST_HIGH);
    with.unproved = true;
    put(FILL_TWO, false, 64, 1, 1);
    expect(SB_NEVER, 65, TRUST_MEDIUM);
    begin(state); /* far CPUs saw nothing: near ones' passes do not count, either */
    with.ns = NEAR_NS;
    sharp(64, 4);
    put(FILL_WORD, true, WHOLE, 1000, 20);
    with.ns = FAR_NS;
    put(FILL_WORD, true, SB_MERGED * WHOLE, 30000, 0);
    for (size_t s = 64; s <= 68; s++)
        put(FILL_LINES, false, s, 40000, 0);
    expect(SB_NEVER, -1, TRUST_LOW);
    expect(SB_MERGING, -1, TRUST_LOW);
}

/* 64 as a rule, up to 74 where the first line is late, nothing beyond; near and far CPUs are held apart by the state. */
TEST(the_record_has_four_answers_and_every_trial)
{
    static const int64_t values[SB_ANSWERS] = {64, 74, 75, 1};
    struct record *record = record_new();
    for (size_t s = 62; s <= 80; s++)
        for (int late = 0; late < 2; late++)
            put(FILL_TWO, late, s, 40000, late ? (s <= 74 ? 800 : 0) : s <= 64 ? 30000 : 0);
    assert_false(sb_passing_enough(passing));
    put(FILL_WORD, true, SB_MERGED * WHOLE, 40000, 300);
    assert_true(sb_passing_enough(passing));
    with.state = STATE_ACTIVE;
    put(FILL_TWO, true, 70, 1000, 0);
    for (int i = 0; i < SB_ANSWERS; i++)
        expect(i, values[i], TRUST_HIGH);
    assert_true(is_far() && answer[SB_NEVER].samples == 6 * 80000);
    sb_passing_record(passing, record);
    assert_int_equal(record->answers.count, SB_ANSWERS);
    assert_true(record_fact_number(record, "run.sb_capacity.reorder_never_share") == 3.0 / (6 * 80000));
    assert_int_equal(record->tables.of[0].row_count, 2 * 19 + 2);
    /* What is drawn is the share by stores: first of those to one word. */
    const struct record_table *table = &record->tables.of[0];
    assert_int_equal(record_cell(table, 0, table->spec->view.x)->integer, SB_MERGED * WHOLE);
    assert_float_equal(cell_number(record_cell(table, 0, table->spec->view.value)), 300 / 40000.0, 1e-9);
    assert_string_equal(table->spec->columns[table->spec->view.state].key, "state");
    record_free(record);
}

static void choose(int address, size_t first, size_t last, size_t entries)
{
    const struct sb_params params = {.address = address, .stores = {.first = first, .last = last}};
    begin(NULL);
    sb_points_choose(passing, &params, entries);
}

static bool has(enum sb_filling filling, bool late, size_t stores)
{
    return point_at(filling, late, stores) < passing->points;
}

TEST(numbers_around_the_buffer_are_tried_or_those_asked_for)
{
    for (size_t entries = 16; entries <= 144; entries += 64) {
        choose(SB_ADDRESS_AUTO, 0, 0, entries);
        for (enum sb_filling f = FILL_TWO; f < FILLINGS; f++) {
            for (size_t more = 0; more <= 12; more++)
                assert_true(has(f, more % 2, entries + more));
            assert_true(has(f, false, entries / 2) && has(f, true, entries + 16) &&
                        has(f, false, entries + 32));
        }
        assert_true(has(FILL_WORD, true, entries) && !has(FILL_WORD, true, entries + 1));
        assert_true(has(FILL_WORD, true, SB_MERGED * entries));
    }
    choose(SB_ADDRESS_AUTO, 0, 0, 0);
    assert_true(passing->points > 0 && passing->point[passing->points - 1].stores > 144);
    choose(SB_ADDRESS_AUTO, 1, 8, WHOLE);
    assert_true(has(FILL_TWO, false, 1) && has(FILL_WORD, true, 8) && passing->points == 8 * 4 * 2);
    choose(STORES_PAGES + 1, 1, 8, WHOLE);
    assert_true(has(FILL_PAGES, true, 8) && !has(FILL_LINES, true, 8));
}

static bool is_wanted(bool late, size_t stores, uint64_t round)
{
    return sb_point_wanted(passing, &passing->point[point_at(FILL_TWO, late, stores)], round);
}

/* Larger numbers wait until fewer than four are left: of the usual ones 75, 76, 80 and 96 are beyond 74. */
TEST(what_was_passed_often_is_done)
{
    choose(SB_ADDRESS_AUTO, 0, 0, WHOLE);
    passing->most = 74;
    assert_true(is_wanted(true, 96, 1) && !is_wanted(true, 128, 1));
    passing->most = 75;
    assert_true(is_wanted(true, 128, 1));
    passing->most = 0;
    put(FILL_TWO, true, 70, 1000, 100);
    put(FILL_TWO, true, 71, 1000, 99);
    assert_true(!is_wanted(true, 70, 1) && is_wanted(true, 71, 1) && is_wanted(true, 72, 1));
    assert_true(!is_wanted(false, 76, 1) && is_wanted(false, 76, 4));
}
