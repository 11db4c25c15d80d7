/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uarchprobe/memory.h"
#include "uarchprobe/topology.h"

enum { MIB = 1024 * 1024 };

static struct memory mapped(uint64_t bytes, enum page_kind pages)
{
    const struct memory_request request = {.bytes = bytes, .pages = pages, .node = -1};
    struct fault fault = {0};
    struct memory memory;
    assert_int_equal(memory_map(&memory, &request, &fault), STATUS_OK);
    assert_true(memory.bytes >= bytes);
    assert_int_equal((uintptr_t)memory.data % (2 * MIB), 0);
    return memory;
}

TEST(test_content_is_never_zero_and_follows_seed_and_offset)
{
    struct memory first = mapped(MIB + 5, PAGES_AUTO), second = mapped(MIB + 5, PAGES_AUTO);
    struct fault fault = {0};

    assert_int_equal(memory_touch(&first, 1, &fault), STATUS_OK);
    assert_int_equal(memory_touch(&second, 1, &fault), STATUS_OK);
    assert_memory_equal(first.data, second.data, MIB);
    for (uint64_t i = 0; i < first.bytes; i++)
        assert_true(first.data[i] != 0);
    assert_int_equal(memory_touch(&second, 2, &fault), STATUS_OK);
    assert_true(memcmp(first.data, second.data, MIB) != 0);
    for (uint64_t line = 64; line < MIB; line += 64)
        assert_true(memcmp(first.data, first.data + line, 64) != 0);
    memory_release(&first);
    assert_null(first.data);
    memory_release(&first);
    memory_release(&second);
}

