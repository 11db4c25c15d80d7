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

TEST(the_knee_is_the_buffer)
{
    for (uint64_t seed = 1; seed <= RUNS / 20; seed++) {
        struct sb_passing *near = run_of(zen4, 0, seed), *far = run_of(zen4, 1, seed);
        const struct sb_knee knee = sb_knee_of(near), other = sb_knee_of(far);
        assert_int_equal(knee.stores, 64);
        assert_int_equal(other.stores, 64);
        assert_int_equal(sb_knee_judge(&knee, near).trust, TRUST_HIGH);
        assert_int_equal(sb_knee_judge(&other, far).trust, TRUST_HIGH);
        free(near);
        free(far);
    }
}

/* Never a number that is passed after all, where the far case was had: of 1,000 runs, not more than one in twenty. */
static void never_is_kept(const struct machine *machine, double far, size_t resolved_least)
{
    size_t wrong = 0, resolved = 0;

    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct sb_passing *passing = run_of(*machine, far, seed);
        const struct sb_never never = sb_never_of(passing);
        assert_true(passing->most <= machine->most);
        if (never.unresolved == NULL) {
            assert_true(never.share <= 0.001);
            assert_true(never.far || sb_never_judge(&never, passing).trust < TRUST_HIGH);
            resolved++;
            wrong += never.far && never.from <= machine->most;
        }
        free(passing);
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
        const struct sb_never never = sb_never_of(passing);
        assert_false(never.far);
        assert_true(sb_never_judge(&never, passing).trust < TRUST_HIGH);
        free(passing);
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
        assert_int_equal(sb_never_of(passing).far, far == 10);
        free(passing);
    }
}

TEST(the_most_is_any_that_was_seen)
{
    struct sb_passing *passing = sharp(64, 32);
    struct sb_never never;
    struct sb_most most;

    for (size_t hits = 1; hits <= 5; hits++)
        put(passing, 74, 20000, 1);
    most = sb_most_of(passing);
    never = sb_never_of(passing);
    assert_int_equal(most.stores, 74);
    assert_int_equal(most.count.both_old, 5);
    assert_non_null(never.unresolved);
    assert_int_equal(sb_most_judge(&most, &never).trust, TRUST_LOW);
    never.unresolved = NULL;
    assert_int_equal(sb_most_judge(&most, &never).trust, TRUST_HIGH);
    most.count.both_old = 4;
    assert_int_equal(sb_most_judge(&most, &never).trust, TRUST_LOW);
    free(passing);
}

TEST(one_word_is_never_in_the_maximum)
{
    struct sb_passing *passing = sharp(64, 4);
    const struct sb_block word = block_of(FILL_WORD, true, 192, 10000, 500),
                          line = block_of(FILL_LINE, true, 100, 10000, 500);

    sb_passing_add(passing, &word);
    sb_passing_add(passing, &line);
    assert_int_equal(sb_most_of(passing).stores, 64);
    assert_int_equal(sb_never_of(passing).from, 65);
    assert_null(sb_never_of(passing).unresolved);
    free(passing);
}

TEST(merging_needs_power_to_be_denied)
{
    size_t denied = 0, seen = 0;

    for (uint64_t seed = 1; seed <= RUNS / 20; seed++) {
        struct machine none = zen3;
        none.merged[SB_FAR] = 0;
        struct sb_passing *near = run_of(zen4, 0, seed), *far = run_of(zen4, 1, seed),
                          *no = run_of(none, 1, seed);
        const struct sb_merging a = sb_merging_of(near), b = sb_merging_of(far), c = sb_merging_of(no);
        assert_true(a.merges || !a.known);
        assert_true(b.merges || !b.known);
        assert_false(c.merges);
        seen += b.merges;
        denied += c.known && sb_merging_judge(&c).trust == TRUST_HIGH;
        free(near);
        free(far);
        free(no);
    }
    assert_true(seen * 100 >= 95 * (RUNS / 20));
    assert_true(denied > 0);
}

static struct sb_merging merging_of(size_t trials, size_t hits, size_t control, double distance_ns)
{
    struct sb_passing *passing = passing_new();
    struct sb_block word = block_of(FILL_WORD, true, SB_MERGED * WHOLE, trials, hits);
    const struct sb_block buffer = block_of(FILL_WORD, true, WHOLE, 1000, control);

