/* SPDX-License-Identifier: MIT */
/* What follows from litmus trials, on blocks like those that machines gave. */
#include "test.h"

#include "passing.h"

/* Zen 4: where the CPUs are far, stores leave the buffer early in three of ten thousand trials, six lines of them or ten stores to
 * lines in turn; near each other in so few that a run hardly sees one. */
static const struct machine zen4 = {.entries = 64,
                                    .fits = {0.6, 0.36},
                                    .early = {5e-6, 4e-4},
                                    .merged = {4.5e-5, 6e-4},
                                    .in_time = 1,
                                    .most = 74,
                                    .most_apart = 70,
                                    .idle_share = 0.9};
/* Zen 3 with a first line that is late. */
static const struct machine zen3 = {.entries = 64,
                                    .fits = {0.2, 0.5},
                                    .early = {0, 0.05},
                                    .merged = {0, 0.08},
                                    .in_time = 0.01,
                                    .most = 74,
                                    .most_apart = 74,
                                    .idle_share = 0.5};
enum { RUN = 1600 /* blocks in 2 s, were nothing else running */, RUNS = TEST_SLOW ? 20 : 1000 };

static struct sb_passing *run_of(struct machine machine, double far, uint64_t seed)
{
    struct sb_passing *passing = passing_new();
    machine.far_share = far;
    run_machine(passing, &machine, RUN, &seed);
    return passing;
}

static void put(struct sb_passing *passing, size_t stores, size_t trials, size_t hits)
{
    const struct sb_block block = block_of(FILL_LINES, false, stores, trials, hits);
    sb_passing_add(passing, &block);
}

/* A sharp fall behind `last`, which `beyond` further numbers prove. */
static struct sb_passing *sharp(size_t last, size_t beyond)
{
    struct sb_passing *passing = passing_new();
    for (size_t s = last - 3; s <= last + beyond; s++)
        put(passing, s, 40000, s <= last ? 20000 : 0);
    return passing;
}

static bool is_resolved(const struct answer *answer)
{
    return cell_has_value(&answer->value);
}

static bool is_far(const struct answer *answer)
{
    return strcmp(answer->state, sb_distance_names[SB_FAR]) == 0;
}

static void nothing_is_said(const struct sb_passing *passing)
{
    const struct answer answers[] = {sb_knee(passing), sb_most(passing), sb_never(passing),
                                     sb_merging(passing)};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        assert_true(!is_resolved(&answers[i]) && answers[i].trust == TRUST_LOW);
    assert_false(sb_passing_enough(passing));
}

TEST(the_knee_is_the_buffer)
{
    for (uint64_t seed = 1; seed <= RUNS / 20; seed++) {
        struct sb_passing *near = run_of(zen4, 0, seed), *far = run_of(zen4, 1, seed);
        const struct answer knee = sb_knee(near), other = sb_knee(far);
        assert_int_equal(knee.value.integer, 64);
        assert_int_equal(other.value.integer, 64);
        assert_true(knee.trust == TRUST_HIGH && other.trust == TRUST_HIGH);
        passing_free(near);
        passing_free(far);
    }
}

/* Never a number that is passed after all, where the far case was had: of 1,000 runs, not more than one in twenty. */
static void never_is_kept(const struct machine *machine, double far, size_t resolved_least)
{
    size_t wrong = 0, resolved = 0;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct sb_passing *passing = run_of(*machine, far, seed);
        const struct answer never = sb_never(passing);
        assert_true(passing->sum.most <= machine->most);
        if (is_resolved(&never)) {
            assert_true(3.0 / (double)never.samples <= 0.001);
            assert_true(is_far(&never) || never.trust < TRUST_HIGH);
            resolved++;
            wrong += is_far(&never) && (size_t)never.value.integer <= machine->most;
        }
        passing_free(passing);
    }
    assert_true(wrong * 20 <= RUNS);
    assert_true(resolved * 100 >= resolved_least * RUNS);
}

TEST(never_is_kept_where_early_stores_are_rare)
{
    never_is_kept(&zen4, 1, 0);
    never_is_kept(&zen4, 0.5, 0);
}

TEST(never_is_resolved_where_they_are_frequent)
{
    never_is_kept(&zen3, 1, 95);
    never_is_kept(&zen3, 0.5, 95);
}

