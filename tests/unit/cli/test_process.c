/* SPDX-License-Identifier: MIT */
#include "cli/process.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "uarchprobe/pin.h"

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
            while (interrupt_since_s() * 1e6 < pause_us) /* the first one goes on interrupting sleeps */
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
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        assert_int_equal(wait_status(signals[i], 0, 0, SIG_DFL), 0);
}

/* Nobody writes to the pipe, and the signal comes before the read. */
TEST(a_wait_that_begins_after_the_signal_ends)
{
    int status = 0, ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        char byte;
        interrupt_watch();
        raise(SIGTERM);
        _exit(read(ends[0], &byte, 1) >= 0);
    }
    for (int waits = 0; waits < 1000 && waitpid(child, &status, WNOHANG) == 0; waits++)
        usleep(10000);
    kill(child, SIGKILL); /* no child any more, or one that hangs */
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(ends[0]);
    close(ends[1]);
}

TEST(a_program_is_not_started_after_a_signal)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        char name[] = "true", *words[] = {name, NULL};
        struct fault fault = {0};
        const int cpu = sched_getcpu();
        interrupt_watch();
        raise(SIGQUIT);
        _exit(process_run(words, &cpu, 1, &fault).code);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGQUIT);
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

static struct ended run_script(char *script)
{
    char sh[] = "sh", option[] = "-c", *words[] = {sh, option, script, NULL};
    const int cpu = sched_getcpu();
    struct fault fault = {0};
    const struct ended ended = process_run(words, &cpu, 1, &fault);
    assert_int_equal(fault.status, STATUS_OK);
    assert_true(ended.seconds > 0 && !(ended.cpu_share < 0 || ended.cpu_share > 1));
    return ended;
}

/* How a shell ends that runs this script. */
static int code_of(char *script)
{
    return run_script(script).code;
}

TEST(a_program_keeps_its_exit_code)
{
    assert_int_equal(code_of((char[]){"exit 0"}), 0);
    assert_int_equal(code_of((char[]){"exit 77"}), 77);
    assert_int_equal(code_of((char[]){"kill -9 $$"}), 128 + 9);
    assert_int_equal(code_of((char[]){"kill -PIPE $$"}),
                     128 + 13); /* which this process ignores, as it may watch */
}

static void assert_cannot_run(char *word, int code)
{
    char *words[] = {word, NULL};
    const int cpu = sched_getcpu();
    struct fault fault = {0};
    const int got = process_run(words, &cpu, 1, &fault).code;
    /* Under qemu it fails in the child, whose exit code is always that of a missing program. */
    assert_true(got == code || (TEST_SLOW && got == 127));
    assert_true(TEST_SLOW || strstr(fault.text, word));
}

TEST(a_program_that_cannot_run_is_named)
{
    assert_cannot_run((char[]){"/nonexistent/program"}, 127);
    assert_cannot_run((char[]){"/dev/null"}, 126);
}

/* A signal for this process alone is the program's, and ends the wait for it only through the program. */
TEST(signals_are_sent_on)
{
    char script[128];
    snprintf(script, sizeof script, "trap 'exit 7' TERM; kill -TERM %d; while :; do sleep 0.01; done",
             (int)getpid());
    assert_int_equal(code_of(script), 7);
    snprintf(script, sizeof script, "kill -TERM %d; exec sleep 60", (int)getpid());
    assert_int_equal(code_of(script), 128 + 15);
}

TEST(a_program_runs_on_the_cpus_of_the_run)
{
    struct fault fault = {0};
    const int cpu = sched_getcpu();
    if (pin_self(cpu, &fault) != STATUS_OK)
        SKIP_BECAUSE("cannot pin");
    pin_release(&cpu, 1);
    assert_int_equal(pin_wanted(), -1);
    assert_int_equal(code_of((char[]){"exit 3"}), 3);
}

/* The shell waits for what it starts, which works beside a busy loop on its CPU. */
TEST(a_loop_beside_a_program_takes_a_share_of_its_cpu)
{
    static char script[] = "(i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done); exit 4";
    struct fault fault = {0};
    const int cpu = sched_getcpu();
    if (TEST_SLOW || access("/proc/self/schedstat", R_OK) != 0 || pin_self(cpu, &fault) != STATUS_OK)
        SKIP_BECAUSE("no own CPU, or the kernel does not show how long threads wait");
    const pid_t loop = fork();
    if (loop == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            getppid();
    }
    const struct ended ended = run_script(script);
    kill(loop, SIGKILL);
    waitpid(loop, NULL, 0);
    pin_release(&cpu, 1);
    assert_int_equal(ended.code, 4);
    assert_true(ended.cpu_share < 0.9);
}