    word.distance_ns = distance_ns;
    sb_passing_add(passing, &word);
    sb_passing_add(passing, &buffer);
    const struct sb_merging merging = sb_merging_of(passing);
    free(passing);
    return merging;
}

TEST(merging_by_its_constants)
{
    const struct sb_merging four = merging_of(1000, 4, 100, NEAR_NS),
                            five = merging_of(1000, 5, 100, NEAR_NS), none = merging_of(30000, 0, 20, FAR_NS);

    assert_true(four.known && four.merges && five.known && five.merges);
    assert_int_equal(sb_merging_judge(&four).trust, TRUST_MEDIUM);
    assert_int_equal(sb_merging_judge(&five).trust, TRUST_HIGH);
    assert_true(none.known && !none.merges);
    assert_int_equal(sb_merging_judge(&none).trust, TRUST_HIGH);
    assert_false(merging_of(29999, 0, 20, FAR_NS).known);
    assert_false(merging_of(30000, 0, 19, FAR_NS).known);
    assert_false(merging_of(30000, 0, 20, NEAR_NS).known);
}

static void knee_of_points(size_t hits, size_t after, size_t stores, size_t entries, enum state in,
                           enum trust trust)
{
    struct sb_passing *passing = passing_new();
    struct sb_block at = block_of(FILL_TWO, false, stores, 10000, hits),
                    next = block_of(FILL_TWO, false, stores + 1, 10000, after);

    passing->entries = entries;
    at.state = next.state = in;
    sb_passing_add(passing, &at);
    sb_passing_add(passing, &next);
    const struct sb_knee knee = sb_knee_of(passing);
    assert_int_equal(sb_knee_judge(&knee, passing).trust, trust);
    passing->proved = false;
    assert_true(sb_knee_judge(&knee, passing).trust < TRUST_HIGH);
    free(passing);
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
        assert_int_equal(sb_knee_of(passing).stores, hits == 20 ? 64 : 0);
        free(passing);
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
        assert_int_equal(sb_knee_of(passing).stores, tail < 500 ? 64 : 65);
        free(passing);
    }
}

TEST(a_halved_buffer_gives_its_half_and_no_bound)
{
    struct machine halved = zen3;

    halved.idle_share = 0;
    struct sb_passing *passing = run_of(halved, 1, 1);
    const struct sb_knee knee = sb_knee_of(passing);

    assert_int_equal(knee.stores, 32);
    assert_int_equal(knee.state, STATE_ACTIVE);
    assert_int_equal(sb_knee_judge(&knee, passing).trust, TRUST_HIGH);
    assert_non_null(sb_never_of(passing).unresolved);
    free(passing);
}

static enum state state_of(enum state a, enum state a_after, enum state b, enum state b_after)
{
    return sb_state_of((enum state[]){a, b}, (enum state[]){a_after, b_after});
}

TEST(a_block_has_the_state_of_both_cpus)
{
    const enum state idle = STATE_IDLE, active = STATE_ACTIVE, unknown = STATE_UNKNOWN;

    assert_int_equal(state_of(idle, idle, idle, idle), STATE_IDLE);
    assert_int_equal(state_of(idle, idle, active, active), STATE_ACTIVE);
    assert_int_equal(state_of(active, active, idle, active), STATE_ACTIVE);
    assert_int_equal(state_of(idle, active, idle, idle), STATE_MIXED);
    assert_int_equal(state_of(idle, idle, unknown, unknown), STATE_UNKNOWN);
    assert_int_equal(state_of(unknown, unknown, unknown, unknown), STATE_UNKNOWN);
}

TEST(a_shared_core_gives_no_bound)
{
    struct machine shared = zen4;

    shared.one_core_share = 1;
    struct sb_passing *passing = run_of(shared, 0, 1);
    assert_non_null(sb_passing_refusal(passing));
    assert_non_null(sb_never_of(passing).unresolved);
    assert_false(sb_merging_of(passing).known);
    free(passing);
}

