/* SPDX-License-Identifier: MIT */
#include "cli/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* How a child ends that watches, then raises first and, where there is a second signal, that after so many microseconds: its wait status.
 * It exits with 0 where the first signal was noted and with 1 where nothing was. */
static int wait_status(int first, int second, int pause_us, void (*before)(int))
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        signal(first, before);
        signal(SIGTERM, SIG_DFL);
        interrupt_watch();
        if (interrupted(NULL) || interrupt_signal() != 0)
            _exit(2);
        raise(first);
        if (second) {
            usleep((useconds_t)pause_us);
            raise(second);
        }
        _exit(!(interrupted(NULL) && interrupt_signal() == first));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

TEST(the_first_signal_is_noted)
{
    assert_int_equal(wait_status(SIGINT, 0, 0, SIG_DFL), 0);
    assert_int_equal(wait_status(SIGTERM, 0, 0, SIG_DFL), 0);
}

TEST(the_second_signal_ends_the_process)
{
    int status = wait_status(SIGINT, SIGTERM, 0, SIG_DFL);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    status = wait_status(SIGTERM, SIGTERM, 200000, SIG_DFL);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

/* A child without its CPU in between only ends earlier. */
TEST(two_of_a_kind_at_once_are_one)
{
    int status = -1;
    for (int i = 0; i < 8 && status != 0; i++)
        status = wait_status(SIGTERM, SIGTERM, 0, SIG_DFL);
    assert_int_equal(status, 0);
}

TEST(an_ignored_signal_stays_ignored)
{
    const int status = wait_status(SIGINT, 0, 0, SIG_IGN);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}
