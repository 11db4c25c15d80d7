/* SPDX-License-Identifier: MIT */
/* Files of /proc, /sys and control groups: whatever is in them, an answer within its bounds. */
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "machine/cgroup.h"
#include "machine/os.h"
#include "uarchprobe/memory.h"
#include "uarchprobe/pin.h"
#include "uarchprobe/topology.h"

/* In the order of the files of an input; those of a control group are the same in its parent. */
static const char *const names[] = {"proc/self/cgroup",
                                    "proc/self/mountinfo",
                                    "g/h/cpu.max",
                                    "g/h/cpu.stat",
                                    "g/h/memory.max",
                                    "g/h/memory.stat",
                                    "g/h/memory.current",
                                    "proc/meminfo",
                                    "proc/stat",
                                    "proc/self/smaps",
                                    "proc/cpuinfo",
                                    "sys/devices/system/cpu/online",
                                    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                                    "sys/kernel/mm/transparent_hugepage/enabled"};
/* Other names of the same files. */
static const char *const links[][2] = {
    {"g/h/cpu.max", "g/cpu.max"},
    {"g/h/cpu.max", "g/h/cpu.cfs_quota_us"},
    {"g/h/cpu.stat", "g/h/cpu.cfs_period_us"},
    {"g/h/cpu.stat", "g/cpu.stat"},
    {"g/h/memory.max", "g/memory.max"},
    {"g/h/memory.max", "g/h/memory.limit_in_bytes"},
    {"g/h/memory.max", "g/h/memory.high"},
    {"g/h/memory.current", "g/h/memory.usage_in_bytes"},
    {"g/h/memory.max", "sys/kernel/mm/transparent_hugepage/hpage_pmd_size"},
    {"g/h/memory.max", "sys/devices/system/cpu/cpufreq/boost"},
    {"sys/devices/system/cpu/online", "sys/devices/system/cpu/present"},
    {"sys/devices/system/cpu/online", "sys/devices/system/cpu/isolated"}};
enum { NAMES = sizeof(names) / sizeof(names[0]), LINKS = sizeof(links) / sizeof(links[0]) };

static struct fuzz_file file[NAMES];
static char root[64];

static void make_link(const char *target, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    require(symlink(target, path) == 0);
}

static int remove_one(const char *path, const struct stat *kind, int type, struct FTW *place)
{
    return remove(path);
}

static void remove_root(void)
{
    nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Links to files in memory: nothing is written to a disk. */
static void make_root(void)
{
    snprintf(root, sizeof(root), "/tmp/fuzz_sysfs.XXXXXX");
    require(mkdtemp(root) != NULL);
    atexit(remove_root);
    for (size_t i = 0; i < NAMES; i++) {
        file_fill(&file[i], "", 0);
        make_link(file[i].path, names[i]);
        for (size_t k = 0; k < LINKS; k++) {
            if (strcmp(links[k][0], names[i]) == 0)
                make_link(file[i].path, links[k][1]);
        }
    }
    setenv("UARCHPROBE_SYSROOT", root, 1);
}

/* Each CPU that is named but not there is refused for a reason. */
static void try_lists(void)
{
    struct cpu_place here = {.id = 0};
    const struct topology topology = {.place = &here, .place_count = 1};
    static struct cpu_list wanted = {.count = 1, .id = {7}}, chosen;
    struct fault fault = {0};
    require(topology_select(&topology, &wanted, &chosen, &fault) == STATUS_NO_RESOURCE);
    require_fault(&fault);
}

static void try_texts(void)
{
    char text[64];
    bool on;
    require(!os_governor(0, text, sizeof(text)) || text[0]);
    os_huge_pages(text, sizeof(text));
    require(!os_isolated_cpus(text, sizeof(text)) || text[0]);
    os_turbo(&on);
    os_emulated("x86_64");
    os_emulated("aarch64");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct disturbance start;
    const struct memory anywhere = {.data = (unsigned char *)0x10000, .bytes = 1 << 20};
    if (!root[0])
        make_root();
    for (size_t i = 0; i < NAMES; i++)
        file_next(&file[i], &data, &size);
    const double quota = cgroup_cpu_quota();
    require(quota >= 0 && isfinite(quota));
    require(memory_room() <= UINT64_MAX / 2);
    require(memory_page_bytes(&anywhere) > 0);
    os_memory("MemTotal", 0);
    disturbance_read(&start);
    require(disturbance_since(&start).throttled == 0);
    try_texts();
    try_lists();
    return 0;
}
