/* SPDX-License-Identifier: MIT */
#include "uarchprobe/crash.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "uarchprobe/pin.h"

extern const char __executable_start[];

static volatile char *forbidden; /* no access is allowed */

static void touch(void *context, int member)
{
    forbidden[8] = 1;
}

static int overflow(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

static void recurse(void *context, int member)
{
    overflow(0);
}

static void do_nothing(void)
{
}

static void say_last(void)
{
    if (write(STDERR_FILENO, "LAST\n", 5) < 0)
        return;
}

static void crash(team_task *fault, bool in_thread)
{
    struct fault ignored = {0};
    const int cpu = sched_getcpu();
    struct team *team = in_thread ? team_new(&cpu, 1, &ignored) : NULL;
    if (team)
        team_run(team, NULL, 1, fault, NULL, 30);
    else
        fault(NULL, 0);
}

/* What a child prints on standard error; it must end by SIGSEGV. fault NULL: it sends the signal itself. */
static const char *said(team_task *fault, bool in_thread, void (*before)(void))
{
    static char text[1024];
    int ends[2], status = 0;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGSEGV, SIG_DFL);
        crash_watch(before);
        if (fault)
            crash(fault, in_thread);
        else
            raise(SIGSEGV);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got = 1; got > 0; length += got > 0 ? (size_t)got : 0)
        got = read(ends[0], text + length, sizeof text - 1 - length);
    close(ends[0]);
    text[length] = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
    return text;
}

/* Between the process's last action and the signal that ends it there is one line. */
TEST(a_fault_says_where_it_was)
{
    forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int in_thread = 0; in_thread < 2; in_thread++) {
        const char *text = said(touch, in_thread, say_last);
        const char *address = strstr(text, "0x"), *instruction = address ? strstr(address + 2, "+0x") : NULL;
        assert_has(text, "SIGSEGV");
        assert_non_null(instruction);
        assert_int_equal(strtoull(address, NULL, 16), (uintptr_t)forbidden + 8);
        const uintptr_t begin = (uintptr_t)touch - (uintptr_t)__executable_start;
        assert_in_range(strtoull(instruction + 1, NULL, 16), begin, begin + 512);
        assert_string_equal(strchr(text, '\n') + 1, "LAST\n");
    }
    munmap((void *)forbidden, 4096);
}

TEST(an_overflowed_stack_says_so_too)
{
    for (int in_thread = 0; in_thread < 2; in_thread++)
        assert_has(said(recurse, in_thread, do_nothing), "SIGSEGV");
}

TEST(a_signal_of_another_process_is_no_fault)
{
    assert_string_equal(said(NULL, false, say_last), "LAST\n");
}

static void tell(int number)
{
    _exit(7);
}

/* Such as a sanitizer's. */
TEST(a_handler_that_is_there_stays)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGBUS, tell);
        crash_watch(do_nothing);
        raise(SIGBUS);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}
