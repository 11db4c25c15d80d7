/* SPDX-License-Identifier: MIT */
#include "cli/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "output/destination.h"
#include "uarchprobe/clock.h"

/* `timeout` signals its child, and at once the whole group: the child gets two of a kind that are one. */
static const uint64_t ONE_SIGNAL_NS = 100000000;

/* A handler is given no context, so these must be global. */
static volatile sig_atomic_t caught;
static _Atomic uint64_t caught_ns;

static void end_process(int number)
{
    destination_abandon();
    signal(number, SIG_DFL);
    raise(number);
}

/* The kernel signals the limit of CPU time again each second: no second signal of a user. */
static void note(int number)
{
    const uint64_t now_ns = clock_now_ns();
    const bool same = number == caught && now_ns - caught_ns < ONE_SIGNAL_NS;
    if (caught && !same && number != SIGXCPU)
        end_process(number);
    if (!caught) {
        caught_ns = now_ns;
        caught = number;
    }
    destination_hurry();
}

/* System calls that wait are interrupted. */
static void watch(int number, void (*handler)(int))
{
    struct sigaction old, action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

static const int noted[] = {SIGINT,  SIGTERM,   SIGHUP,  SIGXCPU, SIGALRM,
                            SIGPROF, SIGVTALRM, SIGUSR1, SIGUSR2, 0};
/* Of a fault, or asking for a core. */
static const int fatal[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGTRAP, 0};
/* The write that they announce fails, and reports it. */
static const int ignored[] = {SIGPIPE, SIGXFSZ, 0};

/* `ulimit -t` sets both limits, and at the hard one the kernel kills without a signal before: SIGXCPU comes a little
 * earlier, so that what was measured is written and nothing unfinished stays. */
static void ask_before_killed(void)
{
    struct rlimit cpu;
    if (getrlimit(RLIMIT_CPU, &cpu) != 0 || cpu.rlim_max == RLIM_INFINITY || cpu.rlim_cur < cpu.rlim_max)
        return;
    const rlim_t margin = 1 + cpu.rlim_max / 20;
    if (cpu.rlim_max <= margin)
        return;
    cpu.rlim_cur = cpu.rlim_max - margin;
    setrlimit(RLIMIT_CPU, &cpu);
}

void interrupt_watch(void)
{
    caught = 0;
    ask_before_killed();
    for (const int *number = noted; *number; number++)
        watch(*number, note);
    for (const int *number = fatal; *number; number++)
        watch(*number, end_process);
    for (const int *number = ignored; *number; number++)
        signal(*number, SIG_IGN);
}

bool interrupted(void *context)
{
    return caught != 0;
}

int interrupt_signal(void)
{
    return caught;
}

/* The file opened in place of a closed stream refuses as that does: reading from the first, writing to the others. */
void streams_open(void)
{
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0)
            (void)open("/dev/null", descriptor ? O_RDONLY : O_WRONLY);
    }
}

/* A full disk shows here at the latest. A stream closed from the start (EBADF) is an error only after a write. */
int streams_close(int code, struct fault *fault)
{
    bool failed = ferror(stdout) || fflush(stdout) != 0;
    int reason = errno;
    if (!failed && fclose(stdout) != 0 && errno != EBADF) {
        failed = true;
        reason = errno;
    }
    if (!failed || code != STATUS_OK)
        return code;
    return fault_set(fault, STATUS_FAILED, "cannot write to standard output: %s",
                     reason ? strerror(reason) : "write error");
}
