/* SPDX-License-Identifier: MIT */
/* sb-capacity from the first round to its answers, on simulated cores. */
#include "test.h"

#include <sched.h>

#include "../../engine/store_core.h"
#include "bench/capacity/sb_capacity.h"

extern const struct command sb_capacity_command;
enum { ISO, NOPS };
enum { ROUNDS = 150 }; /* enough for high trust, and fewer than a run of its own length takes */
/* Every size, or some of them where each run takes long. */
enum { STEP = TEST_SLOW ? 5 : 1, WIDE_STEP = TEST_SLOW ? 10 : 2 };

static void probe(void *context, struct moment *moment)
{
    struct engine_host *host = context;
    moment->ghz = 1;
    moment->reading = sibling_read(host->sibling, sim_ghz);
}

static uint64_t now_ns(void *context)
{
    return sim_now_ns(&sim);
}

struct engine_machine engine_host_machine(struct engine_host *host)
{
    sibling_read(host->sibling, sim_ghz);
    return (struct engine_machine){
        .context = host, .now_ns = now_ns, .probe = probe, .interrupted = sim_interrupted};
}

/* Answers of sb-capacity for a core. */
static struct record *measured(int method, uint64_t rounds, struct core of, uint64_t seed)
{
    const struct sb_params params = {.method = method, .width = 3, .nops = 500};
    const struct common common = {.repeat = rounds};
    struct core_clock core_clock = {.clock = &core_clock_ns};
    struct cpu_place place = {.id = 0};
    const struct topology topology = {.place = &place, .place_count = 1};
    struct fault fault = {0}, taken = {0};
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    while (!CPU_ISSET(place.id, &set))
        place.id++;
    core_start(of, seed);
    struct run run = {.params = &params,
                      .common = &common,
                      .cpu = &core_cpu,
                      .topology = &topology,
                      .cpus = {.count = 1, .id = {place.id}},
                      .clock = &core_clock_ns,
                      .core_clock = &core_clock,
                      .record = record_new(),
                      .interrupted = sim_interrupted,
                      .taken = &taken};
    assert_int_equal(sb_capacity_command.run(&run, &fault), STATUS_OK);
    return run.record;
}

static const struct answer *entries_in(const struct record *record, enum state state)
{
    for (size_t i = 0; i < record->answers.count; i++) {
        const struct answer *answer = &record->answers.of[i];
        if (strcmp(answer->key, "store_buffer.entries") == 0 && answer->state &&
            strcmp(answer->state, state_names[state]) == 0)
            return answer;
    }
    return NULL;
}

/* entries 0: no value. */
static void expect(int method, uint64_t rounds, struct core of, uint64_t seed, size_t entries,
                   enum trust trust)
{
    struct record *record = measured(method, rounds, of, seed);
    const struct answer *idle = entries_in(record, STATE_IDLE);
    const size_t value = idle && idle->value.type == CELL_INTEGER ? (size_t)idle->value.integer : 0;
    if (value != entries || !idle || idle->trust != trust)
        fail_msg("%zu entries of %zu, trust %d instead of %d", value, of.entries,
                 idle ? (int)idle->trust : -1, trust);
    if (method == ISO && entries > 0)
        assert_true(record->tables.of[0].row_count > 2 * entries);
    record_free(record);
}

/* Without a published size the step could be that of a halved buffer: high trust needs its half. */
TEST(every_size_is_found)
{
    for (size_t i = 0; i < CORE_SIZES; i += STEP) {
        const size_t size = core_sizes[i];
        expect(ISO, ROUNDS, (struct core){.entries = size, .interrupted = 1e-3}, i + 1, size, TRUST_MEDIUM);
        if (size < 150) /* in its range */
            expect(NOPS, 20, (struct core){.entries = size}, i + 1, size, TRUST_MEDIUM);
    }
}

TEST(both_sizes_are_found_where_the_sibling_comes_and_goes)
{
    static const double busy[] = {0.2, 0.5, 0.6};
    size_t high = 0, runs = 0;
    for (size_t i = 0; i < 3 * CORE_SIZES; i += WIDE_STEP, runs++) {
        const int64_t size = (int64_t)core_sizes[i / 3];
        struct record *record = measured(
            ISO, 0, (struct core){.entries = (size_t)size, .busy = busy[i % 3], .interrupted = 1e-3}, i + 1);
        const struct answer *idle = entries_in(record, STATE_IDLE), *half = entries_in(record, STATE_ACTIVE);
        if (idle->trust == TRUST_HIGH) /* else a spell lasted as long as the run */
            assert_int_equal(idle->value.integer, size);
        high += idle->trust == TRUST_HIGH;
        if (idle->value.integer == size && half)
            assert_int_equal(half->value.integer, size / 2);
        record_free(record);
    }
    assert_true(high > runs / 3);
}

