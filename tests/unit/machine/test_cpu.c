/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <unistd.h>

#include "uarchprobe/cpu.h"
#include "uarchprobe/topology.h"

TEST(this_host_has_no_pretended_values)
{
    struct cpu cpu;

    cpu_identify_host(&cpu);
    assert_true(strcmp(cpu.arch, "x86_64") == 0 || strcmp(cpu.arch, "aarch64") == 0);
    assert_true(cpu.family == -1 || cpu.family > 0);
    assert_null(strcasestr(cpu.brand, "unknown"));
    assert_int_equal(cpu.features, features_usable());
    assert_int_not_equal(cpu.features & (FEATURE_BIT(SSE2) | FEATURE_BIT(ASIMD)), 0);
}

static void write_line(void *stream, const char *name, const char *registers)
{
    fprintf(stream, "%s=%s\n", name, registers);
}

/* Needs no CPU of a certain kind: its own dump is replayed as itself. */
TEST(own_dump_is_replayed_as_this_cpu)
{
    struct fault fault = {0};
    struct topology *topology = NULL;
    struct cpu here, again;
    char path[] = "/tmp/uarchprobe-dump-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");

    const enum status status = cpu_dump_raw(write_line, file, &fault);
    fclose(file);
    if (status == STATUS_OK) {
        cpu_identify_host(&here);
        assert_int_equal(cpu_replay(path, &again, &topology, &fault), STATUS_OK);
        assert_string_equal(again.vendor, here.vendor);
        assert_string_equal(again.brand, here.brand);
        assert_string_equal(again.codename, here.codename);
        assert_int_equal(again.model, here.model);
        assert_int_equal(here.features & ~again.features, 0);
        topology_free(topology);
    }
    remove(path);
    if (status != STATUS_OK)
        assert_int_equal(status, STATUS_UNSUPPORTED);
}