/* Its number is no bound of the machine, which the answer says. */
TEST(near_runs_have_not_had_the_far_case)
{
    for (uint64_t seed = 1; seed <= RUNS / 20; seed++) {
        struct sb_passing *passing = run_of(zen4, 0, seed);
        const struct answer never = sb_never(passing);
        assert_false(is_far(&never));
        assert_true(never.trust < TRUST_HIGH);
        passing_free(passing);
    }
}

TEST(a_far_case_is_a_tenth_of_the_blocks)
{
    for (size_t far = 9; far <= 10; far++) {
        struct sb_passing *passing = passing_new();
        for (size_t i = 0; i < 100; i++) {
            struct sb_block block = block_of(FILL_TWO, true, 64, 100, 50);
            block.distance_ns = i < far ? FAR_NS : NEAR_NS;
            sb_passing_add(passing, &block);
        }
        const struct answer never = sb_never(passing);
        assert_int_equal(is_far(&never), far == 10);
        passing_free(passing);
    }
}

TEST(the_most_is_any_that_was_seen)
{
    struct sb_passing *passing = sharp(64, 32);
    struct answer most;
    for (size_t s = 75; s <= 96; s++)
        put(passing, s, 1000000, 0); /* so rare are those at 74 */
    for (size_t hits = 1; hits <= 5; hits++) {
        put(passing, 74, 20000, 1);
        most = sb_most(passing);
        assert_int_equal(most.value.integer, 74);
        assert_int_equal(most.trust, hits < 5 ? TRUST_LOW : TRUST_HIGH);
    }
    assert_int_equal(most.samples, 140000);
    put(passing, 76, 20000, 10); /* 77 to 96 have too few for that */
    put(passing, 100, 10, 0);
    assert_int_equal(sb_most(passing).trust, TRUST_LOW);
    passing_free(passing);
}

TEST(one_word_is_never_in_the_maximum)
{
    struct sb_passing *passing = sharp(64, 4);
    const struct sb_block word = block_of(FILL_WORD, true, 192, 10000, 500),
                          line = block_of(FILL_LINE, true, 100, 10000, 500);
    sb_passing_add(passing, &word);
    sb_passing_add(passing, &line);
    assert_int_equal(sb_most(passing).value.integer, 64);
    assert_int_equal(sb_never(passing).value.integer, 65);
    passing_free(passing);
}

TEST(merging_needs_power_to_be_denied)
{
    size_t denied = 0, seen = 0;
    for (uint64_t seed = 1; seed <= RUNS / 20; seed++) {
        struct machine none = zen3;
        none.merged[SB_FAR] = 0;
        struct sb_passing *near = run_of(zen4, 0, seed), *far = run_of(zen4, 1, seed),
                          *no = run_of(none, 1, seed);
        const struct answer a = sb_merging(near), b = sb_merging(far), c = sb_merging(no);
        assert_false(cell_is(&a.value, false) || cell_is(&b.value, false) || cell_is(&c.value, true));
        seen += cell_is(&b.value, true);
        denied += cell_is(&c.value, false) && c.trust == TRUST_HIGH;
        passing_free(near);
        passing_free(far);
        passing_free(no);
    }
    assert_true(seen * 100 >= 95 * (RUNS / 20));
    assert_true(denied > 0);
}

static void merging_is(size_t trials, size_t hits, size_t control, double distance_ns, enum trust trust)
{
    struct sb_passing *passing = passing_new();
    struct sb_block word = block_of(FILL_WORD, true, SB_MERGED * WHOLE, trials, hits);
    const struct sb_block buffer = block_of(FILL_WORD, true, WHOLE, 1000, control);
    word.distance_ns = distance_ns;
    sb_passing_add(passing, &word);
    sb_passing_add(passing, &buffer);
    const struct answer merging = sb_merging(passing);
    assert_int_equal(merging.trust, trust);
    assert_int_equal(cell_has_value(&merging.value), trust > TRUST_LOW);
    if (trust > TRUST_LOW)
        assert_true(cell_is(&merging.value, hits > 0));
    passing_free(passing);
}

TEST(merging_by_its_constants)
{
    merging_is(1000, 4, 100, NEAR_NS, TRUST_MEDIUM);
    merging_is(1000, 5, 100, NEAR_NS, TRUST_HIGH);
    merging_is(30000, 0, 20, FAR_NS, TRUST_HIGH);
    merging_is(29999, 0, 20, FAR_NS, TRUST_LOW);
    merging_is(30000, 0, 19, FAR_NS, TRUST_LOW);
    merging_is(30000, 0, 20, NEAR_NS, TRUST_LOW);
}

