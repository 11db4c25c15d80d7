/* SPDX-License-Identifier: MIT */
#include "cli/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "output/destination.h"
#include "uarchprobe/clock.h"
#include "uarchprobe/crash.h"
#include "uarchprobe/interrupt.h"
#include "uarchprobe/own_time.h"
#include "uarchprobe/pin.h"

/* `timeout` signals its child, and at once the whole group: the child gets two of a kind that are one. */
static const double ONE_SIGNAL_S = 0.1;

/* Once a signal came, this one interrupts a system call that waits, again and again: the first may have come
 * just before the call. */
enum { TICK_SIGNAL = SIGIO };
static const struct timespec TICK = {.tv_nsec = 50000000};

/* A handler is given no context, so these must be global. */
static timer_t ticker;
static volatile sig_atomic_t has_ticker;

static void end_process(int number)
{
    destination_abandon();
    signal(number, SIG_DFL);
    raise(number);
}

/* The kernel signals the limit of CPU time again each second: no second signal of a user. */
static void note(int number)
{
    const bool same = number == interrupt_signal() && interrupt_since_s() < ONE_SIGNAL_S;
    if (interrupt_came() && !same && number != SIGXCPU)
        end_process(number);
    interrupt_note(number);
    if (has_ticker)
        timer_settime(ticker, 0, &(struct itimerspec){TICK, TICK}, NULL);
    destination_hurry();
}

static void tick(int number)
{
}

/* System calls that wait are interrupted. */
static void watch(int number, void (*handler)(int))
{
    struct sigaction old, action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

static const int noted[] = {SIGINT,  SIGTERM,   SIGHUP,  SIGQUIT, SIGXCPU, SIGALRM,
                            SIGPROF, SIGVTALRM, SIGUSR1, SIGUSR2, 0};
/* Of a fault; crash_watch has those of an instruction. */
static const int fatal[] = {SIGABRT, SIGSYS, SIGTRAP, 0};
/* The write that they announce fails, and reports it. */
static const int ignored[] = {SIGPIPE, SIGXFSZ, 0};

/* `ulimit -t` sets both limits, and at the hard one the kernel kills without a signal before: SIGXCPU
 * comes a little earlier, so that what was measured is written and nothing unfinished stays. */
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
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = TICK_SIGNAL};
    interrupt_forget();
    ask_before_killed();
    if (!has_ticker)
        has_ticker = timer_create(CLOCK_MONOTONIC, &event, &ticker) == 0;
    sigaction(TICK_SIGNAL, &(struct sigaction){.sa_handler = tick}, NULL);
    for (const int *number = noted; *number; number++)
        watch(*number, note);
    for (const int *number = fatal; *number; number++)
        watch(*number, end_process);
    crash_watch(destination_abandon);
    for (const int *number = ignored; *number; number++)
        signal(*number, SIG_IGN);
}

bool interrupted(void *context)
{
    return interrupt_came();
}

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, 0};

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* Until the child ends; the sender of a signal from a terminal has sent it to the child, too. The last look
 * is at a child that has ended and is not forgotten yet. */
static int wait_for(pid_t child, const sigset_t *awaited, struct program_time *time)
{
    int status = 0;
    siginfo_t from, ended = {0};
    struct rusage usage = {0};
    const uint64_t begin_ns = clock_now_ns();
    struct program_watch *watch = program_watch_new(child);
    double pause_s = program_watch_look(watch);
    while (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
        const struct timespec pause = {(time_t)pause_s, (long)(fmod(pause_s, 1) * 1e9)};
        if (sigtimedwait(awaited, &from, &pause) < 0)
            pause_s = program_watch_look(watch);
        else if (from.si_signo != SIGCHLD && from.si_code != SI_KERNEL)
            kill(child, from.si_signo);
    }
    time->wall_s = (double)(clock_now_ns() - begin_ns) * 1e-9;
    program_watch_look(watch);
    wait4(child, &status, 0, &usage);
    time->cpu_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    program_watch_end(watch, time);
    return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

struct ended process_run(char *const *words, const int *cpu, int cpus, struct fault *fault)
{
    sigset_t awaited, mask, plain;
    struct program_time time = {.cpus = cpus};
    posix_spawnattr_t as_found;
    pid_t child;
    sigemptyset(&plain);
    for (const int *number = ignored; *number; number++)
        sigaddset(&plain, *number);
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    for (const int *number = passed_on; *number; number++)
        sigaddset(&awaited, *number);
    signal(SIGCHLD, SIG_DFL); /* else nothing is left to wait for */
    sigprocmask(SIG_BLOCK, &awaited, &mask);
    posix_spawnattr_init(&as_found);
    posix_spawnattr_setflags(&as_found, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&as_found, &mask);
    posix_spawnattr_setsigdefault(&as_found, &plain);
    pin_release(cpu, cpus);
    const uint64_t begin_ns = clock_now_ns();
    /* A signal that came before could no longer be passed on. */
    const int number = interrupt_signal(),
              error = number ? 0 : posix_spawnp(&child, words[0], NULL, &as_found, words, environ);
    posix_spawnattr_destroy(&as_found);
    struct ended ended = {.code = number ? STATUS_SIGNAL + number : error == ENOENT ? 127 : 126};
    if (number)
        fault_set(fault, STATUS_FAILED, "'%s' was not started, as signal %d came before", words[0], number);
    else if (error)
        fault_set(fault, STATUS_FAILED, "cannot run '%s': %s", words[0], strerror(error));
    else
        ended.code = wait_for(child, &awaited, &time);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    ended.seconds = (double)(clock_now_ns() - begin_ns) * 1e-9;
    ended.cpu_share = program_cpu_share(&time);
    return ended;
}

/* The file opened in place of a closed stream refuses as that does: reading from the first, writing to the
 * others. */
void streams_open(void)
{
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0)
            (void)open("/dev/null", descriptor ? O_RDONLY : O_WRONLY);
    }
}

/* A full disk shows here at the latest. A stream closed from the start (EBADF) is an error only after a
 * write. */
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
