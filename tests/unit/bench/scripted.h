/* SPDX-License-Identifier: MIT */
/* Time that a test has written down, in place of the machine's: kernels of the test take as long as it
 * says, and its clock shows that and nothing else. So the true value of a sample is known, and a factor in
 * the code under test that is wrong shows. Programs that include this are linked so that the functions
 * below replace those of the same name (tests/CMakeLists.txt). */
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "uarchprobe/clock.h"
#include "uarchprobe/experiment.h"
#include "uarchprobe/kernel.h"

/* Two ticks are a nanosecond. */
static const struct clock scripted_clock = {
    .source = "script", .ns_per_tick = 0.5, .resolution_ns = 0.5, .overhead_ns = 10};

enum { SCRIPTED_KERNELS = 8 };
static struct {
    pthread_t thread; /* that takes time; others take none, unless `is_of_all` */
    bool is_of_all;
    atomic_ullong ticks;
    uint64_t reading; /* ticks that a reading of the clock takes */
    uint64_t call;    /* ticks that munmap, mprotect and sched_yield take; 0: they are made, and take none */
    bool is_ns;       /* clock_now_ns shows the script, too */
    void (*look)(void);                            /* called by each look at that, if there is one */
    const struct kernel *kernel[SCRIPTED_KERNELS]; /* alone of their operations; NULL ends them */
    /* In place of experiment_run, if there is one. */
    void (*run)(const struct experiment *experiments, size_t count, struct run *run);
} scripted;

static inline void script_begin(void)
{
    memset(&scripted, 0, sizeof scripted);
    scripted.thread = pthread_self();
}

static inline bool is_of_script(void)
{
    return scripted.is_of_all || pthread_equal(pthread_self(), scripted.thread);
}

static inline void script_pass(uint64_t ticks)
{
    if (is_of_script())
        atomic_fetch_add(&scripted.ticks, ticks);
}

uint64_t __wrap_clock_ticks(void);
uint64_t __wrap_clock_ticks(void)
{
    return atomic_fetch_add(&scripted.ticks, scripted.reading) + scripted.reading;
}

uint64_t __real_clock_now_ns(void);
uint64_t __wrap_clock_now_ns(void);
uint64_t __wrap_clock_now_ns(void)
{
    if (scripted.look)
        scripted.look();
    return scripted.is_ns ? atomic_load(&scripted.ticks) / 2 : __real_clock_now_ns();
}

const struct kernel *__real_kernel_next(const struct kernel_filter *filter, enum operation operation,
                                        const struct kernel *previous);
const struct kernel *__wrap_kernel_next(const struct kernel_filter *filter, enum operation operation,
                                        const struct kernel *previous);
const struct kernel *__wrap_kernel_next(const struct kernel_filter *filter, enum operation operation,
                                        const struct kernel *previous)
{
    for (const struct kernel *const *kernel = scripted.kernel; *kernel; kernel++)
        if ((*kernel)->operation == operation)
            return previous ? NULL : *kernel;
    return __real_kernel_next(filter, operation, previous);
}

static inline bool script_call(void)
{
    script_pass(scripted.call);
    return scripted.call > 0 && is_of_script();
}

int __real_sched_yield(void);
int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
    return script_call() ? 0 : __real_sched_yield();
}

int __real_munmap(void *data, size_t bytes);
int __wrap_munmap(void *data, size_t bytes);
int __wrap_munmap(void *data, size_t bytes)
{
    script_call();
    return __real_munmap(data, bytes);
}

int __real_mprotect(void *data, size_t bytes, int protection);
int __wrap_mprotect(void *data, size_t bytes, int protection);
int __wrap_mprotect(void *data, size_t bytes, int protection)
{
    script_call();
    return __real_mprotect(data, bytes, protection);
}

/* Whether another process took the CPU does not matter to a script. */
uint64_t __wrap_pin_involuntary_switches(void);
uint64_t __wrap_pin_involuntary_switches(void)
{
    return 0;
}

enum status __real_experiment_run(const struct experiment *experiments, size_t count, struct run *run,
                                  void *own, struct fault *fault);
enum status __wrap_experiment_run(const struct experiment *experiments, size_t count, struct run *run,
                                  void *own, struct fault *fault);
enum status __wrap_experiment_run(const struct experiment *experiments, size_t count, struct run *run,
                                  void *own, struct fault *fault)
{
    if (!scripted.run)
        return __real_experiment_run(experiments, count, run, own, fault);
    scripted.run(experiments, count, run);
    return STATUS_OK;
}
