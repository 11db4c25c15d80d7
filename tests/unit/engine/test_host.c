/* SPDX-License-Identifier: MIT */
/* The threads of a bench that samples itself. */
#include "test.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "uarchprobe/engine.h"
#include "uarchprobe/interrupt.h"

static struct fault fault;
static struct engine_host host;
static atomic_uint done; /* a bit for each member */

static int begin(void **state)
{
    const int here = sched_getcpu(), cpu[] = {here, here, here};
    fault = (struct fault){0};
    host = (struct engine_host){0};
    atomic_store(&done, 0);
    return engine_host_start(&host, cpu, 3, &fault) == STATUS_OK ? 0 : -1;
}

static int end(void **state)
{
    engine_host_end(&host);
    interrupt_forget();
    return 0;
}
AROUND_EACH(begin, end)

static void note(void *context, int member)
{
    atomic_fetch_or(&done, 1u << member);
}

TEST(the_members_that_are_asked_do_the_task)
{
    assert_true(engine_host_together(&host, NULL, 2, note, NULL, 60, &fault));
    assert_int_equal(atomic_load(&done), 1 | 2);
    assert_true(engine_host_together(&host, (const int[]){2}, 1, note, NULL, 60, &fault));
    assert_int_equal(atomic_load(&done), 1 | 2 | 4);
    assert_int_equal(fault.status, STATUS_OK);
}

static void never_end(void *context, int member)
{
    if (member == 0)
        interrupt_note(15);
    for (;;)
        usleep(1000);
}

/* A run that a signal ends has its values so far, and no fault. */
TEST(a_signal_is_no_fault)
{
    assert_false(engine_host_together(&host, NULL, 2, never_end, NULL, 600, &fault));
    assert_int_equal(fault.status, STATUS_OK);
}

static void hang(void *context, int member)
{
    while (member == 1)
        usleep(1000);
}

/* A task that is planned to take no time has five seconds for all that. */
TEST(who_does_not_come_back_is_a_fault)
{
    assert_false(engine_host_together(&host, NULL, 2, hang, NULL, 0, &fault));
    assert_int_equal(fault.status, STATUS_FAILED);
}