/* One spell in a hundred is seen by luck; high trust is not. */
TEST(a_rare_idle_spell_never_makes_a_half_the_whole)
{
    for (size_t i = 0; i < CORE_SIZES; i += WIDE_STEP) {
        struct record *record =
            measured(ISO, 0, (struct core){.entries = core_sizes[i], .busy = 0.97}, i + 1);
        const struct answer *idle = entries_in(record, STATE_IDLE);
        if (idle && idle->trust == TRUST_HIGH)
            assert_int_equal(idle->value.integer, core_sizes[i]);
        record_free(record);
    }
}

/* In a guest the published size proves the whole unless the vendor has a core with twice as many
 * (Skylake's 56 of Golden Cove's 112). Where no other chain overlaps less is trusted: multiplications fill
 * the scheduler of their only port; roots wait for a divider that is not pipelined. */
TEST(published_sizes_are_confirmed)
{
    static const unsigned apart[] = {0, 1 << CHAIN_WHOLE_PRODUCTS, 1 << CHAIN_ROOTS,
                                     1 << CHAIN_WHOLE_PRODUCTS | 1 << CHAIN_QUOTIENTS,
                                     1 << CHAIN_ROOTS | 1 << CHAIN_QUOTIENTS};
    for (size_t i = 0; i < CORE_PUBLISHED; i += STEP) {
        struct core of = core_published[i];
        expect(NOPS, 20, of, 1, of.entries, TRUST_HIGH);
        of.hypervisor = "KVM";
        expect(ISO, ROUNDS, of, 1, of.entries, of.entries == 56 ? TRUST_MEDIUM : TRUST_HIGH);
        of.hypervisor = NULL;
        of.apart = apart[i];
        struct record *record = measured(ISO, ROUNDS, of, 1);
        const struct answer *idle = entries_in(record, STATE_IDLE);
        assert_true(idle->value.integer == (int64_t)of.entries && idle->trust == TRUST_HIGH);
        assert_int_equal((int)cell_number(&idle->published.value), of.entries);
        record_free(record);
        of.apart = ~(1u << CHAIN_ROOTS);
        expect(ISO, ROUNDS, of, 1, of.entries, TRUST_MEDIUM);
    }
}

/* High trust alone does not end a run: a busy sibling would not be seen. */
TEST(a_run_gives_a_busy_sibling_time_to_come)
{
    struct record *record = measured(ISO, 0, core_published[2], 1);
    assert_int_equal(entries_in(record, STATE_IDLE)->trust, TRUST_HIGH);
    assert_true(sim.now_s >= 0.4 && sim.now_s < 0.5);
    record_free(record);
}

TEST(a_guest_that_shows_a_smaller_core_is_found_out)
{
    struct core of = core_published[1];
    of.hypervisor = "KVM";
    of.entries = 112;
    of.busy = 0.6;
    expect(ISO, 0, of, 1, 112, TRUST_HIGH);
}

/* The certain size of this core was not seen, only its half: no idle answer. */
TEST(a_sibling_that_is_always_busy_leaves_the_half)
{
    for (size_t i = 0; i < 2; i += STEP) {
        struct core of = core_published[i];
        of.busy = 1;
        struct record *record = measured(ISO, 0, of, 1);
        const struct answer *idle = entries_in(record, STATE_IDLE);
        assert_int_equal(entries_in(record, STATE_ACTIVE)->value.integer, of.entries / 2);
        assert_true(idle == NULL || idle->trust == TRUST_LOW);
        record_free(record);
    }
}

/* No step: drains that hide every step, and interruptions at nearly every point. */
TEST(what_has_no_step_is_an_answer_without_trust)
{
    static const struct core rows[] = {
        {.entries = 100000}, {.entries = 64, .slope = 30}, {.entries = 64, .interrupted = 0.9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct record *record = measured(ISO, 0, rows[i], 1);
        assert_true(record->answers.count > 0);
        for (size_t a = 0; a < record->answers.count; a++)
            assert_int_equal(record->answers.of[a].trust, TRUST_LOW);
        record_free(record);
    }
    expect(NOPS, 20, (struct core){.entries = 64, .drains = true}, 1, 0, TRUST_LOW);
}

TEST(nops_find_64_in_the_curve_of_zen_4)
{
    struct core genoa = core_published[2];
    genoa.as_published = true;
    for (unsigned seed = 1; seed <= (TEST_SLOW ? 4 : 20); seed++)
        expect(NOPS, 20, genoa, seed, 64, TRUST_HIGH);
}