static void knee_of_points(size_t hits, size_t after, size_t stores, size_t entries, enum state in,
                           enum trust trust)
{
    struct sb_passing *passing = passing_new();
    struct sb_block at = block_of(FILL_TWO, false, stores, 10000, hits),
                    next = block_of(FILL_TWO, false, stores + 1, 10000, after);
    for (int proved = 1; proved >= 0; proved--) {
        set_state(&at, entries, in);
        set_state(&next, entries, in);
        at.after[0].sure = next.after[0].sure = proved;
        sb_passing_add(passing, &at);
        sb_passing_add(passing, &next);
        const struct answer knee = sb_knee(passing);
        assert_int_equal(knee.trust, proved || trust < TRUST_HIGH ? trust : TRUST_MEDIUM);
        assert_int_equal(cell_has_value(&knee.value), trust > TRUST_LOW);
    }
    passing_free(passing);
}

TEST(a_knee_is_sharp_and_fits_the_buffer)
{
    knee_of_points(5000, 250, 64, 64, STATE_IDLE, TRUST_HIGH);
    knee_of_points(4999, 250, 64, 64, STATE_IDLE, TRUST_LOW); /* a fall of less than 20 */
    knee_of_points(5000, 0, 65, 64, STATE_IDLE, TRUST_HIGH);
    knee_of_points(5000, 0, 63, 64, STATE_IDLE, TRUST_LOW);
    knee_of_points(5000, 0, 66, 64, STATE_IDLE, TRUST_LOW);
    knee_of_points(5000, 0, 64, 64, STATE_MIXED, TRUST_MEDIUM);
    knee_of_points(5000, 0, 64, 64, STATE_UNKNOWN, TRUST_MEDIUM);
    knee_of_points(5000, 0, 64, 0, STATE_IDLE, TRUST_LOW);
}

/* By the witness, and no other number. */
TEST(a_half_is_the_half_or_one_more)
{
    for (size_t stores = 1; stores < 64; stores++) {
        const bool half = stores == 32 || stores == 33;
        knee_of_points(5000, 0, stores, 64, STATE_ACTIVE, half ? TRUST_HIGH : TRUST_LOW);
        knee_of_points(5000, 0, stores, 64, STATE_IDLE, TRUST_LOW);
    }
    knee_of_points(5000, 0, 64, 64, STATE_ACTIVE, TRUST_LOW);
}

TEST(a_knee_rests_on_twenty_hits)
{
    for (size_t hits = 19; hits <= 20; hits++) {
        struct sb_passing *passing = passing_new();
        put(passing, 64, 100, hits);
        put(passing, 65, 100000, 0);
        assert_int_equal(sb_knee(passing).trust, hits == 20 ? TRUST_HIGH : TRUST_LOW);
        passing_free(passing);
    }
}

/* Rare ones behind the buffer are no rule, however clean their fall. */
TEST(a_knee_is_no_tail)
{
    for (size_t tail = 499; tail <= 500; tail++) {
        struct sb_passing *passing = passing_new();
        put(passing, 63, 10000, 10000);
        put(passing, 64, 10000, 10000);
        put(passing, 65, 10000, tail);
        put(passing, 66, 10000, 0);
        assert_int_equal(sb_knee(passing).value.integer, tail < 500 ? 64 : 65);
        passing_free(passing);
    }
}

TEST(a_halved_buffer_gives_its_half_and_no_bound)
{
    struct machine halved = zen3;
    halved.idle_share = 0;
    struct sb_passing *passing = run_of(halved, 1, 1);
    const struct answer knee = sb_knee(passing);
    assert_int_equal(knee.value.integer, 32);
    assert_string_equal(knee.state, state_names[STATE_ACTIVE]);
    assert_int_equal(knee.trust, TRUST_HIGH);
    assert_int_equal(sb_never(passing).value.type, CELL_NULL);
    passing_free(passing);
}

static size_t blocks_in(const struct sb_passing *passing, enum state state)
{
    return sb_passing_count(passing, (struct sb_part){.states = 1u << state}, 1, SB_MOST_STORES).blocks;
}