/* Whether reading or writing there kills the process. */
static bool kills(volatile unsigned char *address)
{
    int result = 0;
    const pid_t child = fork();

    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *address = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    return !(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

TEST(test_nothing_is_mapped_around_it)
{
    struct memory memory = mapped(5000, PAGES_4K);

    assert_int_equal(memory.bytes % (uint64_t)sysconf(_SC_PAGESIZE), 0);
    assert_false(kills(memory.data));
    assert_false(kills(memory.data + memory.bytes - 1));
    assert_true(kills(memory.data - 1));
    assert_true(kills(memory.data + memory.bytes));
    memory_release(&memory);
}

/* The kernel chooses the pages; each choice is a page size, whatever the neighbours are. */
TEST(test_page_size_is_known_for_each_buffer)
{
    struct memory base = mapped(8 * MIB, PAGES_4K), automatic = mapped(8 * MIB, PAGES_AUTO);
    struct fault fault = {0};

    assert_int_equal(memory_touch(&base, 1, &fault), STATUS_OK);
    assert_int_equal(memory_touch(&automatic, 1, &fault), STATUS_OK);
    const uint64_t page = memory_page_bytes(&automatic);
    assert_true(page >= (uint64_t)sysconf(_SC_PAGESIZE) && (page & (page - 1)) == 0);
    assert_int_equal(memory_page_bytes(&base), sysconf(_SC_PAGESIZE));
    memory_release(&base);
    memory_release(&automatic);
}

static struct fault refused(struct memory_request request)
{
    struct fault fault = {0};
    struct memory memory;
    assert_int_equal(memory_map(&memory, &request, &fault), STATUS_NO_RESOURCE);
    assert_int_equal(fault.status, STATUS_NO_RESOURCE);
    assert_null(memory.data);
    return fault;
}

TEST(test_what_cannot_be_had_is_refused)
{
    static const uint64_t sizes[] = {0, UINT64_MAX, UINT64_MAX / 8};
    struct fault fault = {0};
    struct topology *topology = topology_load(&fault);

    assert_non_null(topology);
    for (int i = 0; i < 3; i++)
        refused((struct memory_request){.bytes = sizes[i], .node = -1});
    fault = refused((struct memory_request){.bytes = MIB, .node = 1000, .topology = topology});
    assert_has(fault.text, "1000");
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v1", 1); /* huge pages are off */
    refused((struct memory_request){.bytes = MIB, .pages = PAGES_THP, .node = -1});
    unsetenv("UARCHPROBE_SYSROOT");
    topology_free(topology);
}

TEST(test_forced_pages_come_or_are_refused)
{
    static const enum page_kind kinds[] = {PAGES_2M, PAGES_1G};

    for (int i = 0; i < 2; i++) {
        struct fault fault = {0};
        struct memory memory;
        const struct memory_request request = {.bytes = 4096, .pages = kinds[i], .node = -1};
        if (memory_map(&memory, &request, &fault) == STATUS_OK) {
            /* A cgroup, or a limit of the machine, may still refuse them. */
            if (memory_touch(&memory, 1, &fault) == STATUS_OK)
                assert_true(memory_page_bytes(&memory) >= 2 * MIB);
            else
                assert_has(fault.text, "--pages");
            memory_release(&memory);
        } else {
            assert_has(refused(request).text, "--pages");
        }
    }
}

/* As reserved pages beyond a cgroup's limit: mapped, but of an empty file, so that an access ends in SIGBUS. Returns the status of a
 * child that brings the pages in, 1000 where a signal ends it. */
static int status_of_absent(enum page_kind pages, uint64_t page, bool fills)
{
    int result = 0;
    const pid_t child = fork();
    if (child == 0) {
        struct fault fault = {0};
        const int file = memfd_create("pages", MFD_CLOEXEC);
        struct memory memory = {.bytes = 2 * page, .pages = pages};
        signal(SIGBUS, SIG_DFL);
        memory.data = mmap(NULL, memory.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
        if (memory.data == MAP_FAILED)
            _exit(77);
        if (fills ? memory_fill(&memory, 1, 60, &fault) > 0 : memory_touch(&memory, 1, &fault) == STATUS_OK)
            _exit(0);
        _exit(strstr(fault.text, pages >= PAGES_2M ? "--pages" : "limit") ? (int)fault.status : 99);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 1000;
}

TEST(test_a_page_that_is_not_there_is_refused)
{
    const uint64_t base = (uint64_t)sysconf(_SC_PAGESIZE),
                   page[] = {base, base, base, 2 * MIB, UINT64_C(1024) * MIB};
    if (TEST_SLOW && !TEST_SANITIZED)
        SKIP_BECAUSE("an emulator does not tell the program of such a page");
    for (int pages = PAGES_AUTO; pages <= PAGES_1G; pages++)
        for (int fills = 0; fills < 2; fills++) {
            const int status = status_of_absent((enum page_kind)pages, page[pages], fills);
            if (status == 77)
                SKIP_BECAUSE("no such mapping can be made here");
            assert_int_equal(status, STATUS_NO_RESOURCE);
        }
}

TEST(test_first_node_is_taken)
{
    struct fault fault = {0};
    struct memory memory;
    struct topology *topology = topology_load(&fault);
    const struct memory_request request = {
        .bytes = MIB, .node = topology->place[0].node, .topology = topology};

    if (request.node < 0)
        skip();
    assert_int_equal(memory_map(&memory, &request, &fault), STATUS_OK);
    assert_int_equal(memory_touch(&memory, 1, &fault), STATUS_OK);
    memory_release(&memory);
    topology_free(topology);
}

/* The group's limit is less than what is available. */
TEST(test_room_is_half_of_the_least)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_int_equal(memory_room(), (1073741824 - (805306368 - 104857600)) / 2);
    unsetenv("UARCHPROBE_SYSROOT");
}

TEST(test_one_buffer_may_have_three_quarters)
{
    setenv("UARCHPROBE_SYSROOT", TEST_DATA "/sysroot/v2", 1);
    assert_int_equal(memory_room_of_one(), (1073741824 - (805306368 - 104857600)) / 4 * 3);
    unsetenv("UARCHPROBE_SYSROOT");
}

/* In a child, as a limit cannot be raised again. */
TEST(test_limits_of_the_process_count)
{
    static const struct {
        int resource;
        const char *name;
    } cases[] = {{RLIMIT_AS, "ulimit -v"}, {RLIMIT_DATA, "ulimit -d"}};
    if (TEST_SANITIZED || TEST_SLOW)
        SKIP_BECAUSE("sanitizers and emulators map more than any limit");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int result = 0;
        const pid_t child = fork();
        if (child == 0) {
            const struct rlimit limit = {256 * MIB, 256 * MIB};
            uint64_t bytes = 0;
            if (setrlimit(cases[i].resource, &limit) != 0)
                _exit(77);
            const char *name = memory_limit(&bytes);
            _exit(!(name && strcmp(name, cases[i].name) == 0 && bytes == 256 * MIB &&
                    memory_room() < 128 * MIB && memory_room() > 0));
        }
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFEXITED(result));
        assert_true(WEXITSTATUS(result) == 0 || WEXITSTATUS(result) == 77);
    }
}

TEST(test_pages_lie_where_they_are)
{
    struct memory memory = mapped(MIB, PAGES_AUTO);
    struct fault fault = {0};
    const uint64_t filled = memory_fill(&memory, 1, 60, &fault);
    assert_int_equal(filled, memory.bytes);
    double there = 0;
    for (int node = 0; node < 64; node++)
        there += memory_share_on(&memory, filled, node);
    if (isnan(there))
        SKIP_BECAUSE("the kernel does not say where pages lie");
    assert_float_equal(there, 1, 1e-9);
    memory_release(&memory);
    memory = mapped(64 * MIB, PAGES_AUTO);
    assert_int_equal(memory_fill(&memory, 1, 0, &fault), MIB); /* some, whatever the time */
    memory_release(&memory);
}
