/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "uarchprobe/clock.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/topology.h"

enum { MEMBERS = 4, RUNS = 50 };

struct tally {
    atomic_int runs[MEMBERS];
    int cpu[MEMBERS];
    atomic_int wrong_cpu;
};

/* Makes four members on any number of CPUs, so more threads than CPUs are a case. NULL: they did not start in time. */
static struct team *try_team(struct tally *tally)
{
    struct fault fault = {0};
    struct topology *topology = topology_load(&fault);
    assert_non_null(topology);
    for (int i = 0; i < MEMBERS; i++)
        tally->cpu[i] = topology->place[i % topology->place_count].id;
    topology_free(topology);
    return team_new(tally->cpu, MEMBERS, &fault);
}

static struct team *make_team(struct tally *tally)
{
    struct team *team = try_team(tally);
    assert_non_null(team);
    return team;
}

static void count_run(void *context, int member)
{
    struct tally *tally = context;
    atomic_fetch_add(&tally->runs[member], 1);
    if (sched_getcpu() != tally->cpu[member])
        atomic_fetch_add(&tally->wrong_cpu, 1);
}

/* Asks all members, the first ones, or a given set. */
TEST(test_the_asked_members_run)
{
    struct tally tally = {0};
    struct team *team = make_team(&tally);
    for (int i = 0; i < RUNS; i++)
        assert_true(team_run(team, NULL, MEMBERS, count_run, &tally, 30));
    for (int members = 1; members <= MEMBERS; members++)
        assert_true(team_run(team, NULL, members, count_run, &tally, 30));
    for (int i = 0; i < MEMBERS; i++)
        assert_int_equal(tally.runs[i], RUNS + MEMBERS - i);
    for (int a = 0; a < MEMBERS; a++)
        for (int b = a + 1; b < MEMBERS; b++)
            assert_true(team_run(team, (const int[]){b, a}, 2, count_run, &tally, 30));
    for (int i = 0; i < MEMBERS; i++)
        assert_int_equal(tally.runs[i], RUNS + MEMBERS - i + MEMBERS - 1);
    assert_int_equal(tally.wrong_cpu, 0);
    team_free(team);
}

/* Member 1 never comes back: it counts for ever, or waits in a system call. */
static void get_stuck(void *context, int member)
{
    atomic_uint *count = context;
    while (member == 1) {
        atomic_fetch_add(count, 1);
        if (atomic_load(count) % 2)
            usleep(1000);
    }
}

/* Nothing may count any more: what the tasks used is free. */
static void expect_stopped(struct team *team, const atomic_uint *count)
{
    const unsigned before = atomic_load(count);
    struct tally tally = {0};
    usleep(50000);
    assert_int_equal(atomic_load(count), before);
    assert_false(team_run(team, NULL, 1, count_run, &tally, 0)); /* at once, and without doing it */
    assert_int_equal(atomic_load(&tally.runs[0]), 0);
    team_free(team); /* the test passes if this returns */
}

static double seconds_since(uint64_t begin_ns)
{
    return (double)(clock_now_ns() - begin_ns) * 1e-9;
}

TEST(test_a_stuck_member_is_stopped)
{
    struct tally tally = {0};
    atomic_uint count = 0;
    struct team *team = make_team(&tally);
    team_begin(team, NULL, 2, get_stuck, &count);
    assert_false(team_wait(team, 0.05));
    assert_false(team_end(team, 0));
    expect_stopped(team, &count);
}

static void *send_signal(void *unused)
{
    usleep(20000);
    interrupt_note(15);
    return NULL;
}

TEST(test_a_signal_ends_a_long_wait)
{
    struct tally tally = {0};
    atomic_uint count = 0;
    pthread_t sender;
    struct team *team = make_team(&tally);
    const uint64_t begin_ns = clock_now_ns();
    assert_int_equal(pthread_create(&sender, NULL, send_signal, NULL), 0);
    assert_false(team_run(team, NULL, 2, get_stuck, &count, 3600));
    assert_true(seconds_since(begin_ns) < 60);
    expect_stopped(team, &count);
    pthread_join(sender, NULL);
    /* Members that come in time are waited for all the same. Next to other work a team may be late, but
     * not each. */
    bool came = false;
    for (int tries = 0; tries < 20 && !came; tries++) {
        team = try_team(&tally);
        came = team && team_run(team, NULL, MEMBERS, count_run, &tally, 3600);
        team_free(team);
    }
    interrupt_forget();
    assert_true(came);
}

static atomic_bool done, alone;

/* Runs on any CPU, longer than the owner waits before it checks where the members are. */
static void stray(void *context, int member)
{
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    atomic_store(&alone, sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) == 1);
    usleep(atomic_load(&alone) ? 0 : 1200000);
    atomic_store(&done, true);
}

TEST(test_strayed_member_is_waited_for)
{
    struct tally tally;
    struct team *team = make_team(&tally);
    assert_true(team_run(team, NULL, 1, stray, NULL, 60));
    assert_true(atomic_load(&done));
    assert_true(teams_check(&(struct fault){0}) != STATUS_OK || atomic_load(&alone));
    team_free(team);
    assert_int_equal(teams_check(&(struct fault){0}), STATUS_OK);
}

TEST(test_impossible_cpu_is_a_fault)
{
    struct fault fault = {0};
    const int here = sched_getcpu();
    assert_null(team_new((const int[]){here, 100000}, 2, &fault));
    assert_int_equal(fault.status, STATUS_NO_RESOURCE);
    team_free(NULL);
}