/* By the readings of each side before and after it. */
static void state_is(enum state state, unsigned a, unsigned a_after, unsigned b, unsigned b_after)
{
    struct sb_passing *passing = passing_new();
    struct sb_block block = block_of(FILL_TWO, false, 64, 100, 50);
    block.before[0].entries = (uint16_t)a;
    block.after[0].entries = (uint16_t)a_after;
    block.before[1].entries = (uint16_t)b;
    block.after[1].entries = (uint16_t)b_after;
    sb_passing_add(passing, &block);
    assert_int_equal(blocks_in(passing, state), 1);
    passing_free(passing);
}

TEST(a_block_has_the_state_of_both_cpus)
{
    state_is(STATE_IDLE, 64, 64, 64, 64);
    state_is(STATE_ACTIVE, 64, 64, 32, 32);
    state_is(STATE_ACTIVE, 32, 32, 64, 32);
    state_is(STATE_MIXED, 64, 32, 64, 64);
    state_is(STATE_UNKNOWN, 64, 64, 0, 0);
    state_is(STATE_UNKNOWN, 0, 0, 0, 0);
}

/* What passed for idle was a half: all blocks are filed by what is known at the end. */
TEST(a_larger_buffer_files_blocks_anew)
{
    struct sb_passing *passing = passing_new();
    struct sb_block block = block_of(FILL_TWO, false, 32, 100, 50);
    set_state(&block, WHOLE / 2, STATE_IDLE);
    sb_passing_add(passing, &block);
    assert_int_equal(blocks_in(passing, STATE_IDLE), 1);
    assert_int_equal(passing->entries, WHOLE / 2);
    set_state(&block, WHOLE, STATE_IDLE);
    sb_passing_add(passing, &block);
    assert_int_equal(blocks_in(passing, STATE_IDLE), 1);
    assert_int_equal(blocks_in(passing, STATE_ACTIVE), 1);
    assert_true(passing->entries == WHOLE && passing->sum.blocks == 2);
    passing_free(passing);
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
        struct sb_passing *passing = passing_new();
        struct sb_block block = block_of(FILL_TWO, false, 64, 100, 50);
        passing->ghz = of[i].ghz;
        block.distance_ns = of[i].ns;
        sb_passing_add(passing, &block);
        assert_int_equal(passing->sum.shared, of[i].shared);
        for (unsigned d = SB_NEAR; d <= SB_FAR; d++)
            assert_int_equal(sb_passing_count(passing, (struct sb_part){.distances = 1u << d}, 64, 64).blocks,
                             d == SB_NEAR ? of[i].near : of[i].far);
        passing_free(passing);
    }
}

TEST(a_broken_fence_control_gives_no_answer)
{
    struct sb_passing *passing = sharp(64, 8);
    struct sb_block block = block_of(FILL_TWO, false, 64, 100, 50);
    assert_int_equal(sb_never(passing).trust, TRUST_HIGH);
    block.fenced_both_old = 1;
    sb_passing_add(passing, &block);
    nothing_is_said(passing);
    passing_free(passing);
    passing = passing_new();
    nothing_is_said(passing);
    passing_free(passing);
}

static bool resolves(size_t last, size_t beyond, size_t trials, size_t hits)
{
    struct sb_passing *passing = passing_new();
    for (size_t s = last - 1; s <= last; s++)
        put(passing, s, 40000, hits);
    for (size_t s = last + 1; s <= last + beyond; s++)
        put(passing, s, trials, 0);
    const struct answer never = sb_never(passing);
    passing_free(passing);
    return is_resolved(&never);
}

TEST(never_by_its_constants)
{
    assert_true(resolves(64, 4, 30000, 20000));
    assert_false(resolves(64, 3, 30000, 20000)); /* four numbers beyond */
    assert_false(resolves(64, 4, 29999, 20000)); /* nothing beyond the buffer was seen */
    assert_true(resolves(65, 4, 30000, 20000));
    assert_false(resolves(65, 4, 29999, 20000));
    assert_true(resolves(66, 4, 3000, 20000)); /* it was */
    assert_false(resolves(66, 4, 2999, 20000));
    assert_false(resolves(63, 4, 30000, 20000)); /* the buffer itself was not passed */
    assert_true(resolves(74, 4, 30001, 40));     /* a tenth of a share of one in a thousand */
    assert_false(resolves(74, 4, 29999, 40));
}