TEST(a_core_ends_at_77_cycles_and_near_at_75_ns)
{
    static const double ns[] = {21.9, 22, 74.9, 75, 1000, 1001, NAN};
    static const size_t shared[7] = {1}, near[7] = {0, 1, 1}, far[7] = {0, 0, 0, 1, 1};

    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
        struct sb_passing *passing = passing_new();
        struct sb_block block = block_of(FILL_TWO, false, 64, 100, 50);
        block.distance_ns = ns[i];
        sb_passing_add(passing, &block);
        assert_int_equal(passing->shared, shared[i]);
        assert_int_equal(sb_passing_count(passing, (struct sb_part){-1, -1, SB_NEAR, -1}, 64).blocks,
                         near[i]);
        assert_int_equal(sb_passing_count(passing, (struct sb_part){-1, -1, SB_FAR, -1}, 64).blocks, far[i]);
        free(passing);
    }
}

/* Two threads of one core of Zen 3 at 3.2 GHz, and two cores. */
TEST(a_core_is_known_by_its_cycles)
{
    struct sb_passing *passing = passing_new();
    struct sb_block block = block_of(FILL_TWO, false, 32, 100, 50);

    passing->ghz = 3.2;
    block.distance_ns = 20.5;
    sb_passing_add(passing, &block);
    block.distance_ns = 28.5;
    sb_passing_add(passing, &block);
    assert_true(passing->shared == 1 && passing->blocks == 1);
    passing->ghz = NAN;
    sb_passing_add(passing, &block);
    assert_true(passing->shared == 1 && passing->blocks == 2);
    free(passing);
}

TEST(a_broken_fence_control_gives_no_answer)
{
    struct sb_passing *passing = sharp(64, 8);
    struct sb_block block = block_of(FILL_TWO, false, 64, 100, 50);

    assert_null(sb_passing_refusal(passing));
    block.fenced_both_old = 1;
    sb_passing_add(passing, &block);
    assert_non_null(sb_passing_refusal(passing));
    assert_non_null(sb_never_of(passing).unresolved);
    assert_false(sb_passing_enough(passing));
    free(passing);
    passing = passing_new();
    assert_non_null(sb_passing_refusal(passing));
    free(passing);
}

static bool is_resolved(size_t last, size_t beyond, size_t trials, size_t hits)
{
    struct sb_passing *passing = passing_new();

    for (size_t s = last - 1; s <= last; s++)
        put(passing, s, 40000, hits);
    for (size_t s = last + 1; s <= last + beyond; s++)
        put(passing, s, trials, 0);
    const bool resolved = sb_never_of(passing).unresolved == NULL;
    free(passing);
    return resolved;
}

TEST(never_by_its_constants)
{
    assert_true(is_resolved(64, 4, 30000, 20000));
    assert_false(is_resolved(64, 3, 30000, 20000)); /* four numbers beyond */
    assert_false(is_resolved(64, 4, 29999, 20000)); /* nothing beyond the buffer was seen */
    assert_true(is_resolved(65, 4, 30000, 20000));
    assert_false(is_resolved(65, 4, 29999, 20000));
    assert_true(is_resolved(66, 4, 3000, 20000)); /* it was */
    assert_false(is_resolved(66, 4, 2999, 20000));
    assert_false(is_resolved(63, 4, 30000, 20000)); /* the buffer itself was not passed */
    assert_true(is_resolved(74, 4, 30001, 40));     /* a tenth of a share of one in a thousand */
    assert_false(is_resolved(74, 4, 29999, 40));
}

TEST(never_is_high_for_a_proved_buffer_that_was_whole)
{
    struct sb_passing *passing = sharp(64, 4);
    const struct sb_never never = sb_never_of(passing);

    assert_null(never.unresolved);
    assert_int_equal(never.trials, 160000);
    assert_int_equal(sb_never_judge(&never, passing).trust, TRUST_HIGH);
    passing->proved = false;
    assert_int_equal(sb_never_judge(&never, passing).trust, TRUST_MEDIUM);
    free(passing);
}

TEST(enough_is_when_all_answers_are_there)
{
    struct sb_passing *passing = sharp(64, 4);
    const struct sb_block word = block_of(FILL_WORD, true, SB_MERGED * WHOLE, 1000, 10);

    assert_false(sb_passing_enough(passing));
    sb_passing_add(passing, &word);
    assert_true(sb_passing_enough(passing));
    free(passing);
}
