/* SPDX-License-Identifier: MIT */
#include "uarchprobe/crash.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* STACK_BYTES: more than the registers of any CPU that a signal saves, which are 11 KiB with AMX. */
enum { STACK_BYTES = 64 * 1024 };

static const struct {
    int number;
    const char *name;
} faults[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"}};
enum { FAULTS = sizeof faults / sizeof *faults };

/* The linker puts these at both ends of the program. */
extern const char __executable_start[], etext[];

/* A handler is given no context. */
static void (*before_end)(void);

static uintptr_t instruction_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)context->uc_mcontext.pc;
#endif
}

struct line {
    char text[256];
    size_t length;
};

static void add(struct line *line, const char *text)
{
    const size_t length = strlen(text);
    if (line->length + length > sizeof line->text)
        return;
    memcpy(line->text + line->length, text, length);
    line->length += length;
}

/* printf is not safe in a signal handler. */
static void add_address(struct line *line, uintptr_t address)
{
    char digits[2 * sizeof address + 3] = "", *at = digits + sizeof digits - 1;
    do
        *--at = "0123456789abcdef"[address % 16];
    while ((address /= 16) > 0);
    *--at = 'x';
    *--at = '0';
    add(line, at);
}

static void report(const char *name, uintptr_t address, uintptr_t instruction)
{
    const uintptr_t begin = (uintptr_t)__executable_start, end = (uintptr_t)etext;
    struct line line = {.length = 0};
    add(&line, "uarchprobe: ");
    add(&line, name);
    add(&line, " at address ");
    add_address(&line, address);
    add(&line, " by the instruction ");
    if (instruction >= begin && instruction < end) {
        add(&line, "uarchprobe+");
        add_address(&line, instruction - begin);
    } else {
        add_address(&line, instruction);
        add(&line, " outside of the program");
    }
    add(&line, ": please report this line with the output of `uarchprobe info`\n");
    if (write(STDERR_FILENO, line.text, line.length) < 0)
        return;
}

/* A signal that another process sent has no address. */
static void end_by(int number, siginfo_t *info, void *context)
{
    for (int i = 0; i < FAULTS && info->si_code > 0; i++)
        if (faults[i].number == number)
            report(faults[i].name, (uintptr_t)info->si_addr, instruction_of(context));
    before_end();
    signal(number, SIG_DFL);
    raise(number);
}

void crash_stack(void)
{
    static _Thread_local unsigned char bytes[STACK_BYTES];
    stack_t present;
    if (sigaltstack(NULL, &present) == 0 && present.ss_flags & SS_DISABLE)
        sigaltstack(&(stack_t){.ss_sp = bytes, .ss_size = sizeof bytes}, NULL);
}

void crash_watch(void (*before)(void))
{
    struct sigaction present, action = {.sa_sigaction = end_by, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    before_end = before;
    crash_stack();
    for (int i = 0; i < FAULTS; i++)
        if (sigaction(faults[i].number, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO) &&
            present.sa_handler == SIG_DFL)
            sigaction(faults[i].number, &action, NULL);
}