TEST(never_is_high_for_a_proved_buffer_that_was_whole)
{
    struct sb_passing *passing = sharp(64, 4);
    struct sb_block block = block_of(FILL_TWO, false, 64, 1, 1);
    const struct answer never = sb_never(passing);
    assert_true(is_resolved(&never));
    assert_int_equal(never.samples, 160000);
    assert_int_equal(never.trust, TRUST_HIGH);
    block.after[0].sure = false;
    sb_passing_add(passing, &block);
    assert_int_equal(sb_never(passing).trust, TRUST_MEDIUM);
    passing_free(passing);
}

TEST(enough_is_when_all_answers_are_there)
{
    struct sb_passing *passing = sharp(64, 4);
    const struct sb_block word = block_of(FILL_WORD, true, SB_MERGED * WHOLE, 1000, 10);
    assert_false(sb_passing_enough(passing));
    sb_passing_add(passing, &word);
    assert_true(sb_passing_enough(passing));
    passing_free(passing);
}

/* 64 as a rule, up to 74 where the first line is late, nothing beyond. */
static struct sb_passing *clear_run(double distance_ns)
{
    struct sb_passing *passing = passing_new();
    for (size_t s = 62; s <= 80; s++)
        for (int late = 0; late < 2; late++) {
            const size_t hits = late ? (s <= 74 ? 800 : 0) : s <= 64 ? 30000 : 0;
            struct sb_block block = block_of(FILL_TWO, late, s, 40000, hits);
            block.distance_ns = distance_ns;
            sb_passing_add(passing, &block);
        }
    return passing;
}

/* Answers of near and far CPUs are held apart by their state. */
TEST(the_record_has_four_answers_and_every_trial)
{
    static const char *const keys[] = {"store_buffer.reorder_knee", "store_buffer.reorder_most_seen",
                                       "store_buffer.reorder_never_from", "store_buffer.reorder_merging"};
    static const int64_t values[] = {64, 74, 75, 1};
    for (int far = 0; far < 2; far++) {
        const double ns = far ? FAR_NS : NEAR_NS;
        const struct sb_block word = block_of(FILL_WORD, true, SB_MERGED * WHOLE, 40000, 300);
        struct sb_block active = block_of(FILL_TWO, true, 70, 1000, 0);
        struct sb_passing *passing = clear_run(ns);
        struct record *record = record_new();
        sb_passing_add(passing, &word);
        set_state(&active, WHOLE, STATE_ACTIVE);
        active.distance_ns = ns;
        sb_passing_add(passing, &active);
        sb_passing_record(passing, record);
        for (int i = 0; i < 4; i++) {
            const struct answer *answer = record_answer_find(record, keys[i], NULL);
            assert_true(answer->trust == (i == 2 && !far ? TRUST_MEDIUM : TRUST_HIGH));
            assert_true(i == 3 ? answer->value.boolean : answer->value.integer == values[i]);
        }
        assert_string_equal(record_answer_find(record, keys[0], NULL)->state, state_names[STATE_IDLE]);
        assert_string_equal(record_answer_find(record, keys[1], NULL)->state, sb_distance_names[far]);
        assert_string_equal(record_answer_find(record, keys[2], NULL)->state, sb_distance_names[far]);
        assert_int_equal(record_answer_find(record, keys[2], NULL)->samples, 6 * 80000);
        assert_true(record_fact_number(record, "run.sb_capacity.reorder_never_share") == 3.0 / (6 * 80000));
        assert_true(record_fact_number(record, "run.sb_capacity.distance_ns.least") == ns);
        assert_int_equal(record->tables.of[0].row_count, 2 * 19 + 2);
        record_free(record);
        passing_free(passing);
    }
}

TEST(nothing_seen_is_nothing_said)
{
    struct sb_passing *passing = passing_new();
    for (size_t s = 60; s <= 80; s++)
        put(passing, s, 40000, 0);
    nothing_is_said(passing);
    passing_free(passing);
}

/* As many as count, and one more. */
TEST(one_core_is_shared_where_more_blocks_are_than_not)
{
    struct sb_passing *passing = clear_run(FAR_NS);
    passing->sum.shared = passing->sum.blocks;
    assert_int_equal(sb_knee(passing).value.integer, 64);
    passing->sum.shared++;
    nothing_is_said(passing);
    passing_free(passing);
}
