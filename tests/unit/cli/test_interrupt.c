/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"

/* Each case runs in a child, because a signal may end it. */
static int wait_status(void (*body)(void))
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        body();
        _exit(99);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void note_one(int number)
{
    signal(number, SIG_DFL);
    interrupt_watch();
    if (interrupted(NULL) || interrupt_signal() != 0)
        _exit(1);
    raise(number);
    _exit(interrupted(NULL) && interrupt_signal() == number ? 0 : 2);
}

static void note_int(void)
{
    note_one(SIGINT);
}

static void note_term(void)
{
    note_one(SIGTERM);
}

static void int_then_term(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    interrupt_watch();
    raise(SIGINT);
    raise(SIGTERM);
}

static void term_twice(void)
{
    signal(SIGTERM, SIG_DFL);
    interrupt_watch();
    raise(SIGTERM);
    raise(SIGTERM);
    _exit(interrupt_signal() == SIGTERM ? 0 : 2);
}

static void term_and_again(void)
{
    signal(SIGTERM, SIG_DFL);
    interrupt_watch();
    raise(SIGTERM);
    usleep(200000);
    raise(SIGTERM);
}

static void ignored_before(void)
{
    signal(SIGINT, SIG_IGN);
    interrupt_watch();
    raise(SIGINT);
    _exit(interrupted(NULL) ? 2 : 0);
}

TEST(the_first_signal_is_noted)
{
    assert_int_equal(wait_status(note_int), 0);
    assert_int_equal(wait_status(note_term), 0);
}

TEST(the_second_signal_ends_the_process)
{
    int status = wait_status(int_then_term);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    status = wait_status(term_and_again);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* Unless the child is away for the time in between, which only ends it earlier. */
TEST(two_of_a_kind_at_once_are_one)
{
    int status = -1;
    for (int i = 0; i < 8 && status != 0; i++)
        status = wait_status(term_twice);
    assert_int_equal(status, 0);
}

TEST(an_ignored_signal_stays_ignored)
{
    assert_int_equal(wait_status(ignored_before), 0);
}
